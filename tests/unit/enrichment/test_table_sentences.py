"""Tables are indexed as sentences and cited as tables."""

from __future__ import annotations

from dataclasses import replace

import pytest

from enrichment.documents import rows_as_sentences
from kprep.core.models import ChildChunk, Locator


def table(text: str, lead: str = "") -> ChildChunk:
    return ChildChunk("k", "p", "table", (), lead + text, lead, 0, len(text), 0, Locator(), ())


@pytest.mark.req("D4.14")
def test_each_row_becomes_a_sentence_with_its_fields() -> None:
    assert rows_as_sentences(table("Code | Meaning\nE07 | probe missing\nE11 | memory full")) == (
        "Code: E07; Meaning: probe missing.\nCode: E11; Meaning: memory full."
    )


@pytest.mark.req("D4.13", "D4.14")
def test_a_later_part_uses_the_header_it_repeats_and_keeps_other_lines() -> None:
    part = table("E19 | clock reset\n\nSee the manual.", lead="Code | Meaning\n")
    assert rows_as_sentences(part) == "Code: E19; Meaning: clock reset.\n\nSee the manual."


@pytest.mark.req("D4.13", "D4.14")
def test_the_header_is_the_one_the_chunk_knows_of() -> None:
    plan = table("Energy 2024 |  | \nSite | In | Out\nNorth | 1 | 2")
    assert rows_as_sentences(replace(plan, header_rows=2)) == "Site: North; In: 1; Out: 2."
    levels = table("Site | 2024 | 2024\nSite | In | Out\nNorth | 1 | 2")
    assert rows_as_sentences(replace(levels, header_rows=2)) == "Site: North; 2024 / In: 1; 2024 / Out: 2."
    form = table("Max. pressure | 10 bar\nMin. pressure | 2 bar")
    assert rows_as_sentences(replace(form, header_rows=0)) == "Max. pressure: 10 bar.\nMin. pressure: 2 bar."


def test_a_header_alone_stays_a_table() -> None:
    assert rows_as_sentences(table("Code | Meaning")) == "Code | Meaning"


def test_a_column_without_a_value_is_found_by_its_name() -> None:
    assert rows_as_sentences(table("Type | Insulation | Non sticky\nA | Gas | \nB | Oil | ")) == (
        "Non sticky\nType: A; Insulation: Gas.\nType: B; Insulation: Oil."
    )
