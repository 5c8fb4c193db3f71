"""Review by the command line: what waits is shown with its reasons, and a decision is recorded and honoured."""

from __future__ import annotations

import json
from typing import Any

import click
import pytest
from click.testing import CliRunner

from flows.run import only_run
from kprep.cli import output
from kprep.cli.app import cli
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase

ONE = "# Refunds\n\nA refund takes five working days after the parcel has arrived at the warehouse.\n"
TWO = "# Shipping\n\nParcels leave the warehouse on the day of the order when it comes in before noon.\n"
OTHER = "# Tour {0}\n\nTour number {0} of the museum begins beside the old steam engine in the yard.\n"
QUESTIONS = """
- id: refund
  class: natural
  question: how many days does a refund take
  as: [staff]
  expect:
    - {document: docs/one.md, quote: a refund takes five working days}
"""
STRICT = {"thresholds": {"recall_at_5": 1.0, "min_questions": 1, "short_share": 1.0}, "questions": "questions.yaml"}


def kprep(base: TestBase, *arguments: str, code: int = 0) -> Any:
    """Output of a command as JSON."""
    where = ["--kb", str(base.folder), "--json"]
    done = CliRunner().invoke(cli, [*arguments, *where], standalone_mode=False)
    if done.exception is not None and code == 0:
        raise done.exception
    assert (done.exception is not None) == (code != 0), done.output
    return json.loads(done.stdout) if code == 0 else done.exception


@pytest.fixture
def base(make_base: MakeBase) -> TestBase:
    """A published release, and a candidate on it that no longer answers its question."""
    others = {f"other{number}.md": OTHER.format(number) for number in range(4)}
    made = make_base({"one.md": ONE, "two.md": TWO, **others}, embedding={"provider": "none"}, quality=STRICT)
    (made.folder / "questions.yaml").write_text(QUESTIONS, encoding="utf-8")
    assert made.run()["status"] == "published"
    made.write("one.md", ONE.replace("A refund takes five working days", "Money comes back a week"))
    assert made.run()["status"] == "blocked"
    return made


@pytest.mark.req("C7.9")
def test_what_waits_is_listed_and_shown_with_text_and_passages(base: TestBase) -> None:
    listed = kprep(base, "review", "list")
    assert [row["release"] for row in listed["candidates"]] == [2]
    assert "questions_recall" in listed["candidates"][0]["refused_by"]
    shown = kprep(base, "review", "show")
    recall = next(check for check in shown["checks"] if check["code"] == "questions_recall")
    assert (recall["value"], recall["threshold"]) == (0.0, 1.0)
    (question,) = shown["questions"]
    assert "five working days" in question["before"][0]["text"]
    assert not any("five working days" in hit["text"] for hit in question["after"])


def test_an_approval_publishes_and_is_recorded(base: TestBase) -> None:
    assert kprep(base, "review", "approve", "--reason", "tried", "--dry-run")["dry_run"]
    assert base.live() == 1
    done = kprep(base, "review", "approve", "2", "--reason", "the wording changed on purpose", "--by", "ann")
    assert "questions_recall" in done["overruled"]
    assert base.live() == 2
    assert base.run()["status"] == "unchanged"
    (made, *_) = kprep(base, "review", "list")["decisions"]
    assert (made["decision"], made["release"], made["made_by"]) == ("approve", 2, "ann")
    assert made["reason"] == "the wording changed on purpose"
    assert made["made_at"]
    assert kprep(base, "verify")["drift"] == []


def test_bad_input_is_answered_with_what_is_wrong(base: TestBase) -> None:
    assert "there is no release 99" in str(kprep(base, "review", "approve", "99", "--reason", "x", code=1))
    for arguments in (["--reason", "  "], ["--reason", "x", "--by", ""]):
        error = kprep(base, "review", "approve", "2", *arguments, code=2)
        assert isinstance(error, click.BadParameter)
        assert "it is empty" in str(error)
    with only_run(base.workspace):
        assert "another run" in str(kprep(base, "review", "approve", "2", "--reason", "x", code=1))
    assert base.live() == 1
    kprep(base, "review", "approve", "2", "--reason", "on purpose", "--by", "ann")
    again = str(kprep(base, "review", "approve", "2", "--reason", "again", code=1))
    assert "release 2 waits for no decision, it was published by ann: on purpose" in again
    assert "no candidate waits" in str(kprep(base, "review", "reject", "--reason", "late", code=1))
    assert len(kprep(base, "review", "list")["decisions"]) == 1


def test_a_rejection_holds_for_the_same_changes_and_not_for_others(base: TestBase) -> None:
    kprep(base, "review", "reject", "2", "--reason", "the old wording stays", "--by", "ann")
    again = base.run()
    assert again["status"] == "blocked"
    assert "ann rejected these changes before: the old wording stays" in again["message"]
    assert kprep(base, "review", "list")["candidates"] == []
    base.write("one.md", ONE + "\nIt is paid to the same card.\n")
    assert base.run()["status"] == "published"


def test_a_rejection_can_be_taken_back(base: TestBase) -> None:
    kprep(base, "review", "reject", "2", "--reason", "the old wording stays", "--by", "ann")
    again = base.run()
    assert f"`kprep review approve {again['release']}` takes that back" in again["message"]
    back = kprep(base, "review", "approve", str(again["release"]), "--reason", "it is right", "--by", "bob")
    assert (back["published"], base.live()) == (False, 1)
    assert base.run()["status"] == "published", "the same changes, which bob answers for"
    error = str(kprep(base, "review", "approve", "2", "--reason", "again", code=1))
    assert "release 2 waits for no decision, it is retired, and what only it had is collected: `kprep run`" in error


def test_an_approval_holds_when_something_else_was_published_meanwhile(base: TestBase) -> None:
    kprep(base, "review", "approve", "2", "--reason", "on purpose", "--by", "ann")
    with base.connection() as connection:
        from publish import publisher

        publisher.rollback(connection, base.name, 1)
    assert base.run()["status"] == "published", "the same changes were approved already"


def test_a_candidate_of_an_older_base_cannot_be_approved(base: TestBase) -> None:
    base.write("one.md", ONE)
    base.write("three.md", TWO.replace("Shipping", "Returns"))
    assert base.run()["status"] == "published"
    error = kprep(base, "review", "approve", "2", "--reason", "late", code=1)
    assert "release 2 waits for no decision" in str(error)
    base.write("one.md", ONE.replace("A refund takes five working days", "Money comes back a week"))
    assert base.run()["release"] == 4
    with base.connection() as connection:
        from publish import publisher

        publisher.rollback(connection, base.name, 1)
    error = kprep(base, "review", "approve", "4", "--reason", "late", code=1)
    assert "made on release 3, which is no longer live: run again" in str(error)


def test_a_candidate_whose_cause_was_repaired_waits_no_longer(base: TestBase) -> None:
    base.write("one.md", ONE)
    assert base.run(only=["docs/two.md"])["status"] == "unchanged"
    assert [row["release"] for row in kprep(base, "review", "list")["candidates"]] == [2], "one.md was not looked at"
    assert base.run()["status"] == "unchanged"
    assert kprep(base, "review", "list")["candidates"] == []
    error = kprep(base, "review", "approve", "2", "--reason", "late", code=1)
    assert "it was made of sources that a later run has read anew" in str(error)
    assert base.live() == 1


def test_only_the_newest_candidate_waits(base: TestBase) -> None:
    assert base.run()["status"] == "blocked"
    assert [row["release"] for row in kprep(base, "review", "list")["candidates"]] == [3]


def test_an_excluded_document_is_left_out_until_it_is_let_in_again(base: TestBase) -> None:
    base.write("one.md", ONE)
    assert base.run()["status"] in ("published", "unchanged")
    kprep(base, "review", "exclude", "docs/two.md", "--reason", "out of date", "--by", "ann")
    runs = [base.run(), base.run()]
    assert [run["status"] for run in runs] == ["published", "unchanged"]
    assert "two.md" not in base.uris()
    assert runs[0]["documents"]["excluded"] == 1
    told = ("added", "changed", "repermissioned", "renamed", "unchanged", "failed", "review", "excluded")
    for run in runs:
        counts = run["documents"]
        assert counts["listed"] == sum(counts[name] for name in told), "every document that is listed is accounted for"
    assert kprep(base, "review", "list")["excluded"] == ["docs/two.md"]
    kprep(base, "review", "include", "docs/two.md", "--reason", "renewed", "--by", "ann")
    assert base.run()["status"] == "published"
    assert "two.md" in base.uris()
    assert "is no document" in str(kprep(base, "review", "exclude", "docs/no.md", "--reason", "typing", code=1))


@pytest.mark.req("D9.8")
def test_g23_what_nearly_repeats_is_shown_and_a_person_decides(make_base: MakeBase) -> None:
    again = ONE.replace("Refunds", "Returns").replace("the warehouse", "our warehouse")
    long = " It is paid to the account that the order was paid from, and a mail tells the number of the transfer."
    base = make_base({"one.md": ONE.rstrip() + long, "again.md": again.rstrip() + long})
    summary = base.run()
    assert summary["status"] == "published"
    (alike,) = [check for check in summary["gate"]["checks"] if check["code"] == "chunks_similar"]
    assert [(row["document_uri"], row["also_in"]) for row in alike["samples"]] == [("docs/again.md", ["docs/one.md"])]
    assert base.uris() == ["again.md", "one.md"], "nothing goes by itself"
    kprep(base, "review", "exclude", "docs/again.md", "--reason", "one is kept", "--by", "ann")
    base.run()
    assert base.uris() == ["one.md"]
    kprep(base, "review", "include", "docs/again.md", "--reason", "both are needed", "--by", "ann")
    base.run()
    assert base.uris() == ["again.md", "one.md"]


def test_deletions_that_wait_are_listed(make_base: MakeBase) -> None:
    base = make_base({"one.md": ONE, "two.md": TWO}, embedding={"provider": "none"})
    base.run()
    base.delete("one.md")
    base.delete("two.md")
    assert base.run()["status"] == "waiting"
    listed = kprep(base, "review", "list")
    assert "source docs lists nothing, but 2 of its documents are published" in listed["deletions"]
    said = CliRunner().invoke(cli, ["review", "list", "--kb", str(base.folder)], standalone_mode=False).output
    assert "deletions wait" in said
    assert "nothing waits" not in said
    assert base.run(allow_deletes=True)["status"] in ("published", "blocked")
    assert kprep(base, "review", "list")["deletions"] == ""


def test_a_clause_is_shown_beside_the_one_it_contradicts(make_base: MakeBase) -> None:
    said = "Every parcel that is sent back must arrive at the warehouse within {} days after the order."
    files = {"terms.md": f"# Terms\n\nRead this. {said.format(14)}\n", "faq.md": f"# Questions\n\n{said.format(30)}\n"}
    thresholds = {"conflicts": "error", "short_share": 1.0}
    base = make_base(files, embedding={"provider": "none"}, quality={"thresholds": thresholds})
    assert base.run()["status"] == "blocked"
    shown = kprep(base, "review", "show")
    (sample, *_) = next(check for check in shown["checks"] if check["code"] == "clauses_conflict")["samples"]
    assert {sample["text"], sample["other_text"]} == {said.format(14), said.format(30)}
    told = CliRunner().invoke(cli, ["review", "show", "--kb", str(base.folder)], standalone_mode=False).output
    assert told.index(sample["text"]) < told.index(sample["other_text"])
    assert "chunk_id" not in told
    assert "ordinal" not in told


def test_what_a_row_is_about_comes_first_and_what_was_before_what_is() -> None:
    sample = {"is": 0.5, "was": 1.0, "class": "natural", "gained": ["a", "b"], "chunk_id": "c", "question_id": "q"}
    assert output.finding_row(sample) == "question_id: q, class: natural, was: 1.0, is: 0.5, gained: a, b"


@pytest.mark.parametrize(
    ("reason", "detail", "said"),
    [
        ("no_text", "a.pdf: 2 pages without text: give a version with text", ""),
        ("no_text", "a.md: nothing in it", ": a scan or an empty file: give a version with text"),
        ("unsupported_format", "no parser takes it: save it in another format", ""),
        ("internal_error", "unexpected", ""),
    ],
)
def test_a_remedy_is_said_once(reason: str, detail: str, said: str) -> None:
    assert output.with_remedy(reason, detail) == detail + said


def test_only_failed_documents_are_tried_again(base: TestBase) -> None:
    base.write("one.md", ONE)
    base.write("broken.pdf", b"%PDF-1.4 nothing")
    base.run()
    assert base.run()["work"]["parsed"] == 0, "what failed for good is not tried again by itself"
    retried = kprep(base, "review", "retry", "--reason", "a new copy is there", "--by", "ann")
    assert [row["uri"] for row in retried["documents"]] == ["docs/broken.pdf"]
    assert base.run()["work"]["parsed"] == 1
    assert "has not failed" in str(kprep(base, "review", "retry", "docs/two.md", "--reason", "no", code=1))


def test_files_that_come_back_after_a_refused_deletion_are_not_missed_by_the_gate(make_base: MakeBase) -> None:
    others = {f"other{number}.md": OTHER.format(number) for number in range(4)}
    base = make_base({"one.md": ONE, "two.md": TWO, **others}, embedding={"provider": "none"}, quality=STRICT)
    (base.folder / "questions.yaml").write_text(QUESTIONS, encoding="utf-8")
    assert base.run()["status"] == "published"
    base.delete("one.md")
    assert base.run()["status"] == "blocked", "a question has no answer any more"
    assert "one.md" not in base.uris(), "a deletion acts at once"
    base.write("one.md", ONE)
    base.write("two.md", TWO.replace("noon", "one in the afternoon"))
    base.write("other1.md", "")
    assert base.run()["status"] == "published", "what is back as it was is shown again with any run"
    assert "one.md" in base.uris()
    base.delete("one.md")
    assert base.run()["status"] == "blocked"
    base.write("one.md", ONE.replace("the warehouse", "our warehouse"))
    assert base.run()["status"] == "published", "the questions are asked as if the candidate were live"
    assert "our warehouse" in base.search("how many days does a refund take", "lexical")[0]["text"]


def test_what_comes_back_changed_stays_hidden_until_it_is_published(base: TestBase) -> None:
    base.delete("two.md")
    assert base.run()["status"] == "blocked"
    assert "two.md" not in base.uris()
    base.write("two.md", TWO.replace("noon", "one in the afternoon"))
    assert base.run()["status"] == "blocked", "for the other document"
    assert "two.md" not in base.uris(), "the text that was taken away is not shown again"
    base.write("two.md", TWO)
    assert base.run()["status"] == "blocked"
    assert "two.md" in base.uris(), "as it was"


TRADES = ("baker", "cooper", "dyer", "farrier", "glazier", "mason", "tanner")
TRADE = "# The {0}\n\nThe {0} of the village keeps the {0} tools in chest number {1} under the stairs.\n"
ASKED = """
- id: {0}
  class: natural
  question: in which chest does the {0} keep the tools
  as: [staff]
  expect:
    - {{document: docs/{0}.md, quote: "tools in chest number {1} under the stairs"}}
"""


@pytest.fixture
def village(make_base: MakeBase) -> TestBase:
    """A published release of seven documents, five of which answer a question."""
    files = {f"{trade}.md": TRADE.format(trade, number) for number, trade in enumerate(TRADES)}
    thresholds = {"short_share": 1.0, "duplicate_share": 1.0, "near_duplicate_share": 1.0}
    made = make_base(files, quality={"questions": "questions.yaml", "thresholds": thresholds})
    asked = "".join(ASKED.format(trade, number) for number, trade in enumerate(TRADES[:5]))
    (made.folder / "questions.yaml").write_text(asked, encoding="utf-8")
    assert made.run()["status"] == "published"
    return made


def checks(summary: dict[str, Any], code: str) -> list[dict[str, Any]]:
    return [check for check in summary["gate"]["checks"] if check["code"] == code]


@pytest.mark.req("D9.1")
def test_documents_that_are_deleted_make_the_candidate_worse_than_what_readers_had(village: TestBase) -> None:
    for trade in TRADES[:3]:
        village.delete(f"{trade}.md")
    refused = village.run()
    assert refused["status"] == "blocked"
    (worse,) = checks(refused, "questions_worse")
    assert (worse["level"], worse["passed"], round(worse["value"], 3)) == ("error", False, 0.6)
    assert "all documents that answer 3 of these questions are gone: bring them back" in worse["message"]
    assert [row["reason"] for row in worse["samples"]] == ["the document is gone since the live release"] * 3
    (stale,) = checks(refused, "questions_stale")
    assert "documents that 3 questions name are gone" in stale["message"]
    hits = village.search("in which chest does the baker keep the tools", release=1)
    assert "docs/baker.md" not in {hit["document_uri"] for hit in hits}, "readers do not see what is deleted"
    shown = {question["id"]: question for question in kprep(village, "review", "show")["questions"]}
    assert shown["baker"]["before"][0]["document_uri"] == "docs/baker.md"
    assert not any(hit["document_uri"] == "docs/baker.md" for hit in shown["baker"]["after"])
    gone = kprep(village, "eval", "--no-timing")["sets"][0]["stale"]
    assert {(row["id"], row["reason"]) for row in gone} == {
        (trade, "the document is gone: its source deleted it") for trade in TRADES[:3]
    }
    kprep(village, "review", "approve", "--reason", "they have left", "--by", "ann")
    compared = kprep(village, "eval", "--no-timing", "--compare", "1")["comparison"]
    assert (compared["better"], compared["worse"], compared["same"]) == (0, 3, 2)
    assert compared["questions"][0]["before"][0]["document_uri"] == "docs/baker.md"
    hits = village.search("in which chest does the baker keep the tools", release=1)
    assert "docs/baker.md" not in {hit["document_uri"] for hit in hits}
    assert village.run()["status"] == "unchanged"


@pytest.mark.req("D9.1")
def test_one_deleted_document_is_told_and_what_a_person_hides_is_not_looked_through(village: TestBase) -> None:
    kprep(village, "suppress", "docs/cooper.md", "--reason", "legal", "--by", "ann")
    for trade in TRADES[:2]:
        village.delete(f"{trade}.md")
    published = village.run()
    assert published["status"] == "published"
    (worse,) = checks(published, "questions_worse")
    assert (worse["level"], worse["passed"]) == ("warning", False)
    assert [row["question_id"] for row in worse["samples"]] == ["baker"], "the cooper was hidden before"
    assert "by baker alone, which blocks nothing" in worse["message"]
    assert "all documents that answer 1 of these questions are gone" in worse["message"]
    compared = kprep(village, "eval", "--no-timing", "--compare", "1")["comparison"]
    assert [row["id"] for row in compared["questions"] if row["verdict"] == "worse"] == ["baker"]
