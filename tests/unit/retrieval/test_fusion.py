"""Joining two arms."""

from __future__ import annotations

import pytest

from retrieval import fusion


@pytest.mark.req("A5.1", "C2.8")
def test_the_share_of_each_arm_is_the_weight_given() -> None:
    joined = fusion.convex({"a": 1.0, "b": 0.5}, {"b": 1.0, "c": 1.0}, 0.7)
    assert [key for key, _ in joined] == ["b", "c", "a"]
    assert [score for _, score in joined] == pytest.approx([0.85, 0.7, 0.3])


@pytest.mark.req("C2.1", "C2.2", "C2.3", "C2.4", "C2.5", "C2.6", "C2.7")
def test_ranks_are_joined_from_one_and_a_missing_list_adds_nothing() -> None:
    joined = dict(fusion.reciprocal_rank([[("a", 9.0), ("b", 1.0)], [("b", 0.2)]], constant=60))
    assert joined == {"a": pytest.approx(1 / 61), "b": pytest.approx(1 / 62 + 1 / 61)}
    assert "c" not in joined, "what no list holds cannot be recovered"


def test_each_arm_counts_by_what_is_best_in_it() -> None:
    joined = fusion.balanced({"a": 0.3, "b": 0.15}, [("b", 0.8), ("c", 0.7), ("d", 0.6)], 0.5, 0.8)
    level = 0.5 * 0.3 + 0.5 * 0.8
    assert [key for key, _ in joined] == ["b", "a", "c", "d"]
    assert [score for _, score in joined] == pytest.approx([level * 0.75, level * 0.5, level * 0.25, 0.0])
    assert fusion.balanced({"a": 0.3}, [], 0.0, 0.0) == [("a", 0.3)], "one arm alone keeps its scores"
    assert dict(fusion.balanced({}, [("a", 0.4)], 0.5, 0.4)) == {"a": pytest.approx(0.2)}


def test_keywords_count_less_where_hardly_any_is_found() -> None:
    joined = dict(fusion.balanced({"a": fusion.TRUSTED / 4}, [("b", 0.8), ("c", 0.1)], 0.5, 0.8))
    assert joined["a"] == pytest.approx(joined["b"] / 4)


def test_cosines_that_say_little_alone_count_from_the_background() -> None:
    ranked = [("a", 0.9), ("b", 0.85), ("c", 0.7)]
    assert fusion.bounded_cosine(ranked) == dict(ranked)
    assert fusion.bounded_cosine(ranked, 0.8) == {"a": pytest.approx(0.5), "b": pytest.approx(0.25), "c": 0.0}
    assert fusion.bounded_cosine([("a", 1.0)], 1.0) == {"a": 0.0}
    assert fusion.bounded_cosine([("a", -0.2)]) == {"a": 0.0}
