"""The committed picture of the schema, and migrating."""

from __future__ import annotations

import contextlib
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, OperationalError

from kprep.core.errors import ConfigError, StoreError, StoreUnavailable
from kprep.store import schema
from kprep.store.database import Database
from kprep.store.schema_dump import dump
from tests.conftest import MakeBase
from tests.fakes.pages import FOUR

SCHEMA = Path(schema.__file__).parents[2] / "migrations" / "schema.sql"


def test_committed_schema_is_that_of_the_migrations(empty_database: str) -> None:
    Database.open(SCHEMA.parent, empty_database).close()
    assert dump(empty_database) == SCHEMA.read_text(encoding="utf-8"), "run `make schema`"


def test_newer_schema_is_refused(tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "HEAD", "0000")
    with pytest.raises(StoreError, match=r"has schema .*, this kprep knows 0000: upgrade kprep"):
        Database.open(tmp_path, database_url)


def test_schema_of_another_unreleased_build_is_refused(
    tmp_path: Path, empty_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Database.open(tmp_path, empty_database).close()
    Database.open(tmp_path, empty_database).close()
    monkeypatch.setattr(schema, "_digest", lambda: "other")
    with pytest.raises(StoreError, match=r"another unreleased build of kprep, .* move the data directory away"):
        Database.open(tmp_path, empty_database)


@pytest.mark.parametrize("url", ["mysql://u@h/d", "nonsense", "sqlite:///x.db"])
def test_other_databases_are_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(ConfigError, match="KPREP_DATABASE_URL"):
        Database.open(tmp_path, url)


def test_server_out_of_reach_says_so(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="out of reach") as caught:
        Database.open(tmp_path, "postgresql://somebody:hidden-word@127.0.0.1:1/kprep")
    assert "hidden-word" not in caught.value.message


def test_error_of_a_statement_shows_no_value(database_url: str) -> None:
    database = Database(database_url)
    with pytest.raises(StoreError) as caught, database.begin() as connection:
        connection.execute(text("INSERT INTO kprep.documents (kb, document_id) VALUES (:kb, 'x')"), {"kb": "a secret"})
    assert "a secret" not in caught.value.message
    database.close()


def test_too_few_locks_are_named_with_the_setting(database_url: str) -> None:
    database = Database(database_url)
    full = OperationalError("SELECT", None, psycopg.errors.OutOfMemory("out of shared memory"))
    with (
        pytest.raises(StoreError, match="set max_locks_per_transaction = 1024"),
        database.begin(),
    ):
        raise full
    database.close()


def test_a_lost_connection_is_named_even_if_the_statement_that_met_it_was_passed_over(database_url: str) -> None:
    database = Database(database_url)
    end = text("SELECT pg_terminate_backend(pg_backend_pid())")
    unmeasured = contextlib.suppress(DBAPIError)  # as a check of the gate that goes on without its figure
    with pytest.raises(StoreUnavailable, match="out of reach"), database.begin() as connection, unmeasured:
        connection.execute(end)
    database.close()


def test_one_name_belongs_to_one_tenant(make_base: MakeBase) -> None:
    base = make_base(FOUR)
    base.run()
    base.configure(tenant="other")
    with pytest.raises(ConfigError, match="belongs to another tenant"):
        base.run()


def test_names_that_share_their_views_are_refused(make_base: MakeBase) -> None:
    one = make_base(FOUR)
    make_base(FOUR, knowledge_base=f"{one.name}-x").run()
    with pytest.raises(ConfigError, match="would share their SQL views"):
        make_base(FOUR, knowledge_base=f"{one.name}_x").run()
