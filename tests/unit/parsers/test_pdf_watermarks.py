"""PDF: words laid across the text."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from reportlab.lib.colors import Color, black, lightgrey, navy
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

from cleaning import CleaningRules, clean
from kprep.core.errors import NoText
from kprep.core.models import ElementKind, RawDocument
from parsers import PARSERS, coverage, parse
from tests.unit.parsers.test_pdf import BUILD, GOLDEN, read

Stamp = Callable[[Canvas], None]
SEEN_THROUGH = Color(0.8, 0, 0, alpha=0.2)


def stamp(degrees: float, size: float, colour: Color, words: str = "DRAFT", y: float = 600) -> Stamp:
    def draw(canvas: Canvas) -> None:
        canvas.saveState()
        canvas.translate(120, y)
        canvas.rotate(degrees)
        canvas.setFillColor(colour)
        canvas.setFont("Helvetica-Bold", size)
        canvas.drawString(0, 0, words)
        canvas.restoreState()

    return draw


def pages(stamps: list[Stamp], *, after: bool = False) -> bytes:
    """A heading and forty lines on each page, its stamp drawn before or after them."""

    def draw(canvas: Canvas) -> None:
        for number, put in enumerate(stamps, 1):
            if not after:
                put(canvas)
            canvas.setFillColor(black)
            BUILD.lines(canvas, 72, 780, [f"{number} Valves of part {number}"], "Helvetica-Bold", 16)
            BUILD.lines(canvas, 72, 740, [f"Line {n} of page {number} goes over most of it" for n in range(40)])
            if after:
                put(canvas)
            canvas.showPage()

    made: bytes = BUILD.pdf(draw)
    return made


def kinds(content: bytes) -> list[str]:
    return [element.kind.value for element in read(content).elements]


@pytest.mark.req("D4.3")
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(
    "mark",
    [stamp(45, 90, lightgrey), stamp(-30, 60, black), stamp(55, 11, black), stamp(0, 80, SEEN_THROUGH)],
    ids=["slanted", "dark", "small", "level"],
)
def test_watermarks_part_no_text_and_are_no_headings(mark: Stamp, after: bool) -> None:
    content = pages([mark] * 3, after=after)
    found = read(content)
    assert kinds(content) == ["heading", "paragraph", "watermark"] * 3
    assert [e.text for e in found.elements if e.kind is ElementKind.WATERMARK] == ["DRAFT"] * 3
    assert all(e.text.count("\n") == 39 for e in found.elements if e.kind is ElementKind.PARAGRAPH)
    assert coverage(RawDocument("s/a.pdf", "a.pdf", content, "application/pdf"), found) == 1
    cleaned = clean(found, CleaningRules())
    assert [(r.rule, r.locator.page) for r in cleaned.removals] == [("kind:watermark", page) for page in (1, 2, 3)]
    assert "DRAFT" not in " ".join(element.text for element in cleaned.elements)


@pytest.mark.req("D4.3")
@pytest.mark.parametrize(
    "mark",
    [stamp(0, 80, SEEN_THROUGH), stamp(45, 80, lightgrey, y=300), stamp(90, 60, lightgrey, y=300)],
    ids=["level", "slanted", "upright"],
)
def test_tables_take_in_no_watermark(mark: Stamp) -> None:
    out = io.BytesIO()
    rows = [["Part", "Price", "Note"], *([f"P-{n:03}", f"{n}.50", "as ordered"] for n in range(60))]
    table = Table(rows, repeatRows=1, colWidths=[100, 100, 200], style=[("GRID", (0, 0), (-1, -1), 0.5, black)])
    heading = Paragraph("Prices", getSampleStyleSheet()["Heading1"])
    document = SimpleDocTemplate(out, invariant=1)
    document.build([heading, table], onFirstPage=lambda canvas, _: mark(canvas), onLaterPages=lambda c, _: mark(c))
    found = read(out.getvalue()).elements
    assert sorted(e.text for e in found if e.kind is not ElementKind.TABLE) == ["DRAFT", "DRAFT", "Prices"]
    assert [e.rows for e in found if e.kind is ElementKind.TABLE] == [tuple(map(tuple, rows))]
    assert [e.kind for e in found].count(ElementKind.WATERMARK) == 2


@pytest.mark.req("D4.3")
def test_a_large_slanted_word_on_one_page_alone_is_a_watermark() -> None:
    nothing = stamp(0, 10, black, "")
    assert kinds(pages([nothing, stamp(30, 70, lightgrey), nothing])).count("watermark") == 1


@pytest.mark.parametrize(
    "label",
    [
        stamp(90, 11, black, "Axis of pressure", y=60),
        stamp(45, 11, black, "May of one year"),
        stamp(0, 24, lightgrey, "Title in grey", y=810),
        stamp(0, 24, navy, "Title in blue", y=810),
    ],
    ids=["axis", "slanted label", "light title", "dark title"],
)
def test_labels_and_titles_stay_text(label: Stamp) -> None:
    found = read(pages([label])).elements
    assert ElementKind.WATERMARK not in {element.kind for element in found}
    assert any(words in element.text for element in found for words in ("Axis of", "May of", "Title in"))


def test_a_slanted_table_head_stays_in_its_table() -> None:
    content = (GOLDEN / "pdf-a10_rotated_table" / "input.pdf").read_bytes()
    assert "watermark" not in kinds(content)


def test_pages_with_nothing_but_a_watermark_have_no_text() -> None:
    def draw(canvas: Canvas) -> None:
        for _ in range(2):
            stamp(45, 90, lightgrey)(canvas)
            canvas.showPage()

    with pytest.raises(NoText) as error:
        parse(RawDocument("s/a.pdf", "a.pdf", BUILD.pdf(draw), "application/pdf"), PARSERS["pdf"])
    assert error.value.context["units"] == [["page", 1, "no_text"], ["page", 2, "no_text"]]
