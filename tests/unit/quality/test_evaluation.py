"""Measures on source spans, and the checks that judge them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from kprep.core.errors import QualityError
from quality import evaluate, run_gate
from quality.evaluation import Ask, rank
from quality.spec import Expected, Hit, Question, Thresholds
from quality.text import contains, covered_by_parts, words
from tests.unit.quality.builder import (
    CHUNKS,
    QUESTIONS,
    SALARY,
    TRAVEL,
    ask_question,
    failed_codes,
    make_candidate,
    make_chunk,
    one,
    search,
    with_text,
)

D = "people/doc.md"


def hits(*texts: str, uri: str = D) -> list[Hit]:
    return [Hit(f"c{number}", uri, text) for number, text in enumerate(texts)]


def expecting(*quotes: str) -> Question:
    return ask_question("q", "what?", "natural", *((D, quote) for quote in quotes))


@pytest.mark.req("C4.2", "C4.3", "C4.4", "C4.5")
def test_recall_counts_spans_and_rank_the_first_of_them() -> None:
    found = rank(
        expecting("two spans here", "the other one", "never said"), hits("noise", "the other one", "two spans here")
    )
    assert found.first_rank == 2
    assert found.reciprocal_rank == 0.5
    assert found.recall_at_5 == pytest.approx(2 / 3)


@pytest.mark.req("C4.12")
def test_measures_are_those_with_a_definition() -> None:
    named = evaluate([], lambda _question, _depth: []).measures().to_json()
    assert set(named) == {"n", "total", "failed", "hit@1", "hit@5", "recall@5", "mrr"}


@pytest.mark.req("C4.5")
def test_below_the_cutoff_of_ten_nothing_counts() -> None:
    found = rank(expecting("the very words"), hits(*["noise"] * 10, "the very words"))
    assert (found.first_rank, found.reciprocal_rank, found.recall_at_5) == (None, 0.0, 0.0)


def test_between_rank_five_and_ten_only_the_reciprocal_rank_counts() -> None:
    found = rank(expecting("the very words"), hits(*["noise"] * 6, "the very words"))
    assert (found.first_rank, found.recall_at_5) == (7, 0.0)


def test_duplicates_keep_their_place_and_find_nothing_new() -> None:
    found = rank(expecting("the very words", "other words too"), hits(*["the very words"] * 5, "other words too"))
    assert found.recall_at_5 == 0.5
    twice = replace(expecting("the very words"), expected=(Expected(D, "the very words"),) * 2)
    assert rank(twice, hits("the very words")).recall_at_5 == 1.0


def test_the_words_of_another_document_do_not_count() -> None:
    assert rank(expecting("the very words"), hits("the very words", uri="people/copy.md")).first_rank is None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("He said the quote is", "cut in two. Then he left."),
        ("cut in two. Then he left.", "He said the quote is"),
        ("He said the quote is cut", "quote is cut in two. Then he left."),
    ],
)
def test_a_quote_cut_at_a_chunk_border_is_found_when_both_parts_are(first: str, second: str) -> None:
    question = expecting("The quote is cut in two")
    assert rank(question, hits(first, "noise", second)).first_rank == 3
    assert rank(question, hits(first, "noise")).first_rank is None
    assert rank(question, hits(second, second)).first_rank is None
    assert rank(question, hits(first, *["noise"] * 4, second)).recall_at_5 == 0.0
    assert rank(question, [*hits(first), *hits(second, uri="people/copy.md")]).first_rank is None


def test_a_chunk_may_lie_wholly_inside_a_quote() -> None:
    parts = [words(text) for text in ("end of it", "so he began one two", "three four")]
    assert covered_by_parts(parts, words("one two three four end of"))
    assert not covered_by_parts([words("b a")], words("a b"))


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("**Hotel** costs,\n  up to 140 EUR", "hotel costs, up to １４０ EUR"),
        ("| UN 3481 | lithium |", "UN 3481 lithium"),
        ("每晚最高报销一百四十欧元，含早餐", "最高报销 一百四十欧元"),
        ("ask <EMAIL_1f3a9c> first", "ask <EMAIL_ffffff> first"),
        ("a soft\u00adware update", "software update"),
    ],
)
def test_a_quote_is_compared_by_its_words(text: str, quote: str) -> None:
    assert contains(words(text), words(quote))


@pytest.mark.parametrize(
    ("text", "quote"),
    [("UN 3481", "UN 348"), ("ask <EMAIL_1f3a9c> first", "ask <PHONE_1f3a9c> first"), ("not able", "notable")],
)
def test_other_words_are_not_the_quote(text: str, quote: str) -> None:
    assert not contains(words(text), words(quote))


@pytest.mark.req("C1.6", "D9.1")
def test_cutting_the_chunks_anew_breaks_no_label() -> None:
    texts = ["Hotel costs are reimbursed up to 140", "EUR per night, breakfast included."]
    again = [make_chunk(TRAVEL, number, text) for number, text in enumerate(texts)]
    before = evaluate(QUESTIONS[:1], search(CHUNKS)).measures()
    after = evaluate(QUESTIONS[:1], search(again)).measures()
    assert before.recall_at_5 == after.recall_at_5 == 1.0


def test_measures_are_given_per_class_and_over_all() -> None:
    measured = evaluate(QUESTIONS, search(CHUNKS)).to_json()
    assert measured["overall"]["n"] == 6
    assert set(measured["classes"]) == {"natural", "identifier"}
    assert measured["classes"]["natural"] == {
        "n": 5, "total": 5, "failed": 0, "hit@1": 1.0, "hit@5": 1.0, "recall@5": 1.0, "mrr": 1.0
    }  # fmt: skip


@pytest.mark.req("C4.6")
def test_mrr_is_the_mean_of_reciprocal_ranks() -> None:
    questions = [ask_question(str(n), str(n), "mixed", (D, "the very words")) for n in (0, 1, 3)]
    found = evaluate(questions, lambda question, _: hits(*["noise"] * int(question.id), "the very words"))
    assert found.measures(("mixed",)).mrr == pytest.approx((1 + 1 / 2 + 1 / 4) / 3)
    assert found.measures(("mixed",)).hit_at_1 == pytest.approx(1 / 3)


@pytest.mark.req("C1.7", "C1.8", "C4.8", "C4.9", "C4.10")
def test_no_answer_and_denied_never_enter_an_average() -> None:
    everything = [Hit(chunk.chunk_id, chunk.document_uri, chunk.text) for chunk in CHUNKS]
    ranked = [question for question in QUESTIONS if question.kind not in ("no_answer", "denied")]
    alone, together = (evaluate(asked, lambda *_: everything) for asked in (ranked, QUESTIONS))
    assert alone.measures() == together.measures()
    measured = together.to_json()
    assert measured["no_answer"] == {"n": 1, "total": 1, "answered": 1, "share_answered": 1.0}
    assert measured["denied"] == {"n": 1, "total": 1, "leaking": 1}


def broken_half(question: Question, top_k: int) -> Sequence[Hit]:
    if question.id in ("hotel", "taxi", "offer"):
        raise TimeoutError("the question's words")
    return search(CHUNKS)(question, top_k)


def test_questions_that_raise_are_never_averaged_away() -> None:
    report = run_gate(make_candidate(ask=broken_half))
    assert failed_codes(report) == {"questions_measured": "error", "questions_denied": "error"}
    finding = one(report, "questions_measured")
    assert finding.value == pytest.approx(5 / 8)
    assert {"question_id": "taxi", "error": "TimeoutError"} in finding.samples
    natural = report.evaluation["classes"]["natural"]
    assert (natural["n"], natural["total"], natural["failed"], natural["recall@5"]) == (3, 5, 2, 1.0)


def test_a_ranked_question_without_a_span_cannot_be_measured() -> None:
    question = ask_question("bare", "what?", "natural")
    with pytest.raises(QualityError, match="bare"):
        evaluate([question], search(CHUNKS))
    report = run_gate(make_candidate(questions=(question,)))
    assert one(report, "questions_recall").message == "could not be measured: it raised QualityError"
    assert not report.passed


@pytest.mark.req("D9.1", "C4.11")
def test_recall_and_mrr_under_their_thresholds_block() -> None:
    report = run_gate(make_candidate(ask=lambda *_: hits("nothing of it"), ask_live=None))
    assert failed_codes(report) == {
        "questions_recall": "error",
        "questions_mrr": "error",
        "questions_no_answer": "warning",
    }
    assert {sample["question_id"] for sample in one(report, "questions_recall").samples} >= {"hotel", "code"}


def test_without_thresholds_quality_is_reported_and_not_judged() -> None:
    report = run_gate(make_candidate(ask=lambda *_: hits("nothing of it"), ask_live=None, thresholds=Thresholds()))
    finding = one(report, "questions_recall")
    assert (finding.level, finding.passed, finding.value) == ("info", True, 0.0)


def test_too_few_questions_are_inconclusive() -> None:
    report = run_gate(make_candidate(questions=QUESTIONS[:4], ask=lambda *_: hits("nothing of it")))
    for code in ("questions_recall", "questions_mrr", "questions_worse"):
        assert one(report, code).level == "info"
        assert "inconclusive" in one(report, code).message


def test_classes_of_few_questions_are_judged_together() -> None:
    asked = [replace(question, kind=("natural", "mixed")[at % 2]) for at, question in enumerate(QUESTIONS[:5])]
    fewer = [chunk for chunk in CHUNKS if chunk.document_uri != TRAVEL]
    report = run_gate(make_candidate(fewer, questions=asked, gone=frozenset({TRAVEL})))
    finding = one(report, "questions_worse")
    assert (finding.level, finding.passed) == ("error", False)
    assert "recall@5 of classes natural, mixed was 1.000 and is 0.400 over 5 questions" in finding.message
    assert "all documents that answer 3 of these questions are gone" in finding.message
    assert {row["class"] for row in finding.samples} == {"natural", "mixed"}


@pytest.mark.req("D14.5")
def test_a_class_that_got_worse_blocks() -> None:
    fewer = [chunk for chunk in CHUNKS if chunk.document_uri != TRAVEL]
    report = run_gate(make_candidate(fewer, thresholds=Thresholds(min_questions=5)))
    assert failed_codes(report) == {
        "questions_worse": "error",
        "questions_unanswered": "error",
        "questions_stale": "warning",
    }
    worse = next(finding for finding in report.findings if finding.code == "questions_worse" and not finding.passed)
    assert worse.value == pytest.approx(0.6)
    reason = f"{TRAVEL}: the candidate has no such document"
    told = {"question_id": "hotel", "class": "natural", "was": 1.0, "is": 0.0, "reason": reason}
    assert worse.samples[0] == told


@pytest.mark.parametrize(("lost", "won"), [(1, 0), (2, 1)])
def test_one_question_that_turned_warns_and_does_not_block(lost: int, won: int) -> None:
    good = search(CHUNKS)
    names = ["hotel", "visa", "taxi"]

    def without(gone: Sequence[str]) -> Ask:
        return lambda question, k: [] if question.id in gone else good(question, k)

    report = run_gate(make_candidate(ask=without(names[:lost]), ask_live=without(names[2 : 2 + won])))
    worse = next(finding for finding in report.findings if finding.code == "questions_worse" and not finding.passed)
    assert worse.level == "warning"
    assert worse.value == pytest.approx(0.2)
    assert "by hotel alone" in worse.message or won
    assert [sample["question_id"] for sample in worse.samples] == names[:lost]


def test_a_live_release_that_cannot_be_asked_is_said_and_does_not_block() -> None:
    report = run_gate(make_candidate(ask_live=broken_half))
    assert failed_codes(report) == {"questions_worse": "warning"}
    assert report.evaluation["live"]["overall"]["n"] == 4


@pytest.mark.req("C1.7", "C4.9", "D9.10")
@pytest.mark.parametrize(
    ("leak", "reason"),
    [
        (Hit("x", SALARY, "other words of it"), "hit of a forbidden document"),
        (Hit("x", TRAVEL, "It **needs** the\nsignature."), "holds a forbidden quote"),
    ],
)
def test_what_the_asker_must_not_see_blocks(leak: Hit, reason: str) -> None:
    noise = hits(*["noise"] * 30)
    report = run_gate(
        make_candidate(
            ask=lambda question, _: [*noise, leak] if question.kind == "denied" else search(CHUNKS)(question, 9)
        )
    )
    assert failed_codes(report) == {"questions_denied": "error"}
    assert one(report, "questions_denied").samples[0]["reason"] == reason


@pytest.mark.req("C4.8")
def test_hits_for_a_question_without_an_answer_block_where_the_live_release_gave_none() -> None:
    def noisy(question: Question, top_k: int) -> Sequence[Hit]:
        return search(CHUNKS)(question, top_k) or hits("noise")

    report = run_gate(make_candidate(ask=noisy, ask_live=search(CHUNKS)))
    assert failed_codes(report)["questions_no_answer"] == "error"
    for live in (noisy, None):
        assert failed_codes(run_gate(make_candidate(ask=noisy, ask_live=live)))["questions_no_answer"] == "warning"
    assert one(report, "questions_no_answer").samples == ({"question_id": "roses"},)


def test_a_forbidden_place_that_is_not_there_is_a_stale_label() -> None:
    gone = [chunk for chunk in CHUNKS if chunk.document_uri != SALARY]
    (sample,) = one(run_gate(make_candidate(gone)), "questions_stale").samples
    assert (sample["document_uri"], sample["reason"]) == (SALARY, "the candidate has no such document")
    assert one(run_gate(make_candidate()), "questions_stale").passed


def test_a_label_that_no_chunk_holds_is_named() -> None:
    finding = one(
        run_gate(make_candidate(with_text(5, "Accidents are told to the officer in charge."))), "questions_stale"
    )
    assert not finding.passed
    assert [sample["question_id"] for sample in finding.samples] == ["accident"]
