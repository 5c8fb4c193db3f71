"""What the gate compares a candidate with when permissions act before it, and after candidates that came to nothing."""

from __future__ import annotations

import os
from typing import Any

import pytest
import yaml

from flows import run as steps
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.pages import FOUR, page

LEAVE = page("Leave", "Everybody has twenty-five days of paid leave in each year of work.")
BIKES = page("Bikes", "The bikes of the company stand in the yard and are free for all.")
QUESTIONS = (
    ("days", "How many days of paid leave are there?", "leave.md", "twenty-five days of paid leave"),
    ("year", "paid leave in each year of work", "leave.md", "in each year of work"),
    ("yard", "Where do the bikes of the company stand?", "bikes.md", "stand in the yard"),
    ("free", "Who may take the bikes?", "bikes.md", "free for all"),
    ("two", "Are the bikes of the company free?", "bikes.md", "free for all"),
)


def asked() -> str:
    return yaml.safe_dump(
        [
            {
                "id": key,
                "question": question,
                "class": "natural",
                "as": ["staff"],
                "expect": [{"document": f"docs/{document}", "quote": quote}],
            }
            for key, question, document, quote in QUESTIONS
        ]
    )


def check(summary: dict[str, Any], code: str) -> dict[str, Any]:
    return next(found for found in summary["gate"]["checks"] if found["code"] == code)


def questioned(base: TestBase) -> TestBase:
    (base.folder / "questions.yaml").write_text(asked(), encoding="utf-8")
    thresholds = {"short_share": 1.0, "failed_share": 1.0, "duplicate_share": 1.0}
    base.configure(quality={"questions": "questions.yaml", "thresholds": thresholds})
    return base


@pytest.mark.req("D9.10")
def test_a_document_closed_by_mistake_makes_questions_worse_and_is_named(make_base: MakeBase) -> None:
    base = questioned(make_base({"leave.md": LEAVE, "bikes.md": BIKES}))
    assert base.run()["status"] == "published"
    base.write("leave.md", closed())
    summary = base.run()
    assert summary["status"] == "blocked"
    assert summary["denied"]["documents"] == 1
    worse, lost = check(summary, "questions_worse"), check(summary, "readers_lost")
    assert "was 1.000 and is 0.600" in worse["message"]
    assert lost["samples"][0]["document_uri"] == "docs/leave.md"
    assert lost["samples"][0]["lost"] == ["staff"]
    assert lost["value"] == 0.5
    again = base.run()
    assert "was 1.000 and is 0.600" in check(again, "questions_worse")["message"], "also while the denial stands"
    base.write("leave.md", LEAVE)
    assert base.run()["status"] == "unchanged"


def closed() -> str:
    return page("Leave", "Everybody has twenty-five days of paid leave in each year of work.", front_matter="acl: []")


@pytest.mark.req("D9.10")
def test_a_sources_list_that_changes_is_one_row(make_base: MakeBase) -> None:
    base = questioned(make_base({**FOUR, "leave.md": LEAVE, "bikes.md": BIKES}))
    base.run()
    base.source(acl=["stafff"])
    summary = base.run()
    lost = check(summary, "readers_lost")
    assert (summary["status"], lost["value"], len(lost["samples"])) == ("blocked", 1.0, 1)
    assert lost["samples"][0]["documents"] == len(FOUR) + 2
    assert lost["samples"][0]["readers"] == ["stafff"]


def test_readers_that_come_back_are_counted(make_base: MakeBase) -> None:
    base = make_base({"leave.md": closed(), "bikes.md": BIKES})
    base.run()
    base.write("leave.md", LEAVE)
    assert base.run()["documents"]["readers_changed"] == 1


@pytest.mark.req("D9.10")
def test_what_blocked_candidates_wrote_is_not_new(make_base: MakeBase) -> None:
    base = make_base({**FOUR, "leave.md": LEAVE, "bikes.md": BIKES})
    base.run()
    paths = [path for path in (base.folder / "docs").rglob("*") if path.is_file()]
    before = {path: (path.read_bytes(), path.stat()) for path in paths}
    for number in range(2):
        for path in paths:
            path.write_bytes(path.read_bytes().rstrip() + f"\n\nAdded in the try of number {number}.\n".encode())
        base.block()
        assert base.run()["status"] == "blocked"
    base.unblock()
    for path, (content, stat) in before.items():
        path.write_bytes(content)
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    base.write("bikes.md", BIKES.replace("yard", "hall"))
    summary = base.run()
    assert (summary["status"], summary["documents"]["changed"]) == ("published", 1)
    assert check(summary, "mass_change")["message"].startswith(f"1 of {len(paths)} ")


@pytest.mark.req("D9.10")
def test_what_a_rollback_brought_back_is_not_new(make_base: MakeBase) -> None:
    base = make_base({**FOUR, "leave.md": LEAVE, "bikes.md": BIKES})
    base.run()
    paths = [path for path in (base.folder / "docs").rglob("*") if path.is_file()]
    before = {path: (path.read_bytes(), path.stat()) for path in paths}
    for path in paths:
        path.write_bytes(path.read_bytes().rstrip() + b"\n\nAdded for the second release.\n")
    assert base.run()["status"] == "published"
    steps.roll_back(base.workspace, 1, dry_run=False)
    for path, (content, stat) in before.items():
        path.write_bytes(content)
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    base.write("bikes.md", BIKES.replace("yard", "hall"))
    summary = base.run()
    assert summary["status"] == "published"
    assert check(summary, "mass_change")["message"].startswith(f"1 of {len(paths)} ")


CONFIDENTIAL = (
    "Grade E4 is paid between 63,000 and 79,000 EUR a year, and grade E5 between 80,000 and 99,000 EUR a year."
)


@pytest.mark.req("D9.10")
def test_a_confidential_paragraph_in_an_unchanged_document_is_found_in_a_page_for_others(make_base: MakeBase) -> None:
    base = make_base({"training.md": BIKES})
    secret = {"name": "pay", "kind": "filesystem", "path": "pay", "include": ["**/*"], "acl": ["people-team"]}
    base.configure(sources=[*base.config["sources"], secret | {"sensitivity": "confidential"}])
    (base.folder / "pay").mkdir()
    (base.folder / "pay" / "bands.md").write_text(page("Bands", CONFIDENTIAL), encoding="utf-8")
    base.run()
    base.write("training.md", f"{BIKES.rstrip()}\n\n{CONFIDENTIAL}\n")
    (row,) = check(base.run(), "copies_wider")["samples"]
    assert (row["document_uri"], row["closed_in"]) == ("docs/training.md", "pay/bands.md")
    base.write("training.md", BIKES)
    (base.folder / "pay" / "bands.md").rename(base.path("bands.md"))
    (base.folder / "pay" / "none.md").write_text(
        page("None", "Nothing is said here of what is paid."), encoding="utf-8"
    )
    (moved,) = check(base.run(), "copies_wider")["samples"]
    assert (moved["document_uri"], moved["closed_in"]) == ("docs/bands.md", "pay/bands.md")
    assert (moved["sensitivity"], moved["sensitivity_there"]) == ("internal", "confidential")
