"""Reading over SQL: a role of `kprep_reader` sees what its principals may, and nothing else by any way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url

from kprep.store import overlay
from kprep.store.database import Database
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.pages import FOUR, page
from tests.fakes.sql_reader import SqlReader, sql_reader

BONUS = page("Bonus", "The bonus of the directors is paid in April.", front_matter="acl: [board]")
HOURS = page("Hours", "The shop is open from nine to six on every working day.", front_matter="acl: public")
VIEWS = {"all": {"fields": ["text", "document_uri", "citation", "title"]}}


@pytest.fixture
def reader(database_url: str) -> Iterator[SqlReader]:
    with sql_reader(database_url) as made:
        yield made


@pytest.fixture
def base(make_base: MakeBase) -> TestBase:
    made = make_base({**FOUR, "bonus.md": BONUS, "hours.md": HOURS}, views=VIEWS)
    assert made.run()["status"] == "published"
    return made


def seen(reader: SqlReader, base: TestBase, *who: Any) -> set[str]:
    """Files a reader sees in the view `all`."""
    rows = reader.read(f"SELECT DISTINCT document_uri FROM published.{base.name}__all", *who)
    return {row[0].removeprefix("docs/") for row in rows}


@pytest.mark.req("D9.10", "D7.24", "D8.2")
def test_reader_sees_what_its_principals_may_and_nothing_without(base: TestBase, reader: SqlReader) -> None:
    assert seen(reader, base, "acme", ["staff"]) == {*FOUR, "hours.md"}
    assert seen(reader, base, "acme", ["board"]) == {"bonus.md", "hours.md"}
    assert seen(reader, base, "acme", ["public"]) == {"hours.md"}
    assert seen(reader, base, "acme", ["unknown"]) == {"hours.md"}
    for tenant in (None, "", "other"):
        assert seen(reader, base, tenant, ["staff", "board", "public"]) == set()
    nobody: tuple[list[str] | None, ...] = (None, [])
    for principals in nobody:
        assert seen(reader, base, "acme", principals) == set()


@pytest.mark.req("D9.10")
def test_reader_has_no_right_on_any_table_view_or_function_of_kprep(base: TestBase, reader: SqlReader) -> None:
    listed = (
        "SELECT oid::regclass::text FROM pg_class "
        "WHERE relnamespace = 'kprep'::regnamespace AND relkind IN ('r', 'p', 'v', 'S')"
    )
    with base.connection() as connection:
        names = [row[0] for row in connection.execute(text(listed))]
    assert {"kprep.chunks", "kprep.release_members", "kprep.session_members"} <= set(names)
    for name in names:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            reader.read(f"SELECT * FROM {name}", "acme", ["staff"])
    for call in ("kprep.visible_members('x', 1, ARRAY['staff'], current_date)", "kprep.session_principals()"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            reader.read(f"SELECT * FROM {call}")
    for statement in ("SET ROLE kprep_views", "CREATE TABLE published.mine (a int)"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            reader.connection.execute(statement.encode())


@pytest.mark.req("D9.10")
def test_a_wrong_view_shows_nothing_more(base: TestBase, reader: SqlReader) -> None:
    """A view without any condition, made by mistake: row-level security still holds for its owner `kprep_views`."""
    tables = {"chunks": "text", "release_documents": "uri", "release_members": "document_id"}
    views = {name: f"published.wrong_{base.name}_{name}" for name in tables}
    with base.connection() as connection:
        for name, column in tables.items():
            connection.exec_driver_sql(
                f"CREATE VIEW {views[name]} AS SELECT kb, {column} AS shown FROM kprep.{name} WHERE kb = '{base.name}'"
            )
            connection.execute(text("SELECT kprep.hand_over(CAST(:name AS regclass))"), {"name": views[name]})
    try:
        for view in views.values():
            assert reader.read(f"SELECT * FROM {view}") == []
            assert reader.read(f"SELECT * FROM {view}", "other", ["staff", "board"]) == []
        staff = {row[1] for row in reader.read(f"SELECT * FROM {views['release_documents']}", "acme", ["staff"])}
        assert staff == {f"docs/{name}" for name in (*FOUR, "hours.md")}
        texts = " ".join(row[1] for row in reader.read(f"SELECT * FROM {views['chunks']}", "acme", ["staff"]))
        assert "refund" in texts
        assert "directors" not in texts
    finally:
        with base.connection() as connection:
            for view in views.values():
                connection.exec_driver_sql(f"DROP VIEW {view}")


@pytest.mark.req("D10.4", "D10.5", "D8.5")
def test_reader_sees_denials_at_once(base: TestBase, reader: SqlReader) -> None:
    with base.connection() as connection:
        statement = text("SELECT document_id FROM kprep.documents WHERE kb = :kb AND uri = 'docs/' || :name")
        keys = {name: connection.execute(statement, {"kb": base.name, "name": name}).scalar_one() for name in FOUR}
        overlay.suppress(connection, base.name, [keys["travel.md"]], "legal", "a person")
        overlay.narrow(connection, base.name, {keys["safety.md"]: ["board"]})
    assert seen(reader, base, "acme", ["staff"]) == {"holidays.md", "refunds.md", "hours.md"}
    assert seen(reader, base, "acme", ["staff", "board"]) == {*FOUR, "bonus.md", "hours.md"} - {"travel.md"}


def test_leaky_function_sees_no_row_it_may_not(base: TestBase, reader: SqlReader) -> None:
    """A cheap function in a condition is called with permitted rows only (security barrier)."""
    reader.connection.execute(
        b"CREATE FUNCTION pg_temp.spy(text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS "
        b"$$ BEGIN RAISE NOTICE '%', $1; RETURN true; END $$"
    )
    notices: list[str] = []
    reader.connection.add_notice_handler(lambda notice: notices.append(notice.message_primary or ""))
    reader.read(f"SELECT text FROM published.{base.name}__all WHERE pg_temp.spy(text)", "acme", ["staff"])
    assert any("refund" in notice for notice in notices)
    assert not any("directors" in notice for notice in notices)


def test_without_the_right_to_make_roles_the_rest_works(
    new_database: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An owner without CREATEROLE and in no role of ours: tables and views are made, what is missing is named."""
    url = make_url(new_database())
    owner = f"owner_{url.database}"
    with psycopg.connect(
        url.set(drivername="postgresql").render_as_string(hide_password=False), autocommit=True
    ) as administrator:
        administrator.execute(f"CREATE ROLE {owner} LOGIN".encode())
        administrator.execute(f"GRANT CREATE ON DATABASE {url.database} TO {owner}".encode())
        administrator.execute(f"GRANT CREATE ON SCHEMA public TO {owner}".encode())
        administrator.execute(b"CREATE EXTENSION vector")
        database = Database.open(tmp_path, url.set(username=owner).render_as_string(hide_password=False))
        try:
            with database.begin() as connection:
                missing = connection.execute(text("SELECT kprep.set_up_readers()")).scalar_one()
                assert missing == f"{owner} is not a member of role kprep_views"
            administrator.execute(f"GRANT kprep_views TO {owner}".encode())
            with database.begin() as connection:
                assert connection.execute(text("SELECT kprep.set_up_readers()")).scalar_one() == ""
        finally:
            database.close()
        administrator.execute(f"DROP OWNED BY {owner} CASCADE; DROP ROLE {owner}".encode())
