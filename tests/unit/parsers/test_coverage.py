"""Every word of a source is in some element or in a recorded exclusion: the figure, over a file of every format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kprep.core.errors import ParseError
from kprep.core.models import ParsedDocument, RawDocument
from parsers import PARSERS, coverage, parse, parser_for
from parsers.media_type import detect

GOLDEN = Path(__file__).parents[2] / "golden" / "parsers"
LEAST = 0.98
"""What the other reading may hold beyond the words: a header the next page repeats, how a mail writes its date."""
TOLD_OTHERWISE = {"spreadsheet-sheets": 0.96}
"""Names of empty sheets."""

HEARD = {"recording"}
"""There is no second reading to count words by."""

SAID_TWICE = {"data_dictionary", "json_schema", "notebook"}
"""Parsers whose elements lie inside one another's places, or resolve references: only all of them are missed."""


def parsed() -> Iterator[tuple[str, RawDocument, ParsedDocument]]:
    for folder in sorted(path for path in GOLDEN.iterdir() if path.is_dir() and path.name != "__pycache__"):
        path = next(folder.glob("input*"))
        content = path.read_bytes()
        try:
            raw = RawDocument("u", path.name, content, detect(path.name, content))
            yield folder.name, raw, parse(raw, parser_for(raw.media_type))
        except ParseError:
            continue  # a case that is refused


CASES = list(parsed())


def test_there_is_a_case_of_every_parser() -> None:
    assert {name.partition("-")[0] for name, _, _ in CASES} | HEARD == set(PARSERS)


@pytest.mark.req("D3.1", "D3.2")
@pytest.mark.parametrize(("name", "raw", "document"), CASES, ids=[name for name, _, _ in CASES])
def test_every_source_word_is_accounted_for(name: str, raw: RawDocument, document: ParsedDocument) -> None:
    assert coverage(raw, document) >= TOLD_OTHERWISE.get(name, LEAST)


@pytest.mark.parametrize(("name", "raw", "document"), CASES, ids=[name for name, _, _ in CASES])
def test_lost_elements_show_in_the_figure(name: str, raw: RawDocument, document: ParsedDocument) -> None:
    count = 0 if name.partition("-")[0] in SAID_TWICE else len(document.elements) // 3
    shortest = sorted(document.elements, key=lambda element: len(element.text))[:count]
    assert coverage(raw, replace(document, elements=tuple(shortest))) < coverage(raw, document) - 0.05


@pytest.mark.req("D3.2")
@pytest.mark.parametrize(("name", "raw", "document"), CASES, ids=[name for name, _, _ in CASES])
def test_words_lost_inside_elements_show_in_the_figure(name: str, raw: RawDocument, document: ParsedDocument) -> None:
    """The places of the elements are all there: it is not them alone that count."""
    halved = [replace(element, text=element.text[: len(element.text) // 2]) for element in document.elements]
    assert coverage(raw, replace(document, elements=tuple(halved))) < coverage(raw, document) - 0.1


def test_a_table_whose_cells_are_cut_off_is_not_whole() -> None:
    content = b"# Ports\n\n| port | meaning |\n|---|---|\n| 5432 | where the database listens |\n"
    raw = RawDocument("u", "ports.md", content, detect("ports.md", content))
    document = parse(raw, parser_for(raw.media_type))
    table = document.elements[-1]
    cut = replace(table, text=table.text.replace("listens", ""))
    assert coverage(raw, document) == 1.0
    assert coverage(raw, replace(document, elements=(*document.elements[:-1], cut))) < 0.9


def test_a_page_is_counted_in_the_encoding_it_declares() -> None:
    content = "<meta charset=iso-8859-2><p>Zażółć gęślą jaźń".encode("iso-8859-2")
    raw = RawDocument("u", "pl.html", content, detect("pl.html", content))
    assert coverage(raw, parse(raw, parser_for(raw.media_type))) == 1.0


SPECIFICATION = """openapi: 3.0.3
info:
  title: Pumps
  version: '2'
  contact: {name: Team Water, url: https://pumps.example.com}
  license: {name: Apache}
x-team: {channel: water-works}
paths:
  /pumps:
    get:
      parameters:
        - {name: fields, in: query, style: pipeDelimited, schema: {type: string}}
      responses:
        '200':
          description: all
          links: {next: {operationId: nextPump}}
components:
  schemas:
    Pump: {type: object, additionalProperties: false, properties: {name: {type: string, xml: {attribute: label}}}}
"""


@pytest.mark.req("D3.2")
def test_the_words_of_a_specification_count_where_some_element_says_them() -> None:
    raw = RawDocument("u", "a.yaml", SPECIFICATION.encode(), "application/vnd.oai.openapi")
    document = parse(raw, parser_for(raw.media_type))
    assert coverage(raw, document) == 1
    said = " ".join(element.text for element in document.elements)
    for word in ("Team Water", "Apache", "water-works", "pipeDelimited", "nextPump", "label", "additionalProperties"):
        assert word in said
    without = tuple(element for element in document.elements if "Apache" not in element.text)
    assert coverage(raw, replace(document, elements=without)) < 1
