"""What is gone from a document since its live version."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from kprep.core.ids import document_id
from quality.sections import sections_gone
from quality.spec import CandidateDocument, DocumentFigures, Finding, Passage
from tests.unit.quality.builder import TRAVEL, make_candidate, make_chunk

HOTELS = "Hotel costs are reimbursed up to 140 EUR per night, breakfast included."
TAXIS = "Taxis need a receipt and a good reason, and trains in second class are always allowed."
VISAS = "Visas are ordered by the travel desk, which keeps the passports in the meantime."
LIVE: list[Passage] = [
    (("Travel", "Hotels"), HOTELS),
    (("Travel", "Taxis"), TAXIS),
    (("Travel", "Visas", "Example"), VISAS),
]


def gone(now: Sequence[Passage], live: Sequence[Passage] = LIVE) -> Finding:
    chunks = [make_chunk(TRAVEL, number, text, heading_path=path) for number, (path, text) in enumerate(now)]
    figures = DocumentFigures(len(live), 300, 3, "en")
    document = CandidateDocument(document_id("kb", "people", TRAVEL), TRAVEL, "internal", figures, 300, 0.0, figures)
    (finding,) = sections_gone(make_candidate(chunks, documents=[document], live_text=lambda _: live))
    return finding


@pytest.mark.req("D9.2")
def test_a_section_that_was_cut_is_named_with_its_words() -> None:
    finding = gone([LIVE[0], LIVE[2]])
    assert (finding.passed, finding.level) == (False, "warning")
    assert finding.samples == ({"document_uri": TRAVEL, "heading": "Taxis", "words": 16},)


def test_one_section_of_several_with_the_same_heading() -> None:
    live = [
        *LIVE,
        (("Travel", "Taxis", "Example"), "A ride to the airport of Rotterdam at night, with two large bags."),
    ]
    assert [sample["heading"] for sample in gone(live[:3], live).samples] == ["Example"]


def test_a_short_section_within_a_chunk() -> None:
    live = [(("Travel",), f"Hotels\n\n{HOTELS}\n\nTaxis\n\n{TAXIS}\n\nVisas\n\n{VISAS}")]
    now = [(("Travel",), f"Hotels\n\n{HOTELS}\n\nVisas\n\n{VISAS}")]
    assert [sample["heading"] for sample in gone(now, live).samples] == ["Taxis"]


def test_text_without_headings() -> None:
    live: list[Passage] = [((), text) for _, text in LIVE]
    assert gone(live[:2], live).samples == ({"document_uri": TRAVEL, "heading": "", "words": 14},)


@pytest.mark.parametrize(
    "now",
    [
        [LIVE[2], LIVE[0], LIVE[1]],
        [LIVE[0], (("Travel", "Cabs"), TAXIS), LIVE[2]],
        [(("Travel",), f"{HOTELS} {TAXIS} {VISAS}")],
        [((), f"Hotels\n\n{HOTELS}\n\nTaxis\n\n{TAXIS}\n\nVisas\n\nExample\n\n{VISAS}")],
        [
            LIVE[0],
            (("Travel", "Taxis"), "Cabs are paid for by the office of the host when he calls one for you."),
            LIVE[2],
        ],
        [LIVE[0], (("Travel", "Taxis"), TAXIS.replace("good reason", "reason")), LIVE[2]],
    ],
    ids=["moved", "renamed", "joined", "headings as lines", "rewritten", "a word less"],
)
def test_what_is_said_elsewhere_or_otherwise_is_not_gone(now: Sequence[Passage]) -> None:
    assert gone(now).passed


OTHER = "people/cabs.md"


def split(moved: str, acl: tuple[str, ...] = ("staff",), *, is_new: bool = True) -> Finding:
    now = [make_chunk(TRAVEL, 0, HOTELS, heading_path=("Travel", "Hotels"), acl=("staff",))]
    now += [make_chunk(OTHER, 0, moved, heading_path=("Cabs",), acl=acl, is_new=is_new)]
    figures = DocumentFigures(2, 300, 3, "en", ("staff",))
    document = CandidateDocument(document_id("kb", "people", TRAVEL), TRAVEL, "internal", figures, 300, 0.0, figures)
    (finding,) = sections_gone(make_candidate(now, documents=[document], live_text=lambda _: LIVE[:2]))
    return finding


def test_a_section_that_stands_in_another_file_for_the_same_readers_is_not_gone() -> None:
    assert split(TAXIS).passed
    assert split(f"Our cabs are yellow. {TAXIS} Ask the desk.", ("public",)).passed


def test_a_section_of_which_another_file_has_a_phrase_or_for_others_is_gone() -> None:
    assert not split("Taxis need a receipt here too, and bicycles need none.").passed
    assert not split(TAXIS, ("board",)).passed
    assert not split(TAXIS, is_new=False).passed
