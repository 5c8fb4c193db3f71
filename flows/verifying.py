"""Whether sources, tables, vectors, lexical index, originals, report and views still say the same; and mending them.

Nothing is taken on trust: every check asks the place itself. Healing works from what is left, under the lock and lease
of a run, and never changes what a release says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from flows import gate
from flows.assemble import index, row_of_live
from flows.fetching import fetch
from flows.run import EMBED_BATCH, only_run
from flows.scan import Planned, end_scan, plan_run
from flows.workspace import Workspace
from kprep.core.errors import RetrievalError, StoreError, StoreUnavailable
from kprep.core.ids import content_hash
from kprep.store import embeddings, measures, releases, verification, views
from kprep.store.lexical import LARGEST, SEGMENT
from kprep.store.sql import Connection
from publish.plan import Action
from quality import report_json

SAMPLES = 5
Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Drift:
    """One kind of difference. `samples`: URIs, ids or names of some of them; `remedy`: what to do where `--heal`
    cannot."""

    kind: str
    count: int
    samples: tuple[str, ...]
    remedy: str = ""


@dataclass(slots=True)
class Found:
    """What a verification saw. `rows`: kind -> what healing needs to know."""

    release: int
    drifts: list[Drift] = field(default_factory=list)
    rows: dict[str, Rows] = field(default_factory=dict)

    def add(self, kind: str, rows: Rows, name: str, remedy: str = "") -> None:
        """Note rows as drift, if there are any; `name`: the key that tells a person which they are."""
        if rows:
            samples = tuple(dict.fromkeys(str(row[name]) for row in rows))
            self.drifts.append(Drift(kind, len(rows), samples[:SAMPLES], remedy))
            self.rows[kind] = rows


def verify(workspace: Workspace, *, heal: bool) -> dict[str, Any]:
    """{knowledge_base, release, ok, drift, healed}: drift that is there, after healing where that was asked for.

    Raises: RetrievalError when nothing is published, RunLocked (healing while a run is at work).
    """
    if not heal:
        return _outcome(workspace, _look(workspace), {})
    with only_run(workspace):
        before = _look(workspace)
        for kind, mend in MENDERS.items():
            if kind in before.rows:
                mend(workspace, before.release, before.rows[kind])
        after = _look(workspace)
    left = {drift.kind: drift.count for drift in after.drifts}
    healed = {drift.kind: drift.count - left.get(drift.kind, 0) for drift in before.drifts}
    return _outcome(workspace, after, {kind: count for kind, count in healed.items() if count > 0})


def _outcome(workspace: Workspace, found: Found, healed: Mapping[str, int]) -> dict[str, Any]:
    return {
        "knowledge_base": workspace.kb,
        "release": found.release,
        "ok": not found.drifts,
        "drift": [asdict(drift) for drift in found.drifts],
        "healed": dict(healed),
    }


def _look(workspace: Workspace) -> Found:
    with workspace.database.begin() as connection:
        release = releases.live_release(connection, workspace.kb) or 0
        row = releases.get(connection, workspace.kb, release)
        if not release or row is None:
            raise RetrievalError(
                f"nothing is published in knowledge base {workspace.kb!r} yet, so there is nothing to verify"
            )
        found = Found(release)
        planned = plan_run(workspace, connection, allow_deletes=True, whole=True)
        end_scan(workspace)
        found.add("sources_ahead", _ahead(planned), "uri", "a run takes it up: `kprep run`")
        _look_at_tables(workspace, connection, found, row)
        _look_at_vectors(workspace, connection, found, row.configuration["embedding_space"])
        lexicon = row.configuration["lexicon"]
        found.add("lexical_missing", verification.unindexed(connection, workspace.kb, release, lexicon), "chunk_id")
        found.add("lexical_damaged", _miscounted(connection, workspace.kb, lexicon), "chunk_no")
        _look_at_originals(workspace, connection, found)
        approved = row.report is not None and row.report.get("decision", {}).get("kind") == "approve"
        if row.report is None or (row.report.get("status") != "passed" and not approved):
            found.add("report_missing", [{"release": release}], "release")
        differing = verification.views_differing(connection, workspace.kb, release)
        found.add("views_differing", [{"name": name} for name in differing], "name")
    return found


def _ahead(planned: Planned) -> list[dict[str, Any]]:
    """Documents of which the sources hold something else than the live release, and those they could not give."""
    still = (Action.UNCHANGED, Action.FAILED)
    rows = [{"uri": item.uri} for item in planned.plan.documents if item.action not in still]
    return rows + [{"uri": identity[2]} for identity, _ in planned.scan.failed]


def _look_at_tables(workspace: Workspace, connection: Connection, found: Found, row: releases.ReleaseRow) -> None:
    kb, release = workspace.kb, found.release
    incomplete = verification.versions_incomplete(connection, kb, release)
    found.add("versions_incomplete", incomplete, "uri", "change its source file, or restore a backup, and run again")
    kept = [item.release for item in releases.list_releases(connection, kb) if item.status == "published"]
    missing = [row for number in kept for row in verification.members_missing(connection, kb, number)]
    found.add("members_missing", missing, "uri")
    found.add("members_extra", verification.members_extra(connection, kb, release), "chunk_id")
    counted = measures.statistics(connection, kb, (0, release), {}, row.configuration["lexicon"], "")
    names = ("documents", "parents", "children")
    differing = [{"name": name} for name in names if counted[name] != row.statistics.get(name)]
    remedy = "follows from other drift; if it alone is left, rows are gone that nothing refers to: restore a backup"
    found.add("figures_differ", differing, "name", remedy)


def _look_at_vectors(workspace: Workspace, connection: Connection, found: Found, space: str) -> None:
    if not space:
        return
    remedy = ""
    embedder = workspace.embedder
    if embedder is None or embedder.space != space:
        remedy = "the release was made with another embedding model than is configured now: `kprep run`"
    else:
        damaged = verification.vectors_damaged(connection, workspace.kb, found.release, space, embedder.dimensions)
        found.add("vectors_damaged", damaged, "content_hash")
    missing = verification.vectors_missing(connection, workspace.kb, found.release, space)
    found.add("vectors_missing", missing, "chunk_id", remedy)


def _miscounted(connection: Connection, kb: str, lexicon: str) -> list[dict[str, Any]]:
    """Chunks whose postings do not add up to their length, that a term lists twice, or that the lexicon does not know.

    Frequencies and lengths are capped at LARGEST: over that nothing can be said.
    """
    import numpy as np

    known = verification.lengths(connection, kb, lexicon)
    sums: dict[int, Any] = {}
    wrong: set[int] = set()
    for segment, packed, counted in verification.postings(connection, kb, lexicon):
        offsets, frequencies = (np.frombuffer(value, dtype="<u2").astype(np.int64) for value in (packed, counted))
        if segment not in sums:
            sums[segment] = np.zeros(SEGMENT, np.int64)
        np.add.at(sums[segment], offsets, frequencies)
        listed, times = np.unique(offsets, return_counts=True)
        wrong |= {int(offset) + segment * SEGMENT for offset in listed[times > 1]}
    for segment, array in sums.items():
        wrong |= {
            number for offset in np.flatnonzero(array) if (number := int(offset) + segment * SEGMENT) not in known
        }
    for number, length in known.items():
        summed = int(sums[number // SEGMENT][number % SEGMENT]) if number // SEGMENT in sums else 0
        if summed != length and length < LARGEST:
            wrong.add(number)
    return [{"chunk_no": number} for number in sorted(wrong)]


def _look_at_originals(workspace: Workspace, connection: Connection, found: Found) -> None:
    lost: dict[str, list[dict[str, Any]]] = {"originals_missing": [], "originals_damaged": []}
    for row in verification.originals(connection, workspace.kb, found.release):
        try:
            workspace.objects.get(row["content_hash"])
        except StoreUnavailable:
            raise  # nothing can be said of what cannot be reached
        except StoreError:
            there = workspace.objects.exists(row["content_hash"])
            lost["originals_damaged" if there else "originals_missing"].append(row)
    for kind, rows in lost.items():
        found.add(kind, rows, "uri", "where its source no longer has these bytes, restore a backup")


def _mend_members(workspace: Workspace, release: int, rows: Rows) -> None:  # noqa: ARG001
    """From the versions of the documents and their metadata, in every kept release: one may be rolled back to."""
    for number in sorted({int(row["release"]) for row in rows}, reverse=True):
        ids = sorted({str(row["document_id"]) for row in rows if row["release"] == number})
        with workspace.writing() as connection:
            found = releases.of_ids(connection, workspace.kb, number, ids)
            wanted = [row_of_live(connection, workspace.kb, item) for item in found.values()]
            verification.restore_members(connection, workspace.kb, number, wanted)


def _end_members(workspace: Workspace, release: int, rows: Rows) -> None:
    with workspace.writing() as connection:
        verification.end_members(connection, workspace.kb, release, rows)


def _drop_vectors(workspace: Workspace, release: int, rows: Rows) -> None:
    """Damaged vectors are computed anew as missing ones."""
    with workspace.writing() as connection:
        row = releases.get(connection, workspace.kb, release)
        assert row is not None
        space = row.configuration["embedding_space"]
        verification.drop_vectors(connection, space, [str(item["content_hash"]) for item in rows])
        missing = verification.vectors_missing(connection, workspace.kb, release, space)
    _embed(workspace, release, missing)


def _embed(workspace: Workspace, release: int, rows: Rows) -> None:
    """Computed anew from the chunks' texts, where the model is still the one of the release."""
    embedder = workspace.embedder
    with workspace.writing() as connection:
        row = releases.get(connection, workspace.kb, release)
    if embedder is None or row is None or row.configuration["embedding_space"] != embedder.space:
        return
    texts = list({str(item["content_hash"]): str(item["index_text"]) for item in rows}.items())
    for start in range(0, len(texts), EMBED_BATCH):
        part = texts[start : start + EMBED_BATCH]
        vectors = embedder.embed([text for _, text in part])
        with workspace.writing() as connection:
            embeddings.save(connection, embedder.space, [key for key, _ in part], vectors)


def _reindex(workspace: Workspace, release: int, rows: Rows) -> None:  # noqa: ARG001
    """The lexicon of the live release made anew from the chunks of every kept release, in one transaction."""
    with workspace.writing() as connection:
        row = releases.get(connection, workspace.kb, release)
        assert row is not None
        lexicon = row.configuration["lexicon"]
        if lexicon != workspace.release_configuration()["lexicon"]:
            return  # its weights are no longer configured: a run makes the new one
        index(workspace, connection, verification.clear_lexicon(connection, workspace.kb, lexicon), lexicon)


def _put_originals(workspace: Workspace, release: int, rows: Rows) -> None:  # noqa: ARG001
    """From the sources, where they still hold the same bytes."""
    with workspace.database.begin() as connection:
        places = plan_run(workspace, connection, allow_deletes=True, whole=True).scan.locations
    for row in rows:
        if row["document_id"] not in places:
            continue
        source, entry = places[row["document_id"]]
        content = fetch(workspace, source, entry)
        if content_hash(content) == row["content_hash"]:
            workspace.objects.delete(row["content_hash"])
            workspace.objects.put(content)


def _make_views(workspace: Workspace, release: int, rows: Rows) -> None:
    with workspace.writing() as connection:
        wanted = releases.views(connection, workspace.kb, release)
        for row in rows:
            views.drop(connection, workspace.kb, row["name"])
            if row["name"] in wanted:
                views.create(connection, workspace.kb, row["name"], wanted[row["name"]])


def _judge(workspace: Workspace, release: int, rows: Rows) -> None:  # noqa: ARG001
    """The release goes through its gate again; what it finds is the report, passed or not."""
    with workspace.writing() as connection:
        report = gate.judge(workspace, connection, release)
        releases.save_report(connection, workspace.kb, release, report.status, report_json(report))


MENDERS: Mapping[str, Callable[[Workspace, int, Rows], None]] = {
    "members_extra": _end_members,
    "members_missing": _mend_members,
    "vectors_damaged": _drop_vectors,
    "vectors_missing": _embed,
    "lexical_missing": _reindex,
    "lexical_damaged": _reindex,
    "originals_missing": _put_originals,
    "originals_damaged": _put_originals,
    "report_missing": _judge,
    "views_differing": _make_views,
}
"""Kind of drift -> what mends it, in the order they build on each other. The other kinds cannot be mended from here."""
