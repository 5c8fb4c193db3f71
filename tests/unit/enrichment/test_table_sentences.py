"""Tables are indexed as sentences and cited as tables."""

from __future__ import annotations

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


def test_a_header_alone_stays_a_table() -> None:
    assert rows_as_sentences(table("Code | Meaning")) == "Code | Meaning"
