"""PDF streams that unpack to more than any page holds, found before a reader unpacks them all at once."""

from __future__ import annotations

import re
import zlib

from kprep.core.errors import ZipBomb

MOST_UNPACKED = 512 * 1024 * 1024
"""Bytes one stream may unpack to: a colour picture of some 13,000 x 13,000 points."""
_STREAM = re.compile(rb"<<((?:[^<>]|<<[^<>]*>>|<[^<>]*>){0,4000})>>\s*stream\r?\n")
_HIGHEST_RATIO = 1032
"""Of DEFLATE."""
_STEP = 16 * 1024 * 1024


def refuse_bombs(content: bytes, uri: str) -> None:
    """Raises: ZipBomb for a stream that unpacks beyond MOST_UNPACKED, whatever its dictionary says of its length."""
    if b"/FlateDecode" not in content and b"/Fl" not in content:
        return
    for found in _STREAM.finditer(content):
        filters = len(re.findall(rb"/Fl(?:ateDecode)?\b", found.group(1)))
        if not filters:
            continue
        end = content.find(b"endstream", found.end())
        size = (end if end >= 0 else len(content)) - found.end()
        if size * _HIGHEST_RATIO**filters <= MOST_UNPACKED:
            continue
        if _unpacked(content[found.end() : found.end() + size], filters) > MOST_UNPACKED:
            raise ZipBomb(
                f"{uri}: a stream of the PDF unpacks to more than {MOST_UNPACKED // 2**20} MB", uri=uri, packed=size
            )


def _unpacked(data: bytes, filters: int) -> int:
    """Bytes the data unpacks to through so many filters, counted no further than just above MOST_UNPACKED."""
    chain = [zlib.decompressobj() for _ in range(min(filters, 8))]
    return _through(chain, data, 0)


def _through(chain: list[zlib._Decompress], data: bytes, total: int) -> int:
    """`total` and what the data gives at the end of the chain; what is no DEFLATE gives nothing."""
    head, rest = chain[0], chain[1:]
    try:
        while data and total <= MOST_UNPACKED:
            piece = head.decompress(data, _STEP)
            data = head.unconsumed_tail
            total = _through(rest, piece, total) if rest else total + len(piece)
            if not piece:
                break
    except zlib.error:
        return total
    return total
