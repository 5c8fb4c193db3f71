"""Laws of the embedding gate."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from embedding import plan_embeddings
from kprep.core.ids import embedding_key

TEXTS = st.lists(st.sampled_from(["a", "bb", "ccc", "été", "été ", "dddd"]), max_size=20)


@given(texts=TEXTS, known=TEXTS, seed=st.randoms(use_true_random=False))
def test_each_unknown_key_is_computed_once_in_any_input_order(texts: list[str], known: list[str], seed: object) -> None:
    rows = [(embedding_key("space", text), text) for text in texts]
    have = {embedding_key("space", text) for text in known}
    plan = plan_embeddings(rows, have)
    computed = [key for key, _ in plan.compute]
    assert len(set(computed)) == len(computed)
    assert set(computed) == {key for key, _ in rows} - have
    assert len(computed) + plan.cache_hits + plan.repeats == len(rows)
    seed.shuffle(rows)  # type: ignore[attr-defined]
    assert plan_embeddings(rows, have) == plan


@given(texts=TEXTS)
def test_a_second_run_computes_nothing(texts: list[str]) -> None:
    rows = [(embedding_key("space", text), text) for text in texts]
    assert plan_embeddings(rows, {key for key, _ in rows}).compute == ()
