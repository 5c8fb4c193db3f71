"""The text of a parent and where each element stands in it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from kprep.core.models import Element, ElementKind, Locator

_CELL_RANGE = re.compile(r"(?P<left>[A-Z]+)(?P<top>\d+):(?P<right>[A-Z]+)(?P<bottom>\d+)")

_BREAK = re.compile("\n")
_PLACEHOLDER = re.compile(r"<[A-Z][A-Z_]*_[0-9a-f]{6}>")
_PROSE = {ElementKind.PARAGRAPH, ElementKind.LIST_ITEM, ElementKind.QUOTE, ElementKind.FOOTNOTE}
_LONG = 1000
_SLACK = 64
"""Characters of prose that is cited in parts, and those around a part for what cleaning spells out, as ligatures."""

BLOCK_GAP = "\n\n"
_DEEPEST = 16
"""Levels of a list that are indented; deeper items stand below the last of them, since white space says no more."""


@dataclass(frozen=True, slots=True)
class Block:
    """An element in its parent: `start` is where its marker begins, `body` where `element.text` begins; half-open.
    `breaks`: where the line breaks of `element.text` stand in it, in order."""

    element: Element
    start: int
    body: int
    end: int
    breaks: Sequence[int]

    def place(self, start: int, end: int) -> Locator:
        """Locator of the characters start..end of the parent, as exact as the element's own locator allows."""
        return narrow(self.element, self.breaks, max(start - self.body, 0), max(end - self.body, 0))


def lay_out(elements: tuple[Element, ...]) -> tuple[str, tuple[Block, ...]]:
    """Text of the parent and its blocks, in order. Blocks are a blank line apart, items of a list one line break.

    A list item is written with its marker and indented by its depth, so that numbered steps keep their numbers."""
    parts: list[str] = []
    blocks: list[Block] = []
    length = 0
    for index, element in enumerate(elements):
        gap = _gap(elements[index - 1], element) if index else ""
        prefix = _prefix(element)
        start = length + len(gap)
        body = start + len(prefix)
        length = body + len(element.text)
        parts += [gap, prefix, element.text]
        breaks = [match.start() for match in _BREAK.finditer(element.text)]
        blocks.append(Block(element, start, body, length, breaks))
    return "".join(parts), tuple(blocks)


def citable_together(first: Locator, second: Locator) -> bool:
    """Whether one locator can cite both places: both are in one slide, sheet, cell, message or inner file (what stands
    before the "#" of an anchor), and in one row and below one anchor too unless a range of lines or characters covers
    them. Messages without lines can be cited from one to another."""
    if (first.slide, first.sheet, first.cell) != (second.slide, second.sheet, second.cell):
        return False
    if first.message != second.message and (first.line or second.line or not (first.message and second.message)):
        return False
    if _inner_file(first) != _inner_file(second):
        return False
    ranges = (first.line and second.line) or (first.char and second.char)
    return bool(ranges) or (first.row, first.anchor) == (second.row, second.anchor)


def _inner_file(place: Locator) -> str:
    file, mark, _ = (place.anchor or "").partition("#")
    return file if mark else ""


def narrow(element: Element, breaks: Sequence[int], start: int, end: int) -> Locator:
    """The element's locator for the characters start..end of its text.

    Where the text is a verbatim slice of the original, which shows in its length and number of lines (`breaks`, as in
    `Block`), `char` and `line` are exact; where markup was taken out of long prose, `char` is as narrow as is certain.
    Rows of a table are counted, or stand where the element says. Everything else stays the element's."""
    if element.kind is ElementKind.TABLE:
        return _narrow_rows(element, breaks, start, end)
    place = element.locator
    if place.char is None:
        return place
    taken = place.char[1] - place.char[0] - len(element.text)
    if taken:
        long_prose = element.kind in _PROSE and not element.fragment and len(element.text) > _LONG
        return (
            place
            if not (long_prose and 0 < 2 * taken < len(element.text))
            else replace(place, char=_around(element.text, place.char, start, end))
        )
    place = replace(place, char=(place.char[0] + start, place.char[0] + end))
    if place.line is not None and place.line[1] - place.line[0] == len(breaks):
        first = place.line[0] + bisect_left(breaks, start)
        last = place.line[0] + bisect_left(breaks, max(end - 1, start))
        place = replace(place, line=(first, last))
    return place


def _around(text: str, char: tuple[int, int], start: int, end: int) -> tuple[int, int]:
    """Characters of the original that surely hold text[start:end]. Parsers take markup out and put nothing in, so a
    character stands in the original at its own place or later, and from the end at its own place or earlier; only
    placeholders may be longer than what they replaced."""
    placeholders = _placeholders(text)
    before = sum(last - first for first, last in placeholders if last <= end) + _SLACK
    after = sum(last - first for first, last in placeholders if first >= start) + _SLACK
    first = max(char[0], char[0] + start - before)
    last = min(char[1], char[1] - (len(text) - end) + after)
    return (first, last) if first < last else char


@lru_cache(maxsize=1)
def _placeholders(text: str) -> tuple[tuple[int, int], ...]:
    """Where placeholders stand; kept, since all parts of one long text are asked for in turn."""
    return tuple(match.span() for match in _PLACEHOLDER.finditer(text))


def _narrow_rows(element: Element, breaks: Sequence[int], start: int, end: int) -> Locator:
    """Lines, characters and cell range of some lines of a table, or the places of its rows. In a cell range the lines
    of a repeated header stand for the row below it."""
    place = element.locator
    first, last = (bisect_left(breaks, at) for at in (start, max(end - 1, start)))
    if place.line and place.char and len(element.row_starts) == len(breaks) + 1:
        (line, char), after = element.row_starts[first], element.row_starts[last + 1 :]
        ends = (max(line, after[0][0] - 1), after[0][1]) if after else (place.line[1], place.char[1])
        place = replace(place, line=(line, ends[0]), char=(char, ends[1]))
    if len(element.row_places) == len(breaks) + 1:
        place = element.row_places[first].through(element.row_places[last])
    cells = _CELL_RANGE.fullmatch(place.cell or "")
    if cells and len(element.row_starts) == len(breaks) + 1:
        rows = [row for row, _ in element.row_starts]
        repeated = element.header_rows if rows[0] < int(cells["top"]) else 0
        top, bottom = rows[max(first, repeated)], rows[max(last, repeated)]
        place = replace(place, cell=f"{cells['left']}{top}:{cells['right']}{bottom}")
    return place


def _gap(before: Element, element: Element) -> str:
    both_items = before.kind is ElementKind.LIST_ITEM and element.kind is ElementKind.LIST_ITEM
    return "\n" if both_items else BLOCK_GAP


def _prefix(element: Element) -> str:
    if element.kind is not ElementKind.LIST_ITEM:
        return ""
    indent = "  " * min(max(element.level - 1, 0), _DEEPEST)
    return indent + element.marker + (" " if element.marker else "")
