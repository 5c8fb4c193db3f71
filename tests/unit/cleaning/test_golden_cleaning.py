"""Golden cases: `tests/golden/cleaning/<case>/input.json` (elements) against `expected.json` (elements, removals).

GOLDEN_WRITE=1 rewrites the expectations; the test fails while it is set.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from cleaning import CleaningRules, clean
from kprep.core.models import DocumentMetadata, Element, ElementKind, Link, Locator, ParsedDocument, table_text

CASES = sorted((Path(__file__).parents[2] / "golden" / "cleaning").iterdir())


def read(value: dict[str, Any]) -> Element:
    rows = tuple(tuple(row) for row in value.get("rows", []))
    return Element(
        kind=ElementKind(value["kind"]),
        text=table_text(rows) if rows else value["text"],
        locator=Locator.from_json(value.get("locator", {})),
        level=value.get("level", 0),
        rows=rows,
        header_rows=value.get("header_rows", 0),
        links=tuple(Link(*link) for link in value.get("links", [])),
        hidden=value.get("hidden", False),
    )


@pytest.mark.req("D4.1", "D4.2", "D4.3", "D4.4", "D4.5", "D4.6", "D4.7")
@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_golden(case: Path) -> None:
    elements = tuple(read(value) for value in json.loads((case / "input.json").read_text(encoding="utf-8")))
    document = ParsedDocument("golden/a", "text/plain", "golden", elements, (), DocumentMetadata())
    result = clean(document, CleaningRules())
    actual = {
        "elements": [
            {"kind": item.kind.value, "text": item.text, "locator": item.locator.to_json()} for item in result.elements
        ],
        "removals": [{"rule": item.rule, "chars": item.chars, "text_hash": item.text_hash} for item in result.removals],
    }
    expected = case / "expected.json"
    if os.environ.get("GOLDEN_WRITE"):
        expected.write_text(json.dumps(actual, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        pytest.fail("GOLDEN_WRITE is set: expectation rewritten, look at the difference")
    assert actual == json.loads(expected.read_text(encoding="utf-8"))
