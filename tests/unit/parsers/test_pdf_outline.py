"""Numbers printed on pages, and bookmarks."""

from __future__ import annotations

import io

import pytest
from pypdf import PdfWriter
from pypdf.constants import PageLabelStyle
from reportlab.pdfgen.canvas import Canvas

from kprep.core.models import ElementKind, Locator, ParsedDocument, RawDocument
from parsers import PARSERS, parse
from retrieval.reader import citation

WORDS = ("Rain falls on the plain.", "Snow falls on the hills.", "Hail falls on the coast.", "Fog lies in the valley.")


def read(content: bytes) -> ParsedDocument:
    return parse(RawDocument("s/a.pdf", "a.pdf", content, "application/pdf"), PARSERS["pdf"])


def made(*bookmarks: tuple[str, int, float | None], label: str = "") -> bytes:
    """Four pages with a sentence in two places; `bookmarks`: title, page from 0, points from the lower edge."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(400, 600), invariant=1)
    for number, words in enumerate(WORDS):
        canvas.drawString(50, 500, words)
        canvas.drawString(50, 200, f"Of it the readers of page {'abcd'[number]} know all.")
        for n, (title, page, top) in enumerate(bookmarks):
            if page == number:
                canvas.bookmarkPage(f"b{n}", fit="XYZ" if top else "Fit", top=top, left=0)
                canvas.addOutlineEntry(title, f"b{n}", level=0)
        canvas.showPage()
    canvas.save()
    writer = PdfWriter(clone_from=out)
    writer.set_page_label(0, 1, style=PageLabelStyle.LOWERCASE_ROMAN, prefix=label)
    writer.set_page_label(2, 3, style=PageLabelStyle.DECIMAL)
    labelled = io.BytesIO()
    writer.write(labelled)
    return labelled.getvalue()


@pytest.mark.req("D2.1")
def test_a_citation_carries_the_page_that_opens_and_what_is_printed_on_it() -> None:
    content = made()
    found = {e.text: e.locator for e in read(content).elements}
    for number, words in enumerate(WORDS, 1):
        place = found[words]
        assert place.page == number
        assert words in PARSERS["pdf"].quote(content, place)
    assert [found[words].page_label for words in WORDS] == ["i", "ii", "1", "2"]
    assert citation("s/a.pdf", found[WORDS[2]].to_json()) == "s/a.pdf, page 3 (printed 1)"
    assert (
        citation("s/a.pdf", Locator(page=1, page_end=2, page_label="i").to_json()) == "s/a.pdf, pages 1-2 (printed i)"
    )
    assert citation("s/a.pdf", Locator(page=1).to_json()) == "s/a.pdf, page 1"


@pytest.mark.req("D2.1")
def test_a_citation_over_pages_carries_what_is_printed_on_the_first_and_the_last() -> None:
    places = [e.locator for e in read(made()).elements if e.text in WORDS]
    over = places[1].through(places[2])
    assert citation("s/a.pdf", over.to_json()) == "s/a.pdf, pages 2-3 (printed ii-1)"
    assert citation("s/a.pdf", over.through(places[3]).to_json()) == "s/a.pdf, pages 2-4 (printed ii-2)"
    assert places[1].through(over).to_json() == over.to_json()
    assert places[2].through(places[2]) == places[2]
    plain = Locator(page=2).through(Locator(page=4, page_label="A-1"))
    assert citation("s/a.pdf", plain.to_json()) == "s/a.pdf, pages 2-4 (printed 2-A-1)"


def test_words_in_a_label_are_not_taken() -> None:
    assert read(made(label="Ada Lovelace ")).elements[0].locator.page_label is None


def test_bookmarks_are_headings_where_the_page_names_none() -> None:
    content = made(("Weather of plains", 0, None), ("Hail falls on the coast.", 2, None), ("Valleys", 3, 300.0))
    elements = read(content).elements
    headings = [(n, e.text, e.locator.page) for n, e in enumerate(elements) if e.kind is ElementKind.HEADING]
    assert [(text, page) for _, text, page in headings] == [
        ("Weather of plains", 1),
        ("Hail falls on the coast.", 3),
        ("Valleys", 4),
    ]
    assert headings[0][0] == 0
    assert elements[headings[2][0] - 1].text == WORDS[3]
    assert elements[headings[2][0] + 1].text == "Of it the readers of page d know all."
    assert "Valleys" in PARSERS["pdf"].quote(content, elements[headings[2][0]].locator)


def test_bookmarks_that_only_count_pages_are_no_headings() -> None:
    assert not [e for e in read(made(("Page 1", 0, None), ("2", 1, None))).elements if e.kind is ElementKind.HEADING]


@pytest.mark.parametrize("written", ["Care of pumps", "2. Care of pumps", "2.1 Care of pumps"])
def test_a_title_set_like_the_text_below_it_is_a_heading(written: str) -> None:
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(400, 600), invariant=1)
    canvas.bookmarkPage("care")
    canvas.addOutlineEntry("Care of pumps", "care")
    lines = [
        "Pumps move water from one tank",
        "to another while all watch.",
        written,
        "Clean the pump each week with",
        "warm water.",
    ]
    for at, line in enumerate(lines):
        canvas.drawString(50, 500 - 14 * at, line)
    canvas.save()
    assert [(e.kind.value, e.text) for e in read(out.getvalue()).elements] == [
        ("paragraph", "\n".join(lines[:2])),
        ("heading", written),
        ("paragraph", "\n".join(lines[3:])),
    ]
