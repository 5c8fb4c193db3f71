"""PostgreSQL itself is killed: whoever asks next starts it again, at once, with all that was committed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from kprep.store import embedded
from kprep.store.embedded import EmbeddedServer


@pytest.fixture
def server(tmp_path: Path) -> Iterator[EmbeddedServer]:
    server = embedded.start(tmp_path)
    yield server
    server.release()


def connect(server: EmbeddedServer) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(server.url.replace("postgresql+psycopg://", "postgresql://"), autocommit=True)


@pytest.mark.req("D9.12")
def test_killed_server_is_started_again_without_waiting(server: EmbeddedServer, tmp_path: Path) -> None:
    for number in range(3):
        with connect(server) as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS kept AS SELECT 0 AS number")
            connection.execute("UPDATE kept SET number = %s", (number,))
        os.kill(int((server.pgdata / "postmaster.pid").read_text(encoding="ascii").split()[0]), signal.SIGKILL)
        again = embedded.start(tmp_path)  # the killed one still counts as a process
        with connect(again) as connection:
            row = connection.execute("SELECT number FROM kept").fetchone()
            assert row == (number,)
        again.release()
