"""What the XML of a sheet says of its cells beside their values: number formats and links."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from parsers.docx_xml import Node, Package, local, whole
from parsers.number_formats import BUILT_IN, as_shown
from parsers.sheet_grid import Cell, box_of

_STYLED = rb'<(?:\w+:)?c\b(?=[^>]*\bs="(%s)")[^>]*\br="([A-Z]{1,3}[0-9]{1,7})"'
_HYPERLINK = re.compile(r"<(?:\w+:)?hyperlink\b[^>]*>")
_ATTRIBUTE = re.compile(r'\b(?P<name>ref|id|location)="(?P<value>[^"]*)"')
_CALLED = re.compile(
    r'<(?:\w+:)?c\b[^>]*?\br="([A-Z]{1,3}[0-9]{1,7})"[^>]*>\s*<(?:\w+:)?f\b[^>]*>'
    r"(?:_xlfn\.)?HYPERLINK\(\s*(?:\"|&quot;)(.{1,2000}?)(?:\"|&quot;)\s*[,)]"
)
_MOST_LINKED = 100_000
"""Cells of one range of links that are looked at."""


def formats_of(package: Package) -> dict[str, str]:
    """Number of a cell's style -> its number format, of formats that show more than digits."""
    root = package.xml("xl/styles.xml")
    if root is None:
        return {}
    codes = BUILT_IN | {whole(n.get("numFmtId"), -1): n.get("formatCode") or "" for n in _all(root, "numFmt")}
    styles = (node for holder in _all(root, "cellXfs") for node in holder if local(node) == "xf")
    named = ((str(at), codes.get(whole(style.get("numFmtId"), -1), "")) for at, style in enumerate(styles))
    return {style: code for style, code in named if code and as_shown(1.0, code) is not None}


def cell_formats(part: bytes, formats: dict[str, str]) -> dict[Cell, str]:
    """Cells of a sheet's XML that have one of these formats."""
    if not formats:
        return {}
    pattern = re.compile(_STYLED % b"|".join(style.encode() for style in formats))
    found = ((box_of(at.decode()), formats[style.decode()]) for style, at in pattern.findall(part))
    return {(box[0], box[1]): code for box, code in found if box}


def cell_links(package: Package, part_name: str, part: bytes) -> dict[Cell, str]:
    """Where the links of a sheet's cells lead; not those within the workbook."""
    if b"yperlink" not in part and b"HYPERLINK" not in part:
        return {}
    text = part.decode("utf-8", "replace")
    targets = package.relations(part_name)
    found: dict[Cell, str] = {}
    for tag in _HYPERLINK.findall(text):
        said = {match["name"]: html.unescape(match["value"]) for match in _ATTRIBUTE.finditer(tag)}
        target = targets.get(said.get("id", ""), ("", ""))[1]
        box = box_of(said.get("ref", ""))
        if target and box and (box[2] - box[0] + 1) * (box[3] - box[1] + 1) <= _MOST_LINKED:
            anchor = f"#{said['location']}" if said.get("location") and "#" not in target else ""
            found |= {
                (row, column): target + anchor
                for row in range(box[0], box[2] + 1)
                for column in range(box[1], box[3] + 1)
            }
    for at, target in _CALLED.findall(text):
        if (box := box_of(at)) and target[:1] != "#":
            found[box[0], box[1]] = html.unescape(target)
    return found


def _all(root: Node, name: str) -> Iterator[Node]:
    return (node for node in root.iter() if local(node) == name)
