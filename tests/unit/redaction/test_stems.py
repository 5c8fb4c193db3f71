"""What is looked for first, so that a text without it is read no further, leaves out nothing that would be found."""

import re
from collections.abc import Iterator
from itertools import product
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from redaction import secret_vendors
from redaction.further_identities import FURTHER_NUMBERS
from redaction.identities import NUMBERS, IdentityNumber
from redaction.secret_tokens import FORMS, LEAST_TOKEN, long_words

ANNOUNCED = [number for number in (*NUMBERS, *FURTHER_NUMBERS) if number.weak is not None]


def spelled(parsed: Any) -> Iterator[str]:
    """Texts that a parsed expression of words matches: each branch, optional parts with and without them."""
    options: list[list[str]] = []
    for name, value in parsed:
        if name is _constants.LITERAL:
            options.append([chr(value)])
        elif name is _constants.IN:
            options.append([chr(item) for kind, item in value if kind is _constants.LITERAL] or ["x"])
        elif name is _constants.BRANCH:
            options.append([text for branch in value[1] for text in spelled(branch)])
        elif name is _constants.SUBPATTERN:
            options.append(list(spelled(value[3])))
        elif name is _constants.MAX_REPEAT:
            least, _, inner = value
            options.append([text * count for text in spelled(inner) for count in {least, max(1, least)}])
    return map("".join, product(*options))


@pytest.mark.parametrize("number", ANNOUNCED, ids=lambda number: number.kind)
def test_each_word_of_a_number_holds_one_of_its_stems(number: IdentityNumber) -> None:
    spellings = list(spelled(_parser.parse(number.words.pattern, re.IGNORECASE)))
    assert spellings
    assert all(number.words.search(f" {text} ") for text in spellings)
    assert number.stems
    assert [text for text in spellings if not any(stem in text.lower() for stem in number.stems)] == []


def test_no_token_is_shorter_than_a_long_word() -> None:
    forms = [form.pattern for form in FORMS if not form.spaced] + [pattern for _, pattern in secret_vendors.TOKENS]
    assert min(_parser.parse(pattern.pattern).getwidth()[0] for pattern in forms) >= LEAST_TOKEN


def test_long_words_are_put_back_in_their_place() -> None:
    text = "short (AKIAQ3EGRTW5ZLKJHGFD) and\tAAAA_bbbb_cccc_dddd\nend"
    words = long_words(text)
    assert [words.text[start : start + 5] for start in words.starts] == ["(AKIA", "AAAA_"]
    assert [start + offset for start, offset in zip(words.starts, words.offsets, strict=True)] == [6, 33]
