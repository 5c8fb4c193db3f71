"""Scanned pages with the extra `ocr`, and without it."""

from __future__ import annotations

import io

import pytest

from kprep.core.errors import NeedsReview, NoText
from kprep.core.models import ElementKind, ParsedDocument, RawDocument
from parsers import parse, parser_for, pdf_ocr


def scan() -> bytes:
    from PIL import Image, ImageDraw, ImageFont
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    picture = Image.new("L", (1000, 500), 255)
    draw = ImageDraw.Draw(picture)
    draw.text((60, 60), "Maintenance Manual", font=ImageFont.load_default(48), fill=0)
    draw.text((60, 180), "Every station is visited once a week.", font=ImageFont.load_default(28), fill=0)
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(500, 250), invariant=1)
    canvas.drawImage(ImageReader(picture), 0, 0, 500, 250)
    canvas.save()
    return out.getvalue()


def read() -> ParsedDocument:
    return parse(RawDocument("s/a.pdf", "a.pdf", scan(), "application/pdf"), parser_for("application/pdf"))


def test_without_the_extra_the_message_names_it() -> None:
    with pytest.raises(NoText, match="install kprep's extra `ocr`") as caught:
        read()
    assert caught.value.context["units"] == [["page", 1, "no_text"]]


@pytest.mark.filterwarnings("ignore")
def test_a_scan_is_read_with_its_confidence(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rapidocr")
    monkeypatch.setattr(pdf_ocr, "ENABLED", True)
    document = read()
    assert document.parser.endswith("+rapidocr")
    assert [(e.kind, e.text) for e in document.elements] == [
        (ElementKind.HEADING, "Maintenance Manual"),
        (ElementKind.PARAGRAPH, "Every station is visited once a week."),
    ]
    assert all(e.confidence is not None and e.confidence > 0.9 and e.locator.page == 1 for e in document.elements)


@pytest.mark.req("D4.12")
@pytest.mark.filterwarnings("ignore")
def test_a_scan_read_with_too_little_confidence_waits_for_a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rapidocr")
    monkeypatch.setattr(pdf_ocr, "ENABLED", True)
    monkeypatch.setattr(pdf_ocr, "NEEDED_CONFIDENCE", 1.01)
    with pytest.raises(NeedsReview) as caught:
        read()
    assert caught.value.context["units"] == [["page", 1, "needs_review"]]
