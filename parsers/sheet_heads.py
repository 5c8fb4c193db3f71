"""Which first rows of a table of a sheet are its header: titles, names in levels, units, years."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from parsers.merged_cells import Span
from parsers.records import has_header, is_number

MOST_TITLES = 3
_MOST_LEVELS = 3
_LONGEST_TITLE = 120
_YEAR = re.compile(r"(?:19|20)\d\d$")
_UNIT = re.compile(r"(?:\(.{1,20}\)|\[.{1,20}\]|%)$")

Rows = Sequence[Sequence[str]]


def header_rows(rows: Rows, spans: Sequence[Span], *, has_gaps: bool = False) -> int:
    """How many of the first rows are header, with the titles right above it; 0 where no row names the columns.
    `spans`: the merged cells; `rows` have the words of one in its first place. `has_gaps`: no cell begins in a column
    between these: such is a form, labels with values beside them, unless a number stands below a name, and one column
    of values apart from that of their labels always."""
    titles = 0
    while titles < min(MOST_TITLES, len(rows) - 2) and _is_title(rows[titles]):
        titles += 1
    end = titles + 1
    while end < min(titles + _MOST_LEVELS, len(rows) - 1) and _goes_on(rows, spans, titles, end):
        end += 1
    if end >= len(rows) or (has_gaps and (not any(map(is_number, rows[end])) or (len(rows[0]) == 2 and not spans))):
        return 0
    return end if _name_columns(_names(rows[titles:end]), rows[end]) else 0


def _is_title(row: Sequence[str]) -> bool:
    """One cell at the beginning of a row of several."""
    return len(row) > 1 and 0 < len(row[0]) <= _LONGEST_TITLE and not any(row[1:])


def _goes_on(rows: Rows, spans: Sequence[Span], first: int, row: int) -> bool:
    """Whether a row is another level of the header that begins with row `first`: a cell of it reaches down to there,
    it says the units, or it names what lies under names of groups."""
    if any(first <= top < row < top + tall <= first + _MOST_LEVELS for top, _, tall, _ in spans):
        return True
    said = [cell for cell in rows[row] if cell]
    if not said or any(is_number(cell) and not _YEAR.match(cell) for cell in said):
        return False
    if all(map(_UNIT.match, said)):
        return True
    above = rows[row - 1]
    groups = any(top == row - 1 and 1 < wide < len(above) for top, _, _, wide in spans)
    parted = not rows[row][0] and any(cell and not over for cell, over in zip(rows[row], above, strict=True))
    return (groups and not rows[row][0]) or ((groups or parted) and any(map(is_number, rows[row + 1])))


def _names(levels: Rows) -> list[str]:
    """Name of each column through all levels; one of an upper level goes on to the right until the next."""
    names = [""] * len(levels[0])
    for level, row in enumerate(levels):
        group = ""
        for column, cell in enumerate(row):
            group = cell or (group if level < len(levels) - 1 else "")
            names[column] = f"{names[column]} {group}".strip()
    return names


def _name_columns(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether the first row names the columns; a column or two may be without a name."""
    named = [(name, value) for name, value in zip(first, second, strict=True) if name]
    if len(named) < 2 or len(named) * 2 <= len(first):
        return False
    if _are_years([name for name, _ in named], [value for _, value in named]):
        return True
    return has_header([name for name, _ in named], [value for _, value in named])


def _are_years(names: Sequence[str], values: Sequence[str]) -> bool:
    """Whether words and then years one after the other stand over other numbers."""
    years = [int(name) for name in names if _YEAR.match(name)]
    words = [name for name in names if not is_number(name)]
    steps = {later - earlier for earlier, later in pairwise(years)}
    below = [value for name, value in zip(names, values, strict=True) if _YEAR.match(name)]
    return (
        len(years) > 1
        and len(years) + len(words) == len(names)
        and len(steps) == 1
        and abs(next(iter(steps))) in range(1, 11)
        and not all(map(_YEAR.match, below))
    )
