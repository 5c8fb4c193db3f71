"""Every locator opens the original at the place (G7), and no word of the original is lost (G2)."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from kprep.core.models import ElementKind, ParsedDocument, RawDocument
from parsers import parse, parser_for
from parsers.decoding import decode
from parsers.media_type import detect
from quality.coverage import UNORDERED
from quality.locators import OTHER_ORDER
from quality.text import altered, share_found

GOLDEN = Path(__file__).parents[2] / "golden" / "parsers"
CASES = sorted(
    path for path in GOLDEN.glob("*/input.*") if "error" not in json.loads((path.parent / "expected.json").read_text())
)


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text)


def parsed(path: Path) -> tuple[bytes, ParsedDocument]:
    content = path.read_bytes()
    media_type = detect(path.name, content)
    return content, parse(RawDocument("u", path.name, content, media_type), parser_for(media_type))


@pytest.mark.req("D9.3", "D3.8", "D3.9", "D3.11")
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.parent.name)
def test_quote_holds_the_words(path: Path) -> None:
    content, document = parsed(path)
    spec = parser_for(document.media_type)
    for element in document.elements:
        if element.kind is ElementKind.HEADING and element.locator.time is not None:
            continue  # a topic is named by its time
        quoted = spec.quote(content, element.locator)
        solid = "".join(words(quoted))
        missing = [word for word in words(element.text) if word not in solid]
        assert (not missing and quoted) or path.parent.name == "pdf-a15_ligatures", (element.kind, element.locator)


@pytest.mark.req("D9.3")
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.parent.name)
def test_each_element_passes_the_comparison_of_the_gate(path: Path) -> None:
    content, document = parsed(path)
    spec = parser_for(document.media_type)
    for element in document.elements:
        if element.kind is ElementKind.HEADING or path.parent.name == "xml_text-data":
            continue  # titles are composed of what stands at several places, and a page kept in XML as text is plain
        quoted = spec.quote(content, element.locator)
        share = share_found(element.text, quoted)
        assert share is None or share >= 0.9, (element.text, quoted)
        assert share is None or not altered(element.text, quoted, in_order=spec.name not in OTHER_ORDER), element.text


@pytest.mark.parametrize("path", [p for p in CASES if p.suffix in {".md", ".txt"}], ids=lambda path: path.parent.name)
def test_char_spans_slice_the_decoded_text(path: Path) -> None:
    content, document = parsed(path)
    text = decode(content).text
    end = 0
    for element in document.elements:
        assert element.locator.char is not None
        start, stop = element.locator.char
        assert end <= start < stop <= len(text)
        end = stop
        if element.kind is ElementKind.CODE:
            assert element.text.replace("\n", "") in text[start:stop].replace("\r\n", "\n").replace("\n", "")


@pytest.mark.parametrize("path", [p for p in CASES if p.suffix in {".md", ".txt"}], ids=lambda path: path.parent.name)
def test_no_word_of_the_source_is_lost(path: Path) -> None:
    content, document = parsed(path)
    source = re.sub(
        r"<!--.*?-->|</?\w+>|\]\([^)]*\)|^(?:```|~~~)\w*", " ", decode(content).text, flags=re.DOTALL | re.MULTILINE
    )
    everything = " ".join([f"{e.marker} {e.text}" for e in document.elements] + [str(document.metadata.front_matter)])
    assert set(words(source)) <= set(words(everything))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.parent.name)
def test_same_bytes_same_result(path: Path) -> None:
    assert parsed(path)[1] == parsed(path)[1]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.parent.name)
def test_elements_stand_in_the_order_of_the_original(path: Path) -> None:
    """The gate refuses a whole release for one document whose chunks do not."""
    _, document = parsed(path)
    if document.parser.partition("@")[0] in UNORDERED:
        return
    pages, lines = 0, (0, ("", "", ""))
    for element in document.elements:
        place = element.locator
        if element.kind in {ElementKind.TABLE, ElementKind.HEADING}:  # a symbol's name stands for all of it
            continue
        file = (place.anchor or "").partition("#")[0] if path.suffix == ".epub" else ""
        line = (place.line[0] if place.line else 0, (place.cell or "", place.message or "", file))
        assert (place.page or pages) >= pages, place
        assert place.line is None or line >= lines or line[1] != lines[1], place
        pages, lines = place.page or pages, line if place.line else lines
