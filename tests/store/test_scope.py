"""What a run compares with the live release: folders that changed, or what a caller names; and never too little."""

from __future__ import annotations

import os
import shutil
import unicodedata
from collections.abc import Sequence
from typing import Any

import pytest

from flows.run import roll_back
from flows.scan import plan_run
from kprep.core.errors import ConfigError
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.pages import HOLIDAYS, REFUNDS, SAFETY, TRAVEL, page

FILES: dict[str, str | bytes] = {
    "refunds.md": REFUNDS,
    "house/safety.md": SAFETY,
    "house/deep/holidays.md": HOLIDAYS,
    "travel/travel.md": TRAVEL,
    "travel/trains.md": page("Trains", "Trains are booked by the travel desk, in the second class."),
}
KEYS = page("Keys", "Keys are handed out at the reception, against a signature.")


@pytest.fixture
def base(make_base: MakeBase) -> TestBase:
    made = make_base(FILES, embedding={"provider": "none"})
    assert made.run()["status"] == "published"
    assert looked_at(made) == []
    return made


def looked_at(base: TestBase, only: Sequence[str] = ()) -> list[str]:
    """Paths of the documents that a plan compares."""
    with base.connection() as connection:
        planned = plan_run(base.workspace, connection, allow_deletes=True, only=only)
    assert only or planned.scan.listed == sum(path.is_file() for path in base.path("").rglob("*.md"))
    return [item.uri.removeprefix("docs/") for item in planned.plan.documents]


def equals_a_fresh_build(base: TestBase, make_base: MakeBase) -> None:
    files: dict[str, str | bytes] = {
        str(path.relative_to(base.path(""))): path.read_bytes() for path in base.path("").rglob("*") if path.is_file()
    }
    config = {name: value for name, value in base.config.items() if name != "knowledge_base"}
    fresh = make_base(files, **config)
    fresh.run()
    assert base.content() == fresh.content()


@pytest.mark.req("D10.1", "D10.2")
def test_only_folders_that_changed_are_compared(base: TestBase, make_base: MakeBase) -> None:
    base.write("travel/travel.md", TRAVEL.replace("forty-two", "fifty"))
    base.write("travel/new/keys.md", KEYS)
    assert looked_at(base) == ["travel/new/keys.md", "travel/trains.md", "travel/travel.md"]
    summary = base.run()
    counts = summary["documents"]
    assert (counts["listed"], counts["added"], counts["changed"], counts["unchanged"]) == (6, 1, 1, 4)
    assert looked_at(base) == []
    assert base.run()["documents"]["unchanged"] == 6
    equals_a_fresh_build(base, make_base)


@pytest.mark.req("D10.1", "D9.11")
def test_what_a_blocked_run_saw_is_compared_again(base: TestBase, make_base: MakeBase) -> None:
    shutil.rmtree(base.path("house"))
    base.block()
    assert base.run(allow_deletes=True)["status"] == "blocked"
    base.unblock()
    assert "house/deep/holidays.md" in looked_at(base)
    base.run(allow_deletes=True)
    assert base.uris() == ["refunds.md", "travel/trains.md", "travel/travel.md"]
    assert looked_at(base) == []
    equals_a_fresh_build(base, make_base)


@pytest.mark.parametrize("change", ["rules", "rollback", "kprep"])
def test_everything_is_compared_when_the_release_was_made_otherwise(
    base: TestBase, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if change == "rules":
        base.source(sensitivity="secret")
    elif change == "rollback":
        base.write("travel/travel.md", TRAVEL.replace("forty-two", "fifty"))
        base.run()
        roll_back(base.workspace, 1, dry_run=False)
    else:
        monkeypatch.setattr("cleaning.VERSION", 1000)
    assert len(looked_at(base)) == len(FILES)
    assert base.run()["status"] == "published"
    assert looked_at(base) == []


def test_a_failed_document_is_looked_at_in_every_run(base: TestBase) -> None:
    base.write("travel/broken.pdf", b"%PDF-1.4 nothing")
    base.run()
    assert "travel/broken.pdf" in looked_at_with_pdf(base)
    base.delete("travel/broken.pdf")
    base.run()
    assert looked_at(base) == []
    with base.connection() as connection:
        from kprep.store import documents

        assert documents.failures(connection, base.name) == []


def looked_at_with_pdf(base: TestBase) -> list[str]:
    with base.connection() as connection:
        planned = plan_run(base.workspace, connection, allow_deletes=True)
    return [item.uri.removeprefix("docs/") for item in planned.plan.documents]


@pytest.mark.req("D10.5")
def test_permissions_of_a_folder_reach_what_is_below_it(base: TestBase) -> None:
    base.write("house/.acl.yaml", "acl: [board]\n")
    assert looked_at(base) == ["house/deep/holidays.md", "house/safety.md"]
    base.run()
    assert base.uris(("staff",)) == ["refunds.md", "travel/trains.md", "travel/travel.md"]
    base.write("house/safety.md.acl.yaml", "acl: [staff]\n")
    base.run()
    assert "house/safety.md" in base.uris(("staff",))


def test_two_spellings_of_one_folder_are_always_compared(base: TestBase) -> None:
    for form in ("NFC", "NFD"):
        base.write(f"{unicodedata.normalize(form, 'Zürich')}/{form}.md", KEYS.replace("reception", form))
    base.run()
    assert len(base.uris()) == len(FILES) + 2
    assert len(looked_at(base)) == 2
    base.write("Zürich/NFC.md", KEYS.replace("reception", "desk"))
    base.run()
    assert len(base.uris()) == len(FILES) + 2


def test_folder_that_cannot_be_entered_retires_nothing(base: TestBase, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.scandir

    def refuse(path: Any) -> Any:
        if str(path).endswith("house"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    with monkeypatch.context() as patched:
        patched.setattr(os, "scandir", refuse)
        base.write("travel/travel.md", TRAVEL.replace("forty-two", "fifty"))
        summary = base.run()
    assert [item["uri"] for item in summary["failures"]] == ["docs/house"]
    assert len(base.uris()) == len(FILES)
    shutil.rmtree(base.path("house"))
    summary = base.run(allow_deletes=True)
    assert summary["failures"] == []
    assert base.uris() == ["refunds.md", "travel/trains.md", "travel/travel.md"]


@pytest.mark.req("D10.1")
def test_named_files_are_taken_up_and_nothing_else_is_looked_at(
    base: TestBase, make_base: MakeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    base.write("travel/travel.md", TRAVEL.replace("forty-two", "fifty"))
    base.write("refunds.md", REFUNDS.replace("fourteen", "thirty"))
    base.write("travel/keys/keys.md", KEYS)
    base.delete("house/safety.md")
    only = ["docs/travel/travel.md", str(base.path("travel/keys")), "docs/house/safety.md"]
    assert looked_at(base, only) == ["house/safety.md", "travel/keys/keys.md", "travel/travel.md"]
    scanned: list[str] = []
    real = os.scandir

    def noted(path: Any) -> Any:
        scanned.append(str(path))
        return real(path)

    with monkeypatch.context() as patched:
        patched.setattr(os, "scandir", noted)
        summary = base.run(only=only)
    assert not [path for path in scanned if path.endswith("deep")]
    counts = summary["documents"]
    assert (counts["added"], counts["changed"], counts["retired"]) == (1, 1, 1)
    assert "fourteen" in base.chunks("refunds.md")[0]["text"]
    assert "house/safety.md" not in base.uris()
    assert base.run()["documents"]["changed"] == 1
    assert looked_at(base) == []
    equals_a_fresh_build(base, make_base)


def test_folder_that_only_a_named_run_saw_is_missed_when_it_goes(base: TestBase) -> None:
    base.write("fresh/keys.md", KEYS)
    base.run(only=["docs/fresh/keys.md"])
    assert "fresh/keys.md" in base.uris()
    shutil.rmtree(base.path("fresh"))
    assert base.run()["documents"]["retired"] == 1
    assert "fresh/keys.md" not in base.uris()


def test_both_names_of_a_renamed_file_make_a_rename(base: TestBase) -> None:
    base.rename("travel/travel.md", "journeys.md")
    summary = base.run(only=["docs/travel/travel.md", "docs/journeys.md"])
    assert (summary["documents"]["renamed"], summary["work"]["parsed"]) == (1, 0)


@pytest.mark.req("D10.5")
def test_named_permission_file_narrows_at_once(base: TestBase) -> None:
    base.write("travel/travel.md.acl.yaml", "acl: [board]\n")
    base.run(only=[str(base.path("travel/travel.md.acl.yaml"))])
    assert "travel/travel.md" not in base.uris(("staff",))
    base.write("house/.acl.yaml", "acl: [board]\n")
    base.run(only=["docs/house/.acl.yaml"])
    assert base.uris(("staff",)) == ["refunds.md", "travel/trains.md"]


@pytest.mark.parametrize(
    ("only", "said"),
    [
        ("docs/nowhere.md", "neither listed by its source nor published"),
        ("docs", "whole source"),
        ("/etc/passwd", "is in no source"),
        ("docs/../kprep.yaml", "whole source, or none"),
    ],
)
def test_what_cannot_be_named_says_so(base: TestBase, only: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        base.run(only=[only])
    assert base.live() == 1


@pytest.mark.req("D9.12")
def test_named_files_are_refused_under_other_rules(base: TestBase) -> None:
    base.write("refunds.md", REFUNDS.replace("fourteen", "thirty"))
    base.source(sensitivity="secret")
    with pytest.raises(ConfigError, match="run once without --only"):
        base.run(only=["docs/refunds.md"])
    assert base.run()["status"] == "published"


@pytest.mark.parametrize(("total", "status"), [(60, "published"), (40, "waiting")])
def test_named_deletions_are_guarded_by_the_whole_source(make_base: MakeBase, total: int, status: str) -> None:
    pages = {f"{at % 4}/page{at:02}.md": page(f"Page {at}", f"Words of page {at}.") for at in range(total)}
    base = make_base(dict(pages), embedding={"provider": "none"})
    base.run()
    gone = sorted(pages)[:11]
    for path in gone:
        base.delete(path)
    assert base.run(only=[f"docs/{path}" for path in gone])["status"] == status
