"""What people said of documents of the candidate store, and which documents wait there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from kprep.store.sql import load

SQL = load(__file__)


def decisions(connection: Connection, kb: str, contents: Mapping[str, str]) -> dict[str, str]:
    """Document id -> "confirmed" or "rejected", where it was said of the content (its hash) the document has now."""
    rows = connection.execute(SQL["decisions"], {"kb": kb})
    return {row[0]: row[2] for row in rows if contents.get(row[0]) == row[1]}


def decided_since(connection: Connection, kb: str, release: int) -> bool:
    """True when somebody said something after this release was made."""
    return bool(connection.execute(SQL["decided_since"], {"kb": kb, "release": release}).scalar_one())


def decide(connection: Connection, kb: str, document_id: str, content_hash: str, said: tuple[str, str, str]) -> None:
    """Keep what a person said: (decision, who, note). A later word replaces an earlier one."""
    decision, made_by, note = said
    values = {"kb": kb, "document_id": document_id, "content_hash": content_hash, "decision": decision}
    connection.execute(SQL["decide"], {**values, "made_by": made_by, "note": note})


def waiting(connection: Connection, kb: str, release: int) -> list[dict[str, Any]]:
    """Documents of a release that are not formal, and confirmed ones of the candidate store: document_id, uri, title,
    content_hash, store, metadata, decision, made_by, note; by URI."""
    return [dict(row) for row in connection.execute(SQL["waiting"], {"kb": kb, "release": release}).mappings()]


def casual(connection: Connection, kb: str, release: int, without: Sequence[str]) -> list[dict[str, Any]]:
    """Documents of a release that are, or were until somebody confirmed them, in the candidate store: document_id, uri,
    source, version_id, updated_at (ISO), outdated_by."""
    values = {"kb": kb, "release": release, "without": list(without)}
    return [dict(row) for row in connection.execute(SQL["casual"], values).mappings()]


def texts(connection: Connection, kb: str, versions: Sequence[str]) -> dict[str, list[str]]:
    """Version id -> texts of its chunks in order, without those that the version itself takes back."""
    out: dict[str, list[str]] = {}
    for version, text in connection.execute(SQL["texts"], {"kb": kb, "versions": list(versions)}):
        out.setdefault(version, []).append(text)
    return out


def formal_texts(connection: Connection, kb: str, release: int, without: Sequence[str]) -> list[tuple[str, str]]:
    """(URI, text) of the chunks of a release's other documents in which a figure or a "not" stands."""
    values = {"kb": kb, "release": release, "without": list(without)}
    return [(row[0], row[1]) for row in connection.execute(SQL["formal_texts"], values)]
