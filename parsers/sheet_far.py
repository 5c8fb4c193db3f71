"""Sheets of Excel whose cells lie far apart, drawn together so that the rectangle around them can be held."""

from __future__ import annotations

import io
import re
import zipfile
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass

from kprep.core.errors import TooLarge
from parsers.docx_xml import Package
from parsers.sheet_grid import MAX_SPREAD, Cell, box_of, cell_range

_REFERENCE = re.compile(rb'<(?:\w+:)?c\b[^>]*?\br="([A-Z]{1,3})([0-9]{1,7})"')
_CELL = re.compile(
    rb"<(?P<prefix>(?:\w+:)?)c\b(?P<said>[^>]*?)(?:/>|>(?P<inside>.*?)</(?P=prefix)c>)",
    re.DOTALL,
)
_FILLED = re.compile(rb"<(?:\w+:)?(?:v\b[^>]*>\s*[^<\s]|is\b|f\b)")
_AT = re.compile(rb'\br="([A-Z]{1,3}[0-9]{1,7})"')
_DATA = re.compile(rb"(<(?:\w+:)?sheetData\b[^>]*>)(.*)(</(?:\w+:)?sheetData>)", re.DOTALL)
_DIMENSION = re.compile(rb"<(?:\w+:)?dimension\b[^>]*/>")
_LAST_ROW, _LAST_COLUMN = 1_048_575, 16_383


@dataclass(slots=True)
class Drawn:
    """A sheet's XML (`part`) with its filled cells side by side. `rows`, `columns`: where each row and column of it
    stands in the sheet, in order."""

    rows: list[int]
    columns: list[int]
    part: bytes = b""

    def at(self, row: int, column: int) -> Cell | None:
        """Where a cell of the sheet is drawn; None for one that holds nothing."""
        places = bisect_left(self.rows, row), bisect_left(self.columns, column)
        is_there = self.rows[places[0] : places[0] + 1] == [row] and self.columns[places[1] : places[1] + 1] == [column]
        return places if is_there else None


def drawn_together(part: bytes, where: str) -> Drawn | None:
    """The sheet without rows, columns and cells that hold nothing; None where the rectangle around its cells can be
    held as it is. Raises: TooLarge when that of the filled rows and columns cannot."""
    found = _REFERENCE.findall(part)
    rows = max(map(int, {row for _, row in found}), default=0)
    columns = max((box[1] + 1 for column, _ in found if (box := box_of(f"{column.decode()}1"))), default=0)
    if rows * columns <= MAX_SPREAD:
        return None
    filled = [(_place(match), match) for match in _CELL.finditer(part) if _FILLED.search(match["inside"] or b"")]
    cells = [(place, match) for place, match in filled if place is not None]
    drawn = Drawn(sorted({row for (row, _), _ in cells}), sorted({column for (_, column), _ in cells}))
    if len(cells) < len(filled) or len(drawn.rows) * len(drawn.columns) > MAX_SPREAD:
        raise TooLarge(f"{where} spreads over {rows} rows and {columns} columns", rows=rows, columns=columns)
    lines: dict[int, list[bytes]] = {row: [] for row in drawn.rows}
    for (row, column), match in cells:
        at = drawn.at(row, column)
        assert at is not None
        written, (start, end) = match[0], (match.start("said") - match.start(), match.end("said") - match.start())
        said = _AT.sub(f'r="{cell_range((*at, *at))}"'.encode(), match["said"], count=1)
        lines[row].append(written[:start] + said + written[end:])
    prefix = cells[0][1]["prefix"] if cells else b""
    body = b"".join(b"<%srow>%s</%srow>" % (prefix, b"".join(line), prefix) for line in lines.values())
    data = _DATA.search(part)
    before, after = (part[: data.end(1)], part[data.start(3) :]) if data else (part, b"")
    drawn.part = _DIMENSION.sub(b"", before) + body + after
    return drawn


def with_parts(package: Package, parts: Mapping[str, bytes]) -> bytes:
    """The file again with these parts in place of its own. Raises: CorruptDocument."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as copy:
        for name in package.names():
            copy.writestr(name, parts[name] if name in parts else package.bytes(name))
    return out.getvalue()


def _place(match: re.Match[bytes]) -> Cell | None:
    """Row and column of a cell, None where it names none, or one that no sheet has."""
    at = _AT.search(match["said"])
    box = box_of(at.group(1).decode()) if at else None
    return box[:2] if box and box[0] <= _LAST_ROW and box[1] <= _LAST_COLUMN else None
