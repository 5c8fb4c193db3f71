"""Somebody who reads over SQL: a login role of its own in group `kprep_reader`."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from sqlalchemy.engine import make_url


@dataclass(frozen=True)
class SqlReader:
    """An open connection of the role; every `read` is a transaction."""

    connection: psycopg.Connection[Any]
    role: str

    def read(
        self, statement: str, tenant: str | None = None, principals: Sequence[str] | None = None
    ) -> list[tuple[Any, ...]]:
        """Rows of a statement, as these principals of the tenant (None: not set)."""
        with self.connection.transaction():
            for name, value in (("tenant", tenant), ("principals", principals)):
                if value is not None:
                    given = value if isinstance(value, str) else ",".join(value)
                    self.connection.execute("SELECT set_config(%s, %s, true)", (f"kprep.{name}", given))
            return self.connection.execute(statement.encode()).fetchall()


@contextmanager
def sql_reader(database_url: str) -> Iterator[SqlReader]:
    """A new login role in `kprep_reader`, connected; gone at the end."""
    url = make_url(database_url).set(drivername="postgresql")
    role = f"reader_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(url.render_as_string(hide_password=False), autocommit=True) as owner:
        owner.execute(f"CREATE ROLE {role} LOGIN IN ROLE kprep_reader".encode())
        try:
            with psycopg.connect(url.set(username=role).render_as_string(hide_password=False), autocommit=True) as own:
                yield SqlReader(own, role)
        finally:
            owner.execute(f"DROP OWNED BY {role}; DROP ROLE {role}".encode())
