"""What is evidence enough for an answer."""

from __future__ import annotations

import pytest

from kprep.config import EvidenceConfig
from retrieval.evidence import Evidence

FLOORS = EvidenceConfig().model_dump()


@pytest.mark.req("B6.2", "B6.3")
def test_a_question_in_other_words_is_answered_and_one_off_topic_is_not() -> None:
    assert Evidence(0.36, 0.0).enough(FLOORS), "I want my money back, for a passage about refunds"
    assert not Evidence(0.27, 0.09).enough(FLOORS), "the nearest of the handbook's questions off topic"
    assert Evidence(0.0, 0.24).enough(FLOORS)
    assert Evidence(0.25, 0.15).enough(FLOORS)
    assert not Evidence(0.24, 0.15).enough(FLOORS)


def test_without_vectors_words_decide() -> None:
    assert Evidence(None, 0.15).enough(FLOORS)
    assert not Evidence(None, 0.14).enough(FLOORS)


def test_where_cosines_say_little_alone_words_and_likeness_count_together() -> None:
    def found(closeness: float, share: float, known: float) -> bool:
        return Evidence(closeness, share, known, relative=True).enough(FLOORS)

    assert found(0.43, 0.0, 1.0)
    assert found(0.22, 0.13, 1.0)
    assert not found(0.20, 0.08, 0.7), "a question off topic in the documents' language"
    assert found(0.15, 0.0, 0.1), "in another language than the documents"
    assert not found(0.11, 0.0, 0.1)


@pytest.mark.req("B6.2")
def test_an_unknown_identifier_is_not_answered_by_its_neighbour() -> None:
    assert not Evidence(0.48, 0.139, unknown=True).enough(FLOORS), "ERR_CONN_9999, for a passage on ERR_CONN_1046"
