"""Characters of prose in one form: NFC, ligatures as letters, nothing invisible. Code never comes here."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

from kprep.core.models import Element, ElementKind, Link, table_text

LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_LIGATURE = re.compile("[ﬀ-ﬆ]")
# A ligature drawn by itself: "veri ﬁ cation". It is never a word, so it belongs to the letters after it, and to those
# before it unless they are a word of their own elsewhere in the document ("the ﬁ rst").
_LONE_LIGATURE = re.compile(r"(?<!\w)(\w{0,60})( ?)(?<!\w)([ﬀ-ﬄ]) (?=[a-zà-ÿ])")

# Kept, because scripts and emoji need them: U+200C, U+200D (joiners), U+200E, U+200F (direction marks).
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u180e\u200b\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u205f]")
_SOFT_BREAK = re.compile("\u00ad[ \t]*\n[ \t]*")


def normalise(text: str, words: frozenset[str] = frozenset()) -> str:
    """`text` in NFC with ligatures expanded, soft hyphens (with the line end after them) and invisible characters
    taken out, and odd spaces as spaces. `words`: lower-case words of the document, to place a lone ligature."""
    if text.isascii() and text.isprintable():
        return text
    text = _SOFT_BREAK.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = _SPACES.sub(" ", _INVISIBLE.sub("", unicodedata.normalize("NFC", text)))
    if not _LIGATURE.search(text):
        return text

    def close_gap(match: re.Match[str]) -> str:
        before, gap, ligature = match.groups()
        own_word = not before or before.lower() in words
        return before + (gap if own_word else "") + ligature

    return _LIGATURE.sub(lambda match: LIGATURES[match[0]], _LONE_LIGATURE.sub(close_gap, text))


def normalise_element(element: Element, words: frozenset[str]) -> Element:
    """The element with its text, cells, marker and links normalised; code as it is."""
    if element.kind is ElementKind.CODE:
        return element
    rows = tuple(tuple(normalise(cell, words) for cell in row) for row in element.rows)
    links = tuple(Link(normalise(link.text, words), link.target) for link in element.links)
    text = table_text(rows) if rows else normalise(element.text, words)
    if (text, rows, links) == (element.text, element.rows, element.links):
        return element
    return replace(element, text=text, rows=rows, links=links, marker=normalise(element.marker))
