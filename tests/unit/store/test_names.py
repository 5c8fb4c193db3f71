"""Small pure parts of the store."""

from __future__ import annotations

from pathlib import Path

import pytest

from kprep.config import load
from kprep.core.errors import ConfigError
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
    with pytest.raises(ValueError, match="two blocks are named 'one'"):
        sql.load(str(tmp_path / "a.py"))


def test_statements_share_a_part(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("-- part: seen\nAND x\n\n-- name: one\nSELECT 1\n-- with: seen;\n")
    assert str(sql.load(str(tmp_path / "a.py"))["one"]) == "SELECT 1\nAND x"
    (tmp_path / "a.sql").write_text("-- name: one\nSELECT 1\n-- with: gone;\n")
    with pytest.raises(KeyError, match="gone"):
        sql.load(str(tmp_path / "a.py"))


def configured(folder: Path, name: str, *views: str) -> str:
    """What is wrong with these names, or ""."""
    listed = "".join(f"  {view}: {{fields: [text]}}\n" for view in views)
    source = "{name: docs, kind: filesystem, path: docs}"
    (folder / "kprep.yaml").write_text(
        f"knowledge_base: {name}\ntenant: acme\nsources: [{source}]\nviews:\n{listed or '  {}'}\n"
    )
    try:
        load(folder)
    except ConfigError as error:
        return error.message
    return ""


@pytest.mark.req("D8.3")
def test_names_that_would_be_one_sql_view_are_refused(tmp_path: Path) -> None:
    assert configured(tmp_path, "kb", "a-b", "a_c") == ""
    said = configured(tmp_path, "kb", "a-b", "a_b")
    assert said.startswith(f"{tmp_path}/kprep.yaml:4: views: ")
    assert "'a-b' and 'a_b' would be one SQL view" in said
    assert view_name("a", "b__c") == view_name("a__b", "c")
    for name, view in (("a", "b__c"), ("a__b", "c"), ("a", "b-_c"), ("a_", "c"), ("a-", "c"), ("a", "c_")):
        assert "ambiguous" in configured(tmp_path, name, view)
    assert configured(tmp_path, "a-b", "c_d") == ""
