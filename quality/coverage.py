"""Is all of a document there? Compared with what its parser found, what was prepared, and what is live."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from statistics import median

from quality.samples import first, place
from quality.sections import headings_gone, shares_kept
from quality.spec import Candidate, CandidateChunk, CandidateDocument, CheckSpec, DocumentFigures, Finding
from quality.text import word_count, words

LEAST_SPREAD = 0.3
"""Spread of the logarithm that is always normal, however alike the documents are: some three times as much is not."""
LEAST_DOCUMENTS = 8
"""Fewer documents say nothing about what is normal."""
LEAST_CHUNKS = 5
"""A page with fewer chunks may well have small ones: two short sections, or a sentence and a small table."""
UNORDERED = ("openapi", "json_schema", "yaml_config", "ini_config")
"""Parsers of references that are looked up: operations come first and schemas then, and settings of no section before
all others, wherever the file has them."""
UNITS = frozenset((*UNORDERED, "csv_table", "data_dictionary", "graphql", "knowledge_entry", "sql_ddl"))
"""Parsers of references whose units, however small, each are a chunk."""
SEVERAL = 2
"""Headings lost from which a document has none: one may have become the title."""
KEYWORDS_FROM = 20
INDEX_WORDS = 0.9
"""Share of a chunk's words that its index text must hold."""


def chunks_missing(candidate: Candidate) -> Sequence[Finding]:
    """Documents of which the candidate holds other chunks than were prepared: some lost, or one in two places."""
    chunks = candidate.by_document()
    wrong = []
    for document in candidate.documents:
        found = [chunk.ordinal for chunk in chunks.get(document.document_id, ())]
        if found != list(range(document.prepared.chunks)):
            wrong.append({"document_uri": document.uri, "chunks": len(found), "prepared": document.prepared.chunks})
    message = f"{len(wrong)} of {len(candidate.documents)} documents do not hold the chunks that were prepared"
    if wrong:
        message += ": run again; if it stays so, `kprep verify --heal`"
    return [Finding("chunks_missing", "error", not wrong, float(len(wrong)), 0.0, message, first(wrong))]


def text_lost(candidate: Candidate) -> Sequence[Finding]:
    """Documents whose chunks and their headings hold much less text than the parser found and cleaning left."""
    least = candidate.thresholds.chunk_coverage
    chunks = candidate.by_document()
    lost: list[tuple[float, CandidateDocument]] = []
    for document in candidate.documents:
        wanted = document.parsed_chars * (1 - document.removed_share)
        own = chunks.get(document.document_id, ())
        headings = {chunk.heading_path[:depth] for chunk in own for depth in range(1, len(chunk.heading_path) + 1)}
        held = sum(len(chunk.text) for chunk in own) + sum(len(path[-1]) for path in headings)
        if wanted and held < least * wanted:
            lost.append((held / wanted, document))
    lost.sort(key=lambda pair: (pair[0], pair[1].uri))
    message = f"{len(lost)} of {len(candidate.documents)} documents lost text between parsing and chunking"
    if lost:
        message += ": `kprep explain URI` shows what each rule took, `kprep try FILE --stage chunk` what is left"
    value = lost[0][0] if lost else None
    samples = first({"document_uri": document.uri, "coverage": round(share, 3)} for share, document in lost)
    return [Finding("text_lost", "error", not lost, value, least, message, samples)]


def text_shrunk(candidate: Candidate) -> Sequence[Finding]:
    """New versions with much less text than the live one: the author's cut, or a broken export. Not where the rest
    stands in another document now."""
    limit = candidate.thresholds.shrunk_share
    small = [
        (document.prepared.chars / document.live.chars, document)
        for document in candidate.documents
        if document.live and document.live.chars and document.prepared.chars < limit * document.live.chars
    ]
    kept = shares_kept(candidate, [document for _, document in small], candidate.by_document())
    shrunk = [(share, document) for share, document in small if kept.get(document.document_id, 0.0) < limit]
    shrunk.sort(key=lambda pair: (pair[0], pair[1].uri))
    message = f"{len(shrunk)} documents have less than {limit:.0%} of the text of their live version"
    if shrunk:
        message += ": `kprep release diff` shows what is gone; look whether the source was cut on purpose"
    value = shrunk[0][0] if shrunk else None
    samples = first({"document_uri": document.uri, "share": round(share, 3)} for share, document in shrunk)
    return [Finding("text_shrunk", "warning", not shrunk, value, limit, message, samples)]


def headings_lost(candidate: Candidate) -> Sequence[Finding]:
    """New versions that have no headings where the live one had some: every chunk then cites the whole document. A
    heading of a few lines that were joined with their neighbours, and that stands in the text, is not lost."""
    most = candidate.thresholds.shrunk_share
    held = candidate.by_document()
    lost = [
        document
        for document in candidate.documents
        if document.live
        and _flat(document.prepared, document.live, most)
        and headings_gone(candidate, document, held.get(document.document_id, ())) >= SEVERAL
    ]
    message = f"{len(lost)} documents lost their headings"
    if lost:
        message += ": look at how they are exported; `kprep try FILE --stage parse` shows what is read"
    samples = first(
        {"document_uri": document.uri, "headings": document.live.headings} for document in lost if document.live
    )
    return [Finding("headings_lost", "warning", not lost, float(len(lost)), 0.0, message, samples)]


def _flat(now: DocumentFigures, before: DocumentFigures, shrunk_share: float) -> bool:
    return before.headings >= 3 and now.headings <= 1 and now.chars >= shrunk_share * before.chars


def chunk_count(candidate: Candidate) -> Sequence[Finding]:
    """Documents cut into abnormally many or few chunks for their length, by robust z of the characters per chunk.

    Compared are documents of one language: a character of Chinese says more than a letter. Of a short page only large
    chunks are abnormal; none are of a reference that is cut where its format says, or of a document that was cut like
    that when it went live.
    """
    limit = candidate.thresholds.chunk_count_z
    sizes: dict[str, dict[str, float]] = defaultdict(dict)
    units = {chunk.document_id for chunk in candidate.chunks if chunk.parser.partition("@")[0] in UNITS}
    for document in candidate.documents:
        if document.document_id in units:
            continue
        if document.prepared.chunks >= 2 and document.prepared.chars:
            per_chunk = math.log(document.prepared.chars / document.prepared.chunks)
            sizes[document.prepared.language][document.uri] = per_chunk
    enough = [group for group in sizes.values() if len(group) >= LEAST_DOCUMENTS]
    if not enough:
        message = f"inconclusive: {LEAST_DOCUMENTS} new documents of one language are needed"
        return [Finding("chunk_count", "info", True, None, limit, message)]
    few = {document.uri for document in candidate.documents if document.prepared.chunks < LEAST_CHUNKS}
    as_live = {document.uri for document in candidate.documents if document.live and _cut_alike(document)}
    scores: dict[str, float] = {}
    for group in enough:
        middle = median(group.values())
        spread = max(1.4826 * median(abs(size - middle) for size in group.values()), LEAST_SPREAD)
        scores |= {uri: abs(size - middle) / spread for uri, size in group.items() if size > middle or uri not in few}
    odd = sorted(
        (uri for uri, score in scores.items() if score > limit and uri not in as_live),
        key=lambda uri: (-scores[uri], uri),
    )
    message = f"{len(odd)} of {len(scores)} new documents have abnormally small or large chunks"
    if odd:
        message += ": `kprep chunks URI` shows them; a parser may have taken them apart or glued them together"
    samples = first({"document_uri": uri, "robust_z": round(scores[uri], 1)} for uri in odd)
    worst = max((score for uri, score in scores.items() if uri not in as_live), default=0.0)
    return [Finding("chunk_count", "warning", not odd, worst, limit, message, samples)]


def _cut_alike(document: CandidateDocument) -> bool:
    """Whether a document's chunks are about as large as those of its live version."""
    now, before = document.prepared, document.live
    if before is None or not (now.chunks and now.chars and before.chunks and before.chars):
        return False
    return abs(math.log(now.chars / now.chunks) - math.log(before.chars / before.chunks)) < LEAST_SPREAD


def reading_order(candidate: Candidate) -> Sequence[Finding]:
    """Documents whose chunks do not stand in the order of their places in the original. Tables do not count: one that
    stands inside another is written before or after it. Nor do references that are looked up and not read."""
    wrong = []
    for chunks in candidate.by_document().values():
        found = [chunk for chunk in chunks if chunk.kind != "table" and chunk.parser.partition("@")[0] not in UNORDERED]
        places = [_position(chunk) for chunk in found]
        for before, after, chunk in zip(places, places[1:], found[1:], strict=False):
            if before and after and before[0] == after[0] and after[1] < before[1]:
                wrong.append(chunk)
                break
    message = f"{len(wrong)} documents have chunks out of the order of the original"
    if wrong:
        message += ": neighbours of a hit would be wrong; report the file's kind"
    return [Finding("reading_order", "error", not wrong, float(len(wrong)), 0.0, message, first(map(place, wrong)))]


def _position(chunk: CandidateChunk) -> tuple[str, float] | None:
    """What a chunk's place is counted in, and its number; None where the place has no order."""
    locator = chunk.locator
    if locator.page:
        return "page", locator.page
    if locator.line:  # a notebook counts them in each cell, a mailbox in each message, a book in each of its files
        file = (locator.anchor or "").partition("#")[0] if chunk.parser.startswith("epub@") else ""
        return f"line {locator.cell or ''} {locator.message or ''} {file}", locator.line[0]
    return None


def index_text(candidate: Candidate) -> Sequence[Finding]:
    """Chunks that are found by other words than they say."""
    wrong = []
    for chunk in candidate.chunks:
        said = words(chunk.text)
        indexed = set(words(chunk.index_text))
        if said and sum(word in indexed for word in said) < INDEX_WORDS * len(said):
            wrong.append(chunk)
    message = f"{len(wrong)} of {len(candidate.chunks)} chunks are indexed by another text than their own"
    if wrong:
        message += ": report the document; `kprep chunks URI --json` shows both texts"
    share = len(wrong) / len(candidate.chunks) if candidate.chunks else 0.0
    return [Finding("index_text", "error", not wrong, share, 0.0, message, first(map(place, wrong)))]


def parents_wrong(candidate: Candidate) -> Sequence[Finding]:
    """Chunks whose section does not hold them: its summary and neighbours would be of something else."""
    wrong = [chunk for chunk in candidate.chunks if not chunk.in_parent]
    message = f"{len(wrong)} of {len(candidate.chunks)} chunks do not stand in the section they name"
    if wrong:
        message += ": run again; if it stays so, `kprep verify --heal`"
    share = len(wrong) / len(candidate.chunks) if candidate.chunks else 0.0
    return [Finding("parents_wrong", "error", not wrong, share, 0.0, message, first(map(place, wrong)))]


def keywords_missing(candidate: Candidate) -> Sequence[Finding]:
    """Share of the new chunks of some length that have no keywords."""
    long = [chunk for chunk in candidate.chunks if chunk.is_new and word_count(chunk.text) >= KEYWORDS_FROM]
    bare = [chunk for chunk in long if not chunk.keywords]
    share = len(bare) / len(long) if long else 0.0
    message = f"{len(bare)} of {len(long)} new chunks of {KEYWORDS_FROM} words or more have no keywords"
    if bare:
        message += ": `kprep try FILE --stage enrich` shows what is taken from a document"
    samples = first(map(place, bare))
    limit = candidate.thresholds.without_keywords
    passed = share <= limit or len(long) < LEAST_DOCUMENTS
    return [Finding("keywords_missing", "warning", passed, share, limit, message, samples)]


CHECKS = (
    CheckSpec("chunks_missing", chunks_missing),
    CheckSpec("text_lost", text_lost),
    CheckSpec("text_shrunk", text_shrunk),
    CheckSpec("headings_lost", headings_lost),
    CheckSpec("chunk_count", chunk_count),
    CheckSpec("reading_order", reading_order),
    CheckSpec("index_text", index_text),
    CheckSpec("parents_wrong", parents_wrong),
    CheckSpec("keywords_missing", keywords_missing),
)
