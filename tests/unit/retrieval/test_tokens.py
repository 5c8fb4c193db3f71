"""One tokenizer for chunks and questions, weights by repetition, and the arithmetic of BM25 and weighted fusion."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest

from kprep.store.lexical import Postings
from retrieval import bm25, fusion, tokens
from retrieval.bm25 import Bm25

WEIGHTS = {"title": 3, "heading_path": 2, "keywords": 1, "text": 1}


@pytest.mark.req("B4.1", "B4.2", "B4.3")
def test_words_are_stems_of_their_language_without_stop_words_the_same_for_both_sides() -> None:
    assert tokens.terms("The Refunds of an ORDER", "en") == ["refund:en", "order:en", "refund order:en"]
    assert tokens.terms("Rechnungen", "de") == ["rechnung:de"]
    assert tokens.terms("fatture", "it") == ["fatture"], "no stemmer: the word itself"
    forms = tokens.query_terms("What is refunding?")
    assert set(forms.values()) == {"refunding"}
    assert {"refund:en", "refunding:de", "refunding"} <= forms.keys()


@pytest.mark.req("B4.8")
def test_scripts_without_spaces_are_pairs_and_chinese_characters_alone() -> None:
    assert [word for word, _ in tokens.words("年休的", "zh")] == ["年", "休", "年休", "休的"]
    assert [word for word, _ in tokens.words("วัน ร", "th")] == ["วั", "ัน", "ร"]


def test_identifiers_are_kept_whole_and_their_parts_are_found_as_words() -> None:
    assert tokens.terms("ERR_CONN_1045", "en") == ["err_conn_1045", "err:en", "conn:en", "1045"]
    assert "policies/v1" in tokens.query_terms("policies/v1")


def test_an_identifier_is_looked_up_in_its_other_spellings() -> None:
    for written in ("ErrConn1045", "ERR-CONN-1045", "err.conn.1045"):
        assert tokens.query_terms(written)["err_conn_1045"] == written.casefold()
    assert tokens.query_terms("the e-mail address")["email:en"] == "e-mail"
    assert tokens.query_terms("get_user_by_id")["getuserbyid"] == "get_user_by_id"
    assert tokens.query_terms("BX12")["bx-12"] == "bx12"
    assert tokens.query_terms("reading.pressure_bar")["pressure_bar"] == "reading.pressure_bar"


@pytest.mark.parametrize("asked", ["/v1/orders/123", "/v1/orders/{order_id}", "/v1/orders/9f1c2d3e4a5b"])
def test_a_path_is_found_whatever_stands_for_its_values(asked: str) -> None:
    indexed = [word for word, _ in tokens.words("GET /v1/orders/{id}", "en")]
    assert "/v1/orders/{}" in indexed
    assert "/v1/orders/{}" in tokens.query_terms(asked)
    assert "/v1/orders/{}" not in tokens.query_terms("/v1/orders/latest")


@pytest.mark.req("A2.9", "A2.10")
def test_fields_count_by_repetition_and_names_match_as_phrases() -> None:
    fields = {"title": "Nash Equilibrium", "text": "An equilibrium of a game."}
    counts = tokens.weighted_terms(fields, "en", WEIGHTS)
    assert counts["nash:en"] == 3
    assert counts["equilibrium:en"] == 3 + 1
    assert counts["nash equilibrium:en"] == 3
    assert "equilibrium game:en" not in counts, "phrases of running text are not indexed"


@pytest.mark.req("A2.7", "A2.8")
def test_a_name_counts_three_times_and_an_alias_twice() -> None:
    fields = {"name": "Nash equilibrium", "aliases": "Cournot point\nNE", "text": "A game."}
    counts = tokens.weighted_terms(fields, "en", tokens.DEFAULT_WEIGHTS)
    assert [counts[f"{term}:en"] for term in ("nash equilibrium", "cournot point", "ne", "game")] == [3, 2, 2, 1]


@pytest.mark.req("A2.5", "A2.6", "B4.4", "B4.5")
def test_scores_saturate_and_are_normalised_by_length() -> None:
    constants = Bm25(1.5, 0.75, 10, 20.0)

    def packed(*values: int) -> bytes:
        return struct.pack(f"<{len(values)}H", *values)

    postings = [Postings("refund", 0, packed(1, 2), packed(1, 4), packed(20, 40))]
    scores = bm25.score({"refund": "refund"}, postings, np.empty(0, np.int64), constants)
    idf = math.log(1 + (10 - 2 + 0.5) / (2 + 0.5))
    assert scores.of([1])[0] == pytest.approx(idf * 1 * 2.5 / (1 + 1.5))
    assert scores.of([2])[0] == pytest.approx(idf * 4 * 2.5 / (4 + 1.5 * (0.25 + 0.75 * 2)))
    assert scores.of([3])[0] == 0
    postings.append(Postings("rückzahlung", 0, packed(2, 3), packed(2, 1), packed(40, 10)))
    scores = bm25.score({"refund": "refund", "rückzahlung": "refund"}, postings, np.empty(0, np.int64), constants)
    idf = math.log(1 + (10 - 3 + 0.5) / (3 + 0.5))
    assert scores.frequencies == {"refund": 3}
    assert scores.of([2])[0] == pytest.approx(idf * 6 * 2.5 / (6 + 1.5 * (0.25 + 0.75 * 2))), (
        "forms of a word are the word"
    )


@pytest.mark.req("A5.1", "A5.2")
def test_weighted_fusion_is_seventy_to_thirty_over_the_same_chunks() -> None:
    ranked = fusion.convex({"a": 1.0, "b": 0.5}, {"b": 1.0}, 0.7)
    assert [key for key, _ in ranked] == ["b", "a"]
    assert dict(ranked) == {"b": pytest.approx(0.85), "a": pytest.approx(0.3)}
