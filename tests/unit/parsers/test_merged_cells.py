"""Merged cells: what one says stands in each row and column it is for, in every format."""

from __future__ import annotations

import pytest

from kprep.core.models import RawDocument
from kprep.core.tables import explains_codes
from parsers import coverage, parse, parser_for
from parsers.media_type import detect
from parsers.merged_cells import Span, spread
from tests.fakes.by_path import module_at

OFFICE, WORD = module_at("golden/parsers/build_office.py"), module_at("golden/parsers/build_inputs.py")

PLAN = [
    ["Country", "2023", "", "2024", ""],
    ["", "In", "Out", "In", "Out"],
    ["Norway", "1", "2", "3", "4"],
    ["", "5", "6", "7", "8"],
]
PLAN_SPANS = [(0, 0, 2, 1), (0, 1, 1, 2), (0, 3, 1, 2), (2, 0, 2, 1)]
PLAN_SAID = [
    ["Country", "2023", "2023", "2024", "2024"],
    ["Country", "In", "Out", "In", "Out"],
    ["Norway", "1", "2", "3", "4"],
    ["Norway", "5", "6", "7", "8"],
]
FORM = [["Name", "", "Ann", ""], ["Age", "7", "", ""]]


@pytest.mark.req("D4.13")
@pytest.mark.parametrize(
    ("rows", "spans", "header_rows", "said"),
    [
        (PLAN, PLAN_SPANS, 2, PLAN_SAID),
        ([["Report", ""], ["a", "b"]], [(0, 0, 1, 2)], 0, [["Report", ""], ["a", "b"]]),
        ([["A", "B", "C"], ["Total", "", "9"]], [(1, 0, 1, 2)], 1, [["A", "B", "C"], ["Total", "", "9"]]),
        ([["", "Mon", "Tue"], ["open", "9-17", ""]], [(1, 1, 1, 2)], 1, [["", "Mon", "Tue"], ["open", "9-17", "9-17"]]),
        (FORM, [(0, 0, 1, 2), (0, 2, 1, 2)], 0, FORM),
        ([["H", "I"], ["a", "b"]], [(0, 0, 9, 1)], 1, [["H", "I"], ["a", "b"]]),
        ([["a", "b"], ["", ""], ["", "c"]], [(0, 0, 3, 1)], 0, [["a", "b"], ["a", "c"]]),
        ([["x" * 101, "b"], ["", "c"]], [(0, 0, 2, 1)], 0, [["x" * 101, "b"], ["", "c"]]),
        ([["a", "b"], ["own", "c"]], [(0, 0, 2, 1)], 0, [["a", "b"], ["own", "c"]]),
        ([["a", "b"], ["c"]], [(1, 0, 10**9, 10**9)], 0, [["a", "b"], ["c", ""]]),
    ],
    ids=["levels", "title", "name", "value", "form", "beyond", "empty", "remark", "own", "vast"],
)  # fmt: skip
def test_what_a_merged_cell_says_is_repeated_where_it_is_meant(
    rows: list[list[str]], spans: list[Span], header_rows: int, said: list[list[str]]
) -> None:
    assert [list(row) for row in spread(rows, spans, header_rows)] == said


def test_repetition_has_an_end() -> None:
    rows = [["y" * 100, "b"], *([["", "c"]] * 5001)]
    assert spread(rows, [(0, 0, 5002, 1)], 0)[1] == ("", "c")
    assert spread(rows[:5000], [(0, 0, 5000, 1)], 0)[1] == ("y" * 100, "c")


WANTED = (("A", "B", "C"), ("x", "1", "2"), ("x", "3", "4"), ("y", "5", "5"))


def html() -> tuple[str, str]:
    rows = "<tr><td rowspan=2>x<td>1<td>2<tr><td>3<td>4<tr><td>y<td colspan=2>5"
    return "a.html", f"<h1>T</h1><table><tr><th>A<th>B<th>C{rows}</table>"


def xml() -> tuple[str, str]:
    def row(*cells: str) -> str:
        return f"<tr>{''.join(f'<td{cell}</td>' for cell in cells)}</tr>"

    body = row(' rowspan="2">x', ">1", ">2") + row(">3", ">4") + row(">y", ' colspan="2">5')
    head = "<thead><tr><th>A</th><th>B</th><th>C</th></tr></thead>"
    return "a.xml", f"<article><body><p>Some words.</p><table>{head}<tbody>{body}</tbody></table></body></article>"


def asciidoc() -> tuple[str, str]:
    return "a.adoc", "= T\n\n[%header,cols=3*]\n|===\n|A |B |C\n.2+|x |1 |2\n|3 |4\n|y 2+|5\n|===\n"


def docx() -> tuple[str, bytes]:
    first, below = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    rows = (
        WORD.cell("A") + WORD.cell("B") + WORD.cell("C"),
        WORD.cell("x", first) + WORD.cell("1") + WORD.cell("2"),
        WORD.cell("", below) + WORD.cell("3") + WORD.cell("4"),
        WORD.cell("y") + WORD.cell("5", '<w:gridSpan w:val="2"/>'),
    )
    table = WORD.table(*rows).replace("<w:tblPr/>", '<w:tblPr><w:tblLook w:firstRow="1"/></w:tblPr>')
    return "a.docx", WORD.docx(table)


def pptx() -> tuple[str, bytes]:
    rows = [["A", "B", "C"], ["x", "1", "2"], ["^", "3", "4"], ["y", "5", "<"]]
    return "a.pptx", OFFICE.deck([OFFICE.frame(OFFICE.deck_table(rows), (0, 0))])


def odt() -> tuple[str, bytes]:
    def cell(text: str, more: str = "") -> str:
        return f"<table:table-cell{more}><text:p>{text}</text:p></table:table-cell>"

    covered = "<table:covered-table-cell/>"
    rows = [cell("x", ' table:number-rows-spanned="2"') + cell("1") + cell("2"), covered + cell("3") + cell("4"),
            cell("y") + cell("5", ' table:number-columns-spanned="2"') + covered]  # fmt: skip
    named = "".join(map(cell, "ABC"))
    head = f"<table:table-header-rows><table:table-row>{named}</table:table-row></table:table-header-rows>"
    body = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
    return "a.odt", OFFICE.odf("text", "text", f'<table:table table:name="T">{head}{body}</table:table>')


@pytest.mark.req("D4.13")
@pytest.mark.parametrize("made", [html(), xml(), asciidoc(), docx(), pptx(), odt()], ids=lambda made: made[0])
def test_each_format_says_a_merged_cell_where_it_is_meant(made: tuple[str, str | bytes]) -> None:
    name, content = made[0], made[1].encode() if isinstance(made[1], str) else made[1]
    raw = RawDocument(f"s/{name}", name, content, detect(name, content))
    found = parse(raw, parser_for(raw.media_type))
    (table,) = (element for element in found.elements if element.rows)
    assert (table.rows, table.header_rows) == (WANTED, 1)
    assert coverage(raw, found) == 1.0


def test_a_code_that_goes_over_several_rows_is_one() -> None:
    assert explains_codes(["Error", "Cause"], ["E-101", "E-101", "E-101", "E-102", "E-103"])
    assert not explains_codes(["Error", "Cause"], ["E-101", "E-102", "E-101", "E-102", "E-101"])
