"""Published text read again by other means than redaction's: what redaction missed is found by something it is not.

Secrets: detectors of detect-secrets with their own forms (not its guesses by entropy and by words such as "password",
which are wrong more often than right in technical text). Personal data: recognizers as Presidio ships them, where a
checksum decides (cards, IBAN), and addresses of mail. Pure; says kinds and places, never values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

DETECTORS = (
    "AWSKeyDetector ArtifactoryDetector AzureStorageKeyDetector BasicAuthDetector DiscordBotTokenDetector "
    "GitHubTokenDetector GitLabTokenDetector JwtTokenDetector MailchimpDetector NpmDetector OpenAIDetector "
    "PrivateKeyDetector PypiTokenDetector SendGridDetector SlackDetector SquareOAuthDetector StripeDetector "
    "TelegramBotTokenDetector TwilioKeyDetector"
).split()
RECOGNIZERS = {"CREDIT_CARD": "CreditCardRecognizer", "IBAN_CODE": "IbanRecognizer"}
CERTAIN = 1.0
"""Score that Presidio gives to what its checksum confirms."""
_MAIL = re.compile(r"(?<![\w.+-])[A-Za-z0-9][\w.+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24}(?![\w@-])")
_DIGITS = re.compile(r"\d(?:[ -]?\d){9}|[A-Z]{2}\d{2}")
_DECIMALS = re.compile(r"(?<![^\W\d])[.,]$")
"""Before the digits of a fraction, one in ten of which passes the checksum of a card: 0.4494910647887381."""
_GROUPED = re.compile(r"\d+|\d{4}([ -])\d{4}\1\d{4}(?:\1\d{1,4}){0,2}|\d{4}([ -])\d{6}\2\d{4,5}")
"""A card's digits as cards are written; year, volume, pages and number of an article are grouped otherwise."""
_LETTERS_ONLY = re.compile(r"[^\W\d]+")
_SAMPLE = re.compile(r"(?i)example|sample|placeholder|x{6}|0{8}|12345678|abcdef|\.\.\.|[<>{}$*]|your[-_ ]")
_LEAST_VALUE = 6
_KEY_BODY = re.compile("[A-Za-z0-9+/]{24}")
_IN_URL = "BasicAuthDetector"
_MIXED = re.compile(r"(?=.*[a-z])(?=.*[A-Z\W_])(?=.*\d)(?!.*pass).{8}")
# A password that a URL shows must look like one: "user:password1@" is what manuals write.


class SecondScanner:
    """`allowed(kind, value)`: whether a person said that this value may stand, of kinds EMAIL, CREDIT_CARD, IBAN_CODE
    and the names of detect-secrets' detectors."""

    def __init__(self, allowed: Callable[[str, str], bool]) -> None:
        self._allowed = allowed

    def scan(self, text: str) -> list[str]:
        """Kinds of what should not stand in the text, sorted, each once."""
        return sorted({kind for kind, value in _found(text) if not self._allowed(kind, value)})


def _found(text: str) -> Iterator[tuple[str, str]]:
    if "@" in text:
        yield from (("EMAIL", match[0]) for match in _MAIL.finditer(text))
    if _DIGITS.search(text):
        for kind, recognizer in _recognizers():
            for result in recognizer.analyze(text, [kind], None):
                value = text[result.start : result.end]
                if kind == "CREDIT_CARD" and not _GROUPED.fullmatch(value):
                    continue
                if result.score >= CERTAIN and not _DECIMALS.search(text, max(0, result.start - 2), result.start):
                    yield kind, value
    for kind, detector in _detectors():
        for value in _values(kind, detector, text):
            if len(value) < _LEAST_VALUE or _SAMPLE.search(value) or _LETTERS_ONLY.fullmatch(value.strip()):
                continue
            if kind != _IN_URL or _MIXED.match(value):
                yield kind, value


def _values(kind: str, detector: Any, text: str) -> Iterator[str]:
    """Whole values; the detector's own answer is often only a part, such as the letters a token begins with."""
    if kind == "JwtTokenDetector":  # it also decodes what it finds
        yield from detector.analyze_string(text)
        return
    for form in detector.denylist:
        for match in form.finditer(text):
            if kind == "PrivateKeyDetector" and not _KEY_BODY.search(text, match.end(), match.end() + 300):
                continue  # a manual that says how a key file begins
            yield match[1] if kind == _IN_URL else match[0]


@lru_cache(maxsize=1)
def _detectors() -> tuple[tuple[str, Any], ...]:
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class

    known: Any = get_mapping_from_secret_type_to_class()
    classes: dict[str, Any] = {plugin.__name__: plugin for plugin in known.values()}
    return tuple((name, classes[name]()) for name in DETECTORS)


@lru_cache(maxsize=1)
def _recognizers() -> tuple[tuple[str, Any], ...]:
    from presidio_analyzer import predefined_recognizers

    return tuple((kind, getattr(predefined_recognizers, name)()) for kind, name in RECOGNIZERS.items())
