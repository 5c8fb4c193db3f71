"""Forms of PDFs: what was filled in."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pypdf
import pytest
from pypdf.generic import ArrayObject, DecodedStreamObject, NameObject, TextStringObject
from reportlab.pdfgen.canvas import Canvas

from kprep.core.models import ParsedDocument, RawDocument
from parsers import PARSERS, coverage, parse


def read(content: bytes) -> ParsedDocument:
    return parse(RawDocument("s/a.pdf", "a.pdf", content, "application/pdf"), PARSERS["pdf"])


def form(change: Callable[[pypdf.PdfWriter], None] = lambda _: None) -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1)
    canvas.showPage()
    canvas.drawString(72, 700, "Application")
    fields: Any = canvas.acroForm
    fields.textfield(name="applicant", tooltip="Name of the applicant", value="Ada Lovelace", x=150, y=690)
    fields.textfield(name="remarks", value="", x=150, y=660)
    fields.textfield(name="word", value="hush-hush", fieldFlags="password", x=150, y=640)
    fields.checkbox(name="insured", tooltip="Insured", checked=True, x=150, y=620)
    fields.checkbox(name="smoker", checked=False, x=150, y=600)
    fields.choice(name="country", value="France", options=["France", "Spain"], x=150, y=580)
    fields.radio(name="pay", value="monthly", selected=True, x=150, y=540)
    fields.radio(name="pay", value="yearly", selected=False, x=200, y=540)
    canvas.save()
    writer = pypdf.PdfWriter(clone_from=out)
    change(writer)
    changed = io.BytesIO()
    writer.write(changed)
    return changed.getvalue()


@pytest.mark.req("D2.1")
def test_fields_are_read_with_their_values_and_cited_by_their_page() -> None:
    content = form()
    document = read(content)
    assert [(e.text, e.locator.page) for e in document.elements] == [
        ("Application", 2),
        ("Name of the applicant: Ada Lovelace", 2),
        ("☒ Insured", 2),
        ("☐ smoker", 2),
        ("country: France", 2),
        ("pay: monthly", 2),
    ]
    quoted = PARSERS["pdf"].quote(content, document.elements[1].locator)
    for words in ("Name of the applicant", "Ada Lovelace", "Insured", "smoker", "France", "monthly"):
        assert words in quoted
    assert "hush" not in quoted
    raw = RawDocument("s/a.pdf", "a.pdf", content, "application/pdf")
    assert coverage(raw, document) == 1.0


def test_values_said_by_the_field_above_are_found() -> None:
    def nest(writer: pypdf.PdfWriter) -> None:
        widget = writer.pages[1].annotations[0].get_object()  # type: ignore[index]
        above = pypdf.generic.DictionaryObject(
            {NameObject(key): widget.pop(key) for key in ("/T", "/V", "/FT", "/TU") if key in widget}
        )
        above[NameObject("/Kids")] = ArrayObject([widget.indirect_reference])
        above[NameObject("/T")] = TextStringObject("person")
        widget[NameObject("/Parent")] = writer._add_object(above)
        fields = writer.root_object["/AcroForm"]["/Fields"]  # type: ignore[index]
        fields[0] = widget["/Parent"].indirect_reference

    content = form(nest)
    element = next(e for e in read(content).elements if "Ada" in e.text)
    assert element.text == "Name of the applicant: Ada Lovelace"
    assert "Ada Lovelace" in PARSERS["pdf"].quote(content, element.locator)


def test_a_form_made_by_a_program_is_a_recorded_exclusion() -> None:
    def add(writer: pypdf.PdfWriter) -> None:
        stream = DecodedStreamObject()
        stream.set_data(b"<xdp:xdp xmlns:xdp='http://ns.adobe.com/xdp/'></xdp:xdp>")
        root: Any = writer.root_object
        root["/AcroForm"][NameObject("/XFA")] = writer._add_object(stream)

    units = read(form(add)).units
    assert [(u.kind, u.state) for u in units if u.kind != "page"] == [("xfa_form", "not_extracted")]
    assert [u.kind for u in read(form()).units if u.kind != "page"] == []
