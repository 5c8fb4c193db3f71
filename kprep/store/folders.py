"""Folders of the sources as runs saw them: what need not be compared with the live release again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from sqlalchemy import Connection

from kprep.store.sql import jsonb, load

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class FolderRow:
    """A folder a run saw. `settled`: the settled release holds what it lists, without a failure in it."""

    folder: str
    source: str
    digest: str
    documents: int
    settled: bool


@dataclass(frozen=True, slots=True)
class Seen:
    """A folder as a run sees it now. `digest` "": to be listed again the next time. `listed` False: it is gone."""

    source: str
    folder: str
    digest: str
    documents: int
    listed: bool = True


def is_settled(connection: Connection, kb: str, rules: str) -> bool:
    """True when the settled folders are those of the live release, and it was made by these rules."""
    release, made_by, live = connection.execute(SQL["settled"], {"kb": kb}).one()
    return bool(live and release == live and made_by == rules)


def known(connection: Connection, kb: str) -> list[FolderRow]:
    """Every folder a run saw, by URI."""
    return [FolderRow(*row) for row in connection.execute(SQL["known"], {"kb": kb})]


def see(connection: Connection, kb: str, run_id: str, rows: Sequence[Seen]) -> None:
    """Record folders that are not settled; they are once this run's release is live, or holds all of it already."""
    if rows:
        values = {"kb": kb, "run_id": run_id, "rows": jsonb([asdict(row) for row in rows])}
        connection.execute(SQL["see"], values)


def settle(connection: Connection, kb: str, run_id: str, release: int, rules: str) -> None:
    """Record that a release holds, by these rules, what this run saw in the folders that it looked into."""
    values = {"kb": kb, "run_id": run_id}
    connection.execute(SQL["forget_gone"], values)
    connection.execute(SQL["settle"], values)
    connection.execute(SQL["settle_base"], {"kb": kb, "release": release, "rules": rules})


def look_again(connection: Connection, kb: str, folder: str) -> None:
    """Let the next run compare a folder's documents, whether or not it changed."""
    connection.execute(SQL["look_again"], {"kb": kb, "folder": folder})
