"""Recognizers of national identity and tax numbers, by checksum or by the words beside them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from redaction.policy import RedactionPolicy
from redaction.spans import Span, near


@dataclass(frozen=True, slots=True)
class IdentityNumber:
    """How one country's number is written, checked, and told from other numbers.

    `certain`: written like this and with a right checksum it needs no word beside it. `weak`: needs one of `words`
    near by. With one of `words` right before it the form alone is enough: a mistyped number, or one that breaks a
    rule of its office, still names a person. `languages`: of the texts it is looked for in; empty: of all. `stems`:
    lower-case literals of which each of `words` holds one, so that `weak` is tried only in texts with one of them.
    """

    kind: str
    certain: re.Pattern[str] | None
    weak: re.Pattern[str] | None
    words: re.Pattern[str]
    is_valid: Callable[[str], bool]
    languages: tuple[str, ...] = ()
    stems: tuple[str, ...] = ()


def certain(number: IdentityNumber) -> Callable[[str, RedactionPolicy], Iterator[Span]]:
    """The recognizer of what is written in the number's own form."""

    def recognize(text: str, policy: RedactionPolicy) -> Iterator[Span]:  # noqa: ARG001
        for match in number.certain.finditer(text) if number.certain else ():
            if number.is_valid(match[0]):
                yield Span(number.kind, match.start(), match.end(), 0.85)
            elif _is_named(number, text, match.start()):
                yield Span(number.kind, match.start(), match.end(), 0.7, by_context=True)

    return recognize


def announced(number: IdentityNumber) -> Callable[[str, RedactionPolicy], Iterator[Span]]:
    """The recognizer of what only the words beside it show to be the number."""

    def recognize(text: str, policy: RedactionPolicy) -> Iterator[Span]:  # noqa: ARG001
        for match in number.weak.finditer(text) if number.weak else ():
            place = match.start(), match.end()
            if number.is_valid(match[0]) and near(number.words, text, place, 60, 30):
                yield Span(number.kind, *place, 0.8, by_context=True)
            elif _is_named(number, text, match.start()):
                yield Span(number.kind, *place, 0.7, by_context=True)

    return recognize


_CLAUSE = re.compile(r"[,;.!?，；。！？\n\0]\s")


def _is_named(number: IdentityNumber, text: str, start: int) -> bool:
    """Whether one of the words stands right before the place: "Steuer-ID: ", "身份证号为", "the SSN on file is "."""
    word = None
    for word in number.words.finditer(text, max(0, start - 40), start):  # noqa: B007 -- the last one counts
        pass
    if word is None:
        return False
    between = text[word.end() : start]
    return len(between) <= 16 and not any(char.isdigit() for char in between) and not _CLAUSE.search(between)


def _ssn(value: str) -> bool:
    digits = re.sub(r"\D", "", value)
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    return area not in {"000", "666"} and group != "00" and serial != "0000" and len(set(digits)) > 1


def _always(value: str) -> bool:  # noqa: ARG001
    return True


def _cn(value: str) -> bool:
    """The check digit only: the office's list of counties by year, which stdnum asks too, refuses numbers in use."""
    digits = re.sub(r"[ -]", "", value).upper()
    total = sum(int(digit) * pow(2, 17 - index, 11) for index, digit in enumerate(digits[:17]))
    return "10X98765432"[total % 11] == digits[17]


def _uscc(value: str) -> bool:
    from stdnum.cn import uscc

    return bool(uscc.is_valid(value))


def _de(value: str) -> bool:
    from stdnum.de import idnr

    return bool(idnr.is_valid(value))


def _fr(value: str) -> bool:
    from stdnum.fr import nir

    return bool(nir.is_valid(value))


def _es(value: str) -> bool:
    from stdnum.es import dni, nie

    return bool(dni.is_valid(value) or nie.is_valid(value))


def _it(value: str) -> bool:
    from stdnum.it import codicefiscale

    return bool(codicefiscale.is_valid(value))


def _br(value: str) -> bool:
    from stdnum.br import cpf

    return bool(cpf.is_valid(value))


def _aadhaar(value: str) -> bool:
    from stdnum.in_ import aadhaar

    return bool(aadhaar.is_valid(re.sub(r"\D", "", value)))


_BEFORE, _R = "[A-Za-z0-9_.+-]", r"(?![A-Za-z0-9_]|[-.]\d)"  # no \b: CJK text has no space around a number
_FIRST = re.compile(r"(\\d|\[[^\]]+\]|\d)(?:\{(\d+)\})?(?![?*+{])")


def pattern(expression: str, flags: int = 0) -> re.Pattern[str]:
    """An expression of a number that stands alone, not inside a longer word or number.

    What must not stand before it is asked behind its first character: `re` is fast at finding a set of characters.
    """
    first = _FIRST.match(expression)
    if first is None:
        return re.compile(f"(?<!{_BEFORE}){expression}{_R}", flags)
    more = f"{first[1]}{{{int(first[2]) - 1}}}" if first[2] else ""
    return re.compile(f"{first[1]}(?<!{_BEFORE}{first[1]}){more}{expression[first.end() :]}{_R}", flags)


def words(expression: str) -> re.Pattern[str]:
    """An expression of the words that say what a number is, in any case."""
    return re.compile(expression, re.IGNORECASE)


NUMBERS = (
    IdentityNumber(
        "US_SSN",
        pattern(r"\d{3}[-\u2010-\u2013]\s?\d{2}[-\u2010-\u2013]\s?\d{4}"),
        pattern(r"\d{3}[ .]?\d{2}[ .]?\d{4}"),
        words(r"\bssn\b|social[ -]security|\bss#|\bitin\b"),
        _ssn,
        stems=("ssn", "social", "ss#", "itin"),
    ),
    IdentityNumber(
        "UK_NINO",
        pattern(r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z](?<!BG|GB|NK|KN|NT|TN|ZZ) ?\d{2} ?\d{2} ?\d{2} ?[A-D]"),
        pattern(r"[A-Z]{2}[ -]?\d{2}[ -]?\d{2}[ -]?\d{2}[ -]?[A-D]", re.IGNORECASE),
        words(r"national insurance|\bnino\b|\bni (?:number|no)\b"),
        _always,
        stems=("insurance", "nino", "ni n"),
    ),
    IdentityNumber(
        "CN_ID",
        pattern(r"[1-9]\d{5}[ -]?(?:18|19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[ -]?\d{3}[\dXx]"),
        None,
        words(r"身份证(?:件)?(?:号码?)?|身分證|公民身份号码|resident id|\bid card"),
        _cn,
    ),
    IdentityNumber(
        "CN_USCC",
        pattern(r"[159ANY][1-9]\d{6}[0-9A-HJ-NP-RTUW-Y]{10}"),
        None,
        words(r"统一社会信用代码|信用代码|\buscc\b|unified social credit"),
        _uscc,
    ),
    IdentityNumber(
        "DE_TAX_ID",
        None,
        pattern(r"\d{2} ?\d{3} ?\d{3} ?\d{3}"),
        words(r"steuer[- ]?(?:id|ident\w*)|\bidnr\b|\btin\b|tax (?:id|number|identification)|steuerliche"),
        _de,
        languages=("de", "en"),
        stems=("steuer", "idnr", "tin", "tax "),
    ),
    IdentityNumber(
        "FR_NIR",
        pattern(r"[12] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?\d[\dAB] ?\d{3} ?\d{3} ?\d{2}"),
        None,
        words("sécurité sociale"),
        _fr,
    ),
    IdentityNumber(
        "ES_ID",
        pattern(r"[\dXYZ](?:(?<=[XYZ])-)?\d{7}-?[A-HJ-NP-TV-Z]"),
        pattern(r"[\dXYZ](?:(?<=[XYZ])-)?\d{7}[- ]?[A-Z]", re.IGNORECASE),
        words(r"\b(?:dni|nie|nif)\b"),
        _es,
        stems=("dni", "nie", "nif"),
    ),
    IdentityNumber(
        "IT_FISCAL_CODE",
        pattern(r"[A-Z]{6} ?[\dLMNP-V]{2}[A-EHLMPR-T][\dLMNP-V]{2} ?[A-Z][\dLMNP-V]{3}[A-Z]", re.IGNORECASE),
        None,
        words("codice fiscale"),
        lambda value: _it(value.replace(" ", "")),
    ),
    IdentityNumber(
        "BR_CPF",
        pattern(r"\d{3}\.\d{3}\.\d{3}-\d{2}"),
        pattern(r"\d{3}[. ]?\d{3}[. ]?\d{3}[- ]?\d{2}"),
        words(r"\bcpf\b"),
        _br,
        stems=("cpf",),
    ),
    IdentityNumber(
        "IN_AADHAAR",
        pattern(r"[2-9]\d{3}([ -])\d{4}\1\d{4}"),
        pattern(r"[2-9]\d{3}[ -]?\d{4}[ -]?\d{4}"),
        words(r"aadhaa?r|uidai|आधार"),
        _aadhaar,
        stems=("aadha", "uidai", "आधार"),
    ),
)
"""National numbers, one entry a country."""
