"""Reason codes of what is made to have no end."""

from __future__ import annotations

import io
import zipfile

import pytest

from kprep.core.errors import ParseError
from kprep.core.models import RawDocument
from parsers import parse, parser_for
from parsers.media_type import DOCX, detect


def reason(name: str, content: bytes, media_type: str = "") -> str:
    media_type = media_type or detect(name, content)
    with pytest.raises(ParseError) as caught:
        parse(RawDocument(f"s/{name}", name, content, media_type), parser_for(media_type))
    return caught.value.reason


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("deep.json", b"[" * 5000 + b"]" * 5000, "recursive"),
        ("deep.yaml", b"a: " + b"[" * 5000 + b"]" * 5000, "recursive"),
        ("alias.yaml", b"a: &a\n  b: *a\n", "recursive"),
        ("deep.xml", b"<a>" * 5000 + b"x" + b"</a>" * 5000, "recursive"),
        ("deep.graphql", b"type A " + b"{" * 500, "recursive"),
        ("broken.xml", b"<a>\n<b></a>", "corrupt"),
    ],
)
def test_nesting_without_end_is_told_from_damage(name: str, content: bytes, expected: str) -> None:
    assert reason(name, content) == expected


def test_a_bomb_is_told_from_a_large_file() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("word/document.xml", b" " * 80_000_000)
    assert reason("a.docx", out.getvalue(), DOCX) == "zip_bomb"


@pytest.mark.parametrize("name", ["a.pdf", "a.docx", "a.xls", "a.json", "a.txt"])
def test_a_file_of_no_bytes_is_empty_and_not_damaged(name: str) -> None:
    assert reason(name, b"") == "no_text"
