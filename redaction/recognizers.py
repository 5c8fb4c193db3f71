"""All recognizers of personal data, and how a text is scanned with those a policy names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from kprep.core.registry import by_name
from redaction import accounts, contacts, identities, network
from redaction.policy import RedactionPolicy
from redaction.spans import Span


@dataclass(frozen=True, slots=True)
class Recognizer:
    """Finds values of one kind. `numeric`: every value has at least six digits close together, so that only the
    surroundings of such digits are read."""

    name: str
    find: Callable[[str, RedactionPolicy], Iterator[Span]]
    numeric: bool = True


RECOGNIZERS = by_name(
    (
        Recognizer("EMAIL", contacts.emails, numeric=False),
        Recognizer("PHONE", contacts.phones),
        Recognizer("CREDIT_CARD", accounts.cards),
        Recognizer("IBAN", accounts.ibans),
        *(Recognizer(number.kind, identities.find(number)) for number in identities.NUMBERS),
        Recognizer("IP", network.ip_addresses, numeric=False),
        Recognizer("MAC", network.mac_addresses, numeric=False),
        Recognizer("HOST", network.internal_hosts, numeric=False),
    )
)
"""Recognizers by kind. A new one is one function and one entry."""

_DIGITS = re.compile(r"\d(?:[^\d\0]{0,12}\d){5,}")
_BEFORE, _AFTER = 96, 48
_GUID = re.compile(r"(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_TOKEN_BEFORE = re.compile(r"[\w-]*\Z")
_TOKEN_AFTER = re.compile(r"[\w-]*")
_ISBN_BEFORE = re.compile(r"(?i)\b(?:isbn|issn|ean|doi|orcid)(?:-1[03])?\W{0,3}\Z")
_NUMBER_KINDS = frozenset(
    {"PHONE", "CREDIT_CARD", "US_SSN", "IN_AADHAAR", "BR_CPF", "DE_TAX_ID", "FR_NIR", "MAC", "UK_NINO"}
)


def personal_data(text: str, policy: RedactionPolicy, extra: Callable[[str], Iterator[Span]]) -> Iterator[Span]:
    """Spans of personal data in `text`, in no order, possibly overlapping. `extra`: recognizers beside the registry."""
    allowed = [re.compile(pattern) for pattern in policy.allow_patterns]
    for span in _all(text, policy, extra):
        if span.kind in _NUMBER_KINDS and _is_identifier(text, span):
            continue
        if any(pattern.fullmatch(text, span.start, span.end) for pattern in allowed):
            continue
        yield span


def _all(text: str, policy: RedactionPolicy, extra: Callable[[str], Iterator[Span]]) -> Iterator[Span]:
    recognizers = [RECOGNIZERS[kind] for kind in policy.kinds]
    numeric = [recognizer for recognizer in recognizers if recognizer.numeric]
    for recognizer in recognizers:
        if not recognizer.numeric:
            yield from recognizer.find(text, policy)
    for start, end in _digit_regions(text) if numeric else ():
        region = text[start:end]
        for recognizer in numeric:
            for span in recognizer.find(region, policy):
                yield replace(span, start=start + span.start, end=start + span.end)
    for kind, pattern in policy.patterns:
        for match in re.finditer(pattern, text):
            if match.end() > match.start():
                yield Span(kind, match.start(), match.end(), 1.0)
    yield from extra(text)


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


def _is_identifier(text: str, span: Span) -> bool:
    """Whether the span is part of a GUID, or a book or article number."""
    if _ISBN_BEFORE.search(text, max(0, span.start - 16), span.start):
        return True
    before = _TOKEN_BEFORE.search(text, max(0, span.start - 40), span.start)
    after = _TOKEN_AFTER.match(text, span.end, span.end + 40)
    token = text[before.start() if before else span.start : after.end() if after else span.end]
    return _GUID.fullmatch(token) is not None
