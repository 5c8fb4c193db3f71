"""reStructuredText: substitutions, admonitions, drawn tables with merged cells."""

from __future__ import annotations

import pytest

from kprep.core.models import ElementKind, ParsedDocument, RawDocument
from parsers import rst
from parsers.rst_tables import grid_rows, simple_rows


def read(text: str) -> ParsedDocument:
    return rst.parse(RawDocument("s/a.rst", "a.rst", text.encode(), "text/x-rst"))


@pytest.mark.req("D2.8", "D3.9")
def test_substitutions_are_read_with_their_words_and_found_there() -> None:
    text = ".. |Pump| replace:: Pump X\n   Pro\n\nThe |pump| runs; |nobody| and ``|pump|`` stay.\n\n| a | b\n"
    first, second = read(text).elements
    assert first.text == "The Pump X Pro runs; |nobody| and |pump| stay."
    assert second.text == "a | b"
    assert "The Pump X Pro runs" in rst.quote(text.encode(), first.locator)


@pytest.mark.req("D2.8")
def test_admonitions_say_what_they_are_in_one_paragraph() -> None:
    text = ".. warning:: Hot\n   surface.\n\n   Wait.\n\n.. deprecated:: 2.0\n   Use b.\n\n.. note::\n\n   * one\n"
    found = [(e.kind, e.text, e.locator.line) for e in read(text).elements]
    assert found == [
        (ElementKind.PARAGRAPH, "warning: Hot\nsurface.", (1, 2)),
        (ElementKind.PARAGRAPH, "Wait.", (4, 4)),
        (ElementKind.PARAGRAPH, "deprecated: 2.0\nUse b.", (6, 7)),
        (ElementKind.PARAGRAPH, "note:", (9, 9)),
        (ElementKind.LIST_ITEM, "one", (11, 11)),
    ]


def test_a_formula_behind_its_directive_is_code() -> None:
    (formula,) = read(".. math:: a^2 +\n   b^2\n").elements
    assert (formula.kind, formula.text, formula.language) == (ElementKind.CODE, "a^2 +\nb^2", "math")


@pytest.mark.parametrize(
    ("drawn", "rows", "header_rows"),
    [
        (
            "+---+---+\n| A | B |\n+===+===+\n| x | y |\n+---+   +\n| z | w |\n+---+---+",
            (("A", "B"), ("x", "y\nw"), ("z", "")),
            1,
        ),
        ("+---+---+\n| t | x |\n|   +---+\n|   | y |\n+---+---+", (("t", "x"), ("", "y")), 0),
        ("+---+---+\n| wide  |\n+---+---+\n| a | b |\n+---+---+", (("wide", ""), ("a", "b")), 0),
    ],
)
def test_cells_over_several_rows_or_columns_keep_their_place(
    drawn: str, rows: tuple[tuple[str, ...], ...], header_rows: int
) -> None:
    assert grid_rows(drawn.split("\n")) == (rows, header_rows)


@pytest.mark.req("D2.8")
def test_a_table_that_does_not_fit_its_borders_loses_no_word() -> None:
    by_bars = "+---+---+\n| A | B |\n+===+===+\n| x | listen port |\n+---+---+"
    assert grid_rows(by_bars.split("\n")) == ((("A", "B"), ("x", "listen port")), 1)
    as_drawn = "+---+---+\n| one long cell |\n+---+---+"
    found = read(f"{as_drawn}\n\nEnd.\n").elements
    assert [(e.kind, e.text) for e in found] == [(ElementKind.CODE, as_drawn), (ElementKind.PARAGRAPH, "End.")]
    over_the_gap = "===  ===  ===\nA    B    C\n===  ===  ===\nlonger    x\n===  ===  ===".split("\n")
    assert simple_rows(over_the_gap) == ((("A", "B", "C"), ("longer", "", "x")), 1)


@pytest.mark.parametrize("name", ["\u4e2d\u6587", "e\u0301te\u0301s", "\uff21bc"])  # each four columns wide
def test_columns_go_by_the_width_that_signs_show(name: str) -> None:
    padded = f"{name} "
    grid = f"+-------+---+\n| {padded} | x |\n|       +---+\n|       | y |\n+-------+---+"
    assert grid_rows(grid.split("\n")) == (((name, "x"), ("", "y")), 0)
    simple = f"=====  ===\n{padded}  x y\n=====  ==="
    assert simple_rows(simple.split("\n")) == (((name, "x y"),), 0)


def test_columns_that_a_rule_joins_are_one() -> None:
    drawn = "===  ===  ===\n in and   out\n--------  ---\nA    B    C\n===  ===  ===\n1    2    3\n===  ===  ==="
    assert simple_rows(drawn.split("\n")) == ((("in and", "", "out"), ("A", "B", "C"), ("1", "2", "3")), 2)


def test_citations_open_at_words_that_roles_and_links_interrupt() -> None:
    text = "See :ref:`the guide <guide>` and `its source <https://example.org>`_ first.\n"
    (said,) = read(text).elements
    assert said.text in rst.quote(text.encode(), said.locator)


def test_an_include_is_a_recorded_exclusion() -> None:
    found = read("Text.\n\n.. include:: shared/intro.rst\n.. literalinclude:: code/start.py\n   :lines: 1-3\n")
    assert [(unit.kind, unit.state, unit.name) for unit in found.units[1:]] == [
        ("include", "not_extracted", "intro.rst"),
        ("include", "not_extracted", "start.py"),
    ]


def test_cells_of_a_csv_table_over_several_lines_keep_their_words_apart() -> None:
    text = '.. csv-table:: Ports\n   :header: "a"; b\n   :delim: ;\n\n   "two\n   lines"; x, y\n'
    caption, table = read(text).elements
    assert (caption.text, table.rows, table.header_rows) == ("Ports", (("a", "b"), ("two\nlines", "x, y")), 1)


OPTIONS = """.. code-block:: python
   :caption: settings.py for production
   :linenos:

   x = 1

.. figure:: x.png
   :alt: A long
      description
   :width: 30%

   Below.

.. sidebar:: Side
   :subtitle: More *of* it
   :class: wide

   Body.

.. py:attribute:: limit
   :value: 30
   :no-index:

.. toctree::
   :caption: Guides
   :maxdepth: 2

   intro

.. literalinclude:: run.py
   :caption: How it runs
   :emphasize-lines: 1

.. csv-table:: Ports
   :file: data/ports.csv
   :header: "a", "b"
"""


@pytest.mark.req("D2.8")
def test_what_options_say_to_a_reader_is_text() -> None:
    found = read(OPTIONS)
    assert [(e.kind.value, e.text, e.locator.line) for e in found.elements] == [
        ("caption", "settings.py for production", (2, 2)),
        ("code", "x = 1", (5, 5)),
        ("caption", "A long description", (8, 9)),
        ("caption", "Below.", (12, 12)),
        ("paragraph", "Side", (14, 14)),
        ("caption", "More of it", (15, 15)),
        ("paragraph", "Body.", (18, 18)),
        ("paragraph", "limit", (20, 20)),
        ("paragraph", "value: 30", (21, 21)),
        ("caption", "Guides", (25, 25)),
        ("table_of_contents", "intro", (28, 28)),
        ("paragraph", "run.py", (30, 30)),
        ("caption", "How it runs", (31, 31)),
        ("caption", "Ports", (34, 34)),
        ("table", "a | b", (34, 36)),
    ]
    assert [unit.name for unit in found.units if unit.kind == "include"] == ["run.py", "ports.csv"]
    assert ":value: 30" in rst.quote(OPTIONS.encode(), found.elements[8].locator)


def test_powers_and_indices_are_in_signs() -> None:
    (said,) = read("10\\ :sup:`2` of H\\ :sub:`2`\\ O, :sup:`1` Note\n").elements
    assert said.text == "10^2 of H2O, 1 Note"


@pytest.mark.req("D9.3")
def test_cells_over_several_lines_are_found_at_their_place() -> None:
    text = "+------+------+\n| one  | two  |\n| more | last |\n+------+------+\n"
    (table,) = read(text).elements
    assert "one\nmore" in rst.quote(text.encode(), table.locator)
