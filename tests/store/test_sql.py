"""Statements of a search: their rows, and the end of a connection amid one."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from sqlalchemy import text

from kprep.core.errors import StoreError, StoreUnavailable
from kprep.store.database import Database
from kprep.store.sql import binary_mappings, binary_rows, jsonb, load


def test_rows_are_those_of_the_other_way(database_url: str, tmp_path: Path) -> None:
    statement = text(
        "SELECT CAST(:number AS bigint) AS number, CAST(:names AS text[]) AS names, CAST(:day AS date) AS day, "
        "CAST(:said AS jsonb) AS said, CAST('a' AS bytea) AS bytes, CAST(0.5 AS double precision) AS share, "
        "NULL AS none"
    )
    values = {"number": 2**40, "names": ["a", "ä"], "day": date(2026, 1, 2), "said": jsonb({"ä": [1, None]})}
    database = Database.open(tmp_path, database_url)
    with database.begin() as connection:
        expected = connection.execute(statement, values).mappings().one()
        assert binary_mappings(connection, statement, values) == [dict(expected)]
        assert binary_rows(connection, statement, values) == [tuple(expected.values())]
    database.close()


def test_what_ends_a_statement_is_told_like_any_other_end(database_url: str, tmp_path: Path) -> None:
    database = Database.open(tmp_path, database_url)
    with pytest.raises(StoreError, match="division by zero"), database.begin() as connection:
        binary_rows(connection, text("SELECT 1 / :zero"), {"zero": 0})
    with pytest.raises(StoreUnavailable, match="out of reach"), database.begin() as connection:
        binary_rows(connection, text("SELECT pg_terminate_backend(pg_backend_pid())"), {})
    with database.begin() as connection:
        assert binary_rows(connection, text("SELECT 1"), {}) == [(1,)], "the next transaction has a sound connection"
    database.close()


def test_what_statements_have_in_common_is_written_once(tmp_path: Path) -> None:
    (tmp_path / "module.sql").write_text(
        "-- part: filters\n  AND a = :a\n\n-- name: one\nSELECT 1 WHERE true\n-- with: filters;\n\n"
        "-- name: two\nSELECT 2 FROM (SELECT 1 WHERE true\n    -- with: filters\n) AS inner;\n",
        encoding="utf-8",
    )
    statements = load(str(tmp_path / "module.py"))
    assert {name: " ".join(statement.text.split()) for name, statement in statements.items()} == {
        "one": "SELECT 1 WHERE true AND a = :a",
        "two": "SELECT 2 FROM (SELECT 1 WHERE true AND a = :a ) AS inner",
    }
    (tmp_path / "module.sql").write_text("-- name: one\nSELECT 1\n-- with: none;\n", encoding="utf-8")
    with pytest.raises(KeyError, match="none"):
        load(str(tmp_path / "module.py"))
