"""A changed rule begins where it changes something; what that needs is kept in the restricted zone and goes with its
document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

import parsers
from flows.access import forget, suppress
from flows.planning import preview
from kprep.core.models import ParsedDocument
from kprep.core.registry import by_name
from parsers import PARSERS
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.pages import FOUR, REFUNDS, page

PROFILE = {"profiles": {"document": {"max_tokens": 64, "target_tokens": 40}}}


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """URIs of the documents that were parsed."""
    seen: list[str] = []
    real = parsers.parse

    def counted(raw: Any, spec: Any) -> ParsedDocument:
        seen.append(raw.uri)
        return real(raw, spec)

    monkeypatch.setattr(parsers, "parse", counted)
    return seen


@pytest.fixture
def base(make_base: MakeBase) -> TestBase:
    """Four documents of its own, published as release 1."""
    made = make_base({name: content + f"\nOf {name}.\n" for name, content in FOUR.items()})
    assert made.run()["status"] == "published"
    return made


def kept_files(base: TestBase) -> list[Path]:
    return [path for path in (base.folder / ".kprep" / "restricted" / "stages").rglob("*") if path.is_file()]


def rows(base: TestBase) -> int:
    with base.connection() as connection:
        statement = text("SELECT count(*) FROM kprep.kept_stages WHERE kb = :kb")
        return int(connection.execute(statement, {"kb": base.name}).scalar_one())


def change_cleaning(base: TestBase) -> None:
    (base.folder / "cleaning.yaml").write_text('drop_lines: ["Of .*"]\n')
    base.configure(cleaning={"ruleset": "cleaning.yaml"})


def change_redaction(base: TestBase) -> None:
    (base.folder / "redaction.yaml").write_text('patterns: {CITY: "Utrecht"}\n')
    base.configure(redaction={"policy": "redaction.yaml"})


@pytest.mark.req("D4.16", "D11.2")
@pytest.mark.parametrize(
    ("stage", "change"),
    [
        ("clean", change_cleaning),
        ("redact", change_redaction),
        ("chunk", lambda base: base.configure(chunking=PROFILE)),
    ],
)
def test_a_changed_rule_begins_at_its_stage(
    base: TestBase, parsed: list[str], stage: str, change: Callable[[TestBase], None], make_base: MakeBase
) -> None:
    change(base)
    planned = preview(base.workspace, allow_deletes=False)
    assert planned["stages"] == {stage: 4}
    assert {item["stage"] for item in planned["changes"]} == {stage}
    summary = base.run()
    assert summary["status"] == "published"
    assert (summary["work"]["parsed"], summary["work"]["begun"]) == (0, {stage: 4})
    assert parsed == []
    fresh = make_base({name: base.path(name).read_bytes() for name in FOUR})
    for name in ("cleaning.yaml", "redaction.yaml"):
        if (base.folder / name).exists():
            (fresh.folder / name).write_bytes((base.folder / name).read_bytes())
    fresh.configure(**{key: base.config[key] for key in ("cleaning", "redaction", "chunking") if key in base.config})
    fresh.run()
    assert base.content() == fresh.content()
    assert len(kept_files(base)) == rows(base) == 4


@pytest.mark.req("D4.16", "D11.2")
def test_rules_changed_one_after_the_other_and_back(base: TestBase, parsed: list[str]) -> None:
    first = base.content()
    change_redaction(base)
    base.run()
    base.configure(chunking=PROFILE)
    assert base.run()["work"]["begun"] == {"chunk": 4}
    base.configure(chunking={}, redaction={})
    base.run()
    assert base.content() == first
    assert parsed == []


@pytest.mark.req("D4.16", "D11.2")
def test_a_new_parser_takes_up_its_own_format_only(
    base: TestBase, parsed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    base.write("plain.txt", "A plain text about the parking deck.\n")
    base.run()
    parsed.clear()
    raised = [
        replace(spec, version=spec.version + 1) if spec.name == "text_plain" else spec for spec in PARSERS.values()
    ]
    monkeypatch.setattr(parsers, "PARSERS", by_name(raised))
    base.close()
    summary = base.run()
    assert summary["work"]["begun"] == {"parse": 1}
    assert parsed == ["docs/plain.txt"]
    assert len(kept_files(base)) == rows(base) == 6  # the earlier release still has the older result


@pytest.mark.req("D9.11")
@pytest.mark.parametrize("damage", ["missing", "cut", "another", "original missing"])
def test_damaged_results_are_made_again(base: TestBase, parsed: list[str], damage: str) -> None:
    before = {path.name: path.read_bytes() for path in kept_files(base)}
    for path in kept_files(base):
        if damage == "missing":
            path.unlink()
        elif damage == "cut":
            path.write_bytes(path.read_bytes()[:-20])
        elif damage == "another":
            path.write_bytes(b"something else")
    if damage == "original missing":
        for path in (base.folder / ".kprep" / "restricted" / "originals").rglob("*"):
            if path.is_file():
                path.unlink()
    base.configure(chunking=PROFILE)
    summary = base.run()
    assert (summary["status"], summary["documents"]["failed"]) == ("published", 0)
    assert summary["work"]["begun"] == {"parse": 4}
    assert len(parsed) == 4
    assert {path.name: path.read_bytes() for path in kept_files(base)} == before
    base.configure(chunking={})
    base.run()
    base.configure(chunking=PROFILE)
    assert len(parsed) == 4


@pytest.mark.req("D10.4", "D10.6")
def test_results_go_with_the_last_version_made_of_them(make_base: MakeBase) -> None:
    base = make_base({"a.md": REFUNDS, "b.md": FOUR["travel.md"]}, retention={"releases": 1})
    base.run()
    gone = {path.name for path in kept_files(base)}
    base.write("a.md", REFUNDS.replace("fourteen", "nineteen"))
    base.run()
    base.delete("b.md")
    base.run(allow_deletes=True)
    assert len(kept_files(base)) == rows(base) == 1
    assert not gone & {path.name for path in kept_files(base)}


@pytest.mark.req("D10.6")
def test_suppressed_documents_are_kept_in_no_further_form(base: TestBase) -> None:
    suppress(base.workspace, "docs/refunds.md", "legal", "counsel", "", lift=False, dry_run=True)
    assert len(kept_files(base)) == 4
    suppress(base.workspace, "docs/refunds.md", "legal", "counsel", "", lift=False, dry_run=False)
    assert len(kept_files(base)) == rows(base) == 3
    change_cleaning(base)
    assert base.run()["work"]["begun"] == {"clean": 3, "parse": 1}
    assert len(kept_files(base)) == rows(base) == 3


def test_a_forgotten_knowledge_base_leaves_no_result(base: TestBase) -> None:
    forget(base.workspace, dry_run=True)
    assert len(kept_files(base)) == 4
    forget(base.workspace, dry_run=False)
    assert kept_files(base) == []
    assert rows(base) == 0


@pytest.mark.req("D5.1", "D5.3")
def test_nothing_is_kept_of_a_refused_document(make_base: MakeBase) -> None:
    base = make_base({"a.md": page("Keys", "The password is set by password = hG7_kfLq92xZ in the file.")})
    assert base.run()["failures"][0]["reason"] == "secret_found"
    assert kept_files(base) == []
    assert rows(base) == 0


@pytest.mark.req("D10.5", "D11.3")
def test_a_change_of_front_matter_alone_embeds_nothing_and_changes_no_chunk(
    make_base: MakeBase, parsed: list[str]
) -> None:
    front = "owner: people-team\nacl: [staff]"
    base = make_base({"a.md": page("Refunds", "A refund is paid within a week.", front_matter=front), **FOUR})
    base.run()
    parsed.clear()
    before = {chunk["chunk_id"] for chunk in base.chunks("a.md")}
    changed = front.replace("[staff]", "[board]").replace("people", "money")
    base.write("a.md", page("Refunds", "A refund is paid within a week.", front_matter=changed))
    summary = base.run()
    assert summary["status"] == "published"
    assert parsed == ["docs/a.md"]
    assert (summary["work"]["begun"], summary["work"]["embedded"]) == ({"parse": 1}, 0)
    assert {chunk["chunk_id"] for chunk in base.chunks("a.md")} == before
    assert "a.md" not in base.uris(["staff"])
    with base.connection() as connection:
        counted = text("SELECT count(*) FROM kprep.chunks WHERE kb = :kb")
        assert connection.execute(counted, {"kb": base.name}).scalar_one() == len(base.content())


@pytest.mark.req("D10.5", "D11.3")
def test_a_sidecar_or_rule_of_permissions_parses_nothing(base: TestBase, parsed: list[str]) -> None:
    base.path("refunds.md.acl.yaml").write_text("acl: [board]\n")
    summary = base.run()
    assert (summary["work"]["begun"], summary["work"]["embedded"], parsed) == ({}, 0, [])
    assert "refunds.md" not in base.uris(["staff"])
    base.source(acl_rules=[{"match": "travel.md", "acl": ["board"]}])
    summary = base.run()
    assert summary["documents"]["repermissioned"] == 1
    assert (summary["work"]["begun"], summary["work"]["embedded"], parsed) == ({}, 0, [])
    assert base.uris(["staff"]) == ["holidays.md", "safety.md"]
