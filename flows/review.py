"""What waits for an operator and why; and what the operator decides, recorded and honoured by later runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from flows import gate
from flows.rooms import redactor_of
from flows.rules import STAGES as ROOMS
from flows.run import only_run, publish_approved, scan_published
from flows.workspace import Workspace
from kprep.core.errors import PublishError, SourceError
from kprep.store import decisions, documents, embeddings, overlay, releases, runs
from kprep.store.decisions import Decision, Subject
from kprep.store.sql import Connection
from quality.spec import Question

PASSAGES = 3
UNSURE = "needs_review"
"""Reason of what was recognised too uncertainly to be used unseen."""
HIDDEN_TEXT = frozenset(("personal_data",))
"""Checks whose samples are never shown with text."""


def waiting(workspace: Workspace) -> dict[str, Any]:
    """{candidates, deletions, review: [{uri, detail}], failures: {reason: count}, excluded, decisions}: all that waits,
    and what was decided."""
    kb = workspace.kb
    with workspace.database.begin() as connection:
        live = releases.live_release(connection, kb) or 0
        blocked = [row for row in releases.list_releases(connection, kb) if row.status == "blocked"]
        last = runs.recent(connection, kb, 1)
        failed = documents.failures(connection, kb)
        excluded = decisions.excluded(connection, kb)
        made = decisions.recent(connection, kb, 20)
    return {
        "knowledge_base": kb,
        "live": live,
        "candidates": [
            {
                "release": row.release,
                "base_release": row.base_release,
                "current": row.base_release == live,
                "made_at": row.created_at.isoformat(),
                "refused_by": _refusing(row.report or {}),
            }
            for row in blocked
            if row.release > live
        ],
        "deletions": last[0].summary["message"] if last and last[0].status == "waiting" else "",
        "review": [{"uri": row.uri, "detail": row.detail} for row in failed if row.reason == UNSURE],
        "failures": dict(sorted(Counter(row.reason for row in failed).items())),
        "excluded": sorted(excluded.values()),
        "decisions": [_decision_json(item) for item in made],
    }


def _refusing(report: Mapping[str, Any]) -> list[str]:
    return [check["code"] for check in report.get("checks", ()) if check["level"] == "error" and not check["passed"]]


def _decision_json(item: Decision) -> dict[str, Any]:
    return {
        "decision": item.kind,
        "release": item.release or None,
        "uri": item.uri,
        "reason": item.reason,
        "made_by": item.made_by,
        "made_at": item.made_at.isoformat(),
    }


def show(workspace: Workspace, release: int | None) -> dict[str, Any]:
    """Why a candidate waits: each failed check with its rows and their text, questions that got worse, failures.

    Without a number: the newest that was refused. Raises: PublishError naming what there is.
    """
    kb = workspace.kb
    with workspace.database.begin() as connection:
        row = _candidate(connection, kb, release, ("blocked", "rejected", "published"))
        report = row.report or {}
        checks = [check for check in report.get("checks", ()) if not check["passed"]]
        failures = documents.failures(connection, kb)
        wanted = {sample["chunk_id"] for check in checks for sample in check["samples"] if "chunk_id" in sample}
        texts = decisions.texts(connection, kb, sorted(wanted))
        asked = {sample["question_id"] for check in checks for sample in check["samples"] if "question_id" in sample}
        worse = [question for question in gate.questions(workspace) if question.id in asked]
        with overlay.before_deletions(connection, kb, row.base_release, row.release):
            passages = [_passages(workspace, connection, row, question) for question in worse]
    scan = redactor_of(workspace.rules).scan
    return {
        "release": row.release,
        "base_release": row.base_release,
        "status": row.status,
        "decision": report.get("decision"),
        "checks": [{**check, "samples": _with_text(check, texts, scan)} for check in checks],
        "questions": passages,
        "failures": [
            {"uri": item.uri, "stage": item.stage, "reason": item.reason, "detail": item.detail} for item in failures
        ],
    }


def _candidate(
    connection: Connection, kb: str, release: int | None, statuses: Sequence[str] = ("blocked",)
) -> releases.ReleaseRow:
    """The candidate asked for, or the newest refused one. Raises: PublishError."""
    known = releases.list_releases(connection, kb)
    if release is None:
        waits = [row for row in known if row.status == "blocked"]
    else:
        waits = [row for row in known if row.release == release and row.status in statuses]
    if not waits:
        raise PublishError(f"{_why_none(known, release)}: `kprep review list` shows what waits")
    return waits[0]


def _why_none(known: Sequence[releases.ReleaseRow], release: int | None) -> str:
    """Why nothing, or not this release, waits for a decision."""
    if release is None:
        return "no candidate waits for a decision"
    row = next((row for row in known if row.release == release), None)
    if row is None:
        return f"there is no release {release}"
    made = (row.report or {}).get("decision")
    by = f" by {made['made_by']}: {made['reason']}" if made else ""
    later = "was made of sources that a later run has read anew"
    collected = "is retired, and what only it had is collected: `kprep run` makes a candidate of what the sources hold"
    states = {"published": "was published", "rejected": "was rejected", "abandoned": later, "retired": collected}
    return f"release {release} waits for no decision, it {states.get(row.status, f'is {row.status}')}{by}"


def _with_text(
    check: Mapping[str, Any], texts: Mapping[str, str], scan: Callable[[str], Iterable[Any]]
) -> list[dict[str, Any]]:
    """Samples with the whole text of their chunk, where nothing in it must be kept back."""
    shown = []
    for sample in check["samples"]:
        # A clause that contradicts another one is shown beside it as it stands, not in its whole chunk.
        text = "" if "other_text" in sample else texts.get(sample.get("chunk_id", ""), "")
        may = text and check["code"] not in HIDDEN_TEXT and not list(scan(text))
        shown.append({**sample, "text": text} if may else dict(sample))
    return shown


def _passages(
    workspace: Workspace, connection: Connection, row: releases.ReleaseRow, question: Question
) -> dict[str, Any]:
    """A question with what it found before and what it finds now."""

    def found(release: int, *, earlier: bool = False) -> list[dict[str, Any]]:
        if not release:
            return []
        hits = gate.asker(workspace, connection, release, before_narrowing=earlier)(question, PASSAGES)
        return [{"document_uri": hit.document_uri, "text": hit.text} for hit in hits]

    return {
        "id": question.id,
        "class": question.kind,
        "question": question.question,
        "expected": [{"document": span.document, "quote": span.quote} for span in question.expected],
        "before": found(row.base_release, earlier=True),
        "after": found(row.release),
    }


def approve(workspace: Workspace, release: int | None, reason: str, made_by: str, *, dry_run: bool) -> dict[str, Any]:
    """Publish a refused candidate as it is; of a rejected one, take the rejection back, and the next run that makes the
    same changes publishes them. {release, overruled, published, dry_run}. Raises: PublishError, BaseConflict,
    RunLocked."""
    kb = workspace.kb
    with only_run(workspace), workspace.writing() as connection:
        if content := _rejection(connection, kb, release):
            if not dry_run:
                decisions.record(connection, kb, "approve", Subject(release or 0, content), reason, made_by)
                decisions.list_anew(connection, kb)
            return {"release": release, "overruled": ["rejection"], "published": False, "dry_run": dry_run}
        row = _candidate(connection, kb, release)
        if row.base_release != (releases.live_release(connection, kb) or 0):
            raise PublishError(
                f"candidate {row.release} was made on release {row.base_release}, which is no longer live: run again"
            )
        if not dry_run:
            subject = Subject(row.release, decisions.content(connection, kb, row.base_release, row.release))
            decisions.record(connection, kb, "approve", subject, reason, made_by)
            publish_approved(workspace, connection, row, {"kind": "approve", "reason": reason, "made_by": made_by})
    if not dry_run:
        with only_run(workspace):
            scan_published(workspace)
    overruled = _refusing(row.report or {})
    return {"release": row.release, "overruled": overruled, "published": True, "dry_run": dry_run}


def _rejection(connection: Connection, kb: str, release: int | None) -> str:
    """Hash of the changes for which a candidate was rejected, by itself or as an earlier one was; "" where that is not
    the last word on them."""
    row = releases.get(connection, kb, release) if release else None
    if row is None:
        return ""
    first = ((row.report or {}).get("decision") or {}).get("release", row.release)
    content = decisions.rejected(connection, kb, first)
    last = decisions.on_content(connection, kb, content) if content else None
    return content if last is not None and last.kind == "reject" and row.status != "published" else ""


def reject(workspace: Workspace, release: int | None, reason: str, made_by: str, *, dry_run: bool) -> dict[str, Any]:
    """Refuse a candidate for good: a later run that would publish the very same changes stops as well.

    Raises: PublishError, RunLocked.
    """
    kb = workspace.kb
    with only_run(workspace), workspace.writing() as connection:
        row = _candidate(connection, kb, release)
        if not dry_run:
            subject = Subject(row.release, decisions.content(connection, kb, row.base_release, row.release))
            decisions.record(connection, kb, "reject", subject, reason, made_by)
            releases.set_status(connection, kb, row.release, "rejected")
    return {"release": row.release, "dry_run": dry_run}


def retry(
    workspace: Workspace, uris: Sequence[str], stage: str | None, reason: str, made_by: str, *, dry_run: bool
) -> dict[str, Any]:
    """Let the next run try documents again: those named, or all that failed; {documents, waiting, stage, dry_run}.

    Without a stage only failed ones, from the room that failed. With one of STAGES also documents that did not fail:
    they go again from that room on, what later rooms gave is made anew, what earlier ones gave is taken up where it is
    kept. "embed": vectors that no published release shows are computed anew. `waiting`: what failed in the last run and
    is tried by the next one already, {uri, stage, reason}. Raises: SourceError for a document that
    has not failed, or is unknown; RunLocked.
    """
    kb = workspace.kb
    with only_run(workspace), workspace.writing() as connection:
        chosen = _to_retry(connection, kb, uris, stage)
        if not dry_run and chosen:
            listed = documents.observed_of(connection, kb, list(chosen))
            for key, row in chosen.items():
                again = f"{stage} {listed[key].content_hash}" if stage in ROOMS and key in listed else ""
                subject = Subject(document_id=key, uri=row["uri"], content=again)
                decisions.record(connection, kb, "retry", subject, reason, made_by)
            if stage == "embed":
                embeddings.drop_unpublished(connection, kb, list(chosen))
            documents.clear_failures(connection, kb, list(chosen))
            decisions.list_anew(connection, kb)
        last = runs.recent(connection, kb, 1)
    tried = {row["uri"] for row in chosen.values()}
    failed = last[0].summary.get("failures", ()) if last else ()
    names = ("uri", "stage", "reason")
    waiting = [{name: row[name] for name in names} for row in failed if row["uri"] not in tried] if not uris else []
    return {"documents": list(chosen.values()), "waiting": waiting, "stage": stage, "dry_run": dry_run}


def _to_retry(connection: Connection, kb: str, uris: Sequence[str], stage: str | None) -> dict[str, dict[str, str]]:
    """Id -> {uri, stage, reason} of the documents that are tried again; the latter "" of one that did not fail."""
    failed = {
        row.uri: (row.document_id, {"uri": row.uri, "stage": row.stage, "reason": row.reason})
        for row in documents.failures(connection, kb)
    }
    chosen = {}
    for uri in uris or failed:
        ids = documents.ids_of_uri(connection, kb, uri) if stage and uri not in failed else []
        if uri in failed:
            key, row = failed[uri]
        elif ids:
            key, row = ids[0], {"uri": uri, "stage": "", "reason": ""}
        elif stage:
            raise SourceError(f"{uri} is no document of this knowledge base: `kprep status` names those that failed")
        else:
            raise SourceError(
                f"{uri} has not failed: `kprep status --failures` lists what has; name a --stage to do it all the same"
            )
        chosen[key] = row
    return chosen


def accept(workspace: Workspace, uri: str, reason: str, made_by: str, *, dry_run: bool) -> dict[str, Any]:
    """Take a recording as it was recognised, for as long as its bytes are these; {uri, decision, dry_run}.

    Raises: SourceError for what does not wait for that, RunLocked.
    """
    kb = workspace.kb
    with only_run(workspace), workspace.writing() as connection:
        waits = {row.uri: row.document_id for row in documents.failures(connection, kb) if row.reason == UNSURE}
        listed = documents.observed_of(connection, kb, [waits[uri]]) if uri in waits else {}
        row = next(iter(listed.values()), None)
        if row is None or not row.media_type.startswith(("audio/", "video/")):
            raise SourceError(f"{uri} is no recording that waits for review: `kprep review list` names those")
        if not dry_run:
            subject = Subject(document_id=row.document_id, uri=uri, content=row.content_hash)
            decisions.record(connection, kb, "accept", subject, reason, made_by)
            documents.clear_failures(connection, kb, [row.document_id])
            decisions.list_anew(connection, kb)
    return {"uri": uri, "decision": "accept", "dry_run": dry_run}


def exclude(workspace: Workspace, uri: str, reason: str, made_by: str, *, back: bool, dry_run: bool) -> dict[str, Any]:
    """Keep a document out of later candidates (`back`: let it in again). Raises: SourceError, RunLocked."""
    kb = workspace.kb
    kind = "include" if back else "exclude"
    with only_run(workspace), workspace.writing() as connection:
        out = {known: key for key, known in decisions.excluded(connection, kb).items()}
        ids = documents.ids_of_uri(connection, kb, uri) or [
            row.document_id for row in documents.failures(connection, kb) if row.uri == uri
        ]
        key = out.get(uri) if back else next(iter(ids), None)
        if key is None:
            what = "is not excluded" if back else "is no document of this knowledge base"
            raise SourceError(f"{uri} {what}: `kprep review list` and `kprep status` name them")
        if not dry_run:
            decisions.record(connection, kb, kind, Subject(document_id=key, uri=uri), reason, made_by)
            documents.clear_failures(connection, kb, [key])
            decisions.list_anew(connection, kb)
    return {"uri": uri, "decision": kind, "dry_run": dry_run}
