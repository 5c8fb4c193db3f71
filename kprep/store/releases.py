"""Releases: candidates by membership ranges, the channel that says which is live, and what differs between two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, text

from kprep.store.sql import jsonb, load

SQL = load(__file__)
LIVE = "live"
STALE_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class LiveDocument:
    """A document as a release has it."""

    document_id: str
    source: str
    uri: str
    version_id: str
    content_hash: str
    content_fingerprint: str
    metadata_fingerprint: str
    stages: dict[str, str]
    metadata: dict[str, Any]


class Outline(NamedTuple):
    """A document as a release has it, as far as every run must know: a hundred thousand of them take half a second."""

    document_id: str
    source: str
    uri: str
    version_id: str
    content_hash: str
    content_fingerprint: str
    metadata_fingerprint: str


@dataclass(frozen=True, slots=True)
class ReleaseRow:
    """A release, with its gate report if it has one. `live`: the channel points at it."""

    release: int
    base_release: int
    status: str
    run_id: str
    configuration: dict[str, Any]
    statistics: dict[str, Any]
    created_at: datetime
    published_at: datetime | None
    live: bool
    report: dict[str, Any] | None


def live_release(connection: Connection, kb: str) -> int | None:
    """Number of the live release; 0 before the first is published, None for an unknown knowledge base."""
    found = connection.execute(SQL["live"], {"kb": kb, "channel": LIVE}).scalar()
    return None if found is None else int(found)


def documents(connection: Connection, kb: str, release: int) -> list[LiveDocument]:
    """Documents of a release, by URI."""
    return [LiveDocument(*row) for row in connection.execute(SQL["live_documents"], {"kb": kb, "release": release})]


def outlines(connection: Connection, kb: str, release: int, ids: Sequence[str] | None = None) -> list[Outline]:
    """Documents of a release, all or those with these ids, without their metadata and stages, by URI."""
    if ids is None:
        rows = connection.execute(SQL["outlines"], {"kb": kb, "release": release}).all()
    else:
        rows = connection.execute(SQL["outlines_of"], {"kb": kb, "release": release, "ids": list(ids)}).all()
    return [Outline(*row) for row in rows]


def counts_by_source(connection: Connection, kb: str, release: int) -> dict[str, int]:
    """Number of documents a release has of each source."""
    return {row[0]: int(row[1]) for row in connection.execute(SQL["counts_by_source"], {"kb": kb, "release": release})}


def of_ids(connection: Connection, kb: str, release: int, ids: Sequence[str]) -> dict[str, LiveDocument]:
    """Those of the documents that a release has: id -> document."""
    values = {"kb": kb, "release": release, "ids": list(ids)}
    found = [LiveDocument(*row) for row in connection.execute(SQL["of_ids"], values)] if ids else []
    return {item.document_id: item for item in found}


def related(connection: Connection, kb: str, release: int) -> list[LiveDocument]:
    """Documents of a release that supersede another or are superseded, by URI."""
    return [LiveDocument(*row) for row in connection.execute(SQL["related"], {"kb": kb, "release": release})]


def of_uris(connection: Connection, kb: str, release: int, uris: Sequence[str]) -> list[LiveDocument]:
    """Documents of a release that have one of these URIs, by URI."""
    values = {"kb": kb, "release": release, "uris": list(uris)}
    return [LiveDocument(*row) for row in connection.execute(SQL["of_uris"], values)]


def create_candidate(connection: Connection, kb: str, base: int, run_id: str, configuration: Mapping[str, Any]) -> int:
    """New candidate that equals the base release; its number. Earlier candidates are abandoned."""
    abandon(connection, kb)
    release = int(connection.execute(SQL["next_release"], {"kb": kb}).scalar_one())
    values = {"kb": kb, "release": release, "base": base}
    connection.execute(SQL["create"], {**values, "run_id": run_id, "configuration": jsonb(dict(configuration))})
    for name in (
        "close_after_base_documents",
        "close_after_base_members",
        "reopen_base_documents",
        "reopen_base_members",
    ):
        connection.execute(SQL[name], values)
    return release


def abandon(connection: Connection, kb: str) -> None:
    """Give up candidates that are unfinished or wait for a decision: they say what sources held before."""
    connection.execute(SQL["abandon"], {"kb": kb})


def apply_changes(
    connection: Connection, kb: str, release: int, wanted: Sequence[Mapping[str, Any]], retired: Sequence[str]
) -> None:
    """Make the candidate hold these documents as wanted and no longer the retired ones; the rest stays.

    `wanted`: rows with document_id, version_id, source, uri, metadata_fingerprint, metadata, acl, tenant, sensitivity,
    doc_type, store, valid_from, valid_until, updated_at (dates and times as ISO strings).
    """
    touched = [row["document_id"] for row in wanted] + list(retired)
    values = {"kb": kb, "release": release, "touched": touched}
    desire(connection, kb, wanted)
    for name in (
        "drop_changed_members",
        "close_changed_members",
        "open_members",
        "drop_changed_documents",
        "close_changed_documents",
        "open_documents",
    ):
        connection.execute(SQL[name], values)


def desire(connection: Connection, kb: str, wanted: Sequence[Mapping[str, Any]]) -> None:
    """Put wanted documents and their chunks into temporary tables of this transaction."""
    connection.execute(SQL["desired"], {"kb": kb, "rows": jsonb([dict(row) for row in wanted])})
    connection.execute(SQL["desired_members"], {"kb": kb})
    connection.execute(SQL["analyze_desired"])


def refresh_statistics(connection: Connection, kb: str, changed: int) -> None:
    """Let the planner know the tables when this many new rows may have changed what it believes.

    Without it the first searches after a first load took seconds each. The cost does not grow with the tables (a
    sample is read), and small changes do not pay it.
    """
    part, known = connection.execute(SQL["rows_known"], {"kb": kb}).one()
    if changed > STALE_SHARE * float(known):
        connection.execute(text(SQL["analyze"].text.format(part=int(part))))


def add_views(connection: Connection, kb: str, release: int, views: Mapping[str, Mapping[str, Any]]) -> None:
    """Record the views this release is published with."""
    for name, definition in views.items():
        values = {"kb": kb, "release": release, "name": name, "definition": jsonb(dict(definition))}
        connection.execute(SQL["add_view"], values)


def views(connection: Connection, kb: str, release: int) -> dict[str, dict[str, Any]]:
    """Views of a release by name."""
    return {row[0]: row[1] for row in connection.execute(SQL["views"], {"kb": kb, "release": release})}


def set_statistics(connection: Connection, kb: str, release: int, statistics: Mapping[str, Any]) -> None:
    """Record what reads of this release need to know (number of chunks, lengths)."""
    connection.execute(SQL["set_statistics"], {"kb": kb, "release": release, "statistics": jsonb(dict(statistics))})


def set_status(connection: Connection, kb: str, release: int, status: str) -> None:
    """Record a candidate's fate: published, blocked, rejected, abandoned."""
    connection.execute(SQL["set_status"], {"kb": kb, "release": release, "status": status})


def move_channel(connection: Connection, kb: str, base: int, release: int) -> bool:
    """Compare-and-swap of the live release: False, and nothing done, when it is no longer the base."""
    values = {"kb": kb, "channel": LIVE, "base": base, "release": release}
    return connection.execute(SQL["move_channel"], values).rowcount == 1


def save_report(connection: Connection, kb: str, release: int, status: str, report: Mapping[str, Any]) -> None:
    """Keep a gate report."""
    values = {"kb": kb, "release": release, "status": status, "report": jsonb(dict(report))}
    connection.execute(SQL["save_report"], values)


def get(connection: Connection, kb: str, release: int) -> ReleaseRow | None:
    """One release, or None when there is no such number."""
    row = connection.execute(SQL["get"], {"kb": kb, "release": release}).one_or_none()
    return None if row is None else ReleaseRow(*row)


def list_releases(connection: Connection, kb: str) -> list[ReleaseRow]:
    """Releases and candidates, newest first; the empty release 0 is left out."""
    rows = [ReleaseRow(*row) for row in connection.execute(SQL["list"], {"kb": kb})]
    return [row for row in rows if row.release > 0]


def diff(connection: Connection, kb: str, old: int, new: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Documents (uri, change) and chunks (chunk_id, uri, change, heading_path, text) that differ, by URI.

    Of documents that a person or the second scan hides, text is None and the path empty."""
    values = {"kb": kb, "old": old, "new": new}
    changed = [dict(row) for row in connection.execute(SQL["diff_documents"], values).mappings()]
    chunks = [dict(row) for row in connection.execute(SQL["diff_chunks"], values).mappings()]
    return changed, chunks
