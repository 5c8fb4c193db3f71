"""What operators decided: candidates approved or rejected, documents tried again, excluded or let in. Never changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from kprep.store.sql import load

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision. `release`: of a candidate, else 0; `uri`: of a document, else ""."""

    kind: str
    release: int
    uri: str
    reason: str
    made_by: str
    made_at: datetime


@dataclass(frozen=True, slots=True)
class Subject:
    """What is decided about: a candidate (`content`: hash of what it changes), or a document (`content`: its hash; of
    one that goes again from a room "<room> <hash>")."""

    release: int = 0
    content: str = ""
    document_id: str = ""
    uri: str = ""


def record(connection: Connection, kb: str, kind: str, subject: Subject, reason: str, made_by: str) -> None:
    """Write down a decision: approve, reject, retry, exclude, include or accept."""
    values = {
        "release": subject.release,
        "content": subject.content,
        "document_id": subject.document_id,
        "uri": subject.uri,
    }
    connection.execute(SQL["record"], {**values, "kb": kb, "kind": kind, "reason": reason, "made_by": made_by})


def recent(connection: Connection, kb: str, most: int) -> list[Decision]:
    """Latest decisions first."""
    return [Decision(*row) for row in connection.execute(SQL["recent"], {"kb": kb, "most": most})]


def on_content(connection: Connection, kb: str, content: str) -> Decision | None:
    """The last approval or rejection of a candidate that changes exactly this, or None."""
    row = connection.execute(SQL["of_content"], {"kb": kb, "content": content}).one_or_none()
    return None if row is None else Decision(*row)


def rejected(connection: Connection, kb: str, release: int) -> str:
    """Hash of what a candidate changed that was rejected under this number, "" where none was."""
    return str(connection.execute(SQL["rejected"], {"kb": kb, "release": release}).scalar() or "")


def accepted(connection: Connection, kb: str) -> frozenset[str]:
    """Hashes of the contents that an operator takes as they were recognised."""
    return frozenset(connection.execute(SQL["accepted"], {"kb": kb}).scalars())


def retried(connection: Connection, kb: str) -> dict[str, dict[str, int]]:
    """Hash of a content -> room -> how often an operator let it go again from there."""
    out: dict[str, dict[str, int]] = {}
    for room, content_hash, times in connection.execute(SQL["retried"], {"kb": kb}):
        out.setdefault(content_hash, {})[room] = times
    return out


def excluded(connection: Connection, kb: str) -> dict[str, str]:
    """Documents an operator keeps out: id -> URI."""
    return {row[0]: row[1] for row in connection.execute(SQL["excluded"], {"kb": kb})}


def content(connection: Connection, kb: str, base: int, release: int) -> str:
    """Hash of what a candidate changes against its base; the same changes give the same hash in a later candidate."""
    return str(connection.execute(SQL["content"], {"kb": kb, "base": base, "release": release}).scalar_one())


def list_anew(connection: Connection, kb: str) -> None:
    """Let the next run look at every folder, as what it takes from them has changed."""
    connection.execute(SQL["list_anew"], {"kb": kb})


def texts(connection: Connection, kb: str, chunk_ids: Sequence[str]) -> dict[str, str]:
    """Text of chunks by id, of whatever release: for operators."""
    values = {"kb": kb, "chunk_ids": list(chunk_ids)}
    return {row[0]: row[1] for row in connection.execute(SQL["texts"], values)}
