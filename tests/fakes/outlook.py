"""A small Outlook message (.msg): an OLE compound file made by hand ([MS-CFB], [MS-OXMSG])."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

SECTOR, MINI = 512, 64
FREE, END, FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD


def outlook_message(
    subject: str, sender: str, body: str, message_class: str = "IPM.Note", files: Mapping[str, bytes] | None = None
) -> bytes:
    """Bytes of a message with these Unicode properties, and files attached to it."""
    texts = {0x001A: message_class, 0x0037: subject, 0x0042: sender, 0x0C1A: sender, 0x1000: body}
    streams: dict[str, Any] = _properties(texts, b"\0" * 8 + struct.pack("<4I", 0, 0, 0, 0) + b"\0" * 8)
    for number, (name, content) in enumerate((files or {}).items()):
        data = {"__substg1.0_37010102": content}
        more = struct.pack("<HHIII", 0x0003, 0x3705, 6, 1, 0) + struct.pack(
            "<HHIII", 0x0102, 0x3701, 6, len(content), 0
        )
        inner = _properties({0x3707: name}, b"\0" * 8, more)
        streams[f"__attach_version1.0_#{number:08X}"] = inner | data
    return compound_file(streams)


def _properties(texts: Mapping[int, str], header: bytes, more: bytes = b"") -> dict[str, bytes]:
    """Streams of Unicode properties, and the one that names them."""
    streams = {f"__substg1.0_{tag:04X}001F": text.encode("utf-16-le") for tag, text in texts.items()}
    entries = b"".join(
        struct.pack("<HHIII", 0x001F, tag, 6, len(text.encode("utf-16-le")) + 2, 0) for tag, text in texts.items()
    )
    return {**streams, "__properties_version1.0": header + entries + more}


def compound_file(streams: Mapping[str, bytes | Mapping[str, bytes]]) -> bytes:
    """An OLE compound file with these streams, and storages of streams, in its root; all streams below 4,096 bytes."""
    rows = _rows(streams, 1)  # (name, content, siblings, children), siblings and children as (first, last)
    root = (1, len(rows))
    for at, (name, content, siblings, _) in enumerate(list(rows)):
        if not isinstance(content, bytes):
            first = len(rows) + 1
            rows += _rows(content, first)
            rows[at] = (name, content, siblings, (first, len(rows)))
    mini = b""
    mini_fat: list[int] = []
    directory = b""
    for at, (name, content, siblings, children) in enumerate(rows, 1):
        left, right = _children(at, *siblings)
        if not isinstance(content, bytes):
            directory += _entry(name, 1, _middle(*children), 0, 0, left, right)
            continue
        assert len(content) < 4096
        count = -(-len(content) // MINI)
        directory += _entry(name, 2, FREE, len(mini_fat), len(content), left, right)
        mini_fat += [*range(len(mini_fat) + 1, len(mini_fat) + count), END]
        mini += content.ljust(count * MINI, b"\0")
    directory = _entry("Root Entry", 5, _middle(*root), 0, len(mini)) + directory
    parts = [mini, struct.pack(f"<{len(mini_fat)}I", *mini_fat), directory]
    fills = (b"\0", b"\xff", b"\0")
    sectors = [part.ljust(-(-len(part) // SECTOR) * SECTOR, fill) for part, fill in zip(parts, fills, strict=True)]
    fat: list[int] = []
    firsts = []
    for part in sectors:
        count = len(part) // SECTOR
        firsts.append(len(fat))
        fat += [*range(len(fat) + 1, len(fat) + count), END]
    fat_at = len(fat)
    fat.append(FAT)
    directory_bytes = bytearray(sectors[2])
    struct.pack_into("<I", directory_bytes, 116, firsts[0])
    header = (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
        + b"\0" * 16
        + struct.pack(
            "<HHHHH6xIIIIIIIIII",
            0x3E,
            3,
            0xFFFE,
            9,
            6,
            0,
            1,
            firsts[2],
            0,
            4096,
            firsts[1],
            len(sectors[1]) // SECTOR,
            END,
            0,
            fat_at,
        )
    ).ljust(SECTOR, b"\xff")
    table = struct.pack(f"<{len(fat)}I", *fat).ljust(SECTOR, b"\xff")
    return header + sectors[0] + sectors[1] + bytes(directory_bytes) + table


def _rows(streams: Mapping[str, Any], first: int) -> list[Any]:
    names = sorted(streams, key=lambda name: (len(name), name.upper()))
    return [(name, streams[name], (first, first + len(names) - 1), (FREE, FREE)) for name in names]


def _middle(first: int, last: int) -> int:
    return (first + last) // 2


def _children(at: int, first: int, last: int) -> tuple[int, int]:
    """Left and right child of an entry in the balanced tree over `first`..`last`."""
    middle = _middle(first, last)
    if at < middle:
        return _children(at, first, middle - 1)
    if at > middle:
        return _children(at, middle + 1, last)
    left = _middle(first, middle - 1) if first <= middle - 1 else FREE
    right = _middle(middle + 1, last) if middle + 1 <= last else FREE
    return left, right


def _entry(name: str, kind: int, child: int, start: int, size: int, left: int = FREE, right: int = FREE) -> bytes:
    encoded = name.encode("utf-16-le")
    return (
        encoded.ljust(64, b"\0")
        + struct.pack("<HBBIII", len(encoded) + 2, kind, 1, left, right, child)
        + b"\0" * 36
        + struct.pack("<IQ", start, size)
    )
