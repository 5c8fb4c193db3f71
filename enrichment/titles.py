"""One-sentence titles of children and short summaries of parents: sentences of the source, never written anew."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kprep.core.models import ChildChunk

SUMMARY_CHARS = 300
TITLE_CHARS = 120
TITLE_LETTERS = 12
SAMPLE_CHARS = 3_000

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
    """The heading for the first child of a section if it says something; else the short sentence with most keywords;
    else the heading as it is; else ""."""
    heading = child.heading_path[-1] if child.heading_path else ""
    if heads and _says_something(heading):
        return heading
    return _best_sentence(child, keywords, language) or heading


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
    from sentencex import get_sentence_boundaries

    lines = (
        " ".join(text[found["start_index"] : found["end_index"]].split())
        for found in get_sentence_boundaries(language or "en", text)
    )
    return [line for line in lines if line]
