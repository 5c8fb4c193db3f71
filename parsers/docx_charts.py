"""The numbers behind a chart in an Office file, as the tables the chart was drawn from."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kprep.core.models import Element, ElementKind, Locator, table_text
from parsers.docx_xml import Node, attribute, child, local, value

_NUMBER = re.compile(r"-?\d+\.\d{15,}(?:[eE][-+]?\d+)?")
_AXES = ("catAx", "dateAx", "valAx", "serAx")
"""Kinds of axes: what is measured stands on a `valAx`, of points in a plane on two, the first one across."""

Points = dict[int, str]
"""Index -> text of the points Office keeps with a chart."""


@dataclass(slots=True)
class _Drawn:
    """Series that share what stands on the axis across: its name and points, then name and values of each column."""

    across: str
    places: Points
    columns: list[tuple[str, Points]]


def chart_elements(root: Node, place: Locator) -> list[Element]:
    """The chart's title as a caption and its series as tables: a row a category, a column a series. Series with points
    of their own on the axis across (scatter, bubbles) have tables of their own. Columns are named as their axes are."""
    title = _title(child(root, "chart"))
    out = [Element(ElementKind.CAPTION, title, place)] if title else []
    for drawn in _drawn(root):
        numbers = sorted(
            {index for points in (drawn.places, *(values for _, values in drawn.columns)) for index in points}
        )
        rows = (
            (drawn.across, *(name for name, _ in drawn.columns)),
            *(
                (drawn.places.get(index, ""), *(values.get(index, "") for _, values in drawn.columns))
                for index in numbers
            ),
        )
        if numbers:
            out.append(Element(ElementKind.TABLE, table_text(rows), place, rows=rows, header_rows=1))
    return out


def _drawn(root: Node) -> list[_Drawn]:
    """Series in their order, together where they share their axis across."""
    axes = {
        value(node, "axId"): (_AXES.index(local(node)), _title(node)) for node in root.iter() if local(node) in _AXES
    }
    found: list[_Drawn] = []
    for one in (node for node in root.iter() if local(node) == "ser"):
        ids = [attribute(node, "val") for node in one.getparent() if local(node) == "axId"]
        titles = [title for _, title in sorted((axes[key] for key in ids if key in axes), key=lambda axis: axis[0])]
        across, up, *_ = (*titles, "", "")
        places = _points(child(one, "cat")) or _points(child(one, "xVal"))
        if not found or _differ(places, found[-1].places) or _differ(across, found[-1].across):
            found.append(_Drawn("", {}, []))
        found[-1].across, found[-1].places = found[-1].across or across, found[-1].places or places
        found[-1].columns += _columns(one, up)
    return found


def _differ(one: object, other: object) -> bool:
    """Whether both are said, and not the same."""
    return bool(one and other) and one != other


def _columns(series: Node, axis: str) -> list[tuple[str, Points]]:
    """What a series measures, and of bubbles how large they are."""
    name = _said(child(series, "tx"))
    measured = f"{name} ({axis})" if name and axis else name or axis
    sizes = _points(child(series, "bubbleSize"))
    values = _points(child(series, "val")) or _points(child(series, "yVal"))
    return [(measured, values), *([(f"{name} (size)".strip(), sizes)] if sizes else [])]


def _title(node: Node | None) -> str:
    """What is written over a chart or along an axis."""
    return _said(child(node, "title", "tx"))


def _said(node: Node | None) -> str:
    """Words written for a name, or those of the cells it stands in."""
    paragraphs = ["".join(text.text or "" for text in _under(one, "t")) for one in _under(node, "p")]
    words = paragraphs or [text.text or "" for text in _under(node, "v")]
    return " ".join(" ".join(words).split())


def _under(node: Node | None, name: str) -> list[Node]:
    return [inner for inner in node.iter() if local(inner) == name] if node is not None else []


def _shown(text: str) -> str:
    """A number in the 15 digits Office works with: 4.4000000000000004 is 4.4."""
    return f"{float(text):.15g}" if _NUMBER.fullmatch(text) else text


def _points(node: Node | None) -> Points:
    """Points of a series; of categories in levels (2023: January, February) each with those above it."""
    levels = [_level(level) for level in _under(node, "lvl")] or [_level(node)]
    points = levels[0]
    for above in levels[1:]:
        over, said = "", {}
        for index in range(max(points, default=-1) + 1):
            over = above.get(index, over)
            said[index] = " / ".join(part for part in (over, points.get(index, "")) if part)
        points = {index: said[index] for index in points}
    return points


def _level(node: Node | None) -> Points:
    return {
        int(attribute(point, "idx") or 0): _shown((inner.text or "").strip())
        for point in _under(node, "pt")
        if (inner := child(point, "v")) is not None and (attribute(point, "idx") or "0").isdigit()
    }
