"""The plan, from what is observed and what is live."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from publish.plan import Action, Guard, Known, Live, Observed, Plan, PlannedDocument, first_stage, make_plan

STAGES = {"parse": "markdown@1", "clean": "c1", "redact": "r1", "chunk": "k1", "enrich": "e1"}
NO_GUARD = Guard(1.0, 1000)


def observed(name: str, content: str = "", source: str = "docs", **values: Any) -> Observed:
    content = content or f"hash of {name}"
    made = Observed(f"id-{source}-{name}", source, f"{source}/{name}", content, f"{content}+rules", "meta", STAGES)
    return replace(made, **values)


def live(name: str, content: str = "", source: str = "docs", **values: Any) -> Live:
    content = content or f"hash of {name}"
    key = f"id-{source}-{name}"
    made = Live(key, source, f"{source}/{name}", f"version of {name}", content, f"{content}+rules", "meta")
    return replace(made, **values)


def plan(
    seen: list[Observed], base: list[Live], known: Known | None = None, guard: Guard = NO_GUARD, *, allow: bool = False
) -> Plan:
    return make_plan(1, seen, base, known or Known(), guard, allow_deletes=allow)


def only(made: Plan) -> PlannedDocument:
    assert len(made.documents) == 1
    return made.documents[0]


@pytest.mark.req("D10.1")
def test_new_document_is_added_from_the_first_stage() -> None:
    item = only(plan([observed("a.md")], []))
    assert (item.action, item.stage, item.reuse) == (Action.ADD, "parse", "")


@pytest.mark.req("D10.1", "D10.3")
def test_unchanged_document_needs_nothing() -> None:
    made = plan([observed("a.md")], [live("a.md")])
    assert (only(made).action, only(made).stage, made.is_empty) == (Action.UNCHANGED, "", True)


@pytest.mark.req("D10.3")
def test_changed_bytes_start_at_the_parser() -> None:
    item = only(plan([observed("a.md", "new")], [live("a.md", "old")]))
    assert (item.action, item.stage) == (Action.CHANGE, "parse")


@pytest.mark.parametrize("room", list(STAGES))
def test_changed_rule_names_the_first_room_it_affects(room: str) -> None:
    stages = {**STAGES, room: "another", "enrich": "another too"}
    known = Known(kept={("hash of a.md", STAGES["parse"]): STAGES})
    item = only(plan([observed("a.md", content_fingerprint="other", stages=stages)], [live("a.md")], known))
    assert (item.action, item.stage) == (Action.CHANGE, room)


def test_without_kept_results_everything_starts_at_the_parser() -> None:
    stages = {**STAGES, "chunk": "another"}
    item = only(plan([observed("a.md", content_fingerprint="other", stages=stages)], [live("a.md")]))
    assert (item.action, item.stage) == (Action.CHANGE, "parse")


def test_a_document_that_comes_back_starts_where_its_kept_results_end() -> None:
    known = Known(kept={("hash of a.md", STAGES["parse"]): {**STAGES, "clean": "older"}})
    item = only(plan([observed("a.md")], [], known))
    assert (item.action, item.stage) == (Action.ADD, "clean")
    assert first_stage(STAGES, STAGES) == "chunk"


def test_prepared_version_is_reused() -> None:
    known = Known(prepared={"new+rules": "version 7"})
    item = only(plan([observed("a.md", "new")], [live("a.md", "old")], known))
    assert (item.action, item.stage, item.reuse) == (Action.CHANGE, "", "version 7")
    item = only(plan([observed("b.md", "new")], [], known))
    assert (item.action, item.stage, item.reuse) == (Action.ADD, "", "version 7")


def test_rename_keeps_the_content() -> None:
    known = Known(prepared={"same+rules": "version of old.md"})
    new, old = plan([observed("new.md", "same")], [live("old.md", "same")], known).documents
    assert (new.action, new.renamed_from, new.stage, new.reuse) == (
        Action.RENAME,
        "docs/old.md",
        "",
        "version of old.md",
    )
    assert (old.action, old.uri) == (Action.RETIRE, "docs/old.md")


def test_one_deleted_document_is_the_origin_of_one_renamed_one() -> None:
    made = plan([observed("b.md", "same"), observed("c.md", "same")], [live("a.md", "same")])
    assert [item.action for item in made.documents] == [Action.RETIRE, Action.RENAME, Action.ADD]


@pytest.mark.req("D10.5")
def test_changed_metadata_computes_nothing() -> None:
    item = only(plan([observed("a.md", metadata_fingerprint="new")], [live("a.md")]))
    assert (item.action, item.stage, item.reuse) == (Action.REPERMISSION, "", "version of a.md")


@pytest.mark.req("D10.4")
def test_missing_document_is_retired() -> None:
    item = only(plan([], [live("a.md")]))
    assert (item.action, item.uri) == (Action.RETIRE, "docs/a.md")


def test_document_that_could_not_be_looked_at_is_kept() -> None:
    made = plan([], [live("a.md")], Known(keep=frozenset({"id-docs-a.md"})))
    assert made.documents == ()
    assert made.is_empty


def test_known_failure_is_not_tried_again() -> None:
    known = Known(failures={"id-docs-a.md": "bad+rules"})
    made = plan([observed("a.md", "bad")], [], known)
    assert (only(made).action, made.is_empty) == (Action.FAILED, True)
    assert only(plan([observed("a.md", "good")], [], known)).action is Action.ADD
    assert only(plan([observed("a.md", "bad", content_fingerprint="bad+new rules")], [], known)).action is Action.ADD


def numbers(count: int, source: str = "docs") -> list[Live]:
    return [live(f"{number:03}.md", source=source) for number in range(count)]


def as_observed(item: Live) -> Observed:
    return observed(item.uri.partition("/")[2], item.content_hash, item.source)


@pytest.mark.parametrize(
    ("total", "gone", "stopped"), [(100, 20, False), (100, 21, True), (40, 10, False), (40, 11, True), (11, 10, False)]
)
def test_guard_needs_share_and_number(total: int, gone: int, stopped: bool) -> None:
    base = numbers(total)
    seen = [as_observed(item) for item in base[gone:]]
    made = plan(seen, base, guard=Guard(0.2, 10))
    assert bool(made.guard) is stopped
    if stopped:
        assert f"{gone} of {total} documents are gone" in made.guard
        assert "--allow-deletes" in made.guard
    assert plan(seen, base, guard=Guard(0.2, 10), allow=True).guard == ""


def test_guard_counts_each_source_by_itself() -> None:
    base = numbers(12, "a") + numbers(500, "b")
    made = plan([as_observed(item) for item in base[12:]], base, guard=Guard(0.2, 10))
    assert made.guard.startswith("source a:")


def test_renamed_documents_are_not_deleted_ones() -> None:
    base = numbers(50)
    seen = [observed(f"moved/{item.uri}", item.content_hash) for item in base]
    assert plan(seen, base, guard=Guard(0.2, 10)).guard == ""


def test_renames_into_a_source_hide_no_deletions_in_it() -> None:
    moved = [live(f"{number:03}.md", f"moved {number}", "a") for number in range(30)]
    lost = numbers(30, "b")
    seen = [observed(f"from-a-{number}.md", item.content_hash, "b") for number, item in enumerate(moved)]
    assert plan(seen, moved + lost, guard=Guard(0.2, 10)).guard.startswith("source b: 30 of 30")


def test_source_that_lists_nothing_never_passes_for_deletions() -> None:
    known = Known(empty_sources=frozenset({"docs"}))
    made = plan([], numbers(2), known, Guard(0.2, 10))
    assert made.guard.startswith("source docs lists nothing, but 2 of its documents are published")
    assert plan([], numbers(2), known, Guard(0.2, 10), allow=True).guard == ""
    assert plan([], [], known, Guard(0.2, 10)).guard == ""


def test_plan_does_not_depend_on_order() -> None:
    base = [*numbers(20), live("old-b.md", "same"), live("old-a.md", "same")]
    seen = [as_observed(item) for item in base[3:20]]
    seen += [observed("new-a.md", "same"), observed("new-b.md", "same"), observed("005.md", "other")]
    seen = list({item.document_id: item for item in seen}.values())
    made = plan(seen, base)
    assert [item.uri for item in made.documents] == sorted(item.uri for item in made.documents)
    for seed in range(5):
        shuffled = random.Random(seed)  # a fixed order, no secret
        assert plan(shuffled.sample(seen, len(seen)), shuffled.sample(base, len(base))) == made
    assert sum(made.counts.values()) == len(made.documents)
