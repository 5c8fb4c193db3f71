"""Lists whose marks hang left of their texts: numbers and letters without a dot are told from words that begin a
sentence by that, and where the last item ends."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from parsers.pdf_lines import Line

HUNG = re.compile(r"^(\d{1,2}|[a-zA-Z]|[ivx]{2,5}|[IVX]{2,5})\s+(?=\S)")
_ROMAN = {"i": 1, "v": 5, "x": 10}
_ALIGNED = 2.0
"""Points by which the texts of items may differ in where they begin."""
_WIDE = 0.6
"""Sizes of letters between a mark and its text from which the gap is more than one between words."""
_LEAST = 2
"""Items of a list."""
_LEAST_FULL = 30
"""Characters of a line that fills its column."""
_MARKED = "marked"
"""Kind of sequences of bullets, and of numbers with a dot, whatever they count."""


@dataclass(slots=True)
class _Sequence:
    """Marks of one kind that count up, left of texts which begin at `left`. `members`: numbers of their lines, `hung`:
    how many lines between them begin where the texts do."""

    region: int
    left: float
    kind: str
    first: int
    members: list[int] = field(default_factory=list)
    hung: int = 0

    def goes_on(self, readings: dict[str, int]) -> bool:
        """Whether a mark is the next one."""
        return self.kind in readings and readings[self.kind] in {0, self.first + len(self.members)}


def with_hung_marks(lines: Sequence[Line], is_other: Callable[[Line], bool]) -> list[Line]:
    """The lines of a page, in reading order, with `mark` where a number or letter counts the items of a list, and
    `hangs` where it or another mark hangs left of them: two or more that count up by one, with nothing between them
    left of where their texts begin, and a line that goes on below such a text. That may be missing where the gaps after
    the marks are wide and the list begins with the first of its kind. `is_other`: lines that are no items by their
    looks."""
    going: list[_Sequence] = []
    done: list[_Sequence] = []
    for at, line in enumerate(lines):
        readings = _readings(line) if line.parting[1] and not is_other(line) else {}
        left = line.parting[1] if readings else line.x0
        stays = [one for one in going if one.region == line.region and not line.rows and left > one.left - _ALIGNED]
        done += [one for one in going if one not in stays]
        going = stays
        beside = next((one for one in going if abs(left - one.left) <= _ALIGNED), None)
        if not readings:
            if beside is not None:
                beside.hung += 1
            continue
        if beside is None or not beside.goes_on(readings):
            done += [beside] if beside is not None else []
            going = [one for one in going if one is not beside]
            kind, first = min(readings.items(), key=lambda reading: reading[1])
            beside = _Sequence(line.region, left, kind, first)
            going.append(beside)
        beside.members.append(at)
    out = list(lines)
    for sequence in (one for one in (*done, *going) if _is_list(one, lines)):
        for at in sequence.members:
            mark = HUNG.match(lines[at].text) if sequence.kind != _MARKED else None
            out[at] = replace(lines[at], mark=mark.group(1) if mark else "", hangs=True)
    return out


def _readings(line: Line) -> dict[str, int]:
    """What the mark of a line may count as: kind -> its number, from 1; 0 of marks that are not counted."""
    match = HUNG.match(line.text)
    if match is None:
        return {_MARKED: 0}
    said = match.group(1)
    if said.isdecimal():
        return {"1": int(said)} if int(said) else {}
    case = "a" if said.islower() else "A"
    found = {case: ord(said) - ord(case) + 1} if len(said) == 1 else {}
    if set(said.lower()) <= _ROMAN.keys():
        found[f"roman {case}"] = _roman(said.lower())
    return found


def _roman(said: str) -> int:
    values = [_ROMAN[letter] for letter in said]
    return sum(-value if value < max(values[at:]) else value for at, value in enumerate(values))


def _is_list(sequence: _Sequence, lines: Sequence[Line]) -> bool:
    members = [lines[at] for at in sequence.members]
    if len(members) < _LEAST:
        return False
    if sequence.hung:
        return True
    wide = all(line.parting[1] - line.parting[0] >= _WIDE * line.size for line in members)
    if not wide or sequence.first > 1:
        return False
    widest = max(line.x1 for line in lines if line.region == sequence.region)
    full = [line.x1 > widest - 2 * line.size and len(line.text) >= _LEAST_FULL for line in members]
    # marks of full lines may count the lines of a text, or have texts that go on below them
    return not full[-1] if sequence.kind == _MARKED else sum(full) * 2 <= len(full)
