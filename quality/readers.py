"""Who may read what: do live readers lose a document, and does a copy give away what another document keeps back?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from quality.samples import first, shown
from quality.spec import Candidate, CandidateChunk, CandidateDocument, CheckSpec, Copy, DocumentFigures, Finding
from quality.text import sentences, word_count, words

PUBLIC = "public"
ORDER = ("public", "internal", "confidential", "restricted", "secret")
"""Words for sensitivity whose order is known. Of other ones it is only known that they differ."""
TOGETHER = 3
"""More documents of one source that lose the same readers in the same way are one row: its configuration changed."""
COPIED_WORDS = 12
"""Shorter texts are equal by accident."""
RUN = 6
"""Words in a row that make a copy, of which COPIED_WORDS together are told."""
BOILERPLATE = 3
"""Documents beside the one that keeps it back in which a text that is known to everybody stands."""
WINDOW = 40
"""Words by which a new passage is looked up among the unchanged chunks."""
MOST_LOOKED_UP = 300
"""Such passages a gate, at some 10 ms each."""


Readers = frozenset[str]
Run = tuple[str, ...]


def readers_lost(candidate: Candidate) -> Sequence[Finding]:
    """Live documents, or sections of them, that some of their readers may read no longer, or that nobody may today: a
    group left out or mistyped, or a day of validity. What a newer document supersedes ends as it should."""
    rows: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for uri, lost, readers, reason in _losses(candidate):
        source = uri.partition("/")[0]
        row = {"document_uri": uri, "lost": sorted(lost), "readers": sorted(readers), "reason": reason}
        rows[(source, *row["lost"], "", *row["readers"], reason)].append(row)
    samples: list[dict[str, Any]] = []
    for group in rows.values():
        if len(group) > TOGETHER:
            source = group[0]["document_uri"].partition("/")[0]
            samples.append(group[0] | {"source": source, "documents": len({row["document_uri"] for row in group})})
        else:
            samples += group
    count = len({row["document_uri"] for group in rows.values() for row in group})
    share = count / candidate.live_documents if candidate.live_documents else float(count > 0)
    message = f"{count} of {candidate.live_documents} live documents are closed to some of their readers"
    if samples:
        message += ": compare `acl` (sources, sidecars, front matter) and validity with who should read them"
    samples.sort(key=lambda row: (-row.get("documents", 1), row["document_uri"]))
    return [Finding("readers_lost", "warning", not samples, share, 0.0, message, first(samples))]


def _losses(candidate: Candidate) -> Iterator[tuple[str, Readers, Readers, str]]:
    """(URI, who lost it, who may read it now, why) of each document, or of a section of it."""
    held = candidate.by_document()
    changed = {document.uri for document in candidate.documents}
    for document in candidate.documents:
        was, now = document.live, document.prepared
        if was is None or not _valid(candidate, was):
            continue
        if not _valid(candidate, now):
            if not candidate.replaced.get(document.uri):
                yield document.uri, frozenset(was.acl), frozenset(), _when(candidate, now)
        elif lost := _lost(was.acl, now.acl):
            yield document.uri, lost, frozenset(now.acl), "the whole document"
        else:
            yield from _section_losses(candidate, document, was, held.get(document.document_id, ()))
    for uri, (before, narrowed) in candidate.narrowed.items():
        if uri not in changed and (lost := _lost(before, narrowed)):
            yield uri, lost, frozenset(narrowed), "narrowed at once, and not taken up by this release"


def _valid(candidate: Candidate, version: DocumentFigures) -> bool:
    today = candidate.today
    started = today is None or version.valid_from is None or version.valid_from <= today
    return started and (today is None or version.valid_until is None or version.valid_until > today)


def _when(candidate: Candidate, now: DocumentFigures) -> str:
    if now.valid_from is not None and candidate.today is not None and now.valid_from > candidate.today:
        return f"it is valid only from {now.valid_from.isoformat()}"
    return f"its validity ended on {now.valid_until.isoformat()}" if now.valid_until else "it is not valid today"


def _lost(before: Iterable[str], now: Iterable[str]) -> Readers:
    """Principals let in before and no longer; none where everybody is."""
    was, still = frozenset(before), frozenset(now)
    return frozenset() if PUBLIC in still else was - still


def _section_losses(
    candidate: Candidate, document: CandidateDocument, was: DocumentFigures, chunks: Sequence[CandidateChunk]
) -> Iterator[tuple[str, Readers, Readers, str]]:
    """Sections that stood in the live version and are closed to some of the document's readers now: those whose words
    or heading it has, and who was kept out of them there already apart."""
    closed = set(was.sections.values())
    narrower = [chunk for chunk in chunks if chunk.section_acl is not None]
    live = candidate.live_text(document.document_id) if narrower else ()
    texts, paths = {text for _, text in live}, {path for path, _ in live}
    told = set()
    for chunk in narrower:
        own = chunk.section_acl or ()
        there = chunk.text in texts or chunk.heading_path in paths
        same = own in closed and chunk.chunk_id not in was.sections and chunk.text not in texts
        lost = _lost(was.sections.get(chunk.chunk_id, was.acl), own)
        if there and lost and not same and (chunk.heading_path, own) not in told:
            told.add((chunk.heading_path, own))
            yield document.uri, lost, frozenset(own), f"its section {chunk.locator.anchor or chunk.ordinal}"


def copies_wider(candidate: Candidate) -> Sequence[Finding]:
    """New chunks whose words stand in another document as well that has more readers, or fewer, or that is more
    sensitive and not for all of theirs: what the one keeps back, the other gives away.

    Groups that only differ, each with its own copy of the same sensitivity, are no finding; nor is a short text.
    """
    samples: dict[tuple[str, str], dict[str, Any]] = {}
    for chunk in candidate.chunks:
        if not chunk.is_new or word_count(chunk.text) < COPIED_WORDS:
            continue
        for copy in candidate.copies.get(chunk.chunk_id, ()):
            own, other = _readers(chunk), _readers(copy)
            if copy.document_uri != chunk.document_uri and (_wider(own, other) or _wider(other, own)):
                there = "closed_in" if _wider(own, other) else "open_in"
                told = {"readers": sorted(own), there: copy.document_uri, "readers_there": sorted(other)}
                samples.setdefault((chunk.chunk_id, copy.document_uri), shown(candidate, chunk) | told)
    found, left = _given_away(candidate)
    for chunk, kept in found:
        told = {
            "readers": sorted(_readers(chunk)),
            "closed_in": kept.document_uri,
            "readers_there": sorted(_readers(kept)),
            "sensitivity": chunk.sensitivity,
            "sensitivity_there": kept.sensitivity,
        }
        samples.setdefault((chunk.chunk_id, kept.document_uri), shown(candidate, chunk) | told)
    message = f"{len(samples)} new chunks have more readers, or fewer, than the same text in another document"
    if samples:
        message += ": take the copy out, or give both the same `acl`"
    message += f"; {left} new passages were not looked up, there are too many" if left else ""
    rows = list(samples.values())
    return [Finding("copies_wider", "warning", not rows, float(len(rows)), 0.0, message, first(rows))]


def _readers(chunk: CandidateChunk | Copy) -> Readers:
    """Principals who may read it; a section's own only narrow those of the document."""
    return frozenset(chunk.acl if chunk.section_acl is None else chunk.section_acl)


def _wider(one: Readers, other: Readers) -> bool:
    """Whether everybody who may read the other may read the one, and somebody else too."""
    return PUBLIC not in other and (PUBLIC in one or one > other)


def _keeps_back(kept: CandidateChunk, chunk: CandidateChunk) -> bool:
    """Whether a chunk is kept back from readers of one of another document."""
    return kept.document_id != chunk.document_id and _more_sensitive(kept, chunk)


def _more_sensitive(kept: CandidateChunk, chunk: CandidateChunk) -> bool:
    """Whether a chunk is more sensitive than another, or as far as is known is, and not for all of its readers."""
    one, other = kept.sensitivity.casefold(), chunk.sensitivity.casefold()
    known = one in ORDER and other in ORDER
    more = ORDER.index(one) > ORDER.index(other) if known else one != other
    return more and PUBLIC not in _readers(kept) and not _readers(chunk) <= _readers(kept)


def _given_away(candidate: Candidate) -> tuple[list[tuple[CandidateChunk, CandidateChunk]], int]:
    """(New chunk, chunk it copies from) where the latter is kept back from readers of the former; and how many passages
    could not be looked up among the unchanged chunks.

    What a document says live already is no news, nor is what its readers find elsewhere, or in many documents.
    """
    said = {document.document_id: _live_runs(candidate, document) for document in candidate.documents if document.live}
    fresh = {
        chunk.chunk_id: _runs(chunk.text) - said.get(chunk.document_id, set())
        for chunk in candidate.chunks
        if chunk.is_new and _readers(chunk)
    }
    new = [chunk for chunk in candidate.chunks if fresh.get(chunk.chunk_id)]
    near, left = _looked_up(candidate, new, fresh)
    guards = _guards(candidate, new)
    spread = _spread(new, fresh, guards)
    found = []
    for chunk in new:
        numbers = {number for run in fresh[chunk.chunk_id] for number in guards.by_run.get(run, ())}
        sources = [*(guards.chunks[number] for number in sorted(numbers)), *near[chunk.chunk_id]]
        known = {run for run in fresh[chunk.chunk_id] if len(spread.get(run, ())) > BOILERPLATE}
        known |= {run for other in sources if _open_to(other, chunk) for run in _runs(other.text)}
        kept = [(_copied(chunk, fresh[chunk.chunk_id] - known, other), other) for other in sources]
        kept = [(count, other) for count, other in kept if count >= COPIED_WORDS and _keeps_back(other, chunk)]
        if kept:
            found.append((chunk, max(kept, key=lambda pair: pair[0])[1]))
    return found, left


@dataclass(frozen=True, slots=True)
class Guards:
    """Chunks that are kept back from somebody, and which of them (by number) say some words in a row."""

    chunks: Sequence[CandidateChunk]
    by_run: Mapping[Run, Sequence[int]]


def _guards(candidate: Candidate, new: Sequence[CandidateChunk]) -> Guards:
    """Chunks of the candidate, and of live versions of the documents it changes or no longer has, kept back from
    readers of new ones."""
    exposed = list({(chunk.sensitivity, _readers(chunk)): chunk for chunk in new}.values())
    chunks = []
    for document_chunks in candidate.by_document().values():
        chunks += [chunk for chunk in document_chunks if _from_any(chunk, exposed)]
        one = document_chunks[0]
        if _from_any(one, exposed) and any(chunk.is_new for chunk in document_chunks):
            live = candidate.live_text(one.document_id)
            chunks += [replace(one, text=text, heading_path=path, is_new=False) for path, text in live]
    chunks += [chunk for chunk in candidate.withdrawn if _from_any(chunk, exposed)]
    by_run: dict[Run, list[int]] = defaultdict(list)
    for number, chunk in enumerate(chunks):
        for run in _runs(chunk.text):
            by_run[run].append(number)
    return Guards(chunks, by_run)


def _from_any(kept: CandidateChunk, others: Sequence[CandidateChunk]) -> bool:
    return any(_more_sensitive(kept, other) for other in others)


def _spread(new: Sequence[CandidateChunk], fresh: Mapping[str, set[Run]], guards: Guards) -> dict[Run, set[str]]:
    """Words in a row that are kept back somewhere -> the documents in which new chunks say them."""
    found: dict[Run, set[str]] = defaultdict(set)
    for chunk in new:
        for run in fresh[chunk.chunk_id] & guards.by_run.keys():
            found[run].add(chunk.document_id)
    return found


def _looked_up(
    candidate: Candidate, new: Sequence[CandidateChunk], fresh: Mapping[str, set[Run]]
) -> tuple[dict[str, list[CandidateChunk]], int]:
    """Chunk id -> unchanged chunks near what is new in it; and the number of passages that were too many."""
    found: dict[str, list[CandidateChunk]] = {chunk.chunk_id: [] for chunk in new}
    if candidate.near is None or not candidate.base_release:
        return found, 0
    passages = [(chunk, window) for chunk in new for window in _windows(chunk.text, fresh[chunk.chunk_id])]
    for chunk, window in passages[:MOST_LOOKED_UP]:
        near = candidate.near(replace(chunk, text=window))
        found[chunk.chunk_id] += [other for other in near if not other.is_new]
    return found, max(0, len(passages) - MOST_LOOKED_UP)


def _windows(text: str, fresh: set[Run]) -> list[str]:
    """The sentences of a text, some words at a time, of which something is new."""
    windows: list[str] = [""]
    for sentence in sentences(text):
        if word_count(windows[-1]) >= WINDOW:
            windows.append("")
        windows[-1] += f"{sentence}\n"
    return [window for window in windows if _runs(window) & fresh or len(windows) == 1]


def _open_to(other: CandidateChunk, chunk: CandidateChunk) -> bool:
    """Whether all readers of a chunk have another one, which is not new, already."""
    return not other.is_new and (PUBLIC in _readers(other) or _readers(chunk) <= _readers(other))


def _copied(chunk: CandidateChunk, runs: set[Run], other: CandidateChunk) -> float:
    """Words of a chunk that stand in another in one of these runs."""
    common = runs & _runs(other.text)
    said = words(chunk.text)
    covered = {at + step for at in range(len(said)) if said[at : at + RUN] in common for step in range(RUN)}
    return word_count(" ".join(said[at] for at in sorted(covered)))


def _live_runs(candidate: Candidate, document: CandidateDocument) -> set[Run]:
    """What the live version says, also across the borders of its chunks."""
    return _runs("\n".join(text for _, text in candidate.live_text(document.document_id)))


def _runs(text: str) -> set[Run]:
    said = words(text)
    return {said[at : at + RUN] for at in range(len(said) - RUN + 1)}


CHECKS = (CheckSpec("readers_lost", readers_lost), CheckSpec("copies_wider", copies_wider))
