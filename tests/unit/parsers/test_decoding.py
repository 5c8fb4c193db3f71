"""Encodings (S05) and lines."""

from __future__ import annotations

import pytest

from parsers.decoding import Lines, decode

GERMAN = "Gr\u00fc\u00dfe aus M\u00fcnchen \u2013 f\u00fcr 5 \u20ac.\r\nZweite Zeile.\n"
CHINESE = "\u9000\u6b3e\u653f\u7b56\uff1a\u5ba2\u6237\u53ef\u4ee5\u5728\u4e03\u5929\u5185\u7533\u8bf7\u3002\n"


@pytest.mark.parametrize("text", [GERMAN, CHINESE], ids=["german", "chinese"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_round_trip(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text


def test_windows_text() -> None:
    found = decode(GERMAN.encode("cp1252"))
    assert (found.text, found.encoding) == (GERMAN, "cp1252")


def test_chinese_national_encoding() -> None:
    found = decode(CHINESE.encode("gb18030"))
    assert (found.text, found.encoding) == (CHINESE, "gb18030")


def test_one_broken_byte_does_not_change_the_encoding() -> None:
    content = (GERMAN * 20).encode()
    damaged = content[:300] + b"\xff" + content[300:]
    assert decode(damaged).text.count("\ufffd") == 1


def test_declared_encoding_is_used_when_it_is_not_utf8() -> None:
    text = "\u041f\u0440\u0438\u0432\u0435\u0442"
    assert decode(text.encode("koi8-r"), "koi8-r").text == text
    assert decode(text.encode(), "koi8-r").text == text


def test_empty() -> None:
    assert decode(b"").text == ""


def test_lines_end_at_line_ends_only() -> None:
    lines = Lines("a\r\nb\rc\n\nd\u2028e\x0bf")
    assert [line.text for line in lines.all()] == ["a", "b", "c", "", "d\u2028e\x0bf"]
    assert lines.char_span(2, 3) == (3, 6)
    assert [lines.number_at(offset) for offset in (0, 3, 5, 7, 8)] == [1, 2, 3, 4, 5]
