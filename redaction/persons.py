"""Recognizers of what documents say of a person, by the words before it: passport, driving licence, date of birth."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redaction.policy import RedactionPolicy
from redaction.spans import LETTER, Span, folded, places

_PASSPORT_WORDS = (
    "passport reisepass passnummer passeport pasaporte passaporto passaporte paspoort 护照 護照 パスポート "
    "personalausweis ausweisnummer"
)
_PASSPORT_STEMS = tuple(_PASSPORT_WORDS.split())
_PASSPORT = re.compile(
    rf"(?i)(?:{_PASSPORT_WORDS.replace(' ', '|')})"
    r"[\s(:#-]*(?:card|book|id)?[\s-]*"
    r"(?:no|nr|n[o°º]|num(?:ber|mer|éro|ero)?|número|nummer|号码|號碼|编号|号|番号)?"
    r"[\s.:#=：)|\"'*]{0,6}(?:(?:is|ist|est|es|è|é|为|是|was)[\s:：]{0,3})?(?:holder[\s:]{1,3})?"
    r"\(?(?-i:(?P<value>(?=(?:[A-Z ]{0,5}\d){4})(?:[A-Z]{0,2} ?[A-Z0-9]{6,9}|\d{2} ?\d{2} ?\d{6})))"
    rf"(?!{LETTER}|-)"
)

_LICENSE_STEMS = ("driver", "driving li", "führerschein", "permis de conduire", "permiso de conducir", "驾驶证", "驾照")
_LICENSE = re.compile(
    r"(?i)(?:(?:driver'?’?s?|driving) licen[sc]e|führerschein|permis de conduire|permiso de conducir|驾驶证|驾照)"
    r"[\s-]*(?:no\b|nr\b|number|nummer|numéro|号码|号)?[\s.:#=：]{0,4}(?:(?:is|ist|est|es|为|是)[\s:：]{0,3})?"
    r"(?P<value>(?=(?:[A-Z -]{0,5}\d){5})[A-Z\d][A-Z\d-]{4,18}[A-Z\d])"
    rf"(?!{LETTER}|-)"
)
_BIRTH_STEMS = (
    *("birth", "born", "d.o.b", "dob", "geboren", "geburt", "geb.", "naissance", "né le", "née le", "né(e) le"),
    *("nacimiento", "nacid", "nascita", "nato il", "nata il", "nascimento", "nascid", "geboorte"),
    *("födelse", "fødsel", "født", "syntymäaika", "urodz", "narozen", "рожден", "doğum"),
    *("出生", "生日", "生年月日", "생년월일"),
)
_BIRTH_WORD = re.compile(
    r"(?i)(?:(?:date|day|year) of birth|birth[ -]?(?:date|day)|\bborn|\bd\.?o\.?b\b\.?|"
    r"\bgeboren|\bgeburts(?:datum|tag)|\bgeb\.|date de naissance|\bn[ée](?:\(e\)|e)? le|"
    r"fecha de nacimiento|\bnacid[oa]|data di nascita|\bnat[oa] il|data de nascimento|\bnascid[oa]|geboortedatum|"
    r"födelsedatum|fødselsdato|\bfødt|syntymäaika|data urodzenia|\burodzon[ay]|narozen[íia]?|"
    r"дата рождения|doğum tarihi|생년월일|"
    r"出生(?:日期|年月日?)?|生日|生年月日)"
)
_MONTH = (
    r"(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz]|janv|févr|mars|avr|juin|juil|août|déc|"
    r"ene|abr|ago|dic|gen|mag|giu|lug|ott|fev|set|out|mei|mrt)[a-zéûäç]{0,7}\.?"
)
_YEAR = r"(?:1[89]|20)\d\d"
_DATE = re.compile(
    rf"(?i)(?:{_YEAR}\s?[-./]\s?\d{{1,2}}\s?[-./]\s?\d{{1,2}}|"
    rf"\d{{1,2}}\s?[-./]\s?\d{{1,2}}\s?[-./]\s?(?:{_YEAR}|\d\d)|"
    rf"\d{{1,2}}(?:st|nd|rd|th|er|º|\.)?[\s-](?:de\s|of\s)?{_MONTH},?[\s-](?:de\s)?{_YEAR}|"
    rf"{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?,?\s{_YEAR}|"
    rf"{_YEAR}\s?年\s?\d{{1,2}}\s?月(?:\s?\d{{1,2}}\s?日)?|(?:18|19|20)\d{{6}})(?!\d)"
)
_BETWEEN = 28
"""Characters that may stand between the word and the date: "born in Kassel on ", "Geburtsdatum: "."""


def passports(text: str, policy: RedactionPolicy) -> Iterator[Span]:  # noqa: ARG001
    """Numbers of passports and identity cards: five digits or more with few letters, right after the word."""
    for place in sorted(set(places(folded(text), _PASSPORT_STEMS))):
        match = _PASSPORT.match(text, place)
        if match:
            yield Span("PASSPORT", match.start("value"), match.end("value"), 0.8, by_context=True)


def driving_licenses(text: str, policy: RedactionPolicy) -> Iterator[Span]:  # noqa: ARG001
    """Numbers of driving licences: five digits or more right after the word."""
    for place in sorted(set(places(folded(text), _LICENSE_STEMS))):
        match = _LICENSE.match(text, place)
        if match:
            yield Span("DRIVER_LICENSE", *match.span("value"), 0.7, by_context=True)


def birth_dates(text: str, policy: RedactionPolicy) -> Iterator[Span]:  # noqa: ARG001
    """Dates after a word such as "born" or "出生日期", and dates before "出生" or "geboren" in the same clause."""
    for place in sorted(set(places(folded(text), _BIRTH_STEMS))):
        word = _BIRTH_WORD.search(text, max(0, place - 14), place + 16)
        if word is None:
            continue
        for match in _DATE.finditer(text, word.end(), word.end() + _BETWEEN + 24):
            if match.start() - word.end() <= _BETWEEN and not re.search(
                r"\d|[.!?。]\s|\n\n|\0", text[word.end() : match.start()]
            ):
                yield Span("DATE_OF_BIRTH", match.start(), match.end(), 0.75, by_context=True)
            break
        if word[0].startswith(("出生", "geboren", "nacid", "nascid")):
            for match in _DATE.finditer(text, max(0, word.start() - 20), word.start()):
                if not text[match.end() : word.start()].strip():
                    yield Span("DATE_OF_BIRTH", match.start(), match.end(), 0.75, by_context=True)
