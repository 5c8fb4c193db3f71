"""Vectors, by space and hash of the exact text: computed once, whatever document or release the text is in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from kprep.store.sql import load

SQL = load(__file__)
HALFVEC_DIMENSIONS = 4_000
"""Most dimensions pgvector indexes in half precision."""


def missing(
    connection: Connection, kb: str, versions: Sequence[str], space: str, dimensions: int
) -> list[tuple[str, str]]:
    """Texts of these document versions that have no vector in the space: (content hash, text), by hash.

    A stored vector of other dimensions, or of another length than 1, is damaged and counts as none.
    """
    values = {"kb": kb, "versions": list(versions), "space": space, "dimensions": dimensions}
    return [(row[0], row[1]) for row in connection.execute(SQL["missing"], values)]


def drop_unpublished(connection: Connection, kb: str, ids: Sequence[str]) -> None:
    """Forget the vectors of these documents' texts, except those that a published release shows."""
    connection.execute(SQL["drop_unpublished"], {"kb": kb, "ids": list(ids)})


def count_texts(connection: Connection, kb: str, versions: Sequence[str]) -> int:
    """Number of different texts in these document versions."""
    return int(connection.execute(SQL["count_texts"], {"kb": kb, "versions": list(versions)}).scalar_one())


def save(connection: Connection, space: str, hashes: Sequence[str], vectors: Iterable[Sequence[float]]) -> None:
    """Store vectors, in the order of the hashes; a stored one is replaced only where it is damaged."""
    texts = [vector_text(vector) for vector in vectors]
    connection.execute(SQL["add_space"], {"space": space})
    values = {"space_id": space_id(connection, space), "hashes": list(hashes), "vectors": texts}
    connection.execute(SQL["save"], values)


def space_id(connection: Connection, space: str) -> int | None:
    """Number of a space, None when no vector was ever stored in it."""
    found = connection.execute(SQL["space_id"], {"space": space}).scalar()
    return None if found is None else int(found)


@dataclass(frozen=True, slots=True)
class NearIndex:
    """An approximate nearest-neighbour index over the vectors of one space."""

    space_id: int
    dimensions: int


def near_index(connection: Connection, space: str) -> NearIndex | None:
    """The space's index, None when it has none that is usable (few vectors, or still being built)."""
    row = connection.execute(SQL["near_index"], {"space": space}).one_or_none()
    return None if row is None else NearIndex(int(row[0]), int(row[1]))


def build_near_index(connection: Connection, space: str, least: int) -> bool:
    """Build the space's index if it holds `least` vectors and has none; True when it was built.

    Takes a connection that commits each statement: it is built beside writers and readers (some 20 s for 100,000
    vectors), and one left unfinished by a crash is made anew. Index of half-precision cosines: HNSW, m 16,
    ef_construction 64.
    """
    number = space_id(connection, space)
    if number is None or near_index(connection, space) is not None:
        return False
    row = connection.execute(SQL["measure"], {"space_id": number, "most": least}).one()
    if row[0] < least or row[1] > HALFVEC_DIMENSIONS:
        return False
    name, dimensions = f"kprep.embeddings_near_{number}", int(row[1])
    connection.exec_driver_sql(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
    connection.exec_driver_sql(
        f"CREATE INDEX CONCURRENTLY embeddings_near_{number} ON kprep.embeddings "
        f"USING hnsw ((embedding::halfvec({dimensions})) halfvec_cosine_ops) WHERE space_id = {number}"
    )
    connection.exec_driver_sql(f"COMMENT ON INDEX {name} IS '{dimensions} dimensions'")
    return True


def vector_text(vector: Sequence[float]) -> str:
    """Text form of a pgvector, with the nine digits a 32-bit float needs."""
    return "[" + ",".join(["%.9g"] * len(vector)) % tuple(vector) + "]"
