"""From prepared versions to a candidate release, and the index it is searched by."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from flows import boilerplate, outdated
from flows.metadata import Permitted, Place, document_metadata, metadata_fingerprint, section_acls, told_in
from flows.scan import fail_unreadable, stranded
from flows.validity import Replaced, Versioned, resolve, targets
from flows.workspace import Workspace
from kprep.store import chunks, documents, lexical, measures, overlay, relations, releases, runs
from kprep.store.sql import Connection
from publish.plan import Action
from retrieval import tokens
from sources import About

INDEX_BATCH = 2000


def assemble(workspace: Workspace, connection: Connection, run_id: str, base_release: int) -> int:
    """Candidate release on the base with everything the run's work list has ready; its number."""
    kb = workspace.kb
    configuration = workspace.release_configuration()
    unsettled = runs.get(connection, run_id).summary.get("unsettled", False)
    if unsettled and boilerplate.differs(workspace, connection, boilerplate.RECORDED, base_release, run_id):
        configuration["scan_rules"] = ""  # the next run compares every document
    release = releases.create_candidate(connection, kb, base_release, run_id, configuration)
    work = runs.work(connection, run_id)
    ready = [item for item in work if item.state == "ready" and item.version_id]
    wanted = narrow(workspace, connection, run_id, base_release)
    ended = (Action.RETIRE.value, Action.EXPIRE.value)
    retired = sorted({item.document_id for item in work if item.work["action"] in ended} - stranded(kb, work))
    wanted += _replaced(connection, kb, base_release, wanted, retired)
    wanted += _outdated(connection, kb, base_release, wanted, retired)
    releases.apply_changes(connection, kb, release, wanted, retired)
    versions = [str(item.version_id) for item in ready]
    appeared = [item.document_id for item in ready if item.work["action"] in (Action.ADD.value, Action.RENAME.value)]
    relations.pin(connection, kb, release, versions, appeared if base_release else [])
    # In this transaction: every indexed chunk is a member of some release, which is what reads rely on to tell which
    # indexed chunks are absent from theirs.
    index(workspace, connection, versions, configuration["lexicon"])
    releases.refresh_statistics(connection, kb, measures.changes(connection, kb, base_release, release)[0])
    releases.add_views(connection, kb, release, configuration["views"])
    base = releases.get(connection, kb, base_release)
    known = base.statistics if base is not None else {}
    lexicon, space = configuration["lexicon"], configuration["embedding_space"]
    figures = measures.statistics(connection, kb, (base_release, release), known, lexicon, space)
    releases.set_statistics(connection, kb, release, figures)
    return release


def as_before(workspace: Workspace, connection: Connection, work: Sequence[runs.WorkRow]) -> set[str]:
    """Changed documents that came out as the live release has them, in text and in permissions."""
    kb, tenant = workspace.kb, workspace.base.config.tenant
    sources = {source.name: source for source in workspace.base.config.sources}
    changed = {
        item.document_id: item for item in work if item.version_id and item.work["action"] == Action.CHANGE.value
    }
    live = releases.of_ids(connection, kb, releases.live_release(connection, kb) or 0, list(changed))
    same = [key for key, row in live.items() if row.version_id == changed[key].version_id]
    listed = documents.observed_of(connection, kb, same)
    return {
        key
        for key in same
        if live[key].metadata_fingerprint
        == metadata_fingerprint(
            sources[changed[key].work["source"]], tenant, _permitted(changed[key]), told_in(listed.get(key))
        )
    }


def _permitted(item: runs.WorkRow) -> Permitted:
    """What the source says of a document on the work list."""
    about = item.work["about"]
    said = About(**{**about, "labels": tuple(about["labels"])})
    return Permitted(tuple(item.work["acl"]), item.work["acl_problem"], said, item.work["decision"])


def narrow(workspace: Workspace, connection: Connection, run_id: str, base_release: int) -> list[dict[str, Any]]:
    """Documents that the run has ready as a release is to hold them; where that lets fewer in than the base release
    does, it acts from now on."""
    kb, tenant = workspace.kb, workspace.base.config.tenant
    sources = {source.name: source for source in workspace.base.config.sources}
    work = runs.work(connection, run_id)
    listed = documents.observed_of(connection, kb, [item.document_id for item in work])
    ready = [item for item in work if item.state == "ready" and item.version_id]
    front_matter = documents.front_matter(connection, kb, [str(item.version_id) for item in ready])
    wanted = []
    for item in ready:
        source = sources[item.work["source"]]
        own = front_matter[str(item.version_id)]
        permitted = _permitted(item)
        places = _places(connection, kb, str(item.version_id)) if "sections" in own else ()
        metadata = document_metadata(source, tenant, permitted, listed.get(item.document_id), own, places)
        if "acl_problem" in metadata:
            identity = (item.document_id, source.name, item.work["uri"])
            fail_unreadable(connection, kb, run_id, identity, metadata["acl_problem"])
        wanted.append(
            {
                "document_id": item.document_id,
                "version_id": item.version_id,
                "source": source.name,
                "uri": item.work["uri"],
                "metadata_fingerprint": metadata_fingerprint(
                    source, tenant, permitted, told_in(listed.get(item.document_id))
                ),
                "metadata": {name: value for name, value in metadata.items() if name != "section_acls"},
                "section_acls": metadata.get("section_acls", {}),
                **{name: metadata[name] for name in ("acl", "tenant", "sensitivity", "doc_type", "store")},
                **{name: metadata[name] for name in ("valid_from", "valid_until", "updated_at")},
            }
        )
    note_denials(connection, run_id, overlay.narrow(connection, kb, _narrowed(connection, kb, base_release, wanted)))
    return wanted


def note_denials(connection: Connection, run_id: str, documents_denied: int) -> None:
    """Add documents that their own front matter closed to some of their readers to those the run denied, with the
    seconds from its start."""
    if documents_denied:
        row = runs.get(connection, run_id)
        before = row.summary.get("denied", {"documents": 0, "seconds": 0.0})
        seconds = round((datetime.now(tz=UTC) - row.started_at).total_seconds(), 3)
        denied = {"documents": before["documents"] + documents_denied, "seconds": max(before["seconds"], seconds)}
        runs.note(connection, run_id, {"denied": denied})


def _outdated(
    connection: Connection, kb: str, base_release: int, wanted: list[dict[str, Any]], retired: Sequence[str]
) -> list[dict[str, Any]]:
    """Mark wanted conversations that something contradicts; rows of live ones for which that changes."""
    found, changed = outdated.contradicted(connection, kb, base_release, wanted, retired)
    live = releases.of_ids(connection, kb, base_release, changed)
    rows = [row_of_live(connection, kb, live[key]) for key in changed]
    for row in [*wanted, *rows]:
        if outdated.is_casual(row["metadata"]):
            outdated.settle(row, found.get(row["document_id"], ()))
    return rows


def _narrowed(
    connection: Connection, kb: str, base_release: int, wanted: Sequence[Mapping[str, Any]]
) -> dict[str, list[str]]:
    """Documents that by their own front matter let fewer in than the live release does; acts before the gate.

    With new sections the published version has none, or others: until it is replaced it is for those who may read all.
    """
    live = releases.of_ids(connection, kb, base_release, [row["document_id"] for row in wanted])
    out = {}
    for row in wanted:
        if row["document_id"] not in live:
            continue
        before, now = live[row["document_id"]].metadata, row["metadata"]
        if "narrowest" in now and now["sections"] != before.get("sections"):
            out[row["document_id"]] = now["narrowest"]
        elif not set(before["acl"]) <= set(row["acl"]):
            out[row["document_id"]] = row["acl"]
    return out


def _replaced(
    connection: Connection, kb: str, base_release: int, wanted: list[dict[str, Any]], retired: Sequence[str]
) -> list[dict[str, Any]]:
    """Let wanted documents end when what supersedes them begins; rows of live ones for which that changes."""
    rows = {item.document_id: item for item in releases.related(connection, kb, base_release)}
    new = {row["document_id"]: row for row in wanted}
    said = [(row["uri"], row["metadata"].get("supersedes", "")) for row in wanted]
    said += [(item.uri, item.metadata.get("supersedes", "")) for item in rows.values()]
    uris = [uri for own, supersedes in said if supersedes for uri in targets(own, supersedes)]
    if not uris and not rows:
        return []
    rows |= {item.document_id: item for item in releases.of_uris(connection, kb, base_release, uris)}
    live = {key: item for key, item in rows.items() if key not in new and key not in retired}
    versions = {key: _versioned(item.uri, item.metadata) for key, item in live.items()}
    versions |= {key: _versioned(row["uri"], row["metadata"]) for key, row in new.items()}
    out = []
    for key, replaced in resolve(versions).items():
        row = new.get(key)
        before = live[key].metadata if row is None else row["metadata"]
        metadata = _ending(before, replaced)
        if metadata == before:
            continue
        if row is None:
            row = row_of_live(connection, kb, live[key])
            out.append(row)
        row |= {"metadata": metadata, "valid_until": metadata["valid_until"]}
    return out


def _versioned(uri: str, metadata: Mapping[str, Any]) -> Versioned:
    own = None if metadata.get("ends_by_successor") else metadata["valid_until"]
    return Versioned(uri, metadata["valid_from"], own, metadata.get("supersedes", ""))


def _ending(metadata: Mapping[str, Any], replaced: Replaced) -> dict[str, Any]:
    own = None if metadata.get("ends_by_successor") else metadata["valid_until"]
    out = {name: value for name, value in metadata.items() if name not in ("ends_by_successor", "superseded_by")}
    out["valid_until"] = replaced.valid_until
    if replaced.valid_until != own:
        out["ends_by_successor"] = True
    if replaced.superseded_by:
        out["superseded_by"] = list(replaced.superseded_by)
    return out


def row_of_live(connection: Connection, kb: str, live: releases.LiveDocument) -> dict[str, Any]:
    """A live document as a wanted row, with the version it has."""
    metadata = live.metadata
    acls: dict[str, list[str]] = {}
    if "sections" in metadata:
        found, _ = section_acls(json.loads(metadata["sections"]), _places(connection, kb, live.version_id))
        acls = {str(ordinal): acl for ordinal, acl in found.items()}
    return {
        "document_id": live.document_id,
        "version_id": live.version_id,
        "source": live.source,
        "uri": live.uri,
        "metadata_fingerprint": live.metadata_fingerprint,
        "metadata": metadata,
        "section_acls": acls,
        **{name: metadata[name] for name in ("acl", "tenant", "sensitivity", "doc_type", "store")},
        **{name: metadata[name] for name in ("valid_from", "valid_until", "updated_at")},
    }


def _places(connection: Connection, kb: str, version: str) -> list[Place]:
    return [
        Place(ordinal, anchor or "", tuple(path)) for ordinal, anchor, path in chunks.places(connection, kb, version)
    ]


def index(workspace: Workspace, connection: Connection, versions: Sequence[str], lexicon: str) -> int:
    """Put the chunks of these versions into the lexical index; number of chunks that were new to it."""
    weights = workspace.lexical_weights
    sources = lexical.unindexed(connection, workspace.kb, versions, lexicon)
    for start in range(0, len(sources), INDEX_BATCH):
        terms_of = {}
        for source in sources[start : start + INDEX_BATCH]:
            fields = {
                "name": source.name,
                "aliases": "\n".join(source.aliases),
                "title": source.document_title if source.document_title != source.name else "",
                "heading_path": "\n".join(heading for heading in source.heading_path if heading != source.name),
                "keywords": "\n".join(source.keywords),
                "text": source.text,
            }
            terms_of[source.chunk_no] = tokens.weighted_terms(fields, source.language, weights)
        lexical.add(connection, workspace.kb, lexicon, terms_of)
    return len(sources)
