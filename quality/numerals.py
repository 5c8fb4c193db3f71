"""Chinese numerals as numbers in digits, so that figures are compared however they are written."""

from __future__ import annotations

import re

_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_TENS = {"十": 10, "百": 100, "千": 1000}
_NUMERAL = "[零〇一二两三四五六七八九十][零〇一二两三四五六七八九十百千万]*"
_COUNTED = (
    "天|日|小时|分钟|秒|周|星期|个|年|月|元|美元|欧元|次|人|名|倍"
    "|度|米|公里|公斤|英里|克|吨|升|页|岁|份|台|件|条|位|项|晚|级"
)
_PERCENT = re.compile(f"百分之({_NUMERAL})")
_MONEY = re.compile(f"({_NUMERAL})元([一二两三四五六七八九])角")
_COUNT = re.compile(f"({_NUMERAL})(?={_COUNTED})")
"""Only before what is counted: 一般, 统一 and 十分 are words."""


def in_digits(text: str) -> str:
    """A text with its Chinese numerals written in digits: 百分之十八 as 18%, 一元二角 as 1.2元, 三十天 as 30天."""
    text = _PERCENT.sub(lambda match: f"{value(match[1])}%", text)
    text = _MONEY.sub(lambda match: f"{value(match[1])}.{_DIGITS[match[2]]}元", text)
    return _COUNT.sub(lambda match: str(value(match[1])), text)


def value(numeral: str) -> int:
    """The number a numeral names; one of digits alone, as of years, is read digit by digit."""
    if all(sign in _DIGITS for sign in numeral):
        return int("".join(str(_DIGITS[sign]) for sign in numeral))
    total = section = digit = 0
    for sign in numeral:
        if sign in _DIGITS:
            digit = _DIGITS[sign]
        elif sign == "万":
            total, section, digit = total + (section + digit) * 10_000, 0, 0
        else:
            section, digit = section + (digit or 1) * _TENS[sign], 0
    return total + section + digit
