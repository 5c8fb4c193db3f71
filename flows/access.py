"""What a person decides about access: memberships, suppressions, forgetting a knowledge base."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from flows.fetching import source_caches
from flows.memberships import read_memberships
from flows.run import only_run
from flows.workspace import Workspace
from kprep.core.errors import RetrievalError
from kprep.store import documents, kept, overlay, principals


def sync_principals(workspace: Workspace, path: Path, *, dry_run: bool) -> dict[str, Any]:
    """Replace the tenant's memberships by a file's; {principals, added, removed, dry_run}. Raises: ConfigError."""
    wanted = read_memberships(path)
    tenant = workspace.base.config.tenant
    with workspace.database.begin() as connection:
        before = _pairs(principals.memberships(connection, tenant))
        if not dry_run:
            principals.replace(connection, tenant, wanted)
    after = _pairs(wanted)
    return {
        "principals": len(wanted),
        "added": sorted(after - before),
        "removed": sorted(before - after),
        "dry_run": dry_run,
    }


def _pairs(groups_of: dict[str, tuple[str, ...]]) -> set[tuple[str, str]]:
    return {(name, group) for name, groups in groups_of.items() for group in groups}


def suppress(
    workspace: Workspace, uri: str, reason: str, made_by: str, note: str, *, lift: bool, dry_run: bool
) -> dict[str, Any]:
    """Hide a document from every read, or lift that; {uri, reason, hidden, still, attached, dry_run}. Waits for no run.

    What is kept of its earlier stages goes at once; its original stays while a release has it.

    `still`: other reasons for which it stays hidden. `attached`: documents that came with it, a mail, and share what a
    person decides of it. Raises: RetrievalError for an unknown URI, or nothing to lift.
    """
    kb = workspace.kb
    results: list[str] = []
    with workspace.database.begin() as connection:
        ids = documents.ids_of_uri(connection, kb, uri)
        if not ids:
            raise RetrievalError(f"no document {uri!r} is known in knowledge base {kb!r}")
        attached = documents.attached_to(connection, kb, uri) if reason in overlay.BY_PERSON else []
        reasons = {row["reason"] for row in overlay.entries(connection, kb) if row["document_id"] in ids}
        if lift and reason not in reasons:
            raise RetrievalError(f"{uri!r} is not suppressed for reason {reason}: see `kprep suppressed`")
        if lift and not dry_run:
            overlay.lift(connection, kb, [*ids, *attached], reason, made_by)
        elif not dry_run:
            overlay.suppress(connection, kb, [*ids, *attached], reason, made_by, note)
            results = kept.drop_of_documents(connection, kb, [*ids, *attached])
    for address in results:
        workspace.kept.delete(address)
    still = sorted(reasons - {reason})
    hidden = not lift or bool(still)
    counts = {"attached": len(attached), "dry_run": dry_run}
    return {"uri": uri, "reason": reason, "hidden": hidden, "still": still, **counts}


def forget(workspace: Workspace, *, dry_run: bool) -> dict[str, Any]:
    """Remove the knowledge base, originals nobody else has, and what its sources keep; {documents, chunks, dry_run}.

    Raises: RunLocked while a run is at work.
    """
    with only_run(workspace):
        with workspace.writing() as connection:
            size = documents.size(connection, workspace.kb)
            results = [] if dry_run else kept.own(connection, workspace.kb)
            originals = () if dry_run else documents.forget(connection, workspace.kb)
        for address in results:
            workspace.kept.delete(address)
        for address in originals:
            workspace.objects.delete(address)
        if not dry_run:
            shutil.rmtree(source_caches(workspace), ignore_errors=True)
    return {**size, "dry_run": dry_run}
