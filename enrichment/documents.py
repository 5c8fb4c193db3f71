"""Enrichment of a document: each field from its own module, put together here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from enrichment.entities import entity_finder, names_of
from enrichment.fragments import fragment_of
from enrichment.keywords import keywords_of
from enrichment.languages import chunk_language
from enrichment.relations import relations_of
from enrichment.signals import estimate, names, stated
from enrichment.titles import summary_of, title_of
from enrichment.validity import validity_of
from kprep.core.errors import EnrichmentError
from kprep.core.ids import canonical_json, digest
from kprep.core.index_text import compose, heading_line
from kprep.core.models import (
    ChildChunk,
    ChunkedDocument,
    CountTokens,
    EnrichedChunk,
    EnrichedDocument,
    EnrichedParent,
    Entity,
)
from kprep.core.tables import sentences

VERSION = 10
CELL_BORDER = " | "


def enrich(document: ChunkedDocument, max_tokens: int, count_tokens: CountTokens) -> EnrichedDocument:
    """The document's chunks with titles, keywords, entities, languages, fragments, index texts and summaries. The
    document's language is that of its metadata (`with_language`).

    Raises: EnrichmentError (a chunk is over `max_tokens` even without keywords)."""
    front_matter = {**document.metadata.front_matter, **validity_of(document)}
    document = replace(document, metadata=replace(document.metadata, front_matter=front_matter))
    language = document.metadata.language
    entries, called = stated(document), names(document)
    writer = _Writer(document.title, max_tokens, count_tokens)
    find_entities = entity_finder(names_of(document))
    first = {child.parent_key: child.key for child in reversed(document.children)}
    children = tuple(
        _child(
            child, language, writer, find_entities(child), entries, called, heads=first[child.parent_key] == child.key
        )
        for child in document.children
    )
    told = _concluded(document)
    parents = tuple(
        EnrichedParent(
            parent.key,
            parent.heading_path,
            parent.text,
            summary_of(told.get(parent.key, parent.text), language),
            parent.locator,
        )
        for parent in document.parents
    )
    return EnrichedDocument(
        document.uri,
        document.title,
        language,
        document.metadata,
        parents,
        children,
        tuple(anchor for anchor, _ in document.anchors),
        relations_of(document),
    )


def _concluded(document: ChunkedDocument) -> dict[str, str]:
    """What a summary of a conversation is made of: parent key -> its first words that stand, and its conclusions."""
    out: dict[str, str] = {}
    concluding = {child.parent_key for child in document.children if child.fragment == "conclusion"}
    for child in document.children:
        if child.parent_key in concluding and child.fragment != "outdated":
            if child.parent_key not in out:
                out[child.parent_key] = child.text.split("\n", 1)[0]
                if child.fragment != "conclusion":
                    continue
            if child.fragment == "conclusion" and child.text not in out[child.parent_key]:
                out[child.parent_key] += f"\n{child.text}"
    return out


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes index texts within the limit."""

    title: str
    max_tokens: int
    count_tokens: CountTokens

    def write(self, child: ChildChunk, keywords: Sequence[str]) -> tuple[str, tuple[str, ...], int]:
        """The index text, the keywords it holds, and its tokens."""
        heading = heading_line(self.title, child.heading_path, self.max_tokens, self.count_tokens)
        texts = [rows_as_sentences(child), child.text] if child.kind == "table" else [child.text]
        for body, kept in ((body, kept) for body in texts for kept in range(len(keywords), -1, -1)):
            text = compose(heading, body, keywords[:kept])
            tokens = self.count_tokens(text)
            if tokens <= self.max_tokens:
                return text, tuple(keywords[:kept]), tokens
        raise EnrichmentError(
            f"a chunk has {tokens} tokens, the limit is {self.max_tokens}: it was cut for another limit or tokenizer",
            chunk=child.key, tokens=tokens, limit=self.max_tokens,
        )  # fmt: skip


def rows_as_sentences(child: ChildChunk) -> str:
    """Text of a table chunk with each row as a "field: value" sentence; lines that are no rows stay as they are.

    The header is what the chunk knows of, else what it repeats from the table's start, else its first row. Names of
    columns without a value stand first, in a line of their own: they are found, too.
    """
    lines = child.text.split("\n")
    first = next((number for number, line in enumerate(lines) if CELL_BORDER in line), len(lines))
    last = next((number for number in range(first, len(lines)) if CELL_BORDER not in lines[number]), len(lines))
    rows = [line.split(CELL_BORDER) for line in lines[first:last]]
    header_rows = child.header_rows
    if header_rows is None:
        header_rows = max(1, len([line for line in child.lead.split("\n") if CELL_BORDER in line]))
    if len(rows) <= header_rows:
        return child.text
    valued = {column for row in rows[header_rows:] for column, cell in enumerate(row) if any(map(str.isalnum, cell))}
    bare = [
        cell.strip() for row in rows[:header_rows] for at, cell in enumerate(row) if cell.strip() and at not in valued
    ]
    unvalued = [CELL_BORDER.join(bare)] if bare else []
    return "\n".join([*lines[:first], *unvalued, *sentences(rows, header_rows), *lines[last:]])


def _child(
    child: ChildChunk,
    inherited: str,
    writer: _Writer,
    entities: tuple[Entity, ...],
    entries: Mapping[str, Mapping[str, Any]],
    called: Mapping[str, Mapping[str, Any]],
    *,
    heads: bool,
) -> EnrichedChunk:
    language = inherited if child.kind == "code" else chunk_language(child.text, inherited)
    found = keywords_of(child, language)
    index_text, keywords, tokens = writer.write(child, found)
    title = title_of(child, found, language, heads=heads)
    fragment, confidence = fragment_of(child, entities)
    signals = {"rule": estimate(child, language, fragment, writer.count_tokens)}
    if child.heading_path and child.heading_path[0] in entries:
        signals["entry"] = dict(entries[child.heading_path[0]])
    if own := called.get(child.heading_path[0] if child.heading_path else "") or called.get(""):
        signals["names"] = dict(own)
    content = canonical_json([title, keywords, list(map(asdict, entities)), language, index_text, fragment, signals])
    return EnrichedChunk(
        key=digest(child.key, content)[:32],
        parent_key=child.parent_key,
        kind=child.kind,
        text=child.text,
        index_text=index_text,
        heading_path=child.heading_path,
        title=title,
        keywords=keywords,
        language=language,
        content_hash=digest(index_text),
        tokens=tokens,
        locator=child.locator,
        start=child.start,
        end=child.end,
        links=child.links,
        fragment=fragment,
        fragment_confidence=confidence,
        signals=signals,
        entities=entities,
    )
