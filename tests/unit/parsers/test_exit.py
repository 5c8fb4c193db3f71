"""What no later room may see stops at the exit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kprep.core.errors import NoText
from kprep.core.models import (
    DocumentMetadata,
    Element,
    ElementKind,
    Link,
    Locator,
    ParsedDocument,
    RawDocument,
    SourceUnit,
    table_text,
)
from parsers import parse, parser_for, quote
from parsers.exit import clean_text, leave

PLACE = Locator(line=(1, 1))


def document(*elements: Element, metadata: DocumentMetadata | None = None) -> ParsedDocument:
    return ParsedDocument("u", "text/plain", "test@1", elements, (), metadata or DocumentMetadata())


@pytest.mark.parametrize(
    ("dirty", "clean"),
    [
        ("cl\x00ud", "cl ud"),
        ("A\x00\x00\x00B. \x00C", "A B. C"),
        ("8=FIX\x019=145", "8=FIX 9=145"),
        ("INFO\x1b[0m\x1b[32mstarted\x1b[0m, \x1b[1mnow\x1b(B\x1b[m", "INFOstarted, now"),
        ("\x1b]0;title\x07a \x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "a link"),
        ("N\x08NA\x08A _\x08x_\x08y", "NA xy"),
        ("a\r\nb\rc\u2028d\x85e\x0cf", "a\nb\nc\nd\ne\nf"),
        ("a\ud800b", "a\ufffdb"),
        ("\ud83d\ude00", "\U0001f600"),
        ("safe\u202etxt.exe\u202c", "safetxt.exe"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("infor\u00ad\nmation soft\u00adhyphen", "information softhyphen"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("a\u200db\u200cc", "abc"),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"),
        ("\u0915\u094d\u200d\u0937", "\u0915\u094d\u200d\u0937"),
        ("\U0001f468\u200d\U0001f469", "\U0001f468\u200d\U0001f469"),
        ("hi\U000e0041\U000e0042", "hi"),
        ("\u2764\ufe0f\ufe0f\ufe0f", "\u2764\ufe0f"),
        ("tab\tstays", "tab\tstays"),
        ("\u0639\u0631\u0628\u064a", "\u0639\u0631\u0628\u064a"),
    ],
)
def test_characters(dirty: str, clean: str) -> None:
    assert clean_text(dirty) == clean
    assert clean_text(clean) == clean


def test_every_field_is_cleaned() -> None:
    rows = (("a\x00", "b\u202e"),)
    found = leave(
        document(
            Element(ElementKind.TABLE, table_text(rows), PLACE, rows=rows, links=(Link("x\x00", "http://a\x00"),)),
            metadata=DocumentMetadata(
                title="t\x00", authors=("a\x00",), front_matter={"k\x00": ["v\x00", {"n": "\ud800"}]}
            ),
        )
    )
    table = found.elements[0]
    assert table.rows == (("a", "b"),)
    assert table.text == table_text(table.rows)
    assert table.links == (Link("x", "http://a"),)
    assert found.metadata.title == "t"
    assert found.metadata.front_matter == {"k": ["v", {"n": "\ufffd"}]}


def test_code_keeps_its_white_space() -> None:
    code = "\tif x:\n\n    y  \n"
    assert leave(document(Element(ElementKind.CODE, code, PLACE))).elements[0].text == code


def test_only_hidden_text_is_no_text() -> None:
    with pytest.raises(NoText) as caught:
        leave(document(Element(ElementKind.PARAGRAPH, "unseen words", PLACE, hidden=True)))
    assert "unseen" not in str(caught.value)


def test_invariants_are_asserted() -> None:
    with pytest.raises(AssertionError):
        leave(document(Element(ElementKind.PARAGRAPH, "words", Locator())))
    with pytest.raises(AssertionError):
        leave(document(Element(ElementKind.TABLE, "other", PLACE, rows=(("a",),))))


def test_names_of_units_are_cleaned() -> None:
    unit = SourceUnit("attachment", 1, "not_extracted", 0, "a\x00\u202eb\nc.pdf")
    found = leave(replace(document(Element(ElementKind.PARAGRAPH, "x", PLACE)), units=(unit,)))
    assert found.units[0].name == "ab c.pdf"


def test_what_is_no_text_does_not_count_as_text_that_a_unit_gave() -> None:
    unit = SourceUnit("file", 1, "ok", 1005)
    hidden = document(Element(ElementKind.PARAGRAPH, "\u202e" * 1000 + "words", PLACE))
    assert leave(replace(hidden, units=(unit,))).units[0].chars == 5


@pytest.mark.req("D9.3")
@pytest.mark.parametrize(
    ("name", "media_type"), [("a.txt", "text/plain"), ("a.md", "text/markdown"), ("a.html", "text/html")]
)
def test_words_between_controls_are_found_at_their_place(name: str, media_type: str) -> None:
    raw = RawDocument("u", name, b"port\x00number is \x1b[31mred\x1b[0mdish\x07hot today", media_type)
    (said,) = parse(raw, parser_for(media_type)).elements
    assert said.text == "port number is reddish hot today"
    assert said.text == " ".join(quote(media_type, raw.content, said.locator).split())
