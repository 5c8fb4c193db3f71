"""Releases: whole or nothing, back and forth, and what a reader sees meanwhile."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from sqlalchemy import text

from flows.run import roll_back
from kprep.core.errors import BaseConflict, PublishError
from kprep.store import measures, releases, views
from publish import publisher
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.pages import FOUR, HOLIDAYS, REFUNDS, SAFETY, TRAVEL, page


class Passed:
    passed = True


@pytest.fixture
def base(make_base: MakeBase) -> TestBase:
    made = make_base(FOUR)
    made.run()
    return made


def published(base: TestBase) -> dict[str, Any]:
    """First chunk's text of each document, as a reader gets it."""
    return {uri: base.chunks(uri)[0]["text"] for uri in base.uris()}


@pytest.mark.req("D9.11", "D9.12")
def test_blocked_batch_leaves_the_old_release(make_base: MakeBase) -> None:
    questions = (
        "- {id: q1, class: natural, question: 'How high is the travel allowance in Norway?', as: [staff], "
        "expect: [{document: docs/travel.md, quote: 'fifty-one euros in Norway'}]}\n"
    )
    quality = {
        "questions": "questions.yaml",
        "thresholds": {"recall_at_5": 1.0, "min_questions": 1, "short_share": 1.0, "duplicate_share": 1.0},
    }
    base = make_base(FOUR)
    (base.folder / "questions.yaml").write_text(questions)
    base.configure(quality=quality)
    assert base.run()["status"] == "published"
    before = published(base)
    base.write("travel.md", TRAVEL.replace("and fifty-one euros in Norway", "and nothing at all elsewhere"))
    base.write("safety.md", SAFETY.replace("one day", "two days"))
    summary = base.run()
    failed = {check["code"] for check in summary["gate"]["checks"] if not check["passed"] and check["level"] == "error"}
    assert (summary["status"], summary["release"], summary["gate"]["status"]) == ("blocked", 2, "blocked")
    assert failed & {"questions_recall", "questions_stale", "questions_worse"}
    assert (base.live(), published(base)) == (1, before)
    with pytest.raises(Exception, match="no published release 2"):
        base.chunks("travel.md", release=2)
    base.write("travel.md", TRAVEL.replace("Germany", "Austria"))
    summary = base.run()
    assert (summary["status"], summary["release"], summary["base_release"]) == ("published", 3, 1)
    assert "Austria" in published(base)["travel.md"]
    assert "two days" in published(base)["safety.md"]


@pytest.mark.req("D9.12")
def test_rollback_and_forward(base: TestBase) -> None:
    first = base.content()
    base.write("travel.md", TRAVEL.replace("forty-two", "forty-three"))
    base.rename("safety.md", "accidents.md")
    base.delete("holidays.md")
    base.run()
    second = base.content()
    assert roll_back(base.workspace, 1, dry_run=True)["from"] == 2
    assert base.live() == 2
    outcome = roll_back(base.workspace, 1, dry_run=False)
    with base.connection() as connection:
        added, removed = measures.changes(connection, base.name, 2, 1)
    assert outcome == {"from": 2, "to": 1, "added": added, "removed": removed, "dry_run": False}
    assert base.content() == first
    assert "holidays.md" not in base.uris(), "a rollback brings no deleted document back"
    roll_back(base.workspace, 2, dry_run=False)
    assert base.content() == second


@pytest.mark.req("D9.12", "D10.1")
def test_candidate_after_a_rollback_equals_a_fresh_build(base: TestBase, make_base: MakeBase) -> None:
    base.write("travel.md", TRAVEL.replace("forty-two", "forty-three"))
    base.delete("safety.md")
    base.run()
    base.write("refunds.md", REFUNDS.replace("Utrecht", "Leiden"))
    base.run()
    roll_back(base.workspace, 1, dry_run=False)
    base.write("holidays.md", HOLIDAYS.replace("twenty-eight", "thirty"))
    summary = base.run()
    assert (summary["status"], summary["base_release"], summary["release"]) == ("published", 1, 4)
    fresh = make_base({path.name: path.read_bytes() for path in base.path("").iterdir()})
    fresh.run()
    assert base.content() == fresh.content()
    assert base.run()["status"] == "unchanged"


@pytest.mark.req("D9.12")
def test_rollback_names_what_there_is(base: TestBase) -> None:
    for release, message in ((1, "is live already"), (7, "no published release 7; published: 1"), (0, "no published")):
        with pytest.raises(PublishError, match=message):
            roll_back(base.workspace, release, dry_run=False)


def test_diff_lists_documents_and_chunks(base: TestBase) -> None:
    base.write("travel.md", TRAVEL.replace("forty-two", "forty-three"))
    base.write("new.md", page("Keys", "Keys are handed out at the reception, against a signature."))
    base.delete("safety.md")
    base.run()
    with base.connection() as connection:
        changed, chunks = releases.diff(connection, base.name, 1, 2)
    assert {row["uri"]: row["change"] for row in changed} == {
        "docs/new.md": "added",
        "docs/safety.md": "removed",
        "docs/travel.md": "changed",
    }
    old = {chunk["text"] for chunk in base.content(1)}
    new = {chunk["text"] for chunk in base.content(2)}
    assert {row["text"] for row in chunks if row["change"] == "added"} == new - old
    assert {row["text"] for row in chunks if row["change"] == "removed"} == old - new


@pytest.mark.req("D9.12")
def test_f16_second_of_two_publishers_must_plan_again(base: TestBase) -> None:
    with base.connection() as connection:
        first = releases.create_candidate(connection, base.name, 1, "one", configuration(base))
        second = releases.create_candidate(connection, base.name, 1, "two", configuration(base))
        releases.set_status(connection, base.name, first, "candidate")  # as if neither had seen the other
        publisher.publish(connection, base.name, second, Passed())
    with base.connection() as connection, pytest.raises(BaseConflict, match="no longer live"):
        publisher.publish(connection, base.name, first, Passed())
    assert base.live() == second


def configuration(base: TestBase) -> dict[str, Any]:
    return base.workspace.release_configuration()


def test_f17_publishing_what_is_live_changes_nothing(base: TestBase) -> None:
    def state() -> list[Any]:
        with base.connection() as connection:
            row = releases.get(connection, base.name, 1)
            moved = connection.execute(text("SELECT * FROM kprep.channels WHERE kb = :kb"), {"kb": base.name}).all()
            return [row, moved, connection.execute(text("SELECT max(xmin::text::bigint) FROM kprep.releases")).scalar()]

    before = state()
    with base.connection() as connection:
        publisher.publish(connection, base.name, 1, Passed())
    assert state() == before


def test_only_a_passed_candidate_is_published(base: TestBase) -> None:
    class Blocked:
        passed = False

    with base.connection() as connection:
        release = releases.create_candidate(connection, base.name, 1, "one", configuration(base))
        with pytest.raises(PublishError, match="did not pass"):
            publisher.publish(connection, base.name, release, Blocked())
        releases.create_candidate(connection, base.name, 1, "two", configuration(base))
        with pytest.raises(PublishError, match="is abandoned"):
            publisher.publish(connection, base.name, release, Passed())
        with pytest.raises(PublishError, match="no release 99"):
            publisher.publish(connection, base.name, 99, Passed())


@pytest.mark.req("D9.12")
def test_interrupted_publishing_leaves_the_old_release(make_base: MakeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    base = make_base(FOUR, views={"all": {"fields": ["text"]}})
    base.run()
    before = published(base)

    def fail(*_: object) -> None:
        raise RuntimeError("cut")

    base.write("travel.md", TRAVEL.replace("forty-two", "forty-three"))
    base.configure(views={"all": {"fields": ["text", "title"]}, "other": {"fields": ["text"]}})
    with monkeypatch.context() as patched:
        patched.setattr(views, "create", fail)
        with pytest.raises(RuntimeError, match="cut"):
            base.run()
    assert (base.live(), published(base)) == (1, before)
    assert sql_views(base) == {"all": ["id", "text"]}
    assert base.run()["status"] == "published"
    assert sql_views(base) == {"all": ["id", "text", "title"], "other": ["id", "text"]}


def sql_views(base: TestBase) -> dict[str, list[str]]:
    """SQL views of a knowledge base with their columns."""
    statement = text(
        "SELECT table_name, array_agg(column_name::text ORDER BY ordinal_position) FROM information_schema.columns "
        "WHERE table_schema = 'published' AND starts_with(table_name, :prefix) GROUP BY 1"
    )
    with base.connection() as connection:
        rows = connection.execute(statement, {"prefix": f"{base.name}__"})
        return {row[0].removeprefix(f"{base.name}__"): row[1] for row in rows}


@pytest.mark.req("D8.1", "D8.2", "D8.3")
def test_views_come_change_and_go_with_the_release(make_base: MakeBase) -> None:
    base = make_base(FOUR, views={"one": {"fields": ["text", "citation"]}, "two": {"fields": ["text"]}})
    base.run()
    assert sql_views(base) == {"one": ["id", "text", "citation"], "two": ["id", "text"]}
    base.configure(views={"two": {"fields": ["title", "text"]}, "three": {"fields": ["chunk_id"]}})
    summary = base.run()
    assert (summary["status"], summary["work"]["parsed"], summary["work"]["embedded"]) == ("published", 0, 0)
    assert sql_views(base) == {"two": ["id", "title", "text"], "three": ["id", "chunk_id"]}
    roll_back(base.workspace, 1, dry_run=False)
    assert sql_views(base) == {"one": ["id", "text", "citation"], "two": ["id", "text"]}


@pytest.mark.req("D8.2", "D8.3", "D8.5")
def test_sql_view_filters_projects_and_respects_principals(make_base: MakeBase) -> None:
    def source(name: str, **values: Any) -> dict[str, Any]:
        return {"name": name, "kind": "filesystem", "path": name, "include": ["**/*"], **values}

    sources = [
        source("docs", acl=["staff"], sensitivity="internal", doc_type="policy"),
        source("shop", acl=["public"], sensitivity="public", doc_type="product"),
    ]
    definitions = {"support": {"where": {"sensitivity": ["public"]}, "fields": ["text", "document_uri"]}, "all": {}}
    base = make_base({"travel.md": TRAVEL}, sources=sources, views=definitions)
    (base.folder / "shop").mkdir()
    (base.folder / "shop" / "hours.md").write_text(page("Hours", "The shop is open from nine to six."))
    base.run()
    counts = {}
    for view in ("support", "all"):
        for principals in ("", "public", "staff"):
            with base.connection() as connection:
                session = text(
                    "SELECT set_config('kprep.principals', :who, true), set_config('kprep.tenant', 'acme', true)"
                )
                connection.execute(session, {"who": principals})
                rows = connection.execute(text(f"SELECT id FROM published.{base.name}__{view}"))
                counts[view, principals] = len(rows.all())
    travel = len(base.chunks("travel.md"))
    assert counts == {
        ("support", ""): 0,
        ("support", "public"): 1,
        ("support", "staff"): 1,
        ("all", ""): 0,
        ("all", "public"): 1,
        ("all", "staff"): 1 + travel,
    }


def test_long_view_names_stay_apart(make_base: MakeBase) -> None:
    long = {f"view-with-a-very-long-name-that-goes-on-and-on-{number}": {"fields": ["text"]} for number in (1, 2)}
    base = make_base(FOUR, views=long)
    assert base.run()["status"] == "published"
    assert len(sql_views(base)) == 2


@pytest.mark.req("D9.12")
def test_reader_during_many_publishes_sees_whole_releases_only(make_base: MakeBase) -> None:
    base = make_base({name: edition(name, 0) for name in FOUR})
    base.run()
    stop, mixed, seen = threading.Event(), [], set()

    def poll() -> None:
        while not stop.is_set():
            with base.connection() as connection:
                reader = base.reader(connection)
                editions = {reader.chunks(f"docs/{name}")[0]["text"].split()[1] for name in FOUR}
            seen.update(editions)
            if len(editions) != 1:
                mixed.append(editions)

    thread = threading.Thread(target=poll)
    thread.start()
    try:
        for number in range(1, 8):
            for name in FOUR:
                base.write(name, edition(name, number))
            assert base.run()["status"] == "published"
    finally:
        stop.set()
        thread.join(30)
    assert mixed == []
    assert len(seen) > 2


def edition(name: str, number: int) -> str:
    return page(
        name.removesuffix(".md"), f"Edition {number} of the {name} rules, which everybody in the house has read."
    )
