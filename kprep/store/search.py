"""The read side's SQL. Every statement goes through `kprep.visible_members`: permissions, validity, overlay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from sqlalchemy import Connection

from kprep.store.embeddings import vector_text
from kprep.store.sql import load

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Scope:
    """What a read may see: one release, as these principals, valid on this day, within a view's filter.

    `where`: sensitivity, doc_type, language, source -> allowed values; a missing key allows all.
    """

    kb: str
    release: int
    principals: tuple[str, ...]
    as_of: date
    where: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def values(self) -> dict[str, Any]:
        """Parameters every statement takes."""
        allowed = {name: self.where.get(name) for name in ("sensitivity", "doc_type", "language", "source")}
        return {
            "kb": self.kb,
            "release": self.release,
            "principals": list(self.principals),
            "as_of": self.as_of,
            **{name: None if value is None else list(value) for name, value in allowed.items()},
        }


@dataclass(frozen=True, slots=True)
class Bm25:
    """Constants of the formula, and the statistics of the release it is computed on."""

    lexicon: str
    k1: float
    b: float
    chunks: int
    average_length: float


def lexical(
    connection: Connection, scope: Scope, terms: Mapping[str, float], bm25: Bm25, top_k: int
) -> tuple[list[tuple[str, float]], dict[str, int]]:
    """Chunks by BM25, best first, ties by id: (chunk id, score); and the document frequency of each matched term.

    score = sum over terms of weight * ln(1 + (N - df + 0.5) / (df + 0.5)) * tf * (k1 + 1) / (tf + k1 * (1 - b + b *
    length / average)), with N, df and the average taken over the whole release.
    Source: Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), with the +1 inside the logarithm.
    """
    if not terms or bm25.chunks == 0:
        return [], {}
    values = {
        **scope.values(),
        "terms": list(terms),
        "weights": list(terms.values()),
        "lexicon": bm25.lexicon,
        "k1": bm25.k1,
        "b": bm25.b,
        "chunks": bm25.chunks,
        "average_length": bm25.average_length,
        "top_k": top_k,
    }
    rows = connection.execute(SQL["lexical"], values).all()
    frequencies = {str(term): int(df) for term, df in (rows[0][2] if rows else {}).items()}
    return [(row[0], float(row[1])) for row in rows], frequencies


def dense(
    connection: Connection, scope: Scope, space: str, vector: Sequence[float], top_k: int
) -> list[tuple[str, float]]:
    """Chunks by cosine to the vector, exact over what the scope may see: (chunk id, cosine), best first, ties by id."""
    values = {**scope.values(), "space": space, "vector": vector_text(vector), "top_k": top_k}
    return [(row[0], float(row[1])) for row in connection.execute(SQL["dense"], values)]


def without_vector(connection: Connection, kb: str, release: int, space: str) -> int:
    """Chunks of a release that have no vector in the space."""
    return int(connection.execute(SQL["without_vector"], {"kb": kb, "release": release, "space": space}).scalar_one())


def chunks(
    connection: Connection, scope: Scope, *, chunk_ids: Sequence[str] | None = None, uri: str | None = None
) -> list[dict[str, Any]]:
    """Visible chunks by id or of one document, by URI and position, with document, place and metadata."""
    values = {**scope.values(), "chunk_ids": None if chunk_ids is None else list(chunk_ids), "uri": uri}
    return [dict(row) for row in connection.execute(SQL["chunks"], values).mappings()]


def parents(connection: Connection, scope: Scope, parent_ids: Sequence[str]) -> list[dict[str, Any]]:
    """Parents of which the scope may see at least one child, with heading path, full text and summary."""
    values = {**scope.values(), "parent_ids": list(parent_ids)}
    rows = [dict(row) for row in connection.execute(SQL["parents"], values).mappings()]
    return sorted(rows, key=lambda row: (row["document_uri"], row["ordinal"]))


def readable_uris(connection: Connection, scope: Scope, uris: Sequence[str]) -> dict[str, str]:
    """Those of the URIs that lead to a document the scope may see: URI -> title."""
    return {
        row[0]: row[1] for row in connection.execute(SQL["documents_of_uris"], {**scope.values(), "uris": list(uris)})
    }


def view_sizes(connection: Connection, kb: str, release: int, views: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Chunks of a release that each view's filter lets through, whatever their ACL."""
    sizes = {}
    for name, definition in views.items():
        values = Scope(kb, release, (), date.min, definition["where"]).values()
        sizes[name] = int(connection.execute(SQL["view_size"], values).scalar_one())
    return sizes
