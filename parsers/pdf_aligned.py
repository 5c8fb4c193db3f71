"""Tables without rules: rows of short pieces that keep the same white lanes between them, three columns or more.

Prose makes none: its lines have no lanes, columns of it are parted before, and two of anything are left as lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from parsers.pdf_lines import Line, joined_row, pieces_by_row

_LEAST_COLUMNS = 3
_LEAST_ROWS = 3
_FAR = 3.2
"""Sizes of letters between two base lines from which a table has ended."""
_TIGHT = 1.4
"""Sizes of letters between the base lines of one cell."""
_NEARER = 0.85
"""Share of the usual distance of rows under which a line belongs to the row above."""
_ALIGNED = 2.5
"""Points by which edges of one column may differ."""
_LEAST_ALIGNED = 0.7
_LEAST_FILLED = 0.6
_LEADER = re.compile(r"\.{3,}|(?:\. ){3,}|\u2026")

Row = list[Line]
Span = tuple[float, float]


def lines_and_tables(items: Sequence[Line]) -> list[Line]:
    """Pieces of one column joined to lines, from top to bottom, rows that are a table as one."""
    rows = pieces_by_row(items)
    out: list[Line] = []
    at = 0
    while at < len(rows):
        end, lanes = _run(rows, at)
        table = _table(rows[at:end], lanes) if end - at >= _LEAST_ROWS else None
        if table is not None:
            out.append(table)
            at = end
        else:
            out.append(joined_row(rows[at]))
            at += 1
    return out


def _run(rows: Sequence[Row], at: int) -> tuple[int, list[Span]]:
    """Where the rows end that have lanes in common with the row at `at`, and what stands between the lanes. Rows of one
    piece are among them, but for the last."""
    lanes: list[Span] = []
    end = at
    for number in range(at, len(rows)):
        row = rows[number]
        if any(line.rows or line.mono for line in row) or (number == at and len(row) < _LEAST_COLUMNS):
            break
        gap = row[0].baseline - rows[number - 1][0].baseline
        if number > at and not 0 < gap <= _FAR * row[0].size:
            break
        met = _meeting(lanes, row)
        if met is None:
            break
        lanes = met
        if len(row) > 1 or (lanes and row[0].x0 > lanes[0][1] and gap <= _TIGHT * row[0].size):
            end = number + 1
    return end, lanes


def _meeting(lanes: list[Span], row: Row) -> list[Span] | None:
    """The spans between the lanes, widened by a row's pieces; None where a piece lies over two of them, or where two
    pieces share one."""
    taken: set[int] = set()
    for line in row:
        over = [n for n, (start, end) in enumerate(lanes) if line.x0 < end and start < line.x1]
        if len(over) > 1 or (over and over[0] in taken):
            return None
        if over:
            start, end = lanes[over[0]]
            lanes = [*lanes[: over[0]], (min(start, line.x0), max(end, line.x1)), *lanes[over[0] + 1 :]]
            taken.add(over[0])
        else:
            place = sum(start < line.x0 for start, _ in lanes)
            lanes = [*lanes[:place], (line.x0, line.x1), *lanes[place:]]
            taken = {n + (n >= place) for n in taken} | {place}
    apart = all(before[1] + 1 < after[0] for before, after in pairwise(lanes))
    return lanes if apart else None


def _table(rows: Sequence[Row], lanes: Sequence[Span]) -> Line | None:
    """The rows as a table; None where they are none."""
    full = [row for row in rows if len(row) >= _LEAST_COLUMNS]
    if len(lanes) < _LEAST_COLUMNS or len(full) < _LEAST_ROWS:
        return None
    if sum(any(_LEADER.search(line.text) for line in row) for row in rows) * 2 > len(rows):
        return None
    edges = [_edge([line for row in rows for line in row if start <= line.x0 < end]) for start, end in lanes]
    cells = _cells(rows, lanes)
    filled = sum(map(bool, (cell for row in cells for cell in row)))
    known = [edge for edge in edges if edge is not None]
    if len(known) < len(edges) or filled < _LEAST_FILLED * len(cells) * len(lanes):
        return None
    header_rows = _header_rows(cells, rows)
    if len(cells) < _LEAST_ROWS + (not header_rows) or (not header_rows and _are_contents(cells)):
        return None
    pieces = [line for row in rows for line in row]
    return Line(
        text=cells[0][0] or "table",
        x0=min(line.x0 for line in pieces),
        top=min(line.top for line in pieces),
        x1=max(line.x1 for line in pieces),
        bottom=max(line.bottom for line in pieces),
        baseline=rows[0][0].baseline,
        size=median(line.size for line in pieces),
        rows=tuple(cells),
        columns=tuple(known),
        header_rows=header_rows,
    )


def _edge(column: Sequence[Line]) -> float | None:
    """Where the pieces of a column are aligned: at the left, the right or the middle; None where they are not."""
    for place in (
        [line.x0 for line in column],
        [line.x1 for line in column],
        [(line.x0 + line.x1) / 2 for line in column],
    ):
        usual = median(place)
        if sum(abs(x - usual) <= _ALIGNED for x in place) >= _LEAST_ALIGNED * len(place):
            return usual
    return None


def _cells(rows: Sequence[Row], lanes: Sequence[Span]) -> list[tuple[str, ...]]:
    """Texts by column; a row close below another that goes on with its cells is part of it."""
    gaps = [row[0].baseline - before[0].baseline for before, row in pairwise(rows) if row[0].x0 < lanes[0][1]]
    usual = median(gaps) if gaps else 0.0
    out: list[list[str]] = []
    last: Line | None = None
    for row in rows:
        cells = ["" for _ in lanes]
        for line in row:
            at = next(n for n, (start, end) in enumerate(lanes) if start <= line.x0 < end)
            cells[at] = line.text
        if last is not None and not cells[0] and _goes_on(row, row[0].baseline - last.baseline, usual):
            out[-1] = ["\n".join(filter(None, pair)) for pair in zip(out[-1], cells, strict=True)]
        else:
            out.append(cells)
        last = row[0]
    return [tuple(row) for row in out]


def _goes_on(row: Row, gap: float, usual: float) -> bool:
    """Whether a row without a first cell is the next line of the cells above: nearer than rows are, or lower case."""
    is_tight = gap <= _TIGHT * row[0].size
    return is_tight and (gap < _NEARER * usual or all(line.text[:1].islower() for line in row))


def _are_contents(cells: Sequence[tuple[str, ...]]) -> bool:
    """Whether the rows end in page numbers, as those of a table of contents do."""
    pages = [int(row[-1]) if row[-1].isdecimal() and len(row[-1]) < 6 else -1 for row in cells]
    return pages[0] >= 0 and all(before <= after for before, after in pairwise(pages))


def _header_rows(cells: Sequence[tuple[str, ...]], rows: Sequence[Row]) -> int:
    """1 when the first row names every column: bold where the rest is not, or words over numbers."""
    if not all(cells[0]):
        return 0
    if all(line.bold for line in rows[0]) and not all(line.bold for row in rows[1:] for line in row):
        return 1
    return int(not any(map(str.isdigit, "".join(cells[0]))) and any(map(str.isdigit, "".join(map("".join, cells[1:])))))
