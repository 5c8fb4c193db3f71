"""Each step shown with what it changed; repeated blocks of a source; tables as sentences."""

from dataclasses import replace
from itertools import pairwise

import pytest

from cleaning import CleaningRules, clean, edge_blocks, explain, removed_share
from kprep.core import tables
from kprep.core.models import DocumentMetadata, Element, ElementKind, Locator, ParsedDocument, table_text

P, H = ElementKind.PARAGRAPH, ElementKind.HEADING


def parsed(*elements: Element | str, uri: str = "s/a") -> ParsedDocument:
    made = tuple(Element(P, item, Locator()) if isinstance(item, str) else item for item in elements)
    return ParsedDocument(uri, "text/html", "html", made, (), DocumentMetadata())


def test_explain_shows_rule_by_rule_what_clean_does() -> None:
    document = parsed(
        Element(ElementKind.HEADER, "Acme", Locator(page=1)),
        "© 2024 Acme GmbH",
        "The pump must be switched off before the valve is opened, because\nthe pressure ﬁnds its way.",
        "Page 3 of 7",
    )
    steps = explain(document, CleaningRules())
    assert [step.rule for step in steps] == ["kind:header", "copyright", "page_numbers", "characters", "lines"]
    assert all(first.after == second.before for first, second in pairwise(steps))
    result = clean(document, CleaningRules())
    assert (steps[0].before, steps[-1].after) == (document.elements, result.elements)
    assert tuple(removal for step in steps for removal in step.removals) == result.removals
    ((before, after),) = steps[1].differences()
    assert ([item.text for item in before], after) == (["© 2024 Acme GmbH"], ())
    ((before, after),) = steps[-1].differences()
    assert "\n" in before[0].text
    assert "\n" not in after[0].text


def test_explain_tells_when_the_rules_would_take_everything() -> None:
    document = parsed(Element(ElementKind.HEADER, "Only this.", Locator()))
    steps = explain(document, CleaningRules())
    assert [step.rule for step in steps] == ["kind:header", "least"]
    assert steps[-1].after == clean(document, CleaningRules()).elements
    assert clean(document, CleaningRules()).removals == ()


def test_explain_of_a_clean_document_is_empty() -> None:
    assert explain(parsed("Body."), CleaningRules()) == ()


def test_removed_share() -> None:
    result = clean(parsed("x" * 30, Element(ElementKind.FOOTER, "y" * 10, Locator())), CleaningRules())
    assert removed_share(result) == pytest.approx(0.25)
    assert removed_share(clean(parsed("x"), CleaningRules())) == 0


BANNER, QUESTION = "Acme documentation portal, internal use", "Was this article helpful? Tell the editors"
WARNING = "Disconnect the mains before opening the cover."


def articles(count: int) -> list[ParsedDocument]:
    return [
        parsed(
            Element(H, f"Article {n}", Locator(), level=1),
            BANNER,
            f"Body of article {n}.",
            WARNING,
            f"More about {n}.",
            QUESTION,
            uri=f"s/{n}",
        )
        for n in range(count)
    ]


@pytest.mark.req("D4.1", "D4.3")
def test_blocks_a_source_repeats_at_its_edges_go() -> None:
    found = frozenset.intersection(*map(edge_blocks, articles(8)))
    assert len(found) == 3  # in so short a text the warning stands near an edge as well
    rules = CleaningRules().with_boilerplate(found)
    for document in articles(8):
        result = clean(document, rules)
        texts = [item.text for item in result.elements]
        assert BANNER not in texts
        assert QUESTION not in texts
        assert WARNING in texts
        assert len(texts) == 4
        assert [removal.rule for removal in result.removals] == ["boilerplate", "boilerplate"]
    assert rules.options() != CleaningRules().options()
    assert len(clean(articles(1)[0], replace(rules, drop=())).elements) == 6


@pytest.mark.req("D4.1", "D4.8")
def test_only_paragraphs_at_the_edges_can_be_boilerplate() -> None:
    table = Element(ElementKind.TABLE, "Price: 4 euros", Locator(), rows=(("Price", "4 euros"),))
    footer = Element(ElementKind.FOOTER, "Page footer of the house", Locator())
    hidden = Element(ElementKind.PARAGRAPH, "Words that nobody sees", Locator(), hidden=True)
    kinds = (ElementKind.CODE, ElementKind.LIST_ITEM, ElementKind.QUOTE, ElementKind.FOOTNOTE, ElementKind.CAPTION)
    others = [Element(kind, f"A {kind.value} that is repeated", Locator()) for kind in kinds]
    for other in (table, *others, Element(H, "A heading of a section", Locator(), level=2)):
        assert edge_blocks(parsed(other)) == frozenset()
    assert edge_blocks(parsed("Short.", "x" * 800)) == frozenset()
    body = [f"Paragraph {n} of the body of the text." for n in range(20)]
    assert len(edge_blocks(parsed(*body))) == 8
    assert edge_blocks(parsed(footer, *body, hidden, footer)) == edge_blocks(parsed(*body))
    assert len(edge_blocks(parsed(*body[:10], table, *body[10:12]))) == 6
    assert edge_blocks(parsed("Was  this\npage Helpful?")) == edge_blocks(parsed("was this page helpful?"))


def test_how_boilerplate_is_learnt_changes_no_document_by_itself() -> None:
    rules, other = CleaningRules(), CleaningRules.load({"boilerplate": {"min_documents": 9, "min_share": 0.9}})
    off = CleaningRules.load({"drop": {"boilerplate": False}})
    assert rules.options() == other.options() == off.options() == off.with_boilerplate(["a"]).options()
    assert rules.learning != other.learning
    assert off.learning == {}
    assert rules.with_boilerplate(["a"]).options() != rules.options()


@pytest.mark.req("D4.14")
@pytest.mark.parametrize(
    ("rows", "header_rows", "expected"),
    [
        (
            (("Model", "Flow (l/min)", "Price"), ("P-7", "40", ""), ("P-9", "60\nmax", "12 €")),
            1,
            ("Model: P-7; Flow (l/min): 40.", "Model: P-9; Flow (l/min): 60 max; Price: 12 €."),
        ),
        (
            (("", "Price", ""), ("Model", "net", "gross"), ("P-7", "10", "12")),
            2,
            ("Model: P-7; Price / net: 10; Price / gross: 12.",),
        ),
        (
            (("Prices of 2024", "", ""), ("Model", "net", "gross"), ("P-7", "10", "12")),
            2,
            ("Model: P-7; net: 10; gross: 12.",),
        ),
        ((("Voltage:", "230 V"), ("Weight", "")), 0, ("Voltage: 230 V.", "Weight.")),
        ((("a", "b", "c"), ("", "", "")), 0, ("a; b; c.",)),
        (
            (("Name", "Note"), ("x", "Do it."), ("y", "z", "extra")),
            1,
            ("Name: x; Note: Do it.", "Name: y; Note: z; extra."),
        ),
        ((("Name", "Note"),), 1, ()),
        ((), 0, ()),
        ((("型号", "流量"), ("P-7", "40 升。")), 1, ("型号: P-7; 流量: 40 升。",)),
    ],
)
def test_tables_as_sentences(rows: tuple[tuple[str, ...], ...], header_rows: int, expected: tuple[str, ...]) -> None:
    assert tables.sentences(rows, header_rows) == expected


@pytest.mark.req("D4.13")
def test_sentences_leave_the_table_as_it_is() -> None:
    rows = (("Model", "Flow"), ("P-7",))
    element = Element(ElementKind.TABLE, table_text(rows), Locator(), rows=rows, header_rows=1)
    result = clean(parsed(element), CleaningRules()).elements[0]
    assert result.rows == (("Model", "Flow"), ("P-7", ""))
    assert tables.sentences(result.rows, result.header_rows) == ("Model: P-7.",)
    with pytest.raises(ValueError, match="header"):
        tables.sentences(rows, -1)
