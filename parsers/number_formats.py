"""Numbers as a spreadsheet shows them, where the format says more than how many digits: per cent, currency, units,
thousands, leading zeros. Dates, fractions, exponents and plain decimals are not its business."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from typing import NamedTuple

BUILT_IN = {
    3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)",
    39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;(#,##0.00)", 41: "#,##0", 42: "#,##0", 43: "#,##0.00", 44: "#,##0.00",
}  # fmt: skip
"""Formats that a workbook names by number alone; those of currencies without the sign, which follows from the place."""
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|\[\$(?P<currency>[^\]-]*)[^\]]*\]|\[(?P<bracket>[^\]]*)\]|'
    r"(?P<dropped>[_*].)|(?P<digits>[0#?][0#?.,]*)|(?P<sign>[-+()%$€£¥ :]|[^\w@/.,\s])|(?P<other>.)"
)
_SECTION = re.compile(r'(?:"[^"]*"|\\.|\[[^\]]*\]|[^;"\\\[])*')
_MOST_DECIMALS = 10
_EXACT = float(2**53)
"""Up to here a value of 64 bits tells all whole numbers apart."""
LARGEST = 1e21
"""From here on a number is a measure, not an id: it is shown with an exponent."""
_ALL_DIGITS = Context(prec=40)


class _Section(NamedTuple):
    """One section of a format. `digits`: what stands for the number; `scale`: by which power of ten it is moved."""

    before: str
    digits: str
    after: str
    scale: int


def digits_of(value: float) -> str:
    """All digits of a whole number below `LARGEST`, as few as name this number and no other: ids differ in the last."""
    return str(int(value)) if abs(value) <= _EXACT else f"{Decimal(repr(value)):.0f}"


def as_shown(value: float | Decimal, code: str) -> str | None:
    """The number as the format shows it; None where the format says nothing that counts."""
    sections, size = _sections(code), abs(Decimal(str(value)))
    if not sections or not size.is_finite() or size >= LARGEST:
        return None
    own = value < 0 and len(sections) > 1
    section = sections[1] if own else sections[0]
    whole, _, decimals = section.digits.partition(".")
    places = min(len(decimals), _MOST_DECIMALS)
    moved = size.scaleb(section.scale)
    number = moved.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, _ALL_DIGITS)
    left, _, right = f"{number:f}".partition(".")
    right = right[:places].rstrip("0").ljust(decimals.count("0"), "0") if places else ""
    left = left.zfill(whole.count("0")) if whole.count("0") > 1 else left
    if "," in whole and left.isdecimal():
        left = f"{int(left):,}".rjust(len(left), "0")
    minus = "-" if value < 0 and not own and number else ""
    return f"{minus}{section.before}{left}{'.' if right else ''}{right}{section.after}".strip()


@lru_cache(maxsize=1024)
def _sections(code: str) -> tuple[_Section, ...]:
    """Sections for positive and negative numbers; none for a format that is not read here."""
    found = [_section(text) for text in _SECTION.findall(code) if text][:2]
    if not found or found[0] is None or (len(found) > 1 and found[1] is None):
        return ()
    says = found[0].before.strip() or found[0].after.strip() or found[0].scale or "," in found[0].digits
    zeros = found[0].digits.partition(".")[0].count("0") > 1
    return tuple(section for section in found if section) if says or zeros else ()


def _section(text: str) -> _Section | None:
    before = after = digits = ""
    percent = False
    for token in _TOKEN.finditer(text):
        kind, value = token.lastgroup, token[token.lastgroup or 0]
        if kind == "other" or (kind == "bracket" and value.lower().strip("hms") == ""):
            return None
        if kind == "digits":
            if digits:
                return None
            digits = value
        elif kind in {"quoted", "escaped", "currency", "sign"}:
            percent = percent or value == "%"
            before, after = (before, after + value) if digits else (before + value, after)
    if not digits or digits.count(".") > 1 or any(map(str.isdigit, before + after)):
        return None  # letters of a format that are digits would read as another number
    bare = digits.rstrip(",")
    return _Section(before, bare, after, 2 * percent - 3 * (len(digits) - len(bare)))
