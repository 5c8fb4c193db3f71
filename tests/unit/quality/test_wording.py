"""Question marks in the place of letters, and letters recognised as others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kprep.core.ids import document_id
from quality.spec import CandidateDocument, DocumentFigures
from quality.wording import text_encoding
from tests.unit.quality.builder import TRAVEL, make_candidate, make_chunk

LOST = "Die Besch?ftigten melden ?berstunden bis zum Ende des Monats."
LONG = " ".join(["Die Leitung liest den Bericht und legt ihn ab."] * 60)


def doubtful(text: str, live: str | None = None, kind: str = "text") -> bool:
    figures = DocumentFigures(1, 300, 1, "de")
    document = CandidateDocument(document_id("kb", "people", TRAVEL), TRAVEL, "internal", figures, 300, 0.0, figures)
    chunks = [make_chunk(TRAVEL, 0, text, kind)]
    made = make_candidate(
        chunks, documents=[document] if live is not None else (), live_text=lambda _: [((), live or "")]
    )
    return not next(finding for finding in text_encoding(made) if finding.code == "text_doubtful").passed


@pytest.mark.req("D9.3")
@pytest.mark.parametrize(
    "text",
    [
        LOST,
        "Don?t open the door, it?s cold.",
        "Die GR??E der \u201e?bergabe\u201c ist gering.",
        "Stra?e, Gr??e und Ma?e stehen fest.",
        "(?ber die T?r) geht es hinaus.",
    ],
)
def test_letters_replaced_by_question_marks_are_seen(text: str) -> None:
    assert doubtful(text)


@pytest.mark.parametrize(
    "text",
    [
        "See https://a.example/list?page=2, https://a.example/?sort=name and /orders?state=open or ?raw=1.",
        "Who asks? Nobody?! Really?? Why?Because it helps. What?Nobody knows.",
        "The pattern colou?r finds color, behaviou?r finds behavior.",
        "Use `colou?r` and `flavou?r` with x?y:z and a?.b and value?: string and f(x)?g.",
        "是吗?是的。真的?当然。",
        "One typo why?because of it.",
    ],
)
def test_addresses_questions_and_code_are_no_loss(text: str) -> None:
    assert not doubtful(text)


def test_few_are_no_loss_unless_the_live_version_has_fewer() -> None:
    assert not doubtful(f"{LONG} {LOST}")
    assert doubtful(f"{LONG} {LOST}", LONG)
    assert not doubtful(LOST, LOST)
    assert not doubtful(LOST, kind="code")


PLAIN = "The hotel costs are reimbursed when the traveller has written to the desk before leaving his house for a while"
SIGNS = PLAIN.replace("hotel", "h0te1").replace("costs", "c0st5").replace("traveller", "tr@ve11er")
SIGNS = SIGNS.replace("written", "wr!tten").replace("leaving", "le@ving").replace("house", "h0use")
LETTERS = PLAIN.replace("hotel", "hotcl").replace("traveller", "tfavcllcr").replace("written", "wfittcu")
LETTERS = LETTERS.replace("reimbursed", "fcimbufscd").replace("costs", "cocts").replace("leaving", "lcaviug")
LETTERS = LETTERS.replace("before", "bcfofc").replace("house", "housc").replace("while", "whilc")
LETTERS += " " + LETTERS.replace("hotcl", "hofel").replace("tfavcllcr", "tiaveller")


def test_words_recognised_as_others_are_seen() -> None:
    assert doubtful(SIGNS)
    assert doubtful(SIGNS, PLAIN)
    assert doubtful(LETTERS, PLAIN + " " + PLAIN)
    assert not doubtful(SIGNS, SIGNS)


@pytest.mark.parametrize(
    ("text", "live"),
    [
        (PLAIN, LETTERS),
        (PLAIN, SIGNS),
        ("Order TL40 and HG2-1002 by b2b@shop.example or 2nd post, x86_64, i18n, k8s, sha256, 7f3c2a90 or b2b", None),
        (f"{PLAIN} in the i18n and k8s guild", None),
        ("A kitchen opens at noon and closes as soon as the soup of the day has been eaten by its guests", PLAIN),
        ("Nothing but 3x4, 5kg, 10am, 1st, ERR_CONN_1045, m2, CO2, H2O, 4K, 0x1f, a1 and Q3 stands here", None),
    ],
    ids=["repaired letters", "repaired signs", "names", "few", "rewritten", "units"],
)
def test_repaired_and_rewritten_texts_and_names_with_digits_are_not_garbled(text: str, live: str | None) -> None:
    assert not doubtful(text, live)


def test_the_share_of_garbled_words_is_configured() -> None:
    made = make_candidate([make_chunk(TRAVEL, 0, f"{SIGNS} {PLAIN} {PLAIN}")])
    found = []
    for share in (0.05, 0.5):
        thresholds = replace(made.thresholds, garbled_share=share)
        findings = text_encoding(replace(made, thresholds=thresholds))
        found += [finding.passed for finding in findings if finding.code == "text_doubtful"]
    assert found == [False, True]


@pytest.mark.parametrize(
    "text", ["The oven heats to 110 &deg;C.", "Tea&nbsp;and milk", "a &amp;lt; b", "It&#8217;s hot"]
)
def test_entities_left_in_the_text_are_seen(text: str) -> None:
    assert doubtful(text)
    assert not doubtful(text, kind="code")


@pytest.mark.parametrize("text", ["Write `&nbsp;` there", "The entity &nbsp; is a space", "AT&T; R&D; black & white;"])
def test_entities_that_are_shown_are_not(text: str) -> None:
    assert not doubtful(text)


def test_spaces_between_all_chinese_characters_are_seen() -> None:
    assert doubtful("食 堂 中 午 开 放 ， 访 客 请 先 登 记")
    assert not doubtful("日历 一 二 三 四 五 六 日 每周")
