"""The steps of one run, as plain functions over ids; the Prefect flow calls them in order.

Each step commits what it did. A run that dies leaves prepared versions and vectors for the next one to reuse, an
invisible candidate at most, and a lock that ended with its connection.
"""

from __future__ import annotations

import contextlib
import os
import socket
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any

from flows import assemble as candidates
from flows import boilerplate, gate, second_scan
from flows.candidates import retention_of
from flows.metadata import Permitted
from flows.progress import report
from flows.scan import Planned, end_scan, plan_run, record_scan, stranded
from flows.workspace import Workspace
from kprep.core.errors import PrepError, RunLocked
from kprep.store import decisions, documents, embeddings, folders, measures, overlay, releases, retirement, runs
from kprep.store.sql import Connection
from publish import publisher
from publish.plan import Action
from quality import report_json

BATCH_DOCUMENTS = 16
EMBED_BATCH = 64
NEAR_INDEX_FROM = 10_000
"""Vectors from which an approximate index pays: fewer are compared one by one in some 40 ms."""
WORK_FIELDS = ("document_id", "source", "uri", "renamed_from", "content_hash", "content_fingerprint")


@contextmanager
def only_run(workspace: Workspace) -> Iterator[None]:
    """Hold the knowledge base: one writer at a time. The lock ends with its connection, however the process ends.

    The lease taken with it fences: should the lock be lost in the middle (the server restarted) and another run begin,
    this one's next write is refused.

    Raises: RunLocked.
    """
    with workspace.database.connect() as connection:
        if not runs.try_lock(connection, workspace.kb):
            raise RunLocked(
                f"another run of knowledge base {workspace.kb!r} is at work: wait for it, or see `kprep status`"
            )
        holder = f"{socket.gethostname()}:{os.getpid()}"
        workspace.fence = runs.take_lease(connection, workspace.kb, holder)
        try:
            yield
        finally:
            workspace.fence = None
            with contextlib.suppress(Exception):  # the connection may be lost, and the lock with it
                runs.unlock(connection, workspace.kb)


class Clock:
    """Seconds of each stage, in the order they are lapped."""

    def __init__(self) -> None:
        self._last = time.perf_counter()
        self.seconds: dict[str, float] = {}

    def lap(self, stage: str) -> None:
        """Note the time since the last lap as the stage's."""
        now = time.perf_counter()
        self.seconds[stage] = round(now - self._last, 3)
        self._last = now


@contextmanager
def recorded(workspace: Workspace, run_id: str) -> Iterator[None]:
    """Record a run as failed, with its reason, when an error ends it."""
    try:
        yield
    except BaseException as error:
        message = error.message if isinstance(error, PrepError) else f"unexpected {type(error).__name__}"
        with contextlib.suppress(PrepError):
            finish(workspace, run_id, "failed", {"message": message})
        raise
    finally:
        end_scan(workspace)


def planned(workspace: Workspace, run_id: str) -> dict[str, Any]:
    """{status, batches, base_release, documents} of a run that has documents to prepare, from its record."""
    with workspace.database.begin() as connection:
        row = runs.get(connection, run_id)
        work = runs.work(connection, run_id)
    batches = max((item.batch for item in work), default=-1) + 1
    documents_planned = sum(item.batch >= 0 for item in work)
    base_release = int(row.summary["base_release"])
    status = "waiting" if row.summary.get("guard") else "work"
    return {"status": status, "batches": batches, "base_release": base_release, "documents": documents_planned}


def begin(workspace: Workspace) -> str:
    """Id of a new run, recorded."""
    run_id = uuid.uuid4().hex[:12]
    with workspace.writing() as connection:
        runs.start(connection, workspace.kb, run_id)
    return run_id


def plan(workspace: Workspace, run_id: str, *, allow_deletes: bool, only: Sequence[str] = ()) -> dict[str, Any]:
    """Scan, plan, record both; {status, batches, base_release, documents}. Status: work, unchanged, waiting, failed
    (no source could be listed). A waiting run prepares the documents that changed, so that what their front matter
    narrows acts (`narrow`).

    `only`: URIs or paths beside which nothing is looked at. Raises: ConfigError, EmbeddingError for an embedder that
    cannot be used, once denials are recorded.
    """
    started = time.perf_counter()
    report("scan", 0, 0)
    second_scan.look_again(workspace)  # where the run before died between publishing and scanning
    unusable = workspace.unusable_embedder()
    workspace.assumed_space = None
    with workspace.writing() as connection:
        if unusable is not None:  # denials need no embedder: the sources are compared as if it were the one before
            live = releases.get(connection, workspace.kb, releases.live_release(connection, workspace.kb) or 0)
            workspace.assumed_space = live.configuration.get("embedding_space", "") if live is not None else ""
        planned = plan_run(workspace, connection, allow_deletes=allow_deletes, only=only)
        workspace.scanned = planned.scan if planned.scan.scope.whole else None
        denied = record_scan(workspace, connection, run_id, planned)
        figures = plan_figures(planned)
        stale = index_is_stale(workspace, connection, planned)
        status = "waiting" if planned.plan.guard else "failed" if planned.scan.in_vain else "work"
        if unusable is not None:
            status = "failed"
        if status == "work" and planned.plan.is_empty and not stale:
            status = "unchanged"
            folders.settle(connection, workspace.kb, run_id, planned.plan.base_release, workspace.scan_rules)
        if status != "failed":  # what is back as it was is shown again, whatever becomes of the rest
            changed = [item.document_id for item in planned.plan.documents if item.action is not Action.UNCHANGED]
            overlay.settle(connection, workspace.kb, planned.plan.base_release, changed)
        rows = []
        if status == "work":
            rows = _work_rows(workspace, connection, planned, everything=stale)
        elif status == "waiting":  # what their front matter says of who may read them does not wait
            rows = _work_rows(workspace, connection, planned, everything=False, actions=(Action.CHANGE,))
        runs.plan_work(connection, run_id, rows)
        seconds = {"scan": round(time.perf_counter() - started, 3)}
        noted = {"base_release": planned.plan.base_release, "seconds": seconds, "only": bool(only)}
        runs.note(connection, run_id, {**figures, **noted})
    if denied:  # committed: from here on nobody sees them
        seconds_seen = round(time.perf_counter() - planned.scan.listed_at, 3)
        with workspace.writing() as connection:
            runs.note(connection, run_id, {"denied": {"documents": denied, "seconds": seconds_seen}})
    if unusable is not None:
        raise unusable
    gate.questions(workspace)  # a mistake in them delays no denial, and shows before anything is prepared
    batches = max((row.batch for row in rows), default=-1) + 1
    count = sum(row.batch >= 0 for row in rows)
    return {"status": status, "batches": batches, "base_release": planned.plan.base_release, "documents": count}


def plan_figures(planned: Planned) -> dict[str, Any]:
    """Document counts of a plan, in the shape of design section 7."""
    counts = dict(planned.plan.counts)
    return {
        "documents": {
            "listed": planned.scan.listed,
            "added": counts["add"],
            "changed": counts["change"],
            "renamed": counts["rename"],
            "repermissioned": counts["repermission"],
            "retired": counts["retire"] - counts["rename"],
            "expired": counts["expire"],
            "unchanged": counts["unchanged"] + planned.scan.scope.same.total(),
            "failed": counts["failed"] + len(planned.scan.failed),
            "review": 0,
            "excluded": planned.scan.excluded,
        },
        "guard": planned.plan.guard,
        "sources": planned.scan.message,
        "hashed": planned.scan.hashed,
        "passed_over": planned.scan.passed_over,
    }


def index_is_stale(workspace: Workspace, connection: Any, planned: Planned) -> bool:
    """True when the live release was made with another lexicon, embedding space, retrieval or view configuration."""
    base = planned.plan.base_release
    row = releases.get(connection, workspace.kb, base)
    if base == 0 or row is None:
        return False
    wanted = workspace.release_configuration()
    parts = ("embedding_space", "lexicon", "retrieval", "views")
    return any(row.configuration.get(part) != wanted[part] for part in parts)


def _work_rows(
    workspace: Workspace,
    connection: Connection,
    planned: Planned,
    *,
    everything: bool,
    actions: Sequence[Action] = tuple(Action),
) -> list[runs.WorkRow]:
    """The work list, of these actions; with `everything`, unchanged documents come along so that they are indexed
    anew."""
    live = {item.document_id: item for item in planned.live}
    listed = {row.document_id: row for row in planned.scan.rows}
    rows = []
    batched = 0
    for item in planned.plan.documents:
        key = item.document_id
        if item.action is Action.FAILED or item.action not in actions:
            continue
        if item.action is Action.UNCHANGED and not everything:
            continue
        work = {name: getattr(item, name) for name in WORK_FIELDS} | {"action": item.action.value}
        if key in planned.scan.locations:
            permitted = Permitted.of(*planned.scan.locations[key], planned.scan.decided.get(key, ""))
            work |= {"acl": list(permitted.acl), "acl_problem": permitted.problem, "about": asdict(permitted.about)}
            work["decision"] = permitted.decision
        if item.action in (Action.RETIRE, Action.EXPIRE):
            rows.append(runs.WorkRow(key, -1, work, "ready", None))
        elif item.action in (Action.REPERMISSION, Action.UNCHANGED):
            rows.append(runs.WorkRow(key, -1, work, "ready", live[key].version_id))
        elif item.reuse:
            version = documents.copy_version(connection, workspace.kb, key, item.content_fingerprint, item.reuse)
            documents.clear_failures(connection, workspace.kb, [key])
            rows.append(runs.WorkRow(key, -1, work, "ready", version))
        else:
            source, entry = planned.scan.locations[key]
            work |= {"media_type": listed[key].media_type, "doc_type": source.doc_type}
            work |= {"location": entry.location, "name": entry.name, "repeated": planned.repeated.get(key, ())}
            rows.append(runs.WorkRow(key, batched // BATCH_DOCUMENTS, work, "planned", None))
            batched += 1
    return rows


def settle(workspace: Workspace, run_id: str, base_release: int) -> dict[str, Any]:
    """Plan again those documents that do not hold what their source repeats, now that all are parsed; {batches,
    documents}: numbers of the batches still to be prepared.

    What is repeated follows from parsing, so after these nothing is left to settle. A run that looks at some documents
    only leaves the others to the next run, which then compares all.
    """
    with workspace.writing() as connection:
        noted = runs.get(connection, run_id).summary
        if boilerplate.differs(workspace, connection, boilerplate.RECORDED, base_release, run_id):
            runs.note(connection, run_id, {"unsettled": True})
            if not noted.get("only"):
                runs.note(connection, run_id, _plan_again(workspace, connection, run_id, noted["documents"]))
        waiting = [item for item in runs.work(connection, run_id) if item.state == "planned"]
    return {"batches": sorted({item.batch for item in waiting}), "documents": len(waiting)}


def _plan_again(workspace: Workspace, connection: Connection, run_id: str, counts: Mapping[str, int]) -> dict[str, Any]:
    """Let the work list be what a plan made now asks for, with what is done; counts of documents by it."""
    again = plan_run(workspace, connection, allow_deletes=True, whole=True, scanned=workspace.scanned)
    if again.scan is not workspace.scanned:
        record_scan(workspace, connection, run_id, again)
    before = {item.document_id: item for item in runs.work(connection, run_id)}
    first = max((item.batch for item in before.values()), default=-1) + 1
    rows, joined = [], 0
    for row in _work_rows(workspace, connection, again, everything=True):
        old = before.get(row.document_id)
        if old is None and row.work["action"] == Action.UNCHANGED.value:
            continue
        if old is not None and old.work["content_fingerprint"] == row.work["content_fingerprint"]:
            continue
        joined += old is None and row.work["action"] == Action.CHANGE.value
        work = {**row.work, "earlier": (old.work.get("began", "") if old else "")}
        rows.append(replace(row, work=work, batch=row.batch + first if row.batch >= 0 else -1))
    runs.replace_work(connection, run_id, rows)
    changed, unchanged = counts["changed"] + joined, counts["unchanged"] - joined
    return {"documents": {**counts, "changed": changed, "unchanged": unchanged}, "resettled": len(rows)}


def stop(workspace: Workspace, run_id: str, plan: Mapping[str, Any]) -> dict[str, Any]:
    """End a run that is to publish nothing, once what changed is prepared; its summary."""
    if plan["status"] == "waiting":
        narrow(workspace, run_id, plan["base_release"])
    return finish(workspace, run_id, plan["status"], {})


def has_changes(workspace: Workspace, run_id: str) -> bool:
    """False when nothing the run tried came through, or all of it is as it was for want of a model, so that a candidate
    would equal the live release."""
    with workspace.database.begin() as connection:
        work = runs.work(connection, run_id)
        stays = stranded(workspace.kb, work) | candidates.as_before(workspace, connection, work)
    return any(item.state == "ready" and item.document_id not in stays for item in work)


def embed(workspace: Workspace, run_id: str) -> dict[str, int]:
    """Compute the vectors that the run's chunks lack, committing as it goes; {embedded, cache_hits}. What prepared
    documents narrow acts before, as an embedder may be out of reach."""
    with workspace.writing() as connection:
        runs.enter_stage(connection, run_id, "embed")
        base_release = int(runs.get(connection, run_id).summary["base_release"])
        candidates.narrow(workspace, connection, run_id, base_release)
        versions = [str(item.version_id) for item in runs.work(connection, run_id) if item.version_id]
        embedder = workspace.embedder
        if embedder is None:
            return {"embedded": 0, "cache_hits": 0}
        total = embeddings.count_texts(connection, workspace.kb, versions)
        todo = embeddings.missing(connection, workspace.kb, versions, embedder.space, embedder.dimensions)
    done = 0
    report("embed", 0, len(todo))
    for start in range(0, len(todo), EMBED_BATCH):
        part = todo[start : start + EMBED_BATCH]
        vectors = embedder.embed([text for _, text in part])
        with workspace.writing() as connection:
            embeddings.save(connection, embedder.space, [key for key, _ in part], vectors)
        done += len(part)
        report("embed", done, len(todo))
    with workspace.database.connect() as connection:
        embeddings.build_near_index(connection, embedder.space, NEAR_INDEX_FROM)
    return {"embedded": done, "cache_hits": total - len(todo)}


def narrow(workspace: Workspace, run_id: str, base_release: int) -> None:
    """Let permissions that the front matter of prepared documents narrows act, in a run that publishes nothing."""
    with workspace.writing() as connection:
        candidates.narrow(workspace, connection, run_id, base_release)


def assemble(workspace: Workspace, run_id: str, base_release: int) -> int:
    """Candidate release with what the run prepared; its number."""
    report("assemble", 0, 0)
    with workspace.writing() as connection:
        runs.enter_stage(connection, run_id, "assemble")
        return candidates.assemble(workspace, connection, run_id, base_release)


def judge_and_publish(workspace: Workspace, release: int) -> str:
    """Run the gate on the candidate, keep its report, publish when it passed; "published" or "blocked"."""
    report("gate", 0, 0)
    with workspace.database.begin() as connection:  # of its own: a statement that fails must not take the report along
        outcome = gate.judge(workspace, connection, release)
    with workspace.writing() as connection:
        releases.save_report(connection, workspace.kb, release, outcome.status, report_json(outcome))
        row = releases.get(connection, workspace.kb, release)
        assert row is not None
        content = decisions.content(connection, workspace.kb, row.base_release, release)
        decided = decisions.on_content(connection, workspace.kb, content)
        refused = not outcome.passed or (decided is not None and decided.kind == "reject")
        if refused:
            releases.set_status(connection, workspace.kb, release, "blocked")
        if decided is not None and refused:
            made = {"kind": decided.kind, "reason": decided.reason, "made_by": decided.made_by}
            decision: dict[str, Any] = {**made, "release": decided.release}
            if decided.kind == "approve":
                publish_approved(workspace, connection, row, decision)
                return "published"
            noted = {**report_json(outcome), "decision": decision}
            releases.save_report(connection, workspace.kb, release, outcome.status, noted)
            releases.set_status(connection, workspace.kb, release, "rejected")
    if refused:
        return "blocked"
    report("publish", 0, 0)
    with workspace.writing() as connection:
        publisher.publish(connection, workspace.kb, release, outcome)
        overlay.schedule_expiry(connection, workspace.kb, release, retention_of(workspace.base.config))
    return "published"


def scan_published(workspace: Workspace) -> dict[str, Any]:
    """Read what was published again by other means, and hide documents with findings; {chunks, findings}."""
    return second_scan.look_again(workspace)


@dataclass(frozen=True, slots=True)
class Approved:
    """Takes the place of a passed report: an operator answers for what the gate refused."""

    passed: bool = True


def publish_approved(
    workspace: Workspace, connection: Connection, row: releases.ReleaseRow, decision: Mapping[str, Any]
) -> None:
    """Publish a candidate the gate refused; its report keeps what the gate found, and says who answers for it."""
    found = releases.get(connection, workspace.kb, row.release)
    noted = {**((found.report if found else None) or {}), "decision": dict(decision)}
    releases.save_report(connection, workspace.kb, row.release, "approved", noted)
    publisher.publish(connection, workspace.kb, row.release, Approved())
    overlay.schedule_expiry(connection, workspace.kb, row.release, retention_of(workspace.base.config))


def retire(workspace: Workspace) -> dict[str, int]:
    """Collect what no kept release needs, originals last: a crash before leaves unused bytes, never missing ones."""
    report("retire", 0, 0)
    with workspace.writing() as connection:
        dropped = retirement.collect(connection, workspace.kb, workspace.base.config.retention.releases)
    for address in dropped.originals:
        workspace.objects.delete(address)
    for address in dropped.kept:
        workspace.kept.delete(address)
    return {"releases": dropped.releases, "chunks": dropped.chunks, "originals": len(dropped.originals)}


def finish(workspace: Workspace, run_id: str, status: str, extra: dict[str, Any]) -> dict[str, Any]:
    """Record how the run ended; its summary as in design section 7."""
    kb = workspace.kb
    with workspace.writing() as connection:
        noted = runs.get(connection, run_id).summary
        work = runs.work(connection, run_id)
        stages = [item.work.get(name) for item in work for name in ("earlier", "began")]
        begun = Counter(stage for stage in stages if stage)
        if status == "unchanged" and not noted.get("only"):  # nobody may publish what the sources no longer hold
            releases.abandon(connection, kb)
        live = releases.live_release(connection, kb) or 0
        base = int(noted.get("base_release", live))
        release = int(extra.get("release", live))
        added, removed = measures.changes(connection, kb, base, release) if release != base else (0, 0)
        reader_changes = measures.readers_changed(connection, kb, base, release) if release > base else 0
        row = releases.get(connection, kb, release)
        members = row.statistics if row is not None else {}
        judged = row.report if row is not None and "release" in extra else None
        seconds = {**noted.get("seconds", {}), **extra.get("seconds", {})}
        failed = documents.failures(connection, kb)
        known = _failed_before(connection, kb)
        unsure = [failure for failure in failed if failure.reason == "needs_review"]
        summary = {
            "run_id": run_id,
            "knowledge_base": kb,
            "release": release,
            "base_release": base,
            "status": status,
            "passed_over": noted.get("passed_over"),
            "documents": _settled_counts(noted.get("documents", {}), work)
            | {"review": len(unsure), "readers_changed": reader_changes},
            "work": {
                "parsed": begun["parse"],
                "begun": dict(sorted(begun.items())),
                "boilerplate": noted.get("resettled", 0),
                "embedded": extra.get("embedded", 0),
                "embedding_cache_hits": extra.get("cache_hits", 0),
                "hashed": noted.get("hashed", 0),
            },
            "model": extra.get("model", {"asked": 0, "refused": 0, "without": 0, "reason": ""}),
            "chunks": {
                "parents": members.get("parents", 0),
                "children": members.get("children", 0),
                "added": added,
                "removed": removed,
            },
            "failures": [
                {
                    "uri": failure.uri,
                    "stage": failure.stage,
                    "reason": failure.reason,
                    "detail": failure.detail,
                    "new": (failure.uri, failure.reason) not in known,
                }
                for failure in failed
            ],
            "retired": extra.get("retired", {"releases": 0, "chunks": 0, "originals": 0}),
            "second_scan": (judged or {}).get("second_scan", {"chunks": 0, "findings": []}),
            "gate": judged or {"status": "not_run", "checks": []},
            "denied": noted.get("denied", {"documents": 0, "seconds": 0.0}),
            "message": extra.get("message", "")
            or noted.get("guard", "")
            or _refusal(status, release, live, judged)
            or noted.get("sources", ""),
            "seconds": {**seconds, "total": round(sum(seconds.values()), 3)},
        }
        runs.finish(connection, run_id, status, summary)
    return summary


def _failed_before(connection: Connection, kb: str) -> set[tuple[str, str]]:
    """(URI, reason) of what the last run that came to its end named as failed."""
    ended = (row.summary for row in runs.recent(connection, kb, 20) if "failures" in row.summary)
    return {(row["uri"], row["reason"]) for row in next(ended, {"failures": ()})["failures"]}


def _refusal(status: str, release: int, live: int, report: dict[str, Any] | None) -> str:
    """What a blocked run says of itself."""
    if status != "blocked" or report is None:
        return ""
    decision = report.get("decision")
    if decision:
        again = f"`kprep review approve {release}` takes that back"
        said = f"{decision['made_by']} rejected these changes before: {decision['reason']}"
        return f"{said}; release {live} stays live; {again}"
    codes = [check["code"] for check in report["checks"] if check["level"] == "error" and not check["passed"]]
    stays = f"release {live} stays live" if live else "nothing is published"
    return f"the gate refused candidate {release} ({', '.join(codes)}); {stays}"


def _settled_counts(planned: dict[str, int], work: list[runs.WorkRow]) -> dict[str, int]:
    """Planned document counts, with those that failed in this run moved to `failed`."""
    counts = dict(planned)
    names = {"add": "added", "change": "changed", "rename": "renamed"}
    for item in work:
        if item.state == "failed":
            counts[names[item.work["action"]]] -= 1
            counts["failed"] += 1
    return counts


def roll_back(workspace: Workspace, release: int, *, dry_run: bool) -> dict[str, Any]:
    """Make an earlier release live again; {from, to, added, removed, dry_run}. Raises: PublishError, RunLocked."""
    with only_run(workspace), workspace.writing() as connection:
        live = releases.live_release(connection, workspace.kb) or 0
        row = releases.get(connection, workspace.kb, release)
        added, removed = measures.changes(connection, workspace.kb, live, release) if row else (0, 0)
        if dry_run:
            publisher.check_rollback(connection, workspace.kb, release)
        else:
            live = publisher.rollback(connection, workspace.kb, release)
    return {"from": live, "to": release, "added": added, "removed": removed, "dry_run": dry_run}
