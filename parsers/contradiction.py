"""Whether a later statement says otherwise than an earlier one: by figures, or by a "not", about the same words.

Words decide, no model: a statement is taken back only where both sentences share most of what they are about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LEAST_COMMON = 2
WITHIN_A_THREAD = 0.75
"""Share of the words of the shorter statement that the other must have, where both are about one thing anyway."""
ELSEWHERE = 1.0
"""The same for statements from two places: a word of its own on each side ("data export", "mail export") makes two."""

_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,:]\d+)*(?![\w])")
_WORD = re.compile(r"[^\W\d_]{3,}")
_NEGATION = re.compile(
    r"(?i)\b(?:not|no longer|never|cannot|can't|don't|doesn't|isn't|aren't|won't|without|nicht|kein\w*|nie|pas|"
    r"jamais|no)\b"
)
_STOP = frozenset(
    "the and that this with for you are was were have has had but they will would can could our your from what there "
    "about which when just like then than them also into been very here now should says said who how why its his her "
    "all any per not never only each every more most some such own same too und der die das ist nicht ein eine wir "
    "sie mit auf für von den dem des sind wird werden auch noch".split()
)
_NUMBER_WORDS = {word: str(value) for value, word in enumerate(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()
)}  # fmt: skip


_UNITS = {
    form: unit
    for unit, forms in {
        "minute": "minute", "hour": "hour hourly", "day": "day daily", "week": "week weekly", "month": "month monthly",
        "year": "year yearly annual annually", "percent": "percent", "euro": "euro eur", "dollar": "dollar usd",
        "gb": "gigabyte", "mb": "megabyte",
    }.items()
    for form in forms.split()
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Statement:
    """What a sentence is about, its figures, the units they may be in, and whether it says no."""

    words: frozenset[str]
    numbers: frozenset[str]
    units: frozenset[str]
    negated: bool


def statements(text: str) -> Iterator[Statement]:
    """The sentences of a text that say enough to be compared; questions say nothing."""
    for sentence in _SENTENCE.split(text):
        if sentence.rstrip().endswith(("?", "？")):
            continue
        found = [word for word in _WORD.findall(sentence.casefold()) if word not in _STOP]
        numbers = {number.replace(",", ".") for number in _NUMBER.findall(sentence)}
        numbers |= {_NUMBER_WORDS[word] for word in found if word in _NUMBER_WORDS}
        stems = [_stem(word) for word in found if word not in _NUMBER_WORDS]
        words = frozenset(word for word in stems if word not in _UNITS)
        units = frozenset(_UNITS[word] for word in stems if word in _UNITS)
        if len(words) >= LEAST_COMMON:
            yield Statement(words, frozenset(numbers), units, _NEGATION.search(sentence) is not None)


def differ(earlier: Statement, later: Statement, share: float = ELSEWHERE) -> bool:
    """True when both are about the same and give other figures in the same unit, or only one of them says no."""
    common = len(earlier.words & later.words)
    smaller = min(len(earlier.words), len(later.words))
    if common < LEAST_COMMON or common < share * smaller:
        return False
    if earlier.numbers and later.numbers:
        same_unit = not (earlier.units and later.units) or bool(earlier.units & later.units)
        return same_unit and not earlier.numbers & later.numbers
    return earlier.negated != later.negated and common == smaller > LEAST_COMMON


def contradicts(earlier: str, later: str, share: float = ELSEWHERE) -> bool:
    """True when a statement of the later text says otherwise than one of the earlier text."""
    before = list(statements(earlier))
    return any(differ(old, new, share) for new in statements(later) for old in before)


def _stem(word: str) -> str:
    """A word without an English plural or third person: enough to tell same from other."""
    return word[:-1] if len(word) > 4 and word.endswith("s") and not word.endswith("ss") else word
