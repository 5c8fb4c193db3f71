"""The overlay: what no read may show, whatever release it reads. Written as soon as a scan sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection

from kprep.store.sql import jsonb, load

SQL = load(__file__)


def suppress(connection: Connection, kb: str, ids: Sequence[str], reason: str, made_by: str) -> None:
    """Hide documents from every read, at once. Reasons: source_deleted, legal, operator."""
    connection.execute(SQL["suppress"], {"kb": kb, "ids": list(ids), "reason": reason, "made_by": made_by})


def narrow(connection: Connection, kb: str, acls: Mapping[str, Sequence[str]]) -> None:
    """Require one of these principals beside the published ACL (document id -> principals), at once."""
    rows = [{"document_id": document_id, "acl": list(acl)} for document_id, acl in acls.items()]
    if rows:
        connection.execute(SQL["narrow"], {"kb": kb, "rows": jsonb(rows)})


def settle(connection: Connection, kb: str, release: int) -> None:
    """End what the release about to be live makes needless: returned documents, permissions it carries itself."""
    connection.execute(SQL["lift_returned"], {"kb": kb, "release": release})
    connection.execute(SQL["end_narrowing"], {"kb": kb})


def suppressed(connection: Connection, kb: str) -> dict[str, str]:
    """Hidden documents: id -> reason (one of them when there are several)."""
    return {row[0]: row[1] for row in connection.execute(SQL["suppressed"], {"kb": kb})}
