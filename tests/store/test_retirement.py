"""What no kept release needs is collected; what one needs stays exact."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from flows.run import only_run, roll_back
from kprep.core.errors import LeaseLost, PublishError, RetrievalError
from kprep.core.ids import content_hash
from kprep.store import retirement, runs
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.pages import FOUR, REFUNDS, page
from tests.store.test_lexical import check

TABLES = ("release_members", "release_documents", "document_versions", "version_chunks", "chunks", "parents")


def counts(base: TestBase) -> dict[str, int]:
    with base.connection() as connection:
        return {
            name: connection.execute(
                text(f"SELECT count(*) FROM kprep.{name} WHERE kb = :kb"), {"kb": base.name}
            ).scalar_one()
            for name in TABLES
        }


def edit(base: TestBase, number: int) -> None:
    base.write("refunds.md", REFUNDS.replace("fourteen", f"number{number}"))


@pytest.mark.req("D10.4", "D10.6")
def test_old_releases_are_collected_with_all_that_only_they_hold(make_base: MakeBase) -> None:
    base = make_base(FOUR, retention={"releases": 2})
    edit(base, 77)  # a content no other test's knowledge base in this database has
    base.run()
    first = counts(base)
    original = content_hash(base.path("refunds.md").read_bytes())
    assert base.workspace.objects.exists(original)
    for number in range(5):
        edit(base, number)
        summary = base.run()
        assert summary["status"] == "published"
    assert summary["retired"]["releases"] == 1
    assert not base.workspace.objects.exists(original)
    after = counts(base)
    # Two releases are kept; they differ in one document, so each table holds at most that document twice.
    assert after["document_versions"] == first["document_versions"] + 1
    assert after["chunks"] < first["chunks"] + 3
    with pytest.raises(RetrievalError, match="was collected"):
        base.search("refund", release=1)
    with pytest.raises(PublishError, match="there is no published release 1"):
        roll_back(base.workspace, 1, dry_run=False)
    check(base)


@pytest.mark.req("C6.2")
def test_rollback_within_what_is_kept_works_after_collection(make_base: MakeBase) -> None:
    base = make_base(FOUR, retention={"releases": 3})
    base.run()
    contents = []
    for number in range(4):
        edit(base, number)
        base.run()
        contents.append(base.content())
    live = base.live()
    roll_back(base.workspace, live - 1, dry_run=False)
    assert base.content() == contents[-2]
    check(base)
    edit(base, 9)
    assert base.run()["status"] == "published"
    check(base)


def test_compaction_leaves_every_score_as_it_was(make_base: MakeBase) -> None:
    base = make_base(FOUR, retention={"releases": 1})
    base.run()
    for number in range(4):
        edit(base, number)
        paragraphs = (f"A page about subject{number} and refunds.", f"A travel rule of the year {2000 + number}.")
        base.write(f"more{number}.md", page(f"Page {number}", *paragraphs))
        base.run()
    before = base.search("refund travel subject2", "lexical", top_k=50)
    with base.connection() as connection:
        retirement.compact(connection, base.name, share=0.0)
        left = connection.execute(
            text("SELECT count(*) FROM kprep.lexical_chunks WHERE kb = :kb AND retired"), {"kb": base.name}
        ).scalar_one()
    assert left == 0
    assert [hit["score"] for hit in base.search("refund travel subject2", "lexical", top_k=50)] == [
        hit["score"] for hit in before
    ]
    check(base)


def test_vectors_of_a_text_that_stands_elsewhere_stay(make_base: MakeBase) -> None:
    base = make_base({"a.md": FOUR["refunds.md"], "b.md": FOUR["refunds.md"]}, retention={"releases": 1})
    base.run()
    base.delete("a.md")
    base.run(allow_deletes=True)
    base.write(
        "c.md", page("Keys", "Keys are handed out at the reception, against a signature.", "A lost key is paid.")
    )
    summary = base.run()
    assert summary["status"] == "published"
    assert all(chunk["has_vector"] for chunk in base.content())


def test_a_run_that_lost_its_lease_writes_nothing(make_base: MakeBase) -> None:
    base = make_base(FOUR)
    base.run()
    workspace = base.workspace
    with only_run(workspace):
        with workspace.database.begin() as connection:  # another run takes over, as after a restart of the server
            runs.take_lease(connection, base.name, "another host:1")
        with pytest.raises(LeaseLost, match="another host:1"), workspace.writing():
            pass
    with pytest.raises(LeaseLost, match="not held"), workspace.writing():
        pass
