"""All recognizers of personal data, and how a text is scanned with those a policy names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kprep.core.registry import by_name
from redaction import accounts, contacts, identities, network
from redaction.policy import RedactionPolicy
from redaction.spans import Span


@dataclass(frozen=True, slots=True)
class Recognizer:
    """Finds values of one kind. `trigger`: what a text must hold for it to be worth running, cheap to look for."""

    name: str
    find: Callable[[str, RedactionPolicy], Iterator[Span]]
    trigger: re.Pattern[str]


_AT = re.compile(r"(?i)@|%40|＠|[\[(]at[\])]")
_DIGITS = re.compile(r"\d")
_LONG = re.compile(r"\d{3}")

RECOGNIZERS = by_name(
    (
        Recognizer("EMAIL", contacts.emails, _AT),
        Recognizer("PHONE", contacts.phones, re.compile(r"\d\d")),
        Recognizer("CREDIT_CARD", accounts.cards, re.compile(r"\d{4}|\d\d\n")),
        Recognizer("IBAN", accounts.ibans, re.compile(r"[A-Za-z]{2}\d\d")),
        *(Recognizer(number.kind, identities.find(number), _DIGITS) for number in identities.NUMBERS),
        Recognizer("IP", network.ip_addresses, re.compile(r"\d\.\d|:[0-9A-Fa-f]{0,4}:")),
        Recognizer("MAC", network.mac_addresses, re.compile(r"[0-9A-Fa-f]{2}[:.-][0-9A-Fa-f]{2}")),
        Recognizer("HOST", network.internal_hosts, re.compile(r"\.[A-Za-z]")),
    )
)
"""Recognizers by kind. A new one is one function and one entry."""

_GUID = re.compile(r"(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_TOKEN_BEFORE = re.compile(r"[\w-]*\Z")
_TOKEN_AFTER = re.compile(r"[\w-]*")
_ISBN_BEFORE = re.compile(r"(?i)\b(?:isbn|issn|ean|doi|orcid)(?:-1[03])?\W{0,3}\Z")
_NUMBER_KINDS = frozenset(
    {"PHONE", "CREDIT_CARD", "US_SSN", "IN_AADHAAR", "BR_CPF", "DE_TAX_ID", "FR_NIR", "MAC", "UK_NINO"}
)


def personal_data(text: str, policy: RedactionPolicy, extra: Callable[[str], Iterator[Span]]) -> Iterator[Span]:
    """Spans of personal data in `text`, in no order, possibly overlapping. `extra`: recognizers outside the registry."""
    allowed = [re.compile(pattern) for pattern in policy.allow_patterns]
    for span in _all(text, policy, extra):
        if span.kind in _NUMBER_KINDS and _is_identifier(text, span):
            continue
        if any(pattern.fullmatch(text, span.start, span.end) for pattern in allowed):
            continue
        yield span


def _all(text: str, policy: RedactionPolicy, extra: Callable[[str], Iterator[Span]]) -> Iterator[Span]:
    for kind in policy.kinds:
        recognizer = RECOGNIZERS[kind]
        if recognizer.trigger.search(text):
            yield from recognizer.find(text, policy)
    for kind, pattern in policy.patterns:
        for match in re.finditer(pattern, text):
            if match.end() > match.start():
                yield Span(kind, match.start(), match.end(), 1.0)
    yield from extra(text)


def _is_identifier(text: str, span: Span) -> bool:
    """Whether the span is part of a GUID, or a book or article number."""
    if _ISBN_BEFORE.search(text, max(0, span.start - 16), span.start):
        return True
    before = _TOKEN_BEFORE.search(text, max(0, span.start - 40), span.start)
    after = _TOKEN_AFTER.match(text, span.end, span.end + 40)
    token = text[before.start() if before else span.start : after.end() if after else span.end]
    return _GUID.fullmatch(token) is not None
