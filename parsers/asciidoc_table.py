"""Tables of AsciiDoc: cells that start at `|`, with their spans, until the row is full."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

from kprep.core.errors import TooLarge
from parsers.asciidoc_inline import inline

_SPEC = r"(?:(?:(\d+)\*|(\d+)?(?:\.(\d+))?\+)?[<^>]?(?:\.[<^>])?[adehlmsv]?)"
_CELL = re.compile(rf"(?:(?<=\s)|^){_SPEC}(?<!\\)\|", re.MULTILINE)
_BARE = re.compile(r"(?<!\\)\|")
_COLUMN = re.compile(r"(?:(\d+)\*)?")
_WIDEST = 500
MAX_REPEATED = 200_000
"""Cells of one table that its source does not write out, but repeats or merges."""

Rows = tuple[tuple[str, ...], ...]


def table_rows(lines: Sequence[str], attributes: str) -> tuple[Rows, int]:
    """Rows of equal length and how many are header. `attributes`: what stands in brackets above the table.

    Raises: TooLarge, before a repeated cell is written out."""
    if re.search(r"format=\"?(csv|tsv|dsv)", attributes) or "%csv" in attributes:
        rows = list(csv.reader([line for line in lines if line.strip()]))
        return _squared([[inline(cell)[0] for cell in row] for row in rows]), int("header" in attributes)
    cells = _cells(lines)
    repeated = sum(times * columns - 1 for _, times, columns, _, _ in cells)
    if repeated > MAX_REPEATED:
        raise TooLarge(f"a table repeats {repeated} cells, at most {MAX_REPEATED} are read: split it", cells=repeated)
    width = _columns(attributes) or _first_row(lines)
    rows, covered = _placed(cells, min(max(width, 1), _WIDEST))
    blank_after_first = any(line.strip() for line in lines) and _blank_after_first(lines)
    heads = all(style == "h" for style in covered[: max(width, 1)]) if covered else False
    header = "header" in attributes or (blank_after_first and "noheader" not in attributes) or heads
    return _squared(rows), int(header and len(rows) > 1)


def _cells(lines: Sequence[str]) -> list[tuple[str, int, int, int, str]]:
    """(text, times, columns, rows, style) of each cell in order."""
    found: list[tuple[str, int, int, int, str]] = []
    for line in lines:
        at = 0
        starts = list(_CELL.finditer(line))
        bare = {match.end() for match in _BARE.finditer(line)}
        marks = sorted({**dict.fromkeys(bare), **{match.end(): match for match in starts}}.items())
        for number, (end, match) in enumerate(marks):
            before = line[at : match.start() if match else end - 1]
            if before.strip() and found:
                found[-1] = (f"{found[-1][0]}\n{before.strip()}".strip(), *found[-1][1:])
            following = marks[number + 1] if number + 1 < len(marks) else None
            stop = len(line) if following is None else (following[1].start() if following[1] else following[0] - 1)
            text = inline(line[end:stop].strip().replace("\\|", "|"))[0]
            times, columns, rows = (int(match.group(g) or 1) if match else 1 for g in (1, 2, 3))
            style = line[match.start() : match.end() - 1][-1:] if match else ""
            found.append((text, min(times, _WIDEST), min(columns, _WIDEST), min(rows, _WIDEST), style))
            at = stop
        if not marks and line.strip() and found:
            found[-1] = (f"{found[-1][0]}\n{inline(line.strip())[0]}".strip(), *found[-1][1:])
    return found


def _columns(attributes: str) -> int:
    """Number of columns that `cols=` names, 0 without."""
    match = re.search(r"cols=(?:\"([^\"]*)\"|(\d+\*?|[^\s,\]]+))", attributes)
    if not match:
        return 0
    said = (match.group(1) or match.group(2) or "").replace(";", ",")
    total = 0
    for part in said.split(","):
        times = re.match(r"\s*(\d+)\*", part)
        total += int(times.group(1)) if times else 1
    return total


def _first_row(lines: Sequence[str]) -> int:
    first = next((line for line in lines if line.strip()), "")
    return sum(columns * times for _, times, columns, _, _ in _cells([first])) or 1


def _blank_after_first(lines: Sequence[str]) -> bool:
    filled = [at for at, line in enumerate(lines) if line.strip()]
    return len(filled) > 1 and filled[0] == 0 and filled[1] > 1


def _placed(cells: Sequence[tuple[str, int, int, int, str]], width: int) -> tuple[list[list[str]], list[str]]:
    """Rows of `width` columns; a merged cell's text stands once. And the styles of the cells in order."""
    rows: list[list[str]] = [[]]
    taken: dict[tuple[int, int], bool] = {}
    styles: list[str] = []
    for text, times, columns, tall, style in cells:
        for _ in range(times):
            _skip_taken(rows, taken, width)
            for offset in range(columns):
                at = len(rows[-1])
                rows[-1].append(text if offset == 0 else "")
                taken.update({(len(rows) - 1 + below, at): True for below in range(1, tall)})
            styles.append(style)
    return [row for row in rows if any(row)], styles


def _skip_taken(rows: list[list[str]], taken: dict[tuple[int, int], bool], width: int) -> None:
    """Go to the next free place, over cells that a cell above covers."""
    while True:
        if len(rows[-1]) >= width:
            rows.append([])
        if not taken.pop((len(rows) - 1, len(rows[-1])), False):
            return
        rows[-1].append("")


def _squared(rows: Sequence[Sequence[str]]) -> Rows:
    width = max(map(len, rows), default=0)
    return tuple((*row, *[""] * (width - len(row))) for row in rows)
