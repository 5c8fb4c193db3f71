"""Blocks at the edges of documents, by hash: which of them a source repeats, and where other ones are in use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from kprep.store.documents import DocumentRow
from kprep.store.sql import jsonb, load

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Counting:
    """What is counted, and what must come of it.

    `identities`: media type -> what its edge blocks must have been made by. `news`: documents as they are to be listed;
    `without`: ids of listed ones that do not count (those in `news` need not be repeated). `ended`: source -> time of
    change up to which its documents are over.
    """

    identities: Mapping[str, str]
    least_documents: int
    least_share: float
    news: Sequence[DocumentRow] = ()
    without: Sequence[str] = ()
    ended: Mapping[str, datetime] | None = None

    def values(self, kb: str) -> dict[str, Any]:
        """As the statements take it."""
        news = [
            {
                **{name: getattr(row, name) for name in ("document_id", "source", "content_hash", "media_type")},
                "modified_at": row.modified_at.isoformat() if row.modified_at else None,
            }
            for row in self.news
        ]
        return {
            "kb": kb,
            "identities": jsonb(dict(self.identities)),
            "news": jsonb(news),
            "without": sorted({*self.without, *(row.document_id for row in self.news)}),
            "ended": jsonb({source: moment.isoformat() for source, moment in (self.ended or {}).items()}),
            "least_documents": self.least_documents,
            "least_share": self.least_share,
        }


def save(connection: Connection, kb: str, content_hash: str, made_by: str, blocks: Sequence[str]) -> None:
    """Record the edge blocks of one content."""
    values = {"kb": kb, "content_hash": content_hash, "made_by": made_by, "blocks": list(blocks)}
    connection.execute(SQL["save"], values)


def of_documents(
    connection: Connection, kb: str, counting: Counting, ids: Sequence[str] | None
) -> dict[str, tuple[str, ...]]:
    """Of these documents (None: of all) those that hold blocks which their source repeats: id -> blocks in order."""
    values = {**counting.values(kb), "ids": list(ids) if ids is not None else None}
    return {row[0]: tuple(row[1]) for row in connection.execute(SQL["of_documents"], values)}


def differs(connection: Connection, kb: str, counting: Counting, release: int, run_id: str) -> bool:
    """True when a document of the release, or a version that a run ("": none) has ready in its place, was cleaned of
    other blocks than its source repeats now. Documents whose content is another by now, or does not count, are left
    out."""
    values = {**counting.values(kb), "release": release, "run_id": run_id}
    return bool(connection.execute(SQL["differs"], values).scalar_one())


def collect(connection: Connection, kb: str, contents: Sequence[str]) -> None:
    """Drop the edge blocks of those of these contents that no version was made of."""
    if contents:
        connection.execute(SQL["collect"], {"kb": kb, "contents": list(contents)})
