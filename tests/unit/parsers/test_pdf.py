"""PDF: structure, refusals, what is hidden."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pypdf
import pytest
from PIL import Image
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import ListFlowable, Paragraph, SimpleDocTemplate, Table

from kprep.core.errors import CorruptDocument, EncryptedDocument
from kprep.core.models import ElementKind, ParsedDocument, RawDocument
from parsers import PARSERS, coverage, parse, passwords, pdf
from tests.fakes.by_path import module_at

GOLDEN = Path(__file__).parents[2] / "golden" / "parsers"
BUILD = module_at("golden/parsers/build_inputs.py")
BODY = [f"Line {n} of the text has words enough to fill most of the width." for n in "abcdef"]


def read(content: bytes) -> ParsedDocument:
    return parse(RawDocument("s/a.pdf", "a.pdf", content, "application/pdf"), PARSERS["pdf"])


@pytest.mark.req("D2.8", "D2.12")
def test_headings_lists_and_outline() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.bookmarkPage("one")
        canvas.addOutlineEntry("Overview", "one", level=0)
        y = BUILD.lines(canvas, 72, 800, ["The Guide"], "Helvetica-Bold", 20)
        y = BUILD.lines(canvas, 72, y - 10, ["Overview"])
        y = BUILD.lines(canvas, 72, y - 10, BODY)
        y = BUILD.lines(canvas, 72, y - 10, ["1. first thing to do", "2. second thing that goes", "    on here"])
        BUILD.lines(canvas, 72, y - 10, BODY)

    found = read(BUILD.pdf(draw)).elements
    assert [(e.kind.value, e.level) for e in found[:5]] == [
        ("heading", 1),
        ("heading", 1),
        ("paragraph", 0),
        ("list_item", 1),
        ("list_item", 1),
    ]
    assert (found[4].marker, found[4].text) == ("2.", "second thing that goes\non here")


def kinds(document: ParsedDocument) -> list[tuple[str, str, str]]:
    return [(e.kind.value, e.marker, e.text) for e in document.elements]


@pytest.mark.req("D2.8")
def test_numbers_without_a_dot_that_hang_left_of_texts_are_a_list() -> None:
    style = getSampleStyleSheet()["BodyText"]
    long = "Wait until the gauge shows nothing at all, which takes a minute or two where the tank is full and cold"
    out = io.BytesIO()
    items = [Paragraph(text, style) for text in ("Close the valve", long, "Open the lid")]
    after = Paragraph("12 screws are left then. 2 are spare.", style)
    SimpleDocTemplate(out, invariant=1).build([Paragraph("In this order:", style), ListFlowable(items), after])
    found = kinds(read(out.getvalue()))
    assert [(kind, marker, " ".join(text.split())) for kind, marker, text in found] == [
        ("paragraph", "", "In this order:"),
        ("list_item", "1", "Close the valve"),
        ("list_item", "2", long),
        ("list_item", "3", "Open the lid"),
        ("paragraph", "", "12 screws are left then. 2 are spare."),
    ]


@pytest.mark.req("D2.8")
@pytest.mark.parametrize(
    ("options", "marks"),
    [
        ({"bulletFormat": "%s."}, ["1.", "2.", "3."]),
        ({"bulletType": "bullet"}, ["-", "-", "-"]),
        ({"bulletType": "A"}, ["A", "B", "C"]),
        ({"bulletType": "a"}, ["a", "b", "c"]),
        ({"bulletType": "i"}, ["i", "ii", "iii"]),
        ({"bulletType": "I", "start": 4}, ["IV", "V", "VI"]),
        ({"start": 8}, ["8", "9", "10"]),
    ],
)
@pytest.mark.parametrize("last", ["Open the lid", "Open the lid and leave it so"])
def test_what_stands_below_a_hanging_list_is_none_of_its_items(
    options: dict[str, Any], marks: list[str], last: str
) -> None:
    style = getSampleStyleSheet()["BodyText"]
    long = "Wait until the gauge shows nothing at all, which takes a minute or two where the tank is full and cold"
    out = io.BytesIO()
    items = [Paragraph(text, style) for text in ("Close the valve", long, last)]
    SimpleDocTemplate(out, invariant=1).build([ListFlowable(items, **options), Paragraph("Now it is safe", style)])
    found = [(kind, marker, " ".join(text.split())) for kind, marker, text in kinds(read(out.getvalue()))]
    texts = ("Close the valve", long, last)
    assert found == [
        *(("list_item", mark, text) for mark, text in zip(marks, texts, strict=True)),
        ("paragraph", "", "Now it is safe"),
    ]


def test_texts_that_go_on_below_their_marks_stay_whole() -> None:
    def draw(canvas: Canvas) -> None:
        y = 700.0
        for mark in ("1.", "2.", "\u2022", "\u2022"):
            BUILD.lines(canvas, 72, y, [mark])
            BUILD.lines(canvas, 90, y, [f"An item {FULL}"])
            y = BUILD.lines(canvas, 72, y - 14, ["goes on here"])

    assert [text for _, _, text in kinds(read(BUILD.pdf(draw)))] == [f"An item {FULL}\ngoes on here"] * 4


FULL = "and so on, with words that fill the line"


@pytest.mark.parametrize(
    ("items", "left", "marks"),
    [
        ([("1", ["One"]), ("2", ["Two"])], 72, ["1", "2"]),
        ([("9", ["Nine", "goes on"]), ("10", ["Ten"]), ("11", ["Eleven"])], 72, ["9", "10", "11"]),
        ([("4", ["Four"]), ("5", ["Five"])], 72, []),  # no list begins so, and nothing hangs
        ([("1", ["One"]), ("3", ["Three", "goes on"])], 72, []),
        ([("1", [f"One {FULL}"]), ("2", [f"two {FULL}"]), ("3", [f"three {FULL}"])], 72, []),  # lines that are counted
        ([("1", ["One"]), ("2", ["Two"])], 79.5, []),  # a gap as between words
        ([("1", ["One", "goes on"]), ("2", ["Two", "goes on"])], 79.5, ["1", "2"]),
        ([("a", ["One"]), ("b", ["Two"])], 72, ["a", "b"]),
        ([("A", ["dog barks"]), ("I", ["hear it"])], 72, []),
        ([("i", ["One"]), ("ii", ["Two"]), ("iii", ["Three"]), ("iv", ["Four"])], 72, ["i", "ii", "iii", "iv"]),
        ([("h", ["Eight", "goes on"]), ("i", ["Nine"])], 72, ["h", "i"]),
    ],
)
def test_numbers_hang_where_they_count_up_apart_from_their_texts(
    items: list[tuple[str, list[str]]], left: float, marks: list[str]
) -> None:
    found = kinds(read(BUILD.pdf(lambda canvas: BUILD.hung(canvas, 700, items, left))))
    assert [marker for kind, marker, _ in found if kind == "list_item"] == marks
    words = " ".join(f"{marker} {text}" for _, marker, text in found).split()
    assert words == " ".join(f"{number} {' '.join(texts)}" for number, texts in items).split()


def test_paragraphs_that_begin_with_a_number_are_no_list() -> None:
    def draw(canvas: Canvas) -> None:
        for y, number in ((700, "1"), (660, "2"), (620, "3")):  # the text goes on below its number
            BUILD.lines(canvas, 72, y, [number])
            BUILD.lines(canvas, 90, y, [f"Number {number} {FULL}"])
            BUILD.lines(canvas, 72, y - 14, [f"goes on here {FULL}."])
        BUILD.lines(canvas, 72, 580, [f"1 man {FULL}", f"2 women {FULL}", f"3 children {FULL}"])

    assert {kind for kind, _, _ in kinds(read(BUILD.pdf(draw)))} == {"paragraph"}


def test_notes_whose_numbers_hang_stay_notes() -> None:
    def draw(canvas: Canvas) -> None:
        BUILD.lines(canvas, 72, 760, BODY)
        for y, number in ((80, "1"), (68, "2")):
            BUILD.lines(canvas, 72, y, [number], size=8)
            BUILD.lines(canvas, 90, y, [f"See part {number}."], size=8)

    assert "list_item" not in {kind for kind, _, _ in kinds(read(BUILD.pdf(draw)))}


def test_fake_bold_is_read_once() -> None:
    def draw(canvas: Canvas) -> None:
        for shift in (0, 0.4):
            BUILD.lines(canvas, 72 + shift, 700, ["Shadowed title letters"])

    assert [e.text for e in read(BUILD.pdf(draw)).elements] == ["Shadowed title letters"]


def test_interleaved_columns_are_parted() -> None:
    def draw(canvas: Canvas) -> None:
        for n in range(12):
            BUILD.lines(canvas, 60, 700 - 14 * n, [f"left line number {n} has some words to read"], size=10)
            BUILD.lines(canvas, 320, 700 - 14 * n, [f"right line number {n} has other words here"], size=10)

    text = " ".join(e.text for e in read(BUILD.pdf(draw)).elements)
    assert text.index("left line number 11") < text.index("right line number 0")


@pytest.mark.parametrize("shift", [0, 5], ids=["level", "staggered"])
@pytest.mark.parametrize("heading", ["", "In between", "In between, and as wide as both of the columns of a page are"])
@pytest.mark.parametrize("counts", [(3, 2), (2, 3)], ids=str)
def test_bands_of_a_page_have_their_own_columns(counts: tuple[int, int], heading: str, shift: int) -> None:
    words = "moon summer sing while mill past children songs under evening".split()

    def draw(canvas: Canvas) -> None:
        y = 760.0
        for band, columns in zip("ab", counts, strict=True):
            for column in range(columns):
                for line in range(12 - (column == 1) * 2):
                    rest = " ".join(words[(line + at) % 10] for at in range(4 if columns == 3 else 7))
                    x, down = 50 + column * 500 / columns, 13 * line + shift * (column % 2)
                    BUILD.lines(canvas, x, y - down, [f"{band}{column}-{line:02d} {rest}"], size=9)
            y -= 13 * 12 + 25
            if heading and band == "a":
                BUILD.lines(canvas, 50, y, [heading], "Helvetica-Bold", 14)
                y -= 30

    text = "\n".join(e.text for e in read(BUILD.pdf(draw)).elements)
    found = re.findall(r"\b[ab]\d-\d\d\b", text)
    assert len(found) == 12 * sum(counts) - 4
    assert found == sorted(found)


def test_rows_without_rules_stay_rows() -> None:
    def draw(canvas: Canvas) -> None:
        for n in range(12):
            for x, word in ((60, f"name{n}"), (200, f"{n}0"), (320, "on")):
                BUILD.lines(canvas, x, 700 - 14 * n, [word])

    text = "\n".join(e.text for e in read(BUILD.pdf(draw)).elements)
    assert "name3 | 30 | on" in text


def test_text_turned_by_its_matrix_is_read_as_words() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.translate(300, 100)
        canvas.rotate(90)
        BUILD.lines(canvas, 0, 0, ["Turned words are", "read in order."])

    assert read(BUILD.pdf(draw)).elements[0].text == "Turned words are\nread in order."


@pytest.mark.req("D4.3")
def test_page_numbers() -> None:
    def draw(canvas: Canvas) -> None:
        for page in range(1, 4):
            BUILD.lines(canvas, 72, 700, [line.replace("Line", f"Line {page}") for line in BODY])
            BUILD.lines(canvas, 290, 30, [f"- {page} -"])
            canvas.showPage()

    found = read(BUILD.pdf(draw)).elements
    assert [e.kind for e in found].count(ElementKind.PAGE_NUMBER) == 3


def test_empty_user_password_is_no_obstacle() -> None:
    import pypdf

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(BUILD.pdf(BUILD.heading_last_on_page)))
    writer.encrypt("", "owner", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    found = read(out.getvalue())
    assert found.elements
    assert "Headache" in PARSERS["pdf"].quote(out.getvalue(), found.elements[-1].locator)


def protected(password: str, algorithm: str = "AES-256") -> bytes:
    import pypdf

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(BUILD.pdf(BUILD.heading_last_on_page)))
    writer.encrypt(password, "owner's own", algorithm=algorithm)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-128", "AES-256"])
def test_a_known_password_opens_the_file_and_its_citations(algorithm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    content = protected("größe 7", algorithm)
    with pytest.raises(EncryptedDocument, match=r"documents\.passwords_env"):
        read(content)
    known = passwords.PASSWORDS.set(("wrong",))
    try:
        with pytest.raises(EncryptedDocument, match="none of the 1 known ones fits") as caught:
            read(content)
        assert "wrong" not in str(caught.value)
        passwords.PASSWORDS.set(("wrong", "größe 7"))
        found = read(content)
        assert "Headache" in PARSERS["pdf"].quote(content, found.elements[-1].locator)
        monkeypatch.setattr("parsers.pdf._text_by_pypdf", lambda *_: None)
        assert "Headache" in PARSERS["pdf"].quote(content, found.elements[-1].locator)
    finally:
        passwords.PASSWORDS.reset(known)
    assert found.elements == read(BUILD.pdf(BUILD.heading_last_on_page)).elements


def test_attached_files_are_recorded_exclusions() -> None:
    import pypdf

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(BUILD.pdf(BUILD.heading_last_on_page)))
    for name in ("prices.xlsx", "terms of\nuse.docx"):
        writer.add_attachment(name, b"of the file")
    out = io.BytesIO()
    writer.write(out)
    units = [(unit.number, unit.state, unit.name) for unit in read(out.getvalue()).units if unit.kind == "attachment"]
    assert units == [(1, "not_extracted", "prices.xlsx"), (2, "not_extracted", "terms of use.docx")]


def test_pictures_that_may_hold_words_are_recorded_with_their_page() -> None:
    def pictures(canvas: Canvas) -> None:
        picture = ImageReader(Image.new("RGB", (8, 8), "white"))
        canvas.drawImage(picture, 50, 50, 400, 600)
        canvas.drawString(60, 600, "The ground of a page is no figure of it.")
        canvas.showPage()
        canvas.drawImage(picture, 100, 100, 200, 100)
        canvas.drawImage(picture, 20, 700, 12, 12)
        canvas.drawString(60, 600, "Figure 1 shows the way of a document.")

    units = [(unit.number, unit.state, unit.name) for unit in read(BUILD.pdf(pictures)).units if unit.kind != "page"]
    assert units == [(1, "not_extracted", "page 2")]


def test_nonsense_is_corrupt() -> None:
    for content in (b"%PDF-1.7\nnothing\nstartxref\n0\n%%EOF", b"%PDF-1.7\n"):
        with pytest.raises(CorruptDocument):
            read(content)


def test_quote_of_a_page_that_is_not_there() -> None:
    from kprep.core.models import Locator

    content = BUILD.pdf(BUILD.heading_last_on_page)
    assert PARSERS["pdf"].quote(content, Locator(page=9)) == ""
    assert PARSERS["pdf"].quote(content, Locator(line=(1, 1))) == ""


def test_words_of_a_table_are_not_doubled() -> None:
    found = read(BUILD.long_table()).elements
    assert [e.kind for e in found] == [ElementKind.TABLE]
    assert (found[0].locator.page, found[0].locator.page_end) == (1, 2)
    assert sum(cell == "unit7" for row in found[0].rows for cell in row) == 1


@pytest.mark.req("D3.8", "D2.13")
def test_pages_in_a_font_without_meaning_are_named() -> None:
    from parsers.pdf_geometry import PageGeometry
    from parsers.pdf_glyphs import Glyph
    from parsers.pdf_pages import _sorted_out, _unit

    def glyphs(text: str, y: float) -> list[Glyph]:
        return [
            Glyph(
                c,
                72 + 6 * n,
                y,
                77 + 6 * n,
                y + 8,
                y + 8,
                10,
                False,
                False,
                False,
                0,
                " " if text[n + 1 : n + 2] == " " else "",
                n,
            )
            for n, c in enumerate(text)
            if c != " "
        ]

    place = PageGeometry(0, 0, 595, 842, 0)
    page = _sorted_out(1, place, glyphs("\x03\x04\x05\x06\x07\x0e" * 5, 100) + glyphs("few words", 200), [])
    assert [line.text for line in page.lines] == ["few words"]
    assert _unit(page).state == "unreadable_font"


@pytest.mark.req("D2.13")
def test_single_glyphs_without_a_map_are_recorded_and_counted() -> None:
    def draw(canvas: Canvas) -> None:
        pdfmetrics.registerFont(TTFont("Vera", "Vera.ttf"))
        canvas.setFont("Vera", 12)
        canvas.drawString(72, 700, "Call the of\ufb01ce before you go of\ufb02ine.")
        canvas.showPage()
        canvas.drawString(72, 700, "Nothing is wrong here.")

    with_map = BUILD.pdf(draw)
    assert {unit.state for unit in read(with_map).units} == {"ok"}
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(with_map))
    resources: Any = writer.pages[0]["/Resources"]
    for font in resources["/Font"].values():
        font.get_object().pop("/ToUnicode", None)
    out = io.BytesIO()
    writer.write(out)
    document = read(out.getvalue())
    assert document.elements[0].text == "Call the of ce before you go of ine."
    assert [(unit.kind, unit.number, unit.state, unit.name) for unit in document.units] == [
        ("page", 1, "ok", ""),
        ("page", 2, "ok", ""),
        ("glyphs", 1, "unreadable_font", "2 of page 1"),
    ]
    raw = RawDocument("s/a.pdf", "a.pdf", out.getvalue(), "application/pdf")
    assert 0.9 < coverage(raw, document) < 1


def test_a_file_only_pypdf_can_mend_names_who_mended_it() -> None:
    content = BUILD.pdf(BUILD.heading_last_on_page)
    mended = pdf._repair(content, "u")
    assert read(mended).elements == read(content).elements


def test_quote_does_not_need_pypdf_to_read_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    import pypdf

    from kprep.core.models import Locator

    def fail(*_: object, **__: object) -> None:
        raise NotImplementedError

    monkeypatch.setattr(pypdf, "PdfReader", fail)
    assert "Headache" in PARSERS["pdf"].quote(BUILD.pdf(BUILD.heading_last_on_page), Locator(page=2))


@pytest.mark.parametrize("first", ["infor-", "long-"])
def test_hyphens_follow_the_rest_of_the_file(first: str) -> None:
    from parsers.pdf_blocks import Typography, joined

    norm = Typography(10, False, frozenset({"information", "long-term"}))
    rest = {"infor-": "mation", "long-": "term"}[first]
    assert joined([first, rest], norm) == {"infor-": "information", "long-": "long-term"}[first]


@pytest.mark.parametrize(
    ("head", "tail", "whole"),
    [
        ("inter", "national", "international"),
        ("pre", "defined", "predefined"),
        ("re", "sult", "result"),
        ("cor", "related", "correlated"),
        ("under", "standing", "understanding"),
        ("INFOR", "MATION", "INFORMATION"),
        ("well", "known", "well-known"),
        ("client", "side", "client-side"),
        ("third", "party", "third-party"),
        ("state-of-the", "art", "state-of-the-art"),
        ("Wi", "Fi", "Wi-Fi"),
        ("e", "mail", "e-mail"),
        ("COVID", "19", "COVID-19"),
        ("Vor", "und Nachteile", "Vor-\nund Nachteile"),
    ],
)
def test_a_word_is_parted_or_keeps_its_hyphen(head: str, tail: str, whole: str) -> None:
    from parsers.pdf_blocks import Typography, joined

    assert joined([f"the {head}-", f"{tail} market"], Typography(10, False, frozenset())) == f"the {whole} market"


def test_letters_of_a_ligature_are_no_doubles() -> None:
    from parsers.pdf_doubles import without_doubles
    from parsers.pdf_glyphs import Glyph

    def glyph(text: str, x: float, order: int) -> Glyph:
        return Glyph(text, x, 100, x + 5, 108, 108, 10, False, False, False, 0, "", order)

    spelled = [glyph("o", 0, 0), glyph("f", 5, 1), glyph("f", 5, 2), glyph("o", 0.4, 9), glyph("f", 5.4, 10)]
    assert "".join(g.text for g in without_doubles(spelled)) == "off"


def test_header_of_a_short_chapter_is_a_header() -> None:
    def draw(canvas: Canvas) -> None:
        for page in range(1, 9):
            name = "Annex" if page == 8 else "Main part"
            BUILD.lines(canvas, 72, 800, [f"{name} of the manual {page}"])
            BUILD.lines(canvas, 72, 740, [line.replace("Line", f"Line {page}") for line in BODY])
            canvas.showPage()

    found = read(BUILD.pdf(draw)).elements
    assert [e.kind for e in found].count(ElementKind.HEADER) == 8


Edge = Callable[[int], list[tuple[float, str]]]
"""The pieces of a line at a page's edge: where each starts, and its text."""


def furniture_of(edge: Edge, pages: int = 6, y: float = 800) -> list[str]:
    """Texts taken for running lines, of pages with these pieces on one line at the edge, over six lines of body."""

    def draw(canvas: Canvas) -> None:
        for page in range(1, pages + 1):
            for x, text in edge(page):
                canvas.drawString(x, y, text)
            BUILD.lines(canvas, 72, 700, [line.replace("Line", f"Line {page}") for line in BODY])
            canvas.showPage()

    kinds = (ElementKind.HEADER, ElementKind.FOOTER, ElementKind.PAGE_NUMBER)
    return [e.text for e in read(BUILD.pdf(draw)).elements if e.kind in kinds]


RUNNING: dict[str, Edge] = {
    "constant": lambda _: [(72, "Annual report of 2024")],
    "own number": lambda page: [(72, f"Annual report of 2024 {page}")],
    "far number": lambda page: [(72, "Annual report"), (500, str(page + 240))],
    "journal": lambda page: [(72, str(page + 1040)), (300, "Smith and others")],
    "bar": lambda page: [(72, f"Manual 2.1 | {page + 36}")],
    "page of": lambda page: [(72, f"Printed on 5 May 2024, page {page + 7} of 99")],
    "number of": lambda page: [(72, f"Printed on 5 May 2024, {page + 7} of 99")],
    "letters": lambda page: [(72, f"Seite {page % 2 + 1} von 2")],
    "roman": lambda page: [(300, "iv v vi vii viii ix".split()[page - 1])],
    "by chapter": lambda page: [(300, f"{(page + 2) // 3}-{page % 3 + 1}")],
    "chapter": lambda page: [(72, f"Chapter {(page + 2) // 3}"), (500, str(page))],
    "short chapter": lambda page: [(72, f"Chapter {(page + 1) // 2}: Pumps"), (500, str(page))],
}


@pytest.mark.req("D4.3")
@pytest.mark.parametrize("edge", RUNNING.values(), ids=RUNNING)
def test_a_running_line_may_count_pages_and_chapters(edge: Edge) -> None:
    assert len(furniture_of(edge)) == len(furniture_of(edge, y=30)) == 6


CONTENT: dict[str, Edge] = {
    "invoice": lambda page: [(72, f"Invoice number {1040 + page}")],
    "field": lambda page: [(72, "Invoice number"), (170, str(1040 + page))],
    "hyphen": lambda page: [(72, f"INV-{1040 + page}")],
    "amount": lambda page: [(72, f"Total amount: {253 + 57 * page}.50 EUR")],
    "place": lambda page: [(72, f"Building {page % 3 + 1}, Room {310 + page}")],
    "number": lambda page: [(72, str(4000 + 17 * page))],
    "footnote": lambda page: [(72, f"1 See measure{page} in the annex.")],
    "date": lambda page: [(72, f"Delivered on {page + 3} May 2024")],
}


@pytest.mark.parametrize("edge", CONTENT.values(), ids=CONTENT)
def test_a_line_whose_numbers_are_no_page_numbers_is_content(edge: Edge) -> None:
    assert furniture_of(edge) == furniture_of(edge, y=30) == furniture_of(edge, pages=3) == []


def test_a_stream_that_unpacks_without_end_is_too_large() -> None:
    import zlib

    from kprep.core.errors import TooLarge
    from parsers.pdf_bombs import refuse_bombs

    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(bytes(2**24)) for _ in range(40)) + packer.flush()
    twice = zlib.compress(packed, 9)
    for name, data in (("/Filter/FlateDecode", packed), ("/Filter[/FlateDecode/FlateDecode]", twice)):
        content = b"%%PDF-1.7\n4 0 obj\n<<%s/Length 9>>\nstream\n%s\nendstream" % (name.encode(), data)
        with pytest.raises(TooLarge, match="512 MB"):
            refuse_bombs(content, "a.pdf")
    refuse_bombs(b"<</Filter/FlateDecode>>\nstream\n" + zlib.compress(bytes(10**7)) + b"endstream", "a.pdf")


def test_short_lines_of_pages_are_no_sentence_over_pages() -> None:
    def draw(canvas: Canvas) -> None:
        for label in ("pump room", "boiler room", "stairs"):
            BUILD.lines(canvas, 72, 400, [label])
            canvas.showPage()

    assert [e.text for e in read(BUILD.pdf(draw)).elements] == ["pump room", "boiler room", "stairs"]


def test_a_bullet_begins_an_item_whatever_stands_before_it() -> None:
    def draw(canvas: Canvas) -> None:
        BUILD.lines(canvas, 72, 800, ["What belongs to the pump are", "\u2022 a motor,", "\u2022 a seal", "and a base"])

    found = [(e.kind.value, e.text) for e in read(BUILD.pdf(draw)).elements]
    assert found == [
        ("paragraph", "What belongs to the pump are"),
        ("list_item", "a motor,"),
        ("list_item", "a seal\nand a base"),
    ]


@pytest.mark.req("D2.8")
def test_lists_side_by_side_are_read_one_by_one() -> None:
    def draw(canvas: Canvas) -> None:
        for x, column in ((72, "abc"), (220, "def"), (400, "ghi")):
            BUILD.lines(canvas, x, 500, [f"\u2022 part {letter}" for letter in column])

    assert [e.text for e in read(BUILD.pdf(draw)).elements] == [f"part {letter}" for letter in "abcdefghi"]


@pytest.mark.req("D3.9")
@pytest.mark.parametrize("repeat", [0, 1])
def test_each_row_of_a_table_over_pages_knows_its_page(repeat: int) -> None:
    out = io.BytesIO()
    rows = [["Part", "Price"], *([f"P-{n:04}", f"{n}.50"] for n in range(90))]
    table = Table(rows, repeatRows=repeat, style=[("GRID", (0, 0), (-1, -1), 0.5, "black")])
    SimpleDocTemplate(out, invariant=1).build([table])
    (found,) = (e for e in read(out.getvalue()).elements if e.kind is ElementKind.TABLE)
    assert (found.rows, found.locator.page, found.locator.page_end) == (tuple(map(tuple, rows)), 1, 3)
    for row, place in zip(found.rows, found.row_places, strict=True):
        assert row[0] in PARSERS["pdf"].quote(out.getvalue(), place)
    assert {place.page for place in found.row_places} == {1, 2, 3}


def test_a_table_on_one_page_needs_no_places_of_rows() -> None:
    found = read((GOLDEN / "pdf-a10_rotated_table" / "input.pdf").read_bytes()).elements
    assert [e.row_places for e in found if e.kind is ElementKind.TABLE] == [()]


def printed(
    *texts: list[str], title: str = "", font: str = "Helvetica-Bold", size: float = 11
) -> list[tuple[str, str]]:
    """(kind, text) of what is read of pages with a title, set as said, over lines set as text is."""

    def draw(canvas: Canvas) -> None:
        for page in texts:
            y = BUILD.lines(canvas, 72, 800, [title] if title else [], font, size)
            BUILD.lines(canvas, 72, y, page)
            canvas.showPage()

    return [(e.kind.value, e.text) for e in read(BUILD.pdf(draw)).elements]


@pytest.mark.req("D4.3")
@pytest.mark.parametrize(("font", "size"), [("Helvetica", 16), ("Helvetica-Bold", 11), ("Helvetica-Bold", 16)])
def test_of_a_title_on_every_page_the_first_is_kept(font: str, size: float) -> None:
    pages = [[f"Instrument no. {1000 + 7 * page}", f"Tester: number {page} of all", "Passed"] for page in range(4)]
    found = printed(*pages, title="Certificate of calibration", font=font, size=size)
    assert [kind for kind, text in found if text == "Certificate of calibration"] == ["heading", *["header"] * 3]


def test_a_header_that_says_the_title_again_is_not_kept() -> None:
    def draw(canvas: Canvas) -> None:
        for page in range(5):
            y = 800.0 if page else 640.0
            BUILD.lines(canvas, 72, y, ["Manual of pumps"], "Helvetica-Bold", 16)
            BUILD.lines(canvas, 72, 600, [line.replace("Line", f"Line {page}") for line in BODY])
            canvas.showPage()

    kinds = [e.kind.value for e in read(BUILD.pdf(draw)).elements if e.text == "Manual of pumps"]
    assert kinds == ["heading", *["header"] * 4]


@pytest.mark.req("D4.3")
def test_lines_set_as_the_body_is_are_no_headers() -> None:
    pages = [[f"Instrument no. {1000 + 7 * page}", f"Tester: number {page} of all", "Passed"] for page in range(4)]
    found = printed(*pages, title="Recalibrate this instrument every year", font="Helvetica")
    assert [text.split("\n")[0] for _, text in found] == ["Recalibrate this instrument every year"] * 4


@pytest.mark.req("D4.3")
def test_pages_that_say_the_same_have_no_headers() -> None:
    def draw(canvas: Canvas) -> None:
        for page in range(4):
            BUILD.lines(canvas, 72, 800, ["Maintenance of the pump station"])
            BUILD.lines(canvas, 72, 760, ["The seal must be replaced every 400 hours"])
            BUILD.lines(canvas, 72, 700, BODY)
            BUILD.lines(canvas, 300, 30, [f"Page {page + 1}"])
            canvas.showPage()

    found = [(e.kind.value, e.text.split("\n")[0]) for e in read(BUILD.pdf(draw)).elements]
    assert {kind for kind, text in found if not text.startswith("Page")} == {"paragraph"}
    assert [text for kind, text in found if kind == "page_number"] == [f"Page {page}" for page in range(1, 5)]


@pytest.mark.parametrize(
    ("line", "size", "gap", "kind"),
    [
        ("Switch the power off before you open the cover.", 11, 30, "paragraph"),
        ("Switch the power off before you open the cover.", 11, 50, "header"),
        ("This document is not controlled when it is printed.", 8, 30, "header"),
        ("Manual of the pump station", 11, 30, "header"),
    ],
)
def test_a_sentence_near_the_body_is_no_header(line: str, size: float, gap: float, kind: str) -> None:
    def draw(canvas: Canvas) -> None:
        for page in range(4):
            BUILD.lines(canvas, 72, 800, [line], size=size)
            BUILD.lines(canvas, 72, 800 - gap, [text.replace("Line", f"Line {page}") for text in BODY])
            canvas.showPage()

    assert [e.kind.value for e in read(BUILD.pdf(draw)).elements if line in e.text] == [kind] * 4
