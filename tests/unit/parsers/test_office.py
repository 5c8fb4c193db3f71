"""Decks, workbooks, OpenDocument, rich text and e-books: places, order, limits, recorded exclusions."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

import pytest

from kprep.core.errors import CorruptDocument, EncryptedDocument, TooLarge, UnsupportedFormat
from kprep.core.models import ElementKind, Locator, ParsedDocument, RawDocument
from parsers import PARSERS, parse, parser_for
from parsers.media_type import detect
from parsers.number_formats import as_shown
from parsers.sheet_grid import Sheet, box_of, cell_range, column_name, read_sheets
from parsers.sheet_regions import regions
from tests.fakes.by_path import module_at
from tests.fakes.old_workbooks import Cells, xls, xlsb

BUILD = module_at("golden/parsers/build_office.py")


def read(name: str, content: bytes | str) -> ParsedDocument:
    content = content if isinstance(content, bytes) else content.encode()
    media_type = detect(name, content)
    return parse(RawDocument(f"s/{name}", name, content, media_type), parser_for(media_type))


def texts(document: ParsedDocument, **where: object) -> list[str]:
    return [e.text for e in document.elements if all(getattr(e.locator, key) == value for key, value in where.items())]


@pytest.mark.req("D2.9", "D2.13", "D3.8")
def test_b06_grouped_shapes_are_read_in_order() -> None:
    deck = read("a.pptx", BUILD.DECK)
    assert texts(deck, slide=2)[:3] == ["Nested groups", "Inner box A", "Box in a group in a group"]
    assert texts(deck, slide=1)[:4] == [
        "Grouped diagrams",
        "Left of the two boxes",
        "Right of the two boxes",
        "Below both",
    ]


@pytest.mark.req("D2.9", "D2.13")
def test_slides_follow_the_deck_with_notes_after_them_and_hidden_ones_marked() -> None:
    deck = read("a.pptx", BUILD.DECK)
    assert [(u.number, u.state) for u in deck.units if u.kind == "slide"][-2:] == [(4, "ok"), (5, "no_text")]
    assert texts(deck, slide=3)[-1] == "Say that Europe grew."
    assert [e.hidden for e in deck.elements if e.locator.slide == 4] == [True]


def test_files_inside_office_files_are_recorded() -> None:
    deck = read("a.pptx", BUILD.DECK)
    assert [(u.kind, u.state, u.name) for u in deck.units if u.kind != "slide"] == [
        ("attachment", "not_extracted", "sheet1.xlsx"),
        ("picture", "not_extracted", "image1.png"),
    ]


@pytest.mark.req("D2.9", "D2.11")
def test_comments_stand_at_their_slide_or_cell_and_are_found_there() -> None:
    deck = read("a.pptx", BUILD.DECK)
    said = "Comment by Ann Example (AE), 2024-05-06T07:08:09: Really?"
    assert [(e.text, e.locator.slide) for e in deck.elements if e.fragment == "comment"] == [(said, 1)]
    assert said in PARSERS["pptx"].quote(BUILD.DECK, Locator(slide=1))
    assert said not in PARSERS["pptx"].quote(BUILD.DECK, Locator(slide=2))
    people = '<l xmlns="x"><person displayName="Ann" id="{1}"/></l>'
    threads = (
        '<l xmlns="x"><threadedComment ref="B2" dT="2024-05-06" personId="{1}"><text>Why so few?</text>'
        "</threadedComment>"
        '<threadedComment ref="B2" personId="{1}"><text>They flew south.</text></threadedComment></l>'
    )
    old = (
        '<l xmlns="x"><authors><author>Bea</author></authors><comment ref="A1" authorId="0"><text><r><t>Old note'
        '</t></r></text></comment><comment ref="B2"><text><t>[Threaded comment] copy</t></text></comment></l>'
    )
    row = "".join(f'<c r="{cell}" t="inlineStr"><is><t>{cell} words</t></is></c>' for cell in ("A2", "B2"))
    content = BUILD.workbook(
        {"Birds": f'<row r="2">{row}</row>'},
        extra={
            "xl/worksheets/_rels/sheet1.xml.rels": BUILD.relations(
                ("r1", "comments", "../comments1.xml"), ("r2", "threadedComment", "../threadedComments/t1.xml")
            ),
            "xl/comments1.xml": old,
            "xl/threadedComments/t1.xml": threads,
            "xl/persons/person.xml": people,
        },
    )
    book = read("a.xlsx", content)
    assert [(e.text, e.locator.cell) for e in book.elements if e.fragment == "comment"] == [
        ("Comment by Bea: Old note", "A1"),
        ("Comment by Ann, 2024-05-06: Why so few?", "B2"),
        ("Comment by Ann: They flew south.", "B2"),
    ]
    assert "They flew south." in PARSERS["spreadsheet"].quote(content, Locator(sheet="Birds", cell="B2"))


@pytest.mark.parametrize(
    ("sign", "at", "wrong"),
    [(b"PK\x05\x06", 16, struct.pack("<I", 60_000)), (b"PK\x01\x02", 10, struct.pack("<H", 99))],
    ids=["a directory that leads out of the file", "a packing nobody knows"],
)
def test_an_archive_that_leads_astray_is_corrupt(sign: bytes, at: int, wrong: bytes) -> None:
    content = bytearray(BUILD.archive({"[Content_Types].xml": "<Types/>", "word/document.xml": "<document/>"}))
    for found in re.finditer(sign, bytes(content)):
        content[found.start() + at : found.start() + at + len(wrong)] = wrong
    with pytest.raises(CorruptDocument, match="is damaged"):
        parse(RawDocument("s/a.docx", "a.docx", bytes(content), ""), PARSERS["docx"])


def test_missing_slide_is_corrupt() -> None:
    content = BUILD.deck([BUILD.shape("a")], **{"ppt/_rels/presentation.xml.rels": BUILD.relations()})
    with pytest.raises(CorruptDocument, match="slide 1 is missing"):
        read("a.pptx", content)


@pytest.mark.req("D2.11")
def test_b09_t_shaped_region_is_one_table_and_formulas_without_value_are_kept() -> None:
    book = read("a.xlsx", BUILD.T_SHAPED)
    (table,) = (e for e in book.elements if e.kind is ElementKind.TABLE)
    assert (table.locator.cell, table.rows[2]) == ("A1:C3", ("", "the total", ""))
    assert texts(book, cell="E6") == ["=SUM(A1:A2)"]


@pytest.mark.req("D2.11", "D2.13")
def test_sheets_regions_dates_and_merged_cells() -> None:
    book = read("a.xlsx", BUILD.SHEETS)
    tables = {e.locator.cell: e for e in book.elements if e.kind is ElementKind.TABLE}
    assert tables["A3:C5"].rows[1:] == (("2024-01-01", "Pump", "12.5"), ("2024-01-02T12:00:00", "Valve", "25"))
    assert tables["A3:C5"].header_rows == 1
    assert tables["A1:B3"].rows[1:] == (("North", "1"), ("North", "2"))
    assert [(u.kind, u.state) for u in book.units] == [("sheet", s) for s in ("ok", "no_text", "ok", "ok")]


def test_long_tables_are_cut_with_their_header() -> None:
    rows = {1: {"A": "Number", "B": "Word"}} | {n: {"A": n, "B": f"w{n}"} for n in range(2, 253)}
    content = BUILD.workbook({"S": BUILD.cells(rows)})
    tables = [e for e in read("a.xlsx", content).elements if e.kind is ElementKind.TABLE]
    assert [(e.locator.cell, len(e.rows)) for e in tables] == [("A1:B101", 101), ("A102:B201", 101), ("A202:B252", 52)]
    assert all(e.rows[0] == ("Number", "Word") for e in tables)
    quoted = parser_for(detect("a.xlsx", content)).quote(content, Locator(sheet="S", cell="A102:B201"))
    assert {"Number", "w102", "w201"} <= set(quoted.split())
    assert "w202" not in quoted


def cells_of(book: ParsedDocument) -> list[tuple[str, str | None]]:
    return [(element.text, element.locator.cell) for element in book.elements if element.locator.cell]


@pytest.mark.req("D2.11", "D2.13")
def test_cells_far_apart_are_regions_of_their_own() -> None:
    assert cells_of(read("a.xlsx", BUILD.SPREAD)) == [("1", "A1"), ("2", "XFD1048576")]
    quoted = PARSERS["spreadsheet"].quote(BUILD.SPREAD, Locator(sheet="Far", cell="XFD1048576"))
    assert set(quoted.split()) == {"Far", "2"}
    cell = '<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>'
    gap = '<table:table-row table:number-rows-repeated="1048574"><table:table-cell/></table:table-row>'
    columns = '<table:table-cell table:number-columns-repeated="16383"/>'
    table = (
        f"<table:table-row>{cell.format('near')}</table:table-row>{gap}<table:table-row>{columns}{cell.format('far')}"
    )
    content = BUILD.odf(
        "spreadsheet",
        "spreadsheet",
        f'<table:table table:name="S">{table}</table:table-row></table:table>',
    )
    assert cells_of(read("a.ods", content)) == [("near", "A1"), ("far", "XFD1048576")]


@pytest.mark.req("D2.11")
def test_cells_that_hold_nothing_count_nothing_however_far_they_are() -> None:
    far = '<row r="1048576"><c r="XFD1048576" s="1"/><c r="XFC1048576" s="1"></c><c r="XFB1048576"><v></v></c></row>'
    word = '<c r="{}" t="inlineStr"><is><t>{}</t></is></c>'
    near = (
        f'<row r="2">{word.format("B2", "Name")}{word.format("C2", "Price")}</row>'
        f'<row r="3">{word.format("B3", "Pump")}<c r="C3"><f>A1</f><v>2.5</v></c></row>'
    )
    merged = '<mergeCells count="1"><mergeCell ref="F9:G9"/></mergeCells>'
    late = f'<row r="9">{word.format("F9", "Net")}</row>'
    content = BUILD.workbook({"S": f"<sheetData>{near}{late}{far}</sheetData>{merged}"})
    assert cells_of(read("a.xlsx", content)) == [("Name | Price\nPump | 2.5", "B2:C3"), ("Net", "F9:G9")]


def test_what_holds_little_and_reaches_far_is_refused_before_it_is_held() -> None:
    apart = {20 * n + 1: {f"{column_name(n)}": n} for n in range(5_000)}
    with pytest.raises(TooLarge, match="spreads over 99981 rows and 5000 columns"):
        read("a.xlsx", BUILD.workbook({"S": BUILD.cells(apart)}))
    rows = {n: {n: "x", n + 1: "x"} for n in range(5_000)}
    with pytest.raises(TooLarge, match="the tables of a sheet spread over 25005000 cells"):
        read_sheets([Sheet("S", rows)])


def test_what_only_looks_like_an_encrypted_workbook_is_damaged() -> None:
    content = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le")
    with pytest.raises(CorruptDocument, match="the Office container is damaged"):
        read("a.xlsx", content)


@pytest.mark.parametrize(
    ("box", "name"), [((0, 0, 0, 0), "A1"), ((0, 25, 9, 26), "Z1:AA10"), ((0, 702, 1, 702), "AAA1:AAA2")]
)
def test_cell_ranges(box: tuple[int, int, int, int], name: str) -> None:
    assert cell_range(box) == name
    assert box_of(name) == box


def test_regions_never_overlap() -> None:
    ring = {(r, c): "x" for r in range(5) for c in range(5) if r in {0, 4} or c in {0, 4}}
    rows: dict[int, dict[int, str]] = {}
    for row, column in [*ring, (2, 2), (9, 1)]:
        rows.setdefault(row, {})[column] = "x"
    assert regions(rows) == [(0, 0, 4, 4), (9, 1, 9, 1)]


@pytest.mark.req("D2.11", "D2.12", "D3.11")
def test_open_document_text() -> None:
    document = read("a.odt", BUILD.ODT)
    assert "deleted" not in " ".join(texts(document))
    assert [(e.marker, e.level) for e in document.elements if e.kind is ElementKind.LIST_ITEM] == [
        ("1.", 1),
        ("-", 2),
        ("2.", 1),
    ]
    assert [e.text for e in document.elements if e.kind is ElementKind.FOOTNOTE] == [
        "Class 2 or better.",
        "Comment: a comment",
    ]
    assert [u.kind for u in document.units] == ["file", "picture"]


def test_comments_of_open_document_stand_where_they_are_about() -> None:
    who = "<dc:creator>Bo</dc:creator><dc:date>2026-03-04T10:20:30.123</dc:date>"
    names = "xmlns:dc='http://purl.org/dc/elements/1.1/'"
    comment = f"<office:annotation {names}>{who}<text:p>Is it so?</text:p></office:annotation>"
    ods = BUILD.odf(
        "spreadsheet",
        "spreadsheet",
        '<table:table table:name="Ducks"><table:table-row><table:table-cell><text:p>Year</text:p></table:table-cell>'
        f"<table:table-cell>{comment}<text:p>Ducks</text:p></table:table-cell></table:table-row></table:table>",
    )
    odp = BUILD.odf(
        "presentation",
        "presentation",
        f'<draw:page draw:name="p1">{comment}<draw:frame><draw:text-box><text:p>Point</text:p></draw:text-box>'
        "</draw:frame></draw:page>",
    )
    said = "Comment by Bo, 2026-03-04T10:20:30: Is it so?"
    (found,) = (e for e in read("a.ods", ods).elements if e.fragment == "comment")
    assert (found.text, found.locator.sheet, found.locator.cell) == (said, "Ducks", "B1")
    assert said in PARSERS["opendocument"].quote(ods, found.locator)
    (found,) = (e for e in read("a.odp", odp).elements if e.fragment == "comment")
    assert (found.text, found.locator.slide) == (said, 1)


def test_open_document_sheets_repeat_cells_not_emptiness() -> None:
    document = read("a.ods", BUILD.ODS)
    (table,) = (e for e in document.elements if e.kind is ElementKind.TABLE)
    assert table.rows[2] == ("2024-01-02", "7", "7")


@pytest.mark.req("D2.9")
def test_open_document_slides() -> None:
    document = read("a.odp", BUILD.ODP)
    assert texts(document, slide=1) == ["First slide", "Point", "In a group", "Speak slowly."]
    assert [e.hidden for e in document.elements if e.locator.slide == 2] == [True]


def test_notes_of_a_slide_are_those_in_frames_without_a_class_too() -> None:
    def frame(said: str, of: str = "") -> str:
        of = of and f' presentation:class="{of}"'
        return f"<draw:frame{of}><draw:text-box><text:p>{said}</text:p></draw:text-box></draw:frame>"

    notes = frame("Breathe.") + frame("Speak up.", "notes") + frame("Sheet 3", "page-number")
    page = f'<draw:page draw:name="p1">{frame("Point")}<presentation:notes>{notes}</presentation:notes></draw:page>'
    document = read("a.odp", BUILD.odf("presentation", "presentation", page))
    assert texts(document, slide=1) == ["Point", "Breathe.", "Speak up."]


@pytest.mark.req("D2.10", "D2.12", "D3.11")
def test_chapters_follow_the_spine_and_open_at_their_anchor() -> None:
    book = read("a.epub", BUILD.EPUB)
    assert [e.text for e in book.elements if e.kind is ElementKind.HEADING] == ["Begin", "End"]
    place = next(e.locator for e in book.elements if e.text == "End" and e.kind is ElementKind.HEADING)
    assert place.anchor == "OEBPS/text/a one.xhtml#end"
    assert "End" in parser_for("application/epub+zip").quote(BUILD.EPUB, place)


def test_protected_book_is_encrypted() -> None:
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(BUILD.EPUB)) as book:
        members = {name: book.read(name) for name in book.namelist()}
    members["META-INF/encryption.xml"] = b'<e><CipherReference URI="OEBPS/text/b.xhtml"/></e>'
    with pytest.raises(EncryptedDocument):
        read("a.epub", BUILD.archive(members, first="mimetype"))


@pytest.mark.req("D2.11", "D2.12")
def test_rich_text() -> None:
    document = read("a.rtf", BUILD.RTF)
    assert [(e.text, e.level) for e in document.elements if e.kind is ElementKind.HEADING] == [
        ("Safety", 1),
        ("Steps", 2),
    ]
    assert any("Gr\u00fc\u00dfe \u20ac and \U0001f600 the site" in text for text in texts(document))
    assert "gone" not in " ".join(texts(document))
    assert [e.text for e in document.elements if e.hidden] == ["secret words"]


@pytest.mark.parametrize(
    ("name", "stream", "remedy"), [("a.doc", "WordDocument", "docx"), ("x", "PowerPoint Document", "pptx")]
)
def test_old_formats_name_a_remedy(name: str, stream: str, remedy: str) -> None:
    content = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + stream.encode("utf-16-le")
    with pytest.raises(UnsupportedFormat, match=f"save it as .{remedy}"):
        parser_for(detect(name, content))


def test_powers_notes_and_formulas_of_xml_are_in_signs() -> None:
    text = (
        "<article xmlns:m='http://www.w3.org/1998/Math/MathML'><p>10<sup>2</sup> of H<sub>2</sub>O"
        "<sup><xref ref-type='bibr' rid='b1'>1</xref></sup>, "
        "<m:math><m:mfrac><m:mi>a</m:mi><m:mi>b</m:mi></m:mfrac></m:math> to x<superscript>2</superscript>"
        "</p></article>"
    )
    raw = RawDocument("s/a.xml", "a.xml", text.encode(), "application/xml")
    assert [e.text for e in parse(raw, PARSERS["xml_text"]).elements] == ["10^2 of H2O[1], a/b to x^2"]


def test_xml_cells_and_titles_keep_the_words_after_inline_marks() -> None:
    page = (
        "<article><front><abstract><p>What it is about.</p></abstract></front><body><sec id='s1'><label>1.</label>"
        "<title>Use of H<sub>2</sub>O here</title><p>Some words.</p><table><tr><td>NE<sub>L</sub>, Mcal (kg DM)"
        "<sup>-1</sup> a day</td><td>1.96</td></tr></table></sec></body></article>"
    )
    found = read("a.xml", page)
    assert [e.text for e in found.elements if e.kind is ElementKind.HEADING] == ["Abstract", "1. Use of H2O here"]
    assert found.elements[-1].rows == (("NE_L, Mcal (kg DM)^-1 a day", "1.96"),)
    assert all(
        "Abstract" in PARSERS["xml_text"].quote(page.encode(), e.locator)
        for e in found.elements
        if e.text == "Abstract"
    )


@pytest.mark.req("D2.11")
def test_errors_and_text_boxes_of_a_sheet_are_read() -> None:
    row = '<c r="A1" t="e"><f>1/0</f><v>#DIV/0!</v></c><c t="e" r="B1"><v>#N/A</v></c><c r="C1"><v>2</v></c>'
    box = (
        "<d:wsDr xmlns:d='d' xmlns:a='a'><d:twoCellAnchor><d:from><d:col>4</d:col><d:row>2</d:row></d:from><d:grpSp>"
        "<d:sp><d:txBody><a:p><a:r><a:t>Prices are </a:t></a:r><a:r><a:t>net.</a:t></a:r></a:p><a:p/></d:txBody></d:sp>"
        "</d:grpSp></d:twoCellAnchor></d:wsDr>"
    )
    content = BUILD.workbook(
        {"Prices": f'<sheetData><row r="1">{row}</row></sheetData>'},
        extra={
            "xl/worksheets/_rels/sheet1.xml.rels": BUILD.relations(("r1", "drawing", "../drawings/drawing1.xml")),
            "xl/drawings/drawing1.xml": box,
        },
    )
    book = read("a.xlsx", content)
    assert [(e.text, e.locator.cell) for e in book.elements[1:]] == [
        ("#DIV/0! | #N/A | 2", "A1:C1"),
        ("Prices are net.", "E3"),
    ]
    assert "Prices are net." in PARSERS["spreadsheet"].quote(content, Locator(sheet="Prices", cell="E3"))


def test_asides_of_a_book_are_its_text() -> None:
    aside = '<aside epub:type="footnote" id="n1"><p>Not on Sundays.</p></aside>'
    page = f'<html xmlns:epub="http://www.idpf.org/2007/ops"><body><p>Open daily.</p>{aside}</body></html>'
    assert [e.kind for e in read("a.xhtml", page).elements] == [ElementKind.PARAGRAPH] * 2


def test_pages_of_a_book_outside_its_reading_order_are_recorded() -> None:
    page = '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>{}</p></body></html>'
    item = '<item id="{0}" href="{0}.xhtml" media-type="application/xhtml+xml"/>'
    book = BUILD.archive(
        {
            "META-INF/container.xml": '<container><rootfiles><rootfile full-path="c.opf"/></rootfiles></container>',
            "c.opf": f"<package><manifest>{item.format('a')}{item.format('b')}</manifest>"
            '<spine><itemref idref="a"/></spine></package>',
            "a.xhtml": page.format("Read"),
            "b.xhtml": page.format("Not read"),
        }
    )
    found = PARSERS["epub"].parse(RawDocument("s/a.epub", "a.epub", book, "application/epub+zip"))
    assert [(u.kind, u.state, u.name) for u in found.units] == [
        ("chapter", "ok", ""),
        ("attachment", "not_extracted", "b.xhtml"),
    ]


@pytest.mark.req("D4.2")
def test_boxes_amid_a_chapter_are_content() -> None:
    page = '<html xmlns="http://www.w3.org/1999/xhtml"><body>{}</body></html>'
    inner = '<header><h1>One</h1></header><p>Words.</p><aside><p>A box.</p></aside><aside class="toc">Menu</aside>'
    book = BUILD.archive(
        {
            "META-INF/container.xml": '<container><rootfiles><rootfile full-path="c.opf"/></rootfiles></container>',
            "c.opf": '<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="a"/></spine></package>',
            "a.xhtml": page.format(inner),
        }
    )
    found = PARSERS["epub"].parse(RawDocument("s/a.epub", "a.epub", book, "application/epub+zip"))
    kinds = [ElementKind.HEADING, ElementKind.PARAGRAPH, ElementKind.PARAGRAPH, ElementKind.NAVIGATION]
    assert [(e.kind, e.text) for e in found.elements] == list(
        zip(kinds, ["One", "Words.", "A box.", "Menu"], strict=True)
    )


@pytest.mark.req("D3.7")
def test_entities_an_xml_file_declares_are_its_words() -> None:
    deep = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 20))
    declared = (
        '<!ENTITY prod "Widget"><!ENTITY full "The <b>&prod;</b> &lt;9&gt;"><!ENTITY out SYSTEM "file:///etc/passwd">'
        f'<!ENTITY round "&round;"><!ENTITY long "{"x" * 3_000}"><!ENTITY l0 "ha">{deep}'
    )
    body = "<p>&full; &prod;</p><p>&out; &round; &long; &l19;</p><p><![CDATA[&prod;]]></p>"
    source = f"<?xml version='1.0'?>\n<!DOCTYPE a [{declared}]>\n<a><title>&prod;</title>{body}</a>"
    found = read("a.xml", source)
    texts = ["Widget", "The Widget <9> Widget", "&out; &round; &long; &l19;", "&prod;"]
    assert [e.text for e in found.elements] == texts
    assert found.metadata.title == "Widget"
    assert [u.name for u in found.units if u.kind == "entity"] == ["out", "round", "long", "l19"]
    quoted = PARSERS["xml_text"].quote(source.encode(), found.elements[1].locator)
    assert "The Widget <9> Widget" in quoted


STYLED = (
    "0.0%", "#,##0.00 &quot;€&quot;", "00000", "0.00", "dd/mm/yyyy", "_(* #,##0.00_);_(* (#,##0.00)", "[$$-409]#,##0",
    "0.0,,&quot;M&quot;",
)  # fmt: skip


def styled() -> bytes:
    """One row of numbers, each with a format, and three cells that lead elsewhere."""
    kinds = "".join(f'<numFmt numFmtId="{200 + n}" formatCode="{code}"/>' for n, code in enumerate(STYLED))
    styles = "".join(f'<xf numFmtId="{number}"/>' for number in (0, *range(200, 200 + len(STYLED)), 10))
    values = (0.256, 1999.5, 7, 3.14159, 46085, -1234.5, 5, 1500000, 0.5)
    heads = "".join(f'<c r="{"ABCDEFGHI"[n]}1" t="inlineStr"><is><t>Head {n}</t></is></c>' for n in range(9))
    row = "".join(f'<c r="{"ABCDEFGHI"[n]}2" s="{n + 1}"><v>{value}</v></c>' for n, value in enumerate(values))
    links = (
        '<row r="4"><c r="A4" t="inlineStr"><is><t>Manual</t></is></c><c r="B4" t="str">'
        "<f>HYPERLINK(&quot;https://b.example.com/?x=1&amp;y=2&quot;,&quot;Site&quot;)</f><v>Site</v></c>"
        '<c r="C4" t="inlineStr"><is><t>Inside</t></is></c></row>'
    )
    sheet = (
        f'<sheetData><row r="1">{heads}</row><row r="2">{row}</row>{links}</sheetData><hyperlinks>'
        f'<hyperlink ref="A4" r:id="h1" xmlns:r="{BUILD.OFFICE}"/>'
        '<hyperlink ref="C4" location="Orders!A1"/></hyperlinks>'
    )
    return bytes(
        BUILD.workbook(
            {"Orders": sheet},
            extra={
                "xl/styles.xml": f'<styleSheet xmlns="{BUILD.S}"><numFmts>{kinds}</numFmts>'
                f"<cellXfs>{styles}</cellXfs></styleSheet>",
                "xl/worksheets/_rels/sheet1.xml.rels": BUILD.relations(
                    ("h1", "hyperlink", "https://a.example.com/manual")
                ).replace('Target="https', 'TargetMode="External" Target="https'),
            },
        )
    )


def test_numbers_of_a_workbook_are_as_their_format_shows_them() -> None:
    numbers = next(e for e in read("a.xlsx", styled()).elements if e.rows)
    assert numbers.rows[1] == (
        "25.6%", "1,999.50 €", "00007", "3.14159", "2026-03-04", "(1,234.50)", "$5", "1.5M", "50.00%",
    )  # fmt: skip
    assert "25.6%" in PARSERS["spreadsheet"].quote(styled(), numbers.locator)


OF_EACH_FORMAT: Cells = [
    (0.256, "0.0%"), (1999.5, '#,##0.00 "€"'), (7, "00000"), (3.14, "0.00"), (46085, "dd/mm/yyyy"),
    (-1234.5, "_(* #,##0.00_);_(* (#,##0.00)"), (5, "[$$-409]#,##0"), (1500000, '0.0,,"M"'), (3, ""),
]  # fmt: skip
TWO_SHEETS = {"One": OF_EACH_FORMAT, "Two": [(1, ""), (2000, "#,##0")]}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.xls", xls(TWO_SHEETS)),
        ("a.xls", xls(TWO_SHEETS, chart=True)),
        ("a.xls", xls(TWO_SHEETS, excel_97=False)),
        ("a.xlsb", xlsb(TWO_SHEETS)),
    ],
    ids=["97", "97 with a chart", "5", "binary"],
)
def test_numbers_of_workbooks_that_are_no_xml_are_as_their_format_shows_them(name: str, content: bytes) -> None:
    found = read(name, content)
    one, two = (element for element in found.elements if element.rows)
    assert one.rows == (("25.6%", "1,999.50 €", "00007", "3.14", "2026-03-04", "(1,234.50)", "$5", "1.5M", "3"),)
    assert two.rows == (("1", "2,000"),)
    assert "25.6%" in PARSERS["spreadsheet"].quote(content, one.locator)


@pytest.mark.parametrize("made", [xls, xlsb])
def test_workbooks_without_telling_formats_are_as_they_are(made: Callable[[dict[str, Cells]], bytes]) -> None:
    (table,) = (e for e in read("a.xls", made({"One": [(0.5, "0.00"), (2, "")]})).elements if e.rows)
    assert table.rows == (("0.5", "2"),)


def test_links_of_cells_are_kept() -> None:
    (linked,) = (e for e in read("a.xlsx", styled()).elements if e.links)
    assert linked.rows == (("Manual", "Site", "Inside"),)
    assert [(link.text, link.target) for link in linked.links] == [
        ("Manual", "https://a.example.com/manual"),
        ("Site", "https://b.example.com/?x=1&y=2"),
    ]


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (0.125, "0.##%", "12.5%"),
        (0.0, "0%", "0%"),
        (-5.0, "#,##0.00;[Red]-#,##0.00", "-5.00"),
        (-0.05, "0%", "-5%"),
        (1999.5, "#,##0.00\\ [$€-407]", "1,999.50 €"),
        (12.345, '0.0 "kg"', "12.3 kg"),
        (4111222233334444.0, "#,##0", "4,111,222,233,334,444"),
        (1e300, "#,##0", None),
        (5551234567.0, "(000) 000-0000", None),
        (0.5, "# ?/?", None),
        (40000.0, "dd.mm.yyyy", None),
        (1.5, "[h]:mm", None),
        (3.0, "General", None),
        (1.0, '"yes";"no"', None),
        (1.0, '"1."0', None),
        (1.0, ";;;", None),
        (1.0, '"', None),
    ],
)
def test_a_format_that_says_more_than_digits_is_followed(value: float, code: str, shown: str | None) -> None:
    assert as_shown(value, code) == shown


def test_comments_of_rich_text_follow_what_they_are_about() -> None:
    comment = r"{\*\atnid AB}{\*\atnauthor Ann B}\chatn{\*\annotation{\*\atndate 123}\pard Is it\par so?}"
    found = read("a.rtf", rf"{{\rtf1\ansi The pump is off.{comment}\par Then wait.\par}}")
    assert [(e.text, e.fragment) for e in found.elements] == [
        ("The pump is off.", ""),
        ("Comment by Ann B: Is it\nso?", "comment"),
        ("Then wait.", ""),
    ]


@pytest.mark.req("D3.9")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (r"10{\super 2} m, 10{\super \u8722?3}", "10^2 m, 10^\u22123"),
        (r"x\sub i\nosupersub y of H{\sub 2}O", "x_i y of H2O"),
        (r"the 1{\super st} day, e{\up6 n+1}", "the 1st day, e^(n+1)"),
        (r"2\super 1\super0 0, 2{\super{\b 1}0}", "2^1 0, 2^10"),
        (r"7\dn4 0\dn0 b. The end.{\super 1}", "7_0 b. The end.[1]"),
        (r"{\super 2}10, 3\super 2\plain 4", "210, 3^2 4"),
    ],
)
def test_raised_and_lowered_words_of_rich_text_are_in_signs(words: str, said: str) -> None:
    rows = rf"\trowd\cellx100\pard\intbl {words}\cell\row\pard"
    found = read("a.rtf", rf"{{\rtf1\ansi {words}{{\super{{\footnote {words}}}}}\par {rows}\par}}")
    assert [e.text for e in found.elements] == [said, said, said]


@pytest.mark.parametrize(
    ("position", "said"), [("super 58%", "10^2 m"), ("-33% 58%", "10_2 m"), ("33%", "10^2 m"), ("0% 100%", "102m")]
)
def test_raised_and_lowered_words_of_open_document_are_in_signs(position: str, said: str) -> None:
    styles = (
        f'<style:style style:name="s" style:family="text"><style:text-properties style:text-position="{position}"/>'
        '</style:style><style:style style:name="t" style:family="text" style:parent-style-name="s"/>'
    )
    words = '<text:p>10<text:span text:style-name="t">2</text:span>m</text:p>'
    row = f"<table:table-row><table:table-cell>{words}</table:table-cell></table:table-row>"
    bodies = {
        "text": words,
        "presentation": f"<draw:page><draw:frame><draw:text-box>{words}</draw:text-box></draw:frame></draw:page>",
        "spreadsheet": f'<table:table table:name="A">{row}</table:table>',
    }
    for kind, body in bodies.items():
        content = BUILD.odf(
            kind,
            kind,
            body,
            {"styles.xml": f"<office:document-styles {BUILD.ODF_NS}>{styles}</office:document-styles>"},
        )
        assert read("a.odt", content).elements[-1].text == said


def test_a_table_inside_a_table_of_rich_text_stands_after_it_with_its_own_header() -> None:
    def row(depth: int, *cells: str, header: bool = False) -> str:
        mark = r"\trhdr" if header else ""
        if depth == 1:
            return rf"\trowd{mark}\cellx1\cellx2" + "".join(rf"\pard\intbl {cell}\cell" for cell in cells) + r"\row"
        told = rf"{{\*\nesttableprops\trowd{mark}\cellx1\cellx2\nestrow}}{{\nonesttables\par}}"
        said = "".join(rf"\pard\intbl\itap{depth} {cell}\nestcell{{\nonesttables\par}}" for cell in cells)
        return rf"{said}{told}\pard\intbl\itap{depth - 1} "

    deepest = row(3, "Nut", "M4")
    inner = row(2, "Size", "Weight", header=True) + row(2, r"10 cm{\footnote About.}", rf"2 kg\par {deepest}")
    text = row(1, "Part", "Sizes", header=True) + row(1, "Pump", rf"See: \par {inner} and more") + row(1, "Valve", "3")
    found = read("a.rtf", rf"{{\rtf1\ansi Before\par {text}\pard After\par}}")
    tables = [(e.rows, e.header_rows) for e in found.elements if e.rows]
    assert tables == [
        ((("Part", "Sizes"), ("Pump", "See:\nand more"), ("Valve", "3")), 1),
        ((("Size", "Weight"), ("10 cm", "2 kg")), 1),
        ((("Nut", "M4"),), 0),
    ]
    assert [e.text for e in found.elements if not e.rows] == ["Before", "About.", "After"]


def test_cells_that_no_row_ends_are_kept() -> None:
    found = read("a.rtf", r"{\rtf1\ansi\trowd\cellx1\pard\intbl One\cell Two\par}")
    assert [e.rows for e in found.elements] == [(("One", "Two"),)]


def test_of_two_readings_of_a_text_in_rtf_the_one_in_unicode_is_said() -> None:
    found = read("a.rtf", r"{\rtf1\ansi Ask {\upr{Lodz}{\*\ud{\uc0\u321 \'f3d\u378 }}} first.\par Then go.\par}")
    assert [e.text for e in found.elements] == ["Ask \u0141\u00f3d\u017a first.", "Then go."]


@pytest.mark.parametrize(
    "container", ["<container/>", '<container><rootfiles><rootfile full-path=""/></rootfiles></container>']
)
def test_a_book_that_names_no_package_says_so(container: str) -> None:
    content = BUILD.archive({"META-INF/container.xml": container})
    with pytest.raises(CorruptDocument, match=r"META-INF/container\.xml names no package of a book$"):
        parse(RawDocument("s/a.epub", "a.epub", content, "application/epub+zip"), PARSERS["epub"])


def test_raised_and_lowered_words_of_a_slide_are_in_signs() -> None:
    text = '10</a:t></a:r><a:r><a:rPr baseline="30000"/><a:t>2</a:t></a:r><a:r><a:t> x'
    text += '</a:t></a:r><a:r><a:rPr baseline="-25000"/><a:t>max</a:t></a:r><a:r><a:rPr baseline="0"/><a:t> here'
    content = BUILD.deck([BUILD.shape("WORDS").replace("WORDS", text)])
    assert "10^2 x_max here" in texts(read("a.pptx", content), slide=1)


LONG = (
    ("4111222233334444", "4111222233334444"),
    ("9400110200881235987", "9400110200881235987"),
    ("9400110200881235988", "9400110200881235988"),
    ("2.024000000000001e+16", "20240000000000010"),
    ("1e+16", "10000000000000000"),
    ("-9007199254740993", "-9007199254740993"),
    ("6.02214076E+23", "6.02214076e+23"),
)
"""Numbers as a workbook stores them, and as they are shown."""


@pytest.mark.req("D4.13")
def test_long_numbers_keep_all_digits_a_workbook_stores() -> None:
    rows = "".join(
        f'<row r="{n}"><c r="A{n}" t="n"><v>{stored}</v></c><c r="B{n}" s="1"><f>A{n}</f><v>{stored}</v></c></row>'
        for n, (stored, _) in enumerate(LONG, 1)
    )
    styles = f'<styleSheet xmlns="{BUILD.S}"><cellXfs><xf numFmtId="0"/><xf numFmtId="3"/></cellXfs></styleSheet>'
    content = BUILD.workbook({"S": f"<sheetData>{rows}</sheetData>"}, extra={"xl/styles.xml": styles})
    (table,) = (e for e in read("a.xlsx", content).elements if e.rows)
    assert [row[0] for row in table.rows] == [shown for _, shown in LONG]
    assert [row[1] for row in table.rows[1:3]] == ["9,400,110,200,881,235,987", "9,400,110,200,881,235,988"]
    assert "9400110200881235987" in PARSERS["spreadsheet"].quote(content, table.locator)


@pytest.mark.parametrize(("name", "made"), [("a.xls", xls), ("a.xlsb", xlsb)])
def test_long_numbers_of_workbooks_that_are_no_xml_differ_where_they_differ(
    name: str, made: Callable[[dict[str, Cells]], bytes]
) -> None:
    cells: Cells = [(4111222233334444.0, ""), (4111222233334445.0, "#,##0")]
    (table,) = (e for e in read(name, made({"One": cells})).elements if e.rows)
    assert table.rows == (("4111222233334444", "4,111,222,233,334,445"),)


@pytest.mark.parametrize(
    ("value", "shown", "said"),
    [
        ("4111222233334444", "4.11122223333444E+15", "4111222233334444"),
        ("2.0240000000000012E+16", "2.024E+16", "20240000000000012"),
        ("1500", "1.50E+03", "1.50E+03"),
        ("4111222233334444", "4,111,222,233,334,444", "4,111,222,233,334,444"),
    ],
)
def test_long_numbers_of_open_document_keep_all_digits(value: str, shown: str, said: str) -> None:
    row = "".join(
        f'<table:table-cell office:value-type="float" office:value="{v}"><text:p>{p}</text:p></table:table-cell>'
        for v, p in ((value, shown), ("2", "2"))
    )
    sheet = f'<table:table table:name="S"><table:table-row>{row}</table:table-row></table:table>'
    content = BUILD.odf("spreadsheet", "spreadsheet", sheet)
    (table,) = (e for e in read("a.ods", content).elements if e.rows)
    assert table.rows == ((said, "2"),)


def boxes(*placed: tuple[str, int, int]) -> list[str]:
    """Words of a slide of boxes, 900 wide and 90 high, in the order in which they are read."""
    slide = "".join(BUILD.shape(words, (left, top)) for words, left, top in placed)
    return texts(read("a.pptx", BUILD.deck([slide])), slide=1)


@pytest.mark.req("D2.9")
def test_boxes_in_columns_are_read_as_the_file_has_them() -> None:
    steps = [("Step 1", 0, 100), ("Prepare", 0, 200), ("Step 2", 1000, 100), ("Sign", 1000, 205), ("Step 3", 2000, 95)]
    assert boxes(*steps, ("Send", 2000, 200)) == ["Step 1", "Prepare", "Step 2", "Sign", "Step 3", "Send"]
    rows = sorted(steps, key=lambda step: (step[2] > 150, step[1]))
    assert boxes(*rows) == ["Step 1", "Step 2", "Step 3", "Prepare", "Sign"]


@pytest.mark.req("D2.9")
def test_a_box_across_the_columns_parts_them() -> None:
    wide = BUILD.shape("All of it", (0, 300)).replace('cx="900"', 'cx="1900"')
    upper = [("A", 0, 100), ("a", 0, 200), ("B", 1000, 100), ("b", 1000, 200)]
    lower = [("C", 0, 400), ("D", 1000, 400), ("c", 0, 500), ("d", 1000, 500)]
    slide = "".join(BUILD.shape(words, (left, top)) for words, left, top in [*lower, *upper]) + wide
    read_in_order = texts(read("a.pptx", BUILD.deck([slide])), slide=1)
    assert read_in_order == ["A", "a", "B", "b", "All of it", "C", "D", "c", "d"]


def test_a_slide_of_very_many_boxes_is_read() -> None:
    many = [(f"box {n}", n % 40 * 1000, n // 40 * 100) for n in range(2000)]
    assert boxes(*many)[:2] == ["box 0", "box 1"]
