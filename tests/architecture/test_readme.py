"""The README's quickstart and its Python example really run, and print what they are said to print."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
KPREP = Path(sys.executable).parent / "kprep"
VARIABLE = (
    (re.compile(r"(?<!\S)/[\w./-]+"), "PATH"),
    (re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ"), "TIME"),
    (re.compile(r"\b[0-9a-f]{12}\b"), "ID"),
    (re.compile(r"\b\d+\.\d+ s\b|\b\d+ ms\b"), "SECONDS"),
    (re.compile(r"\b0\.\d{3}\b"), "SCORE"),
)
"""What differs from run to run."""


def constant(text: str) -> list[str]:
    """Lines without what differs from run to run, without blank lines and trailing spaces."""
    for pattern, name in VARIABLE:
        text = pattern.sub(name, text)
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def quickstart() -> list[tuple[str, str]]:
    """(command, output) of the quickstart."""
    block = README.split("<!-- quickstart")[1].split("```console\n")[1].split("```")[0]
    parts = re.split(r"^\$ (.*)$", block, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the embedded server's user can enter, with a short path."""
    path = Path(tempfile.mkdtemp(prefix="kpq-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """This process's environment without settings of kprep and Prefect; 80 columns."""
    for name in [name for name in os.environ if name.startswith(("KPREP_", "PREFECT_"))]:
        monkeypatch.delenv(name)
    return {**os.environ, "COLUMNS": "80"}


@pytest.mark.flow
def test_quickstart_prints_what_it_says(folder: Path, environment: dict[str, str]) -> None:
    where = folder
    for command, output in quickstart():
        words = shlex.split(command)
        if words[0] == "cd":
            where = where / words[1]
            continue
        assert words[0] == "kprep"
        done = subprocess.run(
            [str(KPREP), *words[1:]], cwd=where, env=environment, check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert constant(done.stdout) == constant(output), command

    example = README.split("```python\n")[1].split("```")[0]
    done = subprocess.run(
        [sys.executable, "-P", "-c", example], cwd=folder, env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_quickstart_uses_the_commands_a_newcomer_needs() -> None:
    commands = [shlex.split(command)[1] for command, _ in quickstart() if command.startswith("kprep")]
    assert commands == ["init", "plan", "run", "search", "status"]
