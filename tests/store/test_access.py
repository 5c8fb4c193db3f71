"""What a person decides: memberships, suppressions; and how soon denials act."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flows.access import forget, suppress, sync_principals
from flows.planning import status
from flows.run import roll_back
from kprep.core.errors import ConfigError, RetrievalError
from kprep.store import principals
from sources.cache import private
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.pages import FOUR, TRAVEL

SCIM = {
    "Resources": [
        {"id": "u1", "userName": "ann", "groups": [{"value": "g1"}, {"display": "choir"}]},
        {"id": "u2", "userName": "bob", "groups": []},
        {"id": "u3", "userName": "eve", "active": False, "groups": [{"value": "g1"}]},
        {"id": "g1", "displayName": "engineering", "members": [{"value": "u2"}, {"value": "u3"}]},
        {"id": "g2", "displayName": "staff", "members": [{"value": "g1"}]},
    ]
}


def write(folder: Path, name: str, value: object) -> Path:
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


@pytest.fixture
def base(make_base: MakeBase) -> TestBase:
    """A tenant of its own: memberships are the tenant's, not the knowledge base's."""
    made = make_base(FOUR, tenant=f"t{id(make_base)}")
    made.run()
    return made


def readable(base: TestBase, *who: str) -> set[str]:
    """What these principals find, by the way applications read."""
    with base.connection() as connection:
        reader = base.reader(connection, who)
        found = set()
        for name in FOUR:
            try:
                reader.get(f"docs/{name}")
                found.add(name)
            except RetrievalError:
                pass
    assert found == {hit["document_uri"].removeprefix("docs/") for hit in base.search("the", "dense", who)}
    return found


@pytest.mark.req("D1.15", "D7.24", "D10.5")
def test_groups_are_resolved_when_somebody_reads(base: TestBase, tmp_path: Path) -> None:
    everything = set(FOUR)
    assert readable(base, "ann") == set()
    sync_principals(base.workspace, write(tmp_path, "a.json", SCIM), dry_run=False)
    assert [readable(base, who) for who in ("ann", "bob", "eve", "engineering")] == [
        everything,
        everything,
        set(),
        everything,
    ]
    text = "ann: [choir]\nchoir: [singers]\nsingers: [choir, staff]\nbob: engineering\n"
    outcome = sync_principals(base.workspace, write(tmp_path, "b.yaml", text), dry_run=True)
    assert ("bob", "engineering") not in outcome["removed"]
    assert ("engineering", "staff") in outcome["removed"]
    assert readable(base, "bob") == everything
    sync_principals(base.workspace, write(tmp_path, "b.yaml", text), dry_run=False)
    assert readable(base, "ann") == everything  # through a cycle of groups
    assert readable(base, "bob") == set()  # at once, without a run
    with base.connection() as connection:
        tenant = base.workspace.base.config.tenant
        assert principals.reached(connection, tenant, "ann") == ("ann", "choir", "public", "singers", "staff")
        assert principals.expand(connection, base.name, ["nobody"]) == ("nobody", "public")


def test_memberships_of_another_tenant_do_not_count(base: TestBase, make_base: MakeBase, tmp_path: Path) -> None:
    other = make_base(FOUR, tenant="another")
    sync_principals(other.workspace, write(tmp_path, "a.yaml", "ann: [staff]"), dry_run=False)
    assert readable(base, "ann") == set()


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.json", {"Resources": [{"userName": "ann", "groups": 3}]}, "Resources entry 1: groups must be a list"),
        ("a.json", {"Resources": [{"userName": "ann"}, {"id": "x"}]}, "Resources entry 2: has neither"),
        ("a.json", {"Resources": [{"userName": ["ann"]}]}, "Resources entry 1: a name must be text, found list"),
        ("a.json", {"ann": {"a": 1}}, "entry 'ann': groups must be a list, found dict"),
        ("a.json", [{"sub": "ann"}, "bob"], "entry 2: expected an object"),
        ("a.json", "{", ":1: not valid JSON"),
        ("a.yaml", "public: [staff]", "'public' is everybody"),
        ("a.yaml", "ann: ['a,b']", "no comma"),
        ("a.yaml", "{}", "lists nobody"),
        ("a.csv", "user,group\nann,staff\n", "columns principal and group"),
        ("a.csv", "principal,group\n,staff\n", "line 2: a name must be text"),
    ],
)
def test_a_file_that_makes_no_sense_changes_nothing(
    base: TestBase, tmp_path: Path, name: str, content: object, said: str
) -> None:
    sync_principals(base.workspace, write(tmp_path, "ok.csv", "principal,group\nann,staff\nbob,\n"), dry_run=False)
    with pytest.raises(ConfigError) as caught:
        sync_principals(base.workspace, write(tmp_path, name, content), dry_run=False)
    assert said in caught.value.message
    assert readable(base, "ann") == set(FOUR)


@pytest.mark.req("D10.4", "D10.6")
def test_suppression_survives_everything_but_a_person(base: TestBase) -> None:
    workspace, rest = base.workspace, set(FOUR) - {"travel.md"}
    assert suppress(workspace, "docs/travel.md", "legal", "ann", "", lift=False, dry_run=True)["dry_run"]
    assert readable(base, "staff") == set(FOUR)
    suppress(workspace, "docs/travel.md", "legal", "ann", "letter of May 3", lift=False, dry_run=False)
    assert readable(base, "staff") == rest
    base.write("travel.md", TRAVEL.replace("forty-two", "forty-three"))
    assert base.run()["status"] == "published"
    assert readable(base, "staff") == rest
    roll_back(workspace, 1, dry_run=False)
    assert readable(base, "staff") == rest
    base.run()
    base.rename("travel.md", "moved.md")
    base.run()
    assert base.uris(["staff"]) == sorted(rest)
    with pytest.raises(RetrievalError, match="not suppressed for reason operator"):
        suppress(workspace, "docs/moved.md", "operator", "bob", "", lift=True, dry_run=False)
    suppress(workspace, "docs/moved.md", "legal", "bob", "", lift=True, dry_run=False)
    assert "moved.md" in base.uris(["staff"])
    with pytest.raises(RetrievalError, match="is known in knowledge base"):
        suppress(workspace, "docs/nowhere.md", "legal", "bob", "", lift=False, dry_run=False)


@pytest.mark.req("D10.4", "D10.5")
def test_denials_act_within_a_second_of_being_seen(base: TestBase) -> None:
    base.delete("travel.md")
    base.write("safety.md.acl.yaml", "acl: [board]")
    base.block()
    summary = base.run()
    assert summary["status"] == "blocked"
    assert summary["denied"]["documents"] == 2
    assert 0 < summary["denied"]["seconds"] < 1
    assert base.uris(["staff"]) == ["holidays.md", "refunds.md"]
    assert status(base.workspace)["time_to_invisible_s"] == summary["denied"]["seconds"]
    assert base.run()["denied"]["documents"] == 0


def test_forgetting_by_command(base: TestBase) -> None:
    before = forget(base.workspace, dry_run=True)
    assert before == {"documents": 4, "chunks": len(base.content()), "dry_run": True}
    caches = base.folder / ".kprep" / "restricted" / "sources" / base.name
    private(caches / "docs").joinpath("state.json").write_text("{}", encoding="utf-8")
    forget(base.workspace, dry_run=True)
    assert caches.exists()
    forget(base.workspace, dry_run=False)
    assert not caches.exists()
    base.close()
    assert base.run()["documents"]["added"] == 4


def test_forgetting_asks_for_a_yes_and_the_right_name(base: TestBase) -> None:
    from click.testing import CliRunner

    from kprep.cli.app import cli

    where = ["--kb", str(base.folder)]
    for arguments in (["--kb-name", base.name], ["--kb-name", "other", "--yes"]):
        assert CliRunner().invoke(cli, ["forget", *arguments, *where]).exit_code == 2
    assert readable(base, "staff") == set(FOUR)


@pytest.mark.req("D9.10")
def test_foreign_and_unknown_look_alike_on_the_command_line(base: TestBase) -> None:
    from click.testing import CliRunner

    from kprep.cli.app import cli

    for command in ("get", "chunks"):
        answers = []
        for uri in ("docs/travel.md", "docs/nowhere.md"):
            result = CliRunner().invoke(cli, [command, uri, "--as", "stranger", "--kb", str(base.folder)])
            answers.append((type(result.exception), str(result.exception).replace(uri, ""), result.output))
        assert answers[0] == answers[1]
        assert answers[0][0] is RetrievalError
