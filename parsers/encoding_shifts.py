"""Encodings that write other scripts in ASCII: ISO-2022 by escapes, HZ by `~{`, UTF-7 by `+...-`."""

from __future__ import annotations

import base64
import re

from parsers.encoding_letters import is_familiar

_ESCAPED = (
    (re.compile(rb"\x1b\$\)C"), "iso2022_kr"),
    (re.compile(rb"\x1b(?:\$[@AB]|\$\([CD]|\([JI])"), "iso2022_jp_ext"),
    (re.compile(rb"\x1b\$[A]"), "iso2022_jp_2"),
)
_HZ = re.compile(rb"~\{(?:[!-w][!-~])+~\}")
_UTF7 = re.compile(rb"\+([A-Za-z0-9+/]*)(-?)")
_FEWEST = 2
"""Signs that make a text UTF-7: one may be a formula."""


def encoding_of(content: bytes) -> str:
    """Name of the encoding, "" for text that shifts to no other script."""
    if b"\x1b$" in content or b"\x1b(" in content:
        for escape, encoding in _ESCAPED:
            if escape.search(content) and _reads(content, encoding):
                return encoding
    if not content.isascii():
        return ""
    if _HZ.search(content) and _reads(content, "hz"):
        return "hz"
    return "utf-7" if b"+" in content and _is_utf7(content) else ""


def _reads(content: bytes, encoding: str) -> bool:
    try:
        return not content.decode(encoding).isascii()
    except UnicodeDecodeError:
        return False


def _is_utf7(content: bytes) -> bool:
    """Whether every plus sign begins signs beyond ASCII, written as UTF-7 writes them, most of them of a language."""
    signs = ""
    for found in _UTF7.finditer(content):
        shifted = _shifted(found[1])
        if not shifted and found[0] != b"+-":
            return False
        signs += shifted
    familiar = sum(is_familiar(sign) for sign in signs)
    return familiar >= _FEWEST and 2 * familiar >= len(signs) and _reads(content, "utf-7")


def _shifted(written: bytes) -> str:
    """The signs beyond ASCII that are written in base64, "" where that is none of UTF-7."""
    try:
        wide = base64.b64decode(written + b"=" * (-len(written) % 4), validate=True)
        text = wide[: len(wide) - len(wide) % 2].decode("utf-16-be")
    except ValueError:
        return ""
    is_whole = base64.b64encode(text.encode("utf-16-be")).rstrip(b"=") == written
    return text if is_whole and not any(sign.isascii() for sign in text) else ""
