"""Lists whose numbers have no dot: told from sentences that begin with a number by how they hang."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from parsers.pdf_lines import Line

HUNG = re.compile(r"^(\d{1,2})\s+(?=\S)")
_ALIGNED = 2.0
"""Points by which the texts of items may differ in where they begin."""
_WIDE = 0.6
"""Sizes of letters between a number and its text from which the gap is more than one between words."""
_LEAST = 2
"""Items of a list."""
_LEAST_FULL = 30
"""Characters of a line that fills its column."""


@dataclass(slots=True)
class _Sequence:
    """Numbers that count up, left of texts which begin at `left`. `members`: numbers of their lines, `hung`: how many
    lines between them begin where the texts do."""

    region: int
    left: float
    first: int
    members: list[int] = field(default_factory=list)
    hung: int = 0

    @property
    def next(self) -> int:
        return self.first + len(self.members)


def with_hung_numbers(lines: Sequence[Line], is_other: Callable[[Line], bool]) -> list[Line]:
    """The lines of a page, in reading order, with `mark` where a number counts the items of a list: two or more that
    count up by one, with nothing between them left of where their texts begin, and either a line that goes on below
    such a text (of a list from 1 that may be missing where the gaps after its numbers are wide). `is_other`: lines that
    are no items by their looks."""
    going: list[_Sequence] = []
    done: list[_Sequence] = []
    for at, line in enumerate(lines):
        number = _number(line) if not is_other(line) else None
        left = line.parting[1] if number is not None else line.x0
        stays = [one for one in going if one.region == line.region and not line.rows and left > one.left - _ALIGNED]
        done += [one for one in going if one not in stays]
        going = stays
        joined = next((one for one in going if abs(left - one.left) <= _ALIGNED), None)
        if number is None:
            if joined is not None:
                joined.hung += 1
            continue
        if joined is None or joined.next != number:
            done += [joined] if joined is not None else []
            going = [one for one in going if one is not joined]
            joined = _Sequence(line.region, left, number)
            going.append(joined)
        joined.members.append(at)
    marked = {at for one in (*done, *going) if _is_list(one, lines) for at in one.members}
    return [replace(line, mark=str(_number(line))) if at in marked else line for at, line in enumerate(lines)]


def _number(line: Line) -> int | None:
    match = HUNG.match(line.text) if line.parting[1] else None
    return int(match.group(1)) if match else None


def _is_list(sequence: _Sequence, lines: Sequence[Line]) -> bool:
    members = [lines[at] for at in sequence.members]
    if len(members) < _LEAST:
        return False
    if sequence.hung:
        return True
    wide = all(line.parting[1] - line.parting[0] >= _WIDE * line.size for line in members)
    return sequence.first == 1 and wide and not _are_numbered_lines(members, lines)


def _are_numbered_lines(members: Sequence[Line], lines: Sequence[Line]) -> bool:
    """Whether numbers count the lines of running text: most of these fill their column."""
    widest = max(line.x1 for line in lines if line.region == members[0].region)
    full = [line for line in members if line.x1 > widest - 2 * line.size and len(line.text) >= _LEAST_FULL]
    return len(full) * 2 > len(members)
