"""Glyphs of a PDF whose font says nothing of their meaning: PDFium gives their bare codes, which may be any signs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

UNMAPPED = "\x01"
"""Stands for a glyph that no map explains; like all controls it is a blank from the parsers' exit on."""
_LAST_OF_ONE_BYTE = "\xff"
_VOWELS = frozenset("aeiouyAEIOUY")
_ENOUGH_LETTERS = 40
_LEAST_LETTERS, _LEAST_VOWELS, _MOST_VOWELS = 0.6, 0.25, 0.6
"""Shares of a text in any language of Latin letters: letters of all signs, vowels of its letters. The codes of a font
that counts its glyphs have other ones, be they shifted or in the order of their first use."""


class Written(Protocol):
    """A glyph as far as its text counts. `order`: index of its first character."""

    text: str
    order: int


class BareCodes:
    """Which characters of a page's fonts are bare codes. Each character of a font is asked for once: a font has a map
    for it or none. `has_no_map`: of the character with an index."""

    def __init__(self, has_no_map: Callable[[int], bool]) -> None:
        self._has_no_map = has_no_map
        self._known: dict[int, set[str]] = {}
        self._bare: dict[int, set[str]] = {}
        self._found: dict[int, list[Written]] = {}

    def look(self, glyph: Written, text: str, font: int) -> None:
        """Note the glyph if there is a bare code in it. `text`: its characters by index, from its `order` on."""
        known = self._known.get(font)
        if known is None:
            known = self._known[font] = {" ", UNMAPPED}
        if not known.issuperset(text):
            new = set(text) - known
            bare = {sign for sign in new if self._has_no_map(glyph.order + text.index(sign))}
            known |= new
            if bare:
                self._bare.setdefault(font, set()).update(bare)
        if self._bare and font in self._bare and not self._bare[font].isdisjoint(text):
            self._found.setdefault(font, []).append(glyph)

    def blank(self) -> None:
        """Put UNMAPPED in place of bare codes, but for those of one byte in fonts where they read as words: many old
        fonts name no glyph and keep the usual codes. Fonts with few letters are as the others of the page are."""
        texts = {font: " ".join(glyph.text for glyph in glyphs) for font, glyphs in self._found.items()}
        whole = reads_as_words(" ".join(texts.values()))
        for font, glyphs in self._found.items():
            enough = sum(map(str.isalnum, texts[font])) >= _ENOUGH_LETTERS
            kept = reads_as_words(texts[font]) if enough else whole
            bare = {sign for sign in self._bare[font] if not kept or sign > _LAST_OF_ONE_BYTE}
            for glyph in glyphs:
                glyph.text = "".join(UNMAPPED if sign in bare else sign for sign in glyph.text)


def reads_as_words(text: str) -> bool:
    """Mostly letters, with as many vowels among them as words have."""
    solid = "".join(text.split())
    letters = [sign for sign in solid if sign.isascii() and sign.isalpha()]
    vowels = sum(sign in _VOWELS for sign in letters)
    return len(letters) >= _LEAST_LETTERS * len(solid) > 0 and _LEAST_VOWELS * len(
        letters
    ) <= vowels <= _MOST_VOWELS * len(letters)
