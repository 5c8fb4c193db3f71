"""Places that quote the text they lead to: anchors made from headings, names of sheets, ids of messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from kprep.core.models import Locator

_LEAST = 5
"""Letters and digits a value needs to be told from parts of other words."""


class SafeLocators:
    """Takes out of locators what repeats a redacted value, also as a slug ("about-anna-acme-io").

    `values`: what was redacted. `has_value`: whether a text by itself shows personal data. An anchor, a sheet's name or
    a message's id is left out, and the other parts of the locator (the number of the sheet), or the document as a
    whole, remain as the place: what names nothing in the original would open nothing.
    """

    def __init__(self, values: Iterable[str], has_value: Callable[[str], bool]) -> None:
        self._values = sorted({short for value in values if len(short := squashed(value)) >= _LEAST})
        self._has_value = has_value
        self._known: dict[str, bool] = {}

    def __call__(self, locator: Locator) -> Locator:
        """The locator without values."""
        if not (locator.anchor or locator.sheet or locator.message):
            return locator
        if locator.anchor and self._tells(locator.anchor):
            locator = replace(locator, anchor=None)
        if locator.sheet and self._tells(locator.sheet):
            locator = replace(locator, sheet=None)
        if any(message and self._tells(message) for message in (locator.message, locator.message_end)):
            locator = replace(locator, message=None, message_end=None)
        return locator

    def _tells(self, text: str) -> bool:
        if text not in self._known:
            short = squashed(text)
            self._known[text] = any(value in short for value in self._values) or self._has_value(text)
        return self._known[text]


def squashed(text: str) -> str:
    """Letters and digits only, in lower case: what a slug keeps of a text."""
    return re.sub(r"[\W_]", "", text).lower()
