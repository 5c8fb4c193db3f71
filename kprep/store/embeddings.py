"""Vectors, by space and hash of the exact text: computed once, whatever document or release the text is in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection

from kprep.store.sql import load

SQL = load(__file__)


def missing(connection: Connection, kb: str, versions: Sequence[str], space: str) -> list[tuple[str, str]]:
    """Texts of these document versions that have no vector in the space: (content hash, text), by hash."""
    values = {"kb": kb, "versions": list(versions), "space": space}
    return [(row[0], row[1]) for row in connection.execute(SQL["missing"], values)]


def count_texts(connection: Connection, kb: str, versions: Sequence[str]) -> int:
    """Number of different texts in these document versions."""
    return int(connection.execute(SQL["count_texts"], {"kb": kb, "versions": list(versions)}).scalar_one())


def save(connection: Connection, space: str, hashes: Sequence[str], vectors: Iterable[Sequence[float]]) -> None:
    """Store vectors, in the order of the hashes."""
    texts = [vector_text(vector) for vector in vectors]
    connection.execute(SQL["add_space"], {"space": space})
    values = {"space_id": space_id(connection, space), "hashes": list(hashes), "vectors": texts}
    connection.execute(SQL["save"], values)


def space_id(connection: Connection, space: str) -> int | None:
    """Number of a space, None when no vector was ever stored in it."""
    found = connection.execute(SQL["space_id"], {"space": space}).scalar()
    return None if found is None else int(found)


def vector_text(vector: Sequence[float]) -> str:
    """Text form of a pgvector, with the nine digits a 32-bit float needs."""
    return "[" + ",".join(f"{value:.9g}" for value in vector) + "]"
