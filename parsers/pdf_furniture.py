"""Running headers, footers and page numbers: what stands at the same place on several pages, digits aside."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from kprep.core.models import ElementKind
from parsers.pdf_lines import Line

_NUMBER = re.compile(
    r"^[\s\-\u2013\u2014|]*(?:(?:page|seite|p\.|p\u00e1gina|\u7b2c)\s*)?(?:\d{1,4}|[ivxlc]{1,7})"
    r"(?:\s*(?:of|/|von|de|sur)\s*\d{1,4})?\s*(?:\u9875)?[\s\-\u2013\u2014|]*$",
    re.IGNORECASE,
)
_EDGE_LINES = 4
_EDGE_SHARE = 0.15


@dataclass(frozen=True, slots=True)
class PageLines:
    """Lines of one page, and its height in points."""

    number: int
    height: float
    lines: tuple[Line, ...]


def find_furniture(pages: Sequence[PageLines]) -> dict[tuple[int, int], ElementKind]:
    """(page number, index of the line) -> HEADER, FOOTER or PAGE_NUMBER.

    Only lines in the outer 15 % of the page that are among its first or last four count. They must recur on three
    pages, on two in files of up to four pages; a page number alone must recur on two or be the page's own number.
    """
    places: dict[tuple[str, str, int], set[int]] = defaultdict(set)
    edge: list[tuple[int, int, str, Line, float]] = []
    for page in pages:
        for index, side in _edges(page):
            line = page.lines[index]
            edge.append((page.number, index, side, line, page.height))
            for band in _bands(line):
                places[(_folded(line.text), side, band)].add(page.number)
    needed = 2 if len(pages) <= 4 else 3
    found: dict[tuple[int, int], ElementKind] = {}
    for number, index, side, line, _ in edge:
        recurs = max(len(places[(_folded(line.text), side, band)]) for band in _bands(line))
        if _NUMBER.match(line.text):
            own = re.search(r"\d+", line.text)
            if recurs >= 2 or (len(pages) > 1 and own is not None and int(own.group()) == number):
                found[(number, index)] = ElementKind.PAGE_NUMBER
        elif recurs >= needed:
            found[(number, index)] = ElementKind.HEADER if side == "top" else ElementKind.FOOTER
    return found


def _edges(page: PageLines) -> list[tuple[int, str]]:
    order = sorted(range(len(page.lines)), key=lambda i: page.lines[i].top)
    top = [i for i in order[:_EDGE_LINES] if page.lines[i].bottom < page.height * _EDGE_SHARE]
    bottom = [i for i in order[-_EDGE_LINES:] if page.lines[i].top > page.height * (1 - _EDGE_SHARE) and i not in top]
    pairs = [(i, "top") for i in top] + [(i, "bottom") for i in bottom]
    return [(i, side) for i, side in pairs if not page.lines[i].rows]


def _bands(line: Line) -> tuple[int, int]:
    """Two overlapping bands of eight points, so that a place on a border still meets itself."""
    return int(line.baseline // 8) * 2, int((line.baseline + 4) // 8) * 2 + 1


def _folded(text: str) -> str:
    return re.sub(r"\d+|\b[ivxlc]+\b", "#", " ".join(text.lower().split()))
