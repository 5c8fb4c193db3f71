"""Sentences are made whole; boundaries that mean something stay."""

from dataclasses import replace

import pytest

from cleaning import CleaningRules, clean
from kprep.core.models import DocumentMetadata, Element, ElementKind, Link, Locator, ParsedDocument

P, LI, CODE = ElementKind.PARAGRAPH, ElementKind.LIST_ITEM, ElementKind.CODE


def joined(*elements: Element | str, rules: CleaningRules | None = None) -> list[str]:
    made = tuple(Element(P, item, Locator()) if isinstance(item, str) else item for item in elements)
    document = ParsedDocument("s/a", "text/plain", "text", made, (), DocumentMetadata())
    return [item.text for item in clean(document, rules or CleaningRules()).elements]


@pytest.mark.req("D4.7")
def test_wrapped_lines_become_one_sentence() -> None:
    text = (
        "The pump must be switched off before the valve is\nopened, because otherwise the pressure in it\nrises fast."
    )
    assert joined(text) == [text.replace("\n", " ")]
    assert joined(text, rules=CleaningRules.load({"join": {"lines": False}})) == [text]


@pytest.mark.req("D4.7")
def test_no_space_between_cjk_lines() -> None:
    text = "在打开阀门之前必须关闭水泵，因为否则第二个腔室中的压力会\n升高，这可能会损坏密封件并导致泄漏。"
    assert joined(text) == [text.replace("\n", "")]


@pytest.mark.parametrize(
    "text",
    [
        "Acme GmbH\nMusterstraße 1\n12345 Berlin",
        "Roses are red,\nviolets are blue,\nsugar is sweet",
        "Shall I compare thee to a summer's day?\nThou art more lovely and more temperate:\nRough winds do shake,",
        "- switch the pump off before the valve is opened by\n- the second person",
    ],
)
def test_line_ends_that_mean_something_stay(text: str) -> None:
    assert joined(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("All infor-\nmation is here.", "All information is here."),
        ("A long-\nterm plan.", "A long-term plan."),
        ("A Müller-\nSchmidt rule.", "A Müller-Schmidt rule."),
        ("Die Vor- \nund Nachteile.", "Die Vor- und Nachteile."),
        ("soft\u00ad\nware runs.", "software runs."),
        ("The part-\nner agrees.", "The partner agrees."),
        ("COVID-\n19 rules", "COVID-19 rules"),
        ("The e-\nmail server.", "The e-mail server."),
        ("A state-of-the-\nart pump.", "A state-of-the-art pump."),
        ("Il tient peut-\nêtre un arc-en-\nciel.", "Il tient peut-être un arc-en-ciel."),
        ("Rooms A-\nB and AB are here.", "Rooms A-B and AB are here."),
    ],
)
def test_words_at_a_line_end(text: str, expected: str) -> None:
    assert joined(text)[0].replace("- \n", "- ") == expected


def test_the_document_decides_about_a_hyphen() -> None:
    assert joined("A re-\nentry point.", "The re-entry is free.")[0] == "A re-entry point."
    assert joined("A re-\nentry point.", "The reentry is free.")[0] == "A reentry point."


@pytest.mark.req("D4.9", "D4.10", "D4.8")
def test_tables_code_and_items_keep_their_boundaries() -> None:
    code = "if a:\n    return the value of the pump that is still on and\n    never of the other one"
    items = [Element(LI, "switch off the pump", Locator()), Element(LI, "open the valve", Locator())]
    table = Element(ElementKind.TABLE, "a | b", Locator(), rows=(("a", "b"),))
    assert joined(Element(CODE, code, Locator()), *items, table) == [
        code,
        "switch off the pump",
        "open the valve",
        "a | b",
    ]


@pytest.mark.req("D4.7")
def test_a_paragraph_cut_by_a_page_break_is_one() -> None:
    first = Element(P, "The pump must be switched off", Locator(page=1, char=(0, 29)), links=(Link("pump", "#p"),))
    footer = Element(ElementKind.FOOTER, "Acme GmbH – Confidential – Page 1", Locator(page=1))
    second = Element(P, "before the valve is opened.", Locator(page=2, char=(60, 87)))
    document = ParsedDocument("s/a", "application/pdf", "pdf", (first, footer, second), (), DocumentMetadata())
    (element,) = clean(document, CleaningRules()).elements
    assert element.text == "The pump must be switched off before the valve is opened."
    assert element.locator == Locator(page=1, page_end=2, char=(0, 87))
    assert element.links == first.links


def test_a_footnote_may_stand_between_the_halves() -> None:
    first = Element(P, "The pump must be switched off", Locator(page=1))
    note = Element(ElementKind.FOOTNOTE, "1 See the annex.", Locator(page=1))
    second = Element(P, "before the valve is opened.", Locator(page=2))
    assert joined(first, note, second) == [
        "The pump must be switched off before the valve is opened.",
        "1 See the annex.",
    ]


@pytest.mark.parametrize(
    ("first", "second", "pages"),
    [
        ("The pump is off.", "before the valve is opened.", (1, 2)),
        ("The pump must be switched off", "Before the valve is opened.", (1, 2)),
        ("The pump must be switched off", "before the valve is opened.", (1, 3)),
        ("The pump must be switched off", "before the valve is opened.", (1, 1)),
    ],
)
def test_other_paragraphs_stay_apart(first: str, second: str, pages: tuple[int, int]) -> None:
    base = Element(P, first, Locator(page=pages[0]))
    assert joined(base, replace(base, text=second, locator=Locator(page=pages[1]))) == [first, second]
