"""Encodings of texts that say nothing of it: read right or refused, never read wrongly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kprep.core.errors import WrongEncoding
from parsers.decoding import UNSURE, decode, decode_document

LANGUAGES = json.loads((Path(__file__).parents[2] / "data" / "languages.json").read_text("utf-8"))
"""Texts of many languages, and the encodings each was written in before UTF-8."""
TEXTS = {language: about["text"] for language, about in LANGUAGES.items()}
_PAIRS = [(language, encoding) for language, about in LANGUAGES.items() for encoding in about["encodings"]]


def _written(language: str, encoding: str, start: int = 0, size: int | None = None) -> tuple[str, bytes]:
    """A piece of a text with what the encoding has no sign for left out, and its bytes."""
    text = TEXTS[language][start : None if size is None else start + size]
    content = text.encode(encoding, "ignore")
    return content.decode(encoding), content


@pytest.mark.parametrize(("language", "encoding"), _PAIRS)
def test_a_text_of_two_hundred_characters(language: str, encoding: str) -> None:
    text, content = _written(language, encoding, 0, 200)
    assert decode_document(content, "notes.txt").text == text


@pytest.mark.parametrize(("language", "encoding"), _PAIRS)
def test_a_long_text(language: str, encoding: str) -> None:
    text, content = _written(language, encoding)
    assert decode_document(content * 40, "notes.txt").text == text * 40


@pytest.mark.parametrize(("language", "encoding"), _PAIRS)
def test_a_short_text_is_read_right_or_refused(language: str, encoding: str) -> None:
    for start in range(0, len(TEXTS[language]) - 99, 50):
        text, content = _written(language, encoding, start, 100)
        found = decode(content)
        assert found.text == text or found.encoding == UNSURE


@pytest.mark.parametrize(
    "text",
    [
        "Müller;Jürgen;Köln\nStraße 5;x;y", "5 € und 3 °C", "© 2020 Firma", "Café", "Price: £5", "§ 5 BGB", "½ cup",
        "É", "François", "São Paulo", "10 µm ± 3", "a × b ÷ c", "CRÈME BRÛLÉE", "def f(): return 'ä'", "GRÖSSE",
        "Tromsø",
    ],
)  # fmt: skip
def test_a_few_signs_are_western(text: str) -> None:
    assert decode(text.encode("cp1252")).text == text


@pytest.mark.parametrize("encoding", ["cp1252", "mac_roman"])
def test_marks_of_a_long_text_are_no_letters(encoding: str) -> None:
    text = (
        "It’s a “quoted” text – we don’t know what they’ll do, the company’s policy isn’t clear. Employees can’t carry "
        "over days; you’re allowed five… The words\u00a0are here.\n"
    ) * 30
    assert decode(text.encode(encoding)).text == text


@pytest.mark.parametrize(
    "text",
    [
        "Copyright © 2002 Red Hat\nCopyright © 2005 Jane Doe and others\n© 2010 Anna\n" * 5,
        "<tr><td>\u00a0</td><td>\u00a0\u00a0total</td></tr>\n" * 20,
        "See § 5 and § 7, at 20 °C ± 2, for £ 5 each.\n" * 10,
        "# one ß in the code\nx = 1\n",
    ],
)
def test_marks_alone_are_western(text: str) -> None:
    assert decode(text.encode("cp1252")).text == text


@pytest.mark.parametrize("language", TEXTS)
def test_utf7(language: str) -> None:
    assert decode(TEXTS[language].encode("utf-7")).text == TEXTS[language]


@pytest.mark.parametrize(
    "text", ["a+b-c", "C++ and a+-b", "x = 1+200-300", "+all-in +one-", "~{not} hz", "+49-89-1234"]
)
def test_plain_text_shifts_to_no_other_script(text: str) -> None:
    assert decode(text.encode()).text == text


@pytest.mark.parametrize("text", ["İstanbul", "Wałęsa;Dvořák"])
def test_what_two_encodings_may_mean_is_refused(text: str) -> None:
    content = text.encode("cp1254" if "İ" in text else "cp1250")
    with pytest.raises(WrongEncoding, match=r"names\.csv: .* save the file as UTF-8"):
        decode_document(content, "names.csv")


@pytest.mark.parametrize(
    ("before", "encoding"),
    [
        ("# -*- coding: cp1254 -*-\n", "cp1254"),
        ("<?xml version='1.0' encoding='ISO-8859-9'?>", "iso8859-9"),
        ('<html><meta charset="windows-1254">', "cp1254"),
    ],
)
def test_what_a_text_says_of_its_encoding_decides(before: str, encoding: str) -> None:
    assert decode((before + "İstanbul").encode(encoding)).text == before + "İstanbul"


@pytest.mark.parametrize("encoding", ["cp037", "cp500", "cp1140"])
def test_records_of_a_mainframe_are_refused(encoding: str) -> None:
    record = "0000123 BEEHIVE REFINING INC.      HARRIS COUNTY   TX 19990401 Statement number 7 "
    with pytest.raises(WrongEncoding):
        decode_document((record * 20).encode(encoding), "records.txt")
