"""Recognizers of payment cards and bank accounts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redaction.policy import RedactionPolicy
from redaction.spans import Span, near

_SEPARATOR = r"(?:[ \u00a0\u202f\u2010-\u2013-]|[ \t]*-?\n[ \t]*)"
_CARD = re.compile(
    r"(?<![\w.\-+])(?:\d{12,19}|"
    rf"\d{{4}}{_SEPARATOR}\d{{4}}{_SEPARATOR}\d{{4}}{_SEPARATOR}\d{{1,4}}(?:{_SEPARATOR}\d{{1,3}})?|"
    rf"\d{{4}}{_SEPARATOR}\d{{6}}{_SEPARATOR}\d{{4,5}}|"
    r"\d{2,16}[ \t]*-?\n[ \t]*\d{2,16}|\d{6,10} \d{6,9})(?!\w|-\d)"
)
_CARD_WORD = re.compile(
    r"(?i)\b(?:credit|debit|card|visa|mastercard|maestro|amex|american express|kreditkarte\w*|karten?nummer|carte|tarjeta|"
    r"carta|cartão|cc)\b|信用卡|银行卡|卡号"
)
# Issuer prefixes that are common enough to need no word beside the number.
_ISSUER = re.compile(
    r"4|5[1-5]|2(?:2[2-9]|[3-6]|7[01]|720)|3[47]|3(?:0[0-5]|[689])|6(?:011|5|4[4-9]|2)|35|(?:2131|1800)"
)

_IBAN_START = re.compile(r"(?<![A-Za-z0-9])([A-Za-z]{2})\d{2}(?=[ \u00a0\n-]?[A-Za-z0-9])")
_IBAN_LENGTH = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "BY": 28, "CH": 21,
    "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FO": 18, "FR": 27,
    "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26,
    "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MD": 24,
    "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29,
    "RO": 24, "RS": 22, "SA": 24, "SC": 31, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "ST": 25, "SV": 28, "TL": 23, "TN": 24,
    "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}  # fmt: skip


def cards(text: str, policy: RedactionPolicy) -> Iterator[Span]:  # noqa: ARG001
    """Card numbers with a right Luhn digit and a known issuer, or beside a word such as "card"; also over a line end."""
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        if not 12 <= len(digits) <= 19 or len(set(digits)) == 1 or not luhn(digits):
            continue
        place = match.start(), match.end()
        plain = len(digits) >= 14 and _ISSUER.match(digits) and not re.fullmatch(r"\d{6,10} \d{6,9}", match[0])
        if plain or near(_CARD_WORD, text, place, 64, 24):
            yield Span("CREDIT_CARD", match.start(), match.end(), 0.9)


def luhn(digits: str) -> bool:
    """Whether the last digit is the right check digit."""
    total = 0
    for index, char in enumerate(reversed(digits)):
        value = int(char) * (1 + index % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def ibans(text: str, policy: RedactionPolicy) -> Iterator[Span]:  # noqa: ARG001
    """Bank account numbers of the country's length with right check digits, in groups or not, also over a line end."""
    for match in _IBAN_START.finditer(text):
        length = _IBAN_LENGTH.get(match[1].upper())
        end = _end_of(text, match.start(), length) if length else 0
        if end and _has_right_checksum(re.sub(r"[\s-]", "", text[match.start() : end]).upper()):
            yield Span("IBAN", match.start(), end, 0.95)


def _end_of(text: str, start: int, length: int) -> int:
    """Where `length` letters and digits from `start` end, single separators between them allowed; 0 if they do not."""
    seen, gap = 0, 0
    for index in range(start, min(len(text), start + 2 * length + 8)):
        char = text[index]
        if char.isascii() and char.isalnum():
            seen, gap = seen + 1, 0
            if seen == length:
                follows = text[index + 1 : index + 2]
                return 0 if follows.isascii() and follows.isalnum() else index + 1
        elif char in " -\u00a0\n\t" and gap < 3:
            gap += 1
        else:
            return 0
    return 0


def _has_right_checksum(iban: str) -> bool:
    if not iban.isascii():
        return False
    return int("".join(str(int(char, 36)) for char in iban[4:] + iban[:4])) % 97 == 1
