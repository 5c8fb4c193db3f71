"""The handbook as a candidate release in memory: real rooms, originals, embedder and BM25; no database.

What is dear (embedding, opening originals, scanning) is remembered, so that a candidate that differs in one document
costs what differs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from flows import rooms
from flows.metadata import Permitted, document_metadata
from flows.rules import RuleSet, load_rules
from kprep import config
from kprep.core.ids import chunk_id, content_hash, document_id
from kprep.core.models import Failure, Locator, PreparedDocument, RawDocument
from parsers.media_type import detect
from quality import load_questions
from quality.spec import (
    Candidate,
    CandidateChunk,
    CandidateDocument,
    DocumentFigures,
    Hit,
    Passage,
    Question,
    Thresholds,
)
from retrieval import tokens
from retrieval.bm25 import idf
from tests.fakes.knowledge_base import local_embedder

HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"
KB = "handbook"
REPLACED = {"people/travel-expenses-2023.md": ("people/travel-expenses-2025.md",)}
ONLY_BY_MEANING = ("nat-collection-agency",)
ANSWERED = ("natural", "mixed", "identifier", "no_answer", "denied")
"""Classes asked: `reference` needs links to be followed, which this search does not."""


@dataclass(frozen=True)
class Document:
    """One prepared document. `content`: its bytes."""

    uri: str
    content: bytes
    acl: tuple[str, ...]
    sensitivity: str
    prepared: PreparedDocument
    chunks: tuple[CandidateChunk, ...]

    def figures(self) -> DocumentFigures:
        return DocumentFigures(
            len(self.chunks),
            sum(len(chunk.text) for chunk in self.chunks),
            len({chunk.heading_path for chunk in self.chunks}),
            self.prepared.document.language,
            self.acl,
            self.chunks[0].valid_from if self.chunks else None,
            self.chunks[0].valid_until if self.chunks else None,
            content_hash(self.content),
        )


Documents = Mapping[str, Document]


@lru_cache(maxsize=1)
def base() -> config.KnowledgeBase:
    return config.load(HANDBOOK)


@lru_cache(maxsize=1)
def rules() -> RuleSet:
    return load_rules(base(), b"key of the tests")


@lru_cache(maxsize=1024)
def prepare(uri: str, content: bytes) -> Document | None:
    """A document of the handbook from bytes, None when it is refused."""
    source = next(source for source in base().config.sources if source.name == uri.split("/", maxsplit=1)[0])
    media_type = detect(uri.rsplit("/", maxsplit=1)[-1], content[: 1 << 20])
    raw = RawDocument(uri, uri.rsplit("/", maxsplit=1)[-1], content, media_type)
    outcome = rooms.prepare(rooms.Job(raw, source.doc_type), rules()).result
    if isinstance(outcome, Failure):
        return None
    key = document_id(KB, source.name, uri)
    said = outcome.document.metadata.front_matter
    metadata = document_metadata(source, base().config.tenant, Permitted(source.acl), None, said)
    chunks = tuple(
        CandidateChunk(
            chunk_id=chunk_id(key, child.key),
            document_id=key,
            document_uri=uri,
            ordinal=ordinal,
            kind=child.kind,
            text=child.text,
            index_text=child.index_text,
            heading_path=child.heading_path,
            language=child.language,
            tokens=child.tokens,
            locator=child.locator,
            is_new=True,
            original=content_hash(content),
            media_type=media_type,
            parser=outcome.parser,
            has_vector=True,
            acl=source.acl,
            sensitivity=source.sensitivity,
            keywords=child.keywords,
            valid_from=_day(metadata["valid_from"]),
            valid_until=_day(metadata["valid_until"]),
        )
        for ordinal, child in enumerate(outcome.document.children)
    )
    return Document(uri, content, source.acl, source.sensitivity, outcome, chunks)


def _day(value: str | None) -> date | None:
    return date.fromisoformat(value) if value else None


@lru_cache(maxsize=1)
def handbook() -> Documents:
    """Every document of the handbook that can be prepared, by URI."""
    found = {}
    for source in base().config.sources:
        folder = HANDBOOK / source.name
        for path in sorted(folder.rglob("*.*")):
            uri = f"{source.name}/{path.relative_to(folder).as_posix()}"
            document = prepare(uri, path.read_bytes())
            if document is not None:
                found[uri] = document
    return found


@lru_cache(maxsize=1)
def questions() -> tuple[Question, ...]:
    loaded = load_questions(yaml.safe_load((HANDBOOK / "questions.yaml").read_text(encoding="utf-8")), "questions.yaml")
    return tuple(question for question in loaded if question.kind in ANSWERED and question.id not in ONLY_BY_MEANING)


@lru_cache(maxsize=20_000)
def _quote(media_type: str, content: bytes, locator: Locator) -> str:
    outcome = rooms.quote(media_type, content, locator)
    if isinstance(outcome, Failure):
        raise OSError(outcome.reason)
    return outcome


@lru_cache(maxsize=20_000)
def scan(text: str) -> tuple[str, ...]:
    return tuple(kind for kind, _, _ in rooms.redactor_of(rules()).scan(text))


@lru_cache(maxsize=20_000)
def vector(text: str) -> Any:
    return local_embedder().embed([text])[0]


@lru_cache(maxsize=20_000)
def terms(text: str, language: str) -> Mapping[str, int]:
    return Counter(tokens.terms(text, language))


class Index:
    """BM25 over the index texts of some chunks, for those who may read them."""

    def __init__(self, chunks: Sequence[CandidateChunk]) -> None:
        self._chunks = chunks
        self._terms = [terms(chunk.index_text, chunk.language) for chunk in chunks]
        self._lengths = [sum(found.values()) for found in self._terms]
        self._mean = sum(self._lengths) / max(1, len(chunks)) or 1.0
        self._frequency = Counter(term for found in self._terms for term in found)

    def best(self, text: str, language: str) -> list[tuple[float, CandidateChunk]]:
        """Chunks with their share of the highest score the text could reach, best first."""
        wanted = {term: idf(len(self._chunks), self._frequency[term]) for term in set(tokens.terms(text, language))}
        bound = 2.5 * sum(weight for term, weight in wanted.items() if " " not in term or self._frequency[term])
        scored = []
        for chunk, found, length in zip(self._chunks, self._terms, self._lengths, strict=True):
            norm = 1.5 * (0.25 + 0.75 * length / self._mean)
            score = sum(
                weight * found[term] * 2.5 / (found[term] + norm) for term, weight in wanted.items() if term in found
            )
            if score:
                scored.append((score / bound, chunk))
        return sorted(scored, key=lambda pair: (-pair[0], pair[1].chunk_id))

    def ask(self, question: Question, top_k: int) -> Sequence[Hit]:
        """Hits for the question's principals; none when the best explains too little of the question."""
        readers = {*question.principals, "public"}
        language = tokens.query_language(question.question)
        hits = [
            pair for pair in self.best(question.question, language) if readers & set(pair[1].acl) and _valid(pair[1])
        ]
        if not hits or hits[0][0] < LEAST_EVIDENCE:
            return []
        return [Hit(chunk.chunk_id, chunk.document_uri, chunk.text) for _, chunk in hits[:top_k]]

    def near(self, chunk: CandidateChunk) -> Sequence[CandidateChunk]:
        """Chunks of other documents that share words with one."""
        found = self.best(chunk.text, chunk.language)[:12]
        return [other for _, other in found if other.document_id != chunk.document_id]


LEAST_EVIDENCE = 0.12
TODAY = date(2026, 6, 1)
DIMENSIONS = 384


def _valid(chunk: CandidateChunk) -> bool:
    return (chunk.valid_from or TODAY) <= TODAY < (chunk.valid_until or date.max)


@lru_cache(maxsize=1)
def live_index() -> Index:
    return Index([chunk for document in handbook().values() for chunk in document.chunks])


@lru_cache(maxsize=1)
def passages() -> Mapping[str, Sequence[Passage]]:
    """Heading paths and texts of the handbook's chunks, by document id."""
    found: dict[str, list[Passage]] = {}
    for document in handbook().values():
        for chunk in document.chunks:
            found.setdefault(chunk.document_id, []).append((chunk.heading_path, chunk.text))
    return found


def candidate_of(
    documents: Documents,
    chunks: Sequence[CandidateChunk] | None = None,
    stored: Callable[[CandidateChunk], Any] | None = None,
    *,
    everything_new: bool = False,
    **changes: Any,
) -> Candidate:
    """A candidate on the handbook as it is live. `chunks`: what it holds, when that is not what was prepared.

    `stored`: the vector that is stored of a chunk, when it is not the model's. `everything_new`: chunks equal to the
    live ones count as new too.
    """
    live = handbook()
    held = [chunk for document in documents.values() for chunk in document.chunks] if chunks is None else list(chunks)
    originals = {document.uri: document.content for document in documents.values()}
    index = Index(held)

    def agreement(chunk: CandidateChunk) -> float:
        kept = vector(chunk.index_text) if stored is None else stored(chunk)
        return float(sum(float(a) * float(b) for a, b in zip(kept, vector(chunk.index_text), strict=True)))

    figures = [
        CandidateDocument(
            document_id=document_id(KB, uri.split("/", maxsplit=1)[0], uri),
            uri=uri,
            sensitivity=document.sensitivity,
            prepared=document.figures(),
            parsed_chars=sum(unit.chars for unit in document.prepared.units),
            removed_share=document.prepared.removed_share,
            live=live[uri].figures() if uri in live else None,
        )
        for uri, document in documents.items()
    ]
    before = {chunk.chunk_id: replace(chunk, is_new=True) for document in live.values() for chunk in document.chunks}
    held = [
        replace(chunk, is_new=everything_new or before.get(chunk.chunk_id) != replace(chunk, is_new=True))
        for chunk in held
    ]
    made = Candidate(
        release=2,
        base_release=1,
        chunks=held,
        questions=questions(),
        ask=index.ask,
        ask_live=live_index().ask,
        open_original=lambda chunk: _quote(chunk.media_type, originals[chunk.document_uri], chunk.locator),
        scan_text=scan,
        max_tokens=rules().max_tokens,
        needs_vectors=True,
        listed=len(live),
        failed=0,
        views={"all": len(held)},
        thresholds=Thresholds(recall_at_5=0.85, mrr=0.6, changed_share=1.0),
        total=len(held),
        replaced=REPLACED,
        documents=figures,
        live_text=passages().__getitem__,
        live_documents=len(live),
        retired=len(live.keys() - documents.keys()),
        gone=frozenset(live.keys() - documents.keys()),
        near=index.near,
        today=TODAY,
        vector_agreement=agreement,
    )
    return replace(made, **changes)
