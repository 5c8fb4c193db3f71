"""What is abnormal for a document's length, and what only moved."""

from __future__ import annotations

from kprep.core.ids import document_id
from quality.coverage import chunk_count, text_shrunk
from quality.spec import CandidateDocument, DocumentFigures
from tests.unit.quality.builder import TRAVEL, make_candidate, make_chunk


def document(uri: str, chunks: int, chars: int) -> CandidateDocument:
    return CandidateDocument(uri, uri, "internal", DocumentFigures(chunks, chars, 3, "en"), chars, 0.0)


NORMAL = [document(f"{number}.md", 4 + number, 700 * (4 + number) + 10 * number) for number in range(9)]


def odd(chunks: int, chars: int) -> list[str]:
    (finding,) = chunk_count(make_candidate(documents=[*NORMAL, document("odd.md", chunks, chars)]))
    return [sample["document_uri"] for sample in finding.samples]


def test_small_chunks_are_abnormal_in_a_document_and_not_in_a_short_page() -> None:
    assert odd(20, 20 * 40) == ["odd.md"]
    assert odd(5, 5 * 40) == ["odd.md"]
    assert odd(3, 3 * 40) == []
    assert odd(2, 2 * 60_000) == ["odd.md"]


def test_a_document_of_which_the_rest_stands_in_another_file_did_not_shrink() -> None:
    said = ["Hotel costs are reimbursed up to the limit.", "Taxis need a receipt and a very good reason for each ride."]
    figures = [DocumentFigures(1, len(said[0]), 1, "en"), DocumentFigures(2, 3 * len(said[0]), 1, "en")]
    key = document_id("kb", "people", TRAVEL)
    cut = CandidateDocument(key, TRAVEL, "internal", figures[0], 50, 0.0, figures[1])
    own = make_chunk(TRAVEL, 0, said[0])
    for text, passes in ((said[1], True), ("Bicycles stand in the yard behind the house and are free.", False)):
        made = make_candidate(
            [own, make_chunk("people/cabs.md", 0, text)],
            documents=[cut],
            live_text=lambda _: [(("Title",), text) for text in said],
        )
        (finding,) = text_shrunk(made)
        assert finding.passed == passes
