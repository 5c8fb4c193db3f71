"""What documents refer to: stored with their version, resolved in the release that is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from kprep.core.ids import document_id
from kprep.core.links import is_external, places
from kprep.core.models import Relation
from kprep.store.search import Scope
from kprep.store.sql import jsonb, load

SQL = load(__file__)
TITLE_MAX = 500
"""Characters of a title that are kept: more do not fit into an entry of an index."""


def save(connection: Connection, kb: str, version_id: str, uri: str, relations: Iterable[Relation]) -> None:
    """Store the relations of a new version of the document at `uri`, in order."""
    rows = []
    for number, relation in enumerate(relations):
        uris, anchor = places(uri, relation.kind, relation.targets)
        inside = [place for place in uris if not is_external(place)]
        rows.append(
            {
                "number": number,
                "ordinal": relation.child,
                "kind": relation.kind,
                "written": relation.written,
                "targets": list(relation.targets),
                "title": relation.title[:TITLE_MAX],
                "uris": list(uris),
                "anchor": anchor,
                "documents": [document_id(kb, place.partition("/")[0], place) for place in inside],
            }
        )
    if rows:
        connection.execute(SQL["save"], {"kb": kb, "version_id": version_id, "rows": jsonb(rows)})


def copy(connection: Connection, kb: str, version_id: str, uri: str, from_version: str) -> None:
    """The relations of another document's version, seen from this document."""
    values = {"kb": kb, "version_id": from_version}
    found = [
        Relation(kind, written, tuple(targets), ordinal, title)
        for kind, written, targets, ordinal, title in connection.execute(SQL["of_version"], values)
    ]
    save(connection, kb, version_id, uri, found)


def rename(connection: Connection, kb: str, moved: Mapping[str, str]) -> None:
    """What names a document by an old id leads to its new one (old id -> new id), over several renames in one hop."""
    rows = [{"old_id": old, "new_id": new} for old, new in moved.items()]
    if rows:
        connection.execute(SQL["rename"], {"kb": kb, "rows": jsonb(rows)})


def pin(connection: Connection, kb: str, release: int, versions: Sequence[str], targets: Sequence[str]) -> None:
    """Note the revision of the target for relations that are found for the first time in a candidate: those of its new
    versions, and those that lead to its documents `targets`."""
    titles = list(connection.execute(SQL["titles"], {"kb": kb, "versions": list(versions)}).scalars())
    values = {"kb": kb, "release": release, "versions": list(versions), "targets": list(targets), "titles": titles}
    connection.execute(SQL["pin"], values)


def of_source(
    connection: Connection, scope: Scope, *, chunk_ids: Sequence[str] | None = None, uri: str | None = None
) -> list[dict[str, Any]]:
    """Relations of visible chunks by id, or of one document, and those of their documents as a whole (`chunk_id` None):
    document_uri, chunk_id, kind, written, target_uri, target_title, anchor, anchor_found, state.

    `state`: "ok"; "older_revision", the target has changed since the reference was first found; "target_revoked", the
    target is withdrawn or out of validity; "target_missing", also for what the reader may not see; "external".
    """
    values = {**scope.values(), "chunk_ids": None if chunk_ids is None else list(chunk_ids), "uri": uri}
    return [_public(row) for row in connection.execute(SQL["of_source"], values).mappings()]


def of_target(connection: Connection, scope: Scope, uri: str) -> list[dict[str, Any]]:
    """Relations of visible chunks and documents that lead to the document at `uri`, as `of_source` gives them."""
    return [_public(row) for row in connection.execute(SQL["of_target"], {**scope.values(), "uri": uri}).mappings()]


def _public(row: Any) -> dict[str, Any]:
    uris: Sequence[str] = row["uris"]
    return {
        "document_uri": row["document_uri"],
        "chunk_id": row["chunk_id"],
        "kind": row["kind"],
        "written": row["written"],
        "target_uri": row["target_uri"] or (uris[0] if uris else ""),
        "target_title": row["target_title"] or row["title"],
        "anchor": row["anchor"],
        "anchor_found": bool(row["anchor_found"]),
        "state": _state(row),
    }


def _state(row: Any) -> str:
    if row["standing"] == "visible":
        return "ok" if row["target_revision"] in (None, row["revision"]) else "older_revision"
    if row["standing"] == "revoked":
        return "target_revoked"
    # An import is said to be of a library whether it is one or only hidden from this reader.
    library = row["kind"] == "import" and not row["written"].startswith(".")
    return "external" if library or _is_address(row["uris"]) else "target_missing"


def _is_address(uris: Sequence[str]) -> bool:
    return bool(uris) and is_external(uris[0])


def touching(
    connection: Connection, kb: str, base: int, release: int, documents: Sequence[str]
) -> list[dict[str, Any]]:
    """Relations of a candidate that its changed documents make or are the target of: document_uri, kind, written,
    target, `held` and `holds`: whether they lead to a document in the base and in the candidate, `is_new`: whether the
    document's version in the base has none to that target. `anchor`: the one they name; `anchor_held` and
    `anchor_holds`: whether it is there in the base and in the candidate, `anchor_is_new`: as `is_new`, with the anchor;
    `anchors`: those the target has instead. For the gate, so unfiltered."""
    values = {"kb": kb, "base": base, "release": release, "documents": list(documents)}
    rows = connection.execute(SQL["touching"], values).mappings()
    return [
        {name: row[name] for name in ("document_uri", "kind", "written", "held", "holds", "is_new", "anchor")}
        | {name: bool(row[name]) for name in ("anchor_held", "anchor_holds", "anchor_is_new")}
        | {"target": row["uris"][0] if row["uris"] else row["title"], "anchors": tuple(row["anchors"] or ())}
        for row in rows
        if not _is_address(row["uris"]) and (row["kind"] != "import" or row["was_known"])
    ]
