"""Tables without rules: columns kept apart by white space alone; prose, lists and contents are none."""

from __future__ import annotations

import io
import random
from collections.abc import Sequence

import pytest
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph

from kprep.core.models import Element, ElementKind, RawDocument
from parsers import parse, parser_for

Rows = list[list[str]]
HEAD = ["Name", "Country", "Year", "Power", "Price", "State"]
ROWS: Rows = [
    HEAD,
    *(
        [
            f"Pump {letter}",
            country,
            str(1990 + at),
            f"{at * 13.5:.1f}",
            f"{at * 1000 + 5:,}",
            ("open", "closed")[at % 2],
        ]
        for at, (letter, country) in enumerate(zip("ABCDEFGHIJ", ["France", "United Kingdom"] * 5, strict=True))
    ),
]
LEFT = (60, 130, 230, 290, 360, 430)
BEFORE = (
    "The following table shows what was measured in the plant in the last year by the team.",
    "It is about pumps, which move water from one place to another.",
)
AFTER = (
    "After the table the text goes on as prose does, with lines that are wide and that end",
    "with a period. Nothing of it belongs to the table above, as everyone can see.",
)


def read(content: bytes) -> tuple[Element, ...]:
    raw = RawDocument("s/a.pdf", "a.pdf", content, "application/pdf")
    return parse(raw, parser_for(raw.media_type)).elements


def drawn(rows: Rows, places: Sequence[float], sides: str = "", pitch: float = 16, *, bold: bool = True) -> bytes:
    """A page of prose, the cells at their places (`sides`: l, r or c for each column), and prose again."""
    buffer = io.BytesIO()
    canvas, y = Canvas(buffer, invariant=True), 790.0
    draw = {"l": canvas.drawString, "r": canvas.drawRightString, "c": canvas.drawCentredString}
    for number, row in enumerate([[BEFORE[0]], [BEFORE[1]], [], *rows, [], [AFTER[0]], [AFTER[1]]]):
        canvas.setFont("Helvetica-Bold" if bold and number == 3 else "Helvetica", 10)
        for at, text in enumerate(row):
            if text:
                draw[sides[at] if sides and len(row) > 1 else "l"](places[at] if len(row) > 1 else 60, y, text)
        y -= pitch if 3 <= number < 3 + len(rows) else 14
    canvas.save()
    return buffer.getvalue()


def tables(content: bytes) -> list[Rows]:
    return [[list(row) for row in element.rows] for element in read(content) if element.rows]


def without(rows: Rows, *holes: tuple[int, int]) -> Rows:
    return [["" if (at, column) in holes else cell for column, cell in enumerate(row)] for at, row in enumerate(rows)]


@pytest.mark.parametrize(
    ("rows", "places", "sides", "pitch"),
    [
        (ROWS, LEFT, "", 16),
        (ROWS, (60, 130, 250, 320, 390, 430), "llrrrl", 16),
        (ROWS, (90, 160, 250, 320, 390, 460), "cccccc", 16),
        (ROWS, LEFT, "", 12),
        (ROWS, LEFT, "", 28),
        (without(ROWS, (3, 2), (5, 4), (7, 1), (10, 5)), LEFT, "", 16),
        ([row[:3] for row in ROWS[:4]], LEFT, "", 16),
        ([[row[0], row[4]] for row in ROWS], (60, 200), "lr", 16),
        ([*[row[:4] for row in ROWS], ["", "", "Total", "607.5"]], LEFT, "", 12),
    ],
    ids=["left", "mixed", "centred", "tight", "wide", "holes", "small", "names and numbers", "total"],
)
def test_rows_are_exactly_those_of_the_page(rows: Rows, places: Sequence[float], sides: str, pitch: float) -> None:
    assert tables(drawn(rows, places, sides, pitch)) == [rows]


def test_the_prose_around_stays_prose_and_the_first_row_heads_the_columns() -> None:
    for bold in (True, False):
        before, table, after = read(drawn(ROWS, LEFT, bold=bold))
        assert (before.text, after.text) == ("\n".join(BEFORE), "\n".join(AFTER))
        assert table.header_rows == 1


def test_a_head_that_is_aligned_otherwise_than_its_columns_is_of_the_table() -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, invariant=True)
    canvas.drawString(60, 700, "Year")
    canvas.drawString(160, 700, "Ducks of the lake")
    for at in range(5):
        canvas.drawRightString(130, 685 - 15 * at, str(2019 + at))
        canvas.drawRightString(250, 685 - 15 * at, str(120 + 15 * at))
    canvas.save()
    (found,) = tables(buffer.getvalue())
    assert found == [["Year", "Ducks of the lake"], *([str(2019 + at), str(120 + 15 * at)] for at in range(5))]


def test_a_cell_of_two_lines_is_one_cell() -> None:
    rows = [
        ["Name", "What it does", "Count"],
        ["Pump A", "moves the water from", "12"],
        ["", "the tank to the plant", ""],
        ["Pump B", "moves oil", "3"],
        ["Pump C", "none", "9"],
    ]
    (found,) = tables(drawn(rows, (60, 150, 330), pitch=12.5))
    assert found == [rows[0], ["Pump A", "moves the water from\nthe tank to the plant", "12"], *rows[3:]]


@pytest.mark.parametrize("columns", [1, 2, 3, 4])
def test_columns_of_prose_are_no_table(columns: int) -> None:
    words = "The pump moves water from one tank to another while the operator watches the light of the panel".split()
    buffer, width = io.BytesIO(), (500 - 20 * (columns - 1)) / columns
    frames = [Frame(50 + at * (width + 20), 60, width, 700, leftPadding=0, rightPadding=0) for at in range(columns)]
    document = BaseDocTemplate(buffer, invariant=True)
    document.addPageTemplates([PageTemplate(frames=frames)])
    style, chosen = ParagraphStyle("justified", fontSize=9, leading=11, alignment=4), random.Random(3)
    document.build([Paragraph(" ".join(chosen.choice(words) for _ in range(90)) + ".", style) for _ in range(14)])
    assert tables(buffer.getvalue()) == []


@pytest.mark.parametrize(
    "rows",
    [
        [row[:2] for row in ROWS],
        [
            ["Ann Example", "Bo Sample", "Cy Person"],
            ["University", "Institute", "Labs"],
            ["a@x.org", "b@y.org", "c@z.org"],
        ],
        [[str(at), ("Introduction", "Care")[at % 2], str(4 * at)] for at in range(1, 9)],
        [["Name:", "Ann"], ["Zip:", "12345"], ["Phone:", "555"], ["Fax:", "556"], ["Room:", "7"]],
        [["Contents", "Page"], ["1 Introduction", "1"], ["2 Care", "12"], ["3 Parts", "20"], ["4 Index", "31"]],
        [["1.", "Open", "the valve and wait for the light to go on."], ["2.", "Close", "it again, and write it down."]],
    ],
    ids=["two columns", "authors", "contents", "steps", "form", "contents with a title"],
)
def test_what_only_looks_like_one_is_no_table(rows: Rows) -> None:
    assert tables(drawn(rows, (60, 200, 300), bold=False)) == []


def test_a_table_goes_on_over_the_page() -> None:
    rows = [["Key", "Value", "Unit"], *([f"key {at}", str(at * 7), "kW"] for at in range(60))]
    buffer = io.BytesIO()
    canvas = Canvas(buffer, invariant=True)
    for page in (rows[:35], rows[35:]):
        canvas.setFont("Helvetica", 10)
        for at, row in enumerate(page):
            for x, text in zip((60, 200, 300), row, strict=True):
                canvas.drawString(x, 780 - 16 * at, text)
        canvas.showPage()
    canvas.save()
    (found,) = (element for element in read(buffer.getvalue()) if element.kind is ElementKind.TABLE)
    assert [list(row) for row in found.rows] == rows
    assert (found.locator.page, found.locator.page_end, found.header_rows) == (1, 2, 1)
