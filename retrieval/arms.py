"""The two arms of a search over one scope: which path to take is decided here from counts, never by the planner."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kprep.store import embeddings, lexical, search
from kprep.store.search import Scope
from kprep.store.sql import Connection
from retrieval import bm25
from retrieval.bm25 import Bm25, Scores

FIRST_LOOK = 1.5
"""Candidates asked for visibility at first, as a multiple of the hits wanted."""
NEXT_LOOK = 3
"""Candidates asked for next, as a multiple of what the share of the first that are visible lets expect."""
LISTED = 3
"""Chunks listed one after the other in the time that one chunk is looked up by its number."""
EXACT_LEAST, EXACT_MOST, EXACT_SHARE = 2_000, 8_000, 0.0133
"""Up to this share of a release's chunks, within bounds, all that are visible are compared: at most some 10 ms for each
3,000, and no neighbour is missed. The approximate index would go on long for as few."""
NEAR_MOST = 1_000
"""Most neighbours the approximate index is asked for, as pgvector walks through no more (hnsw.ef_search)."""
WIDE = 4
"""So many times more visible chunks than are compared one by one are surely too many: they need not be counted."""
NEAR_ENOUGH = 50
"""Visible ones among so many that are enough where more are wanted: comparing all visible chunks would take longer."""

Ranked = list[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class Lexical:
    """What the lexical arm found: `hits` (chunk id, score), best first, ties by id; `scores` of the whole release;
    `share`: how many of the best chunks that were looked at are visible, None when there were none."""

    hits: Ranked
    scores: Scores
    share: float | None = None


def lexical_hits(
    connection: Connection, scope: Scope, lexicon: str, terms: Mapping[str, str], constants: Bm25, top_k: int
) -> Lexical:
    """Visible chunks by exact BM25 over the terms (as in `bm25.score`)."""
    if not terms or constants.chunks == 0:
        return Lexical([], bm25.score({}, [], np.empty(0, np.int64), constants))
    found = lexical.postings(connection, scope.kb, lexicon, list(terms))
    absent = np.asarray(lexical.absent(connection, scope.kb, lexicon, scope.release), dtype=np.int64)
    scores = bm25.score(terms, found, absent, constants)
    return _visible(connection, scope, scores, top_k, constants.chunks)


def nearest(
    connection: Connection,
    kb: str,
    release: int,
    lexicon: str,
    terms: Mapping[str, str],
    constants: Bm25,
    count: int,
) -> list[int]:
    """Numbers of the best chunks of a release by BM25, whoever may read them, best first. For the gate, not readers."""
    if not terms or constants.chunks == 0:
        return []
    absent = np.asarray(lexical.absent(connection, kb, lexicon, release), dtype=np.int64)
    found = lexical.postings(connection, kb, lexicon, list(terms))
    return [int(number) for number in bm25.score(terms, found, absent, constants).best(count)[:count]]


def _visible(connection: Connection, scope: Scope, scores: Scores, top_k: int, chunks: int) -> Lexical:
    """The first `top_k` scored chunks that the scope may see, exactly. `chunks`: in the release."""
    size = max(math.ceil(FIRST_LOOK * top_k), 50)
    while True:
        best = scores.best(size)
        visible = search.visible_among(connection, scope, best.tolist())
        share = (len(visible) + 1) / (best.size + 1)
        if len(visible) < top_k and best.size >= size:
            size = max(4 * size, math.ceil(NEXT_LOOK * top_k / share))
            if LISTED * size <= share * chunks:
                continue
            # To list what the scope may see is less work than to go on looking.
            visible = search.visible_all(connection, scope)
        return Lexical(_ranked(visible, scores, top_k), scores, share if best.size else None)


def _ranked(visible: Mapping[int, str], scores: Scores, top_k: int) -> Ranked:
    pairs = zip(visible.values(), scores.of(list(visible)).tolist(), strict=True)
    return sorted((pair for pair in pairs if pair[1] > 0), key=lambda pair: (-pair[1], pair[0]))[:top_k]


def dense_hits(
    connection: Connection,
    scope: Scope,
    space: str,
    vector: Sequence[float],
    top_k: int,
    chunks: int,
    share: float | None = None,
) -> Ranked:
    """Visible chunks by cosine, best first, ties by id: (chunk id, cosine).

    `chunks`: in the release. `share` of them that are visible, as far as the lexical arm tells: it decides how much
    work is tried first, never what is found. Few visible chunks are compared one by one: an approximate index filtered
    afterwards would miss most of them. Many are searched through the index, with more neighbours until enough of them
    are visible.
    """
    most = min(EXACT_MOST, max(EXACT_LEAST, int(EXACT_SHARE * chunks)))
    near = 2 * top_k
    if share is not None and share * chunks > WIDE * most:
        near = min(NEAR_MOST, math.ceil(FIRST_LOOK * top_k / share))
    else:
        few = search.dense_few(connection, scope, space, vector, top_k, most)
        if few is not None:
            return few
    index = embeddings.near_index(connection, space)
    if index is None:
        return search.dense_exact(connection, scope, space, vector, top_k)
    while True:
        hits = search.dense_near(connection, scope, index, vector, near)
        if len(hits) >= top_k or (near >= NEAR_MOST and len(hits) >= NEAR_ENOUGH):
            return hits[:top_k]
        seen = (len(hits) + 1) / (near + 1)
        wanted = math.ceil(NEXT_LOOK * top_k / seen)
        if near >= NEAR_MOST or NEAR_MOST * seen < min(top_k, NEAR_ENOUGH):
            return search.dense_exact(connection, scope, space, vector, top_k)
        near = min(NEAR_MOST, max(4 * near, wanted))
