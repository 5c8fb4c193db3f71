"""What stands around a hit: the summary of its section and its neighbours, as far as a budget of tokens goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kprep.store import search as store
from kprep.store.search import Scope
from kprep.store.sql import Connection

CHARS_PER_TOKEN = 4
"""A summary has no count of its own; so many characters are reckoned as a token."""


def fill(connection: Connection, scope: Scope, hits: Sequence[dict[str, Any]], budget: int) -> int:
    """Give hits a `context` {summary, before, after}, best hit first; tokens used, never more than the budget.

    A section's summary is given once, and not where a hit says it itself; a passage that is a hit, or was given before,
    is not repeated. Neighbours are of the hit's section, or of the sections beside it where it is all of its own.
    """
    given = {hit["chunk_id"] for hit in hits}
    sections = {row["parent_id"]: row for row in store.parents(connection, scope, [hit["parent_id"] for hit in hits])}
    documents: dict[str, list[dict[str, Any]]] = {}
    used = 0
    for hit in hits:
        uri = hit["document_uri"]
        if uri not in documents:
            documents[uri] = store.chunks(connection, scope, uri=uri)
        around: dict[str, Any] = {"summary": "", "before": [], "after": []}
        section = sections.pop(hit["parent_id"], None)
        alone = sum(row["parent_id"] == hit["parent_id"] for row in documents[uri]) == 1
        if section is not None and section["summary"] and not _says(hit["text"], section["summary"]):
            cost = len(section["summary"]) // CHARS_PER_TOKEN + 1
            if used + cost <= budget:
                around["summary"] = section["summary"]
                used += cost
        for name, row in _neighbours(documents[uri], hit["chunk_id"]):
            elsewhere = row["parent_id"] != hit["parent_id"] and not alone
            if row["chunk_id"] in given or elsewhere or used + row["tokens"] > budget:
                continue
            given.add(row["chunk_id"])
            used += row["tokens"]
            around[name].append({"chunk_id": row["chunk_id"], "text": row["text"]})
        hit["context"] = around
    return used


def _says(text: str, summary: str) -> bool:
    return " ".join(summary.split()).rstrip(".\u2026") in " ".join(text.split())


def _neighbours(rows: Sequence[dict[str, Any]], chunk_id: str) -> list[tuple[str, dict[str, Any]]]:
    """The passages after and before one, where they are visible."""
    place = next((number for number, row in enumerate(rows) if row["chunk_id"] == chunk_id), None)
    if place is None:
        return []
    after = [("after", rows[place + 1])] if place + 1 < len(rows) else []
    return after + ([("before", rows[place - 1])] if place else [])
