"""Ruled tables of a PDF: the grid by pdfplumber from the rules PDFium finds, the words by our own glyphs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from parsers.pdf_geometry import Box
from parsers.pdf_glyphs import Glyph
from parsers.pdf_lines import Line, inside, pieces, rows_of
from parsers.pdf_paint import Paint

_TOLERANCE = 3.0
"""Points by which rules may miss one another."""


def find_tables(paint: Paint, glyphs: Sequence[Glyph]) -> list[tuple[Line, Box]]:
    """Tables of a page as lines with rows, and their boxes, from top to bottom. Glyphs must be upright as seen. A grid
    of one row or column, or mostly empty, is a frame or a drawing, not a table."""
    found = []
    for grid in _grids(paint.rules) if paint.rules else ():
        box = grid.bbox
        visible = [glyph for glyph in glyphs if not glyph.hidden and inside(box, *_centre(glyph))]
        table = _read(grid, visible)
        if table is not None:
            found.append((table, box))
    return sorted(found, key=lambda item: item[1][1])


def _grids(rules: Sequence[Box]) -> list[Any]:
    """Grids the rules make; those whose rules run on beyond the outermost upright ones (open sides) with sides drawn
    in."""
    grids = _joined(rules)
    sides: set[float] = set()
    for grid in grids:
        x0, top, x1, bottom = grid.bbox
        level = [r for r in rules if r[1] == r[3] and top - 1 <= r[1] <= bottom + 1 and r[0] < x1 and r[2] > x0]
        if len(level) < 3:
            continue
        left, right = min(r[0] for r in level), max(r[2] for r in level)
        sides.update(side for side, edge in ((left, x0), (right, x1)) if abs(side - edge) > 8)
    if not sides:
        return grids
    top, bottom = min(r[1] for r in rules), max(r[3] for r in rules)
    return _joined([*rules, *((side, top, side, bottom) for side in sides)])


def _joined(rules: Iterable[Box]) -> list[Any]:
    """Grids of rules, each a pdfplumber table (`rows` of cell boxes, `bbox`)."""
    from pdfplumber import table
    from pdfplumber.utils.geometry import filter_edges

    edges = [_edge(*rule) for rule in rules]
    merged = filter_edges(table.merge_edges(edges, *[_TOLERANCE] * 4), min_length=_TOLERANCE)
    cells = table.intersections_to_cells(table.edges_to_intersections(merged, _TOLERANCE, _TOLERANCE))
    page: Any = None  # the grid's own words, which are not asked for, would need it
    return [table.Table(page, group) for group in table.cells_to_tables(cells)]


def _edge(x0: float, top: float, x1: float, bottom: float) -> dict[str, Any]:
    """A rule as pdfplumber names it."""
    return {
        "x0": x0, "x1": x1, "top": top, "bottom": bottom, "width": x1 - x0, "height": bottom - top,
        "orientation": "h" if top == bottom else "v", "object_type": "line",
    }  # fmt: skip


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
