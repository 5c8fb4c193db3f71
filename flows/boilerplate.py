"""What the documents of a source repeat at their edges: which blocks of which document cleaning is to take out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from flows.candidates import retention_of
from flows.rules import RuleSet, content_fingerprint
from flows.workspace import Workspace
from kprep.store import boilerplate, documents
from kprep.store.documents import DocumentRow
from kprep.store.sql import Connection
from parsers import PARSERS


@dataclass(frozen=True, slots=True)
class Standing:
    """What a scan found that is not recorded yet: documents that are new or changed, and ids of those that are gone."""

    news: Sequence[DocumentRow] = ()
    gone: Collection[str] = ()


RECORDED = Standing()
"""Everything is recorded."""


def repeated(
    workspace: Workspace, connection: Connection, rules: RuleSet, standing: Standing, ids: Sequence[str] | None
) -> dict[str, tuple[str, ...]]:
    """Documents, of these or of all, with the keyed hashes of their blocks that their source repeats.

    `standing`: what beside that the sources hold now."""
    if not rules.cleaning.learning:
        return {}
    return boilerplate.of_documents(connection, workspace.kb, _counting(workspace, connection, rules, standing), ids)


def differs(workspace: Workspace, connection: Connection, standing: Standing, release: int, run_id: str = "") -> bool:
    """True when the release, with what the run has ready for it, was cleaned of other blocks than are repeated now."""
    if not workspace.rules.cleaning.learning:
        return False
    counting = _counting(workspace, connection, workspace.rules, standing)
    return boilerplate.differs(connection, workspace.kb, counting, release, run_id)


def _counting(workspace: Workspace, connection: Connection, rules: RuleSet, standing: Standing) -> boilerplate.Counting:
    news = {row.document_id: row for row in standing.news}
    failing = _failing(workspace, connection, news)
    now = datetime.now(tz=UTC)
    limits = retention_of(workspace.base.config)
    return boilerplate.Counting(
        {kind: rules.edges_identity(kind) for spec in PARSERS.values() for kind in spec.media_types},
        rules.cleaning.min_documents,
        rules.cleaning.min_share,
        [row for key, row in news.items() if key not in failing],
        sorted({*standing.gone, *failing}),
        {name: now - timedelta(days=days) for name, days in limits.items()},
    )


def _failing(workspace: Workspace, connection: Connection, news: dict[str, DocumentRow]) -> Collection[str]:
    """Documents that failed with the very content and rules they have now: what they repeat does not count."""
    found = {row.document_id: row.content_fingerprint for row in documents.failures(connection, workspace.kb)}
    rows = documents.observed_of(connection, workspace.kb, sorted(found)) if found else {}
    types = {source.name: source.doc_type for source in workspace.base.config.sources}
    rules = workspace.rules
    return {
        key
        for key, row in (rows | {key: row for key, row in news.items() if key in found}).items()
        if row.source in types
        and found[key]
        == content_fingerprint(
            row.content_hash,
            rules.of_content(row.content_hash).stages(row.media_type, types[row.source], row.source),
        )
    }
