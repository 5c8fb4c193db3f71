"""What of a hit speaks to the question: the part from its first to its last sentence that does. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kprep.sentences import sentence_spans
from retrieval import tokens

KEPT = 0.16
"""Share of the best sentence's score, over all hits, from which a sentence speaks to the question. What a sentence says
counts by the score of its hit: a weaker hit is cut closer."""
BESIDE = 0.3
"""Share of its neighbours' scores a sentence gains: an answer goes on without the words of its question."""
PROSE = ("text", "list")


def add(hits: Sequence[dict[str, Any]], terms: Mapping[str, str], weights: Mapping[str, float]) -> None:
    """Give each hit a `passage`: {text, start, end, locator}, `start` and `end` being characters of its text.

    Hits have a `score`. `terms`: term -> word of the question, `weights`: of each word. Tables and code, and hits that
    hold no word of the question, are a passage as a whole. The locator is narrowed to the passage where the text is a
    verbatim slice of the original, which shows in its length and line breaks, and is the hit's elsewhere.
    """
    scored = [
        [(start, end, max(0.0, hit["score"]) * score) for start, end, score in _spread(_sentences(hit, terms, weights))]
        if hit["kind"] in PROSE
        else []
        for hit in hits
    ]
    most = max((score for found in scored for *_, score in found), default=0.0)
    for hit, found in zip(hits, scored, strict=True):
        best = max((score for *_, score in found), default=0.0)
        kept = [(start, end) for start, end, score in found if score >= min(KEPT * most, best)]
        start, end = (kept[0][0], kept[-1][1]) if best else (0, len(hit["text"]))
        locator = narrowed(hit["locator"], hit["text"], start, end)
        hit["passage"] = {"text": hit["text"][start:end], "start": start, "end": end, "locator": locator}


def narrowed(locator: Mapping[str, Any], text: str, start: int, end: int) -> dict[str, Any]:
    """The locator of text[start:end], as exact as that of the text allows."""
    char, line = locator.get("char"), locator.get("line")
    if char is None or char[1] - char[0] != len(text):
        return dict(locator)
    out = {**locator, "char": [char[0] + start, char[0] + end]}
    if line is not None and line[1] - line[0] == text.count("\n"):
        first = line[0] + text.count("\n", 0, start)
        out["line"] = [first, first + text.count("\n", start, end)]
    return out


Sentence = tuple[int, int, float]


def _spread(found: Sequence[Sentence]) -> list[Sentence]:
    scores = [0.0, *(score for *_, score in found), 0.0]
    return [
        (start, end, score + BESIDE * (scores[number] + scores[number + 2]))
        for number, (start, end, score) in enumerate(found)
    ]


def _sentences(hit: Mapping[str, Any], terms: Mapping[str, str], weights: Mapping[str, float]) -> list[Sentence]:
    """Start, end and score of each sentence: the sum of the weights of the question's words in it."""
    out = []
    language = hit["metadata"]["language"]
    for start, end in sentence_spans(hit["text"], language):
        said = {terms[term] for term in tokens.terms(hit["text"][start:end], language) if term in terms}
        out.append((start, end, sum(weights.get(word, 0.0) for word in said)))
    return out
