"""Quotes of suggested questions: what a source says of an identifier."""

from __future__ import annotations

import pytest

from flows.questions import _line_of


@pytest.mark.parametrize(
    ("text", "code", "quote"),
    [
        ("L1 | the first phase of the mains supply", "l1", "the first phase of the mains supply"),
        ("`L1`: the first phase of the mains supply", "l1", "the first phase of the mains supply"),
        ("L1 - the first phase of the mains supply", "l1", "the first phase of the mains supply"),
        ("Mains go to L1, L2 and L3, the motor to U.", "l1", "L1, L2 and L3, the motor to U."),
        ("L10 is spare.\nMains go to terminal L1.", "l1", "Mains go to terminal L1"),
        ("L10 is the terminal of the spare relay.", "l1", ""),
        ("a | see L1\nL1 | the first phase of the mains", "l1", "the first phase of the mains"),
    ],
)
def test_the_quote_says_what_the_identifier_is_or_holds_it(text: str, code: str, quote: str) -> None:
    assert _line_of(text, code) == quote
