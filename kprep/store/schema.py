"""Bringing the schema up to date, by Alembic, in the caller's transaction."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from kprep.core.errors import StoreError
from kprep.core.ids import digest

HEAD = "0001"


def migrate(connection: Connection) -> None:
    """Schema at `HEAD`; quick when it is already.

    Raises: StoreError for a newer schema, one of an unreleased build, or missing pgvector.
    """
    current = _current(connection)
    if current == HEAD:
        _require_same(connection)
        return
    if current is not None and current > HEAD:
        raise StoreError(f"the database has schema {current}, this kprep knows {HEAD}: upgrade kprep")
    from alembic import command
    from alembic.config import Config

    import migrations

    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except DBAPIError as error:
        if "vector" in str(error.orig):
            raise StoreError(
                "PostgreSQL lacks the pgvector extension (0.8 or later): install it and try again"
            ) from error
        raise
    connection.execute(text(f"COMMENT ON SCHEMA kprep IS '{_digest()}'"))


def _digest() -> str:
    """Digest of what makes the schema."""
    import migrations

    scripts = sorted((Path(migrations.__file__).parent / "versions").glob("*.sql"))
    return digest("schema", *(script.read_text(encoding="utf-8") for script in scripts))


def _require_same(connection: Connection) -> None:
    """Before its release, a schema changes under its name. Raises: StoreError when the database has another."""
    if connection.execute(text("SELECT obj_description('kprep'::regnamespace)")).scalar() != _digest():
        raise StoreError(
            "the database was made by another unreleased build of kprep, whose tables differ: move the data directory "
            "away (of an external database, drop the schemas kprep and published) and run again"
        )


def _current(connection: Connection) -> str | None:
    found = connection.execute(text("SELECT to_regclass('public.schema_version')")).scalar()
    if found is None:
        return None
    version = connection.execute(text("SELECT version_num FROM public.schema_version")).scalar()
    return None if version is None else str(version)


def versions(connection: Connection) -> tuple[str, str]:
    """Versions of the server and of pgvector."""
    server = connection.execute(text("SHOW server_version")).scalar_one()
    vector = connection.execute(text("SELECT extversion FROM pg_extension WHERE extname = 'vector'")).scalar_one()
    return str(server), str(vector)


def set_up_readers(connection: Connection) -> str:
    """Make the roles through which published views are read, and their rights; what is missing for it, or ""."""
    return str(connection.execute(text("SELECT kprep.set_up_readers()")).scalar_one())
