"""A small knowledge base for tests, and runs over it without Prefect.

The database, the rooms, the embedder and the steps of `flows.run` are the real ones. Documents are prepared in this
process (a child process per test would cost more than the test); `tests/flows` covers the children.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from sqlalchemy import Connection, text

from flows import rooms
from flows import run as steps
from flows.preparing import Prepared, prepare_batch
from flows.rules import RuleSet
from flows.workspace import Workspace
from kprep.core.ids import digest
from retrieval import Reader, Searcher, SearchRequest

REDACTION_KEY = "key of the tests"
EVERYBODY = ("staff", "board", "public")


class InProcessChild:
    """Prepares documents like `flows.child.PrepareChild`, in this process."""

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules

    def prepare(self, job: rooms.Job) -> rooms.Outcome:
        return rooms.prepare(job, self._rules)


class InProcess(Prepared):
    """The children of a run, without processes."""

    @contextmanager
    def child(self, workspace: Workspace) -> Iterator[Any]:
        yield InProcessChild(workspace.rules)


@lru_cache(maxsize=1)
def local_embedder() -> Any:
    """The real local embedder, loaded once for all tests."""
    from embedding import create_embedder

    return create_embedder({"provider": "local"})


_created: Counter[str] = Counter()


def _name() -> str:
    """A name of its own for each base a test makes, the same in each run: all ids come from it, and with them the order
    of what scores the same."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
    _created[test] += 1
    return f"t{digest(test, str(_created[test]))[:12]}"


@dataclass
class TestBase:
    """A knowledge base folder with its name, which is unique in the shared database."""

    __test__ = False

    folder: Path
    name: str
    config: dict[str, Any] = field(default_factory=dict)
    _workspace: Workspace | None = None

    @classmethod
    def create(cls, folder: Path, files: Mapping[str, str | bytes], config: Mapping[str, Any]) -> TestBase:
        """`config`: keys of kprep.yaml; without `sources` there is one, `docs`, readable by `staff`."""
        base = cls(folder, str(config.get("knowledge_base") or _name()))
        folder.mkdir(parents=True)
        for path, content in files.items():
            base.write(path, content)
        base.configure(**config)
        return base

    def configure(self, **changes: Any) -> None:
        """Change keys of kprep.yaml; the next run reads it anew."""
        source = {"name": "docs", "kind": "filesystem", "path": "docs", "include": ["**/*"], "acl": ["staff"]}
        default = {
            "tenant": "acme",
            "sources": [source],
            "quality": {"thresholds": {"short_share": 1.0, "failed_share": 1.0, "duplicate_share": 1.0}},
        }
        self.config = {**default, **self.config, **changes, "knowledge_base": self.name}
        (self.folder / "kprep.yaml").write_text(yaml.safe_dump(self.config, sort_keys=False), encoding="utf-8")
        self.close()

    def source(self, **changes: Any) -> None:
        """Change keys of the first source."""
        sources = [dict(source) for source in self.config["sources"]]
        sources[0] |= changes
        self.configure(sources=sources)

    def block(self) -> None:
        """Add a document that fails and let the gate refuse any failure."""
        self.write("zz-broken.pdf", b"%PDF-1.4 nothing")
        self.configure(quality={"thresholds": {"short_share": 1.0, "failed_share": 0.0, "duplicate_share": 1.0}})

    def unblock(self) -> None:
        """Undo `block`."""
        self.delete("zz-broken.pdf")
        self.configure(quality={"thresholds": {"short_share": 1.0, "failed_share": 1.0, "duplicate_share": 1.0}})

    def path(self, relative: str) -> Path:
        return self.folder / "docs" / relative

    def write(self, relative: str, content: str | bytes) -> None:
        """Write a file below docs/, with a modification time no earlier write had."""
        path = self.path(relative)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)

    def delete(self, relative: str) -> None:
        self.path(relative).unlink()

    def rename(self, old: str, new: str) -> None:
        self.path(new).parent.mkdir(parents=True, exist_ok=True)
        self.path(old).rename(self.path(new))

    def touch(self, relative: str) -> None:
        status = self.path(relative).stat()
        os.utime(self.path(relative), ns=(status.st_atime_ns, status.st_mtime_ns + 1_000_000_000))

    @property
    def workspace(self) -> Workspace:
        """The open workspace; opened anew after a change of configuration."""
        if self._workspace is None:
            self._workspace = Workspace.open(self.folder)
            if self._workspace.base.config.embedding.get("provider") == "local":
                self._workspace.__dict__["embedder"] = local_embedder()
        return self._workspace

    def close(self) -> None:
        if self._workspace is not None:
            self._workspace.close()
            self._workspace = None

    def run(
        self, *, allow_deletes: bool = False, children: Prepared | None = None, only: Sequence[str] = ()
    ) -> dict[str, Any]:
        """One run by the steps the Prefect flow takes, in its order; the summary."""
        workspace = self.workspace
        with steps.only_run(workspace):
            run_id = steps.begin(workspace)
            with steps.recorded(workspace, run_id):
                plan = steps.plan(workspace, run_id, allow_deletes=allow_deletes, only=only)
                for number in range(plan["batches"]):
                    prepare_batch(workspace, run_id, number, children or InProcess())
                if plan["status"] != "work":
                    return steps.stop(workspace, run_id, plan)
                for number in steps.settle(workspace, run_id, plan["base_release"])["batches"]:
                    prepare_batch(workspace, run_id, number, children or InProcess())
                if not steps.has_changes(workspace, run_id):
                    return steps.finish(workspace, run_id, "unchanged", {})
                embedded = steps.embed(workspace, run_id)
                release = steps.assemble(workspace, run_id, plan["base_release"])
                status = steps.judge_and_publish(workspace, release)
                steps.scan_published(workspace)
                retired = steps.retire(workspace)
                return steps.finish(workspace, run_id, status, {**embedded, "release": release, "retired": retired})

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        with self.workspace.database.begin() as connection:
            yield connection

    def chunks(
        self, relative: str, principals: Sequence[str] = EVERYBODY, release: int | None = None
    ) -> list[dict[str, Any]]:
        """Visible chunks of one file as `kprep chunks` gives them; raises RetrievalError when there are none."""
        with self.connection() as connection:
            return self.reader(connection, principals, release).chunks(f"docs/{relative}")

    def reader(
        self,
        connection: Connection,
        principals: Sequence[str] = EVERYBODY,
        release: int | None = None,
        as_of: date | None = None,
    ) -> Reader:
        return Reader(connection, self.name, release, tuple(principals), as_of or datetime.now(tz=UTC).date())

    def search(
        self,
        question: str,
        mode: str = "hybrid",
        principals: Sequence[str] = EVERYBODY,
        release: int | None = None,
        top_k: int = 20,
        view: str | None = None,
        **more: Any,
    ) -> list[dict[str, Any]]:
        """Hits of the live release, or of another published one; `more`: further fields of the request."""
        with self.connection() as connection:
            reader = self.reader(connection, principals, release)
            searcher = Searcher(reader, lambda: self.workspace.embedder_of(reader.row.configuration))
            return list(searcher.search(SearchRequest(question, view, mode, top_k, **more))["hits"])

    def uris(self, principals: Sequence[str] = EVERYBODY, release: int | None = None) -> list[str]:
        """Documents these principals may see, without the source's name."""
        statement = text(
            "SELECT DISTINCT d.uri FROM kprep.visible_members(:kb, :release, :principals, current_date) m "
            "JOIN kprep.release_documents d ON d.kb = m.kb AND d.document_id = m.document_id "
            "AND d.from_release <= :release AND (d.to_release IS NULL OR d.to_release > :release) ORDER BY 1"
        )
        with self.connection() as connection:
            number = self.live(connection) if release is None else release
            values = {"kb": self.name, "release": number, "principals": list(principals)}
            return [row[0].removeprefix("docs/") for row in connection.execute(statement, values)]

    def live(self, connection: Connection | None = None) -> int:
        """Number of the live release."""
        from kprep.store import releases

        if connection is not None:
            return releases.live_release(connection, self.name) or 0
        with self.connection() as own:
            return releases.live_release(own, self.name) or 0

    def content(self, release: int | None = None) -> list[dict[str, Any]]:
        """Everything published, to be compared with another knowledge base: chunks without ids and times."""
        statement = text(
            "SELECT d.uri, m.ordinal, c.key, p.key AS parent_key, c.kind, c.text, c.index_text, c.heading_path, "
            "c.title, c.keywords, c.entities, c.fragment, c.language, c.content_hash, c.tokens, m.locator, m.tenant, "
            "m.acl, m.sensitivity, m.source, m.doc_type, m.valid_from, m.valid_until, d.title AS document_title, "
            "d.metadata - 'updated_at' AS metadata, p.text AS parent_text, p.summary, p.heading_path AS parent_path, "
            "l.length, "
            "EXISTS (SELECT FROM kprep.embeddings e JOIN kprep.spaces s USING (space_id) "
            "WHERE e.content_hash = c.content_hash AND s.space = r.configuration ->> 'embedding_space') AS has_vector, "
            "v.links "
            "FROM kprep.release_members m "
            "JOIN kprep.releases r ON r.kb = m.kb AND r.release = :release "
            "JOIN kprep.chunks c ON c.kb = m.kb AND c.chunk_id = m.chunk_id "
            "JOIN kprep.parents p ON p.kb = m.kb AND p.parent_id = m.parent_id "
            "JOIN kprep.release_documents d ON d.kb = m.kb AND d.document_id = m.document_id "
            "AND d.from_release <= :release AND (d.to_release IS NULL OR d.to_release > :release) "
            "JOIN kprep.version_chunks v ON v.kb = m.kb AND v.version_id = d.version_id AND v.ordinal = m.ordinal "
            "AND v.chunk_id = m.chunk_id "
            "LEFT JOIN kprep.lexical_chunks l ON l.kb = m.kb AND l.chunk_no = m.chunk_no "
            "AND l.lexicon = r.configuration ->> 'lexicon' "
            "WHERE m.kb = :kb AND m.from_release <= :release AND (m.to_release IS NULL OR m.to_release > :release) "
            "ORDER BY d.uri, m.ordinal"
        )
        with self.connection() as connection:
            number = self.live(connection) if release is None else release
            rows = connection.execute(statement, {"kb": self.name, "release": number}).mappings()
            return [dict(row) for row in rows]
