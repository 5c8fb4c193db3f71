"""What is embedded, by key."""

from __future__ import annotations

import pytest

from embedding import EmbeddingPlan, plan_embeddings
from kprep.core.errors import EmbeddingError


@pytest.mark.req("D7.12", "D11.3")
def test_known_and_repeated_keys_cost_nothing() -> None:
    plan = plan_embeddings([("k2", "longer"), ("k1", "text"), ("k1", "text"), ("k3", "known")], {"k3", "k9"})
    assert plan == EmbeddingPlan((("k1", "text"), ("k2", "longer")), cache_hits=1, repeats=1)


def test_one_key_for_two_texts_is_an_error() -> None:
    with pytest.raises(EmbeddingError):
        plan_embeddings([("k", "one"), ("k", "two")], set())
