"""Old Office containers checked before a library follows their chains, which may be loops."""

from __future__ import annotations

import struct

from kprep.core.errors import CorruptDocument

MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HEADER = 512
_LAST = 0xFFFFFFFA
"""Sector numbers from here on are marks: end of chain, free, table."""


def check_chains(content: bytes, uri: str) -> None:
    """Raises: CorruptDocument when the container's tables or its directory do not end, or lead out of the file."""
    try:
        size, table = _table(content)
        first = struct.unpack_from("<I", content, 48)[0]
    except (struct.error, ValueError) as error:
        raise CorruptDocument(f"{uri}: the Office container is damaged", uri=uri) from error
    seen: set[int] = set()
    while first < _LAST:
        if first in seen or first >= len(table) or (first + 1) * size >= len(content) + size:
            raise CorruptDocument(f"{uri}: the directory of the Office container does not end", uri=uri)
        seen.add(first)
        first = table[first]
    _check_loops(table, uri)


def _table(content: bytes) -> tuple[int, list[int]]:
    """Size of a sector and, for each sector, the one after it. Raises: ValueError, struct.error."""
    shift = struct.unpack_from("<H", content, 30)[0]
    if shift not in {9, 12}:
        raise ValueError("sectors of an unknown size")
    size = 1 << shift
    parts = [number for number in struct.unpack_from("<109I", content, 76) if number < _LAST]
    following = struct.unpack_from("<I", content, 68)[0]
    seen: set[int] = set()
    while following < _LAST and following not in seen:
        seen.add(following)
        entries = struct.unpack_from(f"<{size // 4}I", content, (following + 1) * size)
        parts.extend(number for number in entries[:-1] if number < _LAST)
        following = entries[-1]
    if following in seen or not parts or len(set(parts)) != len(parts):
        raise ValueError("the table of sectors does not end")
    table: list[int] = []
    for number in parts:
        table.extend(struct.unpack_from(f"<{size // 4}I", content, (number + 1) * size))
    return size, table


def _check_loops(table: list[int], uri: str) -> None:
    """Every chain must end: no two sectors may lead to the same one."""
    targets = [number for number in table if number < _LAST]
    if len(set(targets)) != len(targets):
        raise CorruptDocument(f"{uri}: chains of the Office container run into one another", uri=uri)
