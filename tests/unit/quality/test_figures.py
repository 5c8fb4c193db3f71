"""Figures that changed in sentences that did not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kprep.core.ids import document_id
from quality.figures import factor_between, figures_changed
from quality.spec import CandidateDocument, DocumentFigures, Finding
from tests.unit.quality.builder import TRAVEL, make_candidate, make_chunk

CARS = "Private cars are reimbursed at 0.30 EUR per kilometre, up to 600 kilometres per trip."
PUMP = "The pump runs at 3 bar. Orders above 2,500 EUR need a second signature."
TABLE = "Country | Full day | Half\nGermany | 32 EUR | 16 EUR\nChina | 41 EUR | 24 EUR"


def judged(now: str, live: str, kind: str = "text", factor: float = 10.0) -> Finding:
    figures = DocumentFigures(1, 300, 1, "en")
    document = CandidateDocument(document_id("kb", "people", TRAVEL), TRAVEL, "internal", figures, 300, 0.0, figures)
    made = make_candidate(
        [make_chunk(TRAVEL, 0, now, kind)], documents=[document], live_text=lambda _: [(("Title",), live)]
    )
    (finding,) = figures_changed(replace(made, thresholds=replace(made.thresholds, figure_factor=factor)))
    return finding


@pytest.mark.parametrize(
    ("live", "old", "new", "reason"),
    [
        (CARS, "0.30 EUR", "3.0 EUR", "a number 10 times as large or small"),
        (CARS, "0.30 EUR", "3.0", "another unit"),
        (CARS, "600 kilometres", "600 miles", "another unit"),
        (PUMP, "3 bar", "0.3 bar", "a number 10 times as large or small"),
        (PUMP, "3 bar", "3 psi", "another unit"),
        (PUMP, "2,500", "25,000", "a number 10 times as large or small"),
        (PUMP, "2,500 EUR", "$2,500", "another unit"),
        (TABLE, "16 EUR", "160 EUR", "a number 10 times as large or small"),
        ("Lager bleiben bei -18 °C zu.", "-18", "18", "another sign"),
        ("Die Frist beträgt 14 Tage ab Eingang.", "Tage", "Wochen", "another unit"),
        ("住宿费用每晚最高报销140元，含早餐。", "140", "1400", "a number 10 times as large or small"),
        ("员工每年享有带薪年休假15天，不予折算。", "15天", "15周", "another unit"),
    ],
)
def test_a_moved_point_and_another_unit_warn_with_both_sentences(live: str, old: str, new: str, reason: str) -> None:
    finding = judged(live.replace(old, new), live)
    assert (finding.level, finding.passed, finding.value) == ("warning", False, 1.0)
    (sample,) = finding.samples
    assert sample["reason"] == reason
    assert old in sample["before"]
    assert new in sample["after"]


@pytest.mark.parametrize(("old", "new"), [("0.30", "0.35"), ("600", "800"), ("600", "599.5")])
def test_another_figure_is_told_and_no_fault(old: str, new: str) -> None:
    finding = judged(CARS.replace(old, new), CARS)
    assert (finding.level, finding.passed) == ("info", True)
    assert finding.message == "1 sentences say other figures than in their live version"
    assert new in finding.samples[0]["after"]


@pytest.mark.parametrize(
    ("now", "live"),
    [
        (CARS, CARS),
        (f"{CARS} Taxis need a receipt over 20 EUR.", CARS),
        (CARS.replace("Private cars", "Bicycles").replace("0.30", "3.0"), CARS),
        (TABLE + "\nSpain | 300 EUR | 1 EUR", TABLE),
        ("\n".join(reversed(TABLE.split("\n"))), TABLE),
        (CARS.replace("EUR", "€").replace("kilometres", "km"), CARS),
        (CARS.replace(" 0.30 EUR", " €0.30"), CARS),
        (
            "12. See the relay ERR_CONN_1046 there\n12. Bring a pen",
            "2. See the relay ERR_CONN_1045 there\n1. Bring a pen",
        ),
        ("Page 30", "Page 3"),
    ],
)
def test_added_moved_and_rewritten_sentences_are_not_told(now: str, live: str) -> None:
    finding = judged(now, live)
    assert (finding.passed, finding.samples) == (True, ())


def test_the_most_drastic_come_first_and_the_factor_is_configured() -> None:
    live = f"{CARS} {PUMP}"
    now = live.replace("600", "700").replace("3 bar", "300 bar").replace("2,500", "25,000")
    finding = judged(now, live)
    assert finding.value == 2.0
    assert ["300 bar" in str(finding.samples[0]), "25,000" in str(finding.samples[1])] == [True, True]
    assert len(finding.samples) == 3
    assert judged(now, live, factor=1000.0).passed
    assert judged(now, live, kind="code").samples == ()


@pytest.mark.parametrize(
    ("one", "other", "factor"),
    [
        ("2,500", "25,000", 10.0),
        ("2.500", "2,500", 1.0),
        ("0,30", "3,0", 10.0),
        ("1.250,50", "12.505", 10.0),
        ("0", "5", 1.0),
        ("two", "20", 10.0),
        ("7.1.3", "71.3", 1.0),
    ],
)
def test_a_number_is_read_as_it_may_be_meant(one: str, other: str, factor: float) -> None:
    assert factor_between(one, other) == pytest.approx(factor, rel=0.01)
