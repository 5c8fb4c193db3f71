"""Each golden case: the document as JSON, or the reason it is refused. GOLDEN_WRITE=1 rewrites the expectations."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any

import pytest

from kprep.core.errors import ParseError
from kprep.core.models import Element, ParsedDocument, RawDocument
from parsers import PARSERS, parse, parser_for
from parsers.media_type import detect

GOLDEN = Path(__file__).parents[2] / "golden" / "parsers"
CASES = sorted(path.parent for path in GOLDEN.glob("*/input.*"))


def element_json(element: Element) -> dict[str, Any]:
    """Only the fields that are set."""
    out: dict[str, Any] = {"kind": element.kind.value, "locator": element.locator.to_json()}
    out |= {"rows": [list(row) for row in element.rows]} if element.rows else {"text": element.text}
    for name in ("level", "marker", "language", "header_rows", "hidden", "fragment"):
        if getattr(element, name):
            out[name] = getattr(element, name)
    if element.links:
        out["links"] = [[link.text, link.target] for link in element.links]
    return out


def document_json(document: ParsedDocument) -> dict[str, Any]:
    metadata = {key: value for key, value in dataclasses.asdict(document.metadata).items() if value}
    return {
        "parser": document.parser,
        "media_type": document.media_type,
        "metadata": json.loads(json.dumps(metadata, default=str)),
        "units": [[unit.kind, unit.number, unit.state] for unit in document.units],
        "elements": [element_json(element) for element in document.elements],
    }


def outcome(folder: Path) -> dict[str, Any]:
    (source,) = folder.glob("input.*")
    content = source.read_bytes()
    media_type = detect(source.name, content)
    try:
        document = parse(RawDocument(f"case/{source.name}", source.name, content, media_type), parser_for(media_type))
    except ParseError as error:
        return {"media_type": media_type, "error": type(error).__name__, "reason": error.reason}
    return document_json(document)


@pytest.mark.req("D3.1", "D3.2", "D2.12", "D2.13", "D3.8", "D3.9", "D3.11")
@pytest.mark.parametrize("folder", CASES, ids=lambda path: path.name)
def test_golden(folder: Path) -> None:
    if folder.name.startswith("recording-"):
        pytest.importorskip("faster_whisper", reason="the extra `speech` is not installed: make test-speech")
    found = outcome(folder)
    expectation = folder / "expected.json"
    if os.environ.get("GOLDEN_WRITE") == "1":
        expectation.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        pytest.fail("expectations were rewritten; look at the difference and run again without GOLDEN_WRITE")
    assert found == json.loads(expectation.read_text(encoding="utf-8"))


def test_every_format_has_a_case() -> None:
    assert {case.name.partition("-")[0] for case in CASES} == set(PARSERS)
