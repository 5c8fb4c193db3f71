"""What metadata and the form of a question do to a score."""

from __future__ import annotations

from typing import Any

import pytest

from retrieval import fusion, scoring, tokens
from retrieval.listing import best_of_section, fold


def row(text: str = "A text.", fragment: str = "", heading: tuple[str, ...] = (), **metadata: Any) -> dict[str, Any]:
    language = metadata.pop("language", "en")
    return {"text": text, "fragment": fragment, "heading_path": heading, "language": language, "metadata": metadata}


def factors(found: dict[str, Any], question: str, **how: Any) -> dict[str, float]:
    least = how.pop("least_truth", 0.0)
    present = frozenset(how.pop("present", ()))
    return scoring.factors(found, scoring.asked(question, **how), present, least)


@pytest.mark.req("A3.1", "A3.6", "A3.7", "A3.9", "A3.10")
def test_doubtful_content_counts_less_for_facts_than_for_opinions_and_can_be_gated() -> None:
    doubtful = row(truth_confidence=0.4)
    fact, opinion = factors(doubtful, "What is the limit?"), factors(doubtful, "What rumours are there on the limit?")
    assert fact["truth_confidence"] < opinion["truth_confidence"] < 1
    assert factors(doubtful, "What is the limit?", least_truth=0.5)["truth_confidence"] == 0
    assert factors(row(), "What is the limit?") == {}


@pytest.mark.req("A3.2", "A3.8")
def test_the_more_trusted_source_comes_first() -> None:
    primary, forum = row(source_confidence=1.0), row(source_confidence=0.3)
    assert factors(primary, "limit") == {}
    assert factors(forum, "limit") == {"source_confidence": pytest.approx(0.79)}


@pytest.mark.req("A3.3", "A3.11", "A3.14")
def test_simply_and_derive_prefer_different_passages() -> None:
    easy, formula = row(difficulty=0.2), row(fragment="form", difficulty=0.8)
    simple, deep = "Explain simply what an equilibrium is", "Derive the formula of the equilibrium"
    assert factors(easy, simple)["difficulty"] > 1 > factors(formula, simple)["difficulty"]
    assert factors(easy, deep)["difficulty"] < 1 < factors(formula, deep)["difficulty"]
    assert factors(formula, deep)["fragment"] == scoring.FRAGMENT_FACTOR
    assert factors(easy, "equilibrium", difficulty="basic")["difficulty"] > 1


@pytest.mark.req("A3.4", "A3.12")
def test_a_style_that_is_asked_for_is_preferred() -> None:
    assert factors(row(style="formal"), "refund", style="formal") == {"style": scoring.STYLE_FACTOR}
    assert factors(row(style="formal"), "refund", style="conversational") == {}


@pytest.mark.req("A3.5", "A3.13")
@pytest.mark.parametrize(
    ("question", "blocked"),
    [("What is chemical equilibrium?", True), ("What is an equilibrium?", False), ("thermodynamicsX", False)],
)
def test_avoided_words_block(question: str, blocked: bool) -> None:
    found = factors(row(avoid_with=["chemical equilibrium", "thermodynamics"]), question)
    assert (found.get("avoid_with") == 0) == blocked


@pytest.mark.req("A3.13")
@pytest.mark.parametrize(
    ("phrase", "language", "question", "blocked"),
    [
        ("steam engine", "en", "How are steam engines oiled?", True),
        ("steam engine", "en", "Is steam used by the engine?", False),
        ("Dampfmaschine", "de", "Wie werden Dampfmaschinen geölt?", True),
        ("柴油", "zh", "柴油发动机怎么保养", True),
        ("汽油", "zh", "柴油发动机怎么保养", False),
        ("C++", "en", "how is c++ compiled", True),
    ],
)
def test_avoided_words_block_in_every_form(phrase: str, language: str, question: str, blocked: bool) -> None:
    found = factors(row(avoid_with=phrase, language=language), question)
    assert (found.get("avoid_with") == 0) == blocked


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("ERR_CONN_1045", ("err_conn_1045",)),
        ("ERR_CONN_1045 and F0002?", ("err_conn_1045", "f0002")),
        ("Was ist E-117 oder E-118", ("e-117", "e-118")),
        ("fix ERR_CONN_1045", ()),
        ("what is the", ()),
    ],
)
def test_a_question_of_nothing_but_identifiers(question: str, found: tuple[str, ...]) -> None:
    assert scoring.identifiers_alone(question) == found


@pytest.mark.parametrize(
    ("question", "fragment"),
    [
        ("What is a Nash equilibrium?", "def"),
        ("Give me an example of a duopoly", "ex"),
        ("the formula of the payoff", "form"),
        ("How do I cancel an order?", "step"),
        ("什么是均衡", "def"),
        ("Was ist ein Gleichgewicht?", "def"),
        ("Qu'est-ce qu'un équilibre ?", "def"),
        ("¿Qué es un equilibrio?", "def"),
        ("Nenne ein Beispiel für ein Duopol", "ex"),
        ("Donne un exemple de duopole", "ex"),
        ("Da un ejemplo de duopolio", "ex"),
        ("请举例说明双头垄断", "ex"),
        ("Wie lautet die Formel der Auszahlung?", "form"),
        ("la formule du gain", "form"),
        ("la fórmula del pago", "form"),
        ("收益的公式", "form"),
        ("Wie kann ich eine Bestellung stornieren?", "step"),
        ("Comment annuler une commande ?", "step"),
        ("¿Cómo cancelo un pedido?", "step"),
        ("如何取消订单", "step"),
        ("Wofür verwendet man das Gleichgewicht?", "app"),
        ("À quoi sert l'équilibre ?", "app"),
        ("¿Para qué sirve el equilibrio?", "app"),
        ("均衡的应用", "app"),
    ],
)
def test_the_form_of_a_question_prefers_fragments(question: str, fragment: str) -> None:
    assert factors(row(fragment=fragment), question)["fragment"] > 1
    assert "fragment" not in factors(row(fragment="outdated"), question)


@pytest.mark.req("A1.11")
@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What is a Nash equilibrium?", ["def", "ex"]),
        ("Was bedeutet Gleichgewicht?", ["def", "ex"]),
        ("How do I compute an equilibrium?", ["app", "faq", "form", "step"]),
        ("Comment calculer un équilibre ?", ["app", "faq", "form", "step"]),
        ("What is the formula of an equilibrium?", ["form"]),
        ("What is an example of an equilibrium?", ["code", "ex"]),
        ("equilibrium of two players", []),
    ],
)
def test_a_new_concept_wants_definition_and_example_and_a_how_to_formula_and_application(
    question: str, wanted: list[str]
) -> None:
    found = scoring.asked(question).fragments
    assert sorted(found) == wanted
    assert found.get("def", 2.0) > found.get("ex", 1.0)


def test_a_section_or_entry_gives_no_more_hits_than_asked_for() -> None:
    hits = [{"chunk_id": str(number), "parent_id": parent} for number, parent in enumerate("aabab")]
    assert [hit["chunk_id"] for hit in best_of_section(hits, 1)] == ["0", "2"]
    assert [hit["chunk_id"] for hit in best_of_section(hits, 2)] == ["0", "1", "2", "4"]
    assert best_of_section(hits, 0) == hits


@pytest.mark.req("C1.2")
def test_what_explains_a_code_comes_before_what_mentions_it() -> None:
    table = row("Code | Meaning\nERR_CONN_1045 | uplink lost")
    mention = row("The most frequent one is ERR_CONN_1045 during outages.")
    other = row("ERR_CONN_10455 | another code")
    assert factors(table, "ERR_CONN_1045") == {"defines": scoring.DEFINES_FACTOR}
    assert factors(mention, "ERR_CONN_1045") == factors(other, "ERR_CONN_1045") == {}
    assert factors(table, "What does ERR_CONN_1045 mean for me?") == {}, "only a code asked for alone"


@pytest.mark.parametrize(
    ("text", "found"),
    [("ERR_CONN_1045", ("err_conn_1045",)), ("see HS-7 and E19", ("hs-7", "e19")), ("a refund", ()),
     ("4.7.5.1", ("4.7.5.1",))],
)  # fmt: skip
def test_identifiers_of_a_question(text: str, found: tuple[str, ...]) -> None:
    assert tokens.identifiers(text) == found


@pytest.mark.req("D9.4")
def test_what_is_superseded_stands_after_its_successor() -> None:
    old = row(superseded_by=["a/new.md"])
    assert factors(old, "limit", present=["a/new.md"]) == {"superseded": scoring.SUPERSEDED_FACTOR}
    assert factors(old, "limit") == {}


@pytest.mark.req("C2.1", "C2.2", "C2.3", "C2.4", "C2.5", "C2.6")
def test_reciprocal_rank_fusion() -> None:
    ranked = dict(fusion.reciprocal_rank([[("a", 9.0), ("b", 8.0)], [("b", 0.3), ("c", 0.2)]]))
    assert ranked == {
        "b": pytest.approx(1 / 62 + 1 / 61),
        "a": pytest.approx(1 / 61),
        "c": pytest.approx(1 / 62),
    }
    assert dict(fusion.reciprocal_rank([[("a", 1.0)]], constant=0)) == {"a": 1.0}


def test_near_duplicates_are_shown_as_one_but_not_with_other_numbers() -> None:
    text = "Hotel costs are refunded up to 140 EUR per night with breakfast included in every country"

    def hit(uri: str, said: str) -> dict[str, Any]:
        return {"text": said, "document_uri": uri, "citation": f"{uri}#1"}

    said = [("a", text), ("b", text + "."), ("c", text.replace("140", "180")), ("d", text)]
    found, more = fold([hit(*one) for one in said], 10)
    assert ([item["document_uri"] for item in found], more) == (["a", "c"], False)
    assert found[0]["also_in"] == ["b#1", "d#1"]
    found, more = fold([hit(*one) for one in said], 1)
    assert (found[0]["also_in"], more) == (["b#1", "d#1"], True), "those below the hits that are shown are named too"
