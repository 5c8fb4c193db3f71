"""Tables without rules: rows of short pieces that keep the same white lanes between them.

Prose makes none: its lines have no lanes, and columns of it are parted before. Two columns are a table only where words
head a column of numbers; else they are left as lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf
from statistics import median

from parsers.pdf_lines import Line, joined_row, pieces_by_row

_LEAST_COLUMNS = 3
"""Of a table without numbers, and of its rows that make it one."""
_LEAST_ROWS = 3
_MOST_ROWS = 500
"""Rows of one page that are looked at together."""
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
_NUMBER = re.compile(r"[-+(\u2212]?[$\u20ac\u00a3]?\s?\d[\d.,\s]*[%\u20ac$\u00a3)]?")
_PAGE = re.compile("page|seite|p\\.|página|pagina|页码?", re.IGNORECASE)
_LEADER = re.compile(r"\.{3,}|(?:\. ){3,}|\u2026")

Row = list[Line]
Span = tuple[float, float]


def lines_and_tables(items: Sequence[Line]) -> list[Line]:
    """Pieces of one column joined to lines, from top to bottom, rows that are a table as one."""
    rows = pieces_by_row(items)
    out: list[Line] = []
    at = 0
    while at < len(rows):
        end, table = _table_at(rows, at)
        out.append(joined_row(rows[at]) if table is None else table)
        at = end
    return out


def _table_at(rows: Sequence[Row], at: int) -> tuple[int, Line | None]:
    """The table that begins with a row, and where it ends; the next row and None without one."""
    end, lanes = _run(rows, at)
    table = _table(rows[at:end], lanes) if end - at >= _LEAST_ROWS else None
    if table is None and len(rows[at]) > 1:
        end, lanes = _run(rows, at + 1)
        near = end > at + _LEAST_ROWS and rows[at + 1][0].baseline - rows[at][0].baseline <= _FAR * rows[at][0].size
        head = _as_head(rows[at], lanes) if near else None
        table = _table([head, *rows[at + 1 : end]], lanes) if head else None
    return (at + 1, None) if table is None else (end, table)


def _as_head(row: Row, lanes: Sequence[Span]) -> Row | None:
    """The row at the columns below it, where it names each of them but is not aligned as they are."""
    if len(row) != len(lanes) or any(line.rows or line.mono for line in row):
        return None
    before, after = [-inf, *(end for _, end in lanes[:-1])], [*(start for start, _ in lanes[1:]), inf]
    if not all(left < line.x0 and line.x1 < right for left, line, right in zip(before, row, after, strict=True)):
        return None
    return [replace(line, x0=start, x1=end) for line, (start, end) in zip(row, lanes, strict=True)]


def _run(rows: Sequence[Row], at: int) -> tuple[int, list[Span]]:
    """Where the rows end that have lanes in common with the row at `at`, and what stands between the lanes. Rows of one
    piece are among them, but for the last."""
    lanes: list[Span] = []
    end = at
    for number in range(at, min(at + _MOST_ROWS, len(rows))):
        row = rows[number]
        if any(line.rows or line.mono for line in row) or (number == at and len(row) < 2):
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
    full = [row for row in rows if len(row) >= min(_LEAST_COLUMNS, len(lanes))]
    if len(lanes) < 2 or len(full) < _LEAST_ROWS:
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
    if len(cells) < _LEAST_ROWS + (not header_rows) or _are_contents(cells, header_rows):
        return None
    if len(lanes) < _LEAST_COLUMNS and not (header_rows and _is_list_of_numbers(cells)):
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


def _is_list_of_numbers(cells: Sequence[tuple[str, ...]]) -> bool:
    """Whether two columns are names and a number of each, without a gap; names that end in ":" are those of a form."""
    return len(cells) > _LEAST_ROWS and all(
        name and not name.endswith(":") and _NUMBER.fullmatch(number) for name, number in cells[1:]
    )


def _are_contents(cells: Sequence[tuple[str, ...]], header_rows: int) -> bool:
    """Whether the rows end in page numbers, as those of a table of contents do."""
    if header_rows and not _PAGE.fullmatch(cells[0][-1].strip()):
        return False
    pages = [int(row[-1]) if row[-1].isdecimal() and len(row[-1]) < 6 else -1 for row in cells[header_rows:]]
    return pages[0] >= 0 and all(before <= after for before, after in pairwise(pages))


def _header_rows(cells: Sequence[tuple[str, ...]], rows: Sequence[Row]) -> int:
    """1 when the first row names every column: bold where the rest is not, or words over numbers."""
    if not all(cells[0]):
        return 0
    if all(line.bold for line in rows[0]) and not all(line.bold for row in rows[1:] for line in row):
        return 1
    return int(not any(map(str.isdigit, "".join(cells[0]))) and any(map(str.isdigit, "".join(map("".join, cells[1:])))))
