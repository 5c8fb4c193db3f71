"""Byte offsets of UTF-8 to code points: parsers of code count bytes, locators count characters."""

from __future__ import annotations

import re
from bisect import bisect_left

_CONTINUATION = re.compile(rb"[\x80-\xbf]")


class ByteOffsets:
    """Code points before a byte offset of one text; exact for every offset at which a character begins."""

    def __init__(self, encoded: bytes) -> None:
        self._continuations = [] if encoded.isascii() else [match.start() for match in _CONTINUATION.finditer(encoded)]

    def char(self, byte: int) -> int:
        """The code point that begins at this byte."""
        return byte - bisect_left(self._continuations, byte)
