"""What is evidence enough for an answer."""

from __future__ import annotations

import pytest

from kprep.config import EvidenceConfig
from retrieval.searcher import _Arms, _has_evidence

FLOORS = EvidenceConfig().model_dump()


def found(cosine: float, share: float, *, relative: bool = False) -> bool:
    return _has_evidence(_Arms([("a", 10 * share)], [("a", cosine), ("b", 0.0)], 10.0, relative=relative), FLOORS)


@pytest.mark.req("B6.2", "B6.3")
def test_a_question_in_other_words_is_answered_and_one_off_topic_is_not() -> None:
    assert found(0.36, 0.0), "I want my money back, for a passage about refunds"
    assert not found(0.27, 0.09), "the nearest of the handbook's questions off topic"
    assert found(0.0, 0.24)
    assert found(0.25, 0.15)
    assert not found(0.24, 0.15)


def test_without_vectors_words_decide() -> None:
    arms = _Arms([("a", 1.5)], [], 10.0)
    assert _has_evidence(arms, FLOORS)
    assert not _has_evidence(_Arms([("a", 1.4)], [], 10.0), FLOORS)


def test_cosines_that_say_little_alone_count_by_how_far_they_stand_out() -> None:
    assert found(0.18, 0.0, relative=True)
    assert not found(0.17, 0.0, relative=True)
