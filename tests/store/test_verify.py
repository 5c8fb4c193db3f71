"""`kprep verify` names each kind of drift made behind the tool's back, and mends what is left to be mended from."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from sqlalchemy import text

from flows.run import only_run
from flows.verifying import MENDERS, verify
from kprep.core.errors import RetrievalError, RunLocked
from kprep.core.ids import content_hash
from kprep.store import releases
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.made_embedder import MadeEmbedder
from tests.fakes.pages import REFUNDS, SAFETY, page
from tests.store.test_lexical import check

DOCUMENTS = {
    f"page{number}.md": page(
        f"Page {number}",
        f"The number {number} stands in this paragraph of the house rules, and {number * 7919} stands there too.",
        f"Nobody may take away the second paragraph, which names {number * 104729} and the travel allowance.",
    )
    for number in range(10)
}

# Other knowledge bases in this database may have the same texts, with vectors of the real model.
OWN_SPACE = f"space_id = (SELECT space_id FROM kprep.spaces WHERE space = '{MadeEmbedder().space}')"


@pytest.fixture
def base(make_base: MakeBase) -> TestBase:
    base = make_base(
        {**DOCUMENTS, "refunds.md": REFUNDS}, views={"all": {"fields": ["text"]}}, embedding={"provider": "none"}
    )
    base.workspace.__dict__["embedder"] = MadeEmbedder()
    assert base.run()["status"] == "published"
    base.write("refunds.md", REFUNDS.replace("fourteen", "thirty"))
    base.run()
    return base


def sql(base: TestBase, statement: str) -> int:
    with base.connection() as connection:
        return connection.execute(text(statement), {"kb": base.name, "path": f"{base.name}__all"}).rowcount


def drop_view(base: TestBase) -> None:
    sql(base, f'DROP VIEW published."{base.name}__all"')


def change_view(base: TestBase) -> None:
    drop_view(base)
    sql(base, f"""CREATE VIEW published."{base.name}__all" AS SELECT 'open to all' AS text""")


def damage(base: TestBase) -> None:
    address = content_hash(base.path("refunds.md").read_bytes())
    path = base.workspace.data_dir / "restricted" / "originals" / address[:2] / address
    path.write_bytes(path.read_bytes()[:-1])


DRIFTS: dict[str, tuple[str, str | Callable[[TestBase], object]]] = {
    "vectors lost": (
        "vectors_missing",
        (
            f"DELETE FROM kprep.embeddings WHERE {OWN_SPACE} AND content_hash IN (SELECT content_hash FROM "
            "kprep.chunks WHERE kb = :kb ORDER BY chunk_no "
            "LIMIT (SELECT count(*) * 9 / 10 FROM kprep.chunks WHERE kb = :kb))"
        ),
    ),
    "vectors shrunk": (
        "vectors_damaged",
        (
            f"UPDATE kprep.embeddings SET embedding = subvector(embedding, 1, 32) WHERE {OWN_SPACE} AND content_hash "
            "IN (SELECT content_hash FROM kprep.chunks WHERE kb = :kb AND kind = 'text')"
        ),
    ),
    "postings lost": (
        "lexical_damaged",
        "DELETE FROM kprep.postings WHERE kb = :kb AND abs(hashtext(term)) % 10 > 0",
    ),
    "postings doubled": (
        "lexical_damaged",
        (
            "UPDATE kprep.postings SET offsets = offsets || offsets, frequencies = frequencies || frequencies, "
            "lengths = lengths || lengths WHERE kb = :kb AND split_part(term, ':', 1) = 'travel'"
        ),
    ),
    "lengths lost": (
        "lexical_missing",
        "DELETE FROM kprep.lexical_chunks WHERE kb = :kb AND chunk_no % 10 > 0",
    ),
    "members lost": (
        "members_missing",
        "DELETE FROM kprep.release_members WHERE kb = :kb AND abs(hashtext(chunk_id)) % 10 > 0",
    ),
    "members closed": (
        "members_missing",
        (
            "UPDATE kprep.release_members SET to_release = 2 WHERE kb = :kb AND from_release = 1 AND ordinal = 1 "
            "AND to_release IS NULL"
        ),
    ),
    "members added": (
        "members_extra",
        "UPDATE kprep.release_members SET to_release = NULL WHERE kb = :kb AND to_release IS NOT NULL",
    ),
    "view dropped": ("views_differing", drop_view),
    "view replaced": ("views_differing", change_view),
    "original lost": (
        "originals_missing",
        lambda base: base.workspace.objects.delete(content_hash(base.path("page3.md").read_bytes())),
    ),
    "original damaged": ("originals_damaged", damage),
    "report lost": ("report_missing", "DELETE FROM kprep.gate_reports WHERE kb = :kb"),
}


@pytest.mark.parametrize("name", DRIFTS)
def test_drift_is_named_and_healed(base: TestBase, name: str) -> None:
    before = base.content()
    assert verify(base.workspace, heal=False) == {
        "knowledge_base": base.name,
        "release": 2,
        "ok": True,
        "drift": [],
        "healed": {},
    }
    kind, harm = DRIFTS[name]
    changed = sql(base, harm) if isinstance(harm, str) else harm(base)
    assert changed != 0
    seen = verify(base.workspace, heal=False)
    assert not seen["ok"]
    kinds = {drift["kind"]: drift for drift in seen["drift"]}
    assert kinds[kind]["count"] > 0
    assert kinds[kind]["samples"]
    healed = verify(base.workspace, heal=True)
    assert healed["ok"], healed
    assert kind in healed["healed"]
    assert base.content() == before
    check(base)
    assert base.run()["status"] == "unchanged"
    assert verify(base.workspace, heal=False)["ok"]


def test_what_cannot_be_healed_is_said(base: TestBase) -> None:
    base.write("safety.md", SAFETY)
    base.delete("page3.md")
    base.workspace.objects.delete(content_hash(DOCUMENTS["page3.md"].encode()))
    sql(
        base,
        "DELETE FROM kprep.release_members WHERE kb = :kb AND ordinal = 1 AND document_id = (SELECT document_id "
        "FROM kprep.documents WHERE kb = :kb AND uri = 'docs/page5.md')",
    )
    sql(
        base,
        "DELETE FROM kprep.version_chunks v USING kprep.document_versions d, kprep.documents o WHERE v.kb = :kb "
        "AND d.kb = :kb AND o.kb = :kb AND d.version_id = v.version_id AND o.document_id = d.document_id "
        "AND o.uri = 'docs/page5.md' AND v.ordinal = 1",
    )
    outcome = verify(base.workspace, heal=True)
    left = {drift["kind"]: drift for drift in outcome["drift"]}
    assert not outcome["ok"]
    assert set(left) == {"sources_ahead", "originals_missing", "figures_differ"}
    assert left["sources_ahead"]["samples"] == ("docs/page3.md", "docs/safety.md")
    assert left["originals_missing"]["samples"] == ("docs/page3.md",)
    assert all(drift["remedy"] for drift in left.values())


def test_versions_without_their_beginning_are_seen(base: TestBase) -> None:
    sql(base, "DELETE FROM kprep.version_chunks WHERE kb = :kb AND ordinal = 0")
    kinds = {drift["kind"] for drift in verify(base.workspace, heal=False)["drift"]}
    assert {"versions_incomplete", "members_extra"} <= kinds


def test_healing_takes_the_place_of_a_run(base: TestBase) -> None:
    with only_run(base.workspace), pytest.raises(RunLocked):
        verify(base.workspace, heal=True)


def test_nothing_published_is_nothing_to_verify(make_base: MakeBase) -> None:
    with pytest.raises(RetrievalError, match="nothing to verify"):
        verify(make_base({"refunds.md": REFUNDS}).workspace, heal=False)


def test_every_mender_is_tried() -> None:
    assert {kind for kind, _ in DRIFTS.values()} == set(MENDERS)


def test_healing_restores_permissions_of_sections(make_base: MakeBase) -> None:
    own = "acl: [staff, board]\nsections: {travel-rule-2: [board]}"
    base = make_base({"travel.md": page("Travel", "Everybody may read this.", "The board alone.", front_matter=own)})
    base.run()
    with base.connection() as connection:
        before = base.content(), releases.live_release(connection, base.name)
    sql(base, "DELETE FROM kprep.release_members WHERE kb = :kb")
    assert verify(base.workspace, heal=True)["ok"]
    assert (base.content(), base.live()) == before
    assert [len(base.chunks("travel.md", (who,))) for who in ("staff", "board")] == [1, 2]


def test_command_says_what_differs_and_exits_1_while_it_does(make_base: MakeBase) -> None:
    from click.testing import CliRunner

    from kprep.cli.app import cli

    base = make_base({"refunds.md": REFUNDS}, embedding={"provider": "none"})
    base.run()
    sql(base, "DELETE FROM kprep.release_members WHERE kb = :kb AND ordinal = 0")
    base.workspace.objects.delete(content_hash(REFUNDS.encode()))

    def call(*options: str) -> tuple[int, dict[str, int], dict[str, int]]:
        outcome = CliRunner().invoke(cli, ["verify", "--kb", str(base.folder), "--json", *options])
        said = json.loads(outcome.stdout)
        return outcome.exit_code, {item["kind"]: item["count"] for item in said["drift"]}, said["healed"]

    drift = {"members_missing": 1, "figures_differ": 2, "originals_missing": 1}
    assert call() == (1, drift, {})
    assert call("--heal") == (0, {}, drift)
    assert call() == (0, {}, {})


@pytest.mark.req("D9.12")
def test_a_damaged_vector_found_again_is_computed_anew(base: TestBase, make_base: MakeBase) -> None:
    """A vector is shared by all knowledge bases of the space: one that meets a damaged one does not publish it."""
    sql(base, str(DRIFTS["vectors shrunk"][1]))
    own = {name: value for name, value in base.config.items() if name != "knowledge_base"}
    other = make_base({"refunds.md": REFUNDS}, **own)
    other.workspace.__dict__["embedder"] = MadeEmbedder()
    summary = other.run()
    assert summary["status"] == "published"
    assert summary["work"]["embedded"] > 0
    assert verify(other.workspace, heal=False)["ok"]
