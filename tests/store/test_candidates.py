"""The candidate store: seen by no read that does not ask for it, confirmed by rules or people, kept for less long."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from flows import confirming
from kprep.core.errors import RetrievalError
from kprep.store import overlay
from retrieval import Reader
from tests.fakes.knowledge_base import EVERYBODY, TestBase

POLICY = "# Travel policy\n\nThe travel allowance for hotel nights is 120 euros, see [chat](../chat/talk.md).\n"
CASUAL = "# Hotel talk\n\nThe travel allowance for hotel nights is surely 300 euros, says the travel allowance crowd.\n"
VIEWS = {
    "plain": {"where": {}},
    "open": {"stores": ["formal", "candidate"], "fields": ["text", "document_uri", "store"]},
    "waiting": {"stores": ["candidate"], "fields": ["text", "document_uri"]},
}


@pytest.fixture
def base(tmp_path: Path) -> Iterator[TestBase]:
    sources: list[dict[str, Any]] = [
        {"name": "docs", "kind": "filesystem", "path": "docs/policy", "acl": ["staff"]},
        {"name": "chat", "kind": "filesystem", "path": "docs/chat", "acl": ["staff"], "store": "candidate"},
    ]
    files = {"policy/travel.md": POLICY, "chat/talk.md": CASUAL}
    made = TestBase.create(tmp_path / "kb", files, {"sources": sources, "views": VIEWS})
    assert made.run()["status"] == "published"
    yield made
    made.close()


def reader(base: TestBase, connection: Any) -> Reader:
    return base.reader(connection, EVERYBODY)


def sql_rows(base: TestBase, view: str) -> list[str]:
    name = f"{base.name}__{view}".replace("-", "_")
    with base.connection() as connection:
        connection.execute(text("SET LOCAL ROLE kprep_reader"))
        connection.execute(text("SELECT set_config('kprep.tenant', 'acme', true)"))
        connection.execute(text("SELECT set_config('kprep.principals', 'staff', true)"))
        return [row[0] for row in connection.execute(text(f"SELECT text FROM published.{name}"))]


@pytest.mark.req("D2.30", "D10.8", "D14.4")
def test_no_read_shows_what_nobody_confirmed(base: TestBase) -> None:
    question = "travel allowance for hotel nights"
    for mode in ("lexical", "dense", "hybrid", "hybrid+references"):
        for view in (None, "plain"):
            found = base.search(question, mode, view=view)
            assert found, (mode, view)
            assert not any("300 euros" in hit["text"] for hit in found), (mode, view)
    with base.connection() as connection:
        reads = reader(base, connection)
        wide = replace(reads.scope, stores=("candidate",))
        open_reader = base.reader(connection, EVERYBODY)
        open_reader.scope = wide
        chunk = open_reader.chunks("chat/talk.md")[0]
        assert chunk["store"] == "candidate"
        for address in ("chat/talk.md", "chat/talk.md#hotel-talk", chunk["chunk_id"]):
            with pytest.raises(RetrievalError):
                reads.get(address)
        with pytest.raises(RetrievalError):
            reads.chunks("chat/talk.md")
        assert "300 euros" not in str(reads.get("docs/travel.md"))
        counted = text("SELECT count(*) FROM kprep.visible_members(:kb, 1, ARRAY['staff'], current_date)")
        assert connection.execute(counted, {"kb": base.name}).scalar() == len(reads.chunks("docs/travel.md"))
    assert all("300 euros" not in row for row in sql_rows(base, "plain"))
    assert any("120 euros" in row for row in sql_rows(base, "plain"))


@pytest.mark.req("D10.8")
def test_a_view_that_asks_for_candidates_shows_them_last(base: TestBase) -> None:
    found = base.search("travel allowance crowd says surely hotel nights", view="open")
    assert [hit["store"] for hit in found] == ["formal", "candidate"]
    assert ["300 euros" in hit["text"] for hit in found] == [False, True]
    assert [hit["document_uri"] for hit in base.search("travel allowance", view="waiting")] == ["chat/talk.md"]
    assert any("300 euros" in row for row in sql_rows(base, "open"))
    assert all("300 euros" in row for row in sql_rows(base, "waiting"))


@pytest.mark.req("D2.33")
def test_a_person_confirms_what_is_there_now_and_not_what_comes(base: TestBase) -> None:
    assert [row["uri"] for row in confirming.listed(base.workspace, everything=False)] == ["chat/talk.md"]
    with pytest.raises(RetrievalError, match="not in the candidate store"):
        confirming.decide(base.workspace, ["docs/travel.md"], "confirmed", "ann", "", dry_run=False)
    confirming.decide(base.workspace, ["chat/talk.md"], "confirmed", "ann", "checked", dry_run=True)
    assert base.run()["status"] == "unchanged"
    confirming.decide(base.workspace, ["chat/talk.md"], "confirmed", "ann", "checked", dry_run=False)
    again = base.run()
    assert (again["status"], again["documents"]["repermissioned"], again["work"]["parsed"]) == ("published", 1, 0)
    found = base.search("allowance crowd surely 300 euros")
    assert [hit["metadata"].get("confirmed_by") for hit in found if "300 euros" in hit["text"]] == ["person"]
    base.write("chat/talk.md", CASUAL.replace("300", "900"))
    assert base.run()["status"] == "published"
    assert not any("00 euros" in hit["text"] for hit in base.search("allowance crowd surely 900 euros"))
    confirming.decide(base.workspace, ["chat/talk.md"], "rejected", "ann", "", dry_run=False)
    base.run()
    assert base.search("travel allowance", view="waiting") == []
    assert [row["store"] for row in confirming.listed(base.workspace, everything=True)] == ["rejected"]


@pytest.mark.req("D10.7")
def test_candidates_end_after_their_retention_without_waiting_for_anybody(base: TestBase) -> None:
    with base.connection() as connection:
        due = overlay.expiring(connection, base.name, base.live(connection), 181)
        assert [(uri, (at - datetime.now(tz=UTC)).days) for uri, at in due] == [("chat/talk.md", 179)]
    old = (datetime.now(tz=UTC) - timedelta(days=200)).timestamp()
    base.write("chat/talk.md", CASUAL.replace("300", "301"))
    os.utime(base.path("chat/talk.md"), (old, old))
    documents = base.run()["documents"]
    assert (documents["expired"], documents["retired"]) == (1, 0)
    assert confirming.listed(base.workspace, everything=True) == []


def test_a_store_can_be_chosen_for_any_source(base: TestBase) -> None:
    sources = [dict(source) for source in base.config["sources"]]
    sources[1] |= {"store": "formal", "retention": "30d"}
    base.configure(sources=sources)
    assert base.run()["status"] == "published"
    assert any("300 euros" in hit["text"] for hit in base.search("travel allowance crowd"))
