"""The conformance tests F1 to F22, born of faults of other systems, are all there, each under one name."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_each_conformance_test_is_there_once() -> None:
    found: Counter[int] = Counter()
    for path in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            numbers = re.match(r"test_((?:f\d\d_)+)", node.name) if isinstance(node, ast.FunctionDef) else None
            if numbers is not None:
                found.update(int(number) for number in re.findall(r"\d\d", numbers[1]))
    assert found == Counter(range(1, 23))
