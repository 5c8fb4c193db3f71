"""Which results of earlier stages the restricted zone keeps: addresses and fingerprints, never text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from kprep.store.sql import jsonb, load

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class KeptRow:
    """Kept results of one content. `stages`: room -> fingerprint they were made with; `address`: of the object."""

    content_hash: str
    parse: str
    stages: dict[str, str]
    address: str


def of_contents(connection: Connection, kb: str, contents: Sequence[str], form: str) -> dict[tuple[str, str], KeptRow]:
    """What is kept of these contents in this format: (content hash, parse fingerprint) -> row."""
    if not contents:
        return {}
    rows = connection.execute(SQL["of_contents"], {"kb": kb, "contents": list(contents), "format": form})
    return {(row[0], row[1]): KeptRow(*row) for row in rows}


def save(
    connection: Connection, kb: str, content_hash: str, stages: Mapping[str, str], form: str, address: str | None
) -> list[str]:
    """Record what is kept; addresses that it replaces, whose objects are the caller's to delete.

    `address` None: the results that are kept already went through the later stages again.
    """
    values = {"kb": kb, "content_hash": content_hash, "parse": stages["parse"], "stages": jsonb(dict(stages))}
    if address is None:
        connection.execute(SQL["note_stages"], values)
        return []
    replaced = [str(row[0]) for row in connection.execute(SQL["replaced"], {**values, "address": address})]
    connection.execute(SQL["save"], {**values, "format": form, "address": address})
    return replaced


def collect(connection: Connection, kb: str, contents: Sequence[str]) -> list[str]:
    """Drop what no version was made with any more; addresses of the objects."""
    return [str(row[0]) for row in connection.execute(SQL["collect"], {"kb": kb, "contents": list(contents)})]


def drop_of_documents(connection: Connection, kb: str, ids: Sequence[str]) -> list[str]:
    """Drop what is kept of these documents' contents; addresses of the objects."""
    return [str(row[0]) for row in connection.execute(SQL["drop_of_documents"], {"kb": kb, "ids": list(ids)})]


def own(connection: Connection, kb: str) -> list[str]:
    """Addresses of everything the knowledge base keeps."""
    return [str(row[0]) for row in connection.execute(SQL["own"], {"kb": kb})]
