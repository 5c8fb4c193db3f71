"""A sheet as its filled cells, the regions they form, and the elements these give. One for every spreadsheet format."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kprep.core.errors import TooLarge
from kprep.core.models import Element, ElementKind, Link, Locator, SourceUnit, table_text
from parsers.merged_cells import Span, spread
from parsers.sheet_heads import header_rows
from parsers.sheet_regions import Box, joined, regions

MAX_CELLS = 3_000_000
"""Filled cells of a workbook."""
MAX_SPREAD = 20_000_000
"""Cells, filled or not, of the rectangles around the regions of one sheet."""
REGION_ROWS = 100
"""Rows of one table element; the header is repeated."""
_ROWS_OF_HEAD = 8
"""Rows of a region that are looked at to tell whether it is headed."""
_RANGE = re.compile(r"([A-Z]{1,3})(\d{1,7})(?::([A-Z]{1,3})(\d{1,7}))?$")

Cell = tuple[int, int]
"""Row and column, from 0."""


@dataclass(frozen=True, slots=True)
class Table:
    """A region of a sheet: its rows that say something and which of the sheet they are, without columns in which no
    cell begins."""

    box: Box
    numbers: tuple[int, ...]
    columns: tuple[int, ...]
    rows: tuple[tuple[str, ...], ...]
    header_rows: int


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
    _tables: list[Table] | None = None

    @property
    def tables(self) -> list[Table]:
        """Its regions, from top to bottom and left to right. Raises: TooLarge for those that hold little and reach
        far."""
        if self._tables is None:
            self._tables = list(_tables(self))
        return self._tables


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
    """The sheet's name and the cells of the range, with the rows that head their columns; without a range all
    of a sheet that says something."""
    box = box_of(cell) if cell else None
    if box is None:
        said = [cell for table in sheet.tables for row in table.rows for cell in row if cell]
        found = [*(element.text for element in sheet.more), *said]
        return "\n".join([sheet.name, *found]) if found else ""
    heads, said = [], []
    for table in sheet.tables:
        columns = [at for at, column in enumerate(table.columns) if box[1] <= column <= box[3]]
        wanted = [at for at, number in enumerate(table.numbers) if box[0] <= number <= box[2]]
        if columns and wanted:
            heads += [
                table.rows[at][column] for at in range(table.header_rows) if at not in wanted for column in columns
            ]
            said += [table.rows[at][column] for at in wanted for column in columns]
    beside = [element.text for element in sheet.more if _lies_in(element, box)]
    return "\n".join([sheet.name, *heads, *beside, *filter(None, said)])


def _lies_in(element: Element, box: Box) -> bool:
    """Whether what stands beside the cells (a comment) is about one of the range."""
    place = box_of(element.locator.cell) if element.locator.cell else None
    return place is not None and box[0] <= place[0] <= box[2] and box[1] <= place[1] <= box[3]


def _elements(sheet: Sheet) -> Iterator[Element]:
    for table in sheet.tables:
        yield from _region(sheet, table)
    for element in sheet.more:
        yield replace(element, hidden=sheet.hidden)


def _tables(sheet: Sheet) -> Iterator[Table]:
    merged = {(box[0], box[1]): box for box in sheet.merged}
    touching = regions(sheet.rows, sheet.merged)
    _check_spread(touching)

    def is_headed(box: Box) -> bool:
        return _table(sheet, (*box[:2], min(box[2], box[0] + _ROWS_OF_HEAD), box[3]), merged).header_rows > 0

    boxes = joined(sheet.rows, touching, is_headed)
    _check_spread(boxes)
    for box in boxes:
        yield _table(sheet, box, merged)


def _check_spread(boxes: Sequence[Box]) -> None:
    spread_over = sum((box[2] - box[0] + 1) * (box[3] - box[1] + 1) for box in boxes)
    if spread_over > MAX_SPREAD:
        raise TooLarge(
            f"the tables of a sheet spread over {spread_over} cells, at most {MAX_SPREAD} are read", cells=spread_over
        )


def _table(sheet: Sheet, box: Box, merged: Mapping[Cell, Box]) -> Table:
    cells = {
        row: {column: held[column] for column in range(box[1], box[3] + 1) if column in held}
        for row in range(box[0], box[2] + 1)
        if (held := sheet.rows.get(row))
    }
    numbers = [row for row, held in cells.items() if held]
    columns = sorted({column for held in cells.values() for column in held})
    rows = [[cells[row].get(column, "") for column in columns] for row in numbers]
    spans: list[Span] = []
    for row in numbers if merged else ():
        for column in cells[row]:
            if (row, column) in merged:
                _, _, bottom, right = merged[row, column]
                top, left = bisect_left(numbers, row), bisect_left(columns, column)
                tall, wide = bisect_left(numbers, bottom + 1) - top, bisect_left(columns, right + 1) - left
                spans.append((top, left, tall, wide))
    has_gaps = columns[-1] - columns[0] >= len(columns)
    head = header_rows(rows, spans, has_gaps=has_gaps) if len(rows) > 1 else 0
    return Table(box, tuple(numbers), tuple(columns), spread(rows, spans, head), head)


def _region(sheet: Sheet, table: Table) -> Iterator[Element]:
    """One filled cell is a paragraph; the rest tables of bounded length, each with the header."""
    box, head = table.box, table.header_rows
    if len(table.rows) == 1 and len(table.columns) == 1:
        place, links = Locator(sheet=sheet.name, cell=cell_range(box)), _links(sheet, table.numbers, box)
        yield Element(ElementKind.PARAGRAPH, table.rows[0][0], place, hidden=sheet.hidden, links=links)
        return
    for at in range(head, len(table.rows), REGION_ROWS):
        numbers = table.numbers[at : at + REGION_ROWS]
        shown = (*table.numbers[:head], *numbers)
        rows = (*table.rows[:head], *table.rows[at : at + REGION_ROWS])
        first = shown[0] if at == head else numbers[0]
        yield Element(
            ElementKind.TABLE,
            table_text(rows),
            Locator(sheet=sheet.name, cell=cell_range((first, box[1], numbers[-1], box[3]))),
            rows=rows,
            header_rows=head,
            row_starts=tuple((number + 1, 0) for number in shown),
            hidden=sheet.hidden,
            links=_links(sheet, shown if at == head else numbers, box),
        )


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
