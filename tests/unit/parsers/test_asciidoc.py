"""AsciiDoc tables that a short source blows up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kprep.core.errors import TooLarge
from kprep.core.models import Link, RawDocument
from parsers import asciidoc, coverage, parse
from parsers.asciidoc_attributes import MAX_VALUE
from parsers.asciidoc_table import MAX_REPEATED, table_rows


def test_a_table_of_repeated_cells_is_refused_before_it_is_written_out() -> None:
    with pytest.raises(TooLarge, match=str(MAX_REPEATED)):
        table_rows(["|a 500*|b"] * (MAX_REPEATED // 499 + 1), "")
    rows, _ = table_rows(["3*|b"] * 4, '[cols="3*"]')
    assert rows == (("b", "b", "b"),) * 4


GUIDE = rb"""= {product} Guide
:product: Widget Pro
:version: 4.2
:site: https://example.com/{version}

Install {product} {version} from {site}/download[the site]. Unknown {nothing} and \{product} stay.

----
curl {site}
----

:product: Widget Max

* {product} speaks {cpp}

:product!:

Now {product} is nothing.
"""


def test_attributes_have_the_value_set_above_them() -> None:
    spec = asciidoc.PARSER
    parsed = spec.parse(RawDocument("guide.adoc", "guide.adoc", GUIDE, "text/asciidoc"))
    assert [element.text for element in parsed.elements] == [
        "Widget Pro Guide",
        "Install Widget Pro 4.2 from the site. Unknown {nothing} and {product} stay.",
        "curl {site}",
        "Widget Max speaks C++",
        "Now {product} is nothing.",
    ]
    assert parsed.elements[1].links == (Link("the site", "https://example.com/4.2/download"),)
    for element in parsed.elements:
        assert set(element.text.split()) - {"the", "site."} <= set(spec.quote(GUIDE, element.locator).split()) | {
            "site"
        }


def test_values_that_refer_to_one_another_stay_bounded() -> None:
    entries = [f":a{number}: {{a{number - 1}}}{{a{number - 1}}}" for number in range(1, 60)]
    content = "\n".join((":a0: long", *entries, "", "Text {a59}.")).encode()
    parsed = asciidoc.PARSER.parse(RawDocument("a.adoc", "a.adoc", content, "text/asciidoc"))
    assert len(parsed.elements[0].text) <= MAX_VALUE + 6


def test_admonitions_say_what_they_are() -> None:
    text = b"[WARNING]\n====\nHot surface.\n\nWait.\n====\n\n[TIP]\nUse gloves.\n\n[CAUTION]\n====\n* one\n====\n"
    raw = RawDocument("s/a.adoc", "a.adoc", text, "text/asciidoc")
    found = [(e.text, e.locator.line) for e in asciidoc.parse(raw).elements]
    assert found == [
        ("WARNING: Hot surface.", (1, 3)),
        ("Wait.", (5, 5)),
        ("TIP: Use gloves.", (8, 9)),
        ("CAUTION:", (11, 11)),
        ("one", (13, 13)),
    ]


def test_citations_open_at_words_that_links_interrupt() -> None:
    text = b"See <<guide,the guide>> and footnote:[Its source] first.\n"
    (said,) = asciidoc.parse(RawDocument("s/a.adoc", "a.adoc", text, "text/asciidoc")).elements
    assert said.text in asciidoc.quote(text, said.locator)


CONDITIONS = b"""= Guide

ifdef::env-web[]
Only on the web.
endif::[]
ifndef::env-web[]
Only in print.
endif::[]
ifdef::beta[Not yet for everybody.]

include::shared/intro.adoc[leveloffset=+1]

----
first
include::code/start.rb[tag=a]
ifdef::x[]
second
endif::[]
\\ifdef::shown[]
----

|===
|Name |Use

ifdef::env-web[]
|Valve |Opens
endif::[]
|===

Choose menu:File[Save].

[quote, Ann Example, https://example.com/letter[A letter]]
____
Simple.
____

[verse, Bo]
Lines of it.
"""


def test_branches_of_conditions_that_are_not_met_and_includes_are_recorded_exclusions() -> None:
    raw = RawDocument("s/a.adoc", "a.adoc", CONDITIONS, "text/asciidoc")
    found = parse(raw, asciidoc.PARSER)
    assert [element.text for element in found.elements] == [
        "Guide",
        "Only in print.",
        "first\nifdef::shown[]",
        "Name | Use",
        "Choose File > Save.",
        "Ann Example, A letter",
        "Simple.",
        "Bo",
        "Lines of it.",
    ]
    assert [(unit.kind, unit.state, unit.name) for unit in found.units[1:]] == [
        ("include", "not_extracted", "intro.adoc"),
        ("include", "not_extracted", "start.rb"),
        ("branch", "condition_unmet", "ifdef::env-web in line 3"),
        ("branch", "condition_unmet", "ifdef::beta in line 9"),
        ("branch", "condition_unmet", "ifdef::x in line 16"),
        ("branch", "condition_unmet", "ifdef::env-web in line 25"),
    ]
    assert coverage(raw, found) == 1
    for element in found.elements:
        assert "web" not in asciidoc.quote(CONDITIONS, element.locator)
    met = CONDITIONS.replace(b"= Guide\n", b"= Guide\n:env-web:\n:x: 1\n:beta: yes\n")
    texts = [element.text for element in parse(replace(raw, content=met), asciidoc.PARSER).elements]
    assert texts[1:5] == [
        "Only on the web.\nNot yet for everybody.",
        "first\nsecond\nifdef::shown[]",
        "Name | Use\nValve | Opens",
        "Choose File > Save.",
    ]


@pytest.mark.parametrize(
    ("header", "condition", "is_met"),
    [
        ("", "ifdef::a[]", False),
        (":a:", "ifdef::a[]", True),
        (":a: 1\n:!a:", "ifdef::a[]", False),
        (":A: 1", "ifdef::a[]", True),
        (":b:", "ifdef::a,b[]", True),
        (":b:", "ifdef::a+b[]", False),
        (":a:\n:b:", "ifdef::a+b[]", True),
        (":b:", "ifndef::a,b[]", False),
        (":b:", "ifndef::a+b[]", True),
        ("", "ifndef::a[]", True),
        ("", "ifdef::backend-html5[]", True),
        ("", "ifdef::backend-pdf[]", False),
        (":doctype: book", "ifdef::doctype-book[]", True),
        (":doctype: book", 'ifeval::["{doctype}" == "article"]', False),
        (":level: 3", "ifeval::[{level} >= 3]", True),
        (":level: 10", "ifeval::[{level} < 9.5]", False),
        (":stage: beta", 'ifeval::["{stage}" != "final"]', True),
        (":stage: beta", "ifeval::[{stage} > 3]", False),
        ("", 'ifeval::["{stage}" == ""]', True),
        ("", "ifeval::[{stage}]", False),
        (":on: true", "ifeval::[{on} == true]", True),
        ("ifdef::a[]\n:b: 1\nendif::[]", "ifdef::b[]", False),
        ("ifndef::a[]\n:a: 1\nendif::[]", "ifdef::a[]", True),
    ],
)
def test_conditions_are_met_by_what_the_document_sets(header: str, condition: str, *, is_met: bool) -> None:
    text = f"= Guide\n{header}\n\nBefore\n{condition}\ninside\nendif::[]\nafter.\n"
    raw = RawDocument("s/a.adoc", "a.adoc", text.encode(), "text/asciidoc")
    found = parse(raw, asciidoc.PARSER)
    assert found.elements[-1].text == ("Before\ninside\nafter." if is_met else "Before\nafter.")
    assert coverage(raw, found) == 1
    left_out = [text[slice(*unit.char)] for unit in found.units if unit.char]
    assert ("inside" in left_out) is not is_met


def test_a_condition_inside_one_that_is_not_met_is_closed_with_its_own_end() -> None:
    text = (
        "ifdef::a[]\none\nifndef::b[]\ntwo\nendif::b[]\nifdef::c[three]\nendif::[]\nfour\n\n"
        "ifndef::a[]\nfive\nendif::b[]\nsix\nendif::a[]\n\nifdef::a[]\nseven\n"
    )
    raw = RawDocument("s/a.adoc", "a.adoc", text.encode(), "text/asciidoc")
    found = parse(raw, asciidoc.PARSER)
    assert [element.text for element in found.elements] == ["four", "five\nsix"]
    assert [unit.name for unit in found.units[1:]] == ["ifdef::a in line 1", "ifdef::a in line 16"]
    assert coverage(raw, found) == 1


def tables_of(text: str) -> list[tuple[tuple[tuple[str, ...], ...], int]]:
    raw = RawDocument("s/a.adoc", "a.adoc", text.encode(), "text/asciidoc")
    return [(element.rows, element.header_rows) for element in parse(raw, asciidoc.PARSER).elements if element.rows]


@pytest.mark.req("D2.8")
@pytest.mark.parametrize(
    ("written", "rows", "header_rows"),
    [
        (',===\nE1,disk full\nE2,"a, b"\n,===', (("E1", "disk full"), ("E2", "a, b")), 0),
        (":===\nKey:Value\n\nport:80\\:81\n:===", (("Key", "Value"), ("port", "80:81")), 1),
        ('[%header,format=csv]\n|===\na, "two\nlines"\nb,c\n|===', (("a", "two\nlines"), ("b", "c")), 1),
        ("[%noheader,format=tsv]\n|===\na\tb, c\n\nd\te\n|===", (("a", "b, c"), ("d", "e")), 0),
        ("[separator=;]\n|===\n;one;two | three\n|===", (("one", "two | three"),), 0),
        ("[cols=2*]\n|===\nno sign|two\n|===", (("no sign", "two"),), 0),
        ("!===\n!a !b\n!c !d\n!===", (("a", "b"), ("c", "d")), 0),
        ('[cols="1,a"]\n|===\n|k\n|in\n!===\n!x !y\n!===\n|===', (("k", "in\n!===\n!x !y\n!==="),), 0),
    ],
)
def test_tables_of_every_form_keep_their_words(
    written: str, rows: tuple[tuple[str, ...], ...], header_rows: int
) -> None:
    assert tables_of(f"{written}\n") == [(rows, header_rows)]


def test_only_what_a_listing_says_is_its_language() -> None:
    text = "[source,ruby]\n----\na\n----\n\n----\nb\n----\n\n....\nc\n....\n\n```js\nd\n```\n"
    text += "\n[source,language=go]\n----\ne\n----\n"
    found = asciidoc.parse(RawDocument("s/a.adoc", "a.adoc", text.encode(), "text/asciidoc")).elements
    assert [(e.text, e.language) for e in found] == [("a", "ruby"), ("b", ""), ("c", ""), ("d", "js"), ("e", "go")]


def test_powers_indices_and_titles_of_pictures_are_said() -> None:
    text = 'Use 10^2^ and H~2~O from ~/a to ~/b.\n\nimage::x.png[Plan of it,400,title="The plan, drawn"]\n\n'
    text += 'See image:i.png[alt="A, b"].\n'
    found = asciidoc.parse(RawDocument("s/a.adoc", "a.adoc", text.encode(), "text/asciidoc")).elements
    assert [e.text for e in found] == [
        "Use 10^2 and H2O from ~/a to ~/b.",
        "The plan, drawn\nPlan of it",
        "See A, b.",
    ]
