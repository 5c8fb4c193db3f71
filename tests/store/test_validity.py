"""What is valid now, what was, and what replaces what."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from kprep.core.errors import RetrievalError
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.pages import FOUR, page

TODAY = date.today()  # noqa: DTZ011 -- as the published views see it
YESTERDAY, TOMORROW = TODAY - timedelta(days=1), TODAY + timedelta(days=1)


def allowance(euros: str, front_matter: str = "") -> str:
    return page("Allowance", f"The daily allowance for journeys is {euros} euros.", front_matter=front_matter)


def on(base: TestBase, day: date, *who: str) -> set[str]:
    """Files that can be read on a day, by `get` and by `chunks`."""
    found = set()
    with base.connection() as connection:
        reader = base.reader(connection, who or ("staff",), as_of=day)
        for path in base.path("").glob("*.md"):
            try:
                reader.get(f"docs/{path.name}")
                assert reader.chunks(f"docs/{path.name}")
                found.add(path.name)
            except RetrievalError:
                pass
    return found


@pytest.mark.req("D7.19", "D7.23")
def test_default_reads_give_what_is_valid_now(make_base: MakeBase) -> None:
    base = make_base(
        {
            "expired.md": allowance("thirty", f"valid_until: {TODAY}"),
            "current.md": allowance("forty", f"valid_from: {YESTERDAY}\nvalid_until: {TOMORROW}"),
            "future.md": allowance("fifty", f"valid_from: {TOMORROW}"),
        }
    )
    base.run()
    assert on(base, TODAY) == {"current.md"}
    for mode in ("lexical", "dense", "hybrid"):
        assert {hit["document_uri"] for hit in base.search("daily allowance for journeys", mode)} == {"docs/current.md"}
    assert on(base, YESTERDAY) == {"expired.md", "current.md"}
    assert on(base, TOMORROW) == {"future.md"}  # expires and begins by date, without a run


@pytest.mark.req("D7.19", "D7.23", "C7.4")
def test_successor_ends_its_predecessor_when_it_begins(make_base: MakeBase) -> None:
    base = make_base({"v1.md": allowance("thirty"), **FOUR})
    base.run()
    base.write("v2.md", allowance("forty", f"valid_from: {YESTERDAY}\nsupersedes: v1.md"))
    base.write("v3.md", allowance("fifty", f"valid_from: {TOMORROW}\nsupersedes: docs/v2.md"))
    summary = base.run()
    assert (summary["status"], summary["work"]["parsed"]) == ("published", 2)
    rest = set(FOUR)
    assert on(base, YESTERDAY - timedelta(days=1)) == rest | {"v1.md"}
    assert on(base, TODAY) == rest | {"v2.md"}
    assert on(base, TOMORROW) == rest | {"v3.md"}
    hits = base.search("What is the daily allowance for journeys?", "hybrid")
    assert "forty" in hits[0]["text"]
    assert not any("thirty" in hit["text"] for hit in hits)
    with base.connection() as connection:
        old = base.reader(connection, ["staff"], as_of=date(2000, 1, 1)).get("docs/v1.md")
        assert old["metadata"]["valid_until"] == YESTERDAY.isoformat()
        assert old["metadata"]["superseded_by"] == ["docs/v2.md"]
        assert base.reader(connection, ["staff"]).chunks("docs/v2.md")[0]["superseded_by"] == ["docs/v3.md"]
    fresh = make_base({path.name: path.read_bytes() for path in base.path("").iterdir()})
    fresh.run()
    assert fresh.content() == base.content()
    assert base.run()["status"] == "unchanged"


@pytest.mark.req("D7.23", "C7.5")
def test_predecessor_holds_again_when_its_successor_goes(make_base: MakeBase) -> None:
    newer = allowance("forty", f"valid_from: {YESTERDAY}\nsupersedes: v1.md")
    base = make_base({"v1.md": allowance("thirty"), "v2.md": newer, **FOUR})
    base.run()
    assert on(base, TODAY) == {"v2.md", *FOUR}
    base.delete("v2.md")
    summary = base.run()
    assert (summary["status"], summary["work"]["parsed"], summary["work"]["embedded"]) == ("published", 0, 0)
    assert on(base, TODAY) == {"v1.md", *FOUR}
    with base.connection() as connection:
        assert "superseded_by" not in base.reader(connection).get("docs/v1.md")["metadata"]


@pytest.mark.req("C7.4", "C6.15")
def test_a_successor_the_reader_may_not_see_is_not_named(make_base: MakeBase) -> None:
    newer = allowance("forty", f"valid_from: {TOMORROW}\nsupersedes: v1.md\nacl: [board]")
    base = make_base({"v1.md": allowance("thirty", "acl: [staff, board]"), "v2.md": newer})
    base.run()
    with base.connection() as connection:
        assert "superseded_by" not in base.reader(connection, ["staff"]).get("docs/v1.md")["metadata"]
        shown = base.reader(connection, ["board"]).get("docs/v1.md")["metadata"]
        assert shown["superseded_by"] == ["docs/v2.md"]


@pytest.mark.req("D7.23")
def test_circles_do_no_harm(make_base: MakeBase) -> None:
    base = make_base(
        {
            "a.md": allowance("ten", "supersedes: b.md"),
            "b.md": allowance("twenty", "supersedes: a.md"),
            "self.md": allowance("thirty", f"supersedes: self.md\nvalid_from: {YESTERDAY}"),
            "old.md": allowance("forty", f"supersedes: new.md\nvalid_from: {YESTERDAY - timedelta(days=1)}"),
            "new.md": allowance("fifty", f"supersedes: old.md\nvalid_from: {YESTERDAY}"),
            "lost.md": allowance("sixty", "supersedes: nowhere.md"),
        }
    )
    assert base.run()["status"] == "published"
    assert on(base, TODAY) == {"a.md", "b.md", "self.md", "new.md", "lost.md"}


@pytest.mark.req("D9.4")
def test_what_had_ended_and_is_valid_again_is_told(make_base: MakeBase) -> None:
    def lost(summary: dict[str, Any]) -> dict[str, Any]:
        (check,) = [check for check in summary["gate"]["checks"] if check["code"] == "validity_lost"]
        return dict(check)

    base = make_base({"old.md": allowance("thirty", f"valid_until: {YESTERDAY}"), **FOUR})
    base.run()
    base.write("old.md", allowance("thirty", f"valid_until: {TODAY}"))
    assert lost(base.run())["passed"], "it goes on being over"
    later = TOMORROW + timedelta(days=3650)
    base.write("old.md", allowance("thirty", f"valid_until: {later}"))
    told = lost(base.run())
    assert (told["level"], told["passed"]) == ("warning", False)
    assert "1 had ended and are valid again" in told["message"]
    ended = {"document_uri": "docs/old.md", "ended": TODAY.isoformat(), "ends": later.isoformat()}
    assert told["samples"] == [ended]
    base.write("old.md", allowance("thirty", f"valid_until: {later + timedelta(days=1)}"))
    assert lost(base.run())["passed"], "what is valid may be valid for longer"


@pytest.mark.req("D7.19")
def test_an_end_of_its_own_stays(make_base: MakeBase) -> None:
    base = make_base(
        {
            "v1.md": allowance("thirty", f"valid_until: {TOMORROW + timedelta(days=3)}"),
            "v2.md": allowance("forty", f"valid_from: {YESTERDAY}\nsupersedes: v1.md"),
        }
    )
    base.run()
    assert on(base, TODAY) == {"v1.md", "v2.md"}
    assert on(base, TOMORROW + timedelta(days=3)) == {"v2.md"}


@pytest.mark.req("D7.19", "D7.23")
def test_what_the_first_lines_say_of_validity_counts(make_base: MakeBase) -> None:
    last = TOMORROW.strftime("%d %B %Y").lstrip("0")
    base = make_base(
        {
            "v1.md": page("Allowance", f"Effective from {YESTERDAY}.", "The daily allowance is thirty euros."),
            "v2.md": page("Allowance", f"Effective from {TOMORROW}.", "This policy replaces [the old one](v1.md)."),
            "old.md": page("Old", f"Valid until {last}.", f"Effective from {TOMORROW} on, the canteen is closed."),
        },
        embedding={"provider": "none"},
    )
    base.run()
    assert on(base, TODAY) == {"v1.md", "old.md"}
    assert on(base, TOMORROW) == {"v2.md", "old.md"}, "until a day includes that day; the successor ends the first"
    assert on(base, TOMORROW + timedelta(days=1)) == {"v2.md"}
