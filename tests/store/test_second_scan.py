"""Published text is read again by other means; what is found hides its document at once, whatever is rolled back."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from sqlalchemy import text

from flows import second_scan
from flows.access import suppress
from flows.planning import status
from flows.run import begin, finish, only_run, roll_back
from flows.run import plan as plan_step
from kprep.core.errors import RetrievalError
from kprep.store import overlay, releases
from redaction import RedactionPolicy
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.pages import FOUR, page

CARD = "5425 2334 3010 9903"
PAID = page(
    "Paid",
    f"The journey was paid with the company's card {CARD} by the travel office in Utrecht.",
    "Everything else about this journey stands in the report of the travel office, which is kept for ten years.",
)


def policy(base: TestBase, without: str) -> None:
    """Switch one kind of redaction off, in the gate as well: the first pass does not catch it."""
    kinds = [kind for kind in RedactionPolicy().kinds if kind != without]
    (base.folder / "redaction.yaml").write_text(yaml.safe_dump({"kinds": kinds}))
    base.configure(redaction={"policy": "redaction.yaml"})


@pytest.fixture
def base(make_base: MakeBase) -> TestBase:
    """Four clean documents, published, under a policy that does not look for cards."""
    made = make_base(FOUR)
    policy(made, "CREDIT_CARD")
    assert made.run()["second_scan"] == {"chunks": len(made.content()), "findings": []}
    return made


@pytest.mark.req("D5.1", "D5.3", "D10.6")
def test_a_missed_value_hides_its_document_at_once(base: TestBase) -> None:
    base.write("paid.md", PAID)
    summary = base.run()
    assert summary["status"] == "published"
    findings = summary["second_scan"]["findings"]
    assert {(item["uri"], item["kind"]) for item in findings} == {("docs/paid.md", "CREDIT_CARD")}
    assert "text" in {item["found_in"] for item in findings}
    assert CARD not in str(summary)
    assert base.uris() == sorted(FOUR)
    with pytest.raises(RetrievalError):
        base.chunks("paid.md")
    for mode in ("lexical", "dense", "hybrid"):
        assert all(hit["document_uri"] != "docs/paid.md" for hit in base.search("Who paid for the journey?", mode))
    said = status(base.workspace)["second_scan"]
    [withdrawn] = said["withdrawn"]
    assert (said["done"], withdrawn["uri"]) == (True, "docs/paid.md")
    assert "CREDIT_CARD in text" in withdrawn["found"]
    assert "redaction policy" in withdrawn["remedy"]
    with base.connection() as connection:
        row = releases.get(connection, base.name, 2)
        assert row is not None
        assert row.report is not None
        assert row.report["second_scan"]["findings"] == findings
    assert base.run()["status"] == "unchanged"
    assert base.uris() == sorted(FOUR)


@pytest.mark.req("D5.1", "D5.6")
def test_only_what_a_release_adds_is_read(base: TestBase) -> None:
    base.write("more.md", page("More", "One more page about lunch in the canteen on the second floor."))
    added = base.run()
    assert added["second_scan"]["chunks"] == added["chunks"]["added"] == 1
    base.source(acl=["board"])
    assert base.run()["second_scan"] == {"chunks": 0, "findings": []}


@pytest.mark.req("D5.1", "D10.6")
def test_it_comes_back_when_a_release_has_it_without_the_value_and_no_rollback_shows_it(base: TestBase) -> None:
    base.write("paid.md", PAID)
    base.run()
    policy(base, "MAC")
    assert base.run()["status"] == "published"
    assert "paid.md" in base.uris()
    assert all("<CREDIT_CARD_" in chunk["text"] for chunk in base.chunks("paid.md") if "card" in chunk["text"])
    assert status(base.workspace)["second_scan"]["withdrawn"] == []
    roll_back(base.workspace, 2, dry_run=False)
    shown = base.chunks("paid.md") if "paid.md" in base.uris() else []
    assert CARD not in str(shown)
    assert all(CARD not in hit["text"] for hit in base.search("the company's card", "lexical"))


@pytest.mark.req("D5.1", "D5.6")
def test_a_person_decides_about_a_false_alarm(base: TestBase) -> None:
    base.write("paid.md", PAID)
    base.run()
    suppress(base.workspace, "docs/paid.md", "second_scan", "ann", "", lift=True, dry_run=False)
    assert "paid.md" in base.uris()
    base.run()
    assert "paid.md" in base.uris()
    (base.folder / "redaction.yaml").write_text(
        yaml.safe_dump({"kinds": ["PHONE"], "allow": {"patterns": ["5425 ?2334 ?3010 ?9903"]}})
    )
    base.close()
    base.write("again.md", PAID.replace("Paid", "Again"))
    assert base.run()["second_scan"]["findings"] == []
    assert "again.md" in base.uris()


@pytest.mark.parametrize(
    ("where", "front_matter"),
    [("title", "title: Card 5425 2334 3010 9903"), ("metadata", "owner: card 5425 2334 3010 9903")],
)
def test_every_field_readers_see_is_read(base: TestBase, where: str, front_matter: str) -> None:
    base.write("named.md", page("Named", "A page that says nothing of interest.", front_matter=front_matter))
    found = {item["found_in"] for item in base.run()["second_scan"]["findings"]}
    assert where in found
    assert base.uris() == sorted(FOUR)


@pytest.mark.req("D9.11")
def test_a_run_that_died_before_the_scan_is_made_up_for(base: TestBase, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(workspace: Any) -> Any:
        raise KeyboardInterrupt(str(workspace.kb))

    base.write("paid.md", PAID)
    with monkeypatch.context() as patched:
        patched.setattr("flows.run.scan_published", die)
        with pytest.raises(KeyboardInterrupt):
            base.run()
    assert "paid.md" in base.uris()  # published, not scanned yet
    assert status(base.workspace)["second_scan"]["done"] is False
    workspace = base.workspace
    with only_run(workspace):
        run_id = begin(workspace)
        assert plan_step(workspace, run_id, allow_deletes=False)["status"] == "unchanged"
        finish(workspace, run_id, "unchanged", {})
    assert base.uris() == sorted(FOUR)
    assert status(workspace)["second_scan"]["done"] is True


def test_chunks_with_findings_are_hidden_one_by_one_as_well(base: TestBase) -> None:
    base.write("paid.md", PAID)
    base.run()
    with base.connection() as connection:
        rows = connection.execute(
            text("SELECT chunk_id IS NULL AS whole, count(*) FROM kprep.suppressions WHERE kb = :kb GROUP BY 1"),
            {"kb": base.name},
        )
        counts = {row[0]: row[1] for row in rows}
        assert counts[True] == 1
        assert counts[False] >= 1
        assert len(overlay.entries(connection, base.name)) == 1
    assert second_scan.look_again(base.workspace) == {"chunks": 0, "findings": []}
