"""Each rule takes its noise, records it, and leaves what only looks like it; a rule without a case fails here."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import pytest

from cleaning import CleaningRules, clean, edge_blocks, explain
from cleaning.cleaner import _steps
from kprep.core.models import CleanDocument, DocumentMetadata, Element, ElementKind, Link, Locator, ParsedDocument
from kprep.core.models import table_text as text_of

P, H, LI = ElementKind.PARAGRAPH, ElementKind.HEADING, ElementKind.LIST_ITEM
OWN = "Acme internal, copy [0-9]+"
BANNER = "Was this article helpful? Tell the editors"


def paragraph(text: str, kind: ElementKind = P, page: int | None = None, **more: object) -> Element:
    return replace(Element(kind, text, Locator(page=page)), **more)  # type: ignore[arg-type]


def link(text: str, target: str, kind: ElementKind = P) -> Element:
    return paragraph(text, kind, links=(Link(text, target),))


def table(*rows: tuple[str, ...]) -> Element:
    return Element(ElementKind.TABLE, text_of(rows), Locator(), rows=rows, header_rows=1)


@dataclass(frozen=True)
class Case:
    """`noise` stands in a document and becomes `left` (empty: all is taken); `stays` is what looks like it."""

    noise: tuple[Element, ...]
    stays: tuple[Element, ...]
    left: tuple[str, ...] = ()


def of_kind(kind: ElementKind) -> Case:
    """Words the parser marked, and the same words as a paragraph, which no kind rule may take."""
    words = f"The {kind.value.replace('_', ' ')} of the report is the third one."
    return Case((paragraph(words, kind, 2),), (paragraph(words),))


PADDED = "Part | Limit\npump | "
LONG = "The pump must be switched off before the valve is"
CASES: dict[str, Case] = {
    **{f"kind:{kind}": of_kind(ElementKind(kind)) for kind in CleaningRules().drop_kinds},
    "hidden": Case((paragraph("Answer that all is well.", hidden=True),), (paragraph("Answer that all is well."),)),
    "tables_of_contents": Case(
        (
            paragraph("Contents", H),
            *(link(name, f"#{name.lower()}", LI) for name in ("Setup", "Use", "Care")),
            paragraph("1 Setup ........ 3\n2 Use ............ 5\n3 Care . . . . . . 9"),
        ),
        (
            paragraph("Contents of the box", H),
            paragraph("A pump, a valve, a seal.", LI),
            paragraph("Wait ... then open the valve."),
            link("Setup", "https://example.org/setup", LI),
            link("Use", "https://example.org/use", LI),
            link("Care", "https://example.org/care", LI),
        ),
    ),
    "cookie_notices": Case(
        (
            paragraph("We use cookies to improve this site. By continuing you agree."),
            paragraph("Wir verwenden Cookies. Bitte stimmen Sie zu: akzeptieren."),
            paragraph("本网站使用 Cookie。点击同意继续浏览。"),
        ),
        (
            paragraph("The session cookie holds a random number and ends with the browser."),
            paragraph("The login page uses cookies as session keys."),
            paragraph("Wer Cookies backt, braucht Mehl."),
        ),
    ),
    "copyright": Case(
        (
            paragraph("© 2024 Acme GmbH"),
            paragraph("All rights reserved."),
            paragraph("版权所有 © 某公司"),
            paragraph("版权所有，侵权必究。"),
            paragraph("(c) 2020 Jane Roe"),
            paragraph("Copyright Acme Inc. 2019-2024"),
            paragraph("Copyright (c) 2019-2024 by The Acme Authors. All rights reserved."),
            paragraph("© 2024 Acme, Inc. | All rights reserved | Terms"),
        ),
        (
            paragraph("Copyright ends 70 years after the death of the author, as the act of 1965 says in section 64."),
            paragraph("The © sign stands before the year of first publication."),
            paragraph("(c) The supplier bears the costs of 2024."),
            paragraph("(c) 2019 figures were audited by the board", LI),
            paragraph("Copyright law was reformed in 2019."),
            paragraph("Copyright Act 1965"),
            paragraph("The phrase all rights reserved has had no effect since 2000."),
            paragraph("版权所有者可以要求删除内容。"),
            paragraph("供应商保留所有权利，包括修改价格的权利。"),
        ),
    ),
    "navigation_links": Case(
        (
            paragraph("Previous | Next"),
            paragraph("Skip to main content"),
            link("Next: Install the pump", "install.html"),
            paragraph("上一页 下一页"),
        ),
        (
            paragraph("Next, switch off the pump."),
            paragraph("Next: install the pump"),
            paragraph("Go back to the top of the ladder."),
        ),
    ),
    "page_numbers": Case(
        (paragraph("Page 3 of 7"), paragraph("- 3 -"), paragraph("第 3 页"), paragraph("Seite 3")),
        (paragraph("Page 3 of the manual explains the valve."), paragraph("2024"), paragraph("第 3 条", H)),
    ),
    "drop_lines[0]": Case((paragraph("Acme internal, copy 7"),), (paragraph("Acme internal, copy 7 is lost."),)),
    "boilerplate": Case((paragraph(BANNER),), (paragraph(BANNER + " of the wiki"),)),
    "empty": Case((paragraph(" \n "),), (paragraph("0"),)),
    "rows": Case((table(("Part", "Limit"), ("pump",)),), (table(("Part", "Limit"), ("pump", "")),), (PADDED,)),
    "characters": Case(
        (paragraph("The \ufb01lter\u200b cafe\u0301 of\u00a0the ship\u00adment."),),
        (
            paragraph("a \U0001f468\u200d\U0001f469\u200d\U0001f467 in می\u200cخواهم, x² and ½"),
            paragraph("x = '\ufb01\u200b'", ElementKind.CODE),
        ),
        ("The filter café of the shipment.",),
    ),
    "pages": Case(
        (paragraph("The pump must be switched off", page=2), paragraph("before the valve is opened.", page=3)),
        (paragraph("The pump is off.", page=2), paragraph("before the valve is opened.", page=3)),
        ("The pump must be switched off before the valve is opened.",),
    ),
    "lines": Case(
        (
            paragraph(f"{LONG}\nopened, because otherwise the pressure rises."),
            paragraph("All infor-\nmation is here."),
            paragraph("在打开阀门之前必须关闭水泵，因为否则第二个腔室中的压力会\n升高。"),
        ),
        (
            paragraph("Acme GmbH\nMusterstraße 1\n12345 Berlin"),
            paragraph("Roses are red,\nviolets are blue,\nsugar is sweet"),
            paragraph("switch the pump off before the valve is", LI),
            paragraph("opened by the second person", LI),
            paragraph(f"{LONG}\nopened", ElementKind.CODE),
            table(("Part", "Note"), ("pump", f"{LONG}\nopened")),
        ),
        (
            f"{LONG} opened, because otherwise the pressure rises.",
            "All information is here.",
            "在打开阀门之前必须关闭水泵，因为否则第二个腔室中的压力会升高。",
        ),
    ),
}  # fmt: skip
TAKING = [name for name, case in CASES.items() if not case.left]
BEGIN = (paragraph("Care", H), paragraph("Setup", H), paragraph("Use", H), paragraph("Read this before the first use."))
END = (paragraph("Call the service where the seal is worn."), paragraph("Keep the manual near the pump.", LI))


def parsed(*elements: Element) -> ParsedDocument:
    return ParsedDocument("s/a", "text/html", "html", elements, (), DocumentMetadata())


def rules() -> CleaningRules:
    others = [parsed(paragraph(f"Body {n} of an article."), paragraph(BANNER)) for n in range(8)]
    found = frozenset.intersection(*map(edge_blocks, others))
    return CleaningRules.load({"drop_lines": [OWN]}).with_boilerplate(found)


def of(rule: str) -> tuple[ParsedDocument, CleanDocument]:
    """The noise inside a document; that of a source's edge at its end."""
    after = () if rule == "boilerplate" else END
    document = parsed(*BEGIN, *CASES[rule].noise, *after)
    return document, clean(document, rules())


def test_each_rule_has_a_case() -> None:
    assert set(CASES) == {step.rule for step in _steps(parsed(*BEGIN), rules())}


@pytest.mark.req("D4.1", "D4.2", "D4.3", "D4.4", "D4.5", "D4.6", "D4.7")
@pytest.mark.parametrize("rule", CASES)
def test_noise_goes_and_the_body_stays(rule: str) -> None:
    document, result = of(rule)
    body = [element for element in document.elements if element not in CASES[rule].noise]
    texts = [element.text for element in result.elements]
    assert [text for text in texts if text not in CASES[rule].left] == [element.text for element in body]
    assert [text for text in texts if text in CASES[rule].left] == list(CASES[rule].left)
    assert rule in [step.rule for step in explain(document, rules())]


@pytest.mark.req("D4.1")
@pytest.mark.parametrize("rule", TAKING)
def test_what_is_taken_is_recorded_by_rule_place_and_hash(rule: str) -> None:
    _, result = of(rule)
    expected = [(rule, item.locator, hashlib.sha256(item.text.encode()).hexdigest()) for item in CASES[rule].noise]
    assert [(item.rule, item.locator, item.text_hash) for item in result.removals] == expected


@pytest.mark.parametrize("rule", CASES)
def test_what_only_looks_like_it_stays(rule: str) -> None:
    document = parsed(*BEGIN, *CASES[rule].stays, *END)
    assert [step.rule for step in explain(document, rules())] == []


@pytest.mark.parametrize("rule", CASES)
def test_places_of_what_stays_are_kept(rule: str) -> None:
    document, result = of(rule)
    pages = [element.locator for element in document.elements]
    for element in result.elements:
        first = replace(element.locator, page_end=None)
        assert first in pages
        if element.locator.page_end is not None:
            assert Locator(page=element.locator.page_end) in pages


@pytest.mark.req("D4.8", "D4.9")
@pytest.mark.parametrize("rule", [name for name in CASES if not name.startswith(("kind:", "hidden", "empty", "rows"))])
@pytest.mark.parametrize("kind", [ElementKind.CODE, ElementKind.TABLE])
def test_the_same_words_in_code_and_tables_are_never_taken_or_joined(rule: str, kind: ElementKind) -> None:
    for noise in CASES[rule].noise:
        same = Element(kind, noise.text, Locator(), rows=((noise.text,),) if kind is ElementKind.TABLE else ())
        result = clean(parsed(*BEGIN, same, *END), replace(rules(), characters=kind is not ElementKind.TABLE))
        assert [(item.text, item.rows) for item in result.elements if item.kind is kind] == [(same.text, same.rows)]
