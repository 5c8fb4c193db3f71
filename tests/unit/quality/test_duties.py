"""Sentences that forbid what their live version allows."""

from __future__ import annotations

import pytest

from kprep.core.ids import document_id
from quality.duties import duties_turned
from quality.spec import CandidateDocument, DocumentFigures, Finding
from tests.unit.quality.builder import TRAVEL, make_candidate, make_chunk


def judged(now: str, live: str, kind: str = "text") -> Finding:
    figures = DocumentFigures(1, 300, 1, "en")
    document = CandidateDocument(document_id("kb", "people", TRAVEL), TRAVEL, "internal", figures, 300, 0.0, figures)
    made = make_candidate(
        [make_chunk(TRAVEL, 0, now, kind)], documents=[document], live_text=lambda _: [(("Title",), live)]
    )
    (finding,) = duties_turned(made)
    return finding


TURNED = [
    ("Passwords are never printed on labels.", "Passwords are printed on labels."),
    ("Orders of one project must not be split.", "Orders of one project may be split."),
    ("Opened parts cannot be returned.", "Opened parts can be returned."),
    ("The valve doesn't close under load.", "The valve closes under load."),
    ("Helmets must be worn in the hall.", "Helmets may be worn in the hall."),
    ("Batterien dürfen nicht geladen werden.", "Batterien dürfen geladen werden."),
    ("Es besteht kein Anspruch auf Ersatz.", "Es besteht ein Anspruch auf Ersatz."),
    ("Les taxis ne sont pas remboursés.", "Les taxis sont remboursés."),
    ("Le badge n’est jamais prêté.", "Le badge est prêté."),
    ("报销单据不得转交他人。", "报销单据可以转交他人。"),
    ("Item | Open\nPump valve | must not be opened", "Item | Open\nPump valve | may be opened"),
]


@pytest.mark.parametrize(("live", "now"), [*TURNED, *((now, live) for live, now in TURNED)])
def test_a_duty_turned_round_warns_with_both_sentences(live: str, now: str) -> None:
    finding = judged(f"The guide is short. {now}", f"The guide is short. {live}")
    assert (finding.level, finding.passed, finding.value) == ("warning", False, 1.0)
    (sample,) = finding.samples
    assert sample["before"] in live
    assert sample["after"] in now


@pytest.mark.parametrize(
    ("live", "now"),
    [
        ("Helmets must be worn in the hall.", "Helmets shall be worn in the hall."),
        ("Opened parts cannot be returned.", "Opened parts can’t be returned."),
        ("The pump runs at night.", "The pump can run at night."),
        ("The old lamp must not\nbe moved by guests.", "The old lamp must\nnot be moved by guests."),
        ("The lamp is warm.", "The lamp is warm. The lamp must not be moved by guests."),
        ("Guests must not park here. Guests may park there.", "Guests may park there. Guests must not park here."),
        ("Orders must not be split.", "Large deliveries may be split."),
    ],
)
def test_other_words_for_the_same_and_new_sentences_are_not_told(live: str, now: str) -> None:
    assert judged(now, live).passed


def test_code_is_not_compared() -> None:
    assert judged("lock must be held here", "lock must not be held here", "code").passed
