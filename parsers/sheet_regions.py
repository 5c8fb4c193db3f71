"""Which cells of a sheet belong together: those that touch, labels and their values beside a gap, a table's parts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence

from parsers.records import is_number

Box = tuple[int, int, int, int]
"""First row, first column, last row, last column, from 0, both ends included."""
Cells = Mapping[int, Mapping[int, str]]
"""Row -> column -> text of filled cells, in order."""
_WIDEST_GAP = 2
"""Empty columns between a label and its value."""


def joined(rows: Cells, boxes: Sequence[Box], is_headed: Callable[[Box], bool]) -> list[Box]:
    """The regions, with the values of a form put beside their labels, and parts of a table that lie a blank row apart
    below its header. `is_headed`: whether the first rows of a region name its columns."""
    beside = _together(boxes, _beside_labels(rows, boxes, is_headed))
    return _together(beside, _below_header(rows, beside, is_headed))


def _together(boxes: Sequence[Box], pairs: Iterator[tuple[int, int]]) -> list[Box]:
    """Boxes around those that are named in pairs, by their numbers; none overlap."""
    group = list(range(len(boxes)))

    def root(number: int) -> int:
        while group[number] != number:
            group[number] = group[group[number]]
            number = group[number]
        return number

    for one, other in pairs:
        group[root(other)] = root(one)
    around: dict[int, Box] = {}
    for number, box in enumerate(boxes):
        around[root(number)] = _around(around.get(root(number), box), box)
    return sorted(_without_overlap(list(around.values())))


def _beside_labels(rows: Cells, boxes: Sequence[Box], is_headed: Callable[[Box], bool]) -> Iterator[tuple[int, int]]:
    """(labels, values): a column of words, and a region right of it each of whose rows has one of these beside it."""
    labels = {
        (row, box[1]): number
        for number, box in enumerate(boxes)
        if box[1] == box[3] and _are_words(rows, box)
        for row in range(box[0], box[2] + 1)
    }
    columns = {row: list(cells) for row, cells in rows.items()} if labels else {}
    for number, box in enumerate(boxes):
        if box[1] and labels and not is_headed(box):
            found = {_label_of(columns, labels, row, box[1]) for row in range(box[0], box[2] + 1) if row in rows}
            label = found.pop() if len(found) == 1 else None
            if label is not None and label != number:
                yield label, number


def _are_words(rows: Cells, box: Box) -> bool:
    return not any(is_number(rows[row][box[1]]) for row in range(box[0], box[2] + 1) if box[1] in rows.get(row, {}))


def _label_of(
    columns: Mapping[int, Sequence[int]], labels: Mapping[tuple[int, int], int], row: int, column: int
) -> int | None:
    """Number of the region of labels that the last cell left of a place is in; None where that is too far or none.
    `columns`: those of the filled cells of each row."""
    at = bisect_left(columns[row], column) - 1
    left = columns[row][at] if at >= 0 else -_WIDEST_GAP - 2
    return labels.get((row, left)) if column - left - 1 <= _WIDEST_GAP else None


def _below_header(rows: Cells, boxes: Sequence[Box], is_headed: Callable[[Box], bool]) -> Iterator[tuple[int, int]]:
    """(upper part, lower part) of tables that a blank row parts: with the first column of one that is headed, not
    wider, with values of the same kind below each other, and with no header or title of its own."""
    ends = {(box[2], box[1]): number for number, box in enumerate(boxes) if box[1] < box[3]}
    headed: dict[int, bool] = {}
    for number, box in enumerate(boxes):  # from top to bottom
        above = ends.get((box[0] - 2, box[1]))
        if above is None or box[3] > boxes[above][3]:
            continue
        is_part = headed.setdefault(above, is_headed(boxes[above])) and _goes_on(rows, boxes[above], box)
        if is_part and not is_headed(box):
            headed[number] = True
            yield above, number


def _goes_on(rows: Cells, upper: Box, lower: Box) -> bool:
    """Whether the first row of a region goes on the last one of another: several cells, numbers below numbers."""
    columns = range(lower[1], lower[3] + 1)
    last, first = rows.get(upper[2], {}), rows.get(lower[0], {})
    both = [(last[column], first[column]) for column in columns if column in last and column in first]
    return len(both) > 1 and all(is_number(one) == is_number(other) for one, other in both)


def regions(rows: Mapping[int, Mapping[int, str]], merged: Sequence[Box] = ()) -> list[Box]:
    """Boxes around cells that touch, also over corners, from top to bottom and left to right; none overlap.

    A merged range touches wherever it reaches."""
    boxes: list[Box] = []
    above: list[int] = []  # numbers of boxes that reach the row before
    group: list[int] = []  # box -> the box it became part of

    def root(number: int) -> int:
        while group[number] != number:
            group[number] = group[group[number]]
            number = group[number]
        return number

    spans = _spans(rows, merged)
    previous = -2
    for row in sorted(spans):
        here: list[int] = []
        reached = [(number, ends) for number, ends in zip(above, _ends(spans, previous), strict=True)]
        for first, last in spans[row]:
            number = len(boxes)
            boxes.append((row, first, row, last))
            group.append(number)
            for other, (left, right) in reached if previous == row - 1 else ():
                if left <= last + 1 and first <= right + 1:
                    group[root(other)] = root(number)
            here.append(number)
        above, previous = here, row
    joined: dict[int, Box] = {}
    for number, box in enumerate(boxes):
        base = root(number)
        joined[base] = _around(joined.get(base, box), box)
    return sorted(_without_overlap(list(joined.values())))


def _ends(spans: Mapping[int, list[tuple[int, int]]], row: int) -> list[tuple[int, int]]:
    return spans.get(row, [])


def _spans(rows: Mapping[int, Mapping[int, str]], merged: Sequence[Box]) -> dict[int, list[tuple[int, int]]]:
    """Row -> runs of columns side by side that hold text or are covered by a merged cell with text."""
    columns: dict[int, set[int]] = {}
    for top, left, bottom, right in merged:
        if left in rows.get(top, {}) and bottom - top < 10_000 and right - left < 1000:
            for row in range(top, bottom + 1):
                columns.setdefault(row, set()).update(range(left, right + 1))
    spans: dict[int, list[tuple[int, int]]] = {}
    for row in {*rows, *columns}:
        filled = sorted({*rows.get(row, ()), *columns.get(row, ())})
        runs: list[tuple[int, int]] = []
        for column in filled:
            if runs and column == runs[-1][1] + 1:
                runs[-1] = (runs[-1][0], column)
            else:
                runs.append((column, column))
        if runs:
            spans[row] = runs
    return spans


def _around(one: Box, other: Box) -> Box:
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def _without_overlap(boxes: list[Box]) -> list[Box]:
    """Boxes that lie over one another are one region."""
    kept: list[Box] = []
    active: list[Box] = []
    for box in sorted(boxes):
        current = box
        while True:
            over = [
                other for other in active
                if other[2] >= current[0] and other[1] <= current[3] and current[1] <= other[3]
            ]  # fmt: skip
            if not over:
                break
            for other in over:
                active.remove(other)
                current = _around(current, other)
        done = [other for other in active if other[2] < box[0]]
        kept.extend(done)
        active = [other for other in active if other[2] >= box[0]]
        active.append(current)
    return [*kept, *active]
