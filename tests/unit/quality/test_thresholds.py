"""Each threshold of the configuration decides its check."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import pytest

from kprep.config import QualityConfig, ThresholdConfig
from quality import CHECKS
from quality.spec import CandidateDocument, Copy, DocumentFigures, Thresholds
from tests.unit.quality.builder import CHUNKS, TRAVEL, make_candidate, make_chunk

SHRUNK = CandidateDocument(
    "id", TRAVEL, "internal", DocumentFigures(2, 400, 3, "en"), 400, 0.0, live=DocumentFigures(4, 1000, 3, "en")
)
SAID = "The boiler in the cellar is looked after by the house keeper every monday before the first guests come in"
ALIKE = [make_chunk("a.md", 0, f"{SAID} hungry."), make_chunk("b.md", 0, f"{SAID} thirsty.")]
BARE = [replace(make_chunk("a.md", place, f"{SAID} {place}."), keywords=("k",) * (place % 2)) for place in range(20)]
HEADED = [
    make_chunk("a.md", place, f"{'Kelvarra handbook' if place % 2 else 'x' * place}\n{place}") for place in range(14)
]
ODD = [make_chunk("a.md", 0, "A parcel must be sent back within 14 days after it came.")]
OTHER = make_chunk("b.md", 0, "A large parcel must be sent back within 30 days after it came.")
CASES: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "documents_failed": ({"failed_warning": 0.5}, {"failed_warning": 0.1}, {"listed": 10, "failed": 3}),
    "chunks_short": ({"short_words": 2, "short_share": 0.0}, {"short_words": 30, "short_share": 0.0}, {}),
    "text_shrunk": ({"shrunk_share": 0.3}, {"shrunk_share": 0.6}, {"documents": [SHRUNK]}),
    "mass_change": ({"changed_documents": 9}, {"changed_documents": 4}, {"live_documents": 5, "retired": 5}),
    "vectors_wrong": ({"vector_cosine": 0.9}, {"vector_cosine": 0.99}, {"vector_agreement": lambda _: 0.95}),
    "locator_opens": (
        {"locator_words": 0.5},
        {"locator_words": 1.0},
        {"chunks": [make_chunk(TRAVEL, 0, "Hotel costs are reimbursed generously")]},
    ),
    "keywords_missing": ({"without_keywords": 1.0}, {"without_keywords": 0.4}, {"chunks": BARE}),
    "chunks_similar": (
        {"near_duplicate_likeness": 1.0},
        {"near_duplicate_likeness": 0.5},
        {"chunks": ALIKE, "total": 2},
    ),
    "lines_repeated": ({"repeated_share": 1.0}, {"repeated_share": 0.4}, {"chunks": HEADED}),
    "clauses_conflict": (
        {"conflict_likeness": 1.0},
        {"conflict_likeness": 0.6},
        {"chunks": ODD, "near": lambda _: [OTHER]},
    ),
}
"""Check -> thresholds it passes with, thresholds it does not pass with, what the candidate is."""


def test_every_threshold_of_the_configuration_reaches_the_checks_with_the_same_default() -> None:
    configured = ThresholdConfig().model_dump()
    assert {**configured, "locator_sample": QualityConfig().locator_sample} == asdict(Thresholds())


@pytest.mark.req("C4.11")
@pytest.mark.parametrize("code", CASES)
def test_a_threshold_decides(code: str) -> None:
    lenient, strict, changes = CASES[code]
    for given, passes in ((lenient, True), (strict, False)):
        candidate = replace(make_candidate(), **changes, thresholds=replace(Thresholds(), **given))
        found = [finding for finding in CHECKS[code].run(candidate) if finding.code == code]
        assert all(finding.passed for finding in found) == passes, (given, found)


def test_what_repeats_in_a_small_release_warns_and_in_a_large_one_blocks() -> None:
    copies = {CHUNKS[0].chunk_id: (Copy("people/other.md"),)}
    for small, level in ((200, "warning"), (50, "error")):
        thresholds = Thresholds(small_release=small, duplicate_share=0.0)
        candidate = make_candidate(total=100, copies=copies, thresholds=thresholds)
        (finding,) = CHECKS["chunks_duplicate"].run(candidate)
        assert (finding.level, finding.passed) == (level, False)
