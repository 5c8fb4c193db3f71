"""The numbers behind a chart in a Word file, as the table the chart was drawn from."""

from __future__ import annotations

import re

from kprep.core.models import Element, ElementKind, Locator, table_text
from parsers.docx_xml import Node, attribute, child, local

_NUMBER = re.compile(r"-?\d+\.\d{15,}(?:[eE][-+]?\d+)?")


def chart_elements(root: Node, place: Locator) -> list[Element]:
    """The chart's title as a caption and its series as a table: a row a category, a column a series."""
    title = "".join(node.text or "" for node in _under(child(root, "chart", "title"), "t")).strip()
    series = [node for node in root.iter() if local(node) == "ser"]
    names = [" ".join(_points(child(one, "tx")).values()) for one in series]
    values = [_points(child(one, "val")) or _points(child(one, "yVal")) for one in series]
    categories: dict[int, str] = {}
    for one in series:
        categories = _points(child(one, "cat")) or _points(child(one, "xVal")) or categories
    numbers = sorted({index for column in (categories, *values) for index in column})
    rows = (
        ("", *names),
        *((categories.get(index, ""), *(column.get(index, "") for column in values)) for index in numbers),
    )
    out = [Element(ElementKind.CAPTION, title, place)] if title else []
    if numbers:
        out.append(Element(ElementKind.TABLE, table_text(rows), place, rows=rows, header_rows=1))
    return out


def _under(node: Node | None, name: str) -> list[Node]:
    return [inner for inner in node.iter() if local(inner) == name] if node is not None else []


def _shown(text: str) -> str:
    """A number in the 15 digits Office works with: 4.4000000000000004 is 4.4."""
    return f"{float(text):.15g}" if _NUMBER.fullmatch(text) else text


def _points(node: Node | None) -> dict[int, str]:
    """Index -> text of the points Word keeps with the chart."""
    return {
        int(attribute(point, "idx") or 0): _shown((inner.text or "").strip())
        for point in _under(node, "pt")
        if (inner := child(point, "v")) is not None and (attribute(point, "idx") or "0").isdigit()
    }
