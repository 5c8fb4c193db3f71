"""PostgreSQL is out of space, restarts in a run, or its clock goes back: nothing is lost, the next run converges."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import text

from flows import run as steps
from flows.access import suppress
from flows.planning import status
from flows.verifying import verify
from kprep.core.errors import StoreUnavailable
from kprep.store import embedded
from kprep.store.embedded import EmbeddedServer
from tests.conftest import MakeBase
from tests.fakes import knowledge_base
from tests.fakes.knowledge_base import TestBase
from tests.fakes.pages import FOUR, HOLIDAYS, REFUNDS, TRAVEL, page

SMALL = "192m"
NO_VECTORS = {"provider": "none"}


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A file system of its own with room for little more than an empty database, which the server's user can reach."""
    if os.geteuid() != 0:
        pytest.skip("a small file system can only be mounted by root")
    place = Path(tempfile.mkdtemp())
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SMALL},mode=755", "tmpfs", str(place)]
    place.chmod(0o755)
    made = subprocess.run(mount, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        place.rmdir()
        pytest.skip(f"no file system can be mounted here: {made.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)
        place.rmdir()


@pytest.fixture
def own_server(small_disk: Path) -> Iterator[tuple[EmbeddedServer, Path]]:
    """A PostgreSQL whose data directory is on the small file system, and that file system."""
    server = embedded.start(small_disk / "data")
    yield server, small_disk
    server.release()


def connected(url: str) -> psycopg.Connection[Any]:
    return psycopg.connect(url.replace("postgresql+psycopg://", "postgresql://"), autocommit=True)


def change(base: TestBase) -> None:
    base.write("refunds.md", REFUNDS.replace("fourteen", "thirty"))
    base.write("travel.md", TRAVEL.replace("forty-two", "sixty"))
    base.delete("holidays.md")


def same_as_fresh(base: TestBase, make_base: MakeBase) -> None:
    config = {name: value for name, value in base.config.items() if name != "knowledge_base"}
    fresh = make_base({path.name: path.read_bytes() for path in base.path("").iterdir()}, **config)
    assert fresh.run()["status"] == "published"
    assert base.content() == fresh.content()
    assert verify(base.workspace, heal=False)["ok"]


@pytest.mark.timeout(600)
@pytest.mark.req("D9.12")
def test_full_disk_of_postgresql_is_named_and_harms_nothing(
    own_server: tuple[EmbeddedServer, Path], make_base: MakeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, disk = own_server
    monkeypatch.setenv("KPREP_DATABASE_URL", server.url)
    base = make_base(FOUR, embedding=NO_VECTORS)
    assert base.run()["status"] == "published"
    before = base.content()
    change(base)
    for number in range(40):
        base.write(
            f"long{number}.md", page(f"Long {number}", *(f"{os.urandom(900).hex()} says {n}." for n in range(20)))
        )
    ballast = disk / "ballast"
    with ballast.open("wb") as file:
        file.write(bytes(max(0, shutil.disk_usage(disk).free - 256 * 1024)))
    with pytest.raises(StoreUnavailable, match=r"disk of PostgreSQL is full: free some space|out of reach"):
        base.run()
    ballast.unlink()
    base.close()
    assert (base.live(), base.content()) == (1, before)
    summary = base.run()
    assert (summary["status"], summary["base_release"]) == ("published", 1)
    assert status(base.workspace)["runs"][1]["status"] in ("failed", "crashed")
    same_as_fresh(base, make_base)


@pytest.fixture
def restartable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddedServer]:
    """A PostgreSQL of its own."""
    server = embedded.start(tmp_path / "server")
    monkeypatch.setenv("KPREP_DATABASE_URL", server.url)
    yield server
    server.release()


STEPS: tuple[tuple[Any, str], ...] = (
    (knowledge_base, "prepare_batch"),
    (steps, "embed"),
    (steps, "assemble"),
    (steps, "judge_and_publish"),
)


@pytest.mark.timeout(900)
@pytest.mark.req("D9.12")
def test_postgresql_restarted_inside_a_run(
    restartable: EmbeddedServer, make_base: MakeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = make_base(FOUR, embedding=NO_VECTORS)
    assert base.run()["status"] == "published"
    change(base)
    with monkeypatch.context() as patched:
        for place, name in STEPS:
            then_restart(patched, restartable, place, name)
        summary = base.run()
    assert (summary["status"], summary["base_release"]) == ("published", 1), (
        "between two transactions a restart costs nothing"
    )
    same_as_fresh(base, make_base)


def then_restart(patched: pytest.MonkeyPatch, server: EmbeddedServer, place: Any, name: str) -> None:
    """Let PostgreSQL restart as soon as a function has done its work."""
    real = getattr(place, name)

    def wrapped(*given: Any, **more: Any) -> Any:
        outcome = real(*given, **more)
        restart(server)
        return outcome

    patched.setattr(place, name, wrapped)


def restart(server: EmbeddedServer) -> None:
    """Stop at once, as a service manager does that does not wait for clients, and start again."""
    with connected(server.url) as connection:
        row = connection.execute("SHOW unix_socket_directories").fetchone()
    assert row is not None
    options = [
        "-D",
        str(server.pgdata),
        "-m",
        "fast",
        "-w",
        "-o",
        f"-k '{row[0]}'",
        "-l",
        str(server.pgdata / "server.log"),
    ]
    program = str(server._bin / "pg_ctl")
    subprocess.run([program, "restart", *options], user=server._account, cwd="/", check=True, capture_output=True)


def set_clock_back(base: TestBase, by: timedelta) -> None:
    """Everything that was recorded is that much later than now, as after a clock that went back."""
    columns = text(
        "SELECT c.table_name, c.column_name FROM information_schema.columns c "
        "JOIN information_schema.columns k USING (table_schema, table_name) "
        "JOIN pg_class t ON t.relname = c.table_name AND t.relnamespace = 'kprep'::regnamespace "
        "WHERE c.table_schema = 'kprep' AND c.data_type LIKE 'timestamp%' AND k.column_name = 'kb' "
        "AND t.relkind IN ('r', 'p') AND NOT t.relispartition"
    )
    with base.connection() as connection:
        found = connection.execute(columns).all()
        assert {("suppressions", "since"), ("runs", "started_at"), ("releases", "created_at")} <= {
            tuple(row) for row in found
        }
        for table, column in found:
            statement = f"UPDATE kprep.{table} SET {column} = {column} + :by WHERE kb = :kb"
            connection.execute(text(statement), {"kb": base.name, "by": by})


@pytest.mark.req("D9.12", "D10.1", "D10.4", "D10.5")
def test_clock_set_back_between_runs_shows_nothing_again(make_base: MakeBase) -> None:
    files = {
        **FOUR,
        "secret.md": page("Secret", "The vault opens with two keys, and both are kept by the board alone."),
    }
    base = make_base(files, embedding=NO_VECTORS, retention={"releases": 2})
    assert base.run()["status"] == "published"
    suppress(base.workspace, "docs/travel.md", "legal", "a person", "", lift=False, dry_run=False)
    base.delete("secret.md")
    base.write("safety.md.acl.yaml", "acl: [board]\n")
    base.block()
    assert base.run(allow_deletes=True)["status"] == "blocked"
    seen = {"refunds.md", "holidays.md"}
    assert set(base.uris(["staff"])) == seen
    set_clock_back(base, timedelta(days=3650))
    assert set(base.uris(["staff"])) == seen
    hits = {hit["document_uri"] for name in ("travel allowance", "vault keys") for hit in base.search(name, "lexical")}
    assert not hits & {"docs/travel.md", "docs/secret.md"}
    base.unblock()
    for number in range(2, 6):
        base.write("refunds.md", REFUNDS.replace("fourteen", f"number{number}"))
        base.write("holidays.md", HOLIDAYS.replace("twenty-eight", f"number{number}"))
        summary = base.run(allow_deletes=True)
        assert summary["status"] == "published"
        assert status(base.workspace)["runs"][0]["run_id"] == summary["run_id"], "the newest run comes first"
        set_clock_back(base, timedelta(days=3650))
    assert summary["retired"]["releases"] == 1
    assert set(base.uris(["staff"])) == seen
    with base.connection() as connection:
        orphans = text(
            "SELECT count(*) FROM kprep.document_versions v WHERE kb = :kb AND NOT EXISTS (SELECT FROM "
            "kprep.release_documents d WHERE d.kb = v.kb AND d.version_id = v.version_id)"
        )
        assert connection.execute(orphans, {"kb": base.name}).scalar_one() == 0
    assert verify(base.workspace, heal=False)["ok"]
