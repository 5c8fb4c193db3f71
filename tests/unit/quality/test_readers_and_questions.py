"""What a finding on readers and on fixed questions says, and when it is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import pytest

from quality import run_gate
from quality.readers import copies_wider, readers_lost
from quality.regression import questions_stale, questions_unanswered, questions_worse
from quality.spec import Candidate, CandidateDocument, DocumentFigures, Finding, Hit, Question
from tests.unit.quality.builder import CHUNKS, CODES, QUESTIONS, TRAVEL, make_candidate, make_chunk, one, search

TODAY = date(2026, 6, 1)


def document(uri: str, before: Sequence[str], now: Sequence[str], valid_from: date | None = None) -> CandidateDocument:
    key = make_chunk(uri, 0, "x").document_id
    figures = DocumentFigures(1, 10, 1, "en", tuple(now), valid_from)
    return CandidateDocument(key, uri, "internal", figures, 10, 0.0, DocumentFigures(1, 10, 1, "en", tuple(before)))


def losing(*documents: CandidateDocument) -> Candidate:
    return make_candidate(documents=documents, today=TODAY, live_documents=10)


@pytest.mark.req("D9.10")
@pytest.mark.parametrize(
    ("before", "now", "lost"),
    [
        (["staff"], ["stafff"], ["staff"]),
        (["staff"], [], ["staff"]),
        (["public"], ["staff"], ["public"]),
        (["board", "staff"], ["staff"], ["board"]),
        (["staff"], ["public"], None),
        (["staff"], ["board", "staff"], None),
    ],
)
def test_who_lost_a_document_is_told(before: list[str], now: list[str], lost: list[str] | None) -> None:
    (finding,) = readers_lost(losing(document(TRAVEL, before, now)))
    assert finding.level == "warning"
    assert [row["lost"] for row in finding.samples] == ([lost] if lost else [])
    assert finding.value == (0.1 if lost else 0.0)


def test_a_whole_source_is_one_row() -> None:
    (finding,) = readers_lost(losing(*(document(f"people/{number}.md", ["staff"], ["hr"]) for number in range(9))))
    (row,) = finding.samples
    assert (row["source"], row["documents"], row["readers"]) == ("people", 9, ["hr"])


def test_a_document_that_is_not_valid_yet_is_lost_today() -> None:
    later = document(TRAVEL, ["staff"], ["staff"], date(2062, 7, 1))
    (finding,) = readers_lost(losing(later))
    assert finding.samples[0]["reason"] == "it is valid only from 2062-07-01"
    ended = replace(losing(later), replaced={TRAVEL: ("people/newer.md",)})
    assert readers_lost(ended)[0].passed, "what is superseded ends as it should"


def test_what_was_narrowed_and_not_taken_up_is_told() -> None:
    (finding,) = readers_lost(replace(losing(), narrowed={TRAVEL: (("staff",), ()), CODES: (("staff",), ("staff",))}))
    assert [row["document_uri"] for row in finding.samples] == [TRAVEL]


def silent(question: Question, top_k: int) -> Sequence[Hit]:
    return [] if question.id in ("hotel", "visa") else search(CHUNKS)(question, top_k)


def test_questions_the_live_release_leaves_unanswered_too_block_nothing() -> None:
    (as_before,) = questions_unanswered(make_candidate(ask=silent, ask_live=silent))
    assert (as_before.level, as_before.passed) == ("warning", False)
    assert ", 2 in the live release" in as_before.message
    assert questions_unanswered(make_candidate(ask=silent))[0].level == "error"
    assert questions_unanswered(make_candidate(ask=silent, ask_live=None))[0].level == "error"


def moved() -> Candidate:
    """The travel rules, all of them, in another document."""
    chunks = [
        make_chunk("people/hotels.md", chunk.ordinal, chunk.text, chunk.kind) if chunk.document_uri == TRAVEL else chunk
        for chunk in CHUNKS
    ]
    return make_candidate(chunks, gone=frozenset((TRAVEL,)))


def test_an_answer_that_moved_word_for_word_is_not_worse() -> None:
    candidate = moved()
    assert all(finding.passed for finding in questions_worse(candidate))
    assert one(run_gate(candidate), "questions_recall").passed
    (stale,) = questions_stale(candidate)
    rows = [row for row in stale.samples if row["document_uri"] == TRAVEL]
    assert [row["moved_to"] for row in rows] == ["people/hotels.md"] * len(rows)
    assert "3 of them stand word for word in another one now" in stale.message


def test_an_answer_that_moved_where_the_asker_does_not_find_it_is_worse() -> None:
    candidate = moved()
    kept = [chunk for chunk in candidate.chunks if chunk.document_uri != "people/hotels.md"]
    finding = questions_worse(replace(candidate, ask=search(kept)))[0]
    assert not finding.passed
    assert "stands in people/hotels.md now" in finding.samples[0]["reason"]


def test_a_superseded_answer_is_the_reason_why_a_question_got_worse() -> None:
    kept = [chunk for chunk in CHUNKS if chunk.document_uri != TRAVEL]
    candidate = make_candidate(ask=search(kept), replaced={TRAVEL: ("people/travel-2.md",)})
    finding = questions_worse(candidate)[0]
    assert f"{TRAVEL} is superseded by people/travel-2.md" in finding.samples[0]["reason"]
    assert {question.id for question in QUESTIONS} >= {row["question_id"] for row in finding.samples}


SECRET = "Grade E4 is paid between 63,000 and 79,000 EUR a year, and grade E5 between 80,000 and 99,000 EUR a year."


def copied(sensitivity: str, there: str, readers: tuple[str, ...] = ("people-team",), more: int = 0) -> Finding:
    """A new paragraph for the staff that an unchanged document holds, and `more` new pages with it as well."""
    kept = make_chunk("pay/bands.md", 0, SECRET, is_new=False, acl=readers, sensitivity=there)
    pages = [
        make_chunk(f"people/{number}.md", 0, f"Of page {number}. {SECRET}", acl=("staff",), sensitivity=sensitivity)
        for number in range(more + 1)
    ]
    (finding,) = copies_wider(make_candidate([*CHUNKS, *pages, kept], near=lambda _: [kept]))
    return finding


@pytest.mark.req("D9.10")
def test_a_text_of_a_more_sensitive_document_is_told_where_others_read_it() -> None:
    finding = copied("internal", "Confidential")
    (row,) = finding.samples
    assert (row["document_uri"], row["closed_in"], row["sensitivity_there"]) == (
        "people/0.md", "pay/bands.md", "Confidential",
    )  # fmt: skip
    assert not copied("intern", "vertraulich").passed, "words of their own only differ"
    assert copied("confidential", "confidential").passed, "the same paragraph in two departments"
    assert copied("confidential", "internal").passed, "less sensitive there"
    assert copied("internal", "confidential", ("people-team", "staff")).passed, "who reads the one may read the other"
    assert copied("internal", "confidential", more=4).passed, "what stands everywhere is boilerplate"


def test_what_readers_find_elsewhere_already_is_not_given_away() -> None:
    kept = make_chunk("pay/bands.md", 0, SECRET, is_new=False, acl=("people-team",), sensitivity="confidential")
    known = make_chunk("people/old.md", 0, SECRET, is_new=False, acl=("staff",), sensitivity="internal")
    new = make_chunk("people/new.md", 0, SECRET, acl=("staff",), sensitivity="internal")
    candidate = make_candidate([*CHUNKS, new, kept], near=lambda _: [kept])
    assert not copies_wider(candidate)[0].passed
    assert copies_wider(replace(candidate, near=lambda _: [kept, known]))[0].passed
