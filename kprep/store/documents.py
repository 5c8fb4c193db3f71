"""What sources hold, what preparation made of it, and what failed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from kprep.core.errors import ConfigError
from kprep.core.ids import digest
from kprep.core.models import Failure, PreparedDocument
from kprep.store import chunks, relations, views
from kprep.store.sql import jsonb, load

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document as the sources last listed it. `modified_at`: when its content last changed."""

    document_id: str
    source: str
    uri: str
    version_token: str
    content_hash: str
    size: int
    media_type: str
    modified_at: datetime | None


@dataclass(frozen=True, slots=True)
class FailureRow:
    """A document's current failure."""

    document_id: str
    source: str
    uri: str
    stage: str
    reason: str
    detail: str
    context: dict[str, Any]
    retryable: bool
    content_fingerprint: str
    run_id: str
    failed_at: datetime


def register(connection: Connection, kb: str, tenant: str) -> None:
    """Make the knowledge base known, with an empty release 0. Raises: ConfigError when the name is taken."""
    if connection.execute(SQL["register"], {"kb": kb, "tenant": tenant}).rowcount:
        connection.execute(SQL["add_partitions"], {"kb": kb})
    owner = connection.execute(SQL["tenant"], {"kb": kb}).scalar_one()
    if owner != tenant:
        raise ConfigError(f"knowledge base {kb!r} belongs to another tenant in this database: choose another name")
    other = connection.execute(SQL["same_view_names"], {"kb": kb}).scalar()
    if other is not None:
        raise ConfigError(f"knowledge bases {kb!r} and {other!r} would share their SQL views: choose another name")
    connection.execute(SQL["first_release"], {"kb": kb})
    connection.execute(SQL["first_channel"], {"kb": kb})


def forget(connection: Connection, kb: str) -> tuple[str, ...]:
    """Remove a knowledge base with all it holds; addresses of originals that nothing refers to any more.

    The caller holds the knowledge base. Vectors go that no other knowledge base's text has.
    """
    hashes = list(connection.execute(SQL["own_texts"], {"kb": kb}).scalars())
    originals = list(connection.execute(SQL["own_originals"], {"kb": kb}).scalars())
    for view in connection.execute(SQL["own_views"], {"kb": kb}).scalars().all():
        views.drop(connection, kb, view)
    connection.execute(SQL["forget"], {"kb": kb})
    connection.execute(SQL["drop_vectors"], {"hashes": hashes})
    return tuple(connection.execute(SQL["unused_originals"], {"hashes": originals}).scalars())


def size(connection: Connection, kb: str) -> dict[str, int]:
    """Documents and chunks the knowledge base has, in whatever release."""
    return {name: int(value) for name, value in connection.execute(SQL["size"], {"kb": kb}).mappings().one().items()}


def ids_of_uri(connection: Connection, kb: str, uri: str) -> list[str]:
    """Ids of the documents that have, or had in a kept release, this URI."""
    return [str(row[0]) for row in connection.execute(SQL["ids_of_uri"], {"kb": kb, "uri": uri})]


def observed(connection: Connection, kb: str) -> list[DocumentRow]:
    """Documents listed by the last scan, by URI."""
    return [DocumentRow(*row) for row in connection.execute(SQL["observed"], {"kb": kb})]


def observed_in(
    connection: Connection, kb: str, folders: Sequence[str], ids: Sequence[str]
) -> tuple[list[DocumentRow], list[str]]:
    """Of the documents that stand right in these folders (URIs), or have these ids: those that the last scan listed,
    by URI, and the ids of the others, which no source holds any more."""
    found = connection.execute(SQL["observed_in"], {"kb": kb, "folders": list(folders), "ids": list(ids)}).all()
    return [DocumentRow(*row[:-1]) for row in found if row[-1]], [row[0] for row in found if not row[-1]]


def folders_below(connection: Connection, kb: str, folder: str) -> list[str]:
    """URIs of a folder and all folders below it that hold, or held, documents."""
    return list(connection.execute(SQL["folders_below"], {"kb": kb, "folder": folder}).scalars())


def attached_to(connection: Connection, kb: str, uri: str) -> list[str]:
    """Ids of the documents that are, or were, attached to a mail: `<URI of the mail>::...`."""
    return list(connection.execute(SQL["attached_to"], {"kb": kb, "uri": uri}).scalars())


def total_bytes(connection: Connection, kb: str) -> int:
    """Bytes of all documents that the last scan listed."""
    return int(connection.execute(SQL["total_bytes"], {"kb": kb}).scalar_one())


def count_observed(connection: Connection, kb: str) -> int:
    """Number of documents listed by the last scan, those that could not be looked at included."""
    return int(connection.execute(SQL["count_observed"], {"kb": kb}).scalar_one())


def observed_of(connection: Connection, kb: str, ids: Sequence[str]) -> dict[str, DocumentRow]:
    """Those of the documents that the last scan listed: id -> document."""
    rows = connection.execute(SQL["observed_of"], {"kb": kb, "ids": list(ids)})
    return {row[0]: DocumentRow(*row) for row in rows}


def observe(connection: Connection, kb: str, rows: Iterable[DocumentRow]) -> None:
    """Record what a scan saw; the time of change moves only when the content did."""
    values = [{**asdict(row), "modified_at": row.modified_at.isoformat() if row.modified_at else None} for row in rows]
    if values:
        connection.execute(SQL["observe"], {"kb": kb, "rows": jsonb(values)})


def unlist(connection: Connection, kb: str, ids: Sequence[str]) -> None:
    """Record that the sources no longer hold these documents."""
    connection.execute(SQL["unlist"], {"kb": kb, "ids": list(ids)})


def drop(connection: Connection, kb: str, ids: Sequence[str]) -> None:
    """Nothing is known of these documents' files any more, not even their names."""
    if ids:
        connection.execute(SQL["drop"], {"kb": kb, "ids": list(ids)})


def version_id(document_id: str, content_fingerprint: str) -> str:
    """Id of a document version: 32 hex digits."""
    return digest("version", document_id, content_fingerprint)[:32]


def save_version(
    connection: Connection,
    kb: str,
    document_id: str,
    content_hash: str,
    content_fingerprint: str,
    stages: dict[str, str],
    boilerplate: Sequence[str],
    prepared: PreparedDocument,
) -> str:
    """Store a prepared document with its chunks; id of the version. Storing it twice changes nothing.

    `boilerplate`: keyed hashes of its blocks that its source repeats, in order.
    """
    version = version_id(document_id, content_fingerprint)
    document = prepared.document
    made = connection.execute(
        SQL["save_version"],
        {
            "kb": kb,
            "version_id": version,
            "document_id": document_id,
            "content_fingerprint": content_fingerprint,
            "content_hash": content_hash,
            "media_type": prepared.media_type,
            "parser": prepared.parser,
            "title": document.title[: relations.TITLE_MAX],
            "language": document.language,
            "front_matter": jsonb(dict(document.metadata.front_matter)),
            "anchors": list(document.anchors),
            "units": jsonb([asdict(unit) for unit in prepared.units]),
            "removals": jsonb([{**asdict(item), "locator": item.locator.to_json()} for item in prepared.removals]),
            "redactions": jsonb(
                [{"kind": item.kind, "locator": item.locator.to_json()} for item in prepared.redactions]
            ),
            "stages": jsonb(stages),
            "boilerplate": list(boilerplate),
            "removed_share": prepared.removed_share,
            "coverage": prepared.coverage,
        },
    ).scalar()
    if made is not None:
        chunks.save(connection, kb, document_id, version, document)
        relations.save(connection, kb, version, document.uri, document.relations)
    return version


def copy_version(connection: Connection, kb: str, document_id: str, content_fingerprint: str, from_version: str) -> str:
    """Version of this document made from another document's version of the same content: nothing is computed."""
    version = version_id(document_id, content_fingerprint)
    values = {"kb": kb, "version_id": version, "document_id": document_id, "from_version": from_version}
    if version != from_version and connection.execute(SQL["copy_version"], values).scalar() is not None:
        chunks.copy(connection, kb, document_id, version, from_version)
        uri = str(connection.execute(SQL["uri_of"], {"kb": kb, "document_id": document_id}).scalar_one())
        relations.copy(connection, kb, version, uri, from_version)
    return version


def prepared_versions(connection: Connection, kb: str, fingerprints: Sequence[str]) -> dict[str, str]:
    """Those of the content fingerprints that were prepared: fingerprint -> a version that has it."""
    values = {"kb": kb, "fingerprints": list(fingerprints)}
    return {row[0]: row[1] for row in connection.execute(SQL["prepared"], values)} if fingerprints else {}


def fail(
    connection: Connection,
    kb: str,
    run_id: str,
    document: tuple[str, str, str],
    content_fingerprint: str,
    failure: Failure,
) -> None:
    """Record why a document (id, source, URI) did not come through; replaces its earlier failure."""
    document_id, source, uri = document
    connection.execute(
        SQL["fail"],
        {
            "kb": kb,
            "document_id": document_id,
            "source": source,
            "uri": uri,
            "stage": failure.stage,
            "reason": failure.reason,
            "detail": failure.detail,
            "context": jsonb(dict(failure.context)),
            "retryable": failure.retryable,
            "content_fingerprint": content_fingerprint,
            "run_id": run_id,
        },
    )


def failures(connection: Connection, kb: str) -> list[FailureRow]:
    """Current failures, by URI."""
    return [FailureRow(*row) for row in connection.execute(SQL["failures"], {"kb": kb})]


def clear_failures(connection: Connection, kb: str, ids: Sequence[str]) -> None:
    """These documents came through, or are gone."""
    connection.execute(SQL["clear_failures"], {"kb": kb, "ids": list(ids)})


def front_matter(connection: Connection, kb: str, versions: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Front matter of document versions, redacted: version -> values."""
    rows = connection.execute(SQL["front_matter"], {"kb": kb, "versions": list(versions)})
    return {row[0]: row[1] for row in rows}
