"""Measures of one configuration with their intervals, and two sets of answers question by question. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

from quality.evaluation import RANKED_CLASSES, Evaluation, Ranked
from quality.intervals import bootstrap

MEASURES: dict[str, Callable[[Ranked], float]] = {
    "hit@1": lambda item: float(item.first_rank == 1),
    "hit@5": lambda item: float(item.first_rank is not None and item.first_rank <= 5),
    "recall@5": lambda item: item.recall_at_5,
    "ndcg@10": lambda item: item.ndcg_at_10,
    "mrr": lambda item: item.reciprocal_rank,
}
TEXT = 300


def measured(found: Evaluation) -> dict[str, Any]:
    """{classes: {class: {n, measure: {value, low, high}}}, no_answer, denied, failed, questions}.

    Class "all" is over the four classes with an expected place; no_answer and denied are in no mean.
    """
    groups = {"all": list(found.ranked)}
    groups |= {kind: [item for item in found.ranked if item.question.kind == kind] for kind in RANKED_CLASSES}
    told = found.to_json()
    return {
        "classes": {kind: _means(items) for kind, items in groups.items() if items},
        "no_answer": told["no_answer"],
        "denied": told["denied"],
        "failed": told["failed"],
        "questions": [
            {"id": item.question.id, "class": item.question.kind, "first_rank": item.first_rank}
            | {name: round(measure(item), 4) for name, measure in MEASURES.items()}
            for item in found.ranked
        ],
    }


def _means(items: Sequence[Ranked]) -> dict[str, Any]:
    out: dict[str, Any] = {"n": len(items)}
    for name, measure in MEASURES.items():
        values = [measure(item) for item in items]
        interval = bootstrap(values)
        low, high = interval if interval is not None else (None, None)
        out[name] = {"value": round(fmean(values), 4), "low": low, "high": high}
    return out


def compared(before: Evaluation, after: Evaluation) -> dict[str, Any]:
    """{better, worse, same, questions: [{id, class, verdict, was, is, before, after}]}, worse ones first.

    A question is better when nDCG@10 rose. `before` and `after` hold the first three passages of those that differ.
    """
    old = {item.question.id: item for item in before.ranked}
    rows = []
    for item in after.ranked:
        if item.question.id not in old:
            continue
        was, now = old[item.question.id].ndcg_at_10, item.ndcg_at_10
        verdict = "same" if abs(now - was) < 1e-9 else "better" if now > was else "worse"
        row: dict[str, Any] = {
            "id": item.question.id,
            "class": item.question.kind,
            "question": item.question.question,
            "verdict": verdict,
            "was": {"first_rank": old[item.question.id].first_rank, "ndcg@10": round(was, 4)},
            "is": {"first_rank": item.first_rank, "ndcg@10": round(now, 4)},
        }
        if verdict != "same":
            row |= {"before": _passages(old[item.question.id]), "after": _passages(item)}
        rows.append(row)
    order = {"worse": 0, "better": 1, "same": 2}
    rows.sort(key=lambda row: (order[row["verdict"]], row["id"]))
    return {
        **{verdict: sum(row["verdict"] == verdict for row in rows) for verdict in ("better", "worse", "same")},
        "questions": rows,
    }


def _passages(item: Ranked) -> list[dict[str, str]]:
    return [{"document_uri": hit.document_uri, "text": hit.text[:TEXT]} for hit in item.hits[:3]]
