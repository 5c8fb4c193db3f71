"""Pages without text of their own in documents that have some: what is published of them, and what `status` says."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from flows.planning import preview, status
from parsers import pdf_ocr
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase


def partly_scanned() -> bytes:
    """A page of text, then a picture of words."""
    picture = Image.new("L", (1000, 500), 255)
    ImageDraw.Draw(picture).text((60, 180), "Lanterns are lit at dusk.", font=ImageFont.load_default(40), fill=0)
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(500, 250), invariant=1)
    canvas.drawString(50, 120, "The gate is shut at nine.")
    canvas.showPage()
    canvas.drawImage(ImageReader(picture), 0, 0, 500, 250)
    canvas.save()
    return out.getvalue()


def published(make_base: MakeBase) -> tuple[TestBase, list[dict[str, Any]]]:
    base = make_base({"rules.pdf": partly_scanned()}, embedding={"provider": "none"})
    base.run()
    return base, status(base.workspace)["left_out"]


def row(state: str) -> dict[str, Any]:
    return {"kind": "page", "state": state, "units": 1, "documents": 1, "example": "docs/rules.pdf"}


def test_without_the_extra_the_page_is_counted(make_base: MakeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_ocr, "ENABLED", False)
    base, left_out = published(make_base)
    base.write(".notes.md", "Hidden.")
    passed_over = [{"source": "docs", "reason": "hidden", "files": 1}]
    assert preview(base.workspace, allow_deletes=False)["passed_over"] == passed_over
    assert status(base.workspace)["passed_over"] == []
    base.run()
    assert status(base.workspace)["passed_over"] == passed_over
    assert left_out == [row("no_text")]
    assert [chunk["text"] for chunk in base.chunks("rules.pdf")] == ["The gate is shut at nine."]


def test_an_entry_that_cannot_be_read_is_named_and_the_others_are_published(make_base: MakeBase) -> None:
    good = {"name": "Lanterns", "fragments": [{"type": "def", "text": "Lanterns are lit at dusk by the watch."}]}
    base = make_base({"a.json": json.dumps([good, {"name": "Gate", "fragments": []}])}, embedding={"provider": "none"})
    outcome = base.run()
    problem = "entry 2 in line 1: `fragments` is a list of at least one {type, text}"
    finding = {check["code"]: check for check in outcome["gate"]["checks"]}["parts_broken"]
    assert (finding["level"], finding["passed"]) == ("warning", False)
    assert problem in finding["message"]
    assert finding["samples"] == [{"document_uri": "docs/a.json", "problem": problem}]
    assert status(base.workspace)["broken"] == [{"uri": "docs/a.json", "problem": problem}]
    assert [chunk["text"] for chunk in base.chunks("a.json")] == ["Lanterns are lit at dusk by the watch."]


@pytest.mark.req("D4.12")
@pytest.mark.filterwarnings("ignore")
def test_a_page_recognised_badly_waits_for_a_person(make_base: MakeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rapidocr")
    base, left_out = published(make_base)
    assert left_out == []
    assert "Lanterns are lit at dusk." in " ".join(chunk["text"] for chunk in base.chunks("rules.pdf"))
    monkeypatch.setattr(pdf_ocr, "NEEDED_CONFIDENCE", 1.01)
    base, left_out = published(make_base)
    assert left_out == [row("needs_review")]
    assert [chunk["text"] for chunk in base.chunks("rules.pdf")] == ["The gate is shut at nine."]
