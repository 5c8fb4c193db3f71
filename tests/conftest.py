"""What all tests share: no network, and a real PostgreSQL of their own with a knowledge base factory on it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import pytest_socket

from tests.fakes.knowledge_base import REDACTION_KEY, TestBase

MakeBase = Callable[..., TestBase]
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
RUN_ID = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))[:8]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        folders = item.path.parts
        if "store" in folders and "unit" not in folders:
            item.add_marker(pytest.mark.postgres)


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
def database_url(server_dir: Path) -> Iterator[str]:
    """An empty migrated database of this worker."""
    import psycopg

    from kprep.store import embedded
    from kprep.store.database import Database

    server = embedded.start(server_dir)
    name = f"test_{WORKER}_{os.getpid()}"
    administration = server.url.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(administration, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET fsync = off")  # a test database need not survive the machine
        connection.execute("SELECT pg_reload_conf()")
        connection.execute(f"CREATE DATABASE {name}")
    url = server.url.replace("/kprep?", f"/{name}?")
    Database.open(server_dir, url).close()
    yield url
    server.release()


@pytest.fixture
def make_base(tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeBase]:
    """Makes a knowledge base in the temporary folder from {relative path: text}, on the tests' database."""
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
