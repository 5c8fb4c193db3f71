"""Knowledge bases for benchmarks: the steps of `flows.run` on an embedded PostgreSQL of their own, without Prefect."""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kprep.store import embedded
from kprep.store.database import Database
from tests.fakes.made_base import MadeBase
from tests.fakes.made_embedder import MadeEmbedder

Make = Callable[..., MadeBase]


@contextmanager
def scratch() -> Iterator[tuple[Path, Make]]:
    """A folder, and a function that makes a knowledge base in a new database: make(files, vectors=True, **config)."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="kpb-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        os.environ["KPREP_REDACTION_KEY"] = "key of the benchmarks"
        server = embedded.start(folder)
        numbers = itertools.count()
        made: list[MadeBase] = []

        def make(
            files: Mapping[str, str | bytes], *, vectors: bool = True, database: str = "", **config: Any
        ) -> MadeBase:
            url = database or new_database(server.url, f"bench_{next(numbers)}")
            settings = {"embedding": {"provider": "none"}, **config}
            base = MadeBase.create(folder / f"kb{len(made)}", files, settings)
            assert isinstance(base, MadeBase)
            base.database_url = url
            base.embedder = MadeEmbedder() if vectors else None
            made.append(base)
            return base

        try:
            yield folder, make
        finally:
            for base in made:
                base.close()
            server.release()


def new_database(server_url: str, name: str) -> str:
    """URL of a new database of the server, migrated."""
    import psycopg

    address = server_url.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    url = server_url.replace("/kprep?", f"/{name}?")
    Database.open(Path("/tmp"), url).close()
    return url
