"""Is something gone from a document that no question asks for? Compared with the words of its live version."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from quality.samples import MAX_CHARS, first, vouched
from quality.spec import Candidate, CandidateChunk, CandidateDocument, CheckSpec, Finding, Passage
from quality.text import missing, shingles, words

GONE = 0.75
"""Share of a section's words that stand nowhere any more from which it is gone: what is left are phrases in common."""
LEAST_WORDS = 8
"""A section with fewer is a remark."""
SHORT = 24
"""Words up to which a section may be joined with its neighbours."""
LOST = 0.1
"""Share of a document's words whose loss is told where no section is gone."""
REPLACED = 0.2
"""New words for each word lost from which something stands in its place."""

_HEADING = re.compile(r"[^\W_][^\n|]{0,80}(?<![.!?:;,。！？：；，])")
"""A paragraph of one short line: short sections stand in one chunk, their headings between them."""

Path = tuple[str, ...]
Shingles = set[tuple[str, ...]]


def sections_gone(candidate: Candidate) -> Sequence[Finding]:
    """Sections of live versions of which neither heading nor words stand in the new one; and documents that lost much
    otherwise, with next to nothing in its place. Renamed, moved and rewritten sections are no finding, nor what stands
    word for word in new text of another document that the same readers have."""
    held = candidate.by_document()
    suspects = []
    for document in candidate.documents:
        own = held.get(document.document_id, [])
        if document.live and (len(own) != document.live.chunks or any(chunk.is_new for chunk in own)):
            now = _parts((chunk.heading_path, chunk.text) for chunk in own)
            live = _parts(candidate.live_text(document.document_id))
            if _gone(candidate, document, live, now, _shingles(now)):
                suspects.append((document, live, now))
    moved = moved_text(candidate, suspects)
    rows = [
        row
        for document, live, now in suspects
        for row in _gone(candidate, document, live, now, _shingles(now) | moved[document.document_id])
    ]
    rows.sort(key=lambda row: (-row["words"], row["document_uri"]))
    documents = len({row["document_uri"] for row in rows})
    message = f"{len(rows)} parts of {documents} documents are gone since their live version"
    if rows:
        message += ": look whether they were cut on purpose; `kprep release diff` shows what is gone"
    return [Finding("sections_gone", "warning", not rows, float(len(rows)), 0.0, message, first(rows))]


def moved_text(
    candidate: Candidate, suspects: Sequence[tuple[CandidateDocument, Sequence[Passage], Sequence[Passage]]]
) -> dict[str, Shingles]:
    """Document id -> what it lost that stands in new text of other documents: a file was split. Only in those that hold
    more than a phrase of it, for its readers."""
    lost = {document.document_id: _shingles(live) - _shingles(now) for document, live, now in suspects}
    wanted = set().union(*lost.values())
    held: dict[tuple[str, tuple[str, ...]], Shingles] = defaultdict(set)
    for chunk in candidate.chunks if wanted else ():
        if chunk.is_new and chunk.document_uri not in candidate.expired:
            held[chunk.document_id, chunk.acl if chunk.section_acl is None else chunk.section_acl] |= (
                shingles(words(chunk.text)) & wanted
            )
    moved: dict[str, Shingles] = defaultdict(set)
    for document, _, _ in suspects:
        for (other, readers), found in held.items():
            common = found & lost[document.document_id]
            told = "public" in readers or set(document.prepared.acl) <= set(readers)
            if other != document.document_id and told and len(common) >= LEAST_WORDS:
                moved[document.document_id] |= common
    return moved


def _gone(
    candidate: Candidate,
    document: CandidateDocument,
    live: Sequence[Passage],
    now: Sequence[Passage],
    known: Shingles,
) -> list[dict[str, Any]]:
    """A row for each section that is gone, else one where the document lost much: {document_uri, heading, words}.

    `known`: three words in a row that are not gone."""
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


def shares_kept(
    candidate: Candidate, documents: Sequence[CandidateDocument], held: Mapping[str, Sequence[CandidateChunk]]
) -> dict[str, float]:
    """Document id -> share of its live version's words that stand in the new one or in another document now. Only of
    those that lost something to another document."""
    looked_at = [
        (
            document,
            candidate.live_text(document.document_id),
            [(chunk.heading_path, chunk.text) for chunk in held.get(document.document_id, ())],
        )
        for document in documents
    ]
    moved = moved_text(candidate, looked_at)
    shares = {}
    for document, live, now in looked_at:
        if document.document_id in moved:
            said = [word for _, text in live for word in words(text)]
            gone = missing(said, _shingles(now) | moved[document.document_id])
            shares[document.document_id] = 1 - gone / len(said)
    return shares


def headings_gone(candidate: Candidate, document: CandidateDocument, chunks: Sequence[CandidateChunk]) -> int:
    """How many sections of the live version have no heading any more. One of SHORT words or less that was joined with
    its neighbours keeps it in the text."""
    live = candidate.live_text(document.document_id)
    sizes: Counter[tuple[str, ...]] = Counter()
    for path, text in live:
        if path:
            sizes[words(path[-1])] += len(words(text))
    now = [(chunk.heading_path, chunk.text) for chunk in chunks]
    kept = _names(_paths(now))
    joined = {line for _, text in now for paragraph in text.split("\n") if (line := words(paragraph))}
    return sum(not kept[name] and (size > SHORT or name not in joined) for name, size in sizes.items())


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


def _shingles(passages: Sequence[Passage]) -> Shingles:
    """Of the text, and of the text with its headings: a heading may have become a line, or a line a heading."""
    plain = [word for _, text in passages for word in words(text)]
    headed: list[str] = []
    before: Path = ()
    for path, text in passages:
        headed += words(" ".join(path) if path != before else "") + words(text)
        before = path
    return shingles(plain) | shingles(headed)


CHECKS = (CheckSpec("sections_gone", sections_gone),)
