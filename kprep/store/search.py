"""The read side's SQL. Every statement goes through `kprep.visible_members`: permissions, validity, overlay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, TextClause, text

from kprep.store import embeddings
from kprep.store.embeddings import NearIndex
from kprep.store.sql import binary_mappings, binary_rows, load

SQL = load(__file__)
LEAST_EF = 200
"""Least candidates the index walks through (hnsw.ef_search); recall grows with it, time too."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What a read may see: one release, as these principals, valid on this day, within a view's filter.

    `where`: sensitivity, doc_type, language, source -> allowed values; a missing key allows all. `stores`: "formal",
    and "candidate" where a view asks for what nobody has confirmed. `updated_from`, `updated_until`: bounds of the last
    update, the second not included.
    """

    kb: str
    release: int
    principals: tuple[str, ...]
    as_of: date
    where: Mapping[str, Sequence[str]] = field(default_factory=dict)
    stores: tuple[str, ...] = ("formal",)
    updated_from: datetime | None = None
    updated_until: datetime | None = None

    def within(self, view: Mapping[str, Any]) -> Scope:
        """The scope within the filter of a view's definition."""
        return replace(
            self,
            where=view["where"],
            stores=tuple(view.get("stores", ("formal",))),
            updated_from=_midnight(view.get("updated_since")),
            updated_until=_midnight(view.get("updated_before")),
        )

    def values(self) -> dict[str, Any]:
        """Parameters every statement takes."""
        allowed = {name: self.where.get(name) for name in ("sensitivity", "doc_type", "language", "source")}
        return {
            "kb": self.kb,
            "release": self.release,
            "principals": list(self.principals),
            "as_of": self.as_of,
            "updated_from": self.updated_from,
            "updated_until": self.updated_until,
            "stores": list(self.stores),
            **{name: None if value is None else list(value) for name, value in allowed.items()},
        }


def _midnight(day: str | None) -> datetime | None:
    """When a day (ISO) begins, in UTC."""
    return None if day is None else datetime.combine(date.fromisoformat(day), time.min, UTC)


def plan_anew(connection: Connection) -> None:
    """Let every statement of this transaction be planned for the values it is given: before the first read."""
    connection.execute(SQL["plan_anew"])


def visible_among(connection: Connection, scope: Scope, numbers: Sequence[int]) -> dict[int, str]:
    """Those of the chunk numbers that the scope may see: number -> chunk id."""
    values = {**scope.values(), "numbers": list(numbers)}
    return dict(binary_rows(connection, SQL["visible_among"], values))


def visible_all(connection: Connection, scope: Scope) -> dict[int, str]:
    """Every chunk the scope may see: number -> chunk id. For scopes that see little."""
    return dict(binary_rows(connection, SQL["visible_all"], scope.values()))


def dense_few(
    connection: Connection, scope: Scope, space: str, vector: Sequence[float], top_k: int, most: int
) -> list[tuple[str, float]] | None:
    """Chunks by cosine to the vector, exact, as `dense_exact`; None when the scope may see more than `most`."""
    values = {**scope.values(), "space": space, "vector": embeddings.vector_text(vector)}
    rows = binary_rows(connection, SQL["dense_few"], {**values, "top_k": top_k, "most": most})
    seen = next(cosine for chunk_id, cosine in rows if not chunk_id)
    return None if seen > most else [(chunk_id, cosine) for chunk_id, cosine in rows if chunk_id]


def dense_exact(
    connection: Connection, scope: Scope, space: str, vector: Sequence[float], top_k: int
) -> list[tuple[str, float]]:
    """Chunks by cosine to the vector, exact over what the scope may see: (chunk id, cosine), best first, ties by id."""
    values = {**scope.values(), "space": space, "vector": embeddings.vector_text(vector), "top_k": top_k}
    return [(chunk_id, cosine) for chunk_id, cosine in binary_rows(connection, SQL["dense_exact"], values)]


def background(
    connection: Connection, scope: Scope, space: str, vector: Sequence[float], best: str, most: int
) -> float:
    """Mean cosine of the vector to up to `most` chunks of the scope, without choice, in the language of the chunk
    `best` and without it; 0 when there is no other."""
    values = {**scope.values(), "space": space, "vector": embeddings.vector_text(vector), "best": best, "most": most}
    return float(binary_rows(connection, SQL["background"], values)[0][0])


def dense_near(
    connection: Connection, scope: Scope, index: NearIndex, vector: Sequence[float], near: int
) -> list[tuple[str, float]]:
    """Those of the `near` nearest vectors, found approximately, that the scope may see: (chunk id, exact cosine)."""
    connection.execute(SQL["set_near"], {"near": str(max(LEAST_EF, near))})
    values = {**scope.values(), "vector": embeddings.vector_text(vector), "near": near}
    return [(chunk_id, cosine) for chunk_id, cosine in binary_rows(connection, _dense_near(index), values)]


@lru_cache(maxsize=64)
def _dense_near(index: NearIndex) -> TextClause:
    """The statement with two numbers of ours: an index over an expression is used only for the same text."""
    return text(SQL["dense_near"].text.format(space_id=index.space_id, dimensions=index.dimensions))


def chunks(
    connection: Connection, scope: Scope, *, chunk_ids: Sequence[str] | None = None, uri: str | None = None
) -> list[dict[str, Any]]:
    """Visible chunks by id or of one document, by URI and position, with document, place and metadata."""
    values = {**scope.values(), "chunk_ids": None if chunk_ids is None else list(chunk_ids), "uri": uri}
    return binary_mappings(connection, SQL["chunks"], values)


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


def views_shown(
    connection: Connection, kb: str, release: int, views: Mapping[str, Mapping[str, Any]]
) -> dict[str, int]:
    """1 for each view whose filter lets any chunk of a release through, whatever its ACL; else 0."""
    shown = {}
    for name, definition in views.items():
        values = Scope(kb, release, (), date.min).within(definition).values()
        shown[name] = int(connection.execute(SQL["view_size"], values).scalar_one())
    return shown
