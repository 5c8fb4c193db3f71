"""What the second scan reads of a release, and what it withdraws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from kprep.store.sql import jsonb, load

SQL = load(__file__)
PAGE = 2000


@dataclass(frozen=True, slots=True)
class Shown:
    """A chunk as readers see it."""

    chunk_no: int
    document_id: str
    chunk_id: str
    text: str
    title: str
    heading_path: list[str]
    keywords: list[str]
    entities: Any
    locator: dict[str, Any]
    links: Any


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """What readers see of a document beside its chunks."""

    document_id: str
    uri: str
    title: str
    metadata: dict[str, Any]


def added(connection: Connection, kb: str, base: int, release: int) -> Iterator[Shown]:
    """Chunks that the release shows and its base does not."""
    values = {"kb": kb, "base": base, "release": release, "count": PAGE}
    after = -1
    while True:
        rows = [Shown(*row) for row in connection.execute(SQL["added"], {**values, "after": after})]
        yield from rows
        if len(rows) < PAGE:
            return
        after = rows[-1].chunk_no


def documents(connection: Connection, kb: str, release: int) -> list[ShownDocument]:
    """Documents that the release added or changed, also where only their metadata changed."""
    return [ShownDocument(*row) for row in connection.execute(SQL["documents"], {"kb": kb, "release": release})]


def of_documents(
    connection: Connection, kb: str, release: int, ids: Sequence[str]
) -> tuple[list[ShownDocument], list[Shown]]:
    """Everything the release shows of these documents."""
    values = {"kb": kb, "release": release, "ids": list(ids)}
    return (
        [ShownDocument(*row) for row in connection.execute(SQL["metadata_of"], values)],
        [Shown(*row) for row in connection.execute(SQL["of_documents"], values)],
    )


def withdrawn(connection: Connection, kb: str) -> list[str]:
    """Documents hidden for a finding."""
    return [str(row[0]) for row in connection.execute(SQL["withdrawn"], {"kb": kb})]


def withdraw(connection: Connection, kb: str, rows: Sequence[dict[str, Any]], made_by: str) -> None:
    """Hide documents (rows with document_id, chunk_ids, note) and, in every release, those of their chunks."""
    if rows:
        connection.execute(SQL["withdraw"], {"kb": kb, "rows": jsonb(list(rows)), "made_by": made_by})


def readmit(connection: Connection, kb: str, ids: Sequence[str], made_by: str) -> None:
    """End the hiding of documents that are shown without findings; the chunks that had them stay hidden."""
    connection.execute(SQL["readmit"], {"kb": kb, "ids": list(ids), "made_by": made_by})
