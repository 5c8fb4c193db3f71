"""Puts a candidate before the quality checks: chunks, questions, originals, and the live release to compare with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, date, datetime
from typing import Any

from flows.child import Limits, PrepareChild
from flows.rooms import redactor_of
from flows.workspace import Workspace
from kprep.config import read_yaml
from kprep.core.errors import EmbeddingError
from kprep.core.models import Locator
from kprep.store import documents, measures, overlay, relations, releases, search
from kprep.store.database import apart
from kprep.store.sql import Connection
from quality import load_questions, run_gate
from quality.spec import (
    Candidate,
    CandidateChunk,
    CandidateDocument,
    Copy,
    DocumentFigures,
    GateReport,
    Hit,
    Question,
    Thresholds,
    TouchedRelation,
)
from retrieval import Reader, Searcher, SearchRequest, arms, tokens
from retrieval.bm25 import Bm25

NEAR_TERMS = 40
NEAR_CHUNKS = 8
"""Words of a new chunk it is compared by, and chunks it is compared with."""


def judge(workspace: Workspace, connection: Connection, release: int) -> GateReport:
    """Gate report on a candidate. Writes nothing. Originals are opened in a child process with limits.

    Documents that are back in their source are still hidden, until the candidate is live. The questions are asked as if
    it were: else the gate would refuse what brings them back for want of them. What the candidate no longer has because
    its source deleted it is hidden already, too, and whom a narrowed permission keeps out is: the live release is asked
    as it was before that.
    """
    settings = workspace.settings
    child = PrepareChild(workspace.rules, Limits(settings.document_timeout_s, settings.document_memory_mb))
    try:
        row = releases.get(connection, workspace.kb, release)
        assert row is not None
        with overlay.before_deletions(connection, workspace.kb, row.base_release, release):
            overlay.settle(connection, workspace.kb, release)
            return run_gate(candidate(workspace, connection, release, child))
    finally:
        child.close()


def candidate(workspace: Workspace, connection: Connection, release: int, child: PrepareChild) -> Candidate:
    """A release as the checks see it."""
    kb, quality = workspace.kb, workspace.base.config.quality
    row = releases.get(connection, kb, release)
    assert row is not None
    asked = questions(workspace)
    expected = sorted({span.document for question in asked for span in question.spans})
    space = row.configuration["embedding_space"]
    chunks = [_chunk(item) for item in measures.gate_chunks(connection, kb, release, space, expected)]
    new = [_document(item) for item in measures.gate_documents(connection, kb, release, row.base_release)]
    copies: dict[str, list[Copy]] = {}
    for item in measures.copies(connection, kb, release):
        copy = Copy(item["document_uri"], **_readers(item), sensitivity=item["sensitivity"])
        copies.setdefault(item["chunk_id"], []).append(copy)
    redactor = redactor_of(workspace.rules)
    base, today = row.base_release, datetime.now(tz=UTC).date()
    live = releases.get(connection, kb, base) if base else None
    had, has = ({item.uri for item in releases.of_uris(connection, kb, number, expected)} for number in (base, release))
    comparable = live is not None and live.configuration.get("lexicon") == row.configuration["lexicon"]
    thresholds = quality.thresholds
    live_documents = int(live.statistics.get("documents", 0)) if live is not None else 0
    narrowed = overlay.narrowed_since(connection, kb)
    added = sum(document.live is None for document in new)
    return Candidate(
        release=release,
        base_release=base,
        chunks=chunks,
        questions=asked,
        ask=asker(workspace, connection, release),
        ask_live=asker(workspace, connection, base, before_narrowing=bool(narrowed)) if comparable else None,
        open_original=_opener(workspace, child),
        scan_text=lambda text: [kind for kind, _, _ in redactor.scan(text)],
        max_tokens=workspace.rules.max_tokens,
        needs_vectors=bool(row.configuration["embedding_space"]),
        listed=documents.count_observed(connection, kb),
        failed=len(documents.failures(connection, kb)),
        views=search.views_shown(connection, kb, release, row.configuration["views"]),
        live_views=search.views_shown(connection, kb, base, _formal(row.configuration["views"])) if base else {},
        thresholds=Thresholds(**thresholds.model_dump(), locator_sample=quality.locator_sample),
        total=int(row.statistics["children"]),
        without_vector=int(row.statistics["without_vector"]),
        copies=copies,
        gone=frozenset(had - has),
        relations=_touched(connection, kb, base, release),
        removed=measures.removed_shares(connection, kb, release, thresholds.removed_share),
        uncovered=measures.low_coverage(connection, kb, release, thresholds.coverage),
        broken=measures.broken_parts(connection, kb, release, new=True),
        documents=new,
        live_text=lambda document: measures.live_text(connection, kb, base, document),
        live_documents=live_documents,
        retired=max(0, live_documents + added - int(row.statistics["documents"])),
        formats_gone=measures.formats_gone(connection, kb, release) if base else {},
        replaced={
            item.uri: tuple(item.metadata["superseded_by"])
            for item in releases.related(connection, kb, release)
            if item.metadata.get("superseded_by")
        },
        expired=frozenset(measures.expired(connection, kb, release, today)),
        withdrawn=[_chunk(item) for item in measures.gate_withdrawn(connection, kb, base, release)] if base else (),
        today=today,
        narrowed=narrowed,
        live_expired=frozenset(measures.expired(connection, kb, base, today)) if base else frozenset(),
        near=_neighbours(connection, kb, row),
        vector_agreement=_agreement(workspace, connection, space) if space else None,
    )


def _chunk(item: Mapping[str, Any]) -> CandidateChunk:
    places = {"heading_path": tuple(item["heading_path"]), "locator": Locator.from_json(item["locator"])}
    return CandidateChunk(**{**item, **places, **_readers(item), "keywords": tuple(item["keywords"])})


def _readers(item: Mapping[str, Any]) -> dict[str, Any]:
    section = item["section_acl"]
    return {"acl": tuple(item["acl"]), "section_acl": None if section is None else tuple(section)}


def _document(item: Mapping[str, Any]) -> CandidateDocument:
    def figures(prefix: str, metadata: Mapping[str, Any], language: str) -> DocumentFigures:
        counts = [int(item[f"{prefix}{name}"]) for name in ("chunks", "chars", "headings")]
        valid = {name: _day(metadata[name]) for name in ("valid_from", "valid_until")}
        content = item[f"{prefix}content"]
        sections = {key: tuple(acl) for key, acl in (item[f"{prefix}sections"] or {}).items()} if prefix else {}
        acl = tuple(metadata["acl"])
        return DocumentFigures(
            counts[0], counts[1], counts[2], language, acl, **valid, content=content, sections=sections
        )

    before = item["live_metadata"]
    return CandidateDocument(
        document_id=item["document_id"],
        uri=item["uri"],
        sensitivity=item["metadata"]["sensitivity"],
        prepared=figures("", item["metadata"], item["language"]),
        parsed_chars=int(item["parsed_chars"]),
        removed_share=float(item["removed_share"]),
        live=figures("live_", before, item["live_language"]) if before is not None else None,
    )


def _day(value: str | None) -> date | None:
    return date.fromisoformat(value) if value else None


def _neighbours(
    connection: Connection, kb: str, row: releases.ReleaseRow
) -> Callable[[CandidateChunk], Sequence[CandidateChunk]]:
    """Chunks of other documents by BM25 over a chunk's own words, whoever may read them."""
    lexical = row.configuration["retrieval"]["lexical"]
    size, length = int(row.statistics["chunks"]), int(row.statistics["length"])
    constants = Bm25(lexical["k1"], lexical["b"], size, length / size if size else 1.0)

    def near(chunk: CandidateChunk) -> Sequence[CandidateChunk]:
        terms = {word: word for word, _ in list(tokens.words(chunk.text, chunk.language))[:NEAR_TERMS]}
        numbers = arms.nearest(connection, kb, row.release, row.configuration["lexicon"], terms, constants, NEAR_CHUNKS)
        return [_chunk(item) for item in measures.gate_near(connection, kb, row.release, numbers, chunk.document_id)]

    return near


def _formal(views: Mapping[str, Any]) -> dict[str, Any]:
    """Views that show the formal store; one of candidates alone is empty whenever all of them are decided on."""
    return {name: view for name, view in views.items() if "formal" in view.get("stores", ("formal",))}


def _agreement(workspace: Workspace, connection: Connection, space: str) -> Callable[[CandidateChunk], float | None]:
    """Cosine of a stored vector and one computed now, both of unit length."""

    def agreement(chunk: CandidateChunk) -> float | None:
        stored = measures.vector_of(connection, workspace.kb, space, chunk.chunk_id)
        try:
            embedder = workspace.embedder
            if embedder is None or embedder.space != space:
                return None
            (now,) = embedder.embed([chunk.index_text])
        except EmbeddingError:
            return None
        if stored is None or len(stored) != len(now):
            return -1.0
        return float(sum(one * float(two) for one, two in zip(stored, now, strict=True)))

    return agreement


def _touched(connection: Connection, kb: str, base: int, release: int) -> tuple[TouchedRelation, ...]:
    changed = measures.touched(connection, kb, base, release)
    return tuple(TouchedRelation(**row) for row in relations.touching(connection, kb, base, release, changed))


def questions(workspace: Workspace) -> tuple[Question, ...]:
    """The fixed questions of the knowledge base. Raises: ConfigError naming file, entry and key."""
    path = workspace.base.config.quality.questions
    if path is None:
        return ()
    full = workspace.base.path(path)
    return load_questions(read_yaml(full), full.name)


def asker(
    workspace: Workspace, connection: Connection, release: int, *, before_narrowing: bool = False
) -> Callable[[Question, int], Sequence[Hit]]:
    """Asks a release, published or not, as the question's principals. `before_narrowing`: with the readers documents
    had when the live release became that."""

    def ask(question: Question, top_k: int) -> Sequence[Hit]:
        today = datetime.now(tz=UTC).date()
        as_it_was = overlay.before_narrowing(connection, workspace.kb) if before_narrowing else nullcontext()
        with apart(connection), as_it_was:
            reader = Reader(connection, workspace.kb, release, question.principals, today, unpublished=True)
            searcher = Searcher(reader, lambda: workspace.embedder_of(reader.row.configuration))
            mode = "hybrid+references" if question.kind == "reference" else "hybrid"
            answer = searcher.search(SearchRequest(question.question, None, mode, top_k))
        return [Hit(hit["chunk_id"], hit["document_uri"], hit["text"]) for hit in answer["hits"]]

    return ask


def _opener(workspace: Workspace, child: PrepareChild) -> Callable[[CandidateChunk], str]:
    """Opens a chunk's original at its locator, from the object store, with the format's own independent reader."""

    def open_original(chunk: CandidateChunk) -> str:
        content = workspace.objects.get(chunk.original)
        return child.quote(chunk.media_type, content, chunk.locator)

    return open_original
