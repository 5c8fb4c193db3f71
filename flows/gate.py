"""Puts a candidate before the quality checks: chunks, questions, originals, and the live release to compare with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from flows.child import Limits, PrepareChild
from flows.rooms import redactor_of
from flows.workspace import Workspace
from kprep.config import read_yaml
from kprep.core.models import Locator
from kprep.store import documents, measures, relations, releases, search
from kprep.store.sql import Connection
from quality import load_questions, run_gate
from quality.spec import Candidate, CandidateChunk, GateReport, Hit, Question, Thresholds, TouchedRelation
from retrieval import Reader, Searcher, SearchRequest


def judge(workspace: Workspace, connection: Connection, release: int) -> GateReport:
    """Gate report on a candidate. Writes nothing. Originals are opened in a child process with limits."""
    settings = workspace.settings
    child = PrepareChild(workspace.rules, Limits(settings.document_timeout_s, settings.document_memory_mb))
    try:
        return run_gate(candidate(workspace, connection, release, child))
    finally:
        child.close()


def candidate(workspace: Workspace, connection: Connection, release: int, child: PrepareChild) -> Candidate:
    """A release as the checks see it."""
    kb, quality = workspace.kb, workspace.base.config.quality
    row = releases.get(connection, kb, release)
    assert row is not None
    asked = questions(workspace)
    expected = sorted({span.document for question in asked for span in question.expected})
    chunks = [
        CandidateChunk(
            **{**item, "heading_path": tuple(item["heading_path"]), "locator": Locator.from_json(item["locator"])}
        )
        for item in measures.gate_chunks(connection, kb, release, row.configuration["embedding_space"], expected)
    ]
    copies: dict[str, list[str]] = {}
    for item in measures.copies(connection, kb, release):
        copies.setdefault(item["chunk_id"], []).append(item["document_uri"])
    redactor = redactor_of(workspace.rules)
    base = row.base_release
    live = releases.get(connection, kb, base) if base else None
    comparable = live is not None and live.configuration.get("lexicon") == row.configuration["lexicon"]
    thresholds = quality.thresholds
    return Candidate(
        release=release,
        base_release=base,
        chunks=chunks,
        questions=asked,
        ask=_asker(workspace, connection, release),
        ask_live=_asker(workspace, connection, base) if comparable else None,
        open_original=_opener(workspace, child),
        scan_text=lambda text: [kind for kind, _, _ in redactor.scan(text)],
        max_tokens=workspace.rules.max_tokens,
        needs_vectors=bool(row.configuration["embedding_space"]),
        listed=documents.count_observed(connection, kb),
        failed=len(documents.failures(connection, kb)),
        views=search.views_shown(connection, kb, release, row.configuration["views"]),
        thresholds=Thresholds(**thresholds.model_dump(), locator_sample=quality.locator_sample),
        total=int(row.statistics["children"]),
        without_vector=int(row.statistics["without_vector"]),
        copies=copies,
        relations=_touched(connection, kb, base, release),
        removed=measures.removed_shares(connection, kb, release, thresholds.removed_share),
        uncovered=measures.low_coverage(connection, kb, release, thresholds.coverage),
    )


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


def _asker(workspace: Workspace, connection: Connection, release: int) -> Callable[[Question, int], Sequence[Hit]]:
    """Asks a release, published or not, as the question's principals."""

    def ask(question: Question, top_k: int) -> Sequence[Hit]:
        today = datetime.now(tz=UTC).date()
        reader = Reader(connection, workspace.kb, release, question.principals, today, unpublished=True)
        searcher = Searcher(reader, lambda: workspace.embedder)
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
