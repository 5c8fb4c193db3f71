"""Tables that are none any more, or whose cells moved."""

from __future__ import annotations

import pytest

from kprep.core.ids import document_id
from quality.spec import CandidateDocument, DocumentFigures, Finding
from quality.tables import columns_shifted, tables_lost
from tests.unit.quality.builder import CODES, make_candidate, make_chunk

HEADER = "Part | Number | Price"
ROWS = ["fan | HG2-1002 | 20 EUR", "lamp | HG2-1003 | 8 EUR", "door | HG2-1004 | 90 EUR", "foot | HG2-1005 | 2 EUR"]
LIVE = "\n".join([HEADER, *ROWS])
MARKDOWN = "\n".join(f"| {row} |" for row in ROWS)


def judged(check: str, now: str, kind: str = "table", live: str | None = LIVE) -> Finding:
    figures = DocumentFigures(1, 300, 1, "en")
    before = None if live is None else figures
    document = CandidateDocument(document_id("kb", "eng", CODES), CODES, "internal", figures, 300, 0.0, before)
    made = make_candidate(
        [make_chunk(CODES, 0, now, kind)], documents=[document], live_text=lambda _: [((), live or "")]
    )
    (finding,) = {"tables_lost": tables_lost, "columns_shifted": columns_shifted}[check](made)
    return finding


@pytest.mark.parametrize(
    ("now", "kind"),
    [
        (f"All parts:\n\n| {HEADER} |\n{MARKDOWN}", "text"),
        (MARKDOWN, "list"),
        (LIVE.replace(" | ", "\t"), "text"),
        ("\n".join(ROWS), "table"),
        ("\n".join(ROWS[1:]), "table"),
    ],
    ids=["no separator", "in a list", "tabs", "no header", "header and first row gone"],
)
def test_a_table_that_is_none_or_has_lost_its_header(now: str, kind: str) -> None:
    finding = judged("tables_lost", now, kind)
    assert (finding.passed, finding.level, finding.value) == (False, "warning", 1.0)


@pytest.mark.parametrize(
    ("now", "kind"),
    [
        (LIVE, "table"),
        (LIVE.replace(HEADER, "Piece | Number | Price in euro"), "table"),
        ("\n".join([HEADER, *ROWS[2:]]), "table"),
        ("\n".join([HEADER + " | Note", *(f"{row} | none" for row in ROWS)]), "table"),
        ("Use cat a | sort | uniq to count them.\nUse cat b | sort | uniq for the others.", "text"),
        ("Fans cost 20 EUR.\nLamps cost 8 EUR.\nDoors cost 90 EUR.", "text"),
        (MARKDOWN, "code"),
        ("|licence| |version|\n|state| |chat|\n|doi| |mail|", "text"),
    ],
)
def test_a_table_with_another_header_and_text_with_pipes_are_whole(now: str, kind: str) -> None:
    assert judged("tables_lost", now, kind).passed


def test_a_new_document_is_judged_by_itself() -> None:
    assert not judged("tables_lost", MARKDOWN, "text", live=None).passed
    assert judged("tables_lost", "\n".join(ROWS), live=None).passed


def turned(row: str) -> str:
    first, *others = row.split(" | ")
    return " | ".join((*others, first))


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([turned(row) for row in ROWS], "4 rows have their cells in another order"),
        ([*ROWS[:2], *map(turned, ROWS[2:])], "2 rows have their cells in another order"),
        (
            ["HG3-1 | hat | 1 EUR", "HG3-2 | cap | 2 EUR", "HG3-3 | lid | 3 EUR"],
            "columns 1, 2 hold another kind of values",
        ),
        (
            ["hat | 2026-01-02 | tall", "cap | 2026-01-03 | long", "lid | 2026-02-02 | wide"],
            "columns 2, 3 hold another",
        ),
    ],
)
def test_cells_in_other_columns_under_the_same_header(rows: list[str], reason: str) -> None:
    finding = judged("columns_shifted", "\n".join([HEADER, *rows]))
    assert (finding.passed, finding.level) == (False, "warning")
    assert finding.samples[0]["reason"].startswith(reason)


@pytest.mark.parametrize(
    "now",
    [
        "\n".join([HEADER, *reversed(ROWS)]),
        "\n".join([turned(HEADER), *map(turned, ROWS)]),
        "\n".join([HEADER, turned(ROWS[0]), *ROWS[1:]]),
        "\n".join([HEADER, *(row.replace("EUR", "on request") for row in ROWS)]),
        f"{HEADER}\nhat | HG3-1 | 1 EUR\ncap | HG3-2 | none",
    ],
    ids=["sorted", "columns exchanged", "one row corrected", "one column otherwise", "other rows"],
)
def test_edits_of_a_table_are_no_shift(now: str) -> None:
    assert judged("columns_shifted", now).passed
