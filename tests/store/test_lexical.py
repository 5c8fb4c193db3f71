"""BM25 in PostgreSQL against the formula in plain Python."""

from __future__ import annotations

import math
from collections import Counter, defaultdict

import pytest

from flows.run import roll_back
from kprep.core.errors import RetrievalError
from retrieval import tokens
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.pages import FOUR, REFUNDS, page

QUESTIONS = ("When is a refund paid?", "travel allowance in Norway", "paid leave of the safety officer", "zebra")


def bm25(base: TestBase, question: str, k1: float = 1.5, b: float = 0.75) -> dict[str, float]:
    """Scores of all published chunks, by text."""
    weights = base.workspace.lexical_weights
    counted: dict[str, Counter[str]] = {}
    for chunk in base.content():
        fields = {
            "title": chunk["document_title"],
            "heading_path": "\n".join(chunk["heading_path"]),
            "keywords": "\n".join(chunk["keywords"]),
            "text": chunk["text"],
        }
        counted[chunk["text"]] = tokens.weighted_terms(fields, chunk["language"], weights)
    number = len(counted)
    average = sum(terms.total() for terms in counted.values()) / number
    scores: defaultdict[str, float] = defaultdict(float)
    forms = tokens.query_terms(question)
    for word in set(forms.values()):
        terms = [term for term, of in forms.items() if of == word]
        held = {key: sum(found[term] for term in terms) for key, found in counted.items()}
        frequency = sum(tf > 0 for tf in held.values())
        idf = math.log(1 + (number - frequency + 0.5) / (frequency + 0.5))
        for key, tf in held.items():
            if tf:
                scores[key] += idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * counted[key].total() / average))
    return dict(scores)


def check(base: TestBase) -> None:
    visible = {chunk["text"] for chunk in base.content() if chunk["uri"].removeprefix("docs/") in base.uris()}
    for question in QUESTIONS:
        expected = {key: score for key, score in bm25(base, question).items() if key in visible}
        found = {hit["text"]: hit["score"] for hit in base.search(question, "lexical", top_k=100)}
        assert found == pytest.approx(expected, abs=2e-6), question


@pytest.mark.req("B4.4", "B4.5", "C6.1")
def test_scores_are_those_of_the_formula_in_every_release(make_base: MakeBase) -> None:
    base = make_base(FOUR)
    base.run()
    check(base)
    base.delete("travel.md")
    base.write("refunds.md", REFUNDS.replace("fourteen", "thirty"))
    base.write(
        "new.md", page("Keys", "Keys are handed out at the reception, against a signature.", "A lost key is paid.")
    )
    base.run()
    check(base)
    base.block()
    base.write("safety.md", page("Safety", "A zebra crossing is safe for the travel of the safety officer."))
    assert base.run()["status"] == "blocked"
    check(base)
    roll_back(base.workspace, 1, dry_run=False)
    check(base)
    base.unblock()
    assert base.run()["status"] == "published"
    check(base)


@pytest.mark.req("B4.5")
def test_title_of_a_document_counts_as_it_is_now(make_base: MakeBase) -> None:
    base = make_base(
        {**FOUR, "plain.md": page("Zebra crossings", "Cars wait for people.", front_matter="title: Traffic")}
    )
    base.run()
    check(base)
    base.write("plain.md", page("Zebra crossings", "Cars wait for people.", front_matter="title: Zebra rules"))
    base.run()
    check(base)


@pytest.mark.req("B4.5")
def test_constants_are_those_of_the_release(make_base: MakeBase) -> None:
    base = make_base(FOUR, retrieval={"lexical": {"k1": 0.9, "b": 0.4}})
    base.run()
    found = {hit["text"]: hit["score"] for hit in base.search(QUESTIONS[0], "lexical", top_k=100)}
    assert found == pytest.approx(bm25(base, QUESTIONS[0], 0.9, 0.4), abs=2e-6)


def test_f22_release_of_another_tokenizer_is_refused_until_it_is_indexed_anew(
    make_base: MakeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = make_base(FOUR)
    base.run()
    monkeypatch.setattr(tokens, "TOKENIZER_VERSION", tokens.TOKENIZER_VERSION + 1)
    with pytest.raises(RetrievalError, match="another tokenizer"):
        base.search(QUESTIONS[0], "lexical")
    summary = base.run()
    assert (summary["status"], summary["work"]["parsed"], summary["work"]["embedded"]) == ("published", 0, 0)
    check(base)
