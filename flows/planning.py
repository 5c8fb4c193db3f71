"""What `kprep plan` and `kprep status` show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from flows import gate
from flows.run import index_is_stale, plan_figures
from flows.scan import PERMISSIONS_UNREADABLE, Planned, end_scan, plan_run
from flows.second_scan import REMEDY
from flows.workspace import Workspace
from kprep.store import documents, measures, overlay, releases, runs
from publish.plan import Action

LOWEST_SHOWN = 5
"""Documents of least coverage that `kprep status` names."""
BYTES_PER_CHUNK = 900
"""Bytes of text a chunk of 200 tokens takes, when no release says better."""

EXPIRING_DAYS = 30
"""Days ahead for which `kprep plan` says what will expire."""


def preview(workspace: Workspace, *, allow_deletes: bool, only: Sequence[str] = ()) -> dict[str, Any]:
    """Plan in the shape of `kprep plan --json`. Writes nothing. Raises: ConfigError for what a run would refuse."""
    gate.questions(workspace)
    workspace.release_configuration()
    with workspace.database.begin() as connection:
        planned = plan_run(workspace, connection, allow_deletes=allow_deletes, only=only)
        base = planned.plan.base_release
        row = releases.get(connection, workspace.kb, base)
        stale = index_is_stale(workspace, connection, planned)
        live_bytes = documents.total_bytes(connection, workspace.kb)
        failures = documents.failures(connection, workspace.kb)
        expiring = overlay.expiring(connection, workspace.kb, base, EXPIRING_DAYS)
    end_scan(workspace)
    sizes = {item.document_id: item.size for item in planned.scan.rows}
    computed = [item for item in planned.plan.documents if item.stage]
    embedded = computed if workspace.embedder is not None else []
    chunks = int(row.statistics.get("children", 0)) if row is not None else 0
    per_chunk = max(1.0, live_bytes / chunks) if chunks and live_bytes else BYTES_PER_CHUNK
    figures = plan_figures(planned)
    renamed = {item.renamed_from for item in planned.plan.documents if item.renamed_from}
    return {
        "knowledge_base": workspace.kb,
        "base_release": base,
        "documents": figures["documents"],
        "passed_over": figures["passed_over"],
        "guard": planned.plan.guard,
        "in_vain": planned.scan.in_vain,
        "message": planned.scan.message,
        "hashed": planned.scan.hashed,
        "index_anew": stale,
        "stages": dict(sorted(Counter(item.stage for item in computed).items())),
        "estimated_embeddings": sum(max(1, round(sizes.get(item.document_id, 0) / per_chunk)) for item in embedded),
        "changes": [
            {
                "uri": item.uri,
                "action": item.action.value,
                "stage": item.stage,
                "reused": bool(item.reuse),
                "renamed_from": item.renamed_from,
            }
            for item in planned.plan.documents
            if item.action is not Action.UNCHANGED and not (item.action is Action.RETIRE and item.uri in renamed)
        ],
        "expiring": [{"uri": uri, "at": _time(at)} for uri, at in expiring],
        "problems": [
            {"uri": uri, "reason": reason, "detail": detail} for uri, reason, detail in _problems(planned, failures)
        ],
    }


def _problems(planned: Planned, failures: Sequence[documents.FailureRow]) -> list[tuple[str, str, str]]:
    """(URI, reason, detail) of documents that cannot be looked at, that nobody may read for want of readable
    permissions, and that failed before and are not tried again."""
    found = [(identity[2], failure.reason, failure.detail) for identity, failure in planned.scan.failed]
    entries = [entry for _, entry in planned.scan.locations.values() if entry.acl_problem]
    found += [(entry.uri, PERMISSIONS_UNREADABLE, entry.acl_problem) for entry in entries]
    left = {item.document_id for item in planned.plan.documents if item.action is Action.FAILED}
    found += [(row.uri, row.reason, row.detail) for row in failures if row.document_id in left]
    return sorted(set(found))


def status(workspace: Workspace, last_runs: int = 5) -> dict[str, Any]:
    """What is live, the last runs, and current failures, in the shape of `kprep status --json`."""
    kb = workspace.kb
    with workspace.database.begin() as connection:
        live = releases.live_release(connection, kb) or 0
        row = releases.get(connection, kb, live)
        figures = row.statistics if row is not None else {}
        counts = {name: figures.get(name, 0) for name in ("documents", "parents", "children")}
        failures = documents.failures(connection, kb)
        recent = runs.recent(connection, kb, last_runs)
        covered = measures.coverage(connection, kb, live, LOWEST_SHOWN)
        left_out = measures.left_out(connection, kb, live)
        broken = measures.broken_parts(connection, kb, live, new=False)
        suppressed = len(overlay.suppressed(connection, kb))
        withdrawn = [item for item in overlay.entries(connection, kb) if item["reason"] == "second_scan"]
        waiting = [item for item in releases.list_releases(connection, kb) if item.status == "blocked"]
    scanned = (row.report or {}).get("second_scan") if row is not None else None
    passed_over = [item.summary.get("passed_over") for item in recent]
    published = row.published_at if row is not None and live else None
    return {
        "knowledge_base": kb,
        "live": {"release": live, "published_at": _time(published), **counts},
        "blocked": [item.release for item in waiting if item.release > live],
        "coverage": covered,
        "left_out": left_out,
        "broken": broken,
        "passed_over": next((row for row in passed_over if row is not None), []),
        "suppressed": suppressed,
        "second_scan": {
            "done": scanned is not None,
            "findings": (scanned or {}).get("findings", []),
            "withdrawn": [{"uri": item["uri"], "found": item["note"], "remedy": REMEDY} for item in withdrawn],
        },
        "time_to_invisible_s": next(
            (item.summary["denied"]["seconds"] for item in recent if item.summary.get("denied", {}).get("documents")),
            None,
        ),
        "runs": [
            {
                "run_id": item.run_id,
                "status": item.status,
                "stage": item.stage,
                "started_at": _time(item.started_at),
                "finished_at": _time(item.finished_at),
                "message": item.summary.get("message") or _instead(item.status, item.stage),
            }
            for item in recent
        ],
        "failures": [
            {
                "uri": item.uri,
                "stage": item.stage,
                "reason": item.reason,
                "detail": item.detail,
                "failed_at": _time(item.failed_at),
            }
            for item in failures
        ],
    }


def _instead(status: str, stage: str) -> str:
    """What to say of a run that said nothing itself."""
    if status == "running":
        return f"at work: {stage}"
    return f"ended at {stage} without a word; `kprep run` goes on from what it saved" if status == "crashed" else ""


def _time(value: Any) -> str | None:
    return value.strftime("%Y-%m-%d %H:%M:%SZ") if value is not None else None
