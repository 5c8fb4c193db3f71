"""All recognizers of personal data, and what they share: a text's parts around digits, and what is an identifier."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kprep.core.registry import by_name
from redaction import accounts, contacts, identities, network, particulars, persons, postal
from redaction.further_identities import FURTHER_NUMBERS
from redaction.policy import RedactionPolicy
from redaction.spans import Excerpts, Span


@dataclass(frozen=True, slots=True)
class Recognizer:
    """Finds values of one kind.

    `numeric`: every value has at least six digits close together, so that only the surroundings of such digits are
    read. `languages`: of the texts it runs on; empty: of every text. `form`: tells apart recognizers of one kind.
    `stems`: of a numeric one, lower-case literals of which one must stand near the digits; empty: it always runs.
    """

    kind: str
    find: Callable[[str, RedactionPolicy], Iterator[Span]]
    numeric: bool = True
    languages: tuple[str, ...] = ()
    form: str = ""
    stems: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.kind}/{self.form}" if self.form else self.kind


RECOGNIZERS = by_name(
    (
        Recognizer("EMAIL", contacts.emails, numeric=False),
        Recognizer("PHONE", contacts.phones),
        Recognizer("CREDIT_CARD", accounts.cards),
        Recognizer("IBAN", accounts.ibans),
        Recognizer("BANK_ACCOUNT", accounts.bank_accounts),
        *(
            Recognizer(n.kind, identities.certain(n), languages=n.languages)
            for n in (*identities.NUMBERS, *FURTHER_NUMBERS)
            if n.certain is not None
        ),
        *(
            Recognizer(n.kind, identities.announced(n), languages=n.languages, form="announced", stems=n.stems)
            for n in (*identities.NUMBERS, *FURTHER_NUMBERS)
            if n.weak is not None
        ),
        Recognizer("PASSPORT", persons.passports, numeric=False),
        Recognizer("DRIVER_LICENSE", persons.driving_licenses, numeric=False),
        Recognizer("DATE_OF_BIRTH", persons.birth_dates, numeric=False),
        Recognizer("ADDRESS", postal.english, numeric=False, form="english"),
        Recognizer("ADDRESS", postal.english_without_street, numeric=False, form="box"),
        Recognizer("ADDRESS", postal.german, numeric=False, languages=("de", "nl", "en"), form="german"),
        Recognizer("ADDRESS", postal.romance, numeric=False, languages=("fr", "es", "it", "pt"), form="romance"),
        Recognizer("ADDRESS", postal.chinese, numeric=False, languages=("zh",), form="chinese"),
        Recognizer("IP", network.ip_addresses, numeric=False),
        Recognizer("MAC", network.mac_addresses, numeric=False),
        Recognizer("HOST", network.internal_hosts, numeric=False),
        Recognizer("AGE", particulars.ages, numeric=False),
        Recognizer("DATE", particulars.dates, numeric=False),
        Recognizer("URL", particulars.urls, numeric=False),
    )
)
"""Recognizers by name. A new one is one function and one entry."""

_DIGITS = re.compile(r"\d(?:[^\d\0]{0,12}\d){5,}")
_BEFORE, _AFTER = 96, 48
_GUID = re.compile(r"(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_TOKEN_BEFORE = re.compile(r"[\w-]*\Z")
_TOKEN_AFTER = re.compile(r"[\w-]*")
_ISBN_BEFORE = re.compile(r"(?i)\b(?:isbn|issn|ean|doi|orcid)(?:-1[03])?\W{0,3}\Z")
_NUMBER_KINDS = frozenset(
    {"PHONE", "CREDIT_CARD", "MAC", "BANK_ACCOUNT", *(n.kind for n in (*identities.NUMBERS, *FURTHER_NUMBERS))}
)


def is_identifier(text: str, span: Span) -> bool:
    """Whether the span is part of a GUID, or a book or article number."""
    if span.kind not in _NUMBER_KINDS:
        return False
    if _ISBN_BEFORE.search(text, max(0, span.start - 16), span.start):
        return True
    before = _TOKEN_BEFORE.search(text, max(0, span.start - 40), span.start)
    after = _TOKEN_AFTER.match(text, span.end, span.end + 40)
    token = text[before.start() if before else span.start : after.end() if after else span.end]
    return _GUID.fullmatch(token) is not None


def around_digits(text: str) -> Excerpts:
    """The surroundings of all runs of digits of a text: what numeric recognizers read instead of it."""
    return Excerpts.of(text, _digit_regions(text))


def _digit_regions(text: str) -> Iterator[tuple[int, int]]:
    """Parts of the text around runs of digits, wide enough for letters of the value and words beside it, not
    overlapping; no value is cut, since digits of one value stand closer together than two runs do."""
    start, end = 0, -1
    for match in _DIGITS.finditer(text):
        if match.start() - _BEFORE > end:
            if end >= 0:
                yield start, end
            start = max(0, match.start() - _BEFORE)
        end = match.end() + _AFTER
    if end >= 0:
        yield start, min(end, len(text))
