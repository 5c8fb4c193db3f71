"""One-sentence titles of children and short summaries of parents: sentences of the source, never written anew."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kprep.core.models import ChildChunk
from kprep.sentences import sentence_spans

SUMMARY_CHARS = 300
TITLE_CHARS = 120
TITLE_LETTERS = 12
SAMPLE_CHARS = 3_000
QUESTION_CHARS = 200
_MARK = re.compile(r"(?:q|question|frage|问题?|質問)\s*\d{0,3}\s*[:：.]|[-*•]\s|\d{1,3}[.)]\s", re.IGNORECASE)

_SAYS_LITTLE = frozenset(
    re.findall(
        r"\w+",
        "introduction overview general notes note misc miscellaneous other details description summary example "
        "examples background appendix "
        "contents usage section chapter part einleitung überblick allgemeines beispiele anhang "
        "概述 简介 介绍 说明 示例 附录",
    )
)


def title_of(child: ChildChunk, keywords: Sequence[str], language: str, *, heads: bool) -> str:
    """The question of a question-and-answer pair; the heading for the first child of a section if it says something;
    else the short sentence with most keywords; else the heading as it is; else ""."""
    question = question_of(child)
    if question:
        return question
    heading = child.heading_path[-1] if child.heading_path else ""
    if heads and _says_something(heading):
        return heading
    return _best_sentence(child, keywords, language) or heading


def question_of(child: ChildChunk) -> str:
    """The first line where it asks, without "Q:", and other lines answer; else "". In talk a question is no heading."""
    if child.kind not in ("text", "list") or child.locator.time or child.locator.message:
        return ""
    first, _, rest = child.text[child.overlap :].strip().partition("\n")
    said = " ".join(_MARK.sub("", first).split()).strip(" *_")
    answered = rest.strip() and not _MARK.match(rest.lstrip())
    return said if answered and said.endswith(("?", "？", "؟")) and len(said) <= QUESTION_CHARS else ""


def summary_of(text: str, language: str) -> str:
    """The first sentences, at most 300 characters; a longer first sentence ends at its last whole word within that."""
    summary = ""
    for sentence in _sentences(text[:SAMPLE_CHARS], language):
        longer = f"{summary} {sentence}".strip()
        if len(longer) > SUMMARY_CHARS:
            break
        summary = longer
    if summary:
        return summary
    whole = " ".join(text[:SAMPLE_CHARS].split())
    if len(whole) <= SUMMARY_CHARS:
        return whole
    return whole[:SUMMARY_CHARS].rsplit(" ", 1)[0]


def _says_something(heading: str) -> bool:
    words = re.findall(r"[^\W\d_]+", heading)
    telling = [word for word in words if word.casefold() not in _SAYS_LITTLE]
    return sum(len(word) for word in telling) >= (2 if any(ord(char) > 0x2E80 for char in heading) else 4)


def _best_sentence(child: ChildChunk, keywords: Sequence[str], language: str) -> str:
    if child.kind in ("code", "table"):
        return ""
    best, most = "", -1
    for sentence in _sentences(child.text, language):
        letters = sum(char.isalpha() * (3 if ord(char) > 0x2E80 else 1) for char in sentence)
        if letters < TITLE_LETTERS or len(sentence) > TITLE_CHARS:
            continue
        low = sentence.casefold()
        score = sum(keyword.casefold() in low for keyword in keywords)
        if score > most:
            best, most = sentence, score
    return best


def _sentences(text: str, language: str) -> list[str]:
    return [" ".join(text[start:end].split()) for start, end in sentence_spans(text, language)]
