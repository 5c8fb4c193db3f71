"""PDF: fonts that do not say what their glyphs mean."""

from __future__ import annotations

import io
from collections.abc import Callable

import pypdf
import pytest
from pypdf.generic import (
    ArrayObject,
    DictionaryObject,
    FloatObject,
    NameObject,
    NumberObject,
    StreamObject,
    TextStringObject,
)
from reportlab.pdfbase.ttfonts import TTFontFile

from kprep.core.errors import NoText
from kprep.core.models import ParsedDocument, RawDocument
from parsers import PARSERS, parse
from parsers.pdf_bare_codes import reads_as_words

SENTENCE = "Confidential terms of the lease apply from here on"
SHIFTED = "".join(chr(ord(sign) - 29) for sign in SENTENCE)
"""As the numbers of the glyphs of most TrueType fonts."""
FontOf = Callable[[pypdf.PdfWriter], DictionaryObject]


def read(content: bytes) -> ParsedDocument:
    return parse(RawDocument("s/a.pdf", "a.pdf", content, "application/pdf"), PARSERS["pdf"])


def name(text: str) -> NameObject:
    return NameObject(f"/{text}")


def words(**entries: object) -> DictionaryObject:
    return DictionaryObject({name(key): value for key, value in entries.items()})


def stream(writer: pypdf.PdfWriter, content: bytes, **entries: object) -> object:
    made = StreamObject()
    made.set_data(content)
    made.update(words(**entries))
    return writer._add_object(made)


def composite(writer: pypdf.PdfWriter, ordering: str = "Identity") -> DictionaryObject:
    """Codes of two bytes are the numbers of glyphs; nothing says what they mean."""
    program = TTFontFile("Vera.ttf")._ttf_data
    descriptor = words(Type=name("FontDescriptor"), FontName=name("Vera"), Flags=NumberObject(32),
                       FontFile2=stream(writer, program))  # fmt: skip
    info = words(Registry=TextStringObject("Adobe"), Ordering=TextStringObject(ordering), Supplement=NumberObject(0))
    inner = words(Type=name("Font"), Subtype=name("CIDFontType2"), BaseFont=name("Vera"), CIDSystemInfo=info,
                  FontDescriptor=descriptor, CIDToGIDMap=name("Identity"))  # fmt: skip
    return words(Type=name("Font"), Subtype=name("Type0"), BaseFont=name("Vera"), Encoding=name("Identity-H"),
                 DescendantFonts=ArrayObject([inner]))  # fmt: skip


def drawn(writer: pypdf.PdfWriter) -> DictionaryObject:
    """Glyphs are drawings with names that mean nothing."""
    box = stream(writer, b"500 0 d0 40 0 420 700 re f")
    names = [f"g{code}" for code in range(1, 128)]
    return words(
        Type=name("Font"), Subtype=name("Type3"), FontBBox=ArrayObject(map(NumberObject, (0, 0, 500, 700))),
        FontMatrix=ArrayObject(map(FloatObject, (0.001, 0, 0, 0.001, 0, 0))),
        CharProcs=words(**dict.fromkeys(names, box)), FirstChar=NumberObject(1), LastChar=NumberObject(127),
        Encoding=words(Differences=ArrayObject([NumberObject(1), *map(name, names)])),
        Widths=ArrayObject([NumberObject(500)] * 127),
    )  # fmt: skip


def plain(_: pypdf.PdfWriter) -> DictionaryObject:
    return words(Type=name("Font"), Subtype=name("Type1"), BaseFont=name("Helvetica"))


def pdf_of(*lines: tuple[FontOf, bytes]) -> bytes:
    """One page, each line in a font of its own."""
    writer = pypdf.PdfWriter()
    page = writer.add_blank_page(595, 842)
    fonts = words(**{f"F{at}": font(writer) for at, (font, _) in enumerate(lines)})
    page[name("Resources")] = words(Font=fonts)
    drawing = "".join(
        f"BT /F{at} 12 Tf 72 {700 - 20 * at} Td <{codes.hex()}> Tj ET\n" for at, (_, codes) in enumerate(lines)
    )
    page[name("Contents")] = stream(writer, drawing.encode())
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


@pytest.mark.req("D3.8", "D2.13")
@pytest.mark.parametrize(
    ("font", "codes"),
    [(composite, SHIFTED.encode("utf-16-be")), (drawn, SHIFTED.encode())],
    ids=["composite", "drawn"],
)
def test_a_font_that_explains_no_glyph_is_not_read(font: FontOf, codes: bytes) -> None:
    with pytest.raises(NoText, match="1 of them for a font that does not say what its signs mean") as error:
        read(pdf_of((font, codes)))
    assert error.value.context["units"] == [["page", 1, "unreadable_font"]]


@pytest.mark.req("D3.8", "D2.13")
def test_of_several_fonts_the_readable_ones_are_read() -> None:
    lines = [(plain, f"Line {at} of the page can be read by everyone.".encode()) for at in range(12)]
    most = read(pdf_of(*lines, (composite, SHIFTED[:20].encode("utf-16-be"))))
    assert [(unit.kind, unit.state, unit.name) for unit in most.units] == [
        ("page", "ok", ""),
        ("glyphs", "unreadable_font", "20 of page 1"),
    ]
    assert most.elements[-1].text.endswith("Line 11 of the page can be read by everyone.")
    few = read(pdf_of(lines[0], (composite, SHIFTED.encode("utf-16-be"))))
    assert [unit.state for unit in few.units] == ["unreadable_font"]
    assert [element.text for element in few.elements] == ["Line 0 of the page can be read by everyone."]


@pytest.mark.parametrize("font", [composite, drawn], ids=["composite", "drawn"])
def test_usual_codes_are_words_though_the_font_names_no_glyph(font: FontOf) -> None:
    codes = SENTENCE.encode("utf-16-be" if font is composite else "ascii")
    short = "42".encode("utf-16-be" if font is composite else "ascii")
    assert read(pdf_of((font, codes), (font, short))).elements[0].text == f"{SENTENCE}\n42"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SENTENCE, True),
        ("Die Prüfung der Ventile ist vor jeder Schicht zu wiederholen", True),
        ("Älykkäiden venttiilien tarkastus tehdään aina ennen työvuoroa", True),
        (SHIFTED, False),
        ('!"#$%&\'()*+,-. !"#', False),
        ("bcdfg hjklm npqrs", False),
        ("\u4e00\u4e01\u4e02", False),
        ("", False),
    ],
)
def test_words_are_told_by_their_letters(text: str, expected: bool) -> None:
    assert reads_as_words(text) is expected
