"""What one run has to do, from what the sources hold and what the live release holds. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from kprep.core.models import JsonObject


class Action(StrEnum):
    """What happens to one document."""

    ADD = "add"
    CHANGE = "change"
    RENAME = "rename"
    REPERMISSION = "repermission"
    RETIRE = "retire"
    EXPIRE = "expire"
    """Retired because its retention is over, although its source still holds it."""
    UNCHANGED = "unchanged"
    FAILED = "failed"
    """Failed before with this very content under these very rules: not tried again, still reported."""


@dataclass(frozen=True, slots=True)
class Observed:
    """A document a source holds now, with the fingerprints it should have under the current rules.

    `stages`: room -> fingerprint of its version and options, in pipeline order, "parse" first.
    """

    document_id: str
    source: str
    uri: str
    content_hash: str
    content_fingerprint: str
    metadata_fingerprint: str
    stages: JsonObject


@dataclass(frozen=True, slots=True)
class Live:
    """A document of the base release."""

    document_id: str
    source: str
    uri: str
    version_id: str
    content_hash: str
    content_fingerprint: str
    metadata_fingerprint: str


@dataclass(frozen=True, slots=True)
class PlannedDocument:
    """One document's part of the plan.

    `stage`: earliest room whose work is not reusable ("" when nothing is computed). `reuse`: a prepared version with
    the same content fingerprint (of this or another document), so that nothing is parsed. `renamed_from`: its old URI,
    which stays published while the document fails under the new one.
    """

    document_id: str
    source: str
    uri: str
    action: Action
    stage: str = ""
    reuse: str = ""
    renamed_from: str = ""
    content_hash: str = ""
    content_fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """Documents in order of URI. `guard`: why an operator must confirm the deletions first, or ""."""

    base_release: int
    documents: tuple[PlannedDocument, ...]
    guard: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """True when the live release already is what the sources and rules ask for."""
        return all(item.action in (Action.UNCHANGED, Action.FAILED) for item in self.documents)


@dataclass(frozen=True, slots=True)
class Guard:
    """Limits over which deletions wait for an operator: both the share of a source and the number are exceeded."""

    share: float = 0.2
    documents: int = 10


@dataclass(frozen=True, slots=True)
class Known:
    """What else the plan must respect, and what it can build on.

    `keep`: documents that could not be looked at and keep their live version. `failures`: document id -> content
    fingerprint it failed with for good. `prepared`: content fingerprint -> a version that has it already.
    `empty_sources`: sources that listed nothing at all, which never passes for a deletion of everything. `kept`:
    (content hash, fingerprint of its parsing) -> fingerprints its kept results were made with. `totals`: source ->
    documents that the base release has of it, where `live` holds not all of them. `expired`: documents that are not
    observed because their retention is over. `sources`: those that are configured, None where that is not known.
    """

    keep: frozenset[str] = frozenset()
    failures: Mapping[str, str] = field(default_factory=dict)
    prepared: Mapping[str, str] = field(default_factory=dict)
    empty_sources: frozenset[str] = frozenset()
    kept: Mapping[tuple[str, str], Mapping[str, str]] = field(default_factory=dict)
    totals: Mapping[str, int] = field(default_factory=dict)
    expired: frozenset[str] = frozenset()
    sources: frozenset[str] | None = None


def make_plan(
    base_release: int,
    observed: Sequence[Observed],
    live: Sequence[Live],
    known: Known,
    guard: Guard,
    *,
    allow_deletes: bool = False,
) -> Plan:
    """Plan that turns the base release into what is observed. `live`: all of it, or what may differ from it."""
    live_by_id = {item.document_id: item for item in live}
    seen = {item.document_id for item in observed}
    absent = [item for item in live if item.document_id not in seen and item.document_id not in known.keep]
    gone = [item for item in absent if item.document_id not in known.expired]
    gone_by_content: dict[str, list[Live]] = {}
    for item in sorted(gone, key=lambda item: item.uri):
        gone_by_content.setdefault(item.content_hash, []).append(item)
    planned = [
        _plan_one(wanted, live_by_id.get(wanted.document_id), known, gone_by_content)
        for wanted in sorted(observed, key=lambda wanted: wanted.uri)
    ]
    kept = {item.renamed_from for item in planned if item.action is Action.FAILED}
    absent = [item for item in absent if item.uri not in kept]
    gone = [item for item in gone if item.uri not in kept]
    planned += [
        PlannedDocument(
            item.document_id,
            item.source,
            item.uri,
            Action.EXPIRE if item.document_id in known.expired else Action.RETIRE,
            content_hash=item.content_hash,
        )
        for item in absent
    ]
    planned.sort(key=lambda item: (item.uri, item.document_id))
    reason = "" if allow_deletes else _guard_reason(gone, live, planned, guard, known)
    counts = Counter(item.action.value for item in planned)
    return Plan(base_release, tuple(planned), reason, {action.value: counts[action.value] for action in Action})


def _plan_one(
    item: Observed,
    live: Live | None,
    known: Known,
    gone_by_content: Mapping[str, list[Live]],
) -> PlannedDocument:
    def planned(action: Action, renamed_from: str = "") -> PlannedDocument:
        reuse = (
            live.version_id
            if live and action is Action.REPERMISSION
            else known.prepared.get(item.content_fingerprint, "")
        )
        computes = action in (Action.ADD, Action.CHANGE, Action.RENAME) and not reuse
        return PlannedDocument(
            item.document_id,
            item.source,
            item.uri,
            action,
            first_stage(known.kept.get((item.content_hash, item.stages["parse"])), item.stages) if computes else "",
            reuse if action not in (Action.UNCHANGED, Action.FAILED) else "",
            renamed_from,
            item.content_hash,
            item.content_fingerprint,
        )

    if live and live.content_fingerprint == item.content_fingerprint:
        same = live.metadata_fingerprint == item.metadata_fingerprint
        return planned(Action.UNCHANGED if same else Action.REPERMISSION)
    moved = gone_by_content.get(item.content_hash) if live is None else None
    if known.failures.get(item.document_id) == item.content_fingerprint:
        stays = next((old for old in moved or () if old.source == item.source), None)
        if moved and stays:
            moved.remove(stays)
        return planned(Action.FAILED, renamed_from=stays.uri if stays else "")
    if live is None:
        if moved:
            old = moved.pop(0)
            return planned(Action.RENAME, old.uri)
        return planned(Action.ADD)
    return planned(Action.CHANGE)


def first_stage(kept: Mapping[str, str] | None, wanted: Mapping[str, str]) -> str:
    """The first room whose work must be done. `kept`: room -> fingerprint that kept results of the same bytes were made
    with, None where nothing is kept; `wanted`: the same under the rules of now, in pipeline order."""
    if kept is None:
        return next(iter(wanted))
    return next((room for room, fingerprint in wanted.items() if kept.get(room) != fingerprint), "chunk")


def _guard_reason(
    gone: Sequence[Live],
    live: Sequence[Live],
    planned: Iterable[PlannedDocument],
    guard: Guard,
    known: Known,
) -> str:
    """Why these deletions look like an accident, or "". A renamed document does not count as deleted."""
    moved = {item.renamed_from for item in planned if item.action is Action.RENAME}
    renamed = Counter(item.source for item in gone if item.uri in moved)
    total = Counter(item.source for item in live) | Counter(known.totals)
    lost = Counter(item.source for item in gone)
    for source, count in sorted(lost.items()):
        deleted = count - renamed[source]
        if known.sources is not None and source not in known.sources and deleted:
            return (
                f"source {source} is no longer configured, but {count} of its documents are published: put it back "
                "into kprep.yaml, or run again with --allow-deletes to retire them"
            )
        if source in known.empty_sources:
            return (
                f"source {source} lists nothing, but {count} of its documents are published: check the source, "
                "then run again with --allow-deletes"
            )
        if deleted > guard.documents and deleted > guard.share * total[source]:
            return (
                f"source {source}: {deleted} of {total[source]} documents are gone, more than {guard.share:.0%} and "
                f"{guard.documents}: check the source, then run again with --allow-deletes"
            )
    return ""
