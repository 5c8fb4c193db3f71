"""The two arms of a search over one scope: which path to take is decided here from counts, never by the planner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from kprep.store import lexical, search
from kprep.store.search import Scope
from kprep.store.sql import Connection
from retrieval import bm25
from retrieval.bm25 import Bm25, Scores

FIRST_LOOK = 2
"""Candidates asked for visibility at first, as a multiple of the hits wanted."""
NARROW_SHARE = 0.1
"""Below this share of visible candidates a scope is narrow: its chunks are listed and the scores cut to them."""


def lexical_hits(
    connection: Connection, scope: Scope, lexicon: str, terms: Mapping[str, float], constants: Bm25, top_k: int
) -> tuple[list[tuple[str, float]], Scores]:
    """Visible chunks by exact BM25, best first: (chunk id, score); and the scores of the whole release."""
    if not terms or constants.chunks == 0:
        return [], bm25.score({}, [], np.empty(0, np.int64), constants)
    found = lexical.postings(connection, scope.kb, lexicon, list(terms))
    absent = np.asarray(lexical.absent(connection, scope.kb, scope.release), dtype=np.int64)
    scores = bm25.score(terms, found, absent, constants)
    return _visible(connection, scope, scores, top_k), scores


def _visible(connection: Connection, scope: Scope, scores: Scores, top_k: int) -> list[tuple[str, float]]:
    """The first `top_k` scored chunks that the scope may see, exactly."""
    hits: list[tuple[str, float]] = []
    start, size = 0, max(FIRST_LOOK * top_k, 50)
    while start < scores.numbers.size and len(hits) < top_k:
        part = scores.numbers[start : start + size]
        visible = search.visible_among(connection, scope, part.tolist())
        hits += _pairs(part, scores.scores[start : start + size], visible)
        start += size
        size *= 4
        if len(visible) < NARROW_SHARE * part.size and start < scores.numbers.size:
            everything = search.visible_all(connection, scope)
            return _pairs(scores.numbers, scores.scores, everything)[:top_k]
    return hits[:top_k]


def _pairs(
    numbers: NDArray[np.int64], scores: NDArray[np.float64], visible: Mapping[int, str]
) -> list[tuple[str, float]]:
    """(chunk id, score) of the visible ones, in the order given."""
    if not visible:
        return []
    kept = np.isin(numbers, np.fromiter(visible, dtype=np.int64, count=len(visible)))
    pairs = zip(numbers[kept].tolist(), scores[kept].tolist(), strict=True)
    return [(visible[number], score) for number, score in pairs]


def dense_hits(
    connection: Connection, scope: Scope, space: str, vector: Sequence[float], top_k: int
) -> list[tuple[str, float]]:
    """Visible chunks by cosine, best first: (chunk id, cosine). Exact over what the scope may see."""
    return search.dense_exact(connection, scope, space, vector, top_k)
