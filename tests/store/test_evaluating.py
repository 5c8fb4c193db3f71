"""`kprep eval` and `kprep questions` by the command line."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from click.testing import CliRunner

from kprep.cli.app import cli
from kprep.core.errors import PrepError
from retrieval import Searcher, SearchRequest
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase

FILES = {
    "codes.md": "# Codes\n\n| Code | Meaning |\n| --- | --- |\n| ERR_1045 | the uplink is lost for good |\n",
    "refund.md": "# Refunds\n\n## When is it paid?\n\nMoney comes back five working days after the parcel arrived.\n",
    "tour.md": "# Tour\n\nThe tour of the museum begins beside the old steam engine in the yard.\n",
    "secret.md": "# Salaries\n\nThe midpoint of grade seven is agreed on by the board in March.\n",
}
QUESTIONS = """
- {id: code, class: identifier, question: ERR_1045, as: [staff],
   expect: [{document: docs/codes.md, quote: the uplink is lost for good}]}
- {id: refund, class: natural, question: when does money come back after a parcel, as: [staff],
   expect: [{document: docs/refund.md, quote: five working days}]}
- {id: roses, class: no_answer, question: pruning climbing roses in spring, as: [staff]}
- {id: pay, class: denied, question: midpoint of grade seven, as: [],
   forbidden: [{document: docs/secret.md, quote: midpoint of grade}]}
"""
HELD_OUT = """
- {id: tour, class: natural, question: where does the tour of the museum begin, as: [staff],
   expect: [{document: docs/tour.md, quote: beside the old steam engine}]}
"""


def kprep(base: TestBase, *arguments: str) -> Any:
    done = CliRunner().invoke(cli, [*arguments, "--kb", str(base.folder), "--json"], standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return json.loads(done.stdout)


@pytest.fixture
def base(make_base: MakeBase) -> TestBase:
    made = make_base(FILES, quality={"questions": "questions.yaml", "thresholds": {"short_share": 1.0}})
    (made.folder / "questions.yaml").write_text(QUESTIONS, encoding="utf-8")
    (made.folder / "heldout.yaml").write_text(HELD_OUT, encoding="utf-8")
    assert made.run()["status"] == "published"
    return made


class Page(HTMLParser):
    """Tags of a page that is well formed, and what it would load."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loads += [str(value) for name, value in attrs if name in ("src", "href") and value]


@pytest.mark.req("C3.1", "C3.2", "C3.3", "C3.4", "C3.5", "C3.6", "C3.7", "C3.8", "C3.9", "C3.10", "C3.11")
@pytest.mark.req("C2.11", "C3.12", "C3.13", "C3.14", "C3.15", "C3.16", "C3.17", "C3.18", "C4.1", "C4.7")
def test_four_configurations_on_two_sets_with_a_page(base: TestBase, tmp_path: Path) -> None:
    page = tmp_path / "eval.html"
    files = [str(base.folder / name) for name in ("questions.yaml", "heldout.yaml")]
    found = kprep(base, "eval", "--questions", files[0], "--questions", files[1], "--report", str(page))
    assert [part["name"] for part in found["sets"]] == ["questions.yaml", "heldout.yaml"]
    tuning, held_out = found["sets"]
    assert list(tuning["configurations"]) == ["lexical", "dense", "hybrid (rrf)", "hybrid", "hybrid+references"]
    hybrid = tuning["configurations"]["hybrid"]
    assert hybrid["classes"]["identifier"]["n"] == 1
    assert hybrid["classes"]["identifier"]["hit@1"] == {"value": 1.0, "low": 0.025, "high": 1.0}
    assert hybrid["classes"]["all"]["n"] == 2, "no_answer and denied are in no mean"
    assert (hybrid["no_answer"]["answered"], hybrid["denied"]["leaking"]) == (0, 0)
    assert held_out["configurations"]["lexical"]["classes"]["natural"]["n"] == 1
    measured = {(row["state"], row["concurrency"]) for row in found["latency"]}
    assert measured == {("cold", 1), ("warm", 1), ("warm", 4), ("warm", 16)}
    assert found["settings"]["rrf constant"] == 60
    assert found["settings"]["embedding"]
    assert {row["class"] for row in found["latency_by_class"]} == {"identifier", "natural", "no_answer", "denied"}
    costs = {row["configuration"]: row["embedded_tokens"] for row in found["latency_by_class"]}
    assert costs["lexical"] == 0
    assert costs["hybrid"] > 1
    assert tuning["candidates"] == {"limit": 100, "spans": 2, "both": 2, "lexical": 0, "dense": 0, "neither": 0}
    assert tuning["simplest"] is None, "no threshold is set"
    assert tuning["routing"] == {"questions": 1, "better": 0, "worse": 0, "same": 1, "lost": []}
    assert held_out["routing"]["questions"] == 0
    assert "Routing sends 1 question that is nothing but an identifier" in page.read_text(encoding="utf-8")
    reader = Page()
    reader.feed(page.read_text(encoding="utf-8"))
    assert reader.tags.count("svg") >= 2
    assert reader.loads == []
    assert "prefers-color-scheme:dark" in page.read_text(encoding="utf-8")
    assert json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))["sets"] == found["sets"]


@pytest.mark.req("C2.10")
def test_routing_is_off_until_chosen_and_what_it_loses_is_measured(base: TestBase) -> None:
    asked = """
- {id: whole, class: identifier, question: ERR_1045, as: [staff],
   expect: [{document: docs/codes.md, quote: the uplink is lost for good}]}
- {id: slip, class: identifier, question: ERR_104, as: [staff],
   expect: [{document: docs/codes.md, quote: the uplink is lost for good}]}
"""
    (base.folder / "slips.yaml").write_text(asked, encoding="utf-8")
    file = ("--questions", str(base.folder / "slips.yaml"), "--no-timing")
    (part,) = kprep(base, "eval", *file)["sets"]
    assert part["routing"] == {"questions": 2, "better": 0, "worse": 0, "same": 2, "lost": []}
    base.configure(retrieval={"routing": "identifiers"})
    plain = kprep(base, "search", "ERR_1045", "--as", "staff")
    assert "routed" not in plain, "the release is searched as it was published"
    assert base.run()["status"] == "published"
    routed = kprep(base, "search", "ERR_1045", "--as", "staff", "--explain")
    assert routed["routed"] == "lexical"
    assert "dense" not in routed["hits"][0]["explain"]
    assert "routed" not in kprep(base, "search", "the cause of ERR_1045", "--as", "staff")
    assert "routed" not in kprep(base, "search", "ERR_1045", "--as", "staff", "--mode", "dense")


def test_what_cannot_be_measured_is_said_before_anything_is(base: TestBase, tmp_path: Path) -> None:
    (base.folder / "empty.yaml").write_text("[]\n", encoding="utf-8")
    for arguments, message in (
        (["--questions", str(base.folder / "none.yaml")], "there is no file"),
        (["--questions", str(base.folder / "empty.yaml")], "empty.yaml holds no question"),
        (["--release", "77"], "77"),
        (["--compare", "77"], "there is no release 77"),
        (["--report", str(tmp_path / "none" / "eval.html")], "there is no folder"),
        (["--report", str(tmp_path / "eval.pdf")], "must end in .html"),
    ):
        with pytest.raises((PrepError, click.ClickException), match=message):
            kprep(base, "eval", "--no-timing", *arguments)


def test_two_releases_are_compared_question_by_question(base: TestBase) -> None:
    base.write("refund.md", FILES["refund.md"].replace("five working days", "a week"))
    assert base.run()["status"] == "published"
    told = kprep(base, "eval", "--compare", "1", "--no-timing")["comparison"]
    assert (told["better"], told["worse"], told["same"], told["not_compared"]) == (0, 1, 3, [])
    worst = told["questions"][0]
    assert (worst["id"], worst["verdict"]) == ("refund", "worse")
    assert "five working days" in worst["before"][0]["text"]
    assert [row["release"] for row in kprep(base, "eval", "--no-timing")["trend"]] == [1, 2]


def test_questions_are_suggested_and_stale_labels_found(base: TestBase) -> None:
    found = kprep(base, "questions", "suggest", "docs/codes.md", "docs/refund.md", "docs/tour.md", "--as", "staff")
    asked = {entry["question"]: entry["class"] for entry in found}
    assert asked.get("When is it paid?") == "natural"
    assert "ERR_1045" not in asked, "it is asked already"
    assert kprep(base, "questions", "check") == []
    base.write("codes.md", FILES["codes.md"].replace("lost for good", "gone"))
    assert base.run()["status"] == "published"
    (wrong,) = kprep(base, "questions", "check")
    assert (wrong["id"], wrong["reason"]) == ("code", "the document has other words")


def test_files_without_a_question_are_no_labels_that_hold(base: TestBase) -> None:
    (base.folder / "empty.yaml").write_text("# none yet\n", encoding="utf-8")
    for name, said in (
        ("empty.yaml", "empty.yaml holds no question"),
        ("absent.yaml", "there is no file .*absent.yaml"),
    ):
        with pytest.raises(PrepError, match=said):
            kprep(base, "questions", "check", str(base.folder / name))
    base.configure(quality={})
    with pytest.raises(PrepError, match="there are no questions: name a file of them"):
        kprep(base, "questions", "check")


def test_a_label_that_nobody_can_read_says_why(base: TestBase) -> None:
    asked = """
- {id: code, class: identifier, question: ERR_1045, as: [],
   expect: [{document: docs/codes.md, quote: the uplink is lost for good}]}
- {id: refund, class: natural, question: when does money come back, as: [staff],
   expect: [{document: docs/refund.md, quote: five working days}]}
- {id: tour, class: natural, question: where does the tour begin, as: [staff],
   expect: [{document: docs/tour.md, quote: beside the old steam engine}]}
- {id: typed, class: natural, question: where does the tour begin, as: [staff],
   expect: [{document: docs/tuor.md, quote: beside the old steam engine}]}
- {id: old, class: natural, question: where did the tour begin, as: [staff],
   expect: [{document: docs/old.md, quote: beside the bell}]}
"""
    base.write(
        "old.md", "---\nvalid_until: 2020-01-01\n---\n# Tour\n\nThe old tour began beside the bell of the gate.\n"
    )
    base.delete("tour.md")
    assert base.run()["status"] == "published"
    (base.folder / "questions.yaml").write_text(asked, encoding="utf-8")
    kprep(base, "suppress", "docs/refund.md", "--reason", "legal", "--by", "ann")
    assert {row["id"]: row["reason"] for row in kprep(base, "questions", "check")} == {
        "code": "the principals of the question cannot read such a document",
        "refund": "the document is hidden (legal): see `kprep suppressed`",
        "tour": "the document is gone: its source deleted it",
        "typed": "the release has no such document",
        "old": "the document is no longer valid",
    }


def test_a_denied_question_that_names_what_is_not_there_is_a_stale_label_in_the_gate_too(base: TestBase) -> None:
    denied = (
        QUESTIONS.replace("quote: midpoint of grade}", "quote: bonus of grade}")
        + """
- {id: lost, class: denied, question: midpoint of grade seven, as: [], forbidden: [{document: docs/no.md, quote: pay}]}
"""
    )
    (base.folder / "questions.yaml").write_text(denied, encoding="utf-8")
    assert {row["id"]: row["reason"] for row in kprep(base, "questions", "check")} == {
        "pay": "the document has other words",
        "lost": "the release has no such document, so that nothing is denied",
    }
    base.write("tour.md", FILES["tour.md"] + "\nIt ends at noon.\n")
    checks = base.run()["gate"]["checks"]
    (stale,) = [check for check in checks if check["code"] == "questions_stale"]
    assert (stale["passed"], stale["level"]) == (False, "warning")
    assert {sample["question_id"] for sample in stale["samples"]} == {"pay", "lost"}


def test_suggested_questions_are_written_without_aliases(base: TestBase) -> None:
    arguments = ["questions", "suggest", "docs/refund.md", "docs/tour.md", "--as", "staff", "--kb", str(base.folder)]
    said = CliRunner().invoke(cli, arguments).stdout
    found = yaml.safe_load(said)
    assert len(found) > 1
    assert all(entry["as"] == ["staff"] for entry in found)
    assert "&id" not in said
    assert "*id" not in said


def test_a_question_that_cannot_be_asked_says_why_and_costs_no_other_one(
    base: TestBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = "the refund of a parcel " * 2000
    asked = (
        HELD_OUT.replace("beside the old steam engine", "beside the new bus stop")
        + f"""
- {{id: long, class: no_answer, question: {long}, as: [staff]}}
- {{id: broken, class: natural, question: the broken one, as: [staff],
   expect: [{{document: docs/refund.md, quote: five working days}}]}}
"""
    )
    (base.folder / "long.yaml").write_text(asked, encoding="utf-8")
    search = Searcher.search

    def broken(self: Searcher, request: SearchRequest) -> dict[str, Any]:
        if "broken" in request.question:
            self._reader.connection.exec_driver_sql("SELECT 1 / 0")
        return search(self, request)

    monkeypatch.setattr(Searcher, "search", broken)
    arguments = ["eval", "--questions", str(base.folder / "long.yaml"), "--kb", str(base.folder)]
    (part,) = kprep(base, *arguments[:3])["sets"]
    dense = part["configurations"]["dense"]
    assert (dense["no_answer"]["n"], dense["no_answer"]["total"]) == (0, 1)
    why = {row["id"]: row["error"] for row in dense["failed"]}
    assert "tokens, the model takes" in why["long"]
    assert why["broken"] == "PostgreSQL refused a statement: division by zero"
    assert [row["id"] for row in dense["questions"]] == ["tour"], "a failed statement leaves the others"
    assert [(row["id"], row["reason"]) for row in part["stale"]] == [("tour", "the document has other words")]
    said = " ".join(CliRunner().invoke(cli, [*arguments, "--no-timing"]).stdout.split())
    assert "0 of 0" not in said
    assert "could not be asked by dense: long: a text has" in said
    assert "could not be asked by lexical, dense, hybrid (rrf), hybrid, hybrid+references: broken: PostgreSQL" in said
    assert "stale label: tour: docs/tour.md: the document has other words" in said


@pytest.mark.req("C2.7")
def test_a_missed_question_says_whether_the_evidence_floor_or_its_label_is_why(base: TestBase) -> None:
    stale = "- {id: old, class: natural, question: tour of the museum, as: [staff],\n"
    stale += "   expect: [{document: docs/tour.md, quote: beside the new engine}]}\n"
    (base.folder / "questions.yaml").write_text(QUESTIONS + stale, encoding="utf-8")
    base.configure(retrieval={"evidence": {"dense": 1.0, "lexical": 1.0, "dense_weak": 1.0, "lexical_weak": 1.0}})
    base.touch("tour.md")
    base.run()
    number = str(kprep(base, "release", "list")[0]["release"])
    (part,) = kprep(base, "eval", "--no-timing", "--release", number)["sets"]
    why = {row["id"]: row["reason"] for row in part["missed"]}
    assert "found it, but nothing was evidence enough to answer" in why["refund"]
    assert why["old"] == "its label is stale: docs/tour.md: the document has other words"
