"""Watermarks of a PDF: words laid across or under the text of its pages, which say nothing of their own."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from parsers.pdf_glyphs import Glyph
from parsers.pdf_lines import Line, pieces

_LARGE, _MUCH_LARGER = 1.5, 1.8
"""Sizes of the body's text: of slanted words that are none of its, and of level ones."""
_MOST_SLANTED = 12
"""A page with more different slanted texts, most of it, is one that was laid askew on the scanner."""


@dataclass(frozen=True, slots=True)
class PageText:
    """Lines of one page: those of its text, those turned by 90 or 180 degrees, and those at any other angle."""

    lines: tuple[Line, ...]
    turned: tuple[Line, ...]
    slanted: tuple[Line, ...]


def part_slanted(glyphs: Sequence[Glyph]) -> tuple[list[Glyph], list[Line]]:
    """Glyphs that stand level or at a right angle, and lines of the others in content order."""
    slanted = [glyph for glyph in glyphs if glyph.slant and not glyph.hidden]
    if not slanted:
        return list(glyphs), []
    runs: list[list[Glyph]] = [slanted[:1]]
    for last, glyph in pairwise(slanted):
        if last.slant != glyph.slant or last.space == "\n":
            runs.append([])
        runs[-1].append(glyph)
    lines = list(map(_line_of, runs))
    letters = sum(glyph.letters for glyph in slanted)
    others = sum(glyph.letters for glyph in glyphs) - letters
    if letters > others and len({line.text for line in lines}) > _MOST_SLANTED:
        return list(glyphs), []
    return [glyph for glyph in glyphs if not glyph.slant or glyph.hidden], lines


def without_loud(glyphs: Sequence[Glyph]) -> list[Glyph]:
    """Glyphs without those that are light and much larger than most: no table holds them."""
    if not any(glyph.light for glyph in glyphs):
        return list(glyphs)
    usual = median([glyph.size for glyph in glyphs])
    return [glyph for glyph in glyphs if not (glyph.light and glyph.size >= _MUCH_LARGER * usual)]


def _line_of(run: Sequence[Glyph]) -> Line:
    words = "".join(glyph.text + (" " if glyph.space else "") for glyph in run).strip()
    first = pieces(run[:1])[0]
    return Line(
        words,
        min(glyph.x0 for glyph in run),
        min(glyph.top for glyph in run),
        max(glyph.x1 for glyph in run),
        max(glyph.bottom for glyph in run),
        first.baseline,
        first.size,
        light=all(glyph.light for glyph in run),
    )


def find_watermarks(pages: Sequence[PageText]) -> list[set[Line]]:
    """Of each page the lines that are watermarks: slanted words larger than the text or again on another page; level
    ones that are light, much larger, on half of the pages, and lie under the text of one."""
    sizes = [line.size for page in pages for line in page.lines]
    body = median(sizes) if sizes else math.inf
    on = Counter(text for page in pages for text in {_said(line) for line in (*page.lines, *page.turned)})
    slanted_on = Counter(text for page in pages for text in {_said(line) for line in page.slanted})
    crossed = {_said(line) for page in pages for line in page.lines if _is_loud(line, body) and _is_crossed(line, page)}
    crossed |= {_said(line) for page in pages for line in page.turned if _is_loud(line, body)}
    level = {text for text in crossed if on[text] > 1 and 2 * on[text] >= len(pages)}
    return [
        {line for line in page.slanted if line.size >= _LARGE * body or slanted_on[_said(line)] > 1}
        | {line for line in (*page.lines, *page.turned) if _said(line) in level and _is_loud(line, body)}
        for page in pages
    ]


def _said(line: Line) -> str:
    return " ".join(line.text.lower().split())


def _is_loud(line: Line, body: float) -> bool:
    return line.light and not line.rows and line.size >= _MUCH_LARGER * body


def _is_crossed(line: Line, page: PageText) -> bool:
    """Other text of the page stands on it."""
    return any(
        min(line.bottom, other.bottom) - max(line.top, other.top)
        > 0.3 * min(line.bottom - line.top, other.bottom - other.top)
        and min(line.x1, other.x1) - max(line.x0, other.x0) > 0
        for other in page.lines
        if other is not line and not other.light
    )
