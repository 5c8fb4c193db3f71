"""The gate as a whole: a good candidate passes, each seeded fault is found by its check, nothing fails silently."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

import quality
from kprep.core.errors import CorruptDocument, QualityError
from kprep.core.models import Locator
from quality import CHECKS, report_from_json, report_json, run_gate
from quality.spec import CandidateChunk, CheckSpec, Copy, Finding, Hit, Question, Thresholds
from tests.unit.quality.builder import (
    CHUNKS,
    CLIENT,
    CODES,
    TRAVEL,
    changed,
    failed_codes,
    make_candidate,
    make_chunk,
    one,
    with_text,
)

MOJIBAKE = "Die Größe der Ladefläche ist im Handbuch angegeben.".encode().decode("cp1252")


def test_a_good_candidate_passes_every_check() -> None:
    report = run_gate(make_candidate())
    assert failed_codes(report) == {}
    assert report.passed
    assert {finding.code for finding in report.findings} == {*quality.CHECKS, "text_doubtful"}


def test_an_empty_knowledge_base_is_blocked() -> None:
    report = run_gate(make_candidate((), questions=(), listed=0, views={}))
    assert failed_codes(report) == {"release_empty": "error", "questions_measured": "warning"}


@pytest.mark.req("D9.6", "D9.7", "D9.8", "D9.9", "D9.11")
@pytest.mark.parametrize(
    ("code", "level", "changes"),
    [
        ("chunks_empty", "error", {"chunks": with_text(0, " \u200b\n")}),
        ("chunks_empty", "error", {"chunks": changed(0, index_text="")}),
        ("chunks_over_limit", "error", {"chunks": changed(3, tokens=257)}),
        ("vectors_missing", "error", {"chunks": changed(3, has_vector=False)}),
        ("release_empty", "error", {"chunks": ()}),
        ("view_empty", "warning", {"views": {"all": 11, "support": 0}}),
        ("view_empty", "error", {"views": {"all": 11, "support": 0}, "live_views": {"all": 1, "support": 1}}),
        ("documents_failed", "warning", {"listed": 20, "failed": 3}),
        (
            "documents_failed",
            "error",
            {"listed": 20, "failed": 5, "thresholds": Thresholds(recall_at_5=0.85, mrr=0.6, failed_share=0.2)},
        ),
        ("chunks_short", "warning", {"chunks": tuple(replace(c, text="See above.") for c in CHUNKS[:4]) + CHUNKS[4:]}),
        (
            "chunks_short",
            "warning",
            {"chunks": tuple(replace(c, text="员工出差的住宿") for c in CHUNKS[:4]) + CHUNKS[4:]},
        ),
        ("chunks_duplicate", "warning", {"chunks": (*CHUNKS, make_chunk("people/copy.md", 0, CHUNKS[5].text))}),
        ("chunks_repeated", "warning", {"chunks": (*CHUNKS, make_chunk(CODES, 9, CHUNKS[5].text))}),
        ("text_encoding", "error", {"chunks": with_text(5, MOJIBAKE)}),
        ("text_encoding", "error", {"chunks": with_text(5, "Die Gr\ufffd\ufffde der Fl\ufffdche steht im Handbuch.")}),
        ("text_encoding", "error", {"chunks": with_text(5, "日本語の文書".encode().decode("latin-1"))}),
        ("text_doubtful", "warning", {"chunks": with_text(5, "An unknown sign \ufffd stands in " + "long text " * 20)}),
        ("text_doubtful", "warning", {"chunks": with_text(5, "n o i t a t r o p s n a r T of goods by rail")}),
        ("text_doubtful", "warning", {"chunks": with_text(6, 'assert read(b"\\xc3\\xa4") == "Ã¤"')}),
        ("personal_data", "error", {"chunks": with_text(5, "Ask jane@kelvarra.example for the form of the week.")}),
        ("personal_data", "error", {"chunks": changed(5, index_text="jane@kelvarra.example")}),
        ("locator_opens", "error", {"chunks": with_text(5, "These words stand nowhere in that original document.")}),
    ],
)
def test_a_seeded_fault_fails_its_check(code: str, level: str, changes: dict[str, Any]) -> None:
    report = run_gate(make_candidate(**changes))
    assert failed_codes(report)[code] == level
    assert report.passed == ("error" not in failed_codes(report).values())


@pytest.mark.req("D9.8")
def test_duplicates_block_a_release_that_is_not_small() -> None:
    many = [make_chunk("people/long.md", n, f"Paragraph number {n} tells of case {n * 7}.") for n in range(60)]
    copies = [make_chunk("people/copy.md", n, many[n].text + "\n") for n in range(4)]
    assert "chunks_duplicate" not in failed_codes(run_gate(make_candidate([*CHUNKS, *many])))
    finding = one(run_gate(make_candidate([*CHUNKS, *many, *copies])), "chunks_duplicate")
    assert (finding.level, finding.passed) == ("error", False)
    assert finding.value == pytest.approx(8 / 75)
    assert finding.samples[0]["also_in"] == ["people/copy.md"]


@pytest.mark.req("D9.8")
def test_an_odd_document_that_repeats_itself_is_named_and_stops_no_other() -> None:
    many = [make_chunk("people/long.md", n, f"Paragraph number {n} tells of case {n * 7}.") for n in range(60)]
    odd = [make_chunk("people/odd.txt", n, "x" * 900) for n in range(178)]
    report = run_gate(make_candidate([*CHUNKS, *many, *odd]))
    assert one(report, "chunks_duplicate").passed
    repeated = one(report, "chunks_repeated")
    assert (repeated.level, repeated.passed, repeated.samples[0]["times"]) == ("warning", False, 178)
    assert "177 of them of people/odd.txt" in repeated.message
    copied = make_chunk("people/copy.txt", 0, "x" * 900)
    there = {copied.chunk_id: (Copy("people/odd.txt"),)}
    finding = one(run_gate(make_candidate([*CHUNKS, *many, *odd, copied], copies=there)), "chunks_duplicate")
    assert finding.value == pytest.approx(2 / 73)
    assert finding.samples[0]["also_in"] == ["people/copy.txt"]
    few = one(run_gate(make_candidate([*odd, copied])), "chunks_duplicate")
    assert (few.level, few.passed) == ("warning", False)  # two texts, however often said


@pytest.mark.parametrize("text", ["«CAFÉ» und «AMANHû", "Größe, naïve, 5 °C, Łódź", "Прил. Ñandú", "“AMANHÔ — sim"])
def test_right_letters_are_not_mojibake(text: str) -> None:
    assert one(run_gate(make_candidate(with_text(5, text + " stands in the text"))), "text_encoding").passed


def test_a_script_the_model_does_not_know_is_few_tokens_and_not_miscounted() -> None:
    thai = make_chunk(CLIENT, 20, "พนักงานต้องยื่นคำขอลาล่วงหน้าสองสัปดาห์", tokens=3)
    assert one(run_gate(make_candidate([*CHUNKS, thai])), "chunks_over_limit").passed
    uncounted = make_chunk(CLIENT, 20, "Seven words that have not been counted", tokens=2)
    assert not one(run_gate(make_candidate([*CHUNKS, uncounted])), "chunks_over_limit").passed


@pytest.mark.req("D9.9")
def test_code_cut_inside_a_bracket_is_seen_only_where_the_neighbour_closes_it() -> None:
    halves = ("call(first,\n     {'key': [1,", "2]},\n     last)")
    cut = [make_chunk(CLIENT, 20 + n, text, "code") for n, text in enumerate(halves)]
    finding = one(run_gate(make_candidate([*CHUNKS, *cut])), "code_cut")
    assert not finding.passed
    assert {sample["chunk_id"] for sample in finding.samples} == {chunk.chunk_id for chunk in cut}
    alone = run_gate(make_candidate([*CHUNKS, make_chunk(CLIENT, 20, halves[0], "code")]))
    assert one(alone, "code_cut").passed


@pytest.mark.req("D9.3")
def test_an_original_that_does_not_open_counts_as_failed_with_its_error() -> None:
    def broken(chunk: CandidateChunk) -> str:
        if chunk.document_uri == TRAVEL:
            raise CorruptDocument("the archive has no end")
        if chunk.document_uri == CODES:
            raise OSError("text of the document")
        return chunk.text

    finding = one(run_gate(make_candidate(open_original=broken)), "locator_opens")
    assert not finding.passed
    assert finding.value == pytest.approx(5 / 11)
    reasons = {sample["reason"] for sample in finding.samples}
    assert reasons == {"cannot be opened: CorruptDocument: the archive has no end", "cannot be opened: OSError"}


@pytest.mark.req("D9.3")
def test_the_locator_sample_is_spread_over_documents_and_looks_at_new_chunks_only() -> None:
    opened: list[CandidateChunk] = []

    def record(chunk: CandidateChunk) -> str:
        opened.append(chunk)
        return chunk.text

    old = tuple(replace(chunk, is_new=chunk.document_uri != TRAVEL) for chunk in CHUNKS)
    good = make_candidate(old, open_original=record)
    run_gate(replace(good, thresholds=replace(good.thresholds, locator_sample=4)))
    first, opened = opened, []
    run_gate(replace(good, chunks=old[::-1], thresholds=replace(good.thresholds, locator_sample=4)))
    assert opened == first
    assert len({chunk.document_uri for chunk in first}) == len(first) == 4
    assert TRAVEL not in {chunk.document_uri for chunk in first}


def test_a_table_header_repeated_in_a_later_chunk_need_not_stand_at_its_place() -> None:
    rows = {
        3: "ERR_CONN_1045 uplink lost and the local buffer is almost full",
        4: "ERR_SENS_1207 | ice on the probe suspected, reading unchanged",
    }
    header = "Code of the device | Meaning of the code"
    chunks = list(CHUNKS)
    for number, row in rows.items():
        text = f"{header}\n{row}"
        chunks[number] = replace(chunks[number], text=text, index_text=text)
    places = {chunks[3].chunk_id: f"{header} {rows[3]}", chunks[4].chunk_id: rows[4]}
    report = run_gate(make_candidate(chunks, open_original=lambda c: places.get(c.chunk_id, c.text)))
    assert one(report, "locator_opens").passed


def test_findings_spread_no_personal_data_and_little_text() -> None:
    text = "Ask jane@kelvarra.example about Größe".encode().decode("cp1252")
    chunks = (*with_text(5, text), make_chunk(CODES, 9, text), make_chunk(CODES, 10, MOJIBAKE * 3))
    report = json.dumps(report_json(run_gate(make_candidate(chunks))), ensure_ascii=False)
    assert "jane" not in report
    assert MOJIBAKE[:80] in report
    assert MOJIBAKE * 3 not in report


def test_a_check_that_raises_or_gives_nothing_is_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> Sequence[Finding]:
        raise KeyError("text of the document")

    checks = {"silent": CheckSpec("silent", lambda _: ()), "broken": CheckSpec("broken", broken)}
    monkeypatch.setattr(quality, "CHECKS", MappingProxyType(dict(quality.CHECKS) | checks))
    report = run_gate(make_candidate())
    assert failed_codes(report) == {"silent": "error", "broken": "error"}
    assert one(report, "broken").message == "could not be measured: it raised KeyError"
    assert not report.passed


def test_a_scan_that_raises_blocks() -> None:
    def broken(_: str) -> Sequence[str]:
        raise RuntimeError

    report = run_gate(make_candidate(scan_text=broken))
    assert one(report, "personal_data").message == "could not be measured: it raised RuntimeError"
    assert not report.passed


def test_every_question_is_asked_once_per_release() -> None:
    asked: list[str] = []
    good = make_candidate()

    def count(question: Question, top_k: int) -> Sequence[Hit]:
        asked.append(question.id)
        return good.ask(question, top_k)

    run_gate(replace(good, ask=count))
    assert sorted(asked) == sorted(question.id for question in good.questions)


def test_every_failed_finding_says_what_to_do() -> None:
    report = run_gate(make_candidate(with_text(5, MOJIBAKE, tokens=300, has_vector=False), failed=3, views={"a": 0}))
    messages = [finding.message for finding in report.findings if not finding.passed]
    assert len(messages) >= 6
    assert all(": " in message and len(message) > 60 for message in messages)


def test_the_report_goes_to_json_and_back() -> None:
    report = run_gate(make_candidate(with_text(5, MOJIBAKE)))
    value = json.loads(json.dumps(report_json(report)))
    assert report_json(report_from_json(value)) == value
    assert set(value["checks"][0]) == {"code", "level", "passed", "value", "threshold", "message", "samples"}
    with pytest.raises(QualityError, match="its findings do not"):
        report_from_json(value | {"status": "passed"})
    with pytest.raises(QualityError, match="no gate report"):
        report_from_json({"status": "passed"})


def test_the_same_candidate_gives_the_same_report() -> None:
    candidate = make_candidate(with_text(5, MOJIBAKE))
    assert run_gate(candidate) == run_gate(candidate)


def test_copies_outside_of_what_is_looked_at_count() -> None:
    candidate = make_candidate(total=1000, copies={CHUNKS[0].chunk_id: (Copy("people/other.md"),)})
    finding = one(run_gate(candidate), "chunks_duplicate")
    assert finding.value == pytest.approx(0.001)
    assert finding.samples[0]["also_in"] == ["people/other.md"]
    assert finding.passed


@pytest.mark.parametrize(
    ("own", "section", "other", "there"),
    [
        (("staff",), None, ("public",), "open_in"),
        (("staff",), None, ("board", "staff"), "open_in"),
        (("staff",), ("board",), ("board", "staff"), "open_in"),
        (("public",), None, ("staff",), "closed_in"),
        (("board", "staff"), None, ("staff",), "closed_in"),
        (("staff",), None, (), "closed_in"),
        (("staff",), None, ("staff",), ""),
        (("staff",), None, ("board",), ""),
        (("public",), None, ("public", "staff"), ""),
    ],
)
def test_a_text_that_has_more_readers_in_another_document_is_told(
    own: tuple[str, ...], section: tuple[str, ...] | None, other: tuple[str, ...], there: str
) -> None:
    chunk = replace(CHUNKS[0], text=f"{CHUNKS[0].text} Ask before you book.", acl=own, section_acl=section)
    copies = {chunk.chunk_id: (Copy("people/other.md", other),)}
    finding = one(run_gate(make_candidate([chunk, *CHUNKS[1:]], copies=copies)), "copies_wider")
    assert finding.level == "warning"
    assert finding.passed == (there == "")
    for sample in finding.samples:
        assert sample[there] == "people/other.md"
        assert sample["readers_there"] == sorted(other)
        assert sample["text"]
    short = make_candidate(copies={CHUNKS[-1].chunk_id: (Copy("people/other.md", ("public",)),)})
    assert one(run_gate(replace(short, chunks=[replace(CHUNKS[-1], text="See above.")])), "copies_wider").passed


def test_a_vector_missing_in_an_unchanged_chunk_blocks() -> None:
    assert failed_codes(run_gate(make_candidate(without_vector=1)))["vectors_missing"] == "error"


def test_references_that_are_looked_up_need_not_stand_in_the_order_of_their_file() -> None:
    first, second = (make_chunk("api/orders.yaml", at, "an order is sent") for at in range(2))
    places = [replace(first, locator=Locator(line=(90, 95))), replace(second, locator=Locator(line=(2, 9)))]
    for parser, passed in (("openapi@2", True), ("yaml_config@1", True), ("markdown@4", False)):
        candidate = replace(make_candidate(), chunks=[replace(chunk, parser=parser) for chunk in places])
        (finding,) = CHECKS["reading_order"].run(candidate)
        assert finding.passed is passed


@pytest.mark.parametrize(
    ("parser", "places", "passed"),
    [
        ("epub@5", [Locator(line=(90, 95), anchor="a#end"), Locator(line=(2, 9), anchor="b#start")], True),
        ("epub@5", [Locator(line=(90, 95), anchor="a#end"), Locator(line=(2, 9), anchor="a#start")], False),
        ("mbox@5", [Locator(line=(90, 95), message="1"), Locator(line=(2, 9), message="2")], True),
        ("mbox@5", [Locator(line=(90, 95), message="1"), Locator(line=(2, 9), message="1")], False),
    ],
)
def test_lines_are_counted_anew_in_each_file_of_a_book_and_each_message(
    parser: str, places: list[Locator], passed: bool
) -> None:
    chunks = [
        replace(make_chunk("books/guide", at, "an order is sent"), parser=parser, locator=place)
        for at, place in enumerate(places)
    ]
    (finding,) = CHECKS["reading_order"].run(replace(make_candidate(), chunks=chunks))
    assert finding.passed is passed
