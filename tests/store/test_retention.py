"""Retention by document type: what is over disappears by itself, leaves the release, and is collected."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from flows.planning import preview
from flows.run import roll_back
from kprep.core.errors import RetrievalError
from kprep.core.ids import content_hash
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.pages import FOUR, page

DAY = 86400
POLICIES = {"name": "policies", "kind": "filesystem", "path": "policies", "acl": ["staff"], "doc_type": "policy"}
CHATS = {"name": "docs", "kind": "filesystem", "path": "docs", "acl": ["staff"], "doc_type": "conversation"}


def chat(number: int) -> str:
    return page(f"Chat {number}", f"The walrus number {number} was fed in the afternoon by somebody else than usual.")


def age(base: TestBase, relative: str, days: float) -> None:
    """Let a file have been changed so many days ago."""
    seconds = time.time() - days * DAY
    os.utime(base.path(relative), (seconds, seconds))


@pytest.fixture
def base(make_base: MakeBase, tmp_path: Path) -> TestBase:
    """Three chats of 10, 89.9 and 89.99 days, kept 90, and an old policy, published."""
    made = make_base(
        {f"chat{number}.md": f"{chat(number)}\nIn {tmp_path}.\n" for number in range(3)},  # nobody else's content
        sources=[CHATS, POLICIES],
        retention={"days": {"conversation": 90}},
        views={"all": {"fields": ["text", "document_uri"]}},
    )
    policy = made.folder / "policies" / "safety.md"
    policy.parent.mkdir()
    policy.write_text(FOUR["safety.md"])
    os.utime(policy, (time.time() - 900 * DAY,) * 2)
    for number, days in enumerate((10, 89.9, 89.99)):
        age(made, f"chat{number}.md", days)
    assert made.run()["status"] == "published"
    return made


def pass_time(base: TestBase, days: float) -> None:
    """Move all that is known of times into the past, as if so many days had gone by."""
    with base.connection() as connection:
        for statement in (
            "UPDATE kprep.suppressions SET since = since - make_interval(secs => :s) WHERE kb = :kb",
            "UPDATE kprep.documents SET modified_at = modified_at - make_interval(secs => :s) WHERE kb = :kb",
        ):
            connection.execute(text(statement), {"s": days * DAY, "kb": base.name})


def readable(base: TestBase) -> set[str]:
    """Documents that any read path gives."""
    found = {f"docs/{uri}" if not uri.startswith("policies") else uri for uri in base.uris()}
    for mode in ("lexical", "dense", "hybrid"):
        found |= {hit["document_uri"] for hit in base.search("Who fed the walrus in the afternoon?", mode)}
    with base.connection() as connection:
        reader = base.reader(connection)
        for number in range(3):
            try:
                reader.get(f"docs/chat{number}.md")
                found.add(f"docs/chat{number}.md")
            except RetrievalError:
                pass
        connection.execute(text("SET LOCAL kprep.principals = 'staff'"))
        connection.execute(text("SET LOCAL kprep.tenant = 'acme'"))
        shown = connection.execute(text(f"SELECT DISTINCT document_uri FROM published.{base.name}__all")).scalars()
        found |= set(shown)
    return found


ALL = {"docs/chat0.md", "docs/chat1.md", "docs/chat2.md", "policies/safety.md"}


@pytest.mark.req("D10.7", "D10.6")
def test_plan_announces_what_expires(base: TestBase) -> None:
    announced = preview(base.workspace, allow_deletes=False)["expiring"]
    assert [item["uri"] for item in announced] == ["docs/chat2.md", "docs/chat1.md"]
    due = datetime.strptime(announced[0]["at"], "%Y-%m-%d %H:%M:%SZ").replace(tzinfo=UTC)
    assert timedelta(0) < due - datetime.now(tz=UTC) < timedelta(days=0.02)


@pytest.mark.req("D10.7", "D10.4", "D10.6")
def test_expired_documents_disappear_without_a_run_and_are_collected_by_the_next(base: TestBase) -> None:
    assert readable(base) == ALL
    originals = {number: content_hash(base.path(f"chat{number}.md").read_bytes()) for number in range(3)}
    pass_time(base, 0.5)
    assert readable(base) == ALL - {"docs/chat1.md", "docs/chat2.md"}
    assert [item["action"] for item in preview(base.workspace, allow_deletes=False)["changes"]] == ["expire"] * 2
    summary = base.run()
    assert (summary["status"], summary["documents"]["expired"]) == ("published", 2)
    assert (summary["documents"]["retired"], summary["work"]["parsed"]) == (0, 0)
    assert readable(base) == ALL - {"docs/chat1.md", "docs/chat2.md"}
    stored = {number: base.workspace.objects.exists(address) for number, address in originals.items()}
    assert stored == {0: True, 1: False, 2: False}
    assert len([path for path in _stages(base) if path.is_file()]) == 2
    for table in ("chunks", "release_members", "release_documents", "document_versions"):
        assert _documents(base, table) == 2
    assert base.run()["status"] == "unchanged"
    with base.connection() as connection:
        words = connection.execute(
            text("SELECT count(*) FROM kprep.chunks WHERE kb = :kb AND text LIKE '%walrus number 1%'"),
            {"kb": base.name},
        )
        assert words.scalar_one() == 0
    roll_back(base.workspace, 1, dry_run=False)
    assert readable(base) == ALL - {"docs/chat1.md", "docs/chat2.md"}


@pytest.mark.req("D10.7", "D9.11")
def test_a_blocked_batch_and_the_guard_do_not_delay_it(base: TestBase) -> None:
    pass_time(base, 0.5)
    base.block()
    base.configure(quality={**base.config["quality"], "mass_delete_share": 0.0, "mass_delete_documents": 0})
    assert base.run()["status"] == "blocked"
    assert readable(base) == ALL - {"docs/chat1.md", "docs/chat2.md"}
    assert base.live() == 1


@pytest.mark.req("D10.7")
def test_a_document_that_was_over_before_it_came_is_never_prepared(base: TestBase) -> None:
    base.write("old.md", chat(7))
    age(base, "old.md", 91)
    summary = base.run()
    assert (summary["status"], summary["work"]["begun"], summary["documents"]["added"]) == ("unchanged", {}, 0)
    base.source(doc_type="document")  # another type, without a limit
    assert base.run()["documents"]["added"] == 1
    assert "docs/old.md" in readable(base)


@pytest.mark.req("D10.7")
def test_an_edit_and_a_longer_limit_bring_it_back(base: TestBase) -> None:
    pass_time(base, 0.5)
    base.run()
    base.write("chat1.md", chat(1) + "\nIt was fed again today.\n")
    assert base.run()["documents"]["added"] == 1
    assert readable(base) == ALL - {"docs/chat2.md"}
    base.configure(retention={"days": {"conversation": 365}})
    assert base.run()["documents"]["added"] == 1
    assert readable(base) == ALL
    base.configure(retention={})
    base.run()
    pass_time(base, 400)
    assert readable(base) == ALL


def _stages(base: TestBase) -> list[Path]:
    return list((base.folder / ".kprep" / "restricted" / "stages").rglob("*"))


def _documents(base: TestBase, table: str) -> int:
    with base.connection() as connection:
        statement = text(f"SELECT count(DISTINCT document_id) FROM kprep.{table} WHERE kb = :kb")
        return int(connection.execute(statement, {"kb": base.name}).scalar_one())
