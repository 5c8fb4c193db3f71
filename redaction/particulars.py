"""Recognizers of what tells of a person only together with other facts: ages, any dates, web addresses.

Kinds of a policy that asks for them (`kinds`), since in most documents they are content: removing them is meant for
case files and records of persons.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redaction.policy import RedactionPolicy
from redaction.spans import Span

_AGE = re.compile(
    r"(?<![\w.,-])(?P<before>\d{1,3})(?=[ -]?(?:years?|yrs?)[ -]?olds?\b|[ ]?y/?o\b|[ ]?岁)|"
    r"(?i:\bage[sd]?(?:[ ]of)?[ ]?[:=]?[ ]|\bturn(?:s|ed|ing)?[ ]|\balter[ ]?:[ ]|年龄[：:]?[ ]?)"
    r"(?P<after>\d{1,3})(?![\w%]|[.,:/-]\d)"
)
_MONTHS = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|"
    r"Nov(?:ember)?|Dec(?:ember)?|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember)\.?"
)
_YEAR = r"(?:1[89]|20)\d\d"
_TIME = r"(?:[ T,]{1,2}\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,6})?)?(?:Z|[+-]\d\d:?\d\d)?)?"
_DATE = re.compile(
    rf"(?<![\w.,/-])(?:{_YEAR}[-/.]\d{{1,2}}[-/.]\d{{1,2}}{_TIME}|\d{{1,2}}[-/.]\d{{1,2}}[-/.](?:{_YEAR}|\d\d){_TIME}|"
    rf"\d{{1,2}}(?:st|nd|rd|th|\.)?[ ](?:of[ ])?{_MONTHS},?(?:[ ]{_YEAR})?|"
    rf"{_MONTHS}[ ]\d{{1,2}}(?:st|nd|rd|th)?(?:,?[ ]{_YEAR})?|{_MONTHS}[ ]{_YEAR}|"
    rf"{_YEAR}年(?:\d{{1,2}}月(?:\d{{1,2}}日)?)?)(?![\w/-])"
)
_YEAR_ALONE = re.compile(
    rf"\b(?i:in|since|during|until|from|before|after|by|of|late|early|year|born|founded|depuis|"
    rf"seit|im[ ]Jahr)[ ](?P<value>{_YEAR})(?![\w.,-]\d|\w)"
)
_URL = re.compile(
    r"(?i)(?:\bhttps?://|\bwww\.)(?P<host>[^\s/:?#\"'<>()\[\]\0]+)[^\s\"'<>()\[\]\0]*[^\s\"'<>()\[\]\0.,;:!?]"
)


def ages(text: str, policy: RedactionPolicy) -> Iterator[Span]:  # noqa: ARG001
    """Numbers up to 120 before "years old" or after "aged", "at the age of", "turned"."""
    for match in _AGE.finditer(text):
        group = "before" if match["before"] else "after"
        if 0 < int(match[group]) <= 120:
            yield Span("AGE", *match.span(group), 0.6, by_context=True)


def dates(text: str, policy: RedactionPolicy) -> Iterator[Span]:  # noqa: ARG001
    """Calendar dates with their time of day, and years after a word such as "since"."""
    for match in _DATE.finditer(text):
        yield Span("DATE", *match.span(), 0.5)
    for match in _YEAR_ALONE.finditer(text):
        yield Span("DATE", *match.span("value"), 0.5, by_context=True)


def urls(text: str, policy: RedactionPolicy) -> Iterator[Span]:
    """Web addresses of hosts that the policy does not allow."""
    for match in _URL.finditer(text):
        if not policy.allows_domain(match["host"]):
            yield Span("URL", *match.span(), 0.5)
