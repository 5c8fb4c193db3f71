"""Published views as SQL: a filter and a projection over the live release, limited to the session's principals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from psycopg import sql
from sqlalchemy import Connection, text

from kprep.core.ids import digest

NAME_MAX = 63
"""PostgreSQL cuts longer names without an error, so that two views would be one."""
COLUMNS: Mapping[str, str] = {
    "text": "c.text",
    "title": "d.title",
    "heading_path": "c.heading_path",
    "locator": "m.locator",
    "document_uri": "d.uri",
    "keywords": "c.keywords",
    "language": "c.language",
    "fragment": "c.fragment",
    **{
        name: f"kprep.inherited(c.signals, d.metadata) -> '{name}'"
        for name in ("avoid_with", "difficulty", "source_confidence", "style", "truth_confidence")
    },
    **{
        name: f"m.{name}"
        for name in (
            "updated_at",
            "valid_from",
            "valid_until",
            "source",
            "doc_type",
            "sensitivity",
            "store",
            "parent_id",
            "chunk_id",
        )
    },
    "citation": "kprep.citation(d.uri, m.locator)",
}


def view_name(kb: str, name: str) -> str:
    """Name of a view in schema `published`: `<kb>__<name>` with `_` for `-`, shortened with a digest over 63 bytes."""
    full = f"{kb}__{name}".replace("-", "_")
    return full if len(full) <= NAME_MAX else f"{full[: NAME_MAX - 9]}_{digest(full)[:8]}"


def create_statement(kb: str, name: str, definition: Mapping[str, Any]) -> sql.Composed:
    """`CREATE VIEW published.<kb>__<name>`: reads the live release as the session's `kprep.tenant` and
    `kprep.principals` (comma-separated); without either it shows nothing."""
    columns = [
        sql.SQL(COLUMNS[field] + " AS ") + sql.Identifier(field) for field in dict.fromkeys(definition["fields"])
    ]
    conditions = [
        sql.SQL(" AND m.store = ANY({})").format(sql.Literal(list(definition.get("stores", ("formal",))))),
        *_where(definition["where"]),
        *_updated(definition),
    ]
    return sql.SQL(
        "CREATE VIEW {view} WITH (security_barrier) AS SELECT m.chunk_id AS id, {columns} "
        "FROM kprep.session_members m "
        "JOIN kprep.chunks c ON c.kb = m.kb AND c.chunk_id = m.chunk_id "
        "JOIN kprep.release_documents d ON d.kb = m.kb AND d.document_id = m.document_id "
        "AND d.from_release <= m.live_release AND (d.to_release IS NULL OR d.to_release > m.live_release) "
        "WHERE m.kb = {kb}{conditions}"
    ).format(
        view=sql.Identifier("published", view_name(kb, name)),
        columns=sql.SQL(", ").join(columns),
        kb=sql.Literal(kb),
        conditions=sql.SQL("").join(conditions),
    )


def _where(where: Mapping[str, Any]) -> list[sql.Composed]:
    return [
        sql.SQL(" AND ") + sql.Identifier("m", column) + sql.SQL(" = ANY({})").format(sql.Literal(list(values)))
        for column, values in sorted(where.items())
    ]


def _updated(definition: Mapping[str, Any]) -> list[sql.Composed]:
    """Days begin at midnight UTC, as for a search within the view."""
    return [
        sql.SQL(f" AND m.updated_at {operator} CAST({{}} AS timestamptz)").format(sql.Literal(f"{day}T00:00:00+00:00"))
        for name, operator in (("updated_since", ">="), ("updated_before", "<"))
        if (day := definition.get(name))
    ]


def drop_statement(kb: str, name: str) -> sql.Composed:
    """`DROP VIEW IF EXISTS` for the same name."""
    return sql.SQL("DROP VIEW IF EXISTS {}").format(sql.Identifier("published", view_name(kb, name)))


def exists(connection: Connection, kb: str, name: str) -> bool:
    """True when the SQL view is there."""
    found = text("SELECT to_regclass(:name)")
    return connection.execute(found, {"name": f'published."{view_name(kb, name)}"'}).scalar() is not None


def create(connection: Connection, kb: str, name: str, definition: Mapping[str, Any]) -> None:
    """Create the SQL view of a definition with `where` and `fields`, readable by role `kprep_reader`."""
    connection.exec_driver_sql(create_statement(kb, name, definition).as_string())
    hand_over = text("SELECT kprep.hand_over(CAST(:name AS regclass))")
    connection.execute(hand_over, {"name": f'published."{view_name(kb, name)}"'})


def drop(connection: Connection, kb: str, name: str) -> None:
    """Remove the SQL view if it is there."""
    connection.exec_driver_sql(drop_statement(kb, name).as_string())
