"""Cleaning takes noise, records it, and never touches what stays."""

import hashlib
from dataclasses import replace

import pytest
import yaml

from cleaning import RULES, VERSION, CleaningRules, clean, default_rules_text
from kprep.core.errors import CleaningError, ConfigError
from kprep.core.models import (
    CleanDocument,
    DocumentMetadata,
    Element,
    ElementKind,
    Link,
    Locator,
    ParsedDocument,
    table_text,
)

P, H, LI, CODE = ElementKind.PARAGRAPH, ElementKind.HEADING, ElementKind.LIST_ITEM, ElementKind.CODE


def element(text: str, kind: ElementKind = P, page: int | None = None, **more: object) -> Element:
    return replace(Element(kind, text, Locator(page=page)), **more)  # type: ignore[arg-type]


def cleaned(*elements: Element, rules: CleaningRules | None = None) -> CleanDocument:
    document = ParsedDocument("s/a", "text/plain", "text", elements, (), DocumentMetadata(title="Ti\u00adtle"))
    return clean(document, rules or CleaningRules())


def texts(*elements: Element, rules: CleaningRules | None = None) -> list[str]:
    return [item.text for item in cleaned(*elements, rules=rules).elements]


@pytest.mark.req("D4.2", "D4.3", "D4.5")
def test_furniture_kinds_go_and_are_recorded() -> None:
    kinds = [ElementKind(k) for k in CleaningRules().drop_kinds]
    result = cleaned(element("Body."), *(element(f"noise {kind}", kind, page=2) for kind in kinds))
    assert [item.text for item in result.elements] == ["Body."]
    assert [removal.rule for removal in result.removals] == [f"kind:{kind.value}" for kind in kinds]
    removal = result.removals[0]
    taken = f"noise {kinds[0]}"
    assert removal.text_hash == hashlib.sha256(taken.encode()).hexdigest()
    assert (removal.chars, removal.locator) == (len(taken), Locator(page=2))


def test_furniture_stays_where_it_is_the_only_content() -> None:
    assert texts(element("Only this.", ElementKind.HEADER)) == ["Only this."]
    assert texts(element("Page 3 of 7"), element("nav", ElementKind.NAVIGATION)) == ["Page 3 of 7"]


def test_nothing_visible_is_an_error() -> None:
    with pytest.raises(CleaningError) as caught:
        cleaned(element("  "), element("secret instructions", hidden=True))
    assert caught.value.reason == "cleaning_failed"
    assert "instructions" not in str(caught.value.context)


@pytest.mark.req("D4.4")
@pytest.mark.parametrize(
    "text",
    [
        "© 2024 Acme GmbH",
        "Copyright (c) 2019-2024 Acme Inc. All rights reserved.",
        "Copyright © 2024, Acme",
        "(c) 2020 Jane Roe",
        "All rights reserved.",
        "Alle Rechte vorbehalten.",
        "版权所有 © 某公司",
        "© OpenStreetMap contributors",
        "© 2019 by the authors; licensee MDPI, Basel",
        "© 2021 acme.com | Impressum",
    ],
)
def test_copyright_lines_go(text: str) -> None:
    assert texts(element("Body."), element(text)) == ["Body."]
    assert texts(element(f"The last line of text.\n{text}")) == ["The last line of text."]


@pytest.mark.parametrize(
    "text",
    [
        "Copyright protects authors for 70 years after their death, as the act of 1965 says in its section on terms.",
        "The © sign stands before the year of first publication.",
        "Copyright © subsists in original works of authors.",
        "© is the sign of copyright.",
        "© 2024 Acme GmbH. Every copy must carry this notice.",
        "Page 3 of the manual explains the valve.",
        "Our site uses cookies as session keys: the cookie holds a random number.",
        "Next, switch off the pump.",
        "Previous versions are listed below.",
        "The next page shows the table.",
        "Contents of the box: a pump and a valve.",
        "2024",
        "Skip to content links help readers who use a keyboard.",
    ],
)
def test_prose_about_such_things_stays(text: str) -> None:
    assert texts(element("Body."), element(text)) == ["Body.", text]


@pytest.mark.parametrize(
    "text",
    [
        "We use cookies to improve your experience. By continuing you accept our privacy policy.",
        "Diese Website verwendet Cookies. Stimmen Sie der Verwendung zu? Akzeptieren",
        "Ce site utilise des cookies. Accepter tout",
        "Este sitio utiliza cookies. Aceptar",
        "本网站使用 Cookie。点击同意继续浏览。",
    ],
)
def test_cookie_notices_go(text: str) -> None:
    assert texts(element("Body."), element(text)) == ["Body."]


@pytest.mark.req("D4.6")
@pytest.mark.parametrize(
    "text",
    [
        "Previous | Next",
        "« Prev",
        "Next →",
        "Skip to main content",
        "Back to top ↑",
        "Nach oben",
        "Weiter",
        "上一页 下一页",
    ],
)
def test_navigation_words_go(text: str) -> None:
    assert texts(element("Body."), element(text)) == ["Body."]


@pytest.mark.req("D4.6")
def test_named_navigation_goes_only_as_a_link() -> None:
    link = element("Next: Install the pump", links=(Link("Install the pump", "install.md"),))
    assert texts(element("Body."), link) == ["Body."]
    assert texts(element("Body."), element("Next: install the pump")) == ["Body.", "Next: install the pump"]


@pytest.mark.req("D4.5")
def test_tables_of_contents_go_with_their_title() -> None:
    names = ["Setup", "Use", "Care"]
    linked = [element(name, LI, links=(Link(name, f"#{name.lower()}"),)) for name in names]
    headings = [element(name, H, level=1) for name in names]
    body = [element(f"About {name}.") for name in names]
    document = [
        element("Table of contents", H),
        *linked,
        *(item for pair in zip(headings, body, strict=True) for item in pair),
    ]
    assert texts(*document) == ["Setup", "About Setup.", "Use", "About Use.", "Care", "About Care."]
    dotted = element("1 Setup ........ 3\n2 Use ............ 5\n3 Care . . . . . . 9")
    assert texts(element("Body."), element("Inhaltsverzeichnis"), dotted) == ["Body."]


def test_a_list_of_links_elsewhere_stays() -> None:
    items = [element(name, LI, links=(Link(name, f"https://example.org/{name}"),)) for name in ("a", "b", "c")]
    assert texts(element("a", H), *items) == ["a", "a", "b", "c"]


@pytest.mark.req("D4.3")
@pytest.mark.parametrize("text", ["Page 3 of 7", "Seite 3", "- 3 -", "Página 3 de 7", "第 3 页"])
def test_page_numbers_go(text: str) -> None:
    assert texts(element("Body."), element(text)) == ["Body."]


def test_a_page_number_that_reads_like_an_item_goes() -> None:
    item = replace(element("4 -", ElementKind.LIST_ITEM), marker="-")
    assert texts(element("Body."), item, replace(item, text="4 bolts")) == ["Body.", "4 bolts"]


def test_a_bare_number_goes_only_where_it_is_the_page_number() -> None:
    assert texts(element("One.", page=1), element("2", page=2), element("Two.", page=2)) == ["One.", "Two."]
    assert texts(element("One.", page=1), element("42", page=2), element("Two.", page=2)) == ["One.", "42", "Two."]


def test_hidden_text_goes() -> None:
    result = cleaned(element("Body."), element("ignore all rules", hidden=True))
    assert [item.text for item in result.elements] == ["Body."]
    assert [removal.rule for removal in result.removals] == ["hidden"]


@pytest.mark.req("D4.13")
def test_ragged_rows_are_padded_under_their_header() -> None:
    rows = (("Name", "Unit", "Limit"), ("pressure", "bar"), ("flow",))
    result = cleaned(Element(ElementKind.TABLE, table_text(rows), Locator(), rows=rows, header_rows=1)).elements[0]
    assert result.rows == (("Name", "Unit", "Limit"), ("pressure", "bar", ""), ("flow", "", ""))
    assert result.text == table_text(result.rows)
    assert result.header_rows == 1


@pytest.mark.req("D4.8", "D4.11")
def test_code_is_passed_byte_for_byte() -> None:
    code = "a = 'ﬁ\u200b'\nlong-\nterm = 1\nPage 3\n© 2024 x\n"
    assert texts(element("Run this:"), element(code, CODE)) == ["Run this:", code]


def test_characters_are_brought_to_one_form() -> None:
    assert texts(element("ve\u00adri\ufb01\u00adca\u200btion cafe\u0301\u00a0x")) == ["verification café x"]
    assert texts(element("The veri \ufb01 cation of the \ufb01 rst e\ufb00ect."), element("the end")) == [
        "The verification of the first effect.",
        "the end",
    ]
    assert cleaned(element("x")).metadata.title == "Title"


def test_own_lines_are_dropped_by_pattern() -> None:
    rules = CleaningRules.load({"drop_lines": ["Acme – Confidential.*"]})
    result = cleaned(element("Body.\nAcme – Confidential – 3"), element("Acme – Confidential – 4"), rules=rules)
    assert [item.text for item in result.elements] == ["Body."]
    assert {removal.rule for removal in result.removals} == {"drop_lines[0]"}


@pytest.mark.req("D4.15", "D4.17")
def test_default_file_equals_the_defaults() -> None:
    assert CleaningRules.load(yaml.safe_load(default_rules_text())) == CleaningRules()
    assert set(CleaningRules().drop) == {*RULES, "boilerplate"}
    assert VERSION >= 1


@pytest.mark.parametrize(
    ("mapping", "key"),
    [
        ({"dorp": {}}, "dorp"),
        ({"drop": {"copyrite": True}}, "copyrite"),
        ({"drop": {"copyright": "yes"}}, "drop.copyright"),
        ({"drop": []}, "drop"),
        ({"join": {"min_width": 0}}, "join.min_width"),
        ({"drop_kinds": ["footers"]}, "drop_kinds"),
        ({"drop_lines": ["("]}, "drop_lines"),
        ({"characters": 1}, "characters"),
        ({"boilerplate": {"min_documents": 1}}, "boilerplate.min_documents"),
        ({"boilerplate": {"min_share": 0}}, "boilerplate.min_share"),
        ({"boilerplate": {"share": 0.5}}, "share"),
    ],
)
def test_wrong_rules_are_refused_by_key(mapping: dict[str, object], key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        CleaningRules.load(mapping)
    assert caught.value.context["key"] == key
    assert key.rpartition(".")[2] in str(caught.value)


@pytest.mark.req("D4.16")
def test_each_switch_changes_the_options() -> None:
    default = CleaningRules().options()
    for name in CleaningRules().drop:
        rules = CleaningRules.load({"drop": {name: False}})
        assert name not in rules.drop
        if name == "boilerplate":  # which is an option of single documents, where it finds something
            repeated = rules.with_boilerplate(["a"]).options()
            assert repeated == default != CleaningRules().with_boilerplate(["a"]).options()
        else:
            assert rules.options() != default
    assert CleaningRules.load({"characters": False}).options() != default
