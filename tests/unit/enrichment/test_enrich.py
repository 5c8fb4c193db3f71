"""Enrichment of hand-made chunks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from embedding.tokenizer import load_tokenizer
from enrichment import enrich, with_language
from enrichment.entities import entities_of
from enrichment.fragments import LEAST, fragment_of
from enrichment.keywords import keywords_of
from enrichment.languages import chunk_language
from enrichment.titles import summary_of
from kprep.core.errors import EnrichmentError
from kprep.core.ids import digest
from kprep.core.models import (
    ChildChunk,
    ChunkedDocument,
    DocumentMetadata,
    Element,
    ElementKind,
    EnrichedDocument,
    Locator,
    ParentChunk,
    RedactedDocument,
)

LINE = Locator(line=(1, 1))

ENGLISH = (
    "The rate limiter counts requests per API key. It answers with an error when a client sends more than one hundred "
    "requests per minute. The rate limiter resets each minute. Ask support to raise the request quota of a key."
)
GERMAN = (
    "Der Antrag auf Urlaub ist schriftlich bei der Personalabteilung zu stellen. Die Personalabteilung entscheidet "
    "innerhalb von zwei Wochen über den Antrag und teilt das Ergebnis den Beschäftigten mit."
)


def count(text: str) -> int:
    return len(text.split()) + 2


def child(text: str, *path: str, kind: str = "text", lead: str = "", key: str = "k1") -> ChildChunk:
    return ChildChunk(key, "p1", kind, path, lead + text, lead, 0, len(text), 0, Locator(line=(1, 2)), ())


def document(*children: ChildChunk, title: str = "Handbook", language: str = "") -> ChunkedDocument:
    parent = ParentChunk("p1", children[0].heading_path, "\n\n".join(c.text for c in children), Locator(line=(1, 2)))
    return ChunkedDocument("s/a", DocumentMetadata(language=language), title, (parent,), children)


def run(*children: ChildChunk, max_tokens: int = 256, language: str = "") -> EnrichedDocument:
    return enrich(document(*children, language=language), max_tokens, count)


@pytest.mark.req("D7.1", "D7.2", "D7.10")
def test_index_text_is_heading_text_and_keywords() -> None:
    chunk = run(child(ENGLISH, "API", "Limits")).children[0]
    assert chunk.index_text == f"Handbook > API > Limits\n{ENGLISH}\nKeywords: {', '.join(chunk.keywords)}"
    assert chunk.text == ENGLISH
    assert chunk.content_hash == digest(chunk.index_text)
    assert chunk.tokens == count(chunk.index_text)


@pytest.mark.req("D7.4")
def test_keywords_are_words_of_the_text_that_do_not_contain_each_other() -> None:
    keywords = run(child(ENGLISH, "API")).children[0].keywords
    assert 2 <= len(keywords) <= 6
    for keyword in keywords:
        assert keyword in ENGLISH
        others = [set(other.lower().split()) for other in keywords if other != keyword]
        assert not any(set(keyword.lower().split()) <= other for other in others)
    assert any("rate limiter" in keyword.lower() for keyword in keywords)


def test_keywords_of_other_scripts() -> None:
    chinese = "员工请假需要提前申请。年假申请由经理批准，年假申请不得超过十天。年假申请必须书面提出。"
    assert keywords_of(child(chinese), "zh") == ("申请", "员工", "经理", "书面")
    assert keywords_of(child("就是这样。"), "zh") == ()
    assert keywords_of(child("ประเทศไทยรวมเลือดเนื้อ"), "th") == ()
    assert keywords_of(child(ENGLISH), "") == ()


def test_code_gives_the_names_it_defines() -> None:
    code = "class Pump:\n    async def start(self):\n        pass\n\nexport function stopAll() {}"
    assert keywords_of(child(code, kind="code"), "en") == ("Pump", "start", "stopAll")


def test_keywords_are_dropped_to_stay_within_the_limit() -> None:
    free = run(child(ENGLISH, "API")).children[0]
    bare = count(f"Handbook > API\n{ENGLISH}")
    tight = run(child(ENGLISH, "API"), max_tokens=bare + 3).children[0]
    assert tight.tokens <= bare + 3
    assert tight.keywords == free.keywords[: len(tight.keywords)]
    assert len(tight.keywords) < len(free.keywords)
    assert run(child(ENGLISH, "API"), max_tokens=bare).children[0].keywords == ()


def test_a_text_over_the_limit_is_an_error_without_its_text() -> None:
    with pytest.raises(EnrichmentError) as caught:
        run(child(ENGLISH, "API"), max_tokens=10)
    assert caught.value.context["limit"] == 10
    assert "rate" not in str(caught.value)


@pytest.mark.req("D7.3", "D7.9")
def test_titles_come_from_the_source() -> None:
    first, second, third = run(
        child(ENGLISH, "Rate limits"), child(ENGLISH, "Rate limits", key="k2"), child("x", "Overview", key="k3")
    ).children
    assert first.title == "Rate limits"
    assert second.title in ENGLISH
    assert second.title.endswith(".")
    assert third.title == "Overview"
    assert run(child("x")).children[0].title == ""
    assert run(child(ENGLISH, "Introduction")).children[0].title in ENGLISH


def test_the_title_of_an_answer_is_its_question() -> None:
    answer = run(child("Q: Where is my data stored?\nA: In Frankfurt. Backups are kept in Dublin.", "FAQ")).children[0]
    assert (answer.title, answer.fragment) == ("Where is my data stored?", "faq")
    said = replace(child("Ben: Can we move?\nAnna: Yes, we can move now."), locator=Locator(time=(0.0, 9.0)))
    assert run(said).children[0].fragment == ""


@pytest.mark.req("D7.20")
def test_the_language_is_known_before_sentences_are_looked_for() -> None:
    text = "Die Firma zahlt bzw. erstattet ca. 5 Euro am 3. März. " * 3
    elements = (Element(ElementKind.CODE, "print(1)", LINE), Element(ElementKind.PARAGRAPH, text, LINE))
    parsed = RedactedDocument("s/a", "text/plain", "t", elements, (), DocumentMetadata(language="en-GB"), (), ())
    assert with_language(parsed).metadata.language == "de"
    short = replace(parsed, elements=(replace(elements[1], text="OK 1"),))
    assert with_language(short).metadata.language == "en"
    assert with_language(replace(short, metadata=DocumentMetadata())).metadata.language == ""


@pytest.mark.req("D7.20")
def test_language_of_document_and_chunk() -> None:
    chunks = (child(ENGLISH), child(GERMAN, key="k2"), child("Siehe Anhang B.", key="k3"), child(ENGLISH, key="k4"))
    mixed = run(*chunks, language="en")
    assert mixed.language == "en"
    assert [chunk.language for chunk in mixed.children] == ["en", "de", "en", "en"]
    assert chunk_language("Kurz.", "en") == "en"
    assert run(child(ENGLISH), child(GERMAN, kind="code", key="k2"), language="en").children[1].language == "en"


@pytest.mark.req("D7.5", "D7.6", "D7.7", "D7.8")
def test_entities_are_what_patterns_are_sure_of() -> None:
    text = (
        "Call GET /v1/orders/{id} or /v2/refunds. It fails with ERR_CONN_1045 or PAYMENT_ERROR_7. See the Travel "
        "Expense Policy, the Billing Module and the mail-service."
    )
    assert [(entity.kind, entity.value, entity.confidence) for entity in entities_of(child(text))] == [
        ("api", "GET /v1/orders/{id}", 0.95),
        ("api_path", "/v2/refunds", 0.8),
        ("error_code", "ERR_CONN_1045", 0.95),
        ("error_code", "PAYMENT_ERROR_7", 0.95),
        ("policy", "Travel Expense Policy", 0.8),
        ("module", "Billing Module", 0.8),
        ("module", "mail-service", 0.7),
    ]
    assert (
        entities_of(child("Read the Policy in /usr/local/bin at 10.0.0.1, version E330 of UTF-8, see RFC-2119.")) == ()
    )
    table = child("E1045 | lost\nE1046 | late", "Error codes", kind="table", lead="Code | Meaning\n")
    assert [(entity.value, entity.origin) for entity in entities_of(table)] == [
        ("E1045", "pattern"), ("E1046", "pattern"),
    ]  # fmt: skip
    named = [entity.value for entity in entities_of(child("员工应遵守《员工考勤管理制度》。"))]
    assert named == ["员工考勤管理制度"]


@pytest.mark.req("D7.5", "D7.6", "D7.8")
def test_entities_are_what_the_document_itself_names() -> None:
    source = [
        (
            "Orders take what send_invoice and dunning gave.",
            ("Travel and expense policy 2025", "2. Billing core module"),
        ),
        (
            "Every journey needs the Billing core; see the Travel and expense policy.",
            ("Travel and expense policy 2025",),
        ),
        ("List orders.", ("GET /v1/orders List orders",)),
        ("Fields.", ("OrderLine",)),
        ("Each OrderLine of an Order is read by GET /v1/orders again.", ("Use",)),
        ("def send_invoice(): ...", ("send_invoice",)),
        ("def dunning(): ...", ("dunning",)),
    ]
    kinds = {"OrderLine": {"fragment": "schema"}, "send_invoice": {"kind": "code"}, "dunning": {"kind": "code"}}
    chunks = [
        replace(child(text, *path, key=f"k{n}"), **kinds.get(path[-1], {}))  # type: ignore[arg-type]
        for n, (text, path) in enumerate(source)
    ]
    made = ChunkedDocument(
        "s/a", DocumentMetadata(), "",
        tuple(ParentChunk(f"p{n}", c.heading_path, c.text, LINE) for n, c in enumerate(chunks)),
        tuple(replace(c, parent_key=f"p{n}") for n, c in enumerate(chunks)),
    )  # fmt: skip
    found = [[(e.kind, e.value, e.origin) for e in chunk.entities] for chunk in enrich(made, 256, count).children]
    policy, module = ("policy", "Travel and expense policy", "heading"), ("module", "Billing core", "heading")
    operation, invoice = ("api", "GET /v1/orders", "operation"), ("symbol", "send_invoice", "code")
    line = ("api", "OrderLine", "schema")
    assert found == [[policy, invoice], [module, policy], [operation], [line], [line, operation], [invoice], []]


@pytest.mark.parametrize(
    ("chunk", "fragment"),
    [
        (child("x = 1", "Setup", kind="code"), "code"),
        (child("a | b", "Prices", kind="table"), "table"),
        (child("E1045 | lost", "Error codes", kind="table"), "error"),
        (child("1. Open.\n2. Close.", "Setup", kind="list"), "step"),
        (child("- Open.\n- Close.", "Setup", kind="list"), ""),
        (child("Ten days.", "How long does a refund take?"), "faq"),
        (child("It repays.", "What is a refund?"), "def"),
        (child("A refund is a payment back to the customer.", "Refund"), "def"),
        (child("Payment is a duty of the customer.", "Refund"), ""),
        (child("Two firms choose a price.", "Example"), "ex"),
        (child("For example, two firms choose a price.", "Pricing"), "ex"),
        (child("Think of it as a truce that nobody gains by breaking.", "Equilibrium"), "int"),
        (child("u(s) >= v and s = t + 1", "Conditions"), "form"),
        (child("E=mc^2 and p=mv", "Energy"), "form"),
        (child("refund(receipt, amount=None) pays back", "Refunds"), ""),
        (child("It is used to set prices in an auction.", "Equilibrium"), "app"),
        (child("Staff must keep receipts. They must hand them in.", "Travel"), "policy"),
        (child("Staff must keep receipts.", "Travel Policy"), "policy"),
        (child("Q: May I fly?\nA: Only over 500 km.", "Travel"), "faq"),
        (child("Can I pay by card?\nYes.", "Paying"), "faq"),
        (child("1. Is it on?\n2. Is it open?", "Checks", kind="list"), "step"),
        (child("GET /v1/orders/{id} gives an order.", "Orders"), "api"),
        (child(ENGLISH, "Limits"), ""),
    ],
)
def test_fragments_where_a_rule_is_certain(chunk: ChildChunk, fragment: str) -> None:
    found, confidence = fragment_of(chunk, entities_of(chunk))
    assert found == fragment
    assert (confidence >= LEAST) == bool(fragment)


EASY = "The cat sat on the mat. It was a warm day. The cat was glad to sit in the sun. It did not move at all."
HARD = (
    "Notwithstanding the aforementioned limitations of asymptotic approximation, the estimator remains "
    "semiparametrically efficient under comparatively unrestrictive regularity assumptions concerning the "
    "differentiability of the underlying likelihood functional, provided that heteroscedasticity is appropriately "
    "accommodated."
)


@pytest.mark.req("A3.3", "A3.4")
def test_difficulty_and_style_are_estimated_where_there_is_enough_text() -> None:
    signals = {}
    for name, text in (
        ("easy", EASY),
        ("hard", HARD),
        ("short", "Reset it."),
        ("chat", "I think you'll like it. " * 9),
    ):
        chunk = enrich(document(child(text), language="en"), 256, load_tokenizer()).children[0]
        signals[name] = chunk.signals["rule"]
    assert signals["easy"]["difficulty"] < 0.2 < 0.9 < signals["hard"]["difficulty"]
    assert signals["hard"]["style"] == "formal"
    assert signals["chat"]["style"] == "conversational"
    assert signals["short"] == {}
    assert run(child("x = 1", kind="code")).children[0].signals["rule"] == {"style": "technical"}


@pytest.mark.req("D6.14")
def test_summaries_are_first_sentences_of_at_most_300_characters() -> None:
    summary = summary_of(ENGLISH * 3, "en")
    assert ENGLISH.startswith(summary[: len(ENGLISH)])
    assert len(summary) <= 300
    assert summary.endswith(".")
    assert summary_of("Short.", "en") == "Short."
    endless = summary_of("word " * 200, "en")
    assert 280 < len(endless) <= 300
    assert len(summary_of("没有标点" * 300, "zh")) == 300


@pytest.mark.req("D7.11")
def test_keys_cover_the_content_but_not_the_place() -> None:
    base = run(child(ENGLISH, "API")).children[0]
    moved = run(replace(child(ENGLISH, "API"), locator=Locator(line=(9, 9)), start=5, end=9)).children[0]
    renamed = enrich(document(child(ENGLISH, "API"), title="Other"), 256, count).children[0]
    assert moved.key == base.key
    assert renamed.key != base.key
    assert run(child(ENGLISH, "API")) == run(child(ENGLISH, "API"))


def test_placeholders_of_redaction_are_no_keywords_and_no_entities() -> None:
    text = f"{ENGLISH} Write to <EMAIL_1f3a9c> or <EMAIL_123456> about the error."
    assert not any("EMAIL" in keyword or "1f3a9c" in keyword for keyword in keywords_of(child(text), "en"))
    assert entities_of(child(text, "Errors")) == ()


@pytest.mark.parametrize(
    "text", ["\u2028", "🤣 🤣", "a" * 3000, "½ ⅓ --- …", "\x00 x", "[EMAIL_1] wrote to [PHONE_2].", "ﬁ İ ß" * 40]
)
def test_odd_texts_pass(text: str) -> None:
    chunk = enrich(document(child(text)), 5000, count).children[0]
    assert all(keyword.casefold() in text.casefold() for keyword in chunk.keywords)
