"""No read path is without a canary: each command, method and statement that reads as somebody is a registered path."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from typing import Any

import click
import pytest

import kprep.cli
import kprep.store
import retrieval
from kprep.cli.app import cli
from retrieval import Reader, Searcher
from tests.fakes import read_paths

NOT_READING = frozenset(("Reader.release", "Reader.within"))
"""A number, and a scope to read in."""


def commands(group: click.Group, before: str = "") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, f"{before}{name} ")
        else:
            yield before + name, command


@pytest.mark.req("D9.10")
def test_every_command_is_a_path_or_an_operators() -> None:
    found = dict(commands(cli))
    assert set(found) == set(read_paths.COMMANDS) | read_paths.OPERATORS
    as_somebody = {name for name, command in found.items() if any("--as" in param.opts for param in command.params)}
    assert as_somebody <= set(read_paths.COMMANDS)
    assert {path for paths in read_paths.COMMANDS.values() for path in paths} <= read_paths.PATHS


def test_every_command_of_a_module_can_be_called() -> None:
    defined = set()
    for module in pkgutil.iter_modules(kprep.cli.__path__):
        defined |= set(getattr(importlib.import_module(f"kprep.cli.{module.name}"), "COMMANDS", ()))
    assert defined == set(cli.list_commands(click.Context(cli)))


@pytest.mark.req("D9.10")
def test_every_public_reading_method_is_a_path() -> None:
    assert set(retrieval.__all__) == {"MODES", "Reader", "SearchRequest", "Searcher"}
    methods = {
        f"{kind.__name__}.{name}" for kind in (Reader, Searcher) for name in vars(kind) if not name.startswith("_")
    }
    assert methods - NOT_READING == {f"Reader.{name.split()[0]}" for name in read_paths.ADDRESSED} | {"Searcher.search"}
    assert set(read_paths.ASKED) == set(retrieval.MODES)


def takes_scope(function: Any) -> bool:
    return any("Scope" in str(parameter.annotation) for parameter in inspect.signature(function).parameters.values())


@pytest.mark.req("D9.10")
def test_every_scoped_statement_is_behind_a_path() -> None:
    found = set()
    for info in pkgutil.iter_modules(kprep.store.__path__):
        module = importlib.import_module(f"kprep.store.{info.name}")
        functions = inspect.getmembers(module, inspect.isfunction)
        own = {name: item for name, item in functions if item.__module__ == module.__name__}
        found |= {f"{info.name}.{name}" for name, item in own.items() if takes_scope(item) and name[0] != "_"}
    assert found == set(read_paths.SCOPED)
    assert set(read_paths.SCOPED.values()) <= read_paths.PATHS
