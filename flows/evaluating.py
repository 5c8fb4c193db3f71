"""The configurations on the same questions, release, principals and budget; with latency and all settings."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import quantiles
from typing import Any

from flows.progress import report
from flows.questions import question_sets, unheld
from flows.workspace import Workspace
from kprep.core.errors import RetrievalError
from kprep.store import overlay, releases
from kprep.store.database import apart
from kprep.store.sql import Connection
from quality import evaluate as measure
from quality.comparing import candidates, compared, measured, missed, passed_over, simplest
from quality.evaluation import Evaluation
from quality.spec import Hit, Question
from retrieval import Reader, Searcher, SearchRequest
from retrieval.fusion import RRF_CONSTANT
from retrieval.scoring import identifiers_alone

CONCURRENCY = (1, 4, 16)
MOST_TIMED = 48
"""Questions asked at each concurrency."""
RRF = "hybrid (rrf)"
ROUTED, UNROUTED = "hybrid (routed)", "hybrid (not routed)"
SETTINGS: Mapping[str, Mapping[str, str]] = {
    RRF: {"fusion": "rrf"},
    ROUTED: {"routing": "identifiers"},
    UNROUTED: {"routing": "none"},
}
"""Hybrid with these settings, whatever the release is configured to."""
MOST_HITS = 100
TOP_K = 10
"""Hits every configuration may give: the budget is the same for all."""


def evaluate(
    workspace: Workspace, release: int | None, files: Sequence[Path], compare: int | None, *, timed: bool
) -> dict[str, Any]:
    """{knowledge_base, release, settings, latency, latency_by_class, trend, comparison, sets: [{name, questions,
    configurations, candidates, missed, routing, thresholds, simplest, passed_over, stale}]}.

    `files`: question files, each reported apart (tuning and held-out never mix); none: the gate's own. Raises:
    ConfigError without questions, RetrievalError for an unknown release.
    """
    sets = question_sets(workspace, files)
    with workspace.database.begin() as connection:
        reader = Reader(connection, workspace.kb, release, (), _today(), unpublished=release is not None)
        number, configuration = reader.release, reader.row.configuration
        retrieval = configuration["retrieval"]
        configurations = _configurations(configuration)
    timed_asked = [question for _, questions in sets for question in questions][:MOST_TIMED] if timed else []
    # Before anything else is asked, so that the first time is one.
    times = {mode: _timed(workspace, number, mode, timed_asked) for mode in configurations if timed_asked}
    with workspace.database.begin() as connection:
        floors = workspace.base.config.quality.thresholds
        wanted = {"recall@5": floors.recall_at_5, "mrr": floors.mrr}
        out = []
        for name, questions in sets:
            found = {}
            for place, mode in enumerate(configurations):
                report(f"eval {name}", place, len(configurations))
                found[mode] = measured(measure(questions, asker(workspace, connection, number, mode)))
            arms = [
                asker(workspace, connection, number, mode) if mode in found else None for mode in ("lexical", "dense")
            ]
            assert arms[0] is not None
            reach = min(MOST_HITS, retrieval["candidates"])
            plain = asker(workspace, connection, number, configurations[-1])
            stale = unheld(workspace, connection, number, questions)
            out.append(
                {
                    "name": name,
                    "questions": len(questions),
                    "configurations": found,
                    "candidates": candidates(questions, arms[0], arms[1], reach),
                    "missed": _with_labels(missed(questions, plain, arms[0], arms[1], reach), stale),
                    "routing": _routing(workspace, connection, questions, number),
                    "thresholds": wanted,
                    "simplest": simplest(found, wanted, floors.min_questions),
                    "passed_over": passed_over(found, wanted, floors.min_questions),
                    "stale": stale,
                }
            )
        comparison = None
        if compare is not None:
            if releases.get(connection, workspace.kb, compare) is None:
                raise RetrievalError(f"there is no release {compare}: `kprep release list` shows those there are")
            asked = [question for _, questions in sets for question in questions]
            with overlay.before_deletions(connection, workspace.kb, compare, number):
                before, after = (_by_class(workspace, connection, asked, each) for each in (compare, number))
            comparison = {"release": compare, **compared(before, after)}
        trend = _trend(connection, workspace.kb)
    return {
        "knowledge_base": workspace.kb,
        "release": number,
        "made_at": datetime.now(tz=UTC).isoformat(timespec="seconds"),
        "settings": {
            "top_k": TOP_K,
            "candidates per arm": retrieval["candidates"],
            "fusion": retrieval["fusion"],
            "dense weight": retrieval["dense_weight"],
            "rrf constant": RRF_CONSTANT,
            "routing": retrieval.get("routing", "none"),
            "evidence": retrieval["evidence"],
            "bm25": retrieval["lexical"],
            "lexicon": configuration["lexicon"],
            "embedding": configuration["embedding_space"] or "none",
            "reranker": "none",
            "duplicates": "equal passages, and nearly equal ones with equal numbers, count once",
            "unit": "source span: document and quote",
            "intervals": "95 %, percentile bootstrap over questions; exact where all score the same",
            "cold": "each question for the first time in this process; the database's own cache is as it was",
            "principals": "as each question says, the same for every configuration",
        },
        "sets": out,
        "latency": [row for rows, _ in times.values() for row in rows],
        "latency_by_class": [row for _, rows in times.values() for row in rows],
        "trend": trend,
        "comparison": comparison,
    }


def _with_labels(rows: Sequence[Mapping[str, Any]], stale: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Missed questions; of one whose label does not hold, that is why."""
    why = {row["id"]: f"its label is stale: {row['document']}: {row['reason']}" for row in stale}
    return [{**row, "reason": why.get(row["id"], row["reason"])} for row in rows]


def _configurations(configuration: Mapping[str, Any]) -> list[str]:
    """The modes a release can be asked in, simplest first; with fusion by ranks too where another one is configured."""
    if not configuration["embedding_space"]:
        return ["lexical", "hybrid", "hybrid+references"]
    by_ranks = [] if configuration["retrieval"]["fusion"] == "rrf" else [RRF]
    return ["lexical", "dense", *by_ranks, "hybrid", "hybrid+references"]


def asker(
    workspace: Workspace, connection: Connection, release: int, mode: str
) -> Callable[[Question, int], Sequence[Hit]]:
    """Asks a release in one configuration, as the question's principals."""

    def ask(question: Question, top_k: int) -> Sequence[Hit]:
        request = SearchRequest(question.question, None, "hybrid" if mode in SETTINGS else mode, top_k)
        with apart(connection):
            reader = Reader(connection, workspace.kb, release, question.principals, _today(), unpublished=True)
            if mode in SETTINGS:
                settings = {**reader.row.configuration["retrieval"], **SETTINGS[mode]}
                reader.row = replace(reader.row, configuration={**reader.row.configuration, "retrieval": settings})
            searcher = Searcher(reader, lambda: workspace.embedder_of(reader.row.configuration))
            hits = searcher.search(request)["hits"]
        return [Hit(hit["chunk_id"], hit["document_uri"], hit["text"]) for hit in hits]

    return ask


def _routing(
    workspace: Workspace, connection: Connection, questions: Sequence[Question], release: int
) -> dict[str, Any]:
    """{questions, better, worse, same, lost: [id]}: what `retrieval.routing: identifiers` does to those it routes."""
    routed = [question for question in questions if identifiers_alone(question.question)]
    before, after = (measure(routed, asker(workspace, connection, release, mode)) for mode in (UNROUTED, ROUTED))
    told = compared(before, after)
    lost = [row["id"] for row in told["questions"] if row["verdict"] == "worse"]
    return {"questions": len(routed), **{name: told[name] for name in ("better", "worse", "same")}, "lost": lost}


def _by_class(workspace: Workspace, connection: Connection, questions: Sequence[Question], release: int) -> Evaluation:
    """Each question in the mode its class is asked in."""
    plain = asker(workspace, connection, release, "hybrid")
    linked = asker(workspace, connection, release, "hybrid+references")
    return measure(questions, lambda question, k: (linked if question.kind == "reference" else plain)(question, k))


def _timed(
    workspace: Workspace, release: int, mode: str, questions: Sequence[Question]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Milliseconds of whole searches, each with a transaction of its own, and of the warm ones alone by class: first
    asked by this process, then again, alone and several at a time. By class with the tokens that a question costs. What
    cannot be asked is left out; the measures name it."""

    def one(question: Question) -> float:
        started = time.perf_counter()
        with workspace.database.begin() as connection:
            asker(workspace, connection, release, mode)(question, TOP_K)
        return (time.perf_counter() - started) * 1000

    cold = {}
    for question in questions:
        with suppress(Exception):
            cold[question] = one(question)
    questions = list(cold)
    if not questions:
        return [], []
    rows = [_row(mode, "cold", 1, list(cold.values()))]
    for together in CONCURRENCY:
        report(f"timing {mode}", together, max(CONCURRENCY))
        with ThreadPoolExecutor(together) as pool:
            took = list(pool.map(one, questions))
        rows.append(_row(mode, "warm", together, took))
        if together == 1:
            alone = took
    kinds = dict.fromkeys(question.kind for question in questions)
    by_class = []
    for kind in kinds:
        chosen = [place for place, question in enumerate(questions) if question.kind == kind]
        tokens = 0 if mode == "lexical" else sum(_tokens(workspace, questions[place].question) for place in chosen)
        figures = _figures([alone[place] for place in chosen])
        cost = {"embedded_tokens": round(tokens / len(chosen), 1)}
        by_class.append({"configuration": mode, "class": kind, **figures, **cost})
    return rows, by_class


def _tokens(workspace: Workspace, text: str) -> int:
    embedder = workspace.embedder
    return embedder.count_tokens(text) if embedder is not None else 0


def _row(mode: str, state: str, together: int, times: Sequence[float]) -> dict[str, Any]:
    return {"configuration": mode, "state": state, "concurrency": together, **_figures(times)}


def _figures(times: Sequence[float]) -> dict[str, Any]:
    """{n, p50_ms, p95_ms}; the highest time is the 95th percentile of fewer than twenty."""
    cuts = quantiles(times, n=20, method="inclusive") if len(times) > 1 else list(times) * 19
    last = max(times) if len(times) < 20 else cuts[18]
    return {"n": len(times), "p50_ms": round(cuts[9], 2), "p95_ms": round(last, 2)}


def _trend(connection: Connection, kb: str) -> list[dict[str, Any]]:
    """Recall@5 by class as the gates of the published releases measured it, oldest first."""
    rows = []
    for row in reversed(releases.list_releases(connection, kb)):
        classes = (row.report or {}).get("evaluation", {}).get("classes", {})
        shares = {kind: means["recall@5"] for kind, means in classes.items() if means.get("recall@5") is not None}
        if row.published_at is not None and shares:
            rows.append({"release": row.release, "recall@5": shares})
    return rows


def _today() -> Any:
    return datetime.now(tz=UTC).date()
