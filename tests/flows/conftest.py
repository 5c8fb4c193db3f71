"""Prefect for tests: a home of its own, set before it is imported, and one temporary server for the session."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PREFECT_MODULES = {"test_ingest.py"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == HERE and item.path.name in PREFECT_MODULES:
            item.add_marker(pytest.mark.flow)
            item.add_marker(pytest.mark.xdist_group("prefect"))


@pytest.fixture(scope="session")
def prefect_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A temporary Prefect server with its home."""
    from flows import environment

    home = tmp_path_factory.mktemp("prefect-data")
    environment.prepare(home)
    os.environ["PREFECT_HOME"] = str(home / "prefect")
    from prefect.testing.utilities import prefect_test_harness

    with prefect_test_harness(server_startup_timeout=120):
        yield home
