"""What a PDF says of its pages beside their text: bookmarks, and the numbers printed on them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kprep.core.models import Element, Locator
from parsers.pdf_blocks import Block, folded

_MOST = 20_000
_XYZ = 1
"""PDFium's kind of destination with a place on the page: left, top, zoom."""
_SAYS_A_NUMBER = re.compile(r"(?:page|seite|p)?\d+|")
_LABEL = re.compile(r"(?:[A-Za-z]{1,4}[-.]?)?\d{1,4}|[ivxlcdmIVXLCDM]{1,10}|[A-Za-z]{1,2}")
"""A label may hold any words, and no other room looks into it: only what cannot be more than a number is taken."""


@dataclass(frozen=True, slots=True)
class Bookmark:
    """`top`: points from the page's lower edge, None = the page as a whole."""

    title: str
    level: int
    top: float | None


def outline(file: Any) -> dict[int, dict[str, Bookmark]]:
    """Page number -> folded title -> the bookmark, level 1..6."""
    import pypdfium2

    found: dict[int, dict[str, Bookmark]] = {}
    try:
        for count, item in enumerate(file.get_toc(max_depth=8)):
            target = item.get_dest()
            index = target.get_index() if target is not None else None
            title = " ".join((item.get_title() or "").split())
            if index is None or not folded(title) or count >= _MOST:
                continue
            kind, where = target.get_view()
            top = where[1] if kind == _XYZ and len(where) > 1 else None
            found.setdefault(index + 1, {}).setdefault(folded(title), Bookmark(title, min(item.level + 1, 6), top))
    except pypdfium2.PdfiumError:
        return found  # a damaged outline: headings are told by their looks
    return found


def labels(file: Any) -> dict[int, str]:
    """Page number -> what is printed as its number, where that differs and is no more than a number."""
    said = {number: file.get_page_label(number - 1) or "" for number in range(1, len(file) + 1)}
    return {number: label for number, label in said.items() if label != str(number) and _LABEL.fullmatch(label)}


def with_labels(element: Element, printed: Mapping[int, str]) -> Element:
    """The element with what is printed as the numbers of its pages."""

    def labelled(place: Locator) -> Locator:
        ends = printed.get(place.page_end or 0)
        return replace(place, page_label=printed.get(place.page or 0), page_end_label=ends)

    return replace(element, locator=labelled(element.locator), row_places=tuple(map(labelled, element.row_places)))


def missing_headings(
    blocks: Sequence[Block], text: str, marks: Mapping[str, Bookmark], height: float
) -> list[tuple[int, Bookmark]]:
    """(block it stands before, bookmark) of those that lead to a page whose text names them nowhere and which has no
    heading of its own. `blocks`, `text`: of the page."""
    if any(block.level and block.kind == "heading" for block in blocks):
        return []
    said = folded(text)
    out = []
    for title, mark in marks.items():
        if title in said or _SAYS_A_NUMBER.fullmatch(title):
            continue
        start = height - mark.top - 2 if mark.top else 0.0
        at = next((n for n, block in enumerate(blocks) if block.lines[0].top >= start), 0)
        out.append((at, mark))
    return sorted(out, key=lambda pair: pair[0]) if blocks else []
