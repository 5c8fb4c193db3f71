"""Chunks and parents: immutable rows, and where they stand in a document version."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection

from kprep.core.ids import chunk_id
from kprep.core.models import EnrichedDocument
from kprep.store.sql import jsonb, load

SQL = load(__file__)
_RECORDED = ("asked", "by", "used")
"""What is recorded of an answer beside its fields."""


def save(connection: Connection, kb: str, document_id: str, version_id: str, document: EnrichedDocument) -> None:
    """Store a document version's parents, chunks and places; rows that exist already stay as they are."""
    parents = [
        {
            "parent_id": chunk_id(document_id, parent.key),
            "key": parent.key,
            "heading_path": list(parent.heading_path),
            "text": parent.text,
            "summary": parent.summary,
        }
        for parent in document.parents
    ]
    chunks = [
        {
            "ordinal": ordinal,
            "chunk_id": chunk_id(document_id, child.key),
            "key": child.key,
            "parent_id": chunk_id(document_id, child.parent_key),
            "kind": child.kind,
            "text": child.text,
            "index_text": child.index_text,
            "heading_path": list(child.heading_path),
            "title": child.title,
            "keywords": list(child.keywords),
            "entities": [asdict(entity) for entity in child.entities],
            "fragment": child.fragment,
            "fragment_confidence": child.fragment_confidence,
            "signals": dict(child.signals),
            "language": child.language,
            "content_hash": child.content_hash,
            "tokens": child.tokens,
            "locator": child.locator.to_json(),
            "first": child.start,
            "last": child.end,
            "links": [[link.text, link.target] for link in child.links],
        }
        for ordinal, child in enumerate(document.children)
    ]
    _store(connection, kb, document_id, version_id, parents, chunks)


def suggested(connection: Connection, kb: str, version_id: str) -> dict[str, dict[str, Any]]:
    """What a model was asked about a version's chunks: hash of the request -> what was accepted of the answer."""
    rows = connection.execute(SQL["suggested"], {"kb": kb, "version_id": version_id}).scalars()
    return {row["asked"]: {name: value for name, value in row.items() if name not in _RECORDED} for row in rows}


def places(connection: Connection, kb: str, version_id: str) -> list[tuple[int, str | None, list[str]]]:
    """(ordinal, anchor, heading path) of a version's chunks, in order."""
    values = {"kb": kb, "version_id": version_id}
    return [(row[0], row[1], row[2]) for row in connection.execute(SQL["places"], values)]


def copy(connection: Connection, kb: str, document_id: str, version_id: str, from_version: str) -> None:
    """The chunks of another document's version as this document's own, under its own ids."""
    parents: dict[str, dict[str, Any]] = {}
    chunks = []
    for row in connection.execute(SQL["rows_of_version"], {"kb": kb, "version_id": from_version}).mappings():
        parent_id = chunk_id(document_id, row["parent_key"])
        parents[parent_id] = {
            "parent_id": parent_id,
            "key": row["parent_key"],
            "heading_path": row["parent_path"],
            "text": row["parent_text"],
            "summary": row["summary"],
        }
        chunks.append({**row, "chunk_id": chunk_id(document_id, row["key"]), "parent_id": parent_id})
    _store(connection, kb, document_id, version_id, list(parents.values()), chunks)


def _store(
    connection: Connection,
    kb: str,
    document_id: str,
    version_id: str,
    parents: list[dict[str, Any]],
    chunks: list[dict[str, Any]],
) -> None:
    values = {"kb": kb, "document_id": document_id, "version_id": version_id}
    connection.execute(SQL["save_parents"], {**values, "rows": jsonb(parents)})
    connection.execute(SQL["save_chunks"], {**values, "rows": jsonb(chunks)})
    connection.execute(SQL["place_chunks"], {**values, "rows": jsonb(chunks)})
