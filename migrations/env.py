"""Runs migrations over the connection that `kprep.store.schema.migrate` passes in, one process at a time."""

from alembic import context
from sqlalchemy import text

LOCK_KEY = 7_305_011


def run() -> None:
    connection = context.config.attributes["connection"]
    connection.execute(text("SET LOCAL lock_timeout = '30s'"))
    connection.execute(text("SET LOCAL statement_timeout = '10min'"))
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK_KEY})
    context.configure(connection=connection, version_table="schema_version", version_table_schema="public")
    context.run_migrations()


run()
