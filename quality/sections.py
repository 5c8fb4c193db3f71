"""Is something gone from a document that no question asks for? Compared with the words of its live version."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from quality.samples import MAX_CHARS, first, vouched
from quality.spec import Candidate, CandidateChunk, CandidateDocument, CheckSpec, Finding, Passage
from quality.text import missing, shingles, words

GONE = 0.75
"""Share of a section's words that stand nowhere any more from which it is gone: what is left are phrases in common."""
LEAST_WORDS = 8
"""A section with fewer is a remark."""
LOST = 0.1
"""Share of a document's words whose loss is told where no section is gone."""
REPLACED = 0.2
"""New words for each word lost from which something stands in its place."""

_HEADING = re.compile(r"[^\W_][^\n|]{0,80}(?<![.!?:;,。！？：；，])")
"""A paragraph of one short line: short sections stand in one chunk, their headings between them."""

Path = tuple[str, ...]


def sections_gone(candidate: Candidate) -> Sequence[Finding]:
    """Sections of live versions of which neither heading nor words stand in the new one; and documents that lost much
    otherwise, with next to nothing in its place. Renamed, moved and rewritten sections are no finding."""
    held: dict[str, list[CandidateChunk]] = defaultdict(list)
    for chunk in candidate.chunks:
        held[chunk.document_id].append(chunk)
    rows = []
    for document in candidate.documents:
        own = sorted(held.get(document.document_id, ()), key=lambda chunk: chunk.ordinal)
        if document.live and (len(own) != document.live.chunks or any(chunk.is_new for chunk in own)):
            now = _parts((chunk.heading_path, chunk.text) for chunk in own)
            rows += _gone(candidate, document, _parts(candidate.live_text(document.document_id)), now)
    rows.sort(key=lambda row: (-row["words"], row["document_uri"]))
    documents = len({row["document_uri"] for row in rows})
    message = f"{len(rows)} parts of {documents} documents are gone since their live version"
    if rows:
        message += ": look whether they were cut on purpose; `kprep release diff` shows what is gone"
    return [Finding("sections_gone", "warning", not rows, float(len(rows)), 0.0, message, first(rows))]


def _gone(
    candidate: Candidate, document: CandidateDocument, live: Sequence[Passage], now: Sequence[Passage]
) -> list[dict[str, Any]]:
    """A row for each section that is gone, else one where the document lost much: {document_uri, heading, words}."""
    known = _shingles(now)
    sections: dict[Path, list[str]] = defaultdict(list)
    for path, text in live:
        sections[path] += words(text)
    kept, fewer = _paths(now), _names(_paths(live)) - _names(_paths(now))
    rows = []
    for path, said in sections.items():
        lost = missing(said, known)
        if (
            path
            and path not in kept
            and fewer[words(path[-1])]
            and len(said) >= LEAST_WORDS
            and lost >= GONE * len(said)
        ):
            heading = path[-1][:MAX_CHARS] if vouched(candidate, path[-1]) else ""
            rows.append({"document_uri": document.uri, "heading": heading, "words": lost})
    if rows:
        return rows
    said = [word for found in sections.values() for word in found]
    lost = missing(said, known)
    added = missing([word for _, text in now for word in words(text)], _shingles(live))
    much = lost > LOST * len(said) and added < REPLACED * lost
    return [{"document_uri": document.uri, "heading": "", "words": lost}] if much else []


def _parts(passages: Iterable[Passage]) -> list[Passage]:
    """The passages, those with headings in their text cut there."""
    parts: list[Passage] = []
    for path, text in passages:
        under: Path = path
        said: list[str] = []
        for paragraph in text.split("\n\n"):
            if _HEADING.fullmatch(paragraph):
                parts.append((under, "\n".join(said)))
                under, said = (*path, paragraph), []
            else:
                said.append(paragraph)
        parts.append((under, "\n".join(said)))
    return parts


def _paths(passages: Iterable[Passage]) -> set[Path]:
    return {path[:depth] for path, _ in passages for depth in range(1, len(path) + 1)}


def _names(paths: Iterable[Path]) -> Counter[tuple[str, ...]]:
    """How many sections have a heading, however deep: of three "Examples" one may be gone."""
    return Counter(words(path[-1]) for path in paths)


def _shingles(passages: Sequence[Passage]) -> set[tuple[str, ...]]:
    """Of the text, and of the text with its headings: a heading may have become a line, or a line a heading."""
    plain = [word for _, text in passages for word in words(text)]
    headed: list[str] = []
    before: Path = ()
    for path, text in passages:
        headed += words(" ".join(path) if path != before else "") + words(text)
        before = path
    return shingles(plain) | shingles(headed)


CHECKS = (CheckSpec("sections_gone", sections_gone),)
