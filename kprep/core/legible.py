"""Is a text what its author wrote, or bytes that were decoded wrongly? One measure for preparation and for the gate."""

from __future__ import annotations

import re

_HALF = re.compile("[\ud800-\udfff]")
REPLACEMENT_SHARE = 0.02
"""Share of U+FFFD among a chunk's characters from which it is unreadable."""

# UTF-8 read as Latin-1 or Windows-1252: a lead character, then what bytes 0x80-0xBF look like there. After a capital A
# with tilde, which ends Portuguese words, quotation marks, dashes and daggers prove nothing and are left out.
_SIGNS = "\u0080-\u009f\u00a1-\u00aa\u00ac-\u00ba\u00bc-\u00bf"
_LETTERS = _SIGNS + "\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u20ac\u2030\u2122"
_TRAIL = _LETTERS + "\u00a0\u00ab\u00bb\u02c6\u02dc\u2013\u2014\u2018-\u201e\u2020-\u2026\u2039\u203a"
_MOJIBAKE = re.compile(
    f"\u00c3[{_LETTERS}]"  # Latin letters with accents
    "|\u00c2[\u0080-\u009f\u00a1-\u00a9\u00ac-\u00b9\u00bc-\u00bf]"  # signs such as the degree sign
    "|\u00e2\u20ac|\u00ef\u00bf\u00bd"  # dashes and quotation marks; U+FFFD itself
    f"|(?:[\u00d0\u00d1][{_TRAIL}]){{3}}"  # Cyrillic
    f"|(?:[\u00e3-\u00e9][{_TRAIL}]{{2}}){{2}}"  # Chinese and Japanese
)


def no_text(text: str) -> str:
    """Why no database and no UTF-8 can hold what a person gave as text, "" where they can."""
    if "\0" in text:
        return "it holds a NUL character"
    return "it holds half of a surrogate pair, or bytes that are not UTF-8" if _HALF.search(text) else ""


def unreadable(text: str, kind: str) -> str:
    """Why a chunk's text is not what its author wrote, "" where it is or may be. `kind`: of the chunk."""
    lost = text.count("\ufffd")
    if lost > REPLACEMENT_SHARE * len(text):
        return f"{lost} characters could not be decoded (U+FFFD)"
    # Code may hold such bytes as an example or a test, prose does not.
    return "UTF-8 was read as another encoding" if kind != "code" and _MOJIBAKE.search(text) else ""


def doubtful(text: str, kind: str) -> str:
    """Why a text that is not unreadable may be wrongly decoded, "" where nothing says so."""
    if lost := text.count("\ufffd"):
        return f"{lost} characters could not be decoded (U+FFFD)"
    return "UTF-8 was read as another encoding" if kind == "code" and _MOJIBAKE.search(text) else ""
