"""Who may see what, through the overlay and the one function every read goes through."""

from __future__ import annotations

from datetime import date

import pytest
from sqlalchemy import text

from flows import review
from kprep.core.errors import ConfigError
from kprep.store import overlay, releases
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.pages import FOUR, TRAVEL, page

LONG = "The bonus of the directors is paid in April, after the accounts of the year before were approved."


def visible(base: TestBase, principals: list[str], day: date | None = None, release: int | None = None) -> set[str]:
    """URIs by `kprep.visible_members` on a day."""
    statement = text(
        "SELECT DISTINCT d.uri FROM kprep.visible_members(:kb, :release, :principals, :day) m "
        "JOIN kprep.documents d ON d.kb = m.kb AND d.document_id = m.document_id"
    )
    with base.connection() as connection:
        number = release or base.live(connection)
        values = {"kb": base.name, "release": number, "principals": principals, "day": day or date(2026, 1, 1)}
        return {row[0].removeprefix("docs/") for row in connection.execute(statement, values)}


@pytest.mark.req("D1.15", "D9.10")
def test_only_principals_of_the_acl_see_a_document(make_base: MakeBase) -> None:
    secret = page("Bonus", LONG, front_matter="acl: [board]")
    open_page = page(
        "Opening hours", "The shop is open from nine to six on every working day.", front_matter="acl: public"
    )
    unreadable = page(
        "Broken", "Nobody may see this, because its permissions make no sense.", front_matter="acl: {a: 1}"
    )
    base = make_base({"travel.md": TRAVEL, "bonus.md": secret, "hours.md": open_page, "broken.md": unreadable})
    base.run()
    assert visible(base, []) == {"hours.md"}
    assert visible(base, ["staff"]) == {"hours.md", "travel.md"}
    assert visible(base, ["board"]) == {"hours.md", "bonus.md"}
    assert visible(base, ["staff", "board", "nobody"]) == {"hours.md", "travel.md", "bonus.md"}
    for mode in ("lexical", "dense", "hybrid"):
        assert (
            base.search("When is the bonus of the directors paid?", mode, ["board"])[0]["document_uri"]
            == "docs/bonus.md"
        )
        hits = base.search("When is the bonus of the directors paid?", mode, ["staff"])
        assert "docs/bonus.md" not in {hit["document_uri"] for hit in hits}


@pytest.mark.req("D1.15")
def test_a_copy_with_more_readers_is_told_by_the_gate(make_base: MakeBase) -> None:
    base = make_base({"bonus.md": page("Bonus", LONG, front_matter="acl: [board]"), "travel.md": TRAVEL})
    base.run()
    base.write("minutes.md", page("Minutes", LONG, front_matter="acl: public"))
    (check,) = [check for check in base.run()["gate"]["checks"] if check["code"] == "copies_wider"]
    assert (check["level"], check["passed"], check["value"]) == ("warning", False, 1)
    told = {name: check["samples"][0][name] for name in ("document_uri", "readers", "closed_in", "readers_there")}
    assert told == {
        "document_uri": "docs/minutes.md",
        "readers": ["public"],
        "closed_in": "docs/bonus.md",
        "readers_there": ["board"],
    }
    base.write("minutes.md", page("Minutes", LONG, front_matter="acl: [board]"))
    again = base.run()["gate"]["checks"]
    assert all(check["passed"] for check in again if check["code"] == "copies_wider")


@pytest.mark.req("D1.15")
def test_source_without_acl_lets_nobody_in(make_base: MakeBase) -> None:
    source = {"name": "docs", "kind": "filesystem", "path": "docs", "include": ["**/*"]}
    base = make_base(FOUR, sources=[source])
    base.run()
    assert visible(base, ["staff", "board", "everybody"]) == set()


@pytest.mark.req("D1.15", "D7.19", "D7.23")
def test_validity_is_judged_on_the_day_of_reading(make_base: MakeBase) -> None:
    old = page("Allowance 2024", "The allowance is forty euros a day.", front_matter="valid_until: 2025-01-01")
    new = page("Allowance 2025", "The allowance is fifty euros a day.", front_matter="valid_from: 2025-01-01")
    base = make_base({"old.md": old, "new.md": new})
    base.run()
    assert visible(base, ["staff"], date(2024, 12, 31)) == {"old.md"}
    assert visible(base, ["staff"], date(2025, 1, 1)) == {"new.md"}
    assert base.uris(["staff"]) == ["new.md"]


@pytest.mark.req("D10.4", "D10.6")
@pytest.mark.parametrize("reason", ["legal", "operator"])
def test_suppression_ends_only_by_a_person(make_base: MakeBase, reason: str) -> None:
    base = make_base(FOUR)
    base.run()
    with base.connection() as connection:
        statement = text("SELECT document_id FROM kprep.documents WHERE kb = :kb AND uri = 'docs/travel.md'")
        key = connection.execute(statement, {"kb": base.name}).scalar_one()
        overlay.suppress(connection, base.name, [key], reason, "a person")
        overlay.suppress(connection, base.name, [key], reason, "a person twice")
    assert "travel.md" not in visible(base, ["staff"])
    base.write("travel.md", TRAVEL.replace("forty-two", "forty-three"))
    assert base.run()["status"] == "published"
    assert "travel.md" not in visible(base, ["staff"])
    assert base.search("travel allowance", "lexical") == []
    with base.connection() as connection:
        _, differing = releases.diff(connection, base.name, 1, 2)
    assert {(chunk["uri"], chunk["text"]) for chunk in differing} == {("docs/travel.md", None)}


@pytest.mark.req("D10.5")
def test_narrowing_takes_effect_although_the_gate_blocks(make_base: MakeBase) -> None:
    base = make_base(FOUR)
    base.source(acl=["staff", "board"])
    base.run()
    base.block()
    base.source(acl=["board"])
    assert base.run()["status"] == "blocked"
    assert (base.live(), visible(base, ["staff"]), visible(base, ["board"])) == (1, set(), set(FOUR))
    base.unblock()
    assert base.run()["status"] == "published"
    assert (visible(base, ["staff"]), visible(base, ["board"])) == (set(), set(FOUR))


@pytest.mark.req("D10.5")
def test_narrowing_takes_effect_although_deletions_wait(make_base: MakeBase) -> None:
    base = make_base(FOUR, quality={"mass_delete_documents": 0, "thresholds": {"short_share": 1.0}})
    base.source(acl=["staff", "board"])
    base.run()
    base.delete("travel.md")
    base.source(acl=["board"])
    assert base.run()["status"] == "waiting"
    assert (visible(base, ["staff"]), visible(base, ["board"])) == (set(), set(FOUR))


@pytest.mark.req("D10.5")
@pytest.mark.parametrize("acl", ["acl: [board]", "acl: {unreadable: 1}", "acl: []"])
def test_front_matter_that_narrows_acts_although_the_gate_blocks(make_base: MakeBase, acl: str) -> None:
    base = make_base(FOUR)
    base.run()
    base.write("travel.md", page("Travel", "The allowance is forty-two euros a day.", front_matter=acl))
    base.block()
    assert base.run()["status"] == "blocked"
    assert visible(base, ["staff"]) == set(FOUR) - {"travel.md"}
    base.unblock()
    assert base.run()["status"] == "published"
    assert visible(base, ["staff"]) == set(FOUR) - {"travel.md"}
    assert visible(base, ["board"]) == ({"travel.md"} if "board" in acl else set())
    base.write("travel.md", TRAVEL)
    base.run()
    assert visible(base, ["staff"]) == set(FOUR)


@pytest.mark.req("D10.5")
def test_front_matter_that_narrows_acts_although_deletions_wait(make_base: MakeBase) -> None:
    base = make_base(FOUR, quality={"mass_delete_documents": 0, "thresholds": {"short_share": 1.0}})
    base.run()
    base.delete("safety.md")
    base.write("travel.md", page("Travel", "The allowance is forty-two euros a day.", front_matter="acl: [board]"))
    base.write("new.md", page("New", "A page that nobody has seen."))
    for parsed in (1, 0):  # what was prepared is kept for the run that may go on
        summary = base.run()
        assert (summary["status"], summary["work"]["parsed"]) == ("waiting", parsed)
        assert (visible(base, ["staff"]), base.live()) == (set(FOUR) - {"travel.md"}, 1)
    summary = base.run(allow_deletes=True)
    assert (summary["status"], summary["work"]["parsed"]) == ("published", 1)
    assert visible(base, ["staff"]) == {*FOUR, "new.md"} - {"travel.md", "safety.md"}
    assert visible(base, ["board"]) == {"travel.md"}


@pytest.mark.req("D10.5")
def test_an_embedder_that_cannot_be_used_delays_no_denial(make_base: MakeBase) -> None:
    base = make_base(FOUR)
    base.source(acl=["staff", "board"])
    base.run()
    base.delete("travel.md")
    base.write("safety.md.acl.yaml", "acl: [board]")
    base.configure(embedding={"provider": "unknown"})
    for only in ([], ["docs/refunds.md"]):
        base.write("refunds.md.acl.yaml", "acl: [board]")
        with pytest.raises(ConfigError, match="unknown"):
            base.run(only=only)
        assert visible(base, ["staff"]) == {"holidays.md"}
    base.configure(embedding={"provider": "none"})
    assert base.run()["status"] == "published"
    assert visible(base, ["staff"]) == {"holidays.md"}


@pytest.mark.req("D10.5")
def test_a_mended_sidecar_of_a_public_document_goes_through_by_an_approval(make_base: MakeBase) -> None:
    base = make_base({**FOUR, "travel.md.acl.yaml": "acl: [public]"})
    base.run()
    assert visible(base, []) == {"travel.md"}
    base.write("travel.md.acl.yaml", "acl: [")
    base.run()
    assert visible(base, ["staff"]) == set(FOUR) - {"travel.md"}
    base.write("travel.md.acl.yaml", "acl: [public]")
    for _ in range(2):
        assert base.run()["status"] == "blocked"
        assert visible(base, ["staff"]) == set(FOUR) - {"travel.md"}
    assert review.show(base.workspace, None)["checks"][0]["code"] == "permissions_widened"
    review.approve(base.workspace, None, "the sidecar was mended", "ann", dry_run=False)
    assert visible(base, []) == {"travel.md"}
    summary = base.run()
    assert (summary["status"], summary["failures"]) == ("unchanged", [])
    assert visible(base, []) == {"travel.md"}


@pytest.mark.req("D10.5")
def test_document_that_fails_while_its_permissions_narrow_stays_narrow(make_base: MakeBase) -> None:
    base = make_base(FOUR)
    base.source(acl=["staff", "board"])
    base.run()
    base.write("travel.md", "")
    base.source(acl=["board"])
    for status in ("published", "unchanged", "unchanged"):
        assert base.run()["status"] == status
        assert (visible(base, ["staff"]), visible(base, ["board"])) == (set(), set(FOUR))


@pytest.mark.req("D10.5")
def test_a_mistake_in_the_questions_delays_no_denial(make_base: MakeBase) -> None:
    base = make_base(FOUR)
    base.run()
    (base.folder / "questions.yaml").write_text("- {id: nothing-else}\n", encoding="utf-8")
    base.configure(quality={"questions": "questions.yaml"})
    base.delete("travel.md")
    with pytest.raises(ConfigError, match="class is missing"):
        base.run()
    assert visible(base, ["staff"]) == set(FOUR) - {"travel.md"}


@pytest.mark.req("D10.5")
@pytest.mark.parametrize("front_matter", ["acl: [board", "acl: [board]", "sections: {travel-rule-2: [board]}"])
def test_front_matter_of_a_failed_document_narrows_what_stays_published(make_base: MakeBase, front_matter: str) -> None:
    base = make_base(FOUR)
    base.run()
    base.write("travel.md", page("Travel", "The login is password = hG7_kfLq92xZ.", front_matter=front_matter))
    for _ in range(2):
        assert len(base.run()["failures"]) == 1
        assert visible(base, ["staff"]) == set(FOUR) - {"travel.md"}
    base.write("travel.md", page("Travel", "Trains in second class are always allowed."))
    base.run()
    assert visible(base, ["staff"]) == set(FOUR)


@pytest.mark.req("D10.5")
def test_rollback_brings_no_permission_back(make_base: MakeBase) -> None:
    from flows.run import roll_back

    base = make_base(FOUR)
    base.source(acl=["staff", "board"])
    base.run()
    base.source(acl=["board"])
    base.run()
    roll_back(base.workspace, 1, dry_run=False)
    assert (visible(base, ["staff"]), visible(base, ["board"])) == (set(), set(FOUR))
    assert visible(base, ["staff"], release=1) == set()
    base.source(acl=["staff", "board"])
    assert base.run()["status"] == "unchanged"
    assert visible(base, ["staff"]) == set(FOUR)


@pytest.mark.req("D10.5")
def test_widening_waits_for_the_gate(make_base: MakeBase) -> None:
    base = make_base(FOUR)
    base.run()
    base.block()
    base.source(acl=["staff", "board"])
    assert base.run()["status"] == "blocked"
    assert visible(base, ["board"]) == set()
    base.unblock()
    base.run()
    assert visible(base, ["board"]) == set(FOUR)


@pytest.mark.req("D10.5")
def test_file_that_moves_to_a_stricter_source_leaves_the_old_one_at_once(make_base: MakeBase) -> None:
    def source(name: str, acl: str) -> dict[str, object]:
        return {"name": name, "kind": "filesystem", "path": name, "include": ["**/*"], "acl": [acl]}

    base = make_base(FOUR, sources=[source("docs", "staff"), source("secret", "board")])
    (base.folder / "secret").mkdir()
    (base.folder / "secret" / "bonus.md").write_text(page("Bonus", LONG))
    base.run()
    (base.folder / "docs" / "travel.md").rename(base.folder / "secret" / "travel.md")
    base.block()
    assert base.run()["status"] == "blocked"
    assert visible(base, ["staff"]) == set(FOUR) - {"travel.md"}
    base.unblock()
    summary = base.run()
    assert (summary["status"], summary["work"]["parsed"], summary["work"]["embedded"]) == ("published", 0, 0)
    assert visible(base, ["staff"]) == set(FOUR) - {"travel.md"}
    assert visible(base, ["board"]) == {"secret/travel.md", "secret/bonus.md"}
