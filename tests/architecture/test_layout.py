"""Folders, packages, registries, statements and errors: what several files must agree on."""

from __future__ import annotations

import ast
import importlib
import pickle
import re
import tomllib
from collections.abc import Iterator, Mapping
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest

import chunking
import embedding
import parsers
import quality
import sources
from kprep.core.errors import PrepError

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
UNPACKAGED = {"tests", "docs", "examples", "infra", "benchmarks", "requirements", "build", "dist"}
IGNORED = {".venv", ".git", ".kprep", "__pycache__", "build", "dist"}
INDEX_ADDRESS = re.compile(r"https?://[^\s\"'<>)]*/simple\b|--(extra-)?index-url[ =]+\S*://|--find-links[ =]+\S*://")

REGISTRIES: Mapping[str, tuple[Any, str, Mapping[str, Any]]] = {
    "parsers": (parsers, "PARSER", parsers.PARSERS),
    "chunking": (chunking, "CHUNKER", chunking.CHUNKERS),
    "sources": (sources, "SOURCE", sources.SOURCES),
    "embedding": (embedding, "EMBEDDER", embedding.EMBEDDERS),
    "quality": (quality, "CHECKS", quality.CHECKS),
}


def own_files() -> Iterator[Path]:
    """Every file of the repository that is not made by a tool."""
    folders = [ROOT]
    while folders:
        for path in sorted(folders.pop().iterdir()):
            if path.name in IGNORED or path.suffix == ".egg-info":
                continue
            if path.is_dir():
                folders.append(path)
            else:
                yield path


def test_folders_are_the_packages_of_the_wheel_and_the_linted_roots() -> None:
    folders = {path.parent.name for path in ROOT.glob("*/__init__.py")} - UNPACKAGED
    linted = set(PROJECT["tool"]["importlinter"]["root_packages"])
    assert folders == set(PACKAGES)
    assert folders - {"migrations"} == linted
    assert folders - {"migrations"} == set(PROJECT["tool"]["ruff"]["lint"]["isort"]["known-first-party"])


def test_every_top_level_folder_is_accounted_for() -> None:
    found = {path.name for path in ROOT.iterdir() if path.is_dir() and any(path.rglob("*.py"))}
    assert {name for name in found if not name.startswith(".")} <= set(PACKAGES) | UNPACKAGED


@pytest.mark.parametrize("room", REGISTRIES)
def test_every_file_that_defines_an_entry_is_registered(room: str) -> None:
    _, name, registry = REGISTRIES[room]
    registered = [id(spec) for spec in registry.values()]
    for path in sorted((ROOT / room).glob("*.py")):
        if path.name == "__init__.py" or not _defines(path, name):
            continue
        entry = getattr(importlib.import_module(f"{room}.{path.stem}"), name)
        for spec in entry if isinstance(entry, tuple) else (entry,):
            assert id(spec) in registered, f"{path.name} defines {spec.name!r}, which {room}/__init__.py leaves out"


@pytest.mark.parametrize("room", REGISTRIES)
def test_registries_are_literal_and_named_by_their_entries(room: str) -> None:
    module, _, registry = REGISTRIES[room]
    assert registry
    assert all(name == spec.name for name, spec in registry.items())
    assert re.search(r"by_name\(\s*\(", Path(module.__file__).read_text(encoding="utf-8"))


def test_yaml_is_read_where_its_aliases_are_counted_and_nowhere_else() -> None:
    rooms = [name for name in PACKAGES if name != "migrations"]
    reading = re.compile(r"\byaml\.(?:load|safe_load|full_load|compose|parse|scan|\w*Loader\()")
    found = {
        str(path.relative_to(ROOT))
        for room in rooms
        for path in (ROOT / room).rglob("*.py")
        if reading.search(path.read_text(encoding="utf-8"))
    }
    assert found == {"kprep/bounded_yaml.py", "parsers/yaml_tree.py"}


def _defines(path: Path, name: str) -> bool:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    targets += [node.target for node in tree.body if isinstance(node, ast.AnnAssign)]
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)


@pytest.mark.parametrize("name", parsers.PARSERS)
def test_every_parser_has_a_golden_case(name: str) -> None:
    cases = sorted((ROOT / "tests/golden/parsers").glob(f"{name}-*"))
    assert cases, f"add tests/golden/parsers/{name}-<case> with input.* and expected.json"
    for case in cases:
        assert (case / "expected.json").is_file()
        assert list(case.glob("input.*"))


def test_no_file_names_an_index_address() -> None:
    found = []
    for path in own_files():
        try:
            text = path.read_text(encoding="utf-8")
        except (UnicodeDecodeError, OSError):
            continue
        found += [f"{path.relative_to(ROOT)}: {match[0]}" for match in INDEX_ADDRESS.finditer(text)]
    assert found == []


def test_no_other_distribution_ships_our_top_level_names() -> None:
    shipped = packages_distributions()
    strangers = {name: shipped[name] for name in PACKAGES if set(shipped.get(name, ())) - {"kprep"}}
    assert strangers == {}


def _errors(kind: type[PrepError]) -> Iterator[type[PrepError]]:
    yield kind
    for inner in kind.__subclasses__():
        yield from _errors(inner)


@pytest.mark.parametrize("kind", list(_errors(PrepError)), ids=lambda kind: kind.__name__)
def test_every_error_survives_pickling_and_has_a_reason(kind: type[PrepError]) -> None:
    error = pickle.loads(pickle.dumps(kind("what went wrong", document_id="d1", tokens=3)))
    assert type(error) is kind
    assert (error.message, str(error)) == ("what went wrong", "what went wrong")
    assert error.context == {"document_id": "d1", "tokens": 3}
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", kind.reason)
    assert "reason" in vars(kind), f"{kind.__name__} has no reason of its own"
    assert isinstance(kind.retryable, bool)
    assert kind.__doc__


def test_errors_are_defined_in_one_place() -> None:
    assert {kind.__module__ for kind in _errors(PrepError)} == {"kprep.core.errors"}


STORE_MODULES = sorted(path.stem for path in (ROOT / "kprep/store").glob("*.sql"))


@pytest.mark.parametrize("module", STORE_MODULES)
def test_statements_that_a_store_module_names_exist(module: str) -> None:
    code = (ROOT / f"kprep/store/{module}.py").read_text(encoding="utf-8")
    used = set(re.findall(r"SQL\[\"(\w+)\"\]", code))
    sql = (ROOT / f"kprep/store/{module}.sql").read_text(encoding="utf-8")
    named = set(re.findall(r"^-- name: (\w+)\s*$", sql, re.MULTILINE))
    assert used
    assert used <= named


def test_every_module_says_what_it_is() -> None:
    silent = [
        f"{package}/{path.name}"
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        if path.stat().st_size and "versions" not in path.parts and not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert silent == []
