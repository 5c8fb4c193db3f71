"""How well fixed questions are answered: measured per class on source spans, so that re-chunking breaks no label.

A span is found in the top k when its words stand in one hit of its document, or in hits of that document joined at
their borders (then at the rank of the last part needed). A hit given twice takes its place in the ranking but finds
nothing new. A question that could not be asked is counted as failed and is in no average.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from kprep.core.errors import PrepError, QualityError
from quality.spec import Expected, Hit, Question
from quality.text import contains, covered_by_parts, words

RANKED_CLASSES = ("identifier", "natural", "mixed", "reference")
"""Classes with an expected place. The others are measured apart and never enter an average."""
RECALL_AT = 5
RANK_CUTOFF = 10
DENIED_DEPTH = 50
"""How deep a denied question looks for what it must not see."""

Ask = Callable[[Question, int], Sequence[Hit]]


@dataclass(frozen=True, slots=True)
class Ranked:
    """One answered question: shares 0..1; `first_rank` of any expected span within the cutoff, from 1.

    `ndcg_at_10`: gain 1 for each expected span at its rank, discounted by log2(1 + rank), over the best possible.
    """

    question: Question
    first_rank: int | None
    recall_at_5: float
    ndcg_at_10: float = 0.0
    hits: tuple[Hit, ...] = ()

    @property
    def reciprocal_rank(self) -> float:
        """1 / first rank, 0 when nothing expected is within the cutoff."""
        return 1 / self.first_rank if self.first_rank else 0.0


@dataclass(frozen=True, slots=True)
class Leak:
    """A hit the asker must not see. `reason`: "document" or "quote"."""

    question_id: str
    chunk_id: str
    document_uri: str
    reason: str


@dataclass(frozen=True, slots=True)
class Measures:
    """Means over the questions that were answered. `n` of them out of `total`; means are None when `n` is 0."""

    n: int
    total: int
    hit_at_1: float | None
    hit_at_5: float | None
    recall_at_5: float | None
    mrr: float | None

    def to_json(self) -> dict[str, Any]:
        """The measures by the names people use for them."""
        return {
            "n": self.n,
            "total": self.total,
            "failed": self.total - self.n,
            "hit@1": self.hit_at_1,
            "hit@5": self.hit_at_5,
            "recall@5": self.recall_at_5,
            "mrr": self.mrr,
        }


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What was measured. `failed`: (question, why). `answered`: no_answer questions that got hits."""

    questions: tuple[Question, ...]
    ranked: tuple[Ranked, ...]
    answered: tuple[Question, ...]
    leaks: tuple[Leak, ...]
    failed: tuple[tuple[Question, str], ...]

    def measures(self, kinds: Sequence[str] = RANKED_CLASSES) -> Measures:
        """Measures over the questions of these classes together."""
        chosen = [item for item in self.ranked if item.question.kind in kinds]

        def mean(values: Iterable[float]) -> float | None:
            return fmean(values) if chosen else None

        return Measures(
            n=len(chosen),
            total=self.total(kinds),
            hit_at_1=mean(float(item.first_rank == 1) for item in chosen),
            hit_at_5=mean(float(item.first_rank is not None and item.first_rank <= RECALL_AT) for item in chosen),
            recall_at_5=mean(item.recall_at_5 for item in chosen),
            mrr=mean(item.reciprocal_rank for item in chosen),
        )

    def total(self, kinds: Sequence[str]) -> int:
        """Questions of these classes, asked or not."""
        return sum(question.kind in kinds for question in self.questions)

    def measured(self, kind: str) -> int:
        """Questions of one class that were answered without an error."""
        return self.total((kind,)) - sum(question.kind == kind for question, _ in self.failed)

    def to_json(self) -> dict[str, Any]:
        """`{overall, classes: {class: measures}, no_answer, denied, failed: [{id, error}]}`; only classes present."""
        present = [kind for kind in RANKED_CLASSES if self.total((kind,))]
        no_answer, denied = self.measured("no_answer"), self.measured("denied")
        leaking = {leak.question_id for leak in self.leaks}
        return {
            "overall": self.measures().to_json(),
            "classes": {kind: self.measures((kind,)).to_json() for kind in present},
            "no_answer": {
                "n": no_answer,
                "total": self.total(("no_answer",)),
                "answered": len(self.answered),
                "share_answered": len(self.answered) / no_answer if no_answer else None,
            },
            "denied": {"n": denied, "total": self.total(("denied",)), "leaking": len(leaking)},
            "failed": [{"id": question.id, "error": error} for question, error in self.failed],
        }


def evaluate(questions: Sequence[Question], ask: Ask) -> Evaluation:
    """Every question asked once, in order. Raises: QualityError for a question whose class needs a span it lacks."""
    ranked: list[Ranked] = []
    answered: list[Question] = []
    leaks: list[Leak] = []
    failed: list[tuple[Question, str]] = []
    for question in questions:
        _check(question)
        depth = DENIED_DEPTH if question.kind == "denied" else RANK_CUTOFF
        try:
            hits = tuple(ask(question, depth))[:depth]
        except Exception as error:  # noqa: BLE001  any error means: not measured, and the gate says so
            # A library's own words may quote the question; ours hold none.
            failed.append((question, error.message if isinstance(error, PrepError) else type(error).__name__))
            continue
        if question.kind in RANKED_CLASSES:
            ranked.append(rank(question, hits))
        elif question.kind == "denied":
            leaks.extend(_leaks(question, hits))
        elif hits:
            answered.append(question)
    return Evaluation(tuple(questions), tuple(ranked), tuple(answered), tuple(leaks), tuple(failed))


def _check(question: Question) -> None:
    needed = {"no_answer": True, "denied": bool(question.forbidden)}.get(question.kind, bool(question.expected))
    if not needed:
        raise QualityError(f"question {question.id!r} of class {question.kind} names no span to look for")


def rank(question: Question, hits: Sequence[Hit]) -> Ranked:
    """Where the expected spans of a question stand among its hits, best first."""
    hit_words = [(hit.document_uri, words(hit.text)) for hit in hits[:RANK_CUTOFF]]
    expected = tuple(dict.fromkeys(question.expected))
    ranks = [_span_rank(span, hit_words) for span in expected]
    found = [place for place in ranks if place is not None]
    within = sum(place <= RECALL_AT for place in found)
    gain = sum(1 / math.log2(1 + place) for place in found)
    # Two spans in one hit share its rank: the best possible is then above one span a rank, so the share is cut at 1.
    best = sum(1 / math.log2(1 + place) for place in range(1, len(expected) + 1))
    return Ranked(question, min(found, default=None), within / len(expected), min(1.0, gain / best), tuple(hits))


def _span_rank(span: Expected, hits: Sequence[tuple[str, tuple[str, ...]]]) -> int | None:
    """Smallest k such that the top k hits hold the span."""
    quote = words(span.quote)
    for k in range(1, len(hits) + 1):
        if hits[k - 1][0] == span.document and span_in([text for uri, text in hits[:k] if uri == span.document], quote):
            return k
    return None


def span_in(parts: list[tuple[str, ...]], quote: tuple[str, ...]) -> bool:
    """True when the words of the quote stand in one of the parts of its document, or across their borders."""
    return bool(quote) and (any(contains(part, quote) for part in parts) or covered_by_parts(parts, quote))


def _leaks(question: Question, hits: Sequence[Hit]) -> Iterable[Leak]:
    documents = {span.document for span in question.forbidden}
    quotes = [words(span.quote) for span in question.forbidden]
    for hit in hits:
        text = words(hit.text)
        if hit.document_uri in documents:
            yield Leak(question.id, hit.chunk_id, hit.document_uri, "document")
        elif any(contains(text, quote) for quote in quotes):
            yield Leak(question.id, hit.chunk_id, hit.document_uri, "quote")


def asked_once(ask: Ask) -> Ask:
    """The same `ask`, which remembers answers and errors: checks may ask again, the release is asked once."""
    answers: dict[tuple[Question, int], tuple[Hit, ...] | Exception] = {}

    def remembered(question: Question, top_k: int) -> Sequence[Hit]:
        key = (question, top_k)
        if key not in answers:
            try:
                answers[key] = tuple(ask(question, top_k))
            except Exception as error:  # noqa: BLE001  raised again below, each time it is asked
                answers[key] = error
        answer = answers[key]
        if isinstance(answer, Exception):
            raise answer
        return answer

    return remembered
