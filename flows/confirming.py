"""What a person does in the candidate store: look at it, confirm, reject."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from flows.candidates import CANDIDATE, FORMAL
from flows.workspace import Workspace
from kprep.core.errors import RetrievalError
from kprep.store import candidates, releases
from retrieval import Reader


def listed(workspace: Workspace, *, everything: bool) -> list[dict[str, Any]]:
    """Documents of the candidate store in the live release, by URI; only those that wait, or with `everything` also
    what was decided: uri, title, store, labels, valid_until, outdated_by, confirmed_by, decision, made_by, note."""
    with workspace.database.begin() as connection:
        release = releases.live_release(connection, workspace.kb) or 0
        rows = candidates.waiting(connection, workspace.kb, release)
    out = []
    for row in rows:
        if not everything and (row["store"] != CANDIDATE or row["decision"] is not None):
            continue
        metadata = row.pop("metadata")
        known = {name: metadata.get(name) for name in ("valid_until", "confirmed_by")}
        lists = {name: metadata.get(name, []) for name in ("labels", "outdated_by")}
        kept = {name: row[name] for name in ("uri", "title", "store", "decision", "made_by", "note")}
        out.append({**kept, **known, **lists})
    return out


def shown(workspace: Workspace, uri: str, principals: Sequence[str]) -> list[dict[str, Any]]:
    """Chunks of a document, formal or candidate, that the principals may read. Raises: RetrievalError."""
    with workspace.database.begin() as connection:
        reader = Reader(connection, workspace.kb, None, tuple(principals), datetime.now(tz=UTC).date())
        reader.scope = replace(reader.scope, stores=(FORMAL, CANDIDATE))
        return reader.chunks(uri)


def decide(
    workspace: Workspace, uris: Sequence[str], decision: str, made_by: str, note: str, *, dry_run: bool
) -> dict[str, Any]:
    """Keep a person's word ("confirmed" or "rejected") on documents as they are now; {uris, decision, dry_run}.

    Raises: RetrievalError when one of them is no document of the candidate store in the live release.
    """
    with workspace.database.begin() as connection:
        release = releases.live_release(connection, workspace.kb) or 0
        known = {row["uri"]: row for row in candidates.waiting(connection, workspace.kb, release)}
        for uri in uris:
            if uri not in known:
                raise RetrievalError(f"{uri!r} is not in the candidate store: see `kprep candidates list --all`")
        for uri in uris if not dry_run else ():
            row = known[uri]
            said = (decision, made_by, note)
            candidates.decide(connection, workspace.kb, row["document_id"], row["content_hash"], said)
    return {"uris": list(uris), "decision": decision, "dry_run": dry_run}
