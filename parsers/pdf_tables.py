"""Ruled tables of a PDF: the grid by pdfplumber, the words by our own glyphs. Tables without rules stay lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from parsers.pdf_glyphs import Box, Glyph, Paint
from parsers.pdf_lines import Line, inside, pieces, rows_of

_FEWEST_PATHS = 3
_MOST_PATHS = 3000


class TableReader:
    """Finds tables page by page; opens the file with pdfplumber at the first page that has rules."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._file: Any = None

    def tables(self, number: int, paint: Paint, glyphs: Sequence[Glyph]) -> list[tuple[Line, Box]]:
        """Tables of the page (number from 0) as lines with rows, and their boxes, from top to bottom. Glyphs must be
        upright as seen. A grid of one row or column, or mostly empty, is a frame or a drawing, not a table."""
        if not _FEWEST_PATHS <= paint.paths <= _MOST_PATHS:
            return []
        found = []
        for grid in self._grids(number):
            visible = [glyph for glyph in glyphs if not glyph.hidden and inside(grid.bbox, *_centre(glyph))]
            table = _read(grid, visible)
            if table is not None:
                found.append((table, grid.bbox))
        return sorted(found, key=lambda item: item[1][1])

    def _grids(self, number: int) -> list[Any]:
        """Grids of a page. What pdfplumber cannot open has no tables: the words are there all the same, as lines."""
        import io

        import pdfplumber

        try:
            if self._file is None:
                self._file = pdfplumber.open(io.BytesIO(self._content))
            page = self._file.pages[number]
            grids = _with_open_sides(page, list(page.find_tables()))
            page.close()
        except Exception:  # noqa: BLE001 - pdfminer raises nearly anything on damaged pages
            return []
        return grids

    def close(self) -> None:
        """Give the file back, without visiting its pages again: damaged ones would raise."""
        if self._file is not None:
            self._file.stream.close()


def _with_open_sides(page: Any, grids: list[Any]) -> list[Any]:
    """Tables whose rules run on beyond the outermost vertical ones (open sides): found again with sides drawn in."""
    sides: set[float] = set()
    for grid in grids:
        x0, top, x1, bottom = grid.bbox
        rules = [
            e for e in page.horizontal_edges if top - 1 <= e["top"] <= bottom + 1 and e["x0"] < x1 and e["x1"] > x0
        ]
        if len(rules) < 3:
            continue
        left, right = min(e["x0"] for e in rules), max(e["x1"] for e in rules)
        sides.update(side for side, edge in ((left, x0), (right, x1)) if abs(side - edge) > 8)
    if not sides:
        return grids
    return list(page.find_tables({"explicit_vertical_lines": sorted(sides)}))


def _centre(glyph: Glyph) -> tuple[float, float]:
    return (glyph.x0 + glyph.x1) / 2, (glyph.top + glyph.bottom) / 2


def _read(grid: Any, glyphs: list[Glyph]) -> Line | None:
    rows = [tuple(_cell_text(cell, glyphs) if cell is not None else "" for cell in row.cells) for row in grid.rows]
    filled = [row for row in rows if any(row)]
    if len(filled) < 2 or max(len(row) for row in filled) < 2 or _mostly_empty(filled):
        return None
    x0, top, x1, bottom = grid.bbox
    columns = tuple(round(cell[0], 0) for cell in grid.rows[0].cells if cell is not None)
    return Line(
        text=filled[0][0] or "table",
        x0=x0,
        top=top,
        x1=x1,
        bottom=bottom,
        baseline=top,
        size=10.0,
        rows=tuple(filled),
        columns=columns,
        header_rows=_header_rows(filled, glyphs, grid),
    )


def _mostly_empty(rows: list[tuple[str, ...]]) -> bool:
    cells = [cell for row in rows for cell in row]
    filled_columns = sum(any(row[i] for row in rows if i < len(row)) for i in range(max(map(len, rows))))
    return filled_columns < 2 or sum(map(bool, cells)) < 0.25 * len(cells)


def _header_rows(rows: list[tuple[str, ...]], glyphs: list[Glyph], grid: Any) -> int:
    """1 when the first row names every column: bold where the rest is not, or words over numbers."""
    if not all(rows[0]):
        return 0
    first = grid.rows[0].bbox
    inked = [glyph for glyph in glyphs if not glyph.text.isspace()]
    head = [glyph.bold for glyph in inked if inside(first, *_centre(glyph))]
    rest = [glyph.bold for glyph in inked if not inside(first, *_centre(glyph))]
    if head and all(head) and not all(rest):
        return 1
    return int(not any(any(letter.isdigit() for letter in cell) for cell in rows[0]))


def _cell_text(cell: Box, glyphs: list[Glyph]) -> str:
    here = [glyph for glyph in glyphs if inside(cell, *_centre(glyph))]
    return "\n".join(line.text for line in rows_of(pieces(here)))
