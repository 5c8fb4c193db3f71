"""Is the same said twice: nearly equal chunks, documents that repeat another, lines that repeat from chunk to chunk?"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from quality.samples import first, shown
from quality.spec import Candidate, CandidateChunk, CheckSpec, Finding, Level
from quality.text import SHINGLE, shingles, words

PERMUTATIONS = 128
BANDS = 32
"""128 values in 32 bands of 4: pairs of likeness 0.8 are met with probability 1, of 0.3 with 0.2 (then compared)."""
LEAST_WORDS = 12
"""Shorter chunks are alike by accident."""
REPEATED = 0.8
"""Share of a document's words in chunks of another from which it repeats that."""
MOST_CHUNKS = 200
"""Chunks of new documents that are looked up among the unchanged ones: at some 10 ms each."""
NOISE_CHUNKS = 5
"""A line at the edge of fewer chunks is no header or footer, whatever their share of the document."""
NEW_NOISE_CHUNKS = 3
NEW_NOISE_SHARE = 0.6
"""Chunks, and share of a document, with a line that its live version has nowhere, from which it is one too."""


def chunks_similar(candidate: Candidate) -> Sequence[Finding]:
    """Share of the release that new chunks take which nearly repeat a chunk of another document."""
    pairs = near_pairs(candidate.chunks, candidate.thresholds.near_duplicate_likeness)
    alike = {chunk.chunk_id for pair in pairs for chunk in pair[:2]}
    share = len(alike) / candidate.total if candidate.total else 0.0
    limit = candidate.thresholds.near_duplicate_share
    level: Level = "error" if share > limit and candidate.total >= candidate.thresholds.small_release else "warning"
    message = f"{len(alike)} of {len(candidate.chunks)} chunks looked at nearly repeat one of another document"
    if alike:
        message += ": exclude the older copy, or let it be superseded (`supersedes` in the front matter)"
    samples = first(
        shown(candidate, one, also_in=[other.document_uri], likeness=round(likeness, 2))
        for one, other, likeness in pairs
    )
    return [Finding("chunks_similar", level, share <= limit, share, limit, message, samples)]


def documents_repeated(candidate: Candidate) -> Sequence[Finding]:
    """New documents of which another document holds the text, wholly or nearly. Not where one supersedes the other, or
    has ended."""
    own: dict[str, list[CandidateChunk]] = defaultdict(list)
    for chunk in candidate.chunks:
        own[chunk.document_uri].append(chunk)
    holders = _holders(candidate)
    told: set[frozenset[str]] = set()
    rows = []
    for document in sorted(candidate.documents, key=lambda document: document.uri, reverse=True):
        if document.live is not None or document.uri in candidate.expired:
            continue
        sizes = {chunk.chunk_id: len(words(chunk.text)) for chunk in own[document.uri]}
        held: Counter[str] = Counter()
        for key, size in sizes.items():
            held.update(dict.fromkeys(holders[key], size))
        for uri, common in held.most_common(1):
            share = common / sum(sizes.values())
            pair = frozenset((document.uri, uri))
            if common >= LEAST_WORDS and share >= REPEATED and pair not in told:
                told.add(pair)
                rows.append({"document_uri": document.uri, "other_uri": uri, "share": round(share, 2)})
    message = f"{len(rows)} new documents repeat the text of another one"
    if rows:
        message += ": exclude the copy, or let one supersede the other (`supersedes`, `valid_until`)"
    return [Finding("documents_repeated", "warning", not rows, float(len(rows)), 0.0, message, first(rows[::-1]))]


def _holders(candidate: Candidate) -> Mapping[str, set[str]]:
    """Chunk id -> other documents that say the same or nearly. Changed ones are compared with each other, and what is
    new and stands in none of them with the unchanged ones."""
    least = candidate.thresholds.near_duplicate_likeness
    found: dict[str, set[str]] = defaultdict(set)
    same: dict[str, set[str]] = defaultdict(set)
    for chunk in candidate.chunks:
        same[" ".join(chunk.text.split())].add(chunk.document_uri)
    for one, other, _ in near_pairs(candidate.chunks, least):
        found[one.chunk_id].add(other.document_uri)
        found[other.chunk_id].add(one.document_uri)
    added = {document.document_id for document in candidate.documents if document.live is None}
    looked_up = 0
    for chunk in candidate.chunks:
        held = found[chunk.chunk_id] | same[" ".join(chunk.text.split())]
        held |= {copy.document_uri for copy in candidate.copies.get(chunk.chunk_id, ())}
        if candidate.near and chunk.document_id in added and held <= {chunk.document_uri} and looked_up < MOST_CHUNKS:
            looked_up += 1
            said = shingles(words(chunk.text))
            held |= {other.document_uri for other in candidate.near(chunk) if _alike(said, other) >= least}
        found[chunk.chunk_id] = {uri for uri in held if _beside(candidate, chunk.document_uri, uri)}
    return found


def _beside(candidate: Candidate, one: str, other: str) -> bool:
    """Whether both documents are there to stay: neither supersedes the other, and the other has not ended."""
    replaced = {*candidate.replaced.get(one, ()), *candidate.replaced.get(other, ())}
    return one != other and other not in candidate.expired and not replaced & {one, other}


def _alike(said: set[tuple[str, ...]], other: CandidateChunk) -> float:
    there = shingles(words(other.text))
    return len(said & there) / len(said | there) if said else 0.0


def near_pairs(chunks: Sequence[CandidateChunk], least: float) -> list[tuple[CandidateChunk, CandidateChunk, float]]:
    """Pairs of chunks of different documents that say nearly, but not exactly, the same; most alike first.

    MinHash with banding finds them (Broder 1997), the share of common shingles (Jaccard), at least `least`, decides.
    """
    from rensa import RMinHash

    said = {chunk.chunk_id: shingles(words(chunk.text)) for chunk in chunks}
    looked_at = [chunk for chunk in chunks if len(said[chunk.chunk_id]) >= LEAST_WORDS - SHINGLE + 1]
    tokens = [sorted(map(" ".join, said[chunk.chunk_id])) for chunk in looked_at]
    digests = RMinHash.digests_from_token_sets(tokens, PERMUTATIONS, 7)
    width = PERMUTATIONS // BANDS
    buckets: dict[tuple[int, tuple[int, ...]], list[int]] = defaultdict(list)
    for number, digest in enumerate(digests):
        for band in range(BANDS):
            buckets[band, tuple(digest[band * width : (band + 1) * width])].append(number)
    met = {(one, other) for bucket in buckets.values() for one, other in _first_with_each(bucket)}
    found = []
    for one, other in sorted(met):
        left, right = looked_at[one], looked_at[other]
        if left.document_id == right.document_id or left.text.split() == right.text.split():
            continue
        common, either = said[left.chunk_id], said[right.chunk_id]
        likeness = len(common & either) / len(common | either)
        if likeness >= least:
            found.append((left, right, likeness))
    return sorted(found, key=lambda pair: (-pair[2], pair[0].document_uri, pair[0].ordinal))


def _first_with_each(bucket: list[int]) -> Iterable[tuple[int, int]]:
    """Pairs of a bucket's first member, and each member with the one before: not all, a bucket may be large."""
    for before, number in itertools.pairwise(bucket):
        yield before, number
        yield bucket[0], number


def lines_repeated(candidate: Candidate) -> Sequence[Finding]:
    """Lines that stand at the edge of many chunks of one document: running headers, banners, legal footers."""
    noisy = []
    live = {document.document_id for document in candidate.documents if document.live}
    for chunks in candidate.by_document().values():
        found = [chunk for chunk in chunks if chunk.kind in ("text", "list")]
        edges = Counter(edge for chunk in found for edge in _edges(chunk.text))
        limit = max(NOISE_CHUNKS, candidate.thresholds.repeated_share * len(found))
        known = chunks[0].document_id in live
        before = (
            {edge for _, text in candidate.live_text(chunks[0].document_id) for edge in _lines(text)}
            if known
            else set()
        )
        least = max(NEW_NOISE_CHUNKS, NEW_NOISE_SHARE * len(found)) if known else limit
        noisy += [
            (count, chunk)
            for edge, count in edges.items()
            if count >= limit or (count >= least and edge not in before)
            for chunk in [next(chunk for chunk in found if edge in _edges(chunk.text))]
        ]
    noisy.sort(key=lambda pair: (-pair[0], pair[1].document_uri))
    documents_noisy = len({chunk.document_id for _, chunk in noisy})
    message = f"{documents_noisy} documents repeat a line from chunk to chunk"
    if noisy:
        message += ": name it in `drop_lines` of the cleaning rules"
    samples = first(shown(candidate, chunk, times=count) for count, chunk in noisy)
    return [Finding("lines_repeated", "warning", not noisy, float(documents_noisy), 0.0, message, samples)]


def _lines(text: str) -> list[tuple[str, ...]]:
    return [said for line in text.split("\n") if (said := words(line))]


def _edges(text: str) -> set[tuple[str, ...]]:
    """First and last line as words; none of a chunk of one line, which is its whole text."""
    lines = _lines(text)
    return {line for line in (lines[0], lines[-1]) if len(line) >= 2} if len(lines) > 1 else set()


CHECKS = (
    CheckSpec("chunks_similar", chunks_similar),
    CheckSpec("documents_repeated", documents_repeated),
    CheckSpec("lines_repeated", lines_repeated),
)
