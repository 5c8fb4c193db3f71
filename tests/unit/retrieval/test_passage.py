"""The passage of a hit, and what a chunk gains from its neighbours."""

from __future__ import annotations

from typing import Any

from retrieval import fusion, passage, tokens

TEXT = "The canteen is open daily.\nRefunds are paid within a week. They reach your card.\nParking is free."


def hit(text: str = TEXT, kind: str = "text", score: float = 1.0, **locator: Any) -> dict[str, Any]:
    return {"text": text, "kind": kind, "score": score, "locator": locator, "metadata": {"language": "en"}}


def passages(question: str, *hits: dict[str, Any]) -> list[str]:
    terms = tokens.query_terms(question)
    passage.add(hits, terms, dict.fromkeys(terms.values(), 1.0))
    return [item["passage"]["text"] for item in hits]


def test_a_passage_goes_from_the_first_to_the_last_sentence_that_speaks_to_the_question() -> None:
    assert passages("refund parking", hit()) == [TEXT], "what stands beside a sentence that speaks belongs to it"
    apart = "The canteen is open. It is warm. Refunds are paid. They reach your card. The sky is blue. Birds sing."
    assert passages("refund paid", hit(apart)) == ["It is warm. Refunds are paid. They reach your card."]


def test_a_sentence_is_measured_by_the_best_of_all_hits_and_no_hit_is_left_without_one() -> None:
    weak = hit("A card is lost. It is blue. The sky is blue.")
    terms = tokens.query_terms("refund card")
    passage.add([hit(), weak], terms, {"refund": 10.0, "card": 0.5})
    assert weak["passage"]["text"] == "A card is lost."


def test_a_weaker_hit_is_cut_closer() -> None:
    text = "Refunds are paid. Birds sing. The sky is blue. A card is lost."
    terms = tokens.query_terms("refund card")
    cut = {}
    for score in (1.0, 0.1):
        weak = hit(text, score=score)
        passage.add([hit(), weak], terms, {"refund": 10.0, "card": 4.0})
        cut[score] = weak["passage"]["text"]
    assert cut == {1.0: text, 0.1: "Refunds are paid."}


def test_tables_code_and_hits_without_a_word_of_the_question_stay_whole() -> None:
    assert passages("refund", hit("refund | 1\nparking | 2", kind="table"), hit("Parking. Free.")) == [
        "refund | 1\nparking | 2",
        "Parking. Free.",
    ]


def test_a_passage_has_its_own_place_where_the_text_is_a_slice_of_the_original() -> None:
    exact, marked = hit(char=[100, 100 + len(TEXT)], line=[7, 9]), hit(char=[100, 900], line=[7, 9])
    passages("refund paid", exact, marked)
    end = TEXT.index("Parking") - 1
    assert (exact["passage"]["start"], exact["passage"]["end"]) == (0, end)
    assert exact["passage"]["locator"] == {"char": [100, 100 + end], "line": [7, 8]}
    assert marked["passage"]["locator"] == {"char": [100, 900], "line": [7, 9]}


def test_a_chunk_gains_a_share_of_the_best_score_near_it_in_its_section() -> None:
    rows = {
        name: {"document_uri": "a", "parent_id": parent, "ordinal": at, "locator": {}}
        for name, parent, at in (
            ("one", "p", 0),
            ("two", "p", 1),
            ("three", "p", 2),
            ("four", "p", 3),
            ("five", "q", 4),
        )
    }
    scores = {"one": 0.5, "two": 0.4, "three": 1.0, "four": 0.8, "five": 0.9}
    gains = fusion.neighbours(scores, rows, 0.2)
    assert gains == {"one": 1.2, "two": 1.5, "three": 1.16, "four": 1.25}, "half from two away, none of another section"
    assert fusion.neighbours({"one": 0.5, "four": 1.0}, rows, 0.2) == {}, "three apart"
    assert fusion.neighbours(scores, rows, 0.0) == {}
    said = {name: row | {"locator": {"message": name}} for name, row in rows.items()}
    assert fusion.neighbours(scores, said, 0.2) == {}
