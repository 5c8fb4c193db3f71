"""Runs killed at random moments, and PostgreSQL with them: `make chaos`, `CHAOS=20 make chaos` for a quick look.

A corpus changes in every round. The run over it, or the server, is killed with SIGKILL after a random time; the next
run must converge to what a fresh build of the same files gives, with nothing left over. A reader in a process of its
own counts reads that are neither the old release nor the new one.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import random
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from flows.access import forget
from flows.verifying import verify
from kprep.core.errors import PrepError, RunLocked
from kprep.store import embedded, runs
from tests.chaos import processes
from tests.chaos.processes import CORE
from tests.fakes.knowledge_base import REDACTION_KEY
from tests.fakes.made_base import MadeBase
from tests.fakes.made_embedder import MadeEmbedder
from tests.fakes.pages import page

KILLS = int(os.environ.get("CHAOS", "200"))
SERVER_KILLS = int(os.environ.get("CHAOS_SERVER", str(max(3, KILLS * 3 // 20))))
SEED = int(os.environ.get("CHAOS_SEED", "1"))
CHILDREN_EVERY = 10
"""Every so many runs prepare in real child processes, which must not outlive the run."""
LONGEST_LOCK_S = 15.0
SLOWER, FASTER = 1.05, 0.6
"""How the span from which the moment is drawn follows the machine: some one in ten runs ends before its moment."""
CONTEXT = multiprocessing.get_context("forkserver")
LEFT_OVER = {
    "work lists": "SELECT count(*) FROM kprep.run_documents",
    "running runs": "SELECT count(*) FROM kprep.runs WHERE status = 'running'",
    "open candidates": "SELECT count(*) FROM kprep.releases WHERE status = 'candidate'",
    "temporary tables": "SELECT count(*) FROM pg_class WHERE relpersistence = 't' AND relkind = 'r'",
    "vectors of no text": "SELECT count(*) FROM kprep.embeddings e "
    "WHERE NOT EXISTS (SELECT FROM kprep.chunks c WHERE c.content_hash = e.content_hash)",
    "advisory locks": "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'",
}


@pytest.fixture
def chaos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Chaos]:
    monkeypatch.setenv("KPREP_REDACTION_KEY", REDACTION_KEY)
    monkeypatch.setenv("KPREP_DATABASE_URL", "")
    CONTEXT.set_forkserver_preload(
        ["tests.chaos.processes", "tests.fakes.made_base", "flows.child_imports", "presidio_analyzer"]
    )
    first = CONTEXT.Process(
        target=int
    )  # starts the server that runs are forked from, before a child of ours asks for one
    first.start()
    first.join()
    chaos = Chaos(tmp_path, random.Random(SEED))
    yield chaos
    chaos.close()


def test_kills_harm_nothing(chaos: Chaos) -> None:
    chaos.start_reader()
    kinds = ["run"] * KILLS + ["server"] * SERVER_KILLS
    chaos.rng.shuffle(kinds)
    started = time.monotonic()
    for number, kind in enumerate(kinds, start=1):
        chaos.round(number, kind)
        if number % 10 == 0:
            say(f"{number} of {len(kinds)} rounds, {chaos.figures}, {time.monotonic() - started:.0f} s")
    reads = chaos.stop_reader()
    say(f"seed {SEED}: {chaos.figures}; reader: {reads}")
    say(f"a whole run takes {chaos.seconds:.1f} s; longest wait for the lock {chaos.longest_lock:.1f} s")
    assert reads["mixed"] == 0
    assert reads["partial"] == 0
    assert reads["reads"] > len(kinds)


class Chaos:
    """A server, a knowledge base on it, and the corpus that changes."""

    def __init__(self, folder: Path, rng: random.Random) -> None:
        self.rng, self.folder = rng, folder
        folder.chmod(0o755)
        self.server = embedded.start(folder)
        self.seconds = 0.0
        self.longest_lock = 0.0
        self.figures = {"runs killed": 0, "servers killed": 0, "ended before": 0, "published before the end": 0}
        self.others: dict[str, str] = {}
        self.base = self._make("base", "kprep")
        self.fresh_url = self._database("fresh")
        self.change(0)
        assert self.base.run()["status"] == "published"
        self.change(0)
        self.seconds = self.whole_run()

    def whole_run(self) -> float:
        """Seconds a run takes that nobody kills."""
        begun, process = self.start_run(with_children=False)
        assert begun.recv() == "begun"
        started = time.monotonic()
        assert begun.recv() == "published"
        process.join(60)
        return time.monotonic() - started

    def _database(self, name: str) -> str:
        import psycopg

        address = self.server.url.replace("postgresql+psycopg://", "postgresql://")
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self.server.url.replace("/kprep?", f"/{name}?")

    def _make(self, folder: str, database: str) -> MadeBase:
        config = {
            "embedding": {"provider": "none"},
            "retention": {"releases": 2},
            "views": {"all": {"fields": ["text", "document_uri"]}},
        }
        base = MadeBase.create(self.folder / folder, {}, config)
        assert isinstance(base, MadeBase)
        base.database_url = self.server.url.replace("/kprep?", f"/{database}?")
        base.embedder = MadeEmbedder()
        return base

    def change(self, number: int) -> None:
        """Core documents get the round's number; of the others some are added, edited, renamed, deleted."""
        for path in CORE:
            words = f"Edition {number} of {path}, which everybody in the house has read."
            self.base.write(path, page(path, words, f"Edition {number} again, with {self.rng.random()} in it."))
        for _ in range(self.rng.randint(1, 5)):
            path = f"other{self.rng.randrange(12)}.md"
            if path not in self.others or self.rng.random() < 0.4:
                self.others[path] = page(path, f"Chosen by chance: {self.rng.random()} of {path}.", "This part stays.")
                self.base.write(path, self.others[path])
            elif self.rng.random() < 0.5:
                del self.others[path]
                self.base.delete(path)
            else:
                new = f"moved{number}-{self.rng.randrange(1000)}.md"
                self.others[new] = self.others.pop(path)
                self.base.rename(path, new)

    def round(self, number: int, kind: str) -> None:
        release, before = self.base.live(), self.base.content()
        self.change(number)
        begun, process = self.start_run(with_children=number % CHILDREN_EVERY == 0)
        assert begun.recv() == "begun"
        self.seconds *= SLOWER
        if begun.poll(self.rng.uniform(0, self.seconds)):
            self.figures["ended before"] += 1
            self.seconds *= FASTER
        elif kind == "run":
            process.kill()
            self.figures["runs killed"] += 1
        else:
            self.kill_server()
            self.figures["servers killed"] += 1
        process.join(60)
        assert not process.is_alive()
        if kind == "server":
            self.base.close()
        live = self.base.content()
        self.figures["published before the end"] += self.base.live() != release
        self.converge()
        after = self.base.content()
        assert live in (before, after), f"round {number}: neither the old nor the new release is live"
        self.compare(number, after)
        self.nothing_left(number, process.pid)

    def start_run(self, *, with_children: bool) -> tuple[Any, Any]:
        mine, theirs = CONTEXT.Pipe(duplex=False)
        arguments = (str(self.base.folder), self.base.name, self.base.database_url, with_children, theirs)
        process = CONTEXT.Process(target=processes.run_once, args=arguments)
        process.start()
        theirs.close()
        return mine, process

    def kill_server(self) -> None:
        """PostgreSQL dies with all that it holds in memory, and is started again."""
        pid = int((self.server.pgdata / "postmaster.pid").read_text(encoding="ascii").split()[0])
        os.kill(pid, signal.SIGKILL)
        again = embedded.start(self.folder)
        self.server.release()
        self.server = again

    def converge(self) -> None:
        """The next run; the lock of the killed one must end by itself."""
        started = time.monotonic()
        while True:
            try:
                summary = self.base.run(allow_deletes=True)
                break
            except RunLocked:
                assert time.monotonic() - started < LONGEST_LOCK_S, "the lock of a killed run does not end"
                time.sleep(0.02)
        self.longest_lock = max(self.longest_lock, time.monotonic() - started - sum(summary["seconds"].values()))
        assert summary["status"] in ("published", "unchanged"), summary["message"]

    def compare(self, number: int, published: list[dict[str, Any]]) -> None:
        fresh = self._make(f"fresh{number}", "fresh")
        for path in self.base.path("").iterdir():
            fresh.write(path.name, path.read_bytes())
        try:
            fresh.run()
            assert published == fresh.content(), f"round {number}: differs from a fresh build"
            forget(fresh.workspace, dry_run=False)
        finally:
            fresh.close()

    def nothing_left(self, number: int, pid: int) -> None:
        with self.base.connection() as connection:
            left = {name: connection.execute(text(statement)).scalar_one() for name, statement in LEFT_OVER.items()}
        assert not any(left.values()), f"round {number}: {left}"
        with self.base.workspace.database.connect() as connection:
            assert runs.try_lock(connection, self.base.name), "the knowledge base is still held"
            runs.unlock(connection, self.base.name)
        files = [path for path in self.base.workspace.data_dir.rglob("*") if path.name.startswith(".new-")]
        assert files == [], f"round {number}"
        assert group_of(pid) == [], f"round {number}: processes of the killed run live on"
        outcome = verify(self.base.workspace, heal=False)
        assert outcome["ok"], f"round {number}: {outcome['drift']}"

    def start_reader(self) -> None:
        self._stop = CONTEXT.Event()
        self._result, theirs = CONTEXT.Pipe(duplex=False)
        arguments = (str(self.base.folder), self.base.name, self.base.database_url, self._stop, theirs)
        self._reader = CONTEXT.Process(target=processes.read_on, args=arguments)
        self._reader.start()

    def stop_reader(self) -> dict[str, int]:
        self._stop.set()
        assert self._result.poll(60)
        counts: dict[str, int] = self._result.recv()
        self._reader.join(60)
        return counts

    def close(self) -> None:
        if getattr(self, "_reader", None) is not None and self._reader.is_alive():
            say(f"stopped after {self.figures}; reader: {self.stop_reader()}")
        self.base.close()
        with contextlib.suppress(PrepError):
            self.server.release()


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def group_of(leader: int, patience_s: float = 90.0) -> list[str]:
    """Commands of living processes of a process group, after they had time to notice that their leader is gone.

    A child ends with the run at once. The server it is forked from looks up only when its imports are done, which
    takes seconds of CPU: a run may be killed right after it started one.
    """
    deadline = time.monotonic() + patience_s
    while True:
        found = []
        for process in Path("/proc").iterdir():
            if not process.name.isdigit():
                continue
            with contextlib.suppress(OSError):  # it ended while it was looked at
                rest = (process / "stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
                if int(rest[2]) == leader and rest[0] not in ("Z", "X"):
                    command = (process / "cmdline").read_text(encoding="utf-8", errors="replace")
                    found.append(f"{process.name} {rest[0]}: {command[:120]!r}")
        if not found or time.monotonic() > deadline:
            return found
        time.sleep(0.05)
