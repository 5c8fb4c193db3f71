"""Where permissions come from: source, rules, folders, sidecars, front matter, sections; and what broken ones do."""

from __future__ import annotations

import pytest

from flows.planning import preview
from flows.run import roll_back
from kprep.core.errors import RetrievalError
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.pages import FOUR, HOLIDAYS, TRAVEL, page

NOTHING = (0, 0)
SECRET = "The bonus of the directors is forty thousand euros."
HANDBOOK = f"""---
sections: {{pay: [board]}}
---
# Handbook

Everybody may read this introduction to the handbook of the house.

## Pay

{SECRET}

### Rates

The rate of the night shift is twelve euros an hour.

## Parking

Cars stand behind the house, bicycles in front of it.
"""


def work(summary: dict[str, dict[str, int]]) -> tuple[int, int]:
    return summary["work"]["parsed"], summary["work"]["embedded"]


@pytest.mark.req("D1.15")
def test_the_nearest_word_on_permissions_holds(make_base: MakeBase) -> None:
    own = page("Own", "This page says itself who may read it.", front_matter="acl: [own]")
    files: dict[str, str | bytes] = {
        "a.md": TRAVEL,
        "b.md": HOLIDAYS,
        "b.md.acl.yaml": "acl: [file]\n",
        "own.md": own,
        "hr/.acl.yaml": "acl: [folder]\n",
        "hr/c.md": page("C", "A page in a folder with permissions of its own."),
        "hr/deep/d.md": page("D", "A page below that folder."),
        "hr/deep/e.md": page("E", "A page below that folder with a sidecar."),
        "hr/deep/e.md.acl.yaml": "[e-readers, others]\n",
        "rules/f.md": page("F", "A page that a rule of the source names."),
    }
    base = make_base(files)
    base.source(acl_rules=[{"match": "rules/**", "acl": "ruled"}, {"match": "**/*.md", "acl": ["staff"]}])
    summary = base.run()
    assert (summary["status"], summary["failures"]) == ("published", [])
    seen = {who: base.uris([who]) for who in ("staff", "file", "own", "folder", "others", "ruled")}
    assert seen == {
        "staff": ["a.md"],
        "file": ["b.md"],
        "own": ["own.md"],
        "folder": ["hr/c.md", "hr/deep/d.md"],
        "others": ["hr/deep/e.md"],
        "ruled": ["rules/f.md"],
    }


@pytest.mark.req("D1.15", "D10.5")
@pytest.mark.parametrize("broken", ["{acl: {a: 1}}", "acl: [", "acl:\n", b"\xff\xfe\x00", "- 3\n", "other: [staff]"])
def test_f19_broken_sidecar_makes_private_at_once_and_is_named(make_base: MakeBase, broken: str | bytes) -> None:
    base = make_base(FOUR)
    base.run()
    base.block()
    base.write("travel.md.acl.yaml", broken)
    summary = base.run()
    assert summary["status"] == "blocked"
    assert base.uris() == ["holidays.md", "refunds.md", "safety.md"]
    base.unblock()
    for status in ("published", "unchanged"):
        summary = base.run()
        assert (summary["status"], work(summary)) == (status, NOTHING)
        assert [(row["uri"], row["reason"]) for row in summary["failures"]] == [
            ("docs/travel.md", "permissions_unreadable")
        ]
        assert "travel.md.acl.yaml" in summary["failures"][0]["detail"]
        assert base.uris() == ["holidays.md", "refunds.md", "safety.md"]
    base.write("travel.md.acl.yaml", "acl: [board]")
    summary = base.run()
    assert (summary["status"], summary["failures"], work(summary)) == ("published", [], NOTHING)
    assert "travel.md" in base.uris(["board"])


@pytest.mark.req("D1.15")
def test_broken_front_matter_is_named_until_it_is_mended(make_base: MakeBase) -> None:
    base = make_base({**FOUR, "broken.md": page("B", "Nobody may see this page.", front_matter="acl: {a: 1}")})
    for status in ("published", "unchanged"):
        summary = base.run()
        assert summary["status"] == status
        assert [row["reason"] for row in summary["failures"]] == ["permissions_unreadable"]
        assert "broken.md" not in base.uris()
    base.write("broken.md", page("B", "Nobody may see this page.", front_matter="acl: [staff]"))
    summary = base.run()
    assert summary["failures"] == []
    assert "broken.md" in base.uris(["staff"])


def test_permissions_for_a_file_that_is_not_there_are_named(make_base: MakeBase) -> None:
    base = make_base({**FOUR, "trvael.md.acl.yaml": "acl: [board]"}, embedding={"provider": "none"})
    planned = preview(base.workspace, allow_deletes=False)
    assert [(row["uri"], row["reason"]) for row in planned["problems"]] == [
        ("docs/trvael.md.acl.yaml", "permissions_unreadable")
    ]
    assert (len(planned["changes"]), planned["estimated_embeddings"]) == (4, 0)
    (failure,) = base.run()["failures"]
    assert (failure["uri"], failure["reason"]) == ("docs/trvael.md.acl.yaml", "permissions_unreadable")


@pytest.mark.req("D10.5", "D1.14")
def test_sidecar_and_rules_change_without_work_narrow_at_once_and_widen_after_the_gate(make_base: MakeBase) -> None:
    base = make_base(FOUR)
    base.source(acl=["staff", "board"])
    base.run()
    base.block()
    base.write("travel.md.acl.yaml", "acl: [board, extra]")
    base.source(acl_rules=[{"match": "safety.md", "acl": ["board", "extra"]}])
    assert base.run()["status"] == "blocked"
    assert base.uris(["staff"]) == ["holidays.md", "refunds.md"]
    assert base.uris(["extra"]) == []
    base.unblock()
    summary = base.run()
    assert (summary["status"], work(summary), summary["documents"]["repermissioned"]) == ("published", NOTHING, 2)
    assert base.uris(["staff"]) == ["holidays.md", "refunds.md"]
    assert base.uris(["extra"]) == ["safety.md", "travel.md"]
    roll_back(base.workspace, 1, dry_run=False)
    assert base.uris(["staff"]) == ["holidays.md", "refunds.md"]


def all_text(base: TestBase, principals: list[str], release: int | None = None) -> str:
    """Everything a reader of the handbook gets by any address."""
    with base.connection() as connection:
        reader = base.reader(connection, principals, release)
        document = reader.get("docs/handbook.md")
        told = [section["text"] + section["summary"] for section in document["sections"]]
        for chunk in reader.chunks("docs/handbook.md"):
            told += [chunk["text"], chunk["index_text"], reader.get(chunk["chunk_id"])["parent"]["text"]]
    return " ".join(told)


@pytest.mark.req("D1.15", "D7.24")
def test_section_is_for_those_who_may_read_it_alone(make_base: MakeBase) -> None:
    base = make_base({"handbook.md": HANDBOOK})
    base.source(acl=["staff", "board"])
    summary = base.run()
    assert (summary["status"], summary["failures"]) == ("published", [])
    staff, board = all_text(base, ["staff"]), all_text(base, ["board"])
    for words in ("introduction", "bicycles"):
        assert words in staff
        assert words in board
    for words in (SECRET, "night shift"):
        assert words not in staff
        assert words in board
    for mode in ("lexical", "dense", "hybrid"):
        hits = base.search("bonus of the directors, rate of the night shift", mode, ["staff"])
        assert not any(SECRET in hit["text"] or "night shift" in hit["text"] for hit in hits)
    with base.connection() as connection, pytest.raises(RetrievalError, match="that you may read"):
        base.reader(connection, ["staff"]).get("docs/handbook.md#pay")


@pytest.mark.req("D10.5")
def test_new_section_permissions_act_at_once_and_in_older_releases(make_base: MakeBase) -> None:
    base = make_base({"handbook.md": HANDBOOK.split("---\n", 2)[2], **FOUR})
    base.source(acl=["staff", "board"])
    base.run()
    assert SECRET in all_text(base, ["staff"])
    base.block()
    base.write("handbook.md", HANDBOOK)
    assert base.run()["status"] == "blocked"
    assert "handbook.md" not in base.uris(["staff"])
    assert SECRET in all_text(base, ["board"])
    base.unblock()
    assert base.run()["status"] == "published"
    assert SECRET not in all_text(base, ["staff"])
    assert "handbook.md" not in base.uris(["staff"], release=1)
    assert SECRET in all_text(base, ["board"], release=1)
    roll_back(base.workspace, 1, dry_run=False)
    assert "handbook.md" not in base.uris(["staff"])
    assert base.run()["status"] == "published"
    assert "introduction" in all_text(base, ["staff"])
    assert SECRET not in all_text(base, ["staff"])


@pytest.mark.req("D1.15")
@pytest.mark.parametrize("sections", ["{nowhere: [board]}", "{pay: {a: 1}}", "[pay]", "{pay: [3]}"])
def test_sections_that_make_no_sense_make_private(make_base: MakeBase, sections: str) -> None:
    base = make_base({"handbook.md": HANDBOOK.replace("{pay: [board]}", sections), **FOUR})
    (failure,) = base.run()["failures"]
    assert (failure["uri"], failure["reason"]) == ("docs/handbook.md", "permissions_unreadable")
    assert base.uris() == sorted(FOUR)


def test_parent_shows_only_the_children_that_may_be_seen(make_base: MakeBase) -> None:
    """A chunk hidden by itself is not told by its parent either."""
    from sqlalchemy import text

    paragraphs = [f"Paragraph {number} says a word about subject {number}. " * 12 for number in range(4)]
    base = make_base({"long.md": "# Long\n\n" + "\n\n".join(paragraphs)})
    base.run()
    hidden = base.chunks("long.md")[1]
    with base.connection() as connection:
        connection.execute(
            text(
                "INSERT INTO kprep.suppressions (kb, document_id, chunk_id, reason, made_by) "
                "VALUES (:kb, :document, :chunk, 'legal', 'a person')"
            ),
            {"kb": base.name, "document": hidden["doc_id"], "chunk": hidden["chunk_id"]},
        )
        document = base.reader(connection).get("docs/long.md")
    told = " ".join(section["text"] + section["summary"] for section in document["sections"])
    assert hidden["text"] not in told
    assert base.chunks("long.md")[0]["text"] in told
