"""Tables of sheets: what their header is, which cells belong together, and where their rows are."""

from __future__ import annotations

import pytest

from kprep.core.models import Element, ElementKind
from parsers.sheet_grid import Sheet, cell_range, quote_sheet, read_sheets
from parsers.sheet_regions import Box

Rows = list[list[str]]


def sheet(rows: Rows, *merged: str, top: int = 0) -> Sheet:
    """Cells from A1 on; `merged`: ranges such as "A1:A2"."""
    filled = {
        top + row: {column: text for column, text in enumerate(cells) if text}
        for row, cells in enumerate(rows)
        if any(cells)
    }
    boxes: list[Box] = []
    for name in merged:
        first, last = name.split(":")
        boxes.append((int(first[1:]) - 1, ord(first[0]) - 65, int(last[1:]) - 1, ord(last[0]) - 65))
    return Sheet("S", filled, merged=boxes)


def tables(made: Sheet) -> list[Element]:
    return [element for element in read_sheets([made])[0] if element.kind is not ElementKind.HEADING]


BODY = [[f"Plant {n}", str(n), str(2 * n)] for n in range(1, 121)]


@pytest.mark.req("D4.13")
@pytest.mark.parametrize(
    ("head", "merged", "header_rows"),
    [
        ([["Site", "kWh", "Cost"]], (), 1),
        ([["Country", "2021", "2022"]], (), 1),
        ([["", "2021", "2022"]], (), 1),
        ([["Report 2024", "", ""], ["Site", "kWh", "Cost"]], (), 2),
        ([["Report 2024", "", ""], ["by Ann", "", ""], ["Site", "kWh", "Cost"]], ("A1:C1",), 3),
        ([["Site", "kWh", "Cost"], ["", "(thousand)", "(EUR)"]], (), 2),
        ([["Site", "Import", ""], ["", "Plan", "Actual"]], ("A1:A2", "B1:C1"), 2),
        ([["Site", "Import", ""], ["", "Plan", "Actual"]], (), 2),
        ([["Plant", "7", "8"]], (), 0),
        ([["Plant", "2021", "1995"]], (), 0),
        ([["A title", "", ""], ["Plant", "7", "8"]], (), 0),
    ],
    ids=["names", "years", "corner", "title", "titles", "units", "merged", "levels", "data", "numbers", "no header"],
)
def test_the_header_of_a_sheet_is_repeated_in_each_part(head: Rows, merged: tuple[str, ...], header_rows: int) -> None:
    made = sheet([*head, *BODY], *merged)
    parts = tables(made)
    assert [part.header_rows for part in parts] == [header_rows] * 2
    assert len({part.rows[:header_rows] for part in parts}) == 1
    told = [number for part in parts for number, _ in part.row_starts]
    assert [n for n in told if n > header_rows] == list(range(header_rows + 1, len(head) + 121))
    for part in parts:
        quoted = quote_sheet(made, part.locator.cell)
        assert all(cell in quoted for row in part.rows for cell in row)


@pytest.mark.req("D4.13")
def test_merged_cells_of_a_sheet_are_said_where_they_are_meant() -> None:
    made = sheet(
        [["Country", "2023", ""], ["", "In", "Out"], ["Norway", "1", "2"], ["", "3", "4"], ["Chile", "5", ""]],
        "A1:A2", "B1:C1", "A3:A4", "B5:C5",
    )  # fmt: skip
    (table,) = tables(made)
    assert table.rows == (
        ("Country", "2023", "2023"),
        ("Country", "In", "Out"),
        ("Norway", "1", "2"),
        ("Norway", "3", "4"),
        ("Chile", "5", "5"),
    )
    assert quote_sheet(made, "A4:C4").split("\n")[-3:] == ["Norway", "3", "4"]


@pytest.mark.parametrize(
    ("rows", "merged", "said"),
    [
        ([["Max", "", "10 bar"], ["Min", "", "2 bar"]], (), ["Max | 10 bar\nMin | 2 bar"]),
        ([["Max", "", "", "10 bar"], ["Min", "", "", ""]], (), ["Max | 10 bar\nMin | "]),
        ([["Max", "", "10"], ["Min", "", ""], ["Mean", "", "7"]], (), ["Max | 10\nMin | \nMean | 7"]),
        ([["Start", "", "1 May", "", "End", "", "9 June"]], (), ["Start | 1 May | End | 9 June"]),
        ([["Name", "", "Ann", ""], ["Post", "", "Chair", ""]], ("A1:B1", "C1:D1"), ["Name | Ann\nPost | Chair"]),
        ([["Max", "", "", "", "far"]], (), ["Max", "far"]),
        ([["1", "", "x"], ["2", "", "y"]], (), ["1\n2", "x\ny"]),
        ([["a", "1", "", "Name", "Sum"], ["b", "2", "", "x", "1"]], (), ["a | 1\nb | 2", "Name | Sum\nx | 1"]),
        ([["note", "", "Name", "Sum"], ["more", "", "x", "1"]], (), ["note\nmore", "Name | Sum\nx | 1"]),
    ],
    ids=["gap", "wide gap", "missing", "line", "merged", "too far", "numbers", "two tables", "beside a table"],
)
def test_labels_of_a_form_stay_with_their_values(rows: Rows, merged: tuple[str, ...], said: list[str]) -> None:
    found = tables(sheet(rows, *merged))
    assert [element.text for element in found] == said
    assert {element.header_rows for element in found} <= {0, 1}


def test_a_form_has_no_header_and_a_table_with_gaps_has() -> None:
    (form,) = tables(sheet([["Max", "", "10 bar"], ["Min", "", "2 bar"]]))
    (table,) = tables(sheet([["Item", "", "Price"], ["Pump", "", "7"]], "A1:B1", "A2:B2"))
    assert (form.header_rows, table.header_rows) == (0, 1)


@pytest.mark.parametrize(
    ("below", "joined"),
    [
        ([["Power", "4", "5"], ["Total", "5", "7"]], True),
        ([["Power", "4", ""]], True),
        ([["Notes", "", ""], ["Power", "4", "5"]], False),
        ([["Site", "Owner", "Since"], ["North", "Ann", "2020"]], False),
        ([["", "4", "5"]], False),
        ([["Power", "4", "5", "6"]], False),
    ],
    ids=["goes on", "narrower", "title", "another table", "further right", "wider"],
)
def test_a_blank_row_does_not_part_rows_from_their_header(below: Rows, joined: bool) -> None:
    made = sheet([["Item", "2021", "2022"], ["Rent", "1", "2"], [], *below])
    found = tables(made)
    assert (len(found) == 1) is joined
    if joined:
        last = 3 + len(below)
        assert (found[0].header_rows, found[0].locator.cell) == (1, cell_range((0, 0, last - 1, 2)))
        assert [number for number, _ in found[0].row_starts] == [1, 2, *range(4, last + 1)]
        assert quote_sheet(made, f"A{last}:C{last}").split("\n")[:4] == ["S", "Item", "2021", "2022"]


def test_of_a_sheet_that_says_nothing_there_is_nothing_to_quote() -> None:
    assert quote_sheet(Sheet("Empty", {}), None) == ""
    assert quote_sheet(sheet([["a", "b"]]), None) == "S\na\nb"
