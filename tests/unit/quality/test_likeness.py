"""Documents that repeat another one."""

from __future__ import annotations

from typing import Any

from kprep.core.ids import document_id
from quality.likeness import documents_repeated
from quality.spec import CandidateChunk, CandidateDocument, DocumentFigures, Finding
from tests.unit.quality.builder import TRAVEL, make_candidate, make_chunk

NEW = "people/travel-new.md"
TEXTS = (
    "Hotel costs are reimbursed up to 140 EUR per night, breakfast included, against the bill of the house.",
    "Taxis need a receipt and a good reason, and trains in second class are always allowed on every way.",
    "Visas are ordered by the travel desk, which keeps the passports in the meantime in its safe.",
)
NEARLY = tuple(f"{text[:-1]} now." for text in TEXTS)
LIVE = [make_chunk(TRAVEL, number, text, is_new=False) for number, text in enumerate(TEXTS)]


def repeated(*texts: str, live: list[CandidateChunk] | None = None, **changes: Any) -> Finding:
    chunks = [make_chunk(NEW, number, text) for number, text in enumerate(texts)]
    figures = DocumentFigures(len(texts), 300, 1, "en")
    document = CandidateDocument(document_id("kb", "people", NEW), NEW, "internal", figures, 300, 0.0)
    held = LIVE if live is None else live
    (finding,) = documents_repeated(make_candidate([*held, *chunks], documents=[document], **changes))
    return finding


def test_a_whole_copy_and_most_of_one_are_named() -> None:
    assert repeated(*TEXTS).samples == ({"document_uri": NEW, "other_uri": TRAVEL, "share": 1.0},)
    assert not repeated(*TEXTS, "See also the map.").passed


def test_one_that_is_nearly_the_same_as_an_unchanged_one() -> None:
    finding = repeated(*NEARLY, live=[], near=lambda _: LIVE)
    assert finding.samples == ({"document_uri": NEW, "other_uri": TRAVEL, "share": 1.0},)


def test_a_part_in_common_is_no_copy_nor_is_what_supersedes_or_has_ended() -> None:
    assert repeated(
        TEXTS[0], "The rest of the page is about something else, such as the garden and its old fence."
    ).passed
    assert repeated("Hotel costs are paid.", live=[make_chunk(TRAVEL, 0, "Hotel costs are paid.")]).passed
    assert repeated(*TEXTS, replaced={TRAVEL: (NEW,)}).passed
    assert repeated(*TEXTS, expired=frozenset({TRAVEL})).passed
