"""Drawn tables of reStructuredText: the grid of `+---+` and the columns of `=== ===`, by the width that signs show."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from unicodedata import combining, east_asian_width

_GRID_LINE = re.compile(r"\+(?:[-=]+\+)+$")
_GRID_RULE = re.compile(r"\+(?:[-=]+\+)+")
_SIMPLE_LINE = re.compile(r"=+(?:[ \t]+=+)+$")
_SPAN_LINE = re.compile(r"-+(?:[ \t]+-+)*$")
_RULE = re.compile(r"[=-]+")

Rows = tuple[tuple[str, ...], ...]


def is_grid(line: str) -> bool:
    """A line that opens a grid table."""
    return bool(_GRID_LINE.match(line.rstrip()))


def is_simple(line: str) -> bool:
    """A line that opens a simple table."""
    return bool(_SIMPLE_LINE.match(line.rstrip()))


def simple_length(lines: Sequence[str]) -> int:
    """How many lines a simple table takes: to its last rule, which a blank line or the end follows."""
    rules = 1
    for at in range(1, len(lines)):
        if is_simple(lines[at]):
            rules += 1
            ends = at + 1 == len(lines) or not lines[at + 1].strip()
            if ends and rules >= 2:
                return at + 1
    return 0


def grid_rows(lines: Sequence[str]) -> tuple[Rows, int]:
    """Cells by the columns of all rules, and how many rows are header (above a rule of `=`).

    A cell over several rows has its words in the first of them, one over several columns in the first of these. A line
    that does not end at its border goes by its bars, where each column has one; a table with words beyond its border
    has no rows."""
    rules = [match for line in lines for match in _GRID_RULE.finditer(line)]
    cuts = sorted({match.start() + at for match in rules for at, sign in enumerate(match.group()) if sign == "+"})
    rows: list[list[list[str]]] = []
    header_rows = 0
    open_cells: list[list[str]] = [[] for _ in cuts[1:]]
    for line in lines:
        segments = list(_segments(line, cuts))
        if not segments:
            return (), 0
        if _GRID_RULE.search(line):
            rows.append([[] for _ in cuts[1:]])
            for first, last, said in segments:
                if not said.strip("-=+"):
                    open_cells[first:last] = rows[-1][first:last]
            header_rows = len(rows) - 1 if "=" in line and _GRID_LINE.match(line.rstrip()) else header_rows
        for first, _, said in segments:
            if said.strip("-=+") and (text := said.strip(" |")):
                open_cells[first].append(text)
    return tuple(tuple("\n".join(cell) for cell in row) for row in rows if any(row)), header_rows


def _segments(line: str, cuts: Sequence[int]) -> Iterator[tuple[int, int, str]]:
    """(first column, the one after the last, what stands there) between the upright lines; nothing for a line with
    words beyond the last of them."""
    signs = _shown(line.rstrip())
    if signs[cuts[-1] :] not in (["|"], ["+"]):
        cells = line.rstrip().removesuffix("|")[1:].split("|")
        if len(cells) == len(cuts) - 1:
            yield from ((at, at + 1, said) for at, said in enumerate(cells))
            return
        if signs[cuts[-1] :]:
            return
    at = 0
    while at < len(cuts) - 1:
        end = at + 1
        while end < len(cuts) - 1 and signs[cuts[end] : cuts[end] + 1] not in (["|"], ["+"]):
            end += 1
        yield at, end, "".join(signs[cuts[at] + 1 : cuts[end]])
        at = end


def simple_rows(lines: Sequence[str]) -> tuple[Rows, int]:
    """Cells by the columns of the first rule; a line with an empty first cell goes on the row above.

    Columns that the rule below a line has as one are one, and so are two with a word across the gap between them."""
    starts = _starts(lines[0])
    rows: list[list[str]] = []
    header_rows = rules = 0
    for at, line in enumerate(lines[1:], start=1):
        if is_simple(line):
            rules += 1
            header_rows = len(rows) if rules == 1 else header_rows
            continue
        if not line.strip() or _is_span(line):
            continue
        below = lines[at + 1] if at + 1 < len(lines) else ""
        parted = _starts(below) if is_simple(below) or _is_span(below) else starts
        cells = _cells(_shown(line.rstrip()), starts, parted)
        if rows and not cells[0] and any(cells):
            rows[-1] = [f"{old}\n{new}".strip() for old, new in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(cells)
    return tuple(tuple(row) for row in rows), header_rows if rules > 1 else 0


def _cells(signs: Sequence[str], starts: Sequence[int], parted: Sequence[int]) -> list[str]:
    """A line of a simple table by column; the words of merged ones in the first of them."""
    own = [
        start for start in starts if start == 0 or (start in parted and not "".join(signs[start - 1 : start]).strip())
    ]
    ends = dict(zip(own, [*own[1:], len(signs)], strict=True))
    return ["".join(signs[start : ends[start]]).strip() if start in ends else "" for start in starts]


def _is_span(line: str) -> bool:
    return len(line.strip()) > 3 and bool(_SPAN_LINE.match(line.strip()))


def _starts(rule: str) -> list[int]:
    return [match.start() for match in _RULE.finditer(rule)]


def _shown(line: str) -> list[str]:
    """What stands in each column of a line: a wide sign and then "", a mark on a sign together with it."""
    if line.isascii():
        return list(line)
    signs: list[str] = []
    for sign in line:
        if combining(sign) and signs:
            signs[-1] += sign
        else:
            signs += (sign, "") if east_asian_width(sign) in "WF" else (sign,)
    return signs
