"""Chinese numerals read as numbers."""

from __future__ import annotations

import pytest

from quality.clauses import clauses, contradiction
from quality.numerals import in_digits
from tests.unit.quality.test_figures import judged


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("税率为百分之十八。", "税率为18%。"),
        ("每晚五百元，两小时内", "每晚500元，2小时内"),
        ("一元二角", "1.2元"),
        ("一千零五十元", "1050元"),
        ("三万二千元", "32000元"),
        ("二〇二五年", "2025年"),
        ("统一管理，一般十分重要，万一", "统一管理，一般十分重要，万一"),
    ],
)
def test_a_numeral_is_read_where_something_is_counted(text: str, read: str) -> None:
    assert in_digits(text) == read


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("两小时", "两天", "another unit"),
        ("五百元", "五千元", "a number 10 times as large or small"),
        ("一元二角", "十二元", "a number 10 times as large or small"),
        ("三十天", "三百天", "a number 10 times as large or small"),
        ("百分之十八", "百分之八十", ""),
    ],
)
def test_another_numeral_is_another_figure(old: str, new: str, reason: str) -> None:
    (sample,) = judged(f"员工报销的上限是{new}。", f"员工报销的上限是{old}。").samples
    assert sample.get("reason", "") == reason
    assert new in sample["after"]


def test_two_policies_with_other_numerals_contradict_each_other() -> None:
    (one,), (other,) = clauses("员工应当在十天之内提交报销单据。"), clauses("员工应当在七天之内提交报销单据。")
    assert contradiction(one, other, 0.8) == "number"
