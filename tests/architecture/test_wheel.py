"""The wheel holds every package and every file that code reads at run time."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DATA_SUFFIXES = (".sql", ".yaml", ".md", ".json", ".txt", ".mako", ".onnx")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel as hatchling builds it, without a network and without isolation."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (path,) = folder.glob("kprep-*.whl")
    return zipfile.ZipFile(path)


def _packages() -> list[str]:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packages: list[str] = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    return packages


def test_holds_every_module_and_data_file(wheel: zipfile.ZipFile) -> None:
    expected = {
        path.relative_to(ROOT).as_posix()
        for package in _packages()
        for path in (ROOT / package).rglob("*")
        if path.suffix in (".py", *DATA_SUFFIXES) and "__pycache__" not in path.parts
    }
    assert expected - set(wheel.namelist()) == set()


@pytest.mark.parametrize(
    "name",
    [
        "cleaning/default.yaml",
        "redaction/default.yaml",
        "embedding/data/minilm/tokenizer.json",
        "kprep/cli/template/kprep.yaml",
        "kprep/cli/template/questions.yaml",
        "kprep/cli/template/documents/welcome.md",
        "kprep/store/releases.sql",
        "migrations/versions/0001_initial.sql",
        "migrations/script.py.mako",
    ],
)
def test_holds_what_code_reads_at_run_time(wheel: zipfile.ZipFile, name: str) -> None:
    assert wheel.getinfo(name).file_size > 0


def test_holds_nothing_but_the_packages(wheel: zipfile.ZipFile) -> None:
    folders = {name.split("/")[0] for name in wheel.namelist()}
    metadata = {folder for folder in folders if folder.endswith(".dist-info")}
    assert len(metadata) == 1
    assert folders - metadata == set(_packages())
    assert any(name.endswith("/licenses/LICENSE") for name in wheel.namelist())


def test_command_is_installed(wheel: zipfile.ZipFile) -> None:
    (name,) = [name for name in wheel.namelist() if name.endswith("/entry_points.txt")]
    assert "kprep = kprep.cli:main" in wheel.read(name).decode()
