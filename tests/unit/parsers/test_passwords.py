"""Office files that ask for a password, with and without one that is known."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import parsers
from kprep.core.errors import CorruptDocument, EncryptedDocument, TooLarge
from kprep.core.models import ParsedDocument, RawDocument
from parsers.media_type import detect
from parsers.passwords import PASSWORDS
from tests.fakes.locked_office import golden, locked, long_enough
from tests.fakes.old_workbooks import xlsb

WORD = "größe 7"


CASES = {
    "a.docx": golden("docx-b03_merged_cells"),
    "a.pptx": golden("pptx-b06_groups"),
    "a.xlsx": golden("spreadsheet-sheets"),
    "a.xlsm": golden("spreadsheet-sheets"),
    "a.xlsb": long_enough(xlsb({"One": [(0.256, "0.0%"), (7, "00000")]})),
}


def read(name: str, content: bytes) -> tuple[RawDocument, ParsedDocument]:
    media_type = detect(name, content)
    raw = RawDocument(f"s/{name}", name, content, media_type)
    return raw, parsers.parse(raw, parsers.parser_for(media_type))


@contextmanager
def knowing(*words: str) -> Iterator[None]:
    before = PASSWORDS.set(words)
    try:
        yield
    finally:
        PASSWORDS.reset(before)


@pytest.mark.req("D2.13")
@pytest.mark.parametrize("name", CASES)
def test_a_known_password_opens_the_file_its_citations_and_its_coverage(name: str) -> None:
    plain, expected = read(name, CASES[name])
    with knowing("wrong", WORD):
        raw, found = read(name, locked(CASES[name], WORD))
        said = parsers.quote(raw.media_type, raw.content, found.elements[-1].locator)
        covered = parsers.coverage(raw, found)
    assert found.elements == expected.elements
    assert found.units == expected.units
    assert said == parsers.quote(plain.media_type, plain.content, expected.elements[-1].locator) != ""
    assert covered == parsers.coverage(plain, expected)


@pytest.mark.req("D2.13")
@pytest.mark.parametrize("name", CASES)
def test_without_the_password_the_file_needs_one(name: str) -> None:
    content = locked(CASES[name], WORD)
    with pytest.raises(EncryptedDocument, match=rf"s/{name}: .*documents\.passwords_env"):
        read(name, content)
    with (
        knowing("wrong", "Wrong too"),
        pytest.raises(EncryptedDocument, match="none of the 2 known ones fits") as caught,
    ):
        read(name, content)
    assert "rong" not in str(caught.value)


def test_a_workbook_that_excel_opens_without_asking_is_opened() -> None:
    found = read("a.xlsx", locked(CASES["a.xlsx"], "VelvetSweatshop"))[1]
    assert found.elements == read("a.xlsx", CASES["a.xlsx"])[1].elements


def test_the_limit_of_what_a_file_unpacks_to_holds_inside_an_encrypted_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parsers.archive.MAX_UNPACKED_BYTES", 100)
    with knowing(WORD), pytest.raises(TooLarge, match=r"s/a\.docx: unpacks to"):
        read("a.docx", locked(CASES["a.docx"], WORD))


def test_a_password_that_costs_too_much_to_try_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parsers.passwords._MOST_ROUNDS", 99_999)
    with pytest.raises(EncryptedDocument, match="hashed 100000 times, at most 99999 are done"):
        read("a.docx", locked(CASES["a.docx"], WORD))


@pytest.mark.parametrize("cut", [0.3, 0.5, 0.9])
def test_a_damaged_encrypted_file_is_refused(cut: float) -> None:
    content = locked(CASES["a.docx"], WORD)
    with knowing(WORD), pytest.raises((EncryptedDocument, CorruptDocument)):
        read("a.docx", content[: int(len(content) * cut)])
