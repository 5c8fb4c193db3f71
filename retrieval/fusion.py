"""Joining the ranked lists of two arms. Pure. Scores are floats, higher is better; ties go by chunk id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

RRF_CONSTANT = 60

Ranked = Sequence[tuple[str, float]]


def reciprocal_rank(lists: Sequence[Ranked], constant: int = RRF_CONSTANT) -> list[tuple[str, float]]:
    """Reciprocal rank fusion: score(d) = sum over lists of 1 / (constant + rank), ranks from 1, missing adds 0.

    A document that is in no list cannot be recovered. Source: Cormack, Clarke, Buettcher, SIGIR 2009.
    """
    scores: dict[str, float] = {}
    for ranked in lists:
        for rank, (chunk_id, _) in enumerate(ranked, start=1):
            scores[chunk_id] = scores.get(chunk_id, 0.0) + 1.0 / (constant + rank)
    return ordered(scores)


def convex(lexical: Mapping[str, float], dense: Mapping[str, float], dense_weight: float) -> list[tuple[str, float]]:
    """Weighted sum of two scores that lie in 0..1; a chunk missing from an arm adds 0 for it."""
    keys = lexical.keys() | dense.keys()
    return ordered(
        {key: (1 - dense_weight) * lexical.get(key, 0.0) + dense_weight * dense.get(key, 0.0) for key in keys}
    )


def bounded_lexical(ranked: Ranked, bound: float) -> dict[str, float]:
    """BM25 scores divided by the highest the question could reach: 0..1, comparable between questions."""
    return {chunk_id: score / bound for chunk_id, score in ranked} if bound > 0 else {}


def bounded_cosine(ranked: Ranked, unrelated: float) -> dict[str, float]:
    """Cosines as 0..1 between what the model gives unrelated texts and 1: vectors further apart are no evidence."""
    return {chunk_id: min(1.0, max(0.0, (cosine - unrelated) / (1 - unrelated))) for chunk_id, cosine in ranked}


def min_max(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores stretched so that the best is 1 and the worst 0; all 1 when they are equal."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    return {key: (value - low) / (high - low) if high > low else 1.0 for key, value in scores.items()}


def ordered(scores: Mapping[str, float]) -> list[tuple[str, float]]:
    """Best first, ties by id."""
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
