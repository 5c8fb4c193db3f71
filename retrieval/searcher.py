"""Search: the lexical and the dense arm over one scope, joined, with links followed when asked for."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Protocol

from kprep.core.errors import EmbeddingError, RetrievalError
from kprep.store import search as store
from kprep.store.search import Scope
from kprep.store.sql import Connection
from retrieval import arms as arm
from retrieval import context, following, fusion, listing, passage, scoring, tokens
from retrieval.bm25 import Bm25, idf
from retrieval.evidence import Evidence
from retrieval.reader import Reader, hit_of

MODES = ("lexical", "dense", "hybrid", "hybrid+references")
DIFFICULTIES = "known: basic, intermediate, advanced, or a number from 0 (basic) to 1 (advanced)"
NOT_CONFIRMED = "I cannot confirm from the knowledge base."
LEAST_OF_BEST = 0.15
"""Hits below this share of the best one's score are noise."""
BACKGROUND = 256
"""Most passages that tell how alike any two texts are to a model."""


class QueryEmbedder(Protocol):
    """What search needs of an embedder."""

    @property
    def space(self) -> str: ...

    @property
    def languages(self) -> Sequence[str]: ...

    @property
    def relative(self) -> bool: ...

    def embed_query(self, text: str) -> Any:
        """Unit-length vector of a question, shape (dimensions,)."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One question. `top_k`: hits wanted, 1..100.

    `where`: sensitivity, doc_type, language, source -> allowed values, within the view's own filter. `updated_from`,
    `updated_until`: times of the last update. `difficulty` and `style`: what is wanted, else the question's form says.
    `frag_count`: most hits of one section or knowledge entry, 0 for any number. `explain`: each hit with what made its
    score. `budget`: tokens of summary and neighbours that hits may bring along.
    """

    question: str
    view: str | None = None
    mode: str = "hybrid"
    top_k: int = 5
    where: Mapping[str, Sequence[str]] = field(default_factory=dict)
    updated_from: datetime | None = None
    updated_until: datetime | None = None
    difficulty: str = ""
    style: str = ""
    frag_count: int = 0
    explain: bool = False
    budget: int = 0


class Reranker(Protocol):
    """Puts the best passages into a better order, for example with a cross-encoder."""

    def rerank(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """A score for each text, higher is better, in the order of the texts."""


RERANKED = 20
"""Hits a reranker looks at."""


@dataclass(slots=True)
class _Arms:
    """What the two arms found, before they are joined."""

    lexical: list[tuple[str, float]] = field(default_factory=list)
    dense: list[tuple[str, float]] = field(default_factory=list)
    bound: float = 0.0
    weights: Mapping[str, float] = field(default_factory=dict)
    """Word of the question -> how telling it is; words that stand nowhere are left out."""
    share: float | None = None
    """How many of the best chunks by words are visible."""
    known: float = 0.0
    """Share of the question's words that stand in the release."""
    background: float | None = None
    """Cosine of any text of the best one's language, where the embedder's cosines tell only in comparison."""
    scores: dict[str, dict[str, float]] = field(default_factory=dict)
    """Chunk id -> what each arm gave it, as far as it was asked: `lexical` 0..1 of the bound, `dense` a cosine."""
    degraded: list[str] = field(default_factory=list)

    def without(self, chunk_ids: AbstractSet[str]) -> _Arms:
        """The same without what must not come up."""
        lexical = [pair for pair in self.lexical if pair[0] not in chunk_ids]
        return replace(self, lexical=lexical, dense=[pair for pair in self.dense if pair[0] not in chunk_ids])


class Searcher:
    """Answers questions over one reader's release and principals.

    `embedder` is called once, when a question first needs the dense arm; it may raise EmbeddingError.
    """

    def __init__(
        self, reader: Reader, embedder: Callable[[], QueryEmbedder | None], reranker: Reranker | None = None
    ) -> None:
        self._reader = reader
        self._reranker = reranker
        self._make_embedder = embedder
        self._connection: Connection = reader.connection
        configuration = reader.row.configuration
        self._space: str = configuration["embedding_space"]
        self._settings: Mapping[str, Any] = configuration["retrieval"]
        self._lexicon: str = configuration["lexicon"]
        statistics = reader.row.statistics
        chunks, length = int(statistics["chunks"]), int(statistics["length"])
        lexical = self._settings["lexical"]
        self._bm25 = Bm25(lexical["k1"], lexical["b"], chunks, length / chunks if chunks else 1.0)
        weights = {**tokens.DEFAULT_WEIGHTS, **lexical["weights"]}
        if tokens.lexicon_id(weights) != self._lexicon:
            raise RetrievalError(
                f"release {reader.release} was indexed with another tokenizer ({self._lexicon}): run `kprep run` to "
                "publish a release with this one"
            )

    def search(self, request: SearchRequest) -> dict[str, Any]:
        """Hits as in design section 7. Raises: RetrievalError for an unknown mode, view, difficulty, or bad top_k."""
        if request.mode not in MODES:
            raise RetrievalError(f"unknown mode {request.mode!r}; known: {', '.join(MODES)}")
        if not 1 <= request.top_k <= 100:
            raise RetrievalError("top_k must be between 1 and 100")
        if request.difficulty and scoring.level(request.difficulty) is None:
            raise RetrievalError(f"unknown difficulty {request.difficulty!r}; {DIFFICULTIES}")
        if not request.question.strip():
            raise RetrievalError("the question is empty")
        started = time.perf_counter()
        scope, view = self._reader.within(request.view)
        scope = narrowed(scope, request)
        routed = self._settings.get("routing") == "identifiers" and bool(scoring.identifiers_alone(request.question))
        routed = routed and request.mode.startswith("hybrid")
        arms = self._run_arms(request, scope, dense=request.mode != "lexical" and not routed)
        judge = scoring.Judge(
            scoring.asked(request.question, request.difficulty, request.style),
            view.get("boost", {}).get("fragment", {}),
            float(self._settings.get("least_truth", 0.0)),
        )
        speaks = any(map(str.isalnum, request.question))  # signs alone are near to anything
        hits = self._scored(request, *self._found(request, arms, scope, judge), judge) if speaks else []
        if self._reranker is not None:
            hits = _reranked(self._reranker, request.question, hits)
        if request.mode == "hybrid+references":
            hits = following.follow(self._connection, scope, hits, request.question, judge)
        kept = listing.best_of_section(hits, request.frag_count)
        shown, more = listing.fold(kept, request.top_k)
        passage.add(shown, tokens.query_terms(request.question), arms.weights)
        for rank, hit in enumerate(shown, start=1):
            hit["rank"] = rank
        if request.budget:
            context.fill(self._connection, scope, shown, request.budget)
        if view:
            shown = [_project(hit, view["fields"]) for hit in shown]
        answer: dict[str, Any] = {
            "release": self._reader.release,
            "view": request.view,
            "mode": request.mode,
            "degraded": arms.degraded,
            "truncated": more or len(kept) < len(hits),
            **({"routed": "lexical"} if routed else {}),
            "hits": shown,
            "seconds": round(time.perf_counter() - started, 4),
        }
        if not shown:
            answer["message"] = NOT_CONFIRMED
        return answer

    def _found(
        self, request: SearchRequest, arms: _Arms, scope: Scope, judge: scoring.Judge
    ) -> tuple[list[tuple[str, float]], dict[str, dict[str, Any]], _Arms]:
        """Chunk ids with scores, best first, their rows, and the arms, all without what must not come up: neither is it
        evidence, nor a measure for the others."""
        rows: dict[str, dict[str, Any]] = {}
        while True:
            ranked = self._join(request, arms)
            missing = [key for key, _ in ranked if key not in rows]
            found = store.chunks(self._connection, scope, chunk_ids=missing) if missing else []
            rows |= {row["chunk_id"]: row for row in found}
            blocked = {row["chunk_id"] for row in found if judge.blocks(row)}
            if not blocked:
                return ranked, rows, arms
            arms = arms.without(blocked)

    def _scored(
        self,
        request: SearchRequest,
        ranked: Sequence[tuple[str, float]],
        rows: Mapping[str, Mapping[str, Any]],
        arms: _Arms,
        judge: scoring.Judge,
    ) -> list[dict[str, Any]]:
        """Hits in the order of their scores, after what their documents, the view and the question's form have said."""
        present = frozenset(row["document_uri"] for row in rows.values())
        share = 0.0 if judge.question.identifiers else float(self._settings["neighbours"])
        beside = fusion.neighbours(dict(ranked), rows, share)
        parts = self._parts(request, arms) if request.explain else {}
        factors_of = {
            key: judge.factors(rows[key], present) | ({"neighbours": beside[key]} if key in beside else {})
            for key, _ in ranked
            if key in rows
        }
        scores = {key: score * math.prod(factors_of[key].values()) for key, score in ranked if key in rows}
        for key, factor in listing.older(scores, rows).items():
            factors_of[key]["older"] = factor
            scores[key] *= factor
        scored = []
        for key, score in ranked:
            if key not in rows:
                continue
            factors, final = factors_of[key], scores[key]
            hit = hit_of(rows[key], final)
            if request.explain:
                told = {**arms.scores.get(key, {}), **parts.get(key, {})}
                hit["explain"] = {**told, "fused": round(score, 6), "factors": factors}
            scored.append((_casual(rows[key]), -final, key, hit))
        return [hit for *_, hit in sorted(scored, key=lambda item: item[:3])]

    def _parts(self, request: SearchRequest, arms: _Arms) -> dict[str, dict[str, float]]:
        """Chunk id -> what each arm adds to the fused score: `from_lexical`, `from_dense`."""
        if not request.mode.startswith("hybrid"):
            return {}
        if self._settings["fusion"] == "rrf":
            by_words = dict(fusion.reciprocal_rank([arms.lexical, []]))
            by_meaning = dict(fusion.reciprocal_rank([[], arms.dense]))
        else:
            lexical, dense, share = self._weighed(arms)
            by_words, by_meaning = dict(fusion.convex(lexical, {}, share)), dict(fusion.convex({}, dense, share))
        return {
            key: {
                "from_lexical": round(by_words.get(key, 0.0), 6),
                "from_dense": round(by_meaning.get(key, 0.0), 6),
            }
            for key in by_words.keys() | by_meaning.keys()
        }

    def _weighed(self, arms: _Arms) -> tuple[dict[str, float], dict[str, float], float]:
        """Scores of both arms that are summed, and the weight of the second."""
        if self._settings["fusion"] == "weighted":
            return fusion.min_max(dict(arms.lexical)), fusion.min_max(dict(arms.dense)), 0.7
        lexical = fusion.bounded_lexical(arms.lexical, arms.bound)
        weight = float(self._settings["dense_weight"]) if arms.dense else 0.0
        return fusion.leveled(lexical, arms.dense, weight, _closeness(arms))

    def _run_arms(self, request: SearchRequest, scope: Scope, *, dense: bool) -> _Arms:
        arms = _Arms()
        candidates = int(self._settings["candidates"])
        if request.mode != "dense":
            terms = tokens.query_terms(request.question)
            found = arm.lexical_hits(self._connection, scope, self._lexicon, terms, self._bm25, candidates)
            arms.lexical, arms.bound, arms.share = found.hits, found.scores.bound, found.share
            arms.weights = {word: idf(self._bm25.chunks, count) for word, count in found.scores.frequencies.items()}
            words = {word for word in terms.values() if " " not in word}
            arms.known = len(words & arms.weights.keys()) / len(words) if words else 0.0
        if dense:
            self._run_dense(request, scope, candidates, arms)
        if request.explain:
            for name, scores_of in (
                ("lexical", fusion.bounded_lexical(arms.lexical, arms.bound)),
                ("dense", dict(arms.dense)),
            ):
                for key, value in scores_of.items():
                    arms.scores.setdefault(key, {})[name] = round(value, 6)
        return arms

    def _run_dense(self, request: SearchRequest, scope: Scope, candidates: int, arms: _Arms) -> None:
        """Dense arm, or the reason it could not be used. Asked for alone, it must work."""
        if not self._space:
            arms.degraded.append("keyword_only")
            return
        try:
            embedder = self._make_embedder()
            if embedder is None or embedder.space != self._space:
                arms.degraded.append("embedding_model_differs")
            elif request.mode != "dense" and not _speaks(embedder, request.question):
                arms.degraded.append("embedding_language")
            else:
                vector = embedder.embed_query(request.question)
                arms.dense = arm.dense_hits(
                    self._connection, scope, self._space, vector, candidates, self._bm25.chunks, arms.share
                )
                if embedder.relative and arms.dense:
                    best = arms.dense[0][0]
                    arms.background = store.background(self._connection, scope, self._space, vector, best, BACKGROUND)
                if self._reader.row.statistics.get("without_vector", 0):
                    arms.degraded.append("vectors_incomplete")
        except EmbeddingError as error:
            if request.mode == "dense":
                raise
            arms.degraded.append(error.reason)

    def _join(self, request: SearchRequest, arms: _Arms) -> list[tuple[str, float]]:
        """Ranked chunk ids with scores, those below the evidence floor left out."""
        if request.mode == "lexical":
            return arms.lexical
        if request.mode == "dense":
            return fusion.ordered(fusion.bounded_cosine(arms.dense, arms.background or 0.0))
        if self._settings["fusion"] == "rrf":
            ranked = fusion.reciprocal_rank([arms.lexical, arms.dense])
        else:
            ranked = fusion.convex(*self._weighed(arms))
        if not _evidence(arms, request.question).enough(self._settings["evidence"]):
            return []
        floor = LEAST_OF_BEST * ranked[0][1] if ranked else 0.0
        return [(chunk_id, score) for chunk_id, score in ranked if score >= floor]


def _evidence(arms: _Arms, question: str) -> Evidence:
    identifiers = scoring.identifiers_alone(question)
    unknown = bool(identifiers) and not arms.weights.keys() & set(identifiers)
    share = arms.lexical[0][1] / arms.bound if arms.lexical and arms.bound else 0.0
    closeness = _closeness(arms) if arms.dense else None
    return Evidence(closeness, share, arms.known, arms.background is not None, unknown)


def _closeness(arms: _Arms) -> float:
    """Best cosine, bounded; 0 without the dense arm."""
    return max(fusion.bounded_cosine(arms.dense, arms.background or 0.0).values(), default=0.0)


def _speaks(embedder: QueryEmbedder, question: str) -> bool:
    """False when the question is in a script none of the embedder's languages is written in."""
    unspaced = {"zh", "ja", "ko", "th", "lo", "my", "km"}
    return not tokens.is_unspaced(question) or bool(unspaced & set(embedder.languages))


def _casual(row: Mapping[str, Any]) -> bool:
    """What nobody confirmed, or what something later or more formal contradicts, stands after all other hits."""
    return row["store"] != "formal" or bool(row["metadata"].get("outdated_by")) or row["fragment"] == "outdated"


def narrowed(scope: Scope, request: SearchRequest) -> Scope:
    """The scope with the request's own filters: values both allow, and the time of update."""
    where = {name: tuple(values) for name, values in scope.where.items()}
    for name, values in request.where.items():
        where[name] = tuple(value for value in values if name not in where or value in where[name])
    since = [day for day in (scope.updated_from, request.updated_from) if day]
    until = [day for day in (scope.updated_until, request.updated_until) if day]
    return replace(scope, where=where, updated_from=max(since, default=None), updated_until=min(until, default=None))


def _reranked(reranker: Reranker, question: str, hits: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Hits with the first of them in the reranker's order."""
    first, rest = hits[:RERANKED], hits[RERANKED:]
    scores = reranker.rerank(question, [hit["text"] for hit in first])
    order = sorted(range(len(first)), key=lambda number: (-float(scores[number]), number))
    return [{**first[number], "reranked": round(float(scores[number]), 6)} for number in order] + rest


def _project(hit: Mapping[str, Any], fields: Sequence[str]) -> dict[str, Any]:
    """A hit with the fields a view shows; rank, score and ids always, its passage where it shows text and locator."""
    also = ("explain", "context", *(("passage",) if {"text", "locator"} <= set(fields) else ()))
    always = ("rank", "score", "chunk_id", "citation", *(name for name in also if name in hit))
    inner = {**hit["metadata"], **hit}
    return {name: inner.get(name) for name in dict.fromkeys((*always, *fields))}
