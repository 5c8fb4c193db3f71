"""Opening PostgreSQL: the embedded server of a data directory, or the one `KPREP_DATABASE_URL` names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, create_engine
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, PendingRollbackError

from kprep.core.errors import ConfigError, StoreError, StoreUnavailable
from kprep.store import embedded, schema


class Database:
    """An open database with the current schema. Close it: the embedded server stops with its last user."""

    def __init__(self, url: str, server: embedded.EmbeddedServer | None = None) -> None:
        self.url = url
        self._server = server
        self._engine = create_engine(url, pool_pre_ping=True, pool_size=8, max_overflow=24)

    @classmethod
    def open(cls, data_dir: Path, database_url: str | None) -> Database:
        """Raises: StoreUnavailable, StoreError, ConfigError naming the reason and the remedy."""
        server = None if database_url else embedded.start(data_dir)
        url = server.url if server else _psycopg_url(database_url or "")
        database = cls(url, server)
        try:
            with database.begin() as connection:
                schema.migrate(connection)
        except BaseException:
            database.close()
            raise
        return database

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """A transaction: committed at the end, rolled back on any error.

        Raises: StoreUnavailable when the server is out of reach, StoreError for what it refuses.
        """
        try:
            with self._engine.begin() as connection:
                yield connection
        except DBAPIError as error:
            raise _explained(error) from error
        except PendingRollbackError as error:  # somebody inside went on after the statement that met the end
            raise StoreUnavailable("PostgreSQL is out of reach: the connection ended amid a transaction") from error

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """A connection of its own without a transaction around it, for what lasts as long as the session (locks)."""
        try:
            with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                try:
                    yield connection
                finally:
                    connection.invalidate()  # never back into the pool: its locks end with it
        except DBAPIError as error:
            raise _explained(error) from error

    def close(self) -> None:
        """Give connections back and leave the embedded server."""
        self._engine.dispose()
        if self._server is not None:
            self._server.release()


@contextmanager
def apart(connection: Connection) -> Iterator[None]:
    """Statements of which one that fails leaves the transaction around them usable. Raises: as `Database.begin`."""
    try:
        with connection.begin_nested():
            yield
    except DBAPIError as error:
        raise _explained(error) from error


def _psycopg_url(given: str) -> str:
    try:
        url = make_url(given)
    except ArgumentError as error:
        raise ConfigError("KPREP_DATABASE_URL is not a database URL (postgresql://user@host:5432/name)") from error
    if url.get_backend_name() not in ("postgresql", "postgres"):
        raise ConfigError("KPREP_DATABASE_URL must be a postgresql:// URL; kprep knows no other database")
    return url.set(drivername="postgresql+psycopg").render_as_string(hide_password=False)


def _explained(error: DBAPIError) -> StoreError:
    """A driver's error in words a person can act on."""
    said = _first_line(error)
    state = getattr(error.orig, "sqlstate", None)
    if state == "53100" or "No space left" in said:
        return StoreUnavailable(f"the disk of PostgreSQL is full: free some space and run again ({said})")
    if state == "53200":
        return StoreError(
            f"PostgreSQL: {said}: set max_locks_per_transaction = 1024 and restart it, as each knowledge base has "
            "tables of its own; if that does not help, it lacks memory"
        )
    if state == "42501":
        return StoreError(f"PostgreSQL: {said}: let the role of KPREP_DATABASE_URL create in its database")
    if isinstance(error, OperationalError):
        return StoreUnavailable(f"PostgreSQL is out of reach: {said}")
    return StoreError(f"PostgreSQL refused a statement: {said}")


def _first_line(error: DBAPIError) -> str:
    """First line of the driver's message, without the statement and its values."""
    lines = str(error.orig).strip().splitlines()
    return lines[0] if lines else type(error.orig).__name__
