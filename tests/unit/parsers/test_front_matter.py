"""Front matter may say who reads a document: what cannot be read closes the document, never opens it."""

from __future__ import annotations

import pytest

import parsers
from kprep.core.errors import FrontMatterInvalid
from kprep.core.models import ParsedDocument, RawDocument
from parsers.media_type import detect


def read(text: str) -> ParsedDocument:
    raw = RawDocument("docs/a.md", "a.md", text.encode(), "text/markdown")
    return parsers.parse(raw, parsers.parser_for("text/markdown"))


@pytest.mark.parametrize(
    ("block", "line"),
    [
        ("---\ntitle: Board: plans for 2027\nacl: [board]\n---", 2),
        ("---\nacl: [board]\nvalid_until: 2026-13-45\n---", 1),
        ("---\nacl: [board]\n\nNo closing line.", 1),
        ("---\nacl: [board]\nacl: [public]\n---", 1),
        ("---\nAcl: [board]\nacl: [public]\n---", 1),
        ("---\nacl: [board\n---", 2),
        ("+++\nacl = board\n+++", 1),
        ('+++\nacl = ["board"]\n', 1),
    ],
)
def test_a_block_that_cannot_be_read_refuses_the_document(block: str, line: int) -> None:
    with pytest.raises(FrontMatterInvalid, match=f"in line {line}|line {line}") as caught:
        read(f"{block}\n# Heading\n\nText of the document.\n")
    assert "board" not in str(caught.value)
    assert "plans" not in str(caught.value)


@pytest.mark.parametrize(
    "block",
    [
        "---\nACL: [board]\n---",
        "\n\n---\nacl: [board]\n---",
        '+++\nacl = ["board"]\n+++',
        "---\r\nacl: [board]\r\n---\r",
        "\ufeff---\nacl: [board]\n...",
    ],
)
def test_other_ways_to_write_it_are_read(block: str) -> None:
    document = read(f"{block}\n# Heading\n\nText of the document.\n")
    assert document.metadata.front_matter["acl"] == ["board"]
    assert all("acl" not in element.text for element in document.elements)


@pytest.mark.parametrize("text", ["---\n\nA rule, then text.\n\n---\n\nMore.\n", "---\nJust words\n---\n\nText.\n"])
def test_rules_without_keys_are_no_front_matter(text: str) -> None:
    assert read(text).metadata.front_matter == {}


@pytest.mark.parametrize(("name", "heading"), [("a.adoc", "= Pumps"), ("a.rst", "Pumps\n=====")])
def test_front_matter_counts_in_other_markup_too(name: str, heading: str) -> None:
    def read(text: str) -> ParsedDocument:
        media_type = detect(name, text.encode())
        raw = RawDocument(f"s/{name}", name, text.encode(), media_type)
        return parsers.parse(raw, parsers.parser_for(media_type))

    found = read(f"---\ntitle: About pumps\nacl: [board]\n---\n\n{heading}\n\nText.\n")
    assert [element.text for element in found.elements] == ["Pumps", "Text."]
    assert found.metadata.title == "About pumps"
    assert found.metadata.front_matter["acl"] == ["board"]
    with pytest.raises(FrontMatterInvalid):
        read(f"---\nacl: [board\n---\n\n{heading}\n\nText.\n")
    assert [element.text for element in read(f"{heading}\n\nText.\n").elements] == ["Pumps", "Text."]
