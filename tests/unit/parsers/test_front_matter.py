"""Front matter may say who reads a document: what cannot be read closes the document, never opens it."""

from __future__ import annotations

import time

import pytest

import parsers
from kprep.core.errors import FrontMatterInvalid
from kprep.core.models import ParsedDocument, RawDocument
from parsers.media_type import detect
from tests.fakes.yaml_bombs import BOMBS


def read(text: str) -> ParsedDocument:
    raw = RawDocument("docs/a.md", "a.md", text.encode(), "text/markdown")
    return parsers.parse(raw, parsers.parser_for("text/markdown"))


@pytest.mark.parametrize(
    ("block", "line"),
    [
        ("---\ntitle: Board: plans for 2027\nacl: [board]\n---", 2),
        ("---\nacl: [board]\nvalid_until: 2026-13-45\n---", 1),
        ("---\nacl: [board]\n\nNo closing line.", 1),
        ("---\nacl: [board]\nacl: [public]\n---", 3),
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


@pytest.mark.parametrize("name", ["a.md", "a.adoc", "a.rst"])
@pytest.mark.parametrize("bomb", BOMBS)
def test_aliases_that_stand_for_too_much_refuse_the_document(name: str, bomb: str) -> None:
    content = "\n".join(["---", *BOMBS[bomb], "---", "", "Text of the document.", ""]).encode()
    media_type = detect(name, content)
    started = time.process_time()
    with pytest.raises(FrontMatterInvalid, match=r"aliases stand for too much|alias that holds itself"):
        parsers.parse(RawDocument(f"s/{name}", name, content, media_type), parsers.parser_for(media_type))
    assert time.process_time() - started < 5


@pytest.mark.parametrize("count", [3, 600])
def test_aliases_and_stars_within_reason_are_read(count: int) -> None:
    names = ", ".join(["*who"] * count)
    document = read(f"---\nwho: &who board\nacl: [{names}]\nnote: '{'*' * 600}'\n---\n# Heading\n\nText.\n")
    assert document.metadata.front_matter["acl"] == ["board"] * count


@pytest.mark.parametrize(
    "block",
    [
        "---\nacl: [board]\nx: " + "[" * 5_000 + "\n---",
        "+++\nacl = ['board']\nx = " + "[" * 5_000 + "]" * 5_000 + "\n+++",
        "+++\nacl = ['board']\n" + "x." * 5_000 + "x = 1\n+++",
    ],
    ids=["yaml", "toml", "toml keys"],
)
def test_a_block_nested_too_deep_refuses_the_document(block: str) -> None:
    with pytest.raises(FrontMatterInvalid, match="the front matter cannot be read"):
        read(f"{block}\n# Heading\n\nText.\n")


def test_numbers_that_json_does_not_know_are_text() -> None:
    found = read(f"---\na: .nan\nb: -.inf\nc: 0x{'f' * 5_000}\nd: 12\n---\n# Heading\n\nText.\n").metadata.front_matter
    assert found == {"a": "nan", "b": "-inf", "c": "0x" + "f" * 5_000, "d": 12}


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
