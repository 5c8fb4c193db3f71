"""A file that is renamed and whose new version fails: what readers have stays, under its old name."""

from __future__ import annotations

from typing import Any

import pytest

from flows import rooms
from flows.planning import status
from kprep.core.models import Failure
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.pages import FOUR, TRAVEL


@pytest.fixture
def base(make_base: MakeBase) -> TestBase:
    made = make_base(FOUR, embedding={"provider": "none"})
    assert made.run()["status"] == "published"
    return made


def rename_and_fail(base: TestBase, monkeypatch: pytest.MonkeyPatch, *, new: str, retryable: bool) -> dict[str, Any]:
    """A run in which a rule changed with the name, so that nothing can be reused, and the document fails."""
    base.rename("travel.md", new)
    base.configure(chunking={"profiles": {"document": {"overlap_sentences": 1}}})
    real: Any = rooms.prepare

    def failing(job: Any, *rest: Any) -> Any:
        outcome = real(job, *rest)
        if job.raw.name == new.rpartition("/")[2]:
            failure = Failure("chunk", "chunking_failed", "refused by the test", retryable=retryable)
            return type(outcome)(failure)
        return outcome

    with monkeypatch.context() as patched:
        patched.setattr(rooms, "prepare", failing)
        return base.run()


def failures(base: TestBase) -> dict[str, str]:
    return {row["uri"]: row["reason"] for row in status(base.workspace)["failures"]}


@pytest.mark.req("D10.1")
@pytest.mark.parametrize("retryable", [False, True])
def test_old_version_stays_until_the_new_one_comes_through(
    base: TestBase, monkeypatch: pytest.MonkeyPatch, retryable: bool
) -> None:
    summary = rename_and_fail(base, monkeypatch, new="far/journeys.md", retryable=retryable)
    assert summary["documents"]["retired"] == 0
    assert "travel.md" in base.uris(("staff",))
    assert failures(base) == {"docs/far/journeys.md": "chunking_failed", "docs/travel.md": "rename_failed"}
    if not retryable:
        assert base.run()["status"] == "unchanged"
        assert "travel.md" in base.uris(("staff",))
        assert failures(base) == {"docs/far/journeys.md": "chunking_failed", "docs/travel.md": "rename_failed"}
        base.write("far/journeys.md", TRAVEL.replace("forty-two", "fifty"))
    base.run()
    assert "travel.md" not in base.uris(("staff",))
    assert "far/journeys.md" in base.uris(("staff",))
    assert failures(base) == {}


@pytest.mark.req("D10.4")
def test_old_version_goes_when_the_new_one_is_deleted(base: TestBase, monkeypatch: pytest.MonkeyPatch) -> None:
    rename_and_fail(base, monkeypatch, new="far/journeys.md", retryable=False)
    base.delete("far/journeys.md")
    base.run()
    assert "travel.md" not in base.uris(("staff",))
    assert failures(base) == {}


@pytest.mark.req("D10.5")
def test_old_version_is_for_nobody_the_new_place_shuts_out(base: TestBase, monkeypatch: pytest.MonkeyPatch) -> None:
    base.write("closed/.acl.yaml", "acl: [board]\n")
    rename_and_fail(base, monkeypatch, new="closed/journeys.md", retryable=False)
    assert "travel.md" not in base.uris(("staff",))


def test_run_whose_only_news_is_a_failed_rename_publishes_nothing(
    make_base: MakeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = make_base({"travel.md": TRAVEL}, embedding={"provider": "none"})
    base.run()
    assert rename_and_fail(base, monkeypatch, new="journeys.md", retryable=False)["status"] == "unchanged"
    assert base.uris(("staff",)) == ["travel.md"]
