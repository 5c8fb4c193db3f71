"""Fixed questions as checks: is the candidate good enough, no worse than what is live, and silent where it must be?

Each check evaluates on its own; `run_gate` makes `ask` remember its answers, so each question is asked once a release.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from quality.evaluation import RANKED_CLASSES, Evaluation, Ranked, evaluate, span_in
from quality.samples import first
from quality.spec import Candidate, CheckSpec, Expected, Finding, Level, Question
from quality.text import words

_ROUNDING = 1e-9
SEVERAL = 2
"""Questions that must have got worse on balance for a class to block."""

GONE = "the document is gone since the live release"
BACK_OR_OUT = "bring them back, or, where that is meant, take these questions out of `quality.questions`"

Samples = tuple[Mapping[str, Any], ...]


def questions_measured(candidate: Candidate) -> Sequence[Finding]:
    """Fails when any question could not be asked: a gate that measured half of them has measured nothing."""
    if not candidate.questions:
        message = "there are no fixed questions, so answer quality was not measured: add some to `quality.questions`"
        return [Finding("questions_measured", "warning", False, None, None, message)]
    found = evaluate(candidate.questions, candidate.ask)
    total = len(found.questions)
    measured = total - len(found.failed)
    message = f"{measured} of {total} questions were measured"
    if found.failed:
        message += ": the others raised an error; repair search (`kprep doctor`), then run again"
    samples = first({"question_id": question.id, "error": error} for question, error in found.failed)
    return [Finding("questions_measured", "error", not found.failed, measured / total, 1.0, message, samples)]


def questions_recall(candidate: Candidate) -> Sequence[Finding]:
    """Mean recall@5 over all classes with an expected place."""
    found = measured_now(candidate)
    value, floor = found.measures().recall_at_5, candidate.thresholds.recall_at_5
    return [_judged("questions_recall", "recall@5", value, floor, found, candidate.thresholds.min_questions)]


def questions_mrr(candidate: Candidate) -> Sequence[Finding]:
    """Mean reciprocal rank, cut off at 10, over all classes with an expected place."""
    found = measured_now(candidate)
    value, floor = found.measures().mrr, candidate.thresholds.mrr
    return [_judged("questions_mrr", "MRR", value, floor, found, candidate.thresholds.min_questions)]


def _judged(
    code: str, name: str, value: float | None, floor: float | None, found: Evaluation, min_questions: int
) -> Finding:
    """A mean against its floor; inconclusive when too few questions were measured, as it is without a floor."""
    measures = found.measures()
    measured = f"{measures.n} of {measures.total} questions"
    if value is None or measures.n < min_questions:
        message = f"inconclusive: {name} over {measured} measured, at least {min_questions} are needed: add questions"
        return Finding(code, "info", True, value, floor, message)
    if floor is None:
        message = f"{name} is {value:.3f} over {measured}; no threshold is set, so it was not judged"
        return Finding(code, "info", True, value, None, message)
    passed = value >= floor - _ROUNDING
    message = f"{name} is {value:.3f} over {measured}, the threshold is {floor:.3f}"
    if not passed:
        message += ": the samples name the questions that missed; `kprep search` shows what they find instead"
    return Finding(code, "error", passed, value, floor, message, _misses(found))


def _misses(found: Evaluation) -> Samples:
    """The questions furthest from what is expected, worst first."""
    missed = [item for item in found.ranked if item.recall_at_5 < 1 or item.first_rank != 1]
    return first(
        {
            "question_id": item.question.id,
            "class": item.question.kind,
            "recall@5": item.recall_at_5,
            "first_rank": item.first_rank,
        }
        for item in sorted(missed, key=lambda item: (item.recall_at_5, item.reciprocal_rank))
    )


def questions_worse(candidate: Candidate) -> Sequence[Finding]:
    """Per class: recall@5 against the live release, over the questions that both could answer. Classes of too few
    questions to be judged alone are judged together.

    An error where more questions got worse than better, by two at least. A single one only warns: in a small class it
    is more than the margin, and one that was right by luck would keep out the repair that turns it.
    """
    limit = candidate.thresholds.worse_by
    if candidate.ask_live is None:
        message = "there is no live release to compare with, or it is indexed in another way"
        return [Finding("questions_worse", "info", True, None, limit, message)]
    new, live = measured_now(candidate), evaluate(candidate.questions, candidate.ask_live)
    findings = [_compared(pairs, candidate) for pairs in _groups(new, live, candidate.thresholds.min_questions)]
    if live.failed:
        samples = first({"question_id": question.id, "error": error} for question, error in live.failed)
        message = f"{len(live.failed)} of {len(live.questions)} questions could not be asked of the live release"
        findings.append(Finding("questions_worse", "warning", False, None, limit, message, samples))
    return findings or [
        Finding("questions_worse", "info", True, None, limit, "inconclusive: no question to compare with")
    ]


Pairs = list[tuple[Ranked, Ranked]]
"""Questions as the live release and the candidate answer them."""


def _groups(new: Evaluation, live: Evaluation, least: int) -> list[Pairs]:
    """What is judged at once: each class of enough questions, and the others together."""
    before = {item.question.id: item for item in live.ranked}
    of_class: dict[str, Pairs] = {kind: [] for kind in RANKED_CLASSES}
    for item in new.ranked:
        if item.question.id in before:
            of_class[item.question.kind].append((before[item.question.id], item))
    few = [pair for pairs in of_class.values() if len(pairs) < least for pair in pairs]
    return [pairs for pairs in (*(pairs for pairs in of_class.values() if len(pairs) >= least), few) if pairs]


def _compared(pairs: Pairs, candidate: Candidate) -> Finding:
    """Finding of one group; `value` is how much recall@5 fell."""
    limit, min_questions = candidate.thresholds.worse_by, candidate.thresholds.min_questions
    kinds = list(dict.fromkeys(item.question.kind for _, item in pairs))
    named = f"class {kinds[0]}" if len(kinds) == 1 else f"classes {', '.join(kinds)}"
    if len(pairs) < min_questions:
        message = f"inconclusive: {len(pairs)} questions of {named} compared, at least {min_questions} are needed"
        return Finding("questions_worse", "info", True, None, limit, message)
    was = fmean(old.recall_at_5 for old, _ in pairs)
    now = fmean(item.recall_at_5 for _, item in pairs)
    worse = [(old, item) for old, item in pairs if item.recall_at_5 < old.recall_at_5]
    balance = len(worse) - sum(item.recall_at_5 > old.recall_at_5 for old, item in pairs)
    passed = was - now <= limit + _ROUNDING
    level: Level = "error" if passed or balance >= SEVERAL else "warning"
    message = f"recall@5 of {named} was {was:.3f} and is {now:.3f} over {len(pairs)} questions"
    if not passed:
        message += "" if level == "error" else f", by {worse[0][1].question.id} alone, which blocks nothing"
        message += ": `kprep release diff` shows what changed; a rule, a model or a missing document made it worse"
    unanswerable = {item.question.id for _, item in worse if _all_gone(item.question, candidate)}
    if unanswerable:
        message += f"; all documents that answer {len(unanswerable)} of these questions are gone: {BACK_OR_OUT}"
    samples = first(
        {"question_id": item.question.id, "class": item.question.kind, "was": old.recall_at_5, "is": item.recall_at_5}
        | ({"reason": reason} if (reason := _why_worse(old.question, candidate)) else {})
        for old, item in worse
    )
    return Finding("questions_worse", level, passed, was - now, limit, message, samples)


def _all_gone(question: Question, candidate: Candidate) -> bool:
    return {span.document for span in question.expected} <= candidate.gone


def _why_worse(question: Question, candidate: Candidate) -> str:
    """What is known of why an answer is no longer found, or ""."""
    moved = moved_spans(candidate)
    if _all_gone(question, candidate) and not moved.keys() & set(question.expected):
        return GONE
    held = _texts(candidate, question.expected)
    reasons = []
    for span in question.expected:
        newer = candidate.replaced.get(span.document, ())
        if span in moved:
            reasons.append(f"the answer stands in {moved[span].document} now, which is not found, or not by who asks")
        elif newer:
            reasons.append(f"{span.document} is superseded by {', '.join(newer)}: name that in the question")
        elif span.document in candidate.expired:
            reasons.append(f"{span.document} is no longer valid")
        elif stale := _stale(span, held, candidate.gone):
            reasons.append(f"{span.document}: {stale}")
        elif _closed(span.document, candidate):
            reasons.append(f"{span.document} is closed to some of its readers: see `readers_lost`")
    return "; ".join(dict.fromkeys(reasons))


def _closed(uri: str, candidate: Candidate) -> bool:
    changed = next((document for document in candidate.documents if document.uri == uri and document.live), None)
    if changed is None or changed.live is None:
        return uri in candidate.narrowed
    return not {*changed.live.acl} <= {*changed.prepared.acl} or uri in candidate.narrowed


def measured_now(candidate: Candidate) -> Evaluation:
    """How the candidate answers the questions, each asked as it stands. An answer that moved to another document word
    for word is looked for where it is now: moving it makes no search worse."""
    moved = moved_spans(candidate)
    asked = {question.id: question for question in candidate.questions}
    now = [
        replace(question, expected=tuple(moved.get(span, span) for span in question.expected))
        for question in candidate.questions
    ]
    return evaluate(now, lambda question, top_k: candidate.ask(asked[question.id], top_k))


def moved_spans(candidate: Candidate) -> dict[Expected, Expected]:
    """Expected places that are no longer there, or end with what supersedes their document, and whose words stand in
    new text of another document: the old place -> the new one. The newer document goes before others."""
    spans = dict.fromkeys(span for question in candidate.questions for span in question.expected)
    held = _texts(candidate, spans)
    lost = [
        span
        for span in spans
        if _stale(span, held, candidate.gone)
        or candidate.replaced.get(span.document)
        or span.document in candidate.expired
    ]
    if not lost:
        return {}
    new: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for chunk in candidate.chunks:
        if chunk.is_new and chunk.document_uri not in candidate.expired:
            new[chunk.document_uri].append(words(chunk.text))
    found = {}
    for span in lost:
        newer = candidate.replaced.get(span.document, ())
        order = sorted(new, key=lambda uri: (uri not in newer, uri))
        place = next((uri for uri in order if uri != span.document and span_in(new[uri], words(span.quote))), None)
        if place is not None:
            found[span] = Expected(place, span.quote)
    return found


def _texts(candidate: Candidate, spans: Iterable[Expected]) -> dict[str, list[tuple[str, ...]]]:
    """Words of the chunks of the documents that spans name, as far as the candidate has them."""
    needed = {span.document for span in spans}
    texts: dict[str, list[tuple[str, ...]]] = {}
    for chunk in candidate.chunks:
        if chunk.document_uri in needed:
            texts.setdefault(chunk.document_uri, []).append(words(chunk.text))
    return texts


def questions_unanswered(candidate: Candidate) -> Sequence[Finding]:
    """Share of the questions with an expected place that were given no hit at all; an error over the limit, unless the
    live release leaves as many unanswered: that was let through, and is no worse."""
    found = evaluate(candidate.questions, candidate.ask)
    empty = [item.question for item in found.ranked if not item.hits]
    measured, limit = len(found.ranked), candidate.thresholds.unanswered_share
    if measured < candidate.thresholds.min_questions:
        message = f"inconclusive: {measured} questions measured, {candidate.thresholds.min_questions} are needed"
        return [Finding("questions_unanswered", "info", True, None, limit, message)]
    share = len(empty) / measured
    message = f"{len(empty)} of {measured} questions with an answer were given no hit"
    before = _unanswered_live(candidate)
    if before is not None and empty:
        message += f", {before} in the live release"
    if empty:
        message += ": lower `retrieval.evidence`, or look at who may read the documents that answer them"
    level: Level = "error" if share > limit and (before is None or len(empty) > before) else "warning"
    samples = first({"question_id": question.id} for question in empty)
    return [Finding("questions_unanswered", level, not empty, share, limit, message, samples)]


def _unanswered_live(candidate: Candidate) -> int | None:
    """Questions with an expected place that the live release gives no hit; None where it cannot be asked."""
    if candidate.ask_live is None:
        return None
    return sum(not item.hits for item in evaluate(candidate.questions, candidate.ask_live).ranked)


def questions_denied(candidate: Candidate) -> Sequence[Finding]:
    """Nothing forbidden may reach the one who asks: no hit of the document, and its words in no other one."""
    found = evaluate(candidate.questions, candidate.ask)
    measured, total = found.measured("denied"), found.total(("denied",))
    if not total:
        message = "there are no questions of class denied, so no permission was tried"
        return [Finding("questions_denied", "info", True, None, 0.0, message)]
    leaking = {leak.question_id for leak in found.leaks}
    message = f"{len(leaking)} of {measured} denied questions show what their asker must not see ({total} in all)"
    passed = not leaking and measured == total
    if leaking:
        message += ": check the acl of the source that holds these documents"
    elif not passed:
        message += ": the others could not be asked, so their permissions were not tried"
    samples = first(
        {
            "question_id": leak.question_id,
            "chunk_id": leak.chunk_id,
            "document_uri": leak.document_uri,
            "reason": "hit of a forbidden document" if leak.reason == "document" else "holds a forbidden quote",
        }
        for leak in found.leaks
    )
    return [Finding("questions_denied", "error", passed, float(len(leaking)), 0.0, message, samples)]


def questions_no_answer(candidate: Candidate) -> Sequence[Finding]:
    """Share of questions without an answer that got hits all the same; an error where the live release gave none."""
    found = evaluate(candidate.questions, candidate.ask)
    measured, total = found.measured("no_answer"), found.total(("no_answer",))
    if not measured:
        message = f"no question of class no_answer was measured ({total} in all)"
        return [Finding("questions_no_answer", "info", True, None, 0.0, message)]
    share = len(found.answered) / measured
    message = f"{len(found.answered)} of {measured} questions without an answer were given hits ({total} in all)"
    if found.answered:
        message += ": an application must be ready to say that it does not know"
    level: Level = "error" if found.answered and _answers_more(candidate, found) else "warning"
    samples = first({"question_id": question.id} for question in found.answered)
    return [Finding("questions_no_answer", level, not found.answered, share, 0.0, message, samples)]


def _answers_more(candidate: Candidate, found: Evaluation) -> bool:
    """True when the live release gave no hit for a question without an answer that the candidate gives some."""
    if candidate.ask_live is None:
        return False
    live = evaluate(candidate.questions, candidate.ask_live)
    not_silent = {question.id for question in (*live.answered, *(question for question, _ in live.failed))}
    return any(question.id not in not_silent for question in found.answered)


def questions_stale(candidate: Candidate) -> Sequence[Finding]:
    """Quotes that stand in no chunk of their document: no search can find an expected one, and a forbidden one, or a
    forbidden document that is not there, can never be shown, so that nothing is tried."""
    spans = [(question, span) for question in candidate.questions for span in question.spans]
    texts, moved = _texts(candidate, (span for _, span in spans)), moved_spans(candidate)
    stale = [
        {"question_id": question.id, "document_uri": span.document, "reason": reason}
        | ({"moved_to": moved[span].document} if span in moved else {})
        for question, span in spans
        if (reason := _stale(span, texts, candidate.gone))
    ]
    message = f"{len(stale)} of {len(spans)} quotes of questions stand in no chunk of their document"
    there = sum("moved_to" in row for row in stale)
    gone = len({row["question_id"] for row in stale if row["reason"] == GONE and "moved_to" not in row})
    if there:
        message += f"; {there} of them stand word for word in another one now: name that in the question"
    if any(row["reason"] != GONE and "moved_to" not in row for row in stale):
        message += ": correct the question when the source has changed, else look at how the document was parsed"
    if gone:
        message += f"; documents that {gone} questions name are gone: {BACK_OR_OUT}"
    value = len(stale) / len(spans) if spans else None
    return [Finding("questions_stale", "warning", not stale, value, 0.0, message, first(stale))]


def _stale(span: Expected, texts: Mapping[str, list[tuple[str, ...]]], gone: frozenset[str]) -> str:
    if span.document in gone:
        return GONE
    if span.document not in texts:
        return "the candidate has no such document"
    return "" if span_in(texts[span.document], words(span.quote)) else "the document has other words"


CHECKS = (
    CheckSpec("questions_measured", questions_measured),
    CheckSpec("questions_recall", questions_recall),
    CheckSpec("questions_mrr", questions_mrr),
    CheckSpec("questions_worse", questions_worse),
    CheckSpec("questions_unanswered", questions_unanswered),
    CheckSpec("questions_denied", questions_denied),
    CheckSpec("questions_no_answer", questions_no_answer),
    CheckSpec("questions_stale", questions_stale),
)
