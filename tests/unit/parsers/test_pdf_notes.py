"""Notes on PDF pages: what people wrote beside or over the text."""

from __future__ import annotations

import io
from typing import Any

import pypdf
import pytest
from pypdf.generic import ArrayObject, DictionaryObject, FloatObject, NameObject, NumberObject, TextStringObject
from reportlab.pdfgen.canvas import Canvas

from kprep.core.errors import NoText
from kprep.core.models import Element, RawDocument
from parsers import PARSERS, coverage, parse

BODY = "The lease ends in May."
PLACE = (72, 690, 300, 712)
"""Where the words of the body stand."""
BESIDE = (320, 500, 500, 530)


def annotation(kind: str, box: tuple[int, ...] = BESIDE, flags: int = 0, **said: str) -> DictionaryObject:
    values: dict[Any, Any] = {NameObject(f"/{key}"): TextStringObject(text) for key, text in said.items()}
    values[NameObject("/Type")] = NameObject("/Annot")
    values[NameObject("/Subtype")] = NameObject(f"/{kind}")
    values[NameObject("/Rect")] = ArrayObject(map(FloatObject, box))
    values[NameObject("/F")] = NumberObject(flags)
    return DictionaryObject(values)


def with_notes(*notes: DictionaryObject, body: str = BODY) -> RawDocument:
    drawn, out = io.BytesIO(), io.BytesIO()
    canvas = Canvas(drawn, invariant=1)
    canvas.drawString(72, 700, body)
    canvas.save()
    writer = pypdf.PdfWriter(clone_from=drawn)
    writer.pages[0][NameObject("/Annots")] = ArrayObject(map(writer._add_object, notes))
    writer.write(out)
    return RawDocument("s/a.pdf", "a.pdf", out.getvalue(), "application/pdf")


def read(raw: RawDocument) -> list[Element]:
    return [element for element in parse(raw, PARSERS["pdf"]).elements if element.fragment == "comment"]


@pytest.mark.req("D2.1")
def test_notes_are_comments_on_their_page_and_found_there() -> None:
    raw = with_notes(
        annotation("Text", Contents="Is this\rstill so?", T="Ann Example", M="D:20240506070809Z"),
        annotation("FreeText", Contents="Extended by a year"),
        annotation("FreeText", RC="<body><p>Signed &amp; <b>sealed</b></p><p>twice</p></body>"),
        annotation("Highlight", PLACE, Contents="Check the date", T="Bea"),
        annotation("Text", flags=2, Contents="Not for the tenant"),
    )
    document = parse(raw, PARSERS["pdf"])
    found = read(raw)
    assert [(e.text, e.hidden) for e in found] == [
        ("Comment by Ann Example, 2024-05-06: Is this\nstill so?", False),
        ("Comment: Extended by a year", False),
        ("Comment: Signed & sealed\ntwice", False),
        ("Comment by Bea: Check the date", False),
        ("Comment: Not for the tenant", True),
    ]
    assert {e.locator.page for e in found} == {1}
    quoted = PARSERS["pdf"].quote(raw.content, found[0].locator)
    assert all(element.text in quoted for element in found)
    assert coverage(raw, document) == 1.0


def test_words_of_the_page_and_marks_are_no_notes() -> None:
    raw = with_notes(
        annotation("Highlight", PLACE, Contents="lease  ends"),
        annotation("FreeText", PLACE, Contents=BODY),
        annotation("Text", Contents="Accepted set by Ann", StateModel="Review"),
        annotation("Popup", Contents="a copy"),
        annotation("Link", Contents="to the annex"),
        annotation("Square"),
    )
    assert read(raw) == []
    assert [e.text for e in read(with_notes(annotation("FreeText", Contents=BODY)))] == [f"Comment: {BODY}"]


def test_a_note_does_not_make_up_for_a_page_without_text() -> None:
    with pytest.raises(NoText):
        read(with_notes(annotation("Text", Contents="Please have this read"), body=""))
