"""What should hold between the tables of a live release, asked of the tables themselves; and putting it right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from kprep.store import releases, views
from kprep.store.sql import jsonb, load

SQL = load(__file__)
VECTOR_SAMPLE = 20_000
"""Vectors whose dimensions and length are looked at."""


def members_missing(connection: Connection, kb: str, release: int) -> list[dict[str, Any]]:
    """Chunks of a release's documents that it does not show: release, document_id, uri, chunk_id, ordinal."""
    return _rows(connection, "members_missing", kb=kb, release=release)


def members_extra(connection: Connection, kb: str, release: int) -> list[dict[str, Any]]:
    """Rows that show what no live document has, or show it twice: document_id, chunk_id, from_release, ordinal."""
    return _rows(connection, "members_extra", kb=kb, release=release)


def versions_incomplete(connection: Connection, kb: str, release: int) -> list[dict[str, Any]]:
    """Live documents whose prepared version lost chunks: document_id, uri."""
    return _rows(connection, "versions_incomplete", kb=kb, release=release)


def vectors_missing(connection: Connection, kb: str, release: int, space: str) -> list[dict[str, Any]]:
    """Texts of the release without a vector in the space: content_hash, index_text, chunk_id."""
    return _rows(connection, "vectors_missing", kb=kb, release=release, space=space)


def vectors_damaged(connection: Connection, kb: str, release: int, space: str, dimensions: int) -> list[dict[str, Any]]:
    """Vectors with other dimensions or another length than 1, among VECTOR_SAMPLE of the release: content_hash."""
    values = {"kb": kb, "release": release, "space": space, "dimensions": dimensions, "most": VECTOR_SAMPLE}
    return _rows(connection, "vectors_damaged", **values)


def drop_vectors(connection: Connection, space: str, hashes: Sequence[str]) -> None:
    """Remove vectors, to be computed anew."""
    connection.execute(SQL["drop_vectors"], {"space": space, "hashes": list(hashes)})


def unindexed(connection: Connection, kb: str, release: int, lexicon: str) -> list[dict[str, Any]]:
    """Chunks of the release that the lexicon does not count: chunk_no, chunk_id."""
    return _rows(connection, "unindexed", kb=kb, release=release, lexicon=lexicon)


def lengths(connection: Connection, kb: str, lexicon: str) -> dict[int, int]:
    """Chunk number -> length, of all chunks the lexicon counts."""
    return {row[0]: row[1] for row in connection.execute(SQL["lengths"], {"kb": kb, "lexicon": lexicon})}


def postings(connection: Connection, kb: str, lexicon: str) -> Iterator[tuple[int, bytes, bytes]]:
    """(segment, offsets, frequencies) of every term, packed as `kprep.store.lexical` packs them."""
    for row in connection.execute(SQL["postings"], {"kb": kb, "lexicon": lexicon}):
        yield int(row[0]), bytes(row[1]), bytes(row[2])


def clear_lexicon(connection: Connection, kb: str, lexicon: str) -> list[str]:
    """Empty a lexicon; the versions whose chunks it has to hold."""
    for name in ("drop_postings", "drop_lengths"):
        connection.execute(SQL[name], {"kb": kb, "lexicon": lexicon})
    return [str(row[0]) for row in connection.execute(SQL["released_versions"], {"kb": kb})]


def originals(connection: Connection, kb: str, release: int) -> list[dict[str, Any]]:
    """Addresses of the live documents' originals with one document that has each: content_hash, document_id, uri."""
    return _rows(connection, "originals", kb=kb, release=release)


def views_differing(connection: Connection, kb: str, release: int) -> list[str]:
    """Names of views that are not in schema `published` as the release defines them, or should not be there."""
    wanted = releases.views(connection, kb, release)
    known = [str(row[0]) for row in connection.execute(SQL["view_names"], {"kb": kb})]
    names = {name: views.view_name(kb, name) for name in known}
    rows = connection.execute(SQL["sql_views"], {"names": list(names.values())})
    found = {row[0]: list(row[1]) for row in rows}
    columns = {name: ["id", *dict.fromkeys(definition["fields"])] for name, definition in wanted.items()}
    return sorted(name for name, full in names.items() if found.get(full) != columns.get(name))


def end_members(connection: Connection, kb: str, release: int, rows: Sequence[Mapping[str, Any]]) -> None:
    """Take rows of membership, by chunk_id and from_release, out of the release; earlier ones keep them."""
    values = [{"chunk_id": row["chunk_id"], "from_release": row["from_release"]} for row in rows]
    for name in ("close_members", "drop_members"):
        connection.execute(SQL[name], {"kb": kb, "release": release, "rows": jsonb(values)})


def restore_members(connection: Connection, kb: str, release: int, wanted: Sequence[Mapping[str, Any]]) -> int:
    """Write the missing rows of membership of documents of a release (rows as `releases.apply_changes` takes them)."""
    releases.desire(connection, kb, wanted)
    return connection.execute(SQL["restore_members"], {"kb": kb, "release": release}).rowcount


def _rows(connection: Connection, name: str, **values: Any) -> list[dict[str, Any]]:
    return [dict(row) for row in connection.execute(SQL[name], values).mappings()]
