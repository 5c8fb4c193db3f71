"""Recognizers of contact details: e-mail addresses and phone numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from redaction.policy import RedactionPolicy
from redaction.spans import LETTER, Span, folded, near, places

# The "@" is looked for first and the rest is matched from there outwards: linear on any text. A line may break at the
# "@" or before a common top-level domain.
_SIGNS = ("@", "%40", "＠", "[at]", "(at)")
_AT = re.compile(r"@|%40|＠|\s?[\[(]at[\])]\s?", re.IGNORECASE)
# Scripts written without spaces: their words may touch an address and are no part of it.
_CJK_RANGE = r"\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_WRITTEN_DOT = r"[ ]?[\[(](?:dot|punkt|point)[\])][ ]?"
_NAME = rf"(?:(?![{_CJK_RANGE}])[\w.+%'-]){{1,64}}"
_LOCAL = re.compile(rf"(?i)(?:{_NAME}{_WRITTEN_DOT})?{_NAME}(?:\n[ \t]*)?\Z")
_DOMAIN = re.compile(
    rf"(?:[ \t]*\n[ \t]*|[ ])?((?:\w(?:[\w-]{{0,61}}\w)?(?:\.|{_WRITTEN_DOT}))+"
    r"(?:[ \t]*\n[ \t]*(?=(?:com|org|net|edu|gov|io|de|fr|uk|eu|cn)\b))?"
    rf"(?:xn--[a-z0-9-]{{2,59}}|[a-z]{{2,24}}(?![a-z0-9_])|(?:(?![{_CJK_RANGE}])[^\W\d_]){{2,24}}(?!\w)|中国|中國|公司|网络))",
    re.IGNORECASE,
)
_COMMON_DOMAIN = re.compile(r"(?i)\.(?:com|org|net|edu|gov|io|de|fr|uk|eu|cn|it|es|nl|ch|at|in|br|jp|co)\Z")
_NOT_LOCAL_START = "'_.%+-"

_PHONE_WORD = re.compile(
    r"(?i)\b(?:tele?ph?on[eo]?\w*|tel|phone|ph|mobile?n?|mob|cell(?:ular|ulare)?|handy\w*|fax|whatsapp|sms|hotline|"
    r"rufnummer\w*|téléphone|portable|teléfono|móvil|celular|telefono|cellulare|telefone|telefoon|mobiel|"
    r"(?:my|our|his|her|your|their|contact) number)\b|電話|电话|手机|手機|联系方式|热线|☎|📞|📱"
)
_PHONE_VERB = re.compile(
    r"(?i)\b(?:call|dial|ring|reach|contact|text|answer\w*|messages?|registered|office|desk|appel\w*|anruf\w*|llam\w*|"
    r"chiama\w*|lig(?:ue|ar))\b"
)
_PHONE_AFTER = re.compile(r"(?i)[\s,-]{1,3}(?:office|fax|desk|home|work|mobile|cell|phone)\b")
_PHONE_NOUN_CLOSE = re.compile(
    r"(?i)(?:\b(?:tel|phone|telephone|telefon|mobile|mobil|cell|handy|fax|desk|office|whatsapp|téléphone|teléfono|telefono|telefone)"
    r"(?:\s*(?:no|nr|number|nummer)\b)?|rufnummer|电话|手机|手機|電話)[\s.:#=\"'：]{0,4}(?:(?:is|ist|lautet|为|是)\s*:?\s*)?$"
)
_GAP = (
    r"(?:[ \t]?[-./\u2010-\u2013\u00a0\u202f]?[ \t]?|[ \t]?\(0\)[ \t]?|[ \t]?\([ \t]?|[ \t]?\)[ \t]?[-/]?[ \t]?|"
    r"[ \t]*-?\n[ \t]*)"
)
_EXTENSION = r"(?:[ \t]?(?:x|ext\.?|extension|#)[ \t]?\d{1,6}(?!\d))?"
_INTERNATIONAL = re.compile(
    rf"[+＋%0](?<!{LETTER}.)(?<!\+.)(?:(?<=[+＋])|(?<=%)2B|(?<=0)0(?=[1-9]))\s?\(?\d{{1,3}}(?:{_GAP}\d){{6,13}}{_EXTENSION}(?!{LETTER})"
)
# No letter (a Chinese one may stand there), sign of a larger number, or group of digits before it: "Tel:030", "a,555-".
# Asked behind the first character: `re` is fast at finding a set of characters.
_ALONE = rf"(?<!{LETTER}.)(?<![.@/+$€£%-].)(?<!\d[,:=#].)"
_NATIONAL = re.compile(
    rf"[\d(]{_ALONE}(?<!#.)"
    r"(?:(?<=\()\d{1,5}\)[ \t]?|(?<=\d)\d{0,4}(?:[ \t]?[-./\u2010-\u2013\u00a0][ \t]?|[ \t]|\n))"
    rf"\d{{1,8}}(?:[ \t./\n\u00a0\u2010-\u2013-]\d{{1,8}}){{0,5}}{_EXTENSION}(?!{LETTER}|%|[.,/:-]\d)"
)
_BARE = re.compile(rf"\d{_ALONE}\d{{6,12}}(?!{LETTER}|[.,/:-]\d)")
_OTHER_NUMBER = re.compile(
    r"(?i)\b(?:part|item|serial|model|order|article|sku|catalog(?:ue)?|invoice|ticket|batch|artikel|bestell|teile)[ -]?"
    r"(?:number|nummer|no|nr|#)\b\.?[ :#]{1,3}\Z"
)
_MESSENGER = re.compile(r"wa\.me/\+?(\d{8,15})(?!\d)")
_US = re.compile(r"(?:1[-. ])?(?:\([2-9]\d\d\)[ ]?\d{3}[-. ]\d{4}|[2-9]\d\d-\d{3}-\d{4}|[2-9]\d\d\.\d{3}\.\d{4})(?!\d)")
_DAY, _MONTH, _YEAR = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])", r"(?:19|20)\d\d"
_DATE = re.compile(
    rf"{_YEAR}[-./ ]{_MONTH}[-./ ]{_DAY}(?:[ T]\d{{1,2}})?|{_DAY}[-./ ]{_DAY}[-./ ](?:{_YEAR}|\d\d)(?:[ T]\d{{1,2}})?|"
    rf"{_YEAR}\s?[-–/ ]\s?(?:{_YEAR}|\d\d)"
)
_CN_MOBILE = re.compile(
    r"[81](?<![A-Za-z0-9.+_-].)(?:(?<=8)6[- ]?1|(?<=1))[3-9]\d([- ]?)\d{4}\1\d{4}(?![A-Za-z0-9_]|[.-]\d)"
)
_CJK = re.compile(r"[\u3400-\u9fff]")


def emails(text: str, policy: RedactionPolicy) -> Iterator[Span]:
    """E-mail addresses, also percent-encoded, broken over a line end, or written "name [at] domain [dot] tld"."""
    for place in places(folded(text), _SIGNS):
        at = _AT.match(text, place - 1) or _AT.match(text, place)  # with the space before "[at]"
        local = at and _LOCAL.search(text, max(0, at.start() - 66), at.start())
        domain = _DOMAIN.match(text, at.end()) if at and local else None
        if at is None or local is None or domain is None:
            continue
        start = local.start()
        while start < at.start() and text[start] in _NOT_LOCAL_START:
            start += 3 if re.match("%[0-9A-Fa-f]{2}", text[start : start + 3]) else 1
        name = text[start : at.start()].strip()
        if "\n" in local[0] and not _COMMON_DOMAIN.search(domain[1]):
            continue  # a decorator on the line after a word
        if (
            name
            and any(char.isalnum() for char in name)
            and not policy.allows_email(re.sub(f"(?i){_WRITTEN_DOT}", ".", f"{name}@{domain[1]}"))
        ):
            yield Span("EMAIL", start, domain.end(1), 0.9)


def phones(text: str, policy: RedactionPolicy) -> Iterator[Span]:
    """Phone numbers: international forms; national forms of the policy's regions that are written like one or stand
    beside a word such as "Tel."; never a bare run of digits without such a word."""
    for match in _INTERNATIONAL.finditer(text):
        end = _international_end(match)
        if end:
            yield Span("PHONE", match.start(), end, 0.8)
    for match in _NATIONAL.finditer(text):
        if _is_phone_shaped(match[0]) and not _OTHER_NUMBER.search(text, max(0, match.start() - 24), match.start()):
            written = _is_written_as_phone(match[0], policy)
            if written or _has_phone_word(text, match):
                yield Span("PHONE", match.start(), match.end(), 0.6, by_context=not written)
    for match in _BARE.finditer(text):
        if _PHONE_NOUN_CLOSE.search(text, max(0, match.start() - 32), match.start()):
            yield Span("PHONE", match.start(), match.end(), 0.5, by_context=True)
    for place in places(text, ("wa.me/",)):
        if chat := _MESSENGER.match(text, place):
            yield Span("PHONE", chat.start(1), chat.end(1), 0.8)
    for match in _CN_MOBILE.finditer(text):
        around = match.start(), match.end()
        written = bool(match[1]) or match[0].startswith("86")
        if written or near(_CJK, text, around, 20, 12) or near(_PHONE_WORD, text, around):
            yield Span("PHONE", match.start(), match.end(), 0.7, by_context=not written)


def _international_end(match: re.Match[str]) -> int:
    """End of the longest part of the match that is a possible number of some country; 0 where none is."""
    text = match[0]
    ends = [len(text), *(gap.start() for gap in reversed(list(re.finditer(r"[\s(]+\d|[\s.-]*(?:x|ext|#)", text))))]
    for end in ends:
        if sum(char.isdigit() for char in text[:end]) < 8:
            return 0
        if e164(text[:end]):
            return match.start() + end
    return 0


def _is_phone_shaped(value: str) -> bool:
    digits = sum(char.isdigit() for char in value)
    dotted = value.count(".") == 3 and digits < 10  # an address or a version
    return 7 <= digits <= 17 and not dotted and not _DATE.fullmatch(value) and not _is_series(value)


def _is_series(value: str) -> bool:
    """Whether the value is a row of rising numbers of four digits, or of three from a hundred on: years, sizes."""
    numbers = value.split(" ")
    if (
        len(numbers) < 3
        or value.startswith("0")
        or not all(len(number) == len(numbers[0]) and number.isdigit() for number in numbers)
    ):
        return False
    rising = all(int(one) < int(two) for one, two in pairwise(numbers))
    return rising and (len(numbers[0]) == 4 or (len(numbers[0]) == 3 and len(numbers) > 3))


def _is_written_as_phone(value: str, policy: RedactionPolicy) -> bool:
    """Whether the number needs no word beside it: a North American form, or a valid one with its leading zero."""
    if _US.match(value) and {"US", "CA"} & set(policy.phone_regions):
        return True
    if not value.lstrip("(").startswith("0") or sum(char.isdigit() for char in value) < 9:
        return False
    return len(re.findall(r"\d+", value)) <= 6 and _valid_in(value, policy.phone_regions)


def _has_phone_word(text: str, match: re.Match[str]) -> bool:
    place = match.start(), match.end()
    if _PHONE_AFTER.match(text, match.end()):
        return True
    return near(_PHONE_WORD, text, place, 40) or near(_PHONE_VERB, text, place, 24)


def _valid_in(value: str, regions: tuple[str, ...]) -> bool:
    import phonenumbers

    for region in regions:
        try:
            number = phonenumbers.parse(value, region)
        except phonenumbers.NumberParseException:
            continue
        if phonenumbers.is_valid_number(number):
            return True
    return False


@lru_cache(maxsize=4096)
def e164(value: str, regions: tuple[str, ...] = ()) -> str:
    """The number as +<country><number>: read as international, else in the first region where it is valid; "" if it
    is a possible number nowhere."""
    import phonenumbers

    text = value.replace("%2B", "+").replace("＋", "+").strip()
    if re.match(r"00[1-9]", text):
        text = "+" + text[2:]
    text = re.sub(r"\s+|-\n\s*", " ", text.replace("(0)", " ").replace("-\n", "\n"))
    for region in regions if not text.startswith("+") else (None,):
        try:
            number = phonenumbers.parse(text, region)
        except phonenumbers.NumberParseException:
            continue
        sure = region is None and not value.startswith("00")
        is_right = phonenumbers.is_possible_number if sure else phonenumbers.is_valid_number
        if is_right(number):
            return str(phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164))
    return ""
