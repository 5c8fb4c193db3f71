"""PDF: lines that run to the left. In these tests capitals stand for Hebrew letters, as in the standard."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator

import pypdf
import pytest

from kprep.core.models import RawDocument
from parsers import PARSERS, coverage
from parsers.pdf_glyphs import Glyph
from parsers.pdf_lines import pieces
from tests.unit.parsers.test_pdf_bare_codes import drawn, name, read, stream, words

HEBREW = {ord("A") + at: chr(0x5D0 + at) for at in range(26)}
SIZE, LETTER, RIGHT = 12, 6.0, 540.0
"""Points; each letter is half its size wide."""
Drawing = Callable[[str, str], Iterator[tuple[float, str]]]
"""(as read, as seen) -> where each string begins, and its signs from left to right."""


def whole(_: str, seen: str) -> Iterator[tuple[float, str]]:
    """The line as it is seen, in one string."""
    yield RIGHT - LETTER * len(seen), seen


def by_words(_: str, seen: str) -> Iterator[tuple[float, str]]:
    """Word by word from the right, each as it is seen."""
    end = len(seen)
    for word in reversed(seen.split(" ")):
        yield RIGHT - LETTER * (len(seen) - end + len(word)), word
        end -= len(word) + 1


def by_words_from_left(_: str, seen: str) -> Iterator[tuple[float, str]]:
    """Word by word from the left."""
    yield from reversed(list(by_words("", seen)))


def by_letters(_: str, seen: str) -> Iterator[tuple[float, str]]:
    """Letter by letter from the right, as most programs for scripts that run to the left do."""
    for at in range(len(seen) - 1, -1, -1):
        yield RIGHT - LETTER * (len(seen) - at), seen[at]


def pdf_of(lines: list[tuple[str, str]], drawing: Drawing) -> bytes:
    """One page; codes 33 and up mean the signs of the lines in the order of their codes."""
    signs = sorted({sign for _, seen in lines for sign in seen.translate(HEBREW)} - {" "})
    codes = {sign: 33 + at for at, sign in enumerate(signs)} | {" ": 32}
    entries = "\n".join(f"<{code:02x}> <{ord(sign):04x}>" for sign, code in codes.items())
    unicode_map = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n"
        f"1 begincodespacerange <00> <ff> endcodespacerange\n{len(codes)} beginbfchar\n{entries}\nendbfchar\n"
        "endcmap end end"
    )
    writer = pypdf.PdfWriter()
    page = writer.add_blank_page(595, 842)
    font = drawn(writer) | {name("ToUnicode"): stream(writer, unicode_map.encode())}
    page[name("Resources")] = words(Font=words(F=words(**{key[1:]: value for key, value in font.items()})))
    strings = []
    for at, (logical, seen) in enumerate(lines):
        for x, text in drawing(logical, seen.translate(HEBREW)):
            hexed = bytes(codes[sign] for sign in text).hex()
            strings.append(f"BT /F {SIZE} Tf {x:.1f} {760 - 16 * at} Td <{hexed}> Tj ET")
    page[name("Contents")] = stream(writer, "\n".join(strings).encode())
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


LINES = [
    ("LEAVE POLICY OF 25 DAYS FOR ALL", "LLA ROF SYAD 25 FO YCILOP EVAEL"),
    ("REQUEST IT FIRST (FORM a-7) THEN", "NEHT (a-7 MROF) TSRIF TI TSEUQER"),
    (
        "INSTALL THE windows server 2019 BEFORE 31.12.2024, PLEASE.",
        ".ESAELP ,31.12.2024 EROFEB windows server 2019 EHT LLATSNI",
    ),
    ("IT COSTS 25% OR 1,250.50 (TAX INCLUDED).", ".(DEDULCNI XAT) 1,250.50 RO 25% STSOC TI"),
    ("SEE IT IN-sharepoint OR CALL 03-1234567!", "!03-1234567 LLAC RO sharepoint-NI TI EES"),
    ("THE VERSION v2.1 [beta] ENDS: 10-20 DAYS", "SYAD 10-20 :SDNE v2.1 [beta] NOISREV EHT"),
    ("THIS VERSION [beta] v2.1 STAYS AS IT WAS", "SAW TI SA SYATS [beta] v2.1 NOISREV SIHT"),
]


@pytest.mark.req("D2.8")
@pytest.mark.parametrize("drawing", [whole, by_words, by_words_from_left, by_letters])
def test_lines_that_run_to_the_left_are_read_as_they_are_written(drawing: Drawing) -> None:
    content = pdf_of(LINES, drawing)
    found = read(content)
    lines = "\n".join(element.text for element in found.elements).split("\n")
    assert lines == [logical.translate(HEBREW) for logical, _ in LINES]
    assert coverage(RawDocument("s/a.pdf", "a.pdf", content, "application/pdf"), found) > 0.99
    for element in found.elements:
        assert element.text in PARSERS["pdf"].quote(content, element.locator)


def test_brackets_drawn_by_an_older_rule_are_read_alike() -> None:
    logical, seen = "THE VERSION v2.1 [beta] ENDS: 10-20 DAYS", "SYAD 10-20 :SDNE [v2.1 [beta NOISREV EHT"
    assert read(pdf_of([(logical, seen)], whole)).elements[0].text == logical.translate(HEBREW)


def test_a_word_among_latin_ones_is_read_as_it_is_written() -> None:
    line = [("the law says that LEAVE is for all", "the law says that EVAEL is for all")]
    assert read(pdf_of(line, by_words_from_left)).elements[0].text == line[0][0].translate(HEBREW)


def test_other_lines_of_such_a_page_keep_their_order() -> None:
    plain = "Part (a-7) of 2019, version 2.1 [beta]: 25% off."
    found = read(pdf_of([*LINES[:2], (plain.lower(), plain.lower())], whole)).elements
    assert found[-1].text.split("\n")[-1] == plain.lower()


def test_a_mark_drawn_before_its_letter_stands_behind_it_and_parts_no_word() -> None:
    def glyph(sign: str, x0: float, x1: float, space: str = "", blank: float = 0) -> Glyph:
        return Glyph(
            sign,
            x0,
            200,
            x1,
            210,
            210,
            12,
            bold=False,
            mono=False,
            hidden=False,
            turn=0,
            space=space,
            order=0,
            blank=blank,
        )

    alef, tanwin, hamza, other = "\u0627", "\u064b", "\u0621", "\u0639"
    near = [glyph(alef, 513.8, 516.4, " ", 511.4), glyph(tanwin, 509.8, 511.8), glyph(hamza, 509.5, 513.1, " ", 505.7)]
    far = [glyph(alef, 513.8, 516.4, " ", 511.4), glyph(tanwin, 503, 505), glyph(hamza, 503, 507, " ", 501.7)]
    rest = [glyph(other, 495, 500.5)]
    assert [line.text for line in pieces(near + rest)] == [alef + hamza + tanwin + " " + other]
    assert [line.text for line in pieces(far + rest)] == [f"{alef} {hamza}{tanwin} {other}"]
    assert [line.text for line in pieces(far + rest)] == [f"{alef} {hamza}{tanwin} {other}"]
