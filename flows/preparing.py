"""Documents of a run from bytes, or from what is kept of them, to stored versions: the work of one batch."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from flows.child import Limits, PrepareChild
from flows.fetching import fetch
from flows.kept import Kept, form
from flows.metadata import principals
from flows.progress import report
from flows.rooms import Job, Outcome
from flows.rules import content_fingerprint
from flows.scan import fail_renamed
from flows.scope import folder_of
from flows.suggesting import Suggestions
from flows.workspace import Workspace, honour_decisions
from kprep.core.errors import FrontMatterInvalid, PrepError, SecretFound
from kprep.core.ids import canonical_json, content_hash
from kprep.core.models import Failure, PreparedDocument, RawDocument
from kprep.store import boilerplate, documents, folders, kept, overlay, releases, runs
from kprep.store.sql import Connection
from publish.plan import first_stage
from sources import SOURCES, Entry


@dataclass(slots=True)
class Prepared:
    """Child processes, one per preparing thread, kept for the run."""

    free: queue.SimpleQueue[PrepareChild] = field(default_factory=queue.SimpleQueue)
    all: list[PrepareChild] = field(default_factory=list)
    suggestions: Suggestions | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)
    total: int = 0
    done: int = 0

    @contextmanager
    def child(self, workspace: Workspace) -> Iterator[PrepareChild]:
        """A child nobody else uses."""
        try:
            child = self.free.get_nowait()
        except queue.Empty:
            settings = workspace.settings
            child = PrepareChild(workspace.rules, Limits(settings.document_timeout_s, settings.document_memory_mb))
            with self.lock:
                self.all.append(child)
        try:
            yield child
        finally:
            self.free.put(child)

    def suggesting(self, workspace: Workspace) -> Suggestions:
        """What the model of the run suggests; one for all threads."""
        with self.lock:
            if self.suggestions is None:
                self.suggestions = Suggestions.of(workspace.base.config.enrichment.model)
            return self.suggestions

    def report_one(self) -> None:
        """One more document is through."""
        with self.lock:
            self.done += 1
            report("prepare", self.done, self.total)

    def close(self) -> None:
        """End all children."""
        for child in self.all:
            child.close()


def prepare_batch(workspace: Workspace, run_id: str, number: int, children: Prepared) -> int:
    """Prepare the documents of a batch that are not done yet; their number."""
    with workspace.writing() as connection:
        items = runs.batch(connection, run_id, number)
        runs.enter_stage(connection, run_id, "prepare")
        hidden = overlay.hidden_by_a_person(connection, workspace.kb)
        honour_decisions(workspace, connection)
    with children.child(workspace) as child:
        for item in items:
            _prepare_one(workspace, run_id, item, (child, children), keep=item["document_id"] not in hidden)
            children.report_one()
    return len(items)


def _prepare_one(
    workspace: Workspace, run_id: str, item: dict[str, Any], by: tuple[PrepareChild, Prepared], *, keep: bool
) -> None:
    child, children = by
    kb, key, fingerprint = workspace.kb, item["document_id"], item["content_fingerprint"]
    repeated = item["repeated"]
    rules = workspace.rules.of_content(item["content_hash"])
    stages = rules.stages(item["media_type"], item["doc_type"], item["source"], repeated)
    outcome, began = _outcome(workspace, item, stages, child)
    was_asked = True
    if isinstance(outcome.result, PreparedDocument):
        result, was_asked = children.suggesting(workspace).add(workspace, item, outcome.result)
        outcome = replace(outcome, result=result)
        if not was_asked:  # saved as what it is, and looked at again by the next run
            stages = rules.without_model(stages)
            fingerprint = content_fingerprint(item["content_hash"], stages)
    new = b""
    if keep and outcome.kept is not None:
        new = outcome.kept.to_bytes(kb, item["content_hash"], stages["parse"])
    with workspace.writing() as connection:
        if isinstance(outcome.result, Failure):
            # Of a document that fails nothing counts as repeated, so it is known by its content and the rules alone.
            bare = rules.stages(item["media_type"], item["doc_type"], item["source"])
            tried = content_fingerprint(item["content_hash"], bare)
            documents.fail(connection, kb, run_id, (key, item["source"], item["uri"]), tried, outcome.result)
            _narrow(workspace, connection, item, outcome.result, outcome.own_permissions)
            if item["renamed_from"].startswith(f"{item['source']}/"):
                fail_renamed(connection, kb, run_id, item["source"], (item["renamed_from"], item["uri"]))
            runs.done(connection, run_id, key, None, began)
            return
        if not was_asked:
            folders.look_again(connection, kb, folder_of(item["uri"]))
        result = _with_paths(workspace, outcome.result, item)
        content = item["content_hash"]
        version = documents.save_version(connection, kb, key, content, fingerprint, stages, repeated, result)
        if outcome.edges is not None:
            made_by = workspace.rules.edges_identity(item["media_type"])
            boilerplate.save(connection, kb, content, made_by, outcome.edges)
        address = content_hash(new) if new else None
        replaced = kept.save(connection, kb, content, stages, form(), address)
        documents.clear_failures(connection, kb, [key])
        runs.done(connection, run_id, key, version, began)
    # Recorded first and written then: a crash between leaves a record whose object is missing, which is made again,
    # never an object that nothing names.
    for old in replaced:
        workspace.kept.delete(old)
    if new:
        with contextlib.suppress(PrepError):
            workspace.kept.put(new)


def _narrow(
    workspace: Workspace, connection: Connection, item: dict[str, Any], failure: Failure, own: Mapping[str, Any]
) -> None:
    """Keep the published version of a failed document from all whom its new front matter does not let in: nobody is,
    by one that cannot be read, or that gives sections other lists. Nobody is let in either where a secret was found by
    other rules than those that passed that version, since it may hold the secret."""
    kb, key = workspace.kb, item["document_id"]
    live = releases.of_ids(connection, kb, releases.live_release(connection, kb) or 0, [key]).get(key)
    if live is None:
        return
    before = live.metadata
    other_rules = live.stages.get("redact") != workspace.rules.redaction_identity(item["source"])
    if failure.reason == FrontMatterInvalid.reason or (failure.reason == SecretFound.reason and other_rules):
        acl: list[str] = []
    elif "sections" in own and canonical_json(own["sections"]) != before.get("sections"):
        acl = []
    elif "acl" in own:
        acl = principals(own["acl"]) or []
    else:
        return
    if not set(before["acl"]) <= set(acl):
        overlay.narrow(connection, kb, {key: acl})


def _with_paths(workspace: Workspace, prepared: PreparedDocument, item: dict[str, Any]) -> PreparedDocument:
    """With references to the document's own web server as paths from its root, which is how they lead to URIs."""
    source = next(source for source in workspace.base.config.sources if source.name == item["source"])
    if not SOURCES[source.kind].by_address:
        return prepared
    own = urlsplit(item["about"]["url"])

    def path(target: str) -> str:
        parts = urlsplit(target)
        same = (parts.scheme, parts.netloc) == (own.scheme, own.netloc)
        return urlunsplit(("", "", parts.path or "/", parts.query, parts.fragment)) if same else target

    relations = tuple(
        replace(relation, targets=tuple(path(target) for target in relation.targets))
        for relation in prepared.document.relations
    )
    return replace(prepared, document=replace(prepared.document, relations=relations))


def _outcome(
    workspace: Workspace, item: dict[str, Any], stages: Mapping[str, str], child: PrepareChild
) -> tuple[Outcome, str]:
    """What a document became, and the stage its work began at."""
    repeated = tuple(item["repeated"])
    found = _kept(workspace, item, stages)
    if found is not None:
        results, stage = found
        raw = RawDocument(item["uri"], item["name"], b"", item["media_type"])
        outcome = child.prepare(Job(raw, item["doc_type"], stage, results, repeated))
        if not (isinstance(outcome.result, Failure) and outcome.result.stage == "restore"):
            return outcome, stage
    read = _read(workspace, item)
    if isinstance(read, Failure):
        return Outcome(read), "fetch"
    outcome = child.prepare(Job(read, item["doc_type"], repeated=repeated))
    if not isinstance(outcome.result, Failure):
        # Only what redaction let through is kept, so that a document refused for secrets is stored nowhere.
        workspace.objects.put(read.content)
    return outcome, "parse"


def _kept(workspace: Workspace, item: dict[str, Any], stages: Mapping[str, str]) -> tuple[Kept, str] | None:
    """What is kept of a document's content and the first stage to do; None when its bytes are needed."""
    content = item["content_hash"]
    with workspace.database.begin() as connection:
        row = kept.of_contents(connection, workspace.kb, [content], form()).get((content, stages["parse"]))
    if row is None:
        return None
    try:
        if not workspace.objects.exists(content):
            return None
        return Kept.from_bytes(workspace.kept.get(row.address)), first_stage(row.stages, stages)
    except PrepError:  # missing, damaged or out of reach: it can be made again
        with contextlib.suppress(PrepError):
            workspace.kept.delete(row.address)  # so that it can be written anew
        return None


def _read(workspace: Workspace, item: dict[str, Any]) -> RawDocument | Failure:
    source = next(source for source in workspace.base.config.sources if source.name == item["source"])
    entry = Entry(item["uri"], item["name"], item["location"], "", 0, None)
    try:
        content = fetch(workspace, source, entry)
    except PrepError as error:
        return Failure("fetch", error.reason, error.message, error.retryable)
    if content_hash(content) != item["content_hash"]:
        return Failure(
            "fetch", "source_changed", "changed while the run read it; the next run takes it up", retryable=True
        )
    return RawDocument(item["uri"], item["name"], content, item["media_type"])
