"""What all tests share: no network, and a real PostgreSQL of their own with a knowledge base factory on it."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import pytest_socket

if TYPE_CHECKING:
    from tests.fakes.knowledge_base import TestBase

MakeBase = Callable[..., "TestBase"]
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
LONG = (
    "test_leak_canary.py", "test_command_line.py", "test_formats.py", "test_faults_database.py", "test_source_web.py",
    "test_filtered_recall.py", "test_no_leak.py", "test_readme.py", "test_watching.py", "test_hostile.py",
)  # fmt: skip
"""Files that take longest, which workers begin with: one left for the end would be waited for."""
LAST = ("test_ingest.py",)
"""Files that leave threads behind in the worker, Prefect's: they draw random numbers, which property tests refuse."""
RUN_ID = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))[:8]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        folders = item.path.parts
        if "store" in folders and "unit" not in folders:
            item.add_marker(pytest.mark.postgres)
    order = {name: place for place, name in enumerate(LONG)} | dict.fromkeys(LAST, len(LONG) + 1)
    items.sort(key=lambda item: order.get(item.path.name, len(LONG)))


def pytest_runtest_setup() -> None:
    pytest_socket.socket_allow_hosts(["127.0.0.1", "::1", "localhost"], allow_unix_socket=True)


@pytest.fixture(scope="session")
def server_dir() -> Iterator[Path]:
    """Data directory of the tests' PostgreSQL, shared by the workers of one run; short, for the socket's sake."""
    path = Path(tempfile.gettempdir()) / f"kpt-{RUN_ID}"
    path.mkdir(exist_ok=True)
    path.chmod(0o755)
    yield path
    if not (path / "postgres" / "postmaster.pid").exists():
        shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="session")
def new_database(server_dir: Path) -> Iterator[Callable[[], str]]:
    """Makes an empty database on the tests' server and gives its URL."""
    import psycopg

    from kprep.store import embedded

    server = embedded.start(server_dir)
    numbers = itertools.count()

    def make() -> str:
        name = f"test_{WORKER}_{os.getpid()}_{next(numbers)}"
        administration = server.url.replace("postgresql+psycopg://", "postgresql://")
        with psycopg.connect(administration, autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET fsync = off")  # a test database need not survive the machine
            connection.execute("SELECT pg_reload_conf()")
            connection.execute(f"CREATE DATABASE {name}")
        return server.url.replace("/kprep?", f"/{name}?")

    yield make
    server.release()


@pytest.fixture(scope="session")
def database_url(new_database: Callable[[], str], server_dir: Path) -> str:
    """The migrated database of this worker."""
    from kprep.store.database import Database

    url = new_database()
    Database.open(server_dir, url).close()
    return url


@pytest.fixture
def empty_database(new_database: Callable[[], str]) -> str:
    """A database nothing was ever done with."""
    return new_database()


@pytest.fixture
def make_base(tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeBase]:
    """Makes a knowledge base in the temporary folder from {relative path: text}, on the tests' database."""
    from tests.fakes.knowledge_base import REDACTION_KEY, TestBase

    monkeypatch.setenv("KPREP_DATABASE_URL", database_url)
    monkeypatch.setenv("KPREP_REDACTION_KEY", REDACTION_KEY)
    monkeypatch.delenv("KPREP_DATA_DIR", raising=False)
    made: list[TestBase] = []

    def make(files: dict[str, str | bytes], **config: object) -> TestBase:
        base = TestBase.create(tmp_path / f"kb{len(made)}", files, config)
        made.append(base)
        return base

    yield make
    for base in made:
        base.close()
