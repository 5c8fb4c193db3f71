"""Joining the ranked lists of two arms. Pure. Scores are floats, higher is better; ties go by chunk id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

RRF_CONSTANT = 60
TRUSTED = 0.3
"""Bounded lexical score of the best hit from which the lexical arm has its full weight."""

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


def balanced(
    lexical: Mapping[str, float], dense: Ranked, dense_weight: float, closeness: float
) -> list[tuple[str, float]]:
    """Weighted sum of what `leveled` gives."""
    return convex(*leveled(lexical, dense, dense_weight, closeness))


def leveled(
    lexical: Mapping[str, float], dense: Ranked, dense_weight: float, closeness: float
) -> tuple[dict[str, float], dict[str, float], float]:
    """A chunk's share of the best lexical score, its cosine between the last candidate's and the best one's, and the
    weight of the second, so that neither arm rules because its scores run higher or closer together. Both times the
    weighted sum of the arms' best scores, so that the sums still compare between questions.

    `lexical`: bounded. `closeness`: best cosine, bounded. The lexical arm weighs less in proportion where even its best
    score is below TRUSTED: few of the question's words stand in the passages, most often because of their language.
    """
    best = max(lexical.values(), default=0.0)
    weight = (1 - dense_weight) * min(1.0, best / TRUSTED)
    share = dense_weight / (weight + dense_weight) if dense_weight else 0.0  # one arm alone needs no trust
    level = (1 - dense_weight) * best + dense_weight * closeness
    shares = {key: level * score / best for key, score in lexical.items()} if best > 0 else {}
    return shares, {key: level * score for key, score in min_max(dict(dense)).items()}, share


def bounded_cosine(ranked: Ranked, background: float = 0.0) -> dict[str, float]:
    """Cosines cut to 0..1: vectors that point apart are not evidence.

    `background`: cosine of any two texts, for models whose cosines say little alone; counted is the share of the way
    from there to 1.
    """
    way = 1 - background
    return {key: min(1.0, max(0.0, (cosine - background) / way)) if way > 0 else 0.0 for key, cosine in ranked}


def neighbours(scores: Mapping[str, float], rows: Mapping[str, Mapping[str, Any]], share: float) -> dict[str, float]:
    """Chunk id -> factor on its score (4 digits) that adds a share of the best score near it in its section: of those
    beside it, and of half the scores of those two away. What stands near a good passage is likely of use. Only chunks
    that gain, and no messages of people to each other, which would outrank a text that says the same once."""

    def place(row: Mapping[str, Any], step: int = 0) -> tuple[str, str, int]:
        return row["document_uri"], row["parent_id"], row["ordinal"] + step

    places = {place(rows[key]): score for key, score in scores.items() if key in rows}
    out = {}
    for key, row in rows.items():
        score = scores.get(key, 0.0)
        near = max(places.get(place(row, step), 0.0) / abs(step) for step in (-2, -1, 1, 2))
        if score > 0 and share * near > 0 and row["locator"].get("message") is None:
            out[key] = round(1 + share * near / score, 4)
    return out


def min_max(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores stretched so that the best is 1 and the worst 0; all 1 when they are equal."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    return {key: (value - low) / (high - low) if high > low else 1.0 for key, value in scores.items()}


def ordered(scores: Mapping[str, float]) -> list[tuple[str, float]]:
    """Best first, ties by id."""
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
