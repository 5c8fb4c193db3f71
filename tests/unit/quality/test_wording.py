"""Question marks in the place of letters."""

from __future__ import annotations

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
