"""What of two sentences contradicts each other, and what does not."""

from __future__ import annotations

import pytest

from quality.clauses import clauses, contradiction


@pytest.mark.req("D9.9")
@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        (
            "Send in all new requests for parking permits before 1 May 2026.",
            "Send in all new requests for parking permits before 1 March 2026.",
            "date",
        ),
        ("The new parking rules apply from 1 March 2026.", "The new parking rules apply from 1 May 2026.", "date"),
        ("The new parking rules apply from May on.", "The new parking rules apply from June on.", "date"),
        ("Die neuen Parkregeln gelten ab 1. März 2026.", "Die neuen Parkregeln gelten ab 1. Mai 2026.", "date"),
        ("Visitors may park behind the old house.", "Visitors must park behind the old house.", "modality"),
        (
            "Daily allowances do not replace meal receipts.",
            "Daily allowances replace meal receipts.",
            "modality",
        ),
        (
            "The daily allowance replaces meal receipts.",
            "The daily allowance does not replace meal receipts.",
            "modality",
        ),
        (
            "Tagespauschalen ersetzen keine Verpflegungsbelege.",
            "Tagespauschalen ersetzen Verpflegungsbelege.",
            "modality",
        ),
        ("每日津贴不替代员工的餐费收据。", "每日津贴替代员工的餐费收据。", "modality"),
        ("Daily allowances replace meal receipts.", "Daily allowances replace all the meal receipts.", ""),
        ("Daily allowances do not replace meal receipts.", "Daily allowances come with the next salary.", ""),
        ("Visitors may park 3 cars behind the old house.", "Visitors May park 3 cars behind the old house.", ""),
    ],
)
def test_two_sentences(one: str, other: str, kind: str) -> None:
    (left,), (right,) = clauses(one), clauses(other)
    assert contradiction(left, right, 0.8) == kind
    assert contradiction(right, left, 0.8) == kind


def test_a_date_cuts_no_german_sentence_and_a_number_ends_one() -> None:
    text = "Die neuen Parkregeln gelten ab 1. März für alle. Der Hof fasst auf beiden Ebenen 40. Er ist voll."
    assert len(list(clauses(text))) == 2
