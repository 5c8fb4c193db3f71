"""Do sentences say other figures than in the live version, and nothing else otherwise? A slip of the pen looks so."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from quality.clauses import NUMBER_WORDS
from quality.numerals import in_digits
from quality.samples import MAX_CHARS, first, place, vouched
from quality.spec import Candidate, CandidateChunk, CheckSpec, Finding
from quality.text import sentences, words

LEAST_WORDS = 2
"""Words beside its figures that a sentence must have to be told from others; a row of a table needs one."""

_UNSPACED_EDGE = re.compile(r"(?<=[\u3040-\u9fff])(?=[\d€$£¥])|(?<=[\d%])(?=[\u3040-\u9fff])")
_EDGE = ".,;:!?()[]{}\"'„“”«»‘’*_`"
_FIGURE = re.compile(
    r"(?P<before>[€$£¥]?)(?P<number>[-\u2212]?\d+(?:[.,'\u00a0]\d+)*)(?P<after>%|‰|°[CF]|[€$£¥]|[^\W\d_]{1,4}|)"
)
_RANGE = re.compile(r"\d+(?:[.,]\d+)*(?:[-\u2013:/]\d+(?:[.,]\d+)*)+")
_THOUSANDS = re.compile(r"\d{1,3}(?:[.,'\u00a0]\d{3})+")
_UNITS = (
    "km kilometre kilometres kilometer kilometers", "mile miles meile meilen", "m metre metres meter meters",
    "cm centimetre centimetres centimeter centimeters zentimeter", "foot feet ft", "inch inches zoll",
    "mm millimetre millimetres millimeter millimeters", "kg kilogram kilograms kilogramm", "g gram grams gramm",
    "mg milligram milligrams milligramm", "tonne tonnes tonnen", "lb lbs pounds", "l litre litres liter liters",
    "ml millilitre millilitres milliliter milliliters", "gallon gallons", "bar", "mbar", "psi", "pa", "kpa", "mpa",
    "°c celsius", "°f fahrenheit", "€ eur euro euros", "$ usd dollar dollars", "£ gbp", "chf", "¥ cny rmb yuan 元",
    "美元", "cent cents", "% percent prozent", "‰", "ms millisecond milliseconds millisekunden",
    "s second seconds sekunde sekunden 秒", "min minute minutes minuten 分钟", "h hour hours stunde stunden 小时",
    "day days tag tage tagen 天", "week weeks woche wochen 周", "month months monat monate monaten 个月",
    "quarter quarters quartal quartale", "year years jahr jahre jahren 年", "kb kilobyte kilobytes",
    "mb megabyte megabytes", "gb gigabyte gigabytes", "tb terabyte terabytes", "v volt volts", "mv", "kv",
    "a ampere amperes amp amps", "ma", "w watt watts", "kw", "mw", "kwh", "hz", "khz", "mhz", "ghz", "ohm", "kohm",
    "公里", "英里", "公斤",
)  # fmt: skip
UNITS = {name: line.split()[0] for line in _UNITS for name in line.split()}
"""Each spelling of a unit -> one for all of them."""
_UNSPACED_UNITS = sorted((name for name in UNITS if name[0] >= "\u3040"), key=len, reverse=True)
_ALWAYS = 3
"""Letters from which a unit is one wherever it stands: "a", "m" and "s" are words too."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence or row. `frame`: its words in order with a gap for each number. `units`: as in `UNITS`."""

    text: str
    frame: tuple[str, ...]
    numbers: tuple[str, ...]
    units: tuple[str, ...]

    @property
    def figures(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What it says in numbers."""
        return self.numbers, self.units


@dataclass(frozen=True, slots=True)
class Change:
    """A sentence with other figures. `factor`: the greatest between two numbers. `reason`: "" for a small change."""

    chunk: CandidateChunk
    before: str
    after: str
    factor: float
    reason: str


@lru_cache(maxsize=4096)
def statements(text: str) -> tuple[Statement, ...]:
    """Sentences and rows of a text that hold a figure, and enough words to be told from others."""
    found = (_statement(sentence) for sentence in sentences(text))
    return tuple(made for made in found if made is not None)


def _statement(sentence: str) -> Statement | None:
    frame: list[str] = []
    numbers: list[str] = []
    units: list[str] = []
    after_number = False
    for part in _UNSPACED_EDGE.sub(" ", in_digits(sentence)).split():
        bare = part if part in UNITS else part.strip(_EDGE)
        unit = _unit(bare, after_number=after_number)
        figure = _FIGURE.fullmatch(bare)
        if figure and (not figure["after"] or _unit(figure["after"], after_number=True)):
            numbers.append(figure["number"])
            units += [UNITS[sign.casefold()] for sign in (figure["before"], figure["after"]) if sign]
            frame.append("#")
        elif _RANGE.fullmatch(bare) or bare.casefold() in NUMBER_WORDS:
            numbers.append(bare)
            frame.append("#")
        elif unit:
            units.append(UNITS[unit])
            frame += words(bare[len(unit) :]) if unit in _UNSPACED_UNITS else ()
        else:
            frame += words(bare) or (("|",) if bare == "|" else ())
        after_number = frame[-1:] == ["#"] and not unit
    said = [word for word in frame if word not in "#|"]
    if not (numbers or units) or len(said) < (1 if "|" in frame else LEAST_WORDS):
        return None
    return Statement(sentence, tuple(frame), tuple(numbers), tuple(units))


def _unit(text: str, *, after_number: bool) -> str:
    """The unit a word is, or begins with where words are not spaced; "" where it is none."""
    name = text.casefold()
    if name in UNITS and (after_number or len(name) >= _ALWAYS or not name.isalpha()):
        return name
    return next((unit for unit in _UNSPACED_UNITS if after_number and text.startswith(unit)), "")


def figures_changed(candidate: Candidate) -> Sequence[Finding]:
    """Sentences and rows that are those of the live version but for their figures: those with another unit, or a number
    `figure_factor` times as large or small, warn; the others are told."""
    held = candidate.by_document()
    changes: list[Change] = []
    for document in candidate.documents:
        own = [chunk for chunk in held.get(document.document_id, ()) if chunk.kind != "code"]
        if document.live and any(chunk.is_new for chunk in own):
            live = [text for _, text in candidate.live_text(document.document_id)]
            changes += _changes(own, live, candidate.thresholds.figure_factor)
    changes.sort(
        key=lambda change: (not change.reason, -change.factor, change.chunk.document_uri, change.chunk.ordinal)
    )
    drastic = sum(bool(change.reason) for change in changes)
    message = f"{len(changes)} sentences say other figures than in their live version"
    if drastic:
        message += f", {drastic} of them far others or in another unit: compare them with their source"
    return [
        Finding(
            "figures_changed",
            "warning" if drastic else "info",
            not drastic,
            float(drastic),
            0.0,
            message,
            first(_row(candidate, change) for change in changes),
        )
    ]


def _changes(chunks: Sequence[CandidateChunk], live: Iterable[str], factor: float) -> list[Change]:
    """Statements paired in order with those of the live version that have the same words and stand no longer."""
    now = [(chunk, said) for chunk in chunks for said in statements(chunk.text)]
    before = [said for text in live for said in statements(text)]
    kept = Counter((said.frame, said.figures) for said in before) & Counter(
        (said.frame, said.figures) for _, said in now
    )
    lost: dict[tuple[str, ...], list[Statement]] = defaultdict(list)
    left = kept.copy()
    for said in before:
        if left[said.frame, said.figures]:
            left[said.frame, said.figures] -= 1
        else:
            lost[said.frame].append(said)
    changes = []
    for chunk, said in now:
        if kept[said.frame, said.figures]:
            kept[said.frame, said.figures] -= 1
        elif chunk.is_new and lost[said.frame]:
            changes.append(_change(chunk, lost[said.frame].pop(0), said, factor))
    return changes


def _change(chunk: CandidateChunk, before: Statement, after: Statement, limit: float) -> Change:
    pairs = list(zip(before.numbers, after.numbers, strict=True))
    factor = max((factor_between(*pair) for pair in pairs), default=1.0)
    reason = ""
    if Counter(before.units) != Counter(after.units):
        reason = "another unit"
    elif factor >= limit * (1 - 1e-9):
        reason = f"a number {factor:,.4g} times as large or small"
    elif any(one != two and one.lstrip("-\u2212") == two.lstrip("-\u2212") for one, two in pairs):
        reason = "another sign"
    return Change(chunk, before.text, after.text, factor, reason)


def factor_between(one: str, other: str) -> float:
    """How many times a number is another one, at least 1; where separators leave open what is meant, the least. 1 for
    what is no decimal number, and beside zero."""
    found = [max(a / b, b / a) for a in _values(one) for b in _values(other) if a and b]
    return min(found, default=1.0)


def _values(number: str) -> set[float]:
    """What a number may mean: "2.500" is two and a half, or as many thousands."""
    bare = NUMBER_WORDS.get(number.casefold(), number).lstrip("-\u2212")
    found = set()
    if _THOUSANDS.fullmatch(bare) and not bare.startswith("0"):
        found.add(float(re.sub(r"\D", "", bare)))
    whole, separator, decimals = bare.rpartition("." if bare.rfind(".") > bare.rfind(",") else ",")
    if not separator and bare.isdigit():
        found.add(float(bare))
    elif separator and decimals.isdigit() and (whole.isdigit() or _THOUSANDS.fullmatch(whole)):
        found.add(float(f"{re.sub(r'[^0-9]', '', whole)}.{decimals}"))
    return found


def _row(candidate: Candidate, change: Change) -> dict[str, Any]:
    row = place(change.chunk, change.reason)
    if not (vouched(candidate, change.before) and vouched(candidate, change.after)):
        return row
    same = next(
        (at for at, (one, two) in enumerate(zip(change.before, change.after, strict=False)) if one != two),
        min(len(change.before), len(change.after)),
    )
    start = max(0, same - MAX_CHARS)
    return row | {name: getattr(change, name)[start : start + 2 * MAX_CHARS] for name in ("before", "after")}


CHECKS = (CheckSpec("figures_changed", figures_changed),)
