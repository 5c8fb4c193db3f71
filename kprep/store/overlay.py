"""The overlay: what no read may show, whatever release it reads. Written as soon as a scan sees it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from kprep.store.sql import jsonb, load

SQL = load(__file__)


BY_PERSON = ("legal", "operator")
"""Reasons that end only by a person."""


def suppress(connection: Connection, kb: str, ids: Sequence[str], reason: str, made_by: str, note: str = "") -> int:
    """Hide documents from every read, at once; how many were not hidden for that reason before.

    Reasons: source_deleted, expired, second_scan, legal, operator.
    """
    values = {"kb": kb, "ids": list(ids), "reason": reason, "made_by": made_by, "note": note}
    return connection.execute(SQL["suppress"], values).rowcount


def lift(connection: Connection, kb: str, ids: Sequence[str], reason: str, made_by: str) -> int:
    """End the suppression of documents for a reason; number of entries that ended."""
    values = {"kb": kb, "ids": list(ids), "reason": reason, "made_by": made_by}
    return connection.execute(SQL["lift"], values).rowcount


def hidden_by_a_person(connection: Connection, kb: str) -> frozenset[str]:
    """Documents that a person suppressed, whose originals are not to be kept in more forms than they must."""
    return frozenset(row[0] for row in connection.execute(SQL["hidden_by_a_person"], {"kb": kb}))


def carry(connection: Connection, kb: str, moved: Mapping[str, str]) -> None:
    """What a person suppressed stays so under its new document id (old id -> new id)."""
    rows = [{"old_id": old, "new_id": new} for old, new in moved.items()]
    if rows:
        connection.execute(SQL["carry"], {"kb": kb, "rows": jsonb(rows)})


def entries(connection: Connection, kb: str) -> list[dict[str, Any]]:
    """Active suppressions: document_id, uri, reason, made_by, note, since; by URI."""
    return [dict(row) for row in connection.execute(SQL["entries"], {"kb": kb}).mappings()]


def narrow(connection: Connection, kb: str, acls: Mapping[str, Sequence[str]]) -> int:
    """Require one of these principals beside the published ACL (document id -> principals), at once; for how many
    documents that is new.

    An entry stays when a release carries the permission itself: it also holds for the releases before, so that a
    rollback brings no permission back. Its time is that of its last change.
    """
    rows = [{"document_id": document_id, "acl": list(acl)} for document_id, acl in acls.items()]
    return connection.execute(SQL["narrow"], {"kb": kb, "rows": jsonb(rows)}).rowcount if rows else 0


def narrowed(connection: Connection, kb: str) -> dict[str, tuple[str, ...]]:
    """Documents whose permissions were narrowed at some time: id -> principals allowed now."""
    return {row[0]: tuple(row[1]) for row in connection.execute(SQL["narrowed"], {"kb": kb})}


def settle(connection: Connection, kb: str, release: int, changed: Sequence[str] = ()) -> None:
    """End the suppression of documents that are back in their source and in the release that is live, but for those
    whose content or permissions in the source are other ones now."""
    connection.execute(SQL["lift_returned"], {"kb": kb, "release": release, "changed": list(changed)})


@contextmanager
def before_deletions(connection: Connection, kb: str, one: int, other: int) -> Iterator[None]:
    """Meanwhile each of two releases shows, to this transaction alone, what it holds and the other does not because its
    source deleted it: they can be compared, as readers saw them. What else hides a document goes on hiding it."""
    with connection.begin_nested() as undone:
        for release, against in ((one, other), (other, one)):
            connection.execute(SQL["look_through"], {"kb": kb, "release": release, "other": against})
        yield
        undone.rollback()


@contextmanager
def before_narrowing(connection: Connection, kb: str) -> Iterator[None]:
    """Meanwhile documents have, for this transaction alone, the readers they had when the live release became that:
    what was narrowed since does not count."""
    with connection.begin_nested() as undone:
        connection.execute(SQL["widen_again"], {"kb": kb})
        yield
        undone.rollback()


def narrowed_since(connection: Connection, kb: str) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Documents narrowed since the live release became that: URI -> (principals it lets in, principals let in now)."""
    found = connection.execute(SQL["narrowed_since"], {"kb": kb})
    return {str(row[0]): (tuple(row[1]), tuple(row[2])) for row in found}


def follow(connection: Connection, kb: str, release: int) -> None:
    """Let narrowed permissions follow those that the release about to be live changes against its base.

    A document the release could not take up keeps its entry: it is published with its old, wider permissions.
    """
    connection.execute(SQL["follow"], {"kb": kb, "release": release})


def close_sections(connection: Connection, kb: str, release: int) -> None:
    """Let rows that ended with the release about to be live be as narrow as the sections it narrows."""
    connection.execute(SQL["close_sections"], {"kb": kb, "release": release})


def suppressed(connection: Connection, kb: str) -> dict[str, str]:
    """Hidden documents: id -> reason (one of them when there are several)."""
    return {row[0]: row[1] for row in connection.execute(SQL["suppressed"], {"kb": kb})}


def schedule_expiry(connection: Connection, kb: str, release: int, days: Mapping[str, int]) -> None:
    """Let documents of the release disappear by themselves when the days of their source after their last change
    are over, and those without a limit no longer."""
    limits = jsonb([{"source": name, "days": count} for name, count in days.items()])
    connection.execute(SQL["end_expiry"], {"kb": kb, "limits": limits})
    if days:
        connection.execute(SQL["schedule_expiry"], {"kb": kb, "release": release, "limits": limits})


def expiring(connection: Connection, kb: str, release: int, within_days: int) -> list[tuple[str, datetime]]:
    """Documents of the release that have expired or will within so many days: (URI, when), soonest first."""
    rows = connection.execute(SQL["expiring"], {"kb": kb, "release": release, "days": within_days})
    return [(row[0], row[1]) for row in rows]
