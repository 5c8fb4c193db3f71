"""Tables of a page: cells as text, tables inside cells as tables of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kprep.core.models import Element, ElementKind, Link, Locator, table_text
from parsers.html_furniture import is_hidden
from parsers.merged_cells import Merges, spread

if TYPE_CHECKING:
    from lxml.html import HtmlElement

BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hr legend li main menu nav ol option p pre section summary table tbody td "
    "tfoot th thead tr ul optgroup select textarea button noscript".split()
)
_BREAKING = BLOCKS | {"br"}
_UNSEEN = frozenset("script style template".split())
_WIDEST = 500
_LONGEST_CELL = 300


def is_layout(table: HtmlElement) -> bool:
    """A table used to place blocks: it says so, or it has one column, or one row with a table inside, or its cells hold
    headings and whole sections."""
    if (table.get("role") or "").lower() in {"presentation", "none"}:
        return True
    if next(table.iter("th", "caption"), None) is not None:
        return False
    rows = [[cell for cell in row if cell.tag in {"td", "th"}] for row in _rows_of(table)]
    if max(map(len, rows), default=0) <= 1:
        return True
    if len(rows) == 1 and next(table.iterdescendants("table"), None) is not None:
        return True
    if next(table.iter("h1", "h2", "h3", "main", "article"), None) is None:
        return False
    longest = max(len(cell.text_content()) for row in rows for cell in row)
    return len(rows) == 1 or longest > _LONGEST_CELL


def table_element(table: HtmlElement) -> list[Element]:
    """The caption, the table and, after it, the tables inside its cells, in document order."""
    caption = next((child for child in table if child.tag == "caption"), None)
    place = Locator(line=(table.sourceline or 1, table.sourceline or 1))
    elements = []
    if caption is not None and caption.text_content().strip():
        elements.append(Element(ElementKind.CAPTION, " ".join(caption.text_content().split()), place))
    rows, header_rows, hidden_rows = _rows(table)
    if any(cell for row in rows for cell in row):
        links = tuple(
            Link(" ".join(a.text_content().split()), a.get("href"))
            for a in table.iter("a")
            if a.get("href") and _owner(a) is table
        )
        elements.append(
            Element(ElementKind.TABLE, table_text(rows), place, rows=rows, header_rows=header_rows, links=links)
        )
    if hidden_rows:
        elements.append(Element(ElementKind.TABLE, table_text(hidden_rows), place, rows=hidden_rows, hidden=True))
    for inner in table.iterdescendants("table"):
        if _owner(inner) is table:
            elements.extend(table_element(inner))
    return elements


def _owner(node: HtmlElement) -> HtmlElement | None:
    """The innermost table around a node."""
    return next(node.iterancestors("table"), None)


def _rows_of(table: HtmlElement) -> Iterator[HtmlElement]:
    """Rows of a table in order, without those of tables inside it, which are not gone through."""
    from lxml import etree

    walk = etree.iterwalk(table, events=("start",))
    for _, node in walk:
        if node.tag == "tr":
            yield node
        elif node.tag == "table" and node is not table:
            walk.skip_subtree()


Rows = tuple[tuple[str, ...], ...]


def _rows(table: HtmlElement) -> tuple[Rows, int, Rows]:
    """Rows of equal length, how many of the first are header, and the rows the reader does not see."""
    visible: list[list[str]] = []
    unseen: list[list[str]] = []
    header_rows = filled = 0
    merges = Merges()
    for row in _rows_of(table):
        cells = [cell for cell in row if cell.tag in {"td", "th"}]
        if is_hidden(row):
            unseen.append([_cell_text(cell) for cell in cells])
            continue
        texts = merges.place([(_cell_text(c), _span(c, "rowspan"), _span(c, "colspan")) for c in cells])
        in_head = row.getparent().tag == "thead" or (cells and all(cell.tag == "th" for cell in cells))
        header_rows += bool(in_head and any(texts) and header_rows == filled)
        filled += any(texts)
        visible.append(texts)
    return spread(visible, merges.spans, header_rows), header_rows, _squared(unseen)


def _span(cell: HtmlElement, name: str) -> int:
    value = str(cell.get(name) or "1").strip()
    return min(max(int(value), 1), _WIDEST) if value.isdigit() else 1


def _squared(rows: list[list[str]]) -> Rows:
    width = max((len(row) for row in rows), default=0)
    return tuple(tuple(row + [""] * (width - len(row))) for row in rows)


def picture_words(node: HtmlElement) -> str:
    """Alternative text of a picture, apart from the words it touches: "mail jane@x.de" and "The" are no one word."""
    said, tail = node.get("alt") or "", node.tail or ""
    if not said or (tail and not tail[0].isalnum()):
        return f" {said}"
    return f" {said} "


def _cell_text(cell: HtmlElement) -> str:
    """Words of a cell, blocks inside it on lines of their own; tables inside it are not part of it."""
    from lxml import etree

    parts: list[str] = [cell.text or ""]
    walk = etree.iterwalk(cell, events=("start", "end"))
    for event, node in walk:
        if node is cell or not isinstance(node.tag, str):
            continue
        if event == "start":
            parts.append("\n" if node.tag in _BREAKING else "")
            if node.tag == "table" or node.tag in _UNSEEN:
                walk.skip_subtree()
            else:
                parts.append(picture_words(node) if node.tag == "img" else node.text or "")
        else:
            parts.append(("\n" if node.tag in _BREAKING else "") + (node.tail or ""))
    lines = (" ".join(line.split()) for line in _soft_breaks("".join(parts)))
    return "\n".join(line for line in lines if line)


def _soft_breaks(text: str) -> list[str]:
    return text.split("\n")
