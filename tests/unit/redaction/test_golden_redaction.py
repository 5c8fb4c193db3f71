"""Golden cases: `tests/golden/redaction/<case>/input.json` (texts) against `expected.json`, with a fixed key.

GOLDEN_WRITE=1 rewrites the expectations; the test fails while it is set.
"""

import json
import os
from pathlib import Path

import pytest

from kprep.core.models import CleanDocument, DocumentMetadata, Element, ElementKind, Locator, table_text
from redaction import RedactionPolicy, Redactor

CASES = sorted((Path(__file__).parents[2] / "golden" / "redaction").iterdir())


@pytest.mark.req("D5.1", "D5.2", "D5.4", "D5.5")
@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_golden(case: Path) -> None:
    given = json.loads((case / "input.json").read_text(encoding="utf-8"))
    rows = tuple(tuple(row) for row in given["rows"])
    elements = (
        *(Element(ElementKind.PARAGRAPH, text, Locator(line=(n, n))) for n, text in enumerate(given["texts"], 1)),
        Element(ElementKind.TABLE, table_text(rows), Locator(page=1), rows=rows, header_rows=1),
    )
    document = CleanDocument("golden/a", "text/plain", "golden", elements, (), DocumentMetadata(), ())
    result = Redactor(RedactionPolicy(), b"golden-key-0123456789", "golden").redact(document)
    actual = {
        "texts": [element.text for element in result.elements[:-1]],
        "rows": [list(row) for row in result.elements[-1].rows],
        "redactions": [[item.kind, item.locator.to_json()] for item in result.redactions],
    }
    expected = case / "expected.json"
    if os.environ.get("GOLDEN_WRITE"):
        expected.write_text(json.dumps(actual, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        pytest.fail("GOLDEN_WRITE is set: expectation rewritten, look at the difference")
    assert actual == json.loads(expected.read_text(encoding="utf-8"))
