"""Modules that are no part of a package: builders of golden inputs, and the hostile files."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

TESTS = Path(__file__).parents[1]


def module_at(relative: str) -> ModuleType:
    """The module of a file below tests/."""
    path = TESTS / relative
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
