"""What the documents of a source repeat at their edges is learnt, taken out, and given back when it ends to be so."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text

from flows import run as steps
from flows.access import forget
from flows.explaining import explain
from flows.planning import preview
from kprep.store import boilerplate, documents, runs
from kprep.store.documents import DocumentRow
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase

FOOTER = "Was this page of our handbook helpful? Write to the team that keeps it."
CLAUSE = "Whoever enters the hall wears a helmet, whatever the reason of the visit."
OTHERS = "The kitchen of the second floor is cleaned on every other Thursday."


def article(number: int, *, footer: str = FOOTER) -> str:
    words = ("pumps", "valves", "belts", "motors", "sensors", "pipes", "tanks", "cranes", "lifts", "doors", "lamps")
    about = words[number % len(words)]
    return (
        f"# About {about} {number}\n\nThe {about} of hall {number} are looked after by crew {number * 7}.\n\n"
        f"{CLAUSE}\n\nSpare parts for {about} stand in rack {number * 3} of the store.\n\n{footer}\n"
    )


def articles(first: int, last: int) -> dict[str, str | bytes]:
    return {f"a{number:02}.md": article(number) for number in range(first, last)}


def fresh(make_base: MakeBase, base: TestBase) -> TestBase:
    """The same files and settings, prepared at once."""
    files = {path.name: path.read_bytes() for path in sorted(base.path("").iterdir())}
    made = make_base(files, **{name: value for name, value in base.config.items() if name != "knowledge_base"})
    for rules in base.folder.glob("*.yaml"):
        if rules.name != "kprep.yaml":
            (made.folder / rules.name).write_bytes(rules.read_bytes())
    made.run()
    return made


def with_footer(base: TestBase) -> list[str]:
    return sorted({row["uri"] for row in base.content() if FOOTER in row["text"]})


def removals(base: TestBase, uri: str) -> list[dict[str, Any]]:
    statement = text(
        "SELECT v.removals FROM kprep.document_versions v JOIN kprep.release_documents d "
        "ON d.kb = v.kb AND d.version_id = v.version_id AND d.to_release IS NULL WHERE v.kb = :kb AND d.uri = :uri"
    )
    with base.connection() as connection:
        return list(connection.execute(statement, {"kb": base.name, "uri": uri}).scalar_one())


def learning(base: TestBase, rules: str) -> None:
    (base.folder / "cleaning.yaml").write_text(rules)
    base.configure(cleaning={"ruleset": "cleaning.yaml"})


@pytest.fixture
def learns(make_base: MakeBase) -> TestBase:
    base = make_base({})
    learning(base, "drop: {boilerplate: true}\n")
    return base


@pytest.mark.req("D4.1", "D4.3")
def test_a_footer_of_all_is_taken_out_and_recorded_in_the_first_run(learns: TestBase) -> None:
    for name, content in articles(0, 6).items():
        learns.write(name, content)
    summary = learns.run()
    assert summary["status"] == "published"
    assert summary["work"]["begun"] == {"clean": 6, "parse": 6}
    assert summary["work"]["boilerplate"] == 6
    assert summary["documents"]["added"] == 6
    assert with_footer(learns) == []
    assert sum(CLAUSE in row["text"] for row in learns.content()) == 6
    (removal,) = removals(learns, "docs/a01.md")
    assert (removal["rule"], removal["chars"]) == ("boilerplate", len(FOOTER))
    assert removal["locator"]["line"] == [9, 9]
    shown = explain(learns.workspace, "docs/a01.md")
    assert {"rule": "boilerplate", "changes": [{"before": [FOOTER], "after": []}]} in shown["steps"]
    again = learns.run()
    assert (again["status"], again["work"]["begun"], again["work"]["hashed"]) == ("unchanged", {}, 0)


@pytest.mark.req("D4.16", "D9.6", "D11.2")
def test_added_one_by_one_and_deleted_equals_a_fresh_build(learns: TestBase, make_base: MakeBase) -> None:
    for name, content in articles(0, 4).items():
        learns.write(name, content)
    learns.write("other.md", f"# Kitchen\n\n{OTHERS}\n")
    learns.run()
    assert len(with_footer(learns)) == 4
    learns.write("a04.md", article(4))
    assert learns.run()["work"]["begun"] == {"clean": 5, "parse": 1}
    assert with_footer(learns) == []
    assert learns.content() == fresh(make_base, learns).content()
    learns.write("a05.md", article(5))
    summary = learns.run()
    assert with_footer(learns) == []
    assert summary["work"]["begun"] == {"clean": 1, "parse": 1}
    assert learns.content() == fresh(make_base, learns).content()
    for name in ("a00.md", "a01.md"):
        learns.delete(name)
    planned = preview(learns.workspace, allow_deletes=True)
    assert sum(item["action"] == "change" for item in planned["changes"]) == 4
    assert learns.run(allow_deletes=True)["documents"]["changed"] == 4
    assert len(with_footer(learns)) == 4
    assert learns.content() == fresh(make_base, learns).content()
    assert learns.run()["status"] == "unchanged"


@pytest.mark.req("D4.16")
def test_documents_of_other_folders_are_found_as_well(learns: TestBase) -> None:
    for name, content in articles(0, 4).items():
        learns.write(f"old/{name}", content)
    learns.run()
    learns.write("new/a04.md", article(4))
    summary = learns.run()
    assert summary["work"]["begun"] == {"clean": 5, "parse": 1}
    assert (summary["documents"]["added"], summary["documents"]["changed"]) == (1, 4)
    assert with_footer(learns) == []
    assert learns.run()["work"]["hashed"] == 0


@pytest.mark.req("D4.16")
def test_a_run_of_named_documents_leaves_the_others_to_the_next(learns: TestBase, make_base: MakeBase) -> None:
    for name, content in articles(0, 4).items():
        learns.write(name, content)
    learns.run()
    learns.write("a04.md", article(4))
    assert learns.run(only=["docs/a04.md"])["work"]["begun"] == {"parse": 1}
    assert len(with_footer(learns)) == 5
    assert learns.run()["work"]["begun"] == {"clean": 5}
    assert learns.content() == fresh(make_base, learns).content()


@pytest.mark.req("D4.8")
def test_table_rows_lists_and_code_stay(learns: TestBase) -> None:
    table = "| fee | 40 euros for each and every page |\n| --- | --- |\n| late | 80 euros for each page |"
    for kind, repeated in {
        "t": table,
        "l": "- The list item that all of them have",
        "c": "```\nrun the pump\n```",
    }.items():
        for number in range(6):
            learns.write(f"{kind}{number}.md", article(number, footer=repeated))
    learns.run()
    texts = "\n".join(row["text"] for row in learns.content())
    assert texts.count("80 euros") >= 6
    assert texts.count("The list item that all") == 6
    assert texts.count("run the pump") == 6
    assert removals(learns, "docs/t1.md") == []


@pytest.mark.req("D4.15", "D4.16")
def test_switched_off_and_on_costs_only_documents_that_hold_some(learns: TestBase) -> None:
    for name, content in articles(0, 6).items():
        learns.write(name, content)
    learns.write("other.md", f"# Kitchen\n\n{OTHERS}\n")
    learns.run()
    learning(learns, "drop: {boilerplate: false}\n")
    assert learns.run()["documents"]["changed"] == 6
    assert len(with_footer(learns)) == 6
    learning(learns, "boilerplate: {min_documents: 7}\n")
    assert learns.run()["status"] == "unchanged"
    learning(learns, "boilerplate: {min_documents: 6, min_share: 0.9}\n")
    assert learns.run()["status"] == "unchanged"
    learning(learns, "boilerplate: {min_documents: 6, min_share: 0.8}\n")
    summary = learns.run()
    assert (summary["documents"]["changed"], summary["work"]["begun"]) == (6, {})  # both versions are still there
    assert with_footer(learns) == []


def test_a_document_that_fails_does_not_count(learns: TestBase, make_base: MakeBase) -> None:
    for name, content in articles(0, 4).items():
        learns.write(name, content)
    secret = article(4).replace("Spare parts", "The password is set by password = hG7_kfLq92xZ. Spare parts")
    learns.write("a04.md", secret)
    summary = learns.run()
    assert [failure["reason"] for failure in summary["failures"]] == ["secret_found"]
    assert len(with_footer(learns)) == 4
    assert learns.run()["status"] == "unchanged"
    learns.write("a04.md", article(4))
    learns.run()
    assert with_footer(learns) == []
    learns.write("a04.md", secret)
    learns.run()
    assert len(with_footer(learns)) >= 4
    assert learns.run()["status"] == "unchanged"


def test_sources_do_not_mix(make_base: MakeBase) -> None:
    source = {"kind": "filesystem", "include": ["**/*"], "acl": ["staff"]}
    sources = [{**source, "name": name, "path": f"docs/{name}"} for name in ("one", "two")]
    base = make_base({}, sources=sources)
    learning(base, "drop: {boilerplate: true}\n")
    for number in range(6):
        base.write(f"one/a{number}.md", article(number))
    for number in range(3):  # the same files as in the other source
        base.write(f"two/a{number}.md", article(number))
    base.run()
    assert with_footer(base) == [f"two/a{number}.md" for number in range(3)]
    assert base.run()["status"] == "unchanged"


@pytest.mark.req("D9.11")
@pytest.mark.parametrize("moment", ["settle", "replace_work"])
def test_killed_around_settling_the_next_run_converges(
    learns: TestBase, make_base: MakeBase, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    for name, content in articles(0, 6).items():
        learns.write(name, content)

    def cut(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(steps if moment == "settle" else runs, moment, cut)
        with pytest.raises(KeyboardInterrupt):
            learns.run()
    assert learns.live() == 0
    summary = learns.run()
    assert summary["work"]["begun"] == {"clean": 6}
    assert with_footer(learns) == []
    assert learns.content() == fresh(make_base, learns).content()


@pytest.mark.req("D10.4", "D10.6")
def test_recorded_blocks_are_hashes_and_go_with_their_documents(make_base: MakeBase) -> None:
    base = make_base(articles(0, 3), retention={"releases": 1})
    base.run()
    rows = text("SELECT blocks FROM kprep.edge_blocks WHERE kb = :kb")
    with base.connection() as connection:
        found = connection.execute(rows, {"kb": base.name}).scalars().all()
    assert len(found) == 3
    assert all(len(block) == 32 and int(block, 16) for blocks in found for block in blocks)
    base.write("a00.md", article(9))
    base.delete("a01.md")
    base.run(allow_deletes=True)
    with base.connection() as connection:
        assert len(connection.execute(rows, {"kb": base.name}).all()) == 2
    forget(base.workspace, dry_run=False)
    with base.workspace.database.begin() as connection:
        assert connection.execute(rows, {"kb": base.name}).all() == []


MADE_BY = {"text/markdown": "m1", "text/html": "h1"}
START = datetime(2026, 1, 1, tzinfo=UTC)


def counted_at_once(
    rows: dict[str, DocumentRow], edges: dict[tuple[str, str], list[str]], counting: boilerplate.Counting
) -> dict[str, tuple[str, ...]]:
    """What `boilerplate.of_documents` is to say, from all documents."""
    standing = {**{key: row for key, row in rows.items() if key not in counting.without}}
    standing |= {row.document_id: row for row in counting.news}
    held = {}
    for key, row in standing.items():
        place = (row.content_hash, MADE_BY[row.media_type])
        limit = (counting.ended or {}).get(row.source)
        assert row.modified_at is not None
        if place in edges and (limit is None or row.modified_at > limit):
            held[key] = (row.source, edges[place])
    totals = Counter(source for source, _ in held.values())
    counts = Counter((source, block) for source, blocks in held.values() for block in blocks)
    found = {}
    for key, (source, blocks) in held.items():
        least = max(counting.least_documents, counting.least_share * totals[source])
        found[key] = tuple(sorted(block for block in blocks if counts[source, block] >= least))
    return {key: blocks for key, blocks in found.items() if blocks}


@pytest.mark.req("D4.3", "D8.3")
@pytest.mark.parametrize("seed", range(2))
def test_counts_kept_with_each_change_say_what_counting_all_says(make_base: MakeBase, seed: int) -> None:
    base, rng = make_base({"a.md": article(1)}), random.Random(seed)
    base.run()
    rows: dict[str, DocumentRow] = {}
    stored: dict[str, DocumentRow] = {}
    edges: dict[tuple[str, str], list[str]] = {}

    def made(number: int) -> DocumentRow:
        kind, source, content = rng.choice(sorted(MADE_BY)), ("docs", "wiki")[number % 2], f"c{rng.randrange(8)}"
        modified = START + timedelta(days=rng.randrange(20))
        return DocumentRow(f"d{number}", source, f"{source}/d{number}", "", content, 1, kind, modified)

    compared = 0
    with base.connection() as connection:
        for _ in range(60):
            match rng.choice(("observe", "unlist", "drop", "save", "save", "save", "collect")):
                case "observe":
                    seen = [made(number) for number in rng.sample(range(30), rng.randrange(10))]
                    documents.observe(connection, base.name, seen)
                    for row in seen:
                        old = stored.get(row.document_id)
                        kept = old is not None and old.content_hash == row.content_hash
                        stored[row.document_id] = replace(row, modified_at=old.modified_at) if old and kept else row
                        rows[row.document_id] = stored[row.document_id]
                case "unlist":
                    for key in (gone := rng.sample(sorted(rows), min(len(rows), 2))):
                        del rows[key]
                    documents.unlist(connection, base.name, gone)
                case "drop":
                    for key in (gone := rng.sample(sorted(stored), min(len(stored), 1))):
                        rows.pop(key, None)
                        del stored[key]
                    documents.drop(connection, base.name, gone)
                case "save":
                    content, made_by = f"c{rng.randrange(8)}", rng.choice(["m1", "m1", "h1", "h1", "earlier"])
                    blocks = sorted(rng.sample("abcde", rng.randrange(5)))
                    boilerplate.save(connection, base.name, content, made_by, blocks)
                    edges[content, made_by] = blocks
                case _:
                    content = f"c{rng.randrange(8)}"
                    boilerplate.collect(connection, base.name, [content])
                    edges = {place: blocks for place, blocks in edges.items() if place[0] != content}
            news = [made(number) for number in rng.sample(range(40), rng.randrange(4))]
            without = sorted({*(row.document_id for row in news), *rng.sample(sorted(rows), min(len(rows), 2))})
            ended = rng.choice([{}, {"docs": START + timedelta(days=7)}])
            counting = boilerplate.Counting(MADE_BY, rng.choice((2, 3)), rng.choice((0.1, 0.5)), news, without, ended)
            expected = counted_at_once(rows, edges, counting)
            assert boilerplate.of_documents(connection, base.name, counting, None) == expected
            some = sorted(rows)[:5]
            found = boilerplate.of_documents(connection, base.name, counting, some)
            assert found == {key: blocks for key, blocks in expected.items() if key in some}
            compared += len(expected)
        assert compared > 20
        documents.drop(connection, base.name, sorted(stored))
        left = text("SELECT sum(documents) FROM kprep.edge_counts WHERE kb = :kb AND made_by = ANY(:made_by)")
        values = {"kb": base.name, "made_by": [*MADE_BY.values(), "earlier"]}
        assert connection.execute(left, values).scalar_one() is None
