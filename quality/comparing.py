"""Measures of one configuration with their intervals, and two sets of answers question by question. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

from quality.evaluation import RANK_CUTOFF, RANKED_CLASSES, Ask, Evaluation, Ranked, rank, span_in
from quality.intervals import bootstrap
from quality.spec import Expected, Question
from quality.text import words

MEASURES: dict[str, Callable[[Ranked], float]] = {
    "hit@1": lambda item: float(item.first_rank == 1),
    "hit@5": lambda item: float(item.first_rank is not None and item.first_rank <= 5),
    "recall@5": lambda item: item.recall_at_5,
    "ndcg@10": lambda item: item.ndcg_at_10,
    "mrr": lambda item: item.reciprocal_rank,
}
TEXT = 300
SHOWN = 3
"""First hits that are shown of each answer."""


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


def candidates(questions: Sequence[Question], lexical: Ask, dense: Ask | None, limit: int) -> dict[str, int]:
    """{limit, spans, both, lexical, dense, neither}: expected spans that the arms hold among their first `limit` hits.

    What is in neither arm no fusion can find. Questions that raise count as not found.
    """
    told = {"limit": limit, "spans": 0, "both": 0, "lexical": 0, "dense": 0, "neither": 0}
    for question in questions:
        if question.kind not in RANKED_CLASSES:
            continue
        held = [_held(question, ask, limit) if ask is not None else frozenset() for ask in (lexical, dense)]
        for span in dict.fromkeys(question.expected):
            told["spans"] += 1
            arms = [name for name, found in zip(("lexical", "dense"), held, strict=True) if span in found]
            told["both" if len(arms) == 2 else arms[0] if arms else "neither"] += 1
    return told


def _held(question: Question, ask: Ask, limit: int) -> frozenset[Expected]:
    try:
        hits = ask(question, limit)
    except Exception:  # noqa: BLE001  the means say how many could not be asked
        return frozenset()
    texts: dict[str, list[tuple[str, ...]]] = {}
    for hit in hits:
        texts.setdefault(hit.document_uri, []).append(words(hit.text))
    spans = question.expected
    return frozenset(span for span in spans if span_in(texts.get(span.document, []), words(span.quote)))


def simplest(
    configurations: Mapping[str, Mapping[str, Any]], floors: Mapping[str, float | None], least: int
) -> str | None:
    """The first configuration, simplest first, that reaches every floor (measure -> least mean over all classes), shows
    nothing that is denied and answers nothing that has no answer; None when none does, when no floor is set, or when
    under `least` questions have an expected place."""
    wanted = {name: floor for name, floor in floors.items() if floor is not None}
    return next((name for name, found in configurations.items() if wanted and not _against(found, wanted, least)), None)


def passed_over(
    configurations: Mapping[str, Mapping[str, Any]], floors: Mapping[str, float | None], least: int
) -> dict[str, list[str]]:
    """Why each configuration with a higher recall@5 than the simplest was not taken; where none was, why none was."""
    wanted = {name: floor for name, floor in floors.items() if floor is not None}
    chosen = simplest(configurations, floors, least)

    def recall(name: str | None) -> float:
        means = configurations[name]["classes"].get("all") if name is not None else None
        return float(means["recall@5"]["value"]) if means else 0.0

    return {
        name: _against(found, wanted, least) or [f"less simple than {chosen}"]
        for name, found in configurations.items()
        if wanted and (chosen is None or recall(name) > recall(chosen))
    }


def _against(found: Mapping[str, Any], wanted: Mapping[str, float], least: int) -> list[str]:
    """What speaks against a configuration; nothing where it is good enough."""
    means = found["classes"].get("all", {"n": 0})
    said = [
        f"{name} is {means[name]['value']:.3f}, under {floor}"
        for name, floor in wanted.items()
        if means["n"] >= least and means[name]["value"] < floor
    ]
    if means["n"] < least:
        said.append(f"{means['n']} questions with an expected place measured, at least {least} are needed")
    silent, denied, failed = found["no_answer"], found["denied"], len(found["failed"])
    if silent["answered"]:
        said.append(f"it answers {silent['answered']} of {silent['n']} questions without an answer")
    if denied["leaking"]:
        said.append(f"it shows what is forbidden in {denied['leaking']} of {denied['n']} denied questions")
    if failed:
        said.append(f"{failed} questions could not be asked")
    return said


def compared(before: Evaluation, after: Evaluation) -> dict[str, Any]:
    """{better, worse, same, not_compared: [id], questions: [{id, class, verdict, was, is, expected, before, after}]},
    worse ones first.

    A question is better when nDCG@10 rose; one without an answer when it falls silent, one that is denied when it shows
    nothing forbidden any more. What is `expected`, and the first three passages `before` and `after` with the one that
    holds it (`holds`), each with its rank, stand with those that differ. Questions that one of the two could not be
    asked are in `not_compared`.
    """
    old = {item.question.id: item for item in before.ranked}
    rows = _apart(before, after)
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
            expected = [{"document": span.document, "quote": span.quote} for span in item.question.expected]
            row |= {"expected": expected, "before": _passages(old[item.question.id]), "after": _passages(item)}
        rows.append(row)
    told = {row["id"] for row in rows}
    order = {"worse": 0, "better": 1, "same": 2}
    rows.sort(key=lambda row: (order[row["verdict"]], row["id"]))
    return {
        **{verdict: sum(row["verdict"] == verdict for row in rows) for verdict in ("better", "worse", "same")},
        "not_compared": [question.id for question in after.questions if question.id not in told],
        "questions": rows,
    }


def _apart(before: Evaluation, after: Evaluation) -> list[dict[str, Any]]:
    """Rows of the questions without an answer and of those denied, by whether they were given what they must not."""
    wrong = [
        {question.id for question in found.answered} | {leak.question_id for leak in found.leaks}
        for found in (before, after)
    ]
    failed = {question.id for found in (before, after) for question, _ in found.failed}
    rows = []
    for question in after.questions:
        if question.kind in RANKED_CLASSES or question.id in failed:
            continue
        was, now = (question.id in found for found in wrong)
        row = {"id": question.id, "class": question.kind, "question": question.question}
        states = ("silent", "answered") if question.kind == "no_answer" else ("denied", "leaking")
        verdict = "same" if was == now else "worse" if now else "better"
        rows.append({**row, "verdict": verdict, "was": {"state": states[was]}, "is": {"state": states[now]}})
    return rows


def _passages(item: Ranked) -> list[dict[str, Any]]:
    return [
        {"rank": rank, "holds": rank == item.first_rank, "document_uri": hit.document_uri, "text": hit.text[:TEXT]}
        for rank, hit in enumerate(item.hits, start=1)
        if rank <= SHOWN or rank == item.first_rank
    ]


def missed(
    questions: Sequence[Question], ask: Ask, lexical: Ask, dense: Ask | None, limit: int
) -> list[dict[str, Any]]:
    """[{id, class, first_rank, reason}]: questions of which a configuration has not all that is expected among its
    first five hits, and why: nothing was evidence enough, it stands lower, or no arm has it among its first `limit`."""
    rows = []
    for question in questions:
        if question.kind not in RANKED_CLASSES:
            continue
        try:
            found = rank(question, ask(question, RANK_CUTOFF))
        except Exception:  # noqa: BLE001, S112  `failed` says which could not be asked
            continue
        if found.recall_at_5 < 1:
            held = [
                name for name, arm in (("keywords", lexical), ("meaning", dense)) if arm and _held(question, arm, limit)
            ]
            row = {"id": question.id, "class": question.kind, "first_rank": found.first_rank}
            rows.append(row | {"reason": _why_missed(found, held, limit)})
    return rows


def _why_missed(found: Ranked, held: Sequence[str], limit: int) -> str:
    arms = " and ".join(held)
    if not found.hits and held:
        return f"{arms} found it, but nothing was evidence enough to answer: `retrieval.evidence` is the floor"
    if not found.hits:
        return f"no hit: nothing was evidence enough, and what is expected is not among the first {limit} of either arm"
    if found.first_rank:
        return f"part of it is at rank {found.first_rank}" if found.recall_at_5 else f"it is at rank {found.first_rank}"
    if held:
        return f"{arms} found it, but {RANK_CUTOFF} hits or more came before it, or it scored far under the best"
    return f"it is not among the first {limit} of either arm"
