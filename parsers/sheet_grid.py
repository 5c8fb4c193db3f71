"""A sheet as its filled cells, the regions they form, and the elements these give. One for every spreadsheet format."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kprep.core.errors import TooLarge
from kprep.core.models import Element, ElementKind, Link, Locator, SourceUnit, table_text
from parsers.records import has_header

MAX_CELLS = 3_000_000
"""Filled cells of a workbook."""
MAX_SPREAD = 20_000_000
"""Cells, filled or not, of the rectangles around the regions of one sheet."""
REGION_ROWS = 100
"""Rows of one table element; the header is repeated."""
_RANGE = re.compile(r"([A-Z]{1,3})(\d{1,7})(?::([A-Z]{1,3})(\d{1,7}))?$")

Cell = tuple[int, int]
"""Row and column, from 0."""
Box = tuple[int, int, int, int]
"""First row, first column, last row, last column, from 0, both ends included."""


@dataclass(slots=True)
class Sheet:
    """`rows`: row -> column -> text of filled cells, in order. `merged`: ranges shown as one cell.
    `more`: what stands on the sheet beside its cells (charts, comments), in the order of the file. `links`: cell ->
    where its link leads."""

    name: str
    rows: dict[int, dict[int, str]]
    hidden: bool = False
    merged: Sequence[Box] = ()
    more: Sequence[Element] = ()
    links: Mapping[Cell, str] = field(default_factory=dict)


def check_size(cells: int, where: str) -> None:
    """Raises: TooLarge for more filled cells than one workbook may have."""
    if cells > MAX_CELLS:
        raise TooLarge(f"{where}: {cells} filled cells, at most {MAX_CELLS} are read", cells=cells)


def column_name(column: int) -> str:
    """0 -> A, 26 -> AA."""
    name = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(65 + rest) + name
    return name


def cell_range(box: Box) -> str:
    """`A1:D20`, or `A1` for one cell."""
    first, last = (f"{column_name(column)}{row + 1}" for row, column in (box[:2], box[2:]))
    return first if first == last else f"{first}:{last}"


def box_of(text: str) -> Box | None:
    """Inverse of `cell_range`; None for what is no range."""
    match = _RANGE.match(text)
    if match is None:
        return None
    left, top, right, bottom = match.groups()
    return int(top) - 1, _column(left), int(bottom or top) - 1, _column(right or left)


def _column(name: str) -> int:
    number = 0
    for letter in name:
        number = number * 26 + ord(letter) - 64
    return number - 1


def read_sheets(sheets: Sequence[Sheet]) -> tuple[list[Element], list[SourceUnit]]:
    """Elements sheet after sheet, a heading with its name first, and one unit a sheet.

    Raises: TooLarge for tables that hold little and reach far."""
    elements: list[Element] = []
    units: list[SourceUnit] = []
    for number, sheet in enumerate(sheets, 1):
        found = list(_elements(sheet))
        chars = sum(len(element.text) for element in found)
        units.append(SourceUnit("sheet", number, "ok" if found else "no_text", chars))
        if found:
            heading = Element(ElementKind.HEADING, sheet.name, Locator(sheet=sheet.name), level=1, hidden=sheet.hidden)
            elements.extend(_numbered(element, number) for element in (heading, *found))
    return elements, units


def _numbered(element: Element, number: int) -> Element:
    return replace(element, locator=replace(element.locator, sheet_number=number))


def wanted_sheets(sheets: Sequence[Sheet], locator: Locator) -> list[Sheet]:
    """The sheets a locator names, by name or by number; all where it names none."""
    if locator.sheet is not None:
        return [sheet for sheet in sheets if sheet.name == locator.sheet]
    if locator.sheet_number is not None:
        return list(sheets[locator.sheet_number - 1 : locator.sheet_number])
    return list(sheets)


def quote_sheet(sheet: Sheet, cell: str | None) -> str:
    """The sheet's name and the cells of the range, with the row that heads their columns; without a range all."""
    box = box_of(cell) if cell else None
    said = [sheet.name] if box else [sheet.name, *(element.text for element in sheet.more)]
    if box is not None:
        top = _head_of(sheet, box)
        said.extend(_row_text(sheet, top, box))
        said.extend(element.text for element in sheet.more if _lies_in(element, box))
    for row in sheet.rows if box is None else range(box[0], box[2] + 1):
        said.extend(_row_text(sheet, row, box))
    return "\n".join(said)


def _row_text(sheet: Sheet, row: int, box: Box | None) -> list[str]:
    cells = sheet.rows.get(row, {})
    return [text for column, text in cells.items() if box is None or box[1] <= column <= box[3]]


def _lies_in(element: Element, box: Box) -> bool:
    """Whether what stands beside the cells (a comment) is about one of the range."""
    place = box_of(element.locator.cell) if element.locator.cell else None
    return place is not None and box[0] <= place[0] <= box[2] and box[1] <= place[1] <= box[3]


def _head_of(sheet: Sheet, box: Box) -> int:
    """The first row of the unbroken run of rows that ends with the range's first one."""
    row = box[0]
    while row > 0 and any(box[1] <= column <= box[3] for column in sheet.rows.get(row - 1, ())):
        row -= 1
    return row


def _elements(sheet: Sheet) -> Iterator[Element]:
    boxes = regions(sheet.rows, sheet.merged)
    spread = sum((box[2] - box[0] + 1) * (box[3] - box[1] + 1) for box in boxes)
    if spread > MAX_SPREAD:
        raise TooLarge(f"the tables of a sheet spread over {spread} cells, at most {MAX_SPREAD} are read", cells=spread)
    for box in boxes:
        yield from _region(sheet, box)
    for element in sheet.more:
        yield replace(element, hidden=sheet.hidden)


def _region(sheet: Sheet, box: Box) -> Iterator[Element]:
    """One filled cell is a paragraph; the rest tables of bounded length, each with the header."""
    numbers = [row for row in range(box[0], box[2] + 1) if row in sheet.rows]
    rows = [tuple(sheet.rows[row].get(column, "") for column in range(box[1], box[3] + 1)) for row in numbers]
    if sum(map(bool, (cell for row in rows for cell in row))) == 1:
        text = next(cell for row in rows for cell in row if cell)
        place, links = Locator(sheet=sheet.name, cell=cell_range(box)), _links(sheet, numbers, box)
        yield Element(ElementKind.PARAGRAPH, text, place, hidden=sheet.hidden, links=links)
        return
    headed = len(rows) > 1 and _is_headed(rows[0], rows[1])
    head, body = rows[: int(headed)], rows[int(headed) :]
    for at in range(0, len(body), REGION_ROWS):
        some = (*head, *body[at : at + REGION_ROWS])
        first = numbers[0] if at == 0 else numbers[int(headed) + at]
        last = numbers[min(int(headed) + at + REGION_ROWS, len(numbers)) - 1]
        place = Locator(sheet=sheet.name, cell=cell_range((first, box[1], last, box[3])))
        table = Element(ElementKind.TABLE, table_text(some), place, rows=some, header_rows=len(head))
        shown = numbers[: 0 if at else int(headed)] + numbers[int(headed) + at : int(headed) + at + REGION_ROWS]
        yield replace(table, hidden=sheet.hidden, links=_links(sheet, shown, box))


def _links(sheet: Sheet, numbers: Sequence[int], box: Box) -> tuple[Link, ...]:
    """Links of the filled cells of these rows between the columns of a box."""
    if not sheet.links:
        return ()
    cells = ((row, column) for row in numbers for column in range(box[1], box[3] + 1))
    return tuple(
        Link(sheet.rows[at[0]][at[1]], sheet.links[at])
        for at in cells
        if at in sheet.links and at[1] in sheet.rows[at[0]]
    )


def _is_headed(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether the first row names the columns; a column or two may be without a name."""
    named = [(name, value) for name, value in zip(first, second, strict=True) if name]
    if len(named) < 2 or len(named) * 2 <= len(first):
        return False
    return has_header([name for name, _ in named], [value for _, value in named])


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
