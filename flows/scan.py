"""What the sources hold now: listed cheaply, hashed only where something may have changed; and the plan made of it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from flows import boilerplate
from flows.attached import INSIDE, SEPARATOR, attached_before
from flows.candidates import retention_of
from flows.fetching import MAILS, Mails, fetch, request_for
from flows.kept import form
from flows.metadata import PRINCIPAL_MAX, Permitted, metadata_fingerprint, told_in
from flows.rooms import redactor_of
from flows.rules import content_fingerprint
from flows.scope import Scope, changed_scope, folder_of, known_folders, named, named_scope, whole_scope
from flows.workspace import Workspace, honour_decisions
from kprep.config import SourceConfig
from kprep.core.errors import ConfigError, SourceError
from kprep.core.ids import content_hash, document_id
from kprep.core.models import Failure
from kprep.store import candidates, decisions, documents, folders, kept, overlay, relations, releases
from kprep.store.documents import DocumentRow, FailureRow
from kprep.store.runs import WorkRow
from kprep.store.sql import Connection
from parsers.media_type import HEAD_BYTES, detect
from publish.plan import Action, Guard, Known, Live, Observed, Plan, make_plan
from redaction import Redactor
from sources import NOTHING, SOURCES, About, Entry, Listing, Problem, SourceRequest, SourceSpec
from sources.cache import drop_bodies
from sources.companions import paired

PERSONAL_NAME = "personal_name"
PERMISSIONS_UNREADABLE = "permissions_unreadable"
RENAME_FAILED = "rename_failed"
URI_MAX = 2000
"""Bytes of a document's URI; more do not fit into an entry of an index."""


@dataclass(slots=True)
class Scan:
    """Outcome of looking at every source.

    `scope`: what of the sources is compared at all. `listed`: number of entries, those in folders that are as they were
    included. `rows`: documents that could be looked at; `news`: those of them that were read. `failed`: (identity,
    failure) of those that could not be looked at; they keep their live version. `hashed`: files read to see whether
    they changed. `excluded`: of the listed, those an operator keeps out. `locations`: how to fetch each document.
    `listed_at`: clock when the first listing was there. `decided`: what a person said of documents of the candidate
    store, as they are now. `known`: documents in scope that the scan before listed; `left`: those that no source held
    already then. `asked`: names of the sources that were listed; `entire`: of those, the ones that gave every entry
    they have. `passed_over`: {source, reason, files} of what the sources passed over, None where single files were
    asked for. `unlisted`: source that could not be listed -> why, `empty_sources`: that listed nothing -> what to do.
    `attached`: URI of a mail -> ids of known documents that came with it; `inside`: URI of a folder -> files attached
    to the mails in it. `check_names`: names of known documents are looked at again, because redaction changed.
    """

    scope: Scope = field(default_factory=whole_scope)
    listed: int = 0
    rows: list[DocumentRow] = field(default_factory=list)
    news: list[DocumentRow] = field(default_factory=list)
    failed: list[tuple[tuple[str, str, str], Failure]] = field(default_factory=list)
    hashed: int = 0
    excluded: int = 0
    keep: set[str] = field(default_factory=set)
    empty_sources: dict[str, str] = field(default_factory=dict)
    locations: dict[str, tuple[SourceConfig, Entry]] = field(default_factory=dict)
    decided: dict[str, str] = field(default_factory=dict)
    listed_at: float = 0.0
    known: frozenset[str] = frozenset()
    left: tuple[str, ...] = ()
    check_names: bool = False
    asked: set[str] = field(default_factory=set)
    passed_over: list[dict[str, Any]] | None = None
    inside: Counter[str] = field(default_factory=Counter)
    attached: Mapping[str, Sequence[str]] = field(default_factory=dict)
    entire: set[str] = field(default_factory=set)
    unlisted: dict[str, str] = field(default_factory=dict)

    @property
    def in_vain(self) -> bool:
        """True when no source that was asked could be listed."""
        return bool(self.unlisted) and self.asked == set(self.unlisted)

    @property
    def message(self) -> str:
        """Which sources gave nothing, and why."""
        return "; ".join([*self.unlisted.values(), *self.empty_sources.values()])

    @property
    def gone(self) -> list[str]:
        """Documents that the scan before listed and that no source holds any more."""
        seen = {row.document_id for row in self.rows} | self.keep | {identity[0] for identity, _ in self.failed}
        return sorted(set(self.known) - seen)

    @property
    def standing(self) -> boilerplate.Standing:
        """What is not recorded yet."""
        return boilerplate.Standing(self.news, self.gone)

    def covers(self, failure: FailureRow) -> bool:
        """True when this scan saw where the document of a failure stood."""
        if failure.uri == failure.source:  # of the source as a whole, which answers now
            return failure.source in self.asked
        if failure.source in self.entire:
            return True
        if failure.source in self.scope.incomplete:
            return False
        return self.scope.whole or folder_of(failure.uri) in self.scope.folders or failure.document_id in self.scope.ids


def end_scan(workspace: Workspace) -> None:
    """Remove what sources, and mails that were opened, kept for this run only."""
    for source in workspace.base.config.sources:
        drop_bodies(request_for(workspace, source))
    workspace.scanned = None


def _listing(spec: SourceSpec, request: SourceRequest) -> Listing:
    """What a source lists; one that cannot be listed, for whatever reason, lists nothing, incompletely, and says so."""
    try:
        listing = spec.list_entries(request)
        return replace(listing, entries=paired(listing.entries))
    except SourceError as error:
        problem = Problem(request.name, error.reason, error.message)
    except OSError as error:
        detail = f"source {request.name}: {error.filename or spec.describe(request)} cannot be read ({error.strerror})"
        problem = Problem(request.name, SourceError.reason, detail)
    return Listing((), (problem,), complete=False)


def scan_sources(
    workspace: Workspace,
    connection: Connection,
    only: Mapping[str, Sequence[str]],
    *,
    settled: bool,
    check_names: bool,
) -> Scan:
    """List the sources, or of them what `only` names, and hash what may have changed. Writes nothing.

    `settled`: the live release holds what the folders listed that are known as settled. `check_names`: also of files
    that did not change. Raises: SourceError, ConfigError with the remedy.
    """
    seen = known_folders(workspace, connection) if not only else {}
    same = {row.folder: row.digest for row in seen.values() if settled and row.settled}
    listings: list[tuple[SourceConfig, Listing]] = []
    scan = Scan(check_names=check_names)
    for source in workspace.base.config.sources:
        if only and source.name not in only:
            continue
        wanted = replace(request_for(workspace, source), known=same, only=tuple(only.get(source.name, ())))
        listing = _listing(SOURCES[source.kind], wanted)
        listings.append((source, listing))
        scan.asked.add(source.name)
        whole = next((item for item in listing.problems if item.uri == source.name), None)
        if whole is not None and not listing.entries:
            scan.unlisted[source.name] = whole.detail
        if listing.complete and not listing.folders and not wanted.only:
            scan.entire.add(source.name)
        scan.listed_at = scan.listed_at or time.perf_counter()
    if not only:
        scan.passed_over = [
            {"source": source.name, "reason": reason, "files": files}
            for source, listing in listings
            for reason, files in sorted(listing.passed_over.items())
            if files
        ]
    if only:
        scan.scope = named_scope(workspace, connection, only, listings)
    else:
        scan.scope = changed_scope(seen, listings, settled=settled)
    scan.scope.ids |= {row.document_id for row in documents.failures(connection, workspace.kb) if not only}
    before = _known(workspace, connection, scan)
    scan.attached = attached_before(before.values())
    scan.listed = scan.scope.same.total()
    with Mails(workspace) as mails:
        look = _Look(workspace, before, decisions.excluded(connection, workspace.kb), mails, scan)
        for source, listing in listings:
            scan.listed += len(listing.entries) + len(listing.problems)
            if not (listing.entries or listing.problems or scan.scope.same[source.name] or only):
                place = SOURCES[source.kind].describe(request_for(workspace, source))
                scan.empty_sources[source.name] = (
                    f"source {source.name}: nothing in {place} matches {', '.join(source.include)}: put documents "
                    "there or change `include`"
                )
            look.at_source(source, listing)
            mails.save(source, partial(_is_elsewhere, listing, same, only))
    unsure = {folder_of(scan.locations[key][1].uri) for (key, _, _), _ in scan.failed if key in scan.locations}
    scan.scope.seen = [
        replace(
            item,
            digest="" if item.folder in unsure else item.digest,
            documents=item.documents + scan.inside[item.folder],
        )
        for item in scan.scope.seen
    ]
    return scan


def _is_elsewhere(listing: Listing, same: Mapping[str, str], only: object, uri: str) -> bool:
    """True where a listing need not hold a document that is still there."""
    folder = folder_of(uri)
    listed = listing.folders.get(folder)
    return bool(only) or not listing.complete or (listed is not None and same.get(folder) == listed)


def _known(workspace: Workspace, connection: Connection, scan: Scan) -> dict[str, DocumentRow]:
    """Documents in scope that the scan before listed, by id."""
    if scan.scope.whole:
        rows = documents.observed(connection, workspace.kb)
    else:
        ids = sorted(scan.scope.ids)
        rows, left = documents.observed_in(connection, workspace.kb, sorted(scan.scope.folders), ids)
        scan.left = tuple(left)
    scan.known = frozenset(row.document_id for row in rows)
    return {row.document_id: row for row in rows}


@dataclass(frozen=True, slots=True)
class _Look:
    """One look at what the sources list. `known`: documents in scope that the scan before listed, by id; `excluded`:
    ids of those an operator keeps out."""

    workspace: Workspace
    known: Mapping[str, DocumentRow]
    excluded: Container[str]
    mails: Mails
    scan: Scan

    def at_source(self, source: SourceConfig, listing: Listing) -> None:
        """At everything a source lists."""
        kb, scan = self.workspace.kb, self.scan
        if not listing.complete:
            gone = {document_id(kb, source.name, uri) for uri in listing.gone}
            scan.keep |= {row.document_id for row in self.known.values() if row.source == source.name} - gone
        for problem in listing.problems:
            shown = shown_name(redactor_of(self.workspace.rules), problem.uri)
            key = document_id(kb, source.name, problem.uri)
            failure = Failure("scan", problem.reason, problem.detail, retryable=True)
            self._fail((key, source.name, shown), failure, problem.uri)
        for listed in listing.entries:
            entry = (
                listed if listed.about == NOTHING else replace(listed, about=_redacted(self.workspace, listed.about))
            )
            if any(len(name) > PRINCIPAL_MAX for name in entry.acl or ()):
                detail = f"a principal has more than {PRINCIPAL_MAX} characters: nobody may see what it is for"
                entry = replace(entry, acl=(), acl_problem=detail)
            self.at_entry(source, entry)

    def at_entry(self, source: SourceConfig, entry: Entry) -> None:
        """At one document, and at what is attached to it."""
        key = document_id(self.workspace.kb, source.name, entry.uri)
        self.scan.excluded += key in self.excluded
        if key in self.excluded or key in self.scan.locations:  # a file that is named like one attached to a mail
            return
        if len(entry.uri.encode("utf-8", "surrogatepass")) > URI_MAX:
            detail = f"its path is longer than {URI_MAX:,} bytes: shorten it, or exclude it"
            self._fail(
                (key, source.name, f"{entry.uri[:200]}..."),
                Failure("scan", "source_unreadable", detail, retryable=False),
                entry.uri,
            )
            return
        self.scan.locations[key] = (source, entry)
        row = self.known.get(key)
        same = row if row is not None and row.version_token == entry.version_token else None
        if (same is None or self.scan.check_names) and not self._has_sound_name(source, entry, key):
            return
        content = None
        if same is None:
            content = self._read(source, entry, key)
            if content is None:
                return
            same = self._news(entry, key, content)
        self.scan.rows.append(same)
        if same.media_type in MAILS:
            self._at_attached(source, entry, same, content)

    def _has_sound_name(self, source: SourceConfig, entry: Entry, key: str) -> bool:
        """A name cannot be replaced by a pseudonym: it is the document's identity. One that must not be shown is not
        even stored."""
        named = redactor_of(self.workspace.rules, source.name).scan_name(entry.uri)
        if named:
            kinds = ", ".join(sorted({kind for kind, _, _ in named}))
            identity = (key, source.name, _masked(entry.uri, named))
            detail = f"its path holds personal data ({kinds}): rename it"
            self.scan.failed.append((identity, Failure("scan", PERSONAL_NAME, detail, retryable=False)))
        return not named

    def _read(self, source: SourceConfig, entry: Entry, key: str) -> bytes | None:
        """Bytes of a document; None, with the failure noted, where they cannot be had."""
        identity, limit = (key, source.name, entry.uri), self.workspace.settings.document_size_mb * 1024 * 1024
        if entry.size > limit:
            detail = f"{entry.size // 1048576} MB, the limit is {limit // 1048576} MB (KPREP_DOCUMENT_SIZE_MB)"
            self._fail(identity, Failure("scan", "too_large", detail, retryable=False), entry.uri)
            return None
        try:
            return fetch(self.workspace, source, entry)
        except SourceError as error:
            failure = Failure("scan", error.reason, error.message, error.retryable)
            self._fail(identity, failure, entry.uri)
            return None

    def _news(self, entry: Entry, key: str, content: bytes) -> DocumentRow:
        row, address = self.known.get(key), content_hash(content)
        media_type = detect(entry.name, content[:HEAD_BYTES])
        modified_at = row.modified_at if row is not None and row.content_hash == address else entry.modified_at
        source = entry.uri.partition("/")[0]
        found = DocumentRow(key, source, entry.uri, entry.version_token, address, len(content), media_type, modified_at)
        self.scan.hashed += 1
        self.scan.news.append(found)
        return found

    def _at_attached(self, source: SourceConfig, mail: Entry, row: DocumentRow, content: bytes | None) -> None:
        """At the files attached to a mail. Where it cannot be read, those known stay."""
        try:
            inside = self.mails.inside(source, mail, row, lambda: content or fetch(self.workspace, source, mail))
        except SourceError:
            inside = None
        if inside is None:
            self.scan.keep.update(self.scan.attached.get(mail.uri, ()))
            return
        self.scan.listed += len(inside.entries)
        self.scan.inside[folder_of(mail.uri)] += len(inside.entries)
        for entry in inside.entries:
            self.at_entry(source, entry)
        if inside.problem is not None:
            uri = f"{mail.uri}{SEPARATOR}*"
            identity = (document_id(self.workspace.kb, source.name, uri), source.name, uri)
            self._fail(identity, Failure("scan", *inside.problem, retryable=False), uri)

    def _fail(self, identity: tuple[str, str, str], failure: Failure, uri: str) -> None:
        """Note what cannot be looked at; what is live of it, and of what was attached to it, stays."""
        self.scan.failed.append((identity, failure))
        self.scan.keep.update((identity[0], *self.scan.attached.get(uri, ())))


def _redacted(workspace: Workspace, about: About) -> About:
    """What a source says of a document, without personal data and secrets; an address that holds some is left out."""
    redactor = redactor_of(workspace.rules)
    title, labels = shown_name(redactor, about.title), tuple(shown_name(redactor, name) for name in about.labels)
    url, parent = (text if shown_name(redactor, text) == text else "" for text in (about.url, about.parent))
    return About(title, url, parent, labels)


@lru_cache(maxsize=1 << 16)
def shown_name(redactor: Redactor, text: str) -> str:
    """A name that is no document's text, with what must not be shown replaced by its kind."""
    return _masked(text, redactor.scan_name(text)) if text else text


def _masked(uri: str, spans: list[tuple[str, int, int]]) -> str:
    """A path with what must not be shown replaced by its kind."""
    for kind, start, end in sorted(spans, key=lambda span: -span[1]):
        uri = f"{uri[:start]}<{kind}>{uri[end:]}"
    return uri


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan with what it was made from.

    `live`: documents of the base release that may differ from what is observed; in a whole scan all. `details`: of
    those that are not simply unchanged, by id. `failing`: documents that had failed before. `repeated`: keyed hashes of
    the edge blocks of each observed document that its source repeats, where there are some.
    """

    plan: Plan
    scan: Scan
    observed: tuple[Observed, ...]
    live: tuple[releases.Outline, ...]
    details: Mapping[str, releases.LiveDocument]
    failing: frozenset[str]
    repeated: Mapping[str, tuple[str, ...]]


def plan_run(
    workspace: Workspace,
    connection: Connection,
    *,
    allow_deletes: bool,
    only: Sequence[str] = (),
    whole: bool = False,
    scanned: Scan | None = None,
) -> Planned:
    """Scan and plan. Writes nothing. Raises: SourceError, ConfigError.

    `only`: URIs or paths of files and folders, beside which nothing is looked at. `whole`: compare every document,
    also where nothing can have changed. `scanned`: a scan of all, made before, which is not made again.
    """
    honour_decisions(workspace, connection)
    kb = workspace.kb
    settled = not whole and folders.is_settled(connection, kb, workspace.scan_rules)
    if only and not settled:
        raise ConfigError(
            "--only needs a live release of a whole run under the present rules: kprep.yaml, rules or release changed "
            "since, so run once without --only"
        )
    base = releases.live_release(connection, kb) or 0
    # Wherever they stand, they are to be retired, or to go where a person said.
    if not only and (overlay.expiring(connection, kb, base, 0) or candidates.decided_since(connection, kb, base)):
        settled = False
    made = releases.get(connection, kb, base) if not settled else None
    check_names = made is not None and made.configuration.get("redaction_rules") != workspace.rules.redaction_identity()
    wanted = named(_places(workspace), only)
    scan = scanned or scan_sources(workspace, connection, wanted, settled=settled, check_names=check_names)
    changed = not scan.scope.whole and not only and (scan.news or scan.gone)
    if changed and boilerplate.differs(workspace, connection, scan.standing, base):
        return plan_run(workspace, connection, allow_deletes=allow_deletes, whole=True)
    ids = None if scan.scope.whole else sorted(row.document_id for row in scan.rows)
    repeated = boilerplate.repeated(workspace, connection, workspace.rules, scan.standing, ids) if scan.rows else {}
    scan.decided = candidates.decisions(connection, kb, {row.document_id: row.content_hash for row in scan.rows})
    in_scope = {*scan.known, *scan.left, *(row.document_id for row in scan.rows)}
    live = tuple(releases.outlines(connection, kb, base, None if scan.scope.whole else sorted(in_scope)))
    if scan.empty_sources and not scan.rows and not live and not scan.scope.same.total():
        raise SourceError(next(iter(scan.empty_sources.values())))
    expired = _expired(workspace, scan)
    observed = tuple(item for item in _observed(workspace, scan, repeated) if item.document_id not in expired)
    # What a release knows of each document is much; only of those that may have changed is it looked at.
    same = {(item.document_id, item.content_fingerprint, item.metadata_fingerprint) for item in observed}
    differing = [
        item.document_id
        for item in live
        if (item.document_id, item.content_fingerprint, item.metadata_fingerprint) not in same
    ]
    failures = {row.document_id: row for row in documents.failures(connection, kb)}
    looked_at = {*differing, *failures, *overlay.narrowed(connection, kb)}
    if not scan.scope.whole:
        looked_at &= in_scope
    details = releases.of_ids(connection, kb, base, sorted(looked_at))
    published = {item.document_id: item.content_fingerprint for item in live}
    new = [item for item in observed if published.get(item.document_id) != item.content_fingerprint]
    results = kept.of_contents(connection, kb, sorted({item.content_hash for item in new}), form())
    quality = workspace.base.config.quality
    plan = make_plan(
        base,
        observed,
        [
            Live(
                item.document_id,
                item.source,
                item.uri,
                item.version_id,
                item.content_hash,
                item.content_fingerprint,
                item.metadata_fingerprint,
            )
            for item in live
        ],
        Known(
            keep=frozenset(scan.keep),
            failures={key: row.content_fingerprint for key, row in failures.items() if not row.retryable},
            prepared=documents.prepared_versions(connection, kb, [item.content_fingerprint for item in new]),
            empty_sources=frozenset(scan.empty_sources),
            kept={place: row.stages for place, row in results.items()},
            totals=_totals(connection, kb, base, scan, live),
            expired=expired,
            sources=frozenset(source.name for source in workspace.base.config.sources),
        ),
        Guard(quality.mass_delete_share, quality.mass_delete_documents),
        allow_deletes=allow_deletes,
    )
    return Planned(plan, scan, observed, live, details, frozenset(failures), repeated)


def _places(workspace: Workspace) -> dict[str, Path | None]:
    """Source -> where on this machine its documents stand, None where it cannot be asked for single ones."""
    out: dict[str, Path | None] = {}
    for source in workspace.base.config.sources:
        place = SOURCES[source.kind].place
        out[source.name] = place(request_for(workspace, source)) if place is not None else None
    return out


def _totals(connection: Connection, kb: str, base: int, scan: Scan, live: Sequence[releases.Outline]) -> dict[str, int]:
    """Documents of the base release by source, where some of them may be gone and not all are in scope."""
    gone = {item.document_id for item in live}.difference(row.document_id for row in scan.rows)
    return releases.counts_by_source(connection, kb, base) if gone and not scan.scope.whole else {}


def _expired(workspace: Workspace, scan: Scan) -> frozenset[str]:
    """Listed documents whose retention is over."""
    now = datetime.now(tz=UTC)
    limits = {name: now - timedelta(days=days) for name, days in retention_of(workspace.base.config).items()}
    changed = {row.uri: row.modified_at for row in scan.rows if row.source in limits}

    def last_change(row: DocumentRow) -> datetime | None:
        mail = row.uri.partition(SEPARATOR)[0]  # what came with a mail stays as long as it
        return changed.get(mail) or row.modified_at

    return frozenset(
        row.document_id
        for row in scan.rows
        if row.source in limits and (moment := last_change(row)) is not None and moment <= limits[row.source]
    )


def _observed(workspace: Workspace, scan: Scan, repeated: Mapping[str, tuple[str, ...]]) -> tuple[Observed, ...]:
    sources = {source.name: source for source in workspace.base.config.sources}
    stages: dict[tuple[Any, ...], dict[str, str]] = {}
    known: dict[tuple[str, Permitted, str], str] = {}
    out = []
    for row in scan.rows:
        source = sources[row.source]
        permitted = Permitted.of(*scan.locations[row.document_id], scan.decided.get(row.document_id, ""))
        known_as = (row.source, permitted, told_in(row))
        if known_as not in known:
            tenant = workspace.base.config.tenant
            known[known_as] = metadata_fingerprint(source, tenant, permitted, told_in(row))
        rules = workspace.rules.of_content(row.content_hash)
        kind = (row.media_type, source.doc_type, source.name, repeated.get(row.document_id, ()))
        known_kind = (*kind, rules.speech.accepted, tuple(sorted(rules.again.items())))
        if known_kind not in stages:
            stages[known_kind] = rules.stages(*kind)
        out.append(
            Observed(
                row.document_id,
                row.source,
                row.uri,
                row.content_hash,
                content_fingerprint(row.content_hash, stages[known_kind]),
                known[known_as],
                stages[known_kind],
            )
        )
    return tuple(out)


def record_scan(workspace: Workspace, connection: Connection, run_id: str, planned: Planned) -> int:
    """Write what the scan saw, and the denials it found, at once: they wait for no gate. Number of denials."""
    kb, scan, plan = workspace.kb, planned.scan, planned.plan
    documents.observe(connection, kb, scan.news)
    folders.see(connection, kb, run_id, scan.scope.seen)
    _hide_attached(connection, kb, scan)
    for identity, failure in scan.failed:
        documents.fail(connection, kb, run_id, identity, "", failure)
    denials = _record_permissions(workspace, connection, run_id, planned)
    overlay.schedule_expiry(connection, kb, plan.base_release, retention_of(workspace.base.config))
    if plan.guard:
        return denials
    # A file that moved to another source left the permissions of its old one: that is a denial.
    renamed = {
        item.renamed_from
        for item in plan.documents
        if item.action is Action.RENAME and item.renamed_from.split("/")[0] == item.source
    }
    retired = [item for item in plan.documents if item.action is Action.RETIRE]
    denied = [item.document_id for item in retired if item.uri not in renamed]
    denials += overlay.suppress(connection, kb, denied, "source_deleted", f"run {run_id}")
    seen = {row.document_id for row in scan.rows} | scan.keep | {identity[0] for identity, _ in scan.failed}
    documents.unlist(connection, kb, scan.gone)
    documents.drop(connection, kb, [key[0] for key, failure in scan.failed if failure.reason == PERSONAL_NAME])
    stale = [row for row in documents.failures(connection, kb) if row.document_id not in seen and scan.covers(row)]
    documents.clear_failures(connection, kb, [row.document_id for row in stale])
    for item in plan.documents:
        if item.action is Action.FAILED and item.renamed_from:
            fail_renamed(connection, kb, run_id, item.source, (item.renamed_from, item.uri))
    return denials


def _hide_attached(connection: Connection, kb: str, scan: Scan) -> None:
    """Hide what came with a mail that a person hid, also where it was attached later."""
    if not overlay.hidden_by_a_person(connection, kb):
        return
    came = [(key, entry.uri) for key, (_, entry) in scan.locations.items() if entry.location.startswith(INSIDE)]
    for row in overlay.entries(connection, kb):
        inside = [key for key, uri in came if uri.startswith(f"{row['uri']}{SEPARATOR}")]
        if inside and row["reason"] in overlay.BY_PERSON:
            overlay.suppress(connection, kb, inside, row["reason"], row["made_by"], row["note"])


def _record_permissions(workspace: Workspace, connection: Connection, run_id: str, planned: Planned) -> int:
    """Write narrowed permissions, and failures that say which cannot be read; number of documents narrowed."""
    kb, scan, plan = workspace.kb, planned.scan, planned.plan
    before = overlay.narrowed(connection, kb)
    narrowed = _permitted(workspace, planned, before)
    overlay.narrow(connection, kb, narrowed)
    denials = sum(set(acl) != set(before.get(key, ("", ""))) for key, acl in narrowed.items())
    unreadable = {key: Permitted.of(*place).problem for key, place in scan.locations.items() if place[1].acl_problem}
    private = {key for key, live in planned.details.items() if live.metadata.get("acl_problem")}
    sound = [
        item.document_id
        for item in plan.documents
        if item.action is Action.REPERMISSION or (item.action is Action.UNCHANGED and item.document_id not in private)
    ]
    cleared = planned.failing.intersection(sound).difference(unreadable)
    documents.clear_failures(connection, kb, sorted(cleared))
    for key, problem in sorted(unreadable.items()):
        source, entry = scan.locations[key]
        fail_unreadable(connection, kb, run_id, (key, source.name, entry.uri), problem)
    ids = {item.uri: item.document_id for item in planned.live}
    moved = {
        ids[item.renamed_from]: item.document_id
        for item in plan.documents
        if item.renamed_from and item.renamed_from in ids
    }
    overlay.carry(connection, kb, moved)
    relations.rename(connection, kb, moved)
    return denials


def fail_unreadable(connection: Connection, kb: str, run_id: str, identity: tuple[str, str, str], problem: str) -> None:
    """Record that a document is visible to nobody because its permission data cannot be read."""
    failure = Failure("scan", PERMISSIONS_UNREADABLE, problem, retryable=True)
    documents.fail(connection, kb, run_id, identity, "", failure)


def fail_renamed(connection: Connection, kb: str, run_id: str, source: str, renamed: tuple[str, str]) -> None:
    """Record that a document stays published under its old URI, since under its new one it cannot be prepared."""
    old, new = renamed
    failure = Failure("scan", RENAME_FAILED, f"is {new} now, which failed: stays as it was", retryable=True)
    documents.fail(connection, kb, run_id, (document_id(kb, source, old), source, old), "", failure)


def stranded(kb: str, work: Sequence[WorkRow]) -> set[str]:
    """Documents to be retired for a new URI under which they failed in this run: they stay."""
    failed = [item.work for item in work if item.state == "failed" and item.work["renamed_from"]]
    return {document_id(kb, item["source"], item["renamed_from"]) for item in failed}


def _permitted(
    workspace: Workspace, planned: Planned, narrowed: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """Live documents whose sources let in fewer than the release does, or did so before: id -> principals now.

    Also for documents that could not be looked at or failed: they stay published, but not for more people. What a
    document's own front matter says is known only when it is prepared (`flows.assemble`).
    """
    sources = {source.name: source for source in workspace.base.config.sources}
    actions = {item.document_id: item.action for item in planned.plan.documents}
    moved = {item.renamed_from: item.document_id for item in planned.plan.documents if item.renamed_from}
    out: dict[str, tuple[str, ...]] = {}
    for key, live in planned.details.items():
        published = tuple(live.metadata["acl"])
        action = actions.get(key)
        place = planned.scan.locations.get(moved.get(live.uri, key))
        if place is not None and place[1].acl_problem:
            out[key] = ()
            continue
        if live.source not in sources or (live.metadata.get("own_acl") and action is not Action.UNCHANGED):
            continue
        if action is Action.UNCHANGED:
            now = published
        elif key in narrowed and action in (Action.CHANGE, Action.FAILED):  # what it says itself is not known yet
            now = tuple(sorted(set(narrowed[key]) & set(Permitted.of(*place).acl))) if place else narrowed[key]
        elif place is not None:
            now = Permitted.of(*place).acl
        else:  # it cannot be looked at: no more people than the source lets in, and than before
            now = tuple(sorted(set(published) & set(sources[live.source].acl)))
        if key in narrowed or not set(published) <= set(now):
            out[key] = now
    return out
