"""Small pure parts of the store."""

from __future__ import annotations

from pathlib import Path

import pytest

from kprep.store import sql
from kprep.store.views import NAME_MAX, create_statement, drop_statement, view_name


@pytest.mark.req("D8.3")
def test_view_statement_quotes_what_it_is_given() -> None:
    statement = create_statement("kb", "all", {"where": {"doc_type": ["it's", 'a "b"']}, "fields": ["text", "text"]})
    shown = statement.as_string()
    assert "{it''s," in shown
    assert '"published"."kb__all"' in shown
    assert shown.count('AS "text"') == 1
    assert drop_statement("kb", "all").as_string() == 'DROP VIEW IF EXISTS "published"."kb__all"'


def test_view_names_fit_and_differ() -> None:
    long = "n" * 48
    names = {view_name("k" * 48, long), view_name("k" * 48, long[:-1] + "m"), view_name("k" * 47 + "l", long)}
    assert len(names) == 3
    assert all(len(name) <= NAME_MAX for name in names)
    assert view_name("hand-book", "for-all") == "hand_book__for_all"


def test_statements_are_read_by_name(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("-- name: one\nSELECT 1;\n\n-- name: two\n-- why\nSELECT :x;\n")
    statements = sql.load(str(tmp_path / "a.py"))
    assert {name: str(clause) for name, clause in statements.items()} == {"one": "SELECT 1", "two": "-- why\nSELECT :x"}
    (tmp_path / "a.sql").write_text("-- name: one\nSELECT 1;\n-- name: one\nSELECT 2;\n")
    with pytest.raises(ValueError, match="two statements are named 'one'"):
        sql.load(str(tmp_path / "a.py"))
