"""`kprep run --watch`: a run after each change that stands still, and none without."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from flows.watching import changes, watched
from tests.conftest import MakeBase
from tests.fakes.command_line import CommandLine, short_directory
from tests.fakes.worlds import GitWorld


def test_a_change_is_taken_up_when_it_stands_still(make_base: MakeBase) -> None:
    base = make_base({"a.md": "# A\n\nOne."})
    looks: list[int] = []

    def sleep(_: float) -> None:
        looks.append(len(looks))
        if len(looks) in (2, 3, 4):
            base.write("a.md", f"# A\n\n{'x' * len(looks)}")  # still being written
        if len(looks) == 9:
            base.delete("a.md")

    found = changes(base.workspace, 0.0, sleep)
    next(found)
    assert looks == []
    next(found)
    assert len(looks) == 5  # the look after the last write
    next(found)
    assert len(looks) == 10


def test_the_data_directory_is_not_watched_and_rules_are(make_base: MakeBase, tmp_path: Path) -> None:
    folder = tmp_path / "git"
    folder.mkdir()
    world = GitWorld(folder)
    world.write("a", "The first page.")
    sources = [
        {"name": "docs", "kind": "filesystem", "path": ".", "acl": ["staff"]},
        {"name": "code", "kind": "git", "url": str(world.bare), "ref": "main", "acl": ["staff"]},
    ]
    base = make_base({"a.md": "# A"}, sources=sources, redaction={"policy": "rules.yaml"})
    (base.folder / "rules.yaml").write_text("{}")
    workspace = base.workspace
    assert {base.folder / "kprep.yaml", base.folder / "rules.yaml", world.bare / "refs"} <= set(watched(workspace))
    steps: dict[int, Callable[[], object]] = {
        2: lambda: (workspace.data_dir / "noise").write_text("x"),
        6: lambda: world.write("a", "The second page."),
        10: lambda: (base.folder / "rules.yaml").write_text("# other"),
    }
    workspace.data_dir.mkdir(exist_ok=True)
    looks: list[int] = []

    def sleep(_: float) -> None:
        looks.append(len(looks))
        if len(looks) in steps:
            steps[len(looks)]()

    found = changes(workspace, 0.0, sleep)
    next(found)
    next(found)
    assert len(looks) == 7
    next(found)
    assert len(looks) == 11


@pytest.fixture
def kprep(tmp_path: Path) -> Iterator[CommandLine]:
    folder = tmp_path / "kb"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "a.md").write_text("# Oven\n\nThe oven is cleaned on Fridays.\n")
    source = "{name: docs, kind: filesystem, path: docs, acl: [public]}"
    (folder / "kprep.yaml").write_text(
        f"knowledge_base: watched\ntenant: acme\nsources: [{source}]\nembedding: {{provider: none}}\n"
    )
    with short_directory() as data_dir:
        yield CommandLine(folder, data_dir, {})


def test_run_watch_publishes_until_it_is_interrupted(kprep: CommandLine) -> None:
    process = subprocess.Popen(
        kprep.command("run", "--watch", "--every", "0.2", "--json"),
        env=kprep.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        assert (first["status"], first["release"]) == ("published", 1)
        (kprep.folder / "docs" / "b.md").write_text("# Press\n\nThe press is oiled daily.\n")
        second = json.loads(process.stdout.readline())
        assert (second["status"], second["documents"]["added"]) == ("published", 1)
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stdout.read() == ""
    finally:
        process.kill()
        process.wait(10)
        process.stdout.close()  # type: ignore[union-attr]
    assert "oiled" in kprep("search", "press", "--mode", "lexical").stdout


def test_watch_alone(kprep: CommandLine) -> None:
    done = kprep("run", "--watch", "--dry-run")
    assert done.returncode == 2
    assert "--watch goes with none of" in done.stderr
