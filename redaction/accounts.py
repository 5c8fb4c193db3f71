"""Recognizers of payment cards and bank accounts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redaction.policy import RedactionPolicy
from redaction.spans import LETTER, Span, near

_SEPARATOR = r"(?:[ \u00a0\u202f\u2010-\u2013-]|[ \t]*-?\n[ \t]*)"
_CARD = re.compile(
    rf"\d(?<!{LETTER}\d)(?<![.\-+]\d)(?:\d{{11,18}}|"
    rf"\d{{3}}{_SEPARATOR}\d{{4}}{_SEPARATOR}\d{{4}}{_SEPARATOR}\d{{1,4}}(?:{_SEPARATOR}\d{{1,3}})?|"
    rf"\d{{3}}{_SEPARATOR}\d{{6}}{_SEPARATOR}\d{{4,5}}|"
    r"\d{1,15}[ \t]*-?\n[ \t]*\d{2,16}|\d{5,9} \d{6,9})"
    rf"(?!{LETTER}|-\d)"
)
_CARD_WORD = re.compile(
    r"(?i)\b(?:credit|debit|card|visa|mastercard|maestro|amex|american express|"
    r"kreditkarte\w*|karten?nummer|carte|tarjeta|"
    r"carta|cartão|cc)\b|信用卡|银行卡|卡号"
)
# Issuer prefixes that are common enough to need no word beside the number.
_ISSUER = re.compile(
    r"4|5[1-5]|2(?:2[2-9]|[3-6]|7[01]|720)|3[47]|3(?:0[0-5]|[689])|6(?:011|5|4[4-9]|2)|35|(?:2131|1800)"
)

_IBAN_START = re.compile(r"(?<![A-Za-z0-9])([A-Za-z]{2})\d{2}(?=[ \u00a0\n-]?[A-Za-z0-9])")
_IBAN_LENGTH = {
    entry[:2]: int(entry[2:])
    for entry in (
        "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 "
        "ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 "
        "LB28 LC32 LI21 LT20 LU20 LV21 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 "
        "RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 "
    ).split()
}

_ACCOUNT_WORD = re.compile(
    r"(?i)(?:(?<!aws )(?<!cloud )(?<!azure )\b(?:(?:bank|checking|savings|giro|current)[ -])?account[ _-]?"
    r"(?:no\b\.?|nr\b\.?|num(?:ber)?|\#)|\bacct\b\.?|\bbank account\b|"
    r"\brouting (?:no\b\.?|number)|\baba\b|\bsort[ -]code|"
    r"\bkonto(?:nummer|[- ]?nr\.?)?\b|\bbankleitzahl|\bblz\b|numéro de compte|\bRIB\b|"
    r"número de cuenta|\bcuenta bancaria|numero di conto|conto corrente|número da conta|conta corrente|"
    r"银行账[号户]|银行账号|对公账[号户]|账[号户]|开户[账帐]号|帐号|银行卡号|收款账[号户])"
    r"(?:\s?(?:no|number|nr)\b\.?)?[\s.:#=：|\"'*]{0,6}(?:(?:is|ist|est|es|è|é|为|是|was|to)[\s:：]{0,3})?\Z"
)
_ACCOUNT = re.compile(rf"\d(?<!{LETTER}\d)(?<![.@/+$€£%-]\d)(?<!\d[,=#]\d)(?:[ -]?\d){{5,22}}(?!{LETTER}|[.,:/-]\d)")


def bank_accounts(text: str, policy: RedactionPolicy) -> Iterator[Span]:  # noqa: ARG001
    """Account and bank numbers of 6 to 23 digits right after a word such as "account number" or "账号"."""
    for match in _ACCOUNT.finditer(text):
        if _ACCOUNT_WORD.search(text, max(0, match.start() - 48), match.start()):
            yield Span("BANK_ACCOUNT", match.start(), match.end(), 0.65, by_context=True)


def cards(text: str, policy: RedactionPolicy) -> Iterator[Span]:  # noqa: ARG001
    """Card numbers with a right Luhn digit, of a known issuer or beside a word such as "card"; also over a line end."""
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        if not 12 <= len(digits) <= 19 or len(set(digits)) == 1 or not luhn(digits):
            continue
        place = match.start(), match.end()
        plain = len(digits) >= 14 and bool(_ISSUER.match(digits)) and not re.fullmatch(r"\d{6,10} \d{6,9}", match[0])
        if plain or near(_CARD_WORD, text, place, 64, 24):
            yield Span("CREDIT_CARD", match.start(), match.end(), 0.9, by_context=not plain)


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
