"""Pages: nothing lost, furniture named."""

from __future__ import annotations

import pytest

from kprep.core.errors import NoText
from kprep.core.models import Element, ElementKind, Locator, ParsedDocument, RawDocument
from parsers import PARSERS, parse


def page(source: str | bytes) -> ParsedDocument:
    content = source if isinstance(source, bytes) else source.encode()
    return parse(RawDocument("u", "n.html", content, "text/html"), PARSERS["html"])


def pairs(source: str) -> list[tuple[str, str]]:
    return [(element.kind.value, element.text) for element in page(source).elements]


def test_what_a_page_shows_from_elsewhere_is_recorded_once() -> None:
    units = page(
        "<p>Words</p><img src='/a/plan%201.png?sig=1' alt='Plan'><img src='/a/plan%201.png?sig=1'>"
        "<img src='data:image/png;base64,AAAA'><img src='count.gif' width=1 height=1>"
        "<video><source src='tour.mp4'></video><iframe src='https://example.org/map/'></iframe>"
    ).units
    assert [(u.kind, u.number, u.state, u.name) for u in units[1:]] == [
        ("picture", 1, "not_extracted", "plan 1.png"),
        ("picture", 2, "not_extracted", "data:image/png"),
        ("recording", 1, "not_extracted", "tour.mp4"),
        ("attachment", 1, "not_extracted", "map"),
    ]


@pytest.mark.req("D4.2")
@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("<nav>x</nav>", "navigation"),
        ("<div role=navigation>x</div>", "navigation"),
        ("<aside>x</aside>", "navigation"),
        ('<ol class="breadcrumb"><li><a href="/">x</a></li></ol>', "navigation"),
        ("<header>x</header>", "header"),
        ("<footer>x</footer>", "footer"),
        ('<div id="cookie-consent">x</div>', "cookie_notice"),
        ('<div class="my-consent">x<button>OK</button></div>', "cookie_notice"),
        ('<div class="cookie-recipes">x</div>', "paragraph"),
        ('<div class="informed-consent">x</div>', "paragraph"),
        ('<div class="toc"><a href="#a">x</a></div>', "table_of_contents"),
        ('<aside class="admonition note">x</aside>', "paragraph"),
        ("<article><p>Text.</p><aside>x</aside></article>", "paragraph"),
        ("<section><aside><p>x</p></aside></section>", "paragraph"),
        ('<article><aside class="sidebar">x</aside></article>', "navigation"),
        ('<article><aside><a href="/a">x</a></aside></article>', "navigation"),
        ("<article><aside role=navigation>x</aside></article>", "navigation"),
        ("<main><article><header>x</header></article></main>", "paragraph"),
    ],
)
def test_furniture(source: str, kind: str) -> None:
    body = "<main><h1>T</h1><p>" + "Body words stand here. " * 10 + "</p></main>"
    found = {text: name for name, text in pairs(f"{source}{body}")}
    assert found["x"] == kind
    assert found["T"] == "heading"


def test_class_names_do_not_condemn_the_body() -> None:
    source = (
        '<body class="has-sidebar"><div class="sidebar"><h1>Title</h1><p>' + "All text. " * 50 + "</p></div></body>"
    )
    assert [kind for kind, _ in pairs(source)] == ["heading", "paragraph"]


@pytest.mark.req("D4.1", "D4.2")
def test_a_sentence_in_what_a_class_calls_a_menu_is_content() -> None:
    sentence = 'Ask the <a href="/d">service desk</a> before you open the valve.'
    menu = f'<ul class="nav"><li><a href="/">Home</a></li><li>{sentence}</li><li><a href="/c">Contact</a></li></ul>'
    page = menu + "<main><h1>T</h1><p>" + "Body words. " * 20 + "</p></main>"
    found = {text: kind for kind, text in pairs(page)}
    assert found["Ask the service desk before you open the valve."] == "list_item"
    assert (found["Home"], found["Contact"]) == ("navigation", "navigation")
    inside = {text: kind for kind, text in pairs(f"<nav><p>{sentence}</p></nav><h1>T</h1>")}
    assert inside["Ask the service desk before you open the valve."] == "navigation"


def test_the_only_h1_in_a_header_is_content() -> None:
    assert ("heading", "Title") in pairs("<header><h1>Title</h1></header><p>x</p>")


def test_nothing_in_odd_places_is_lost() -> None:
    source = (
        "<div>loose <b>words</b><p>first</p>between<ul>stray<li>a<p>b</p>c<ol start=3><li>d</ol></ul>tail</div>"
        "<dl><dt>term<dd>meaning</dl><blockquote>said</blockquote>"
        "<figure><img alt='picture'><figcaption>cap</figcaption>"
        "</figure><button>press</button><select><option>one</select><noscript>off</noscript>end"
    )
    text = " ".join(text for _, text in pairs(source)).split()
    expected = "loose words first between stray a b c d tail term meaning said picture cap press one off end"
    assert text == expected.split()


def test_lists() -> None:
    found = [(e.level, e.marker, e.text) for e in page("<ol start=3><li>a<ul><li>b</ul><li>c</ol>").elements]
    assert found == [(1, "3.", "a"), (2, "-", "b"), (1, "4.", "c")]


@pytest.mark.parametrize("style", ["display:none", "visibility: hidden", "opacity:0", "font-size:0px"])
def test_hidden(style: str) -> None:
    found = page(f'<p>seen</p><p style="{style}">unseen</p><p hidden>unseen</p><p aria-hidden="true">unseen</p>')
    assert [element.hidden for element in found.elements] == [False, True, True, True]


@pytest.mark.req("D4.13")
def test_a_merged_cell_stands_in_each_row_and_column_it_is_for() -> None:
    table = page("<table><tr><th colspan=2>H</th><th>I</th></tr><tr><td rowspan=2>a<td>b<td>c<tr><td>d<td>e</table>")
    assert table.elements[0].rows == (("H", "H", "I"), ("a", "b", "c"), ("a", "d", "e"))
    assert table.elements[0].header_rows == 1


def test_layout_tables_are_read_as_blocks() -> None:
    found = pairs("<table role=presentation><tr><td><h2>A</h2><p>one</p></td><td><p>two</p></td></tr></table>")
    assert found == [("heading", "A"), ("paragraph", "one"), ("paragraph", "two")]


def test_anchors() -> None:
    source = (
        "<h1>Top Part</h1><p>a</p><section id=s1><h2>In</h2><p>b</p></section><a name=old></a><p>c</p><h2 id=x>X</h2>"
    )
    found = [(e.text, e.locator.anchor) for e in page(source).elements]
    assert found == [("Top Part", "top-part"), ("a", "top-part"), ("In", "s1"), ("b", "s1"), ("c", "old"), ("X", "x")]


def test_declared_encoding_and_line_ranges() -> None:
    found = page('<meta charset="windows-1251">\n<p>\u041c\u0438\u0440</p>\n\n<p>a\nb</p>\n'.encode("cp1251"))
    assert [(e.text, e.locator.line) for e in found.elements] == [("\u041c\u0438\u0440", (2, 4)), ("a b", (4, 5))]


def test_no_external_entity_and_no_script() -> None:
    source = (
        '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]><p>&e; ok</p><script>bad()</script><style>b{}</style>'
    )
    text = " ".join(text for _, text in pairs(source))
    assert "ok" in text
    assert "bad" not in text


def test_deep_nesting() -> None:
    assert ("paragraph", "deep") in pairs("<div>" * 1500 + "deep" + "</div>" * 1500)


@pytest.mark.req("D2.25", "D3.5", "D3.6")
def test_page_says_who_and_when() -> None:
    source = (
        '<html lang="de"><head><title>T</title><meta name="author" content="Team A">'
        '<meta property="article:modified_time" content="2024-05-06T07:08:09Z"></head><p>x</p></html>'
    )
    found = page(source).metadata
    assert (found.title, found.authors, found.language) == ("T", ("Team A",), "de")
    assert found.modified_at is not None
    assert found.modified_at.isoformat() == "2024-05-06T07:08:09+00:00"


def test_empty_page() -> None:
    for source in ("", "<!-- only -->", "<html><body><script>x</script></body></html>"):
        with pytest.raises(NoText):
            page(source)


def test_code_language() -> None:
    (found,) = page('<pre><code class="language-py">def f():\n\treturn <b>1</b>\n</code></pre>').elements
    assert found == Element(ElementKind.CODE, "def f():\n\treturn 1", found.locator, language="py")


def test_what_is_nested_too_deep_is_read_all_the_same() -> None:
    from kprep.core.models import RawDocument
    from parsers import PARSERS, parse
    from parsers.html_depth import MAX_DEPTH, bounded

    page = "<div>\n" * 20_000 + "<p>the words</p>" + "</div>" * 20_000 + "<p>and the rest</p>"
    document = parse(RawDocument("s/a.html", "a.html", page.encode(), "text/html"), PARSERS["html"])
    assert [e.text for e in document.elements] == ["the words", "and the rest"]
    assert document.elements[0].locator.line == (20_001, 20_001)
    flat = "<ul><li>x</li></ul>" * (MAX_DEPTH + 1)
    assert bounded(flat) == flat


def test_words_of_a_picture_and_a_field_are_quoted_where_they_stand() -> None:
    page = b"<p>Keeps the list. <img src='a.png' alt='Photo of the yard'> See <input value='seven'> more.</p>"
    found = PARSERS["html"].quote(page, Locator(line=(1, 1)))
    assert " ".join(found.split()) == "Keeps the list. Photo of the yard See seven more."


@pytest.mark.req("D4.1")
@pytest.mark.parametrize(
    ("parser", "source"),
    [
        ("html", "<p>Ask<img alt='Mia of zoll.de'>The broker<img alt='a seal'>, signs.</p>"),
        ("html", "<table><tr><td>Ask<img alt='Mia of zoll.de'>The broker<img alt='a seal'>, signs.</table>"),
        ("markdown", "Ask![Mia of zoll.de](x.png)The broker![a seal](y.png), signs."),
    ],
)
def test_words_of_a_picture_do_not_join_those_beside_it(parser: str, source: str) -> None:
    found = parse(RawDocument("s/a", "a", source.encode(), "text/x"), PARSERS[parser])
    assert found.elements[0].text == "Ask Mia of zoll.de The broker a seal, signs."


def test_words_of_a_drawing_are_apart_from_those_beside_it() -> None:
    page = "<main><p><svg><title>Close</title><path/></svg>Click it<video>no film</video>now</p><p>a<svg/>b</p></main>"
    raw = RawDocument("s/a.html", "a.html", page.encode(), "text/html")
    document = parse(raw, PARSERS["html"])
    assert [element.text for element in document.elements] == ["Close Click it no film now", "a b"]
    assert "Click it" in PARSERS["html"].quote(page.encode(), document.elements[0].locator)


@pytest.mark.req("D2.12", "D3.9")
def test_what_stands_after_the_end_of_a_page_is_read() -> None:
    source = "<html><body><p>one</p></body></html>\n<p>two</p></html><!doctype html><html><body><p>three</p></html>"
    assert [text for _, text in pairs(source)] == ["one", "two", "three"]
    assert [e.locator.line for e in page(source).elements] == [(1, 2), (2, 2), (2, 2)]


def test_words_above_words_stand_behind_them_in_brackets() -> None:
    cell = "<ruby>word<rt>sound</rt></ruby>"
    source = (
        f"<p>a {cell} b</p><p><ruby>c<rp>[</rp><rt>d</rt><rp>]</rp></ruby></p><table><tr><td>{cell}</td></tr></table>"
    )
    assert [text for _, text in pairs(source)] == ["a word(sound) b", "c[d]", "word(sound)"]


@pytest.mark.req("D3.7")
def test_entities_a_page_declares_are_its_words() -> None:
    declared = '<!ENTITY prod "Widget &co;">\n<!ENTITY co "A&#38;amp;B">\n<!ENTITY out SYSTEM "file:///etc/passwd">'
    source = (
        f"<?xml version='1.0'?>\n<!DOCTYPE html [{declared}]>\n<html><body><p>Use &prod; &out; now</p></body></html>"
    )
    found = page(source)
    assert [(e.text, e.locator.line) for e in found.elements] == [("Use Widget A&B &out; now", (5, 5))]
    assert [(u.kind, u.state, u.name) for u in found.units[1:]] == [("entity", "not_extracted", "out")]
    assert PARSERS["html"].quote(source.encode(), Locator(line=(5, 5))).strip() == "Use Widget A&B &out; now"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("10<sup>2</sup> m<sup>3</sup> 10<sup>-3</sup> x<sup>n+1</sup> 2<sup>n</sup>b", "10^2 m^3 10^-3 x^(n+1) 2^n b"),
        ("H<sub>2</sub>O x<sub>max</sub> 10<sub>2</sub> a<sub>1</sub>2", "H2O x_max 10_2 a_1 2"),
        ("1<sup>st</sup> 2<sup>e</sup> <sup>1</sup> Note", "1st 2e 1 Note"),
        ("500<sup><a href='#n1'>1</a></sup> word<a role=doc-noteref href='#n2'>2</a>", "500[1] word[2]"),
        ("word<b>s</b><sup><a href='#n1'>[1]</a></sup> End.<sup>3</sup>", "words[1] End.[3]"),
        ("<math><mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac></math>", "a/(b+1)"),
        ("<math><msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup><msqrt><mn>2</mn></msqrt></math>", "x_i^2\u221a2"),
        ("<math><mi>sin</mi><mi>x</mi><mn>2</mn><mi>y</mi></math>", "sin x 2y"),
        ("<math><semantics><mi>E</mi><annotation>E</annotation></semantics></math>", "E"),
        ("<math><mtable><mtr><mtd>1</mtd><mtd>2</mtd></mtr><mtr><mtd>3</mtd></mtr></mtable></math>", "[1, 2; 3]"),
        (
            "<s>old</s><b>new</b> <kbd>Ctrl</kbd><kbd>C</kbd> <label>A</label><input><label>B</label>",
            "old new Ctrl C A B",
        ),
        ("<span style='display: block'>x</span><span style='display:block'>y</span> a<wbr>b", "x y ab"),
        ("<ruby>\u6f22<rt>kan</rt></ruby>", "\u6f22(kan)"),
    ],
)
def test_what_only_the_setting_says_is_in_signs_and_joins_no_words(source: str, text: str) -> None:
    assert pairs(f"<p>{source}</p>") == [("paragraph", text)]
    table = page(f"<table><tr><td>{source}</td><td>z</td></tr></table>").elements[0]
    assert table.rows == ((text, "z"),)


def test_fields_in_a_cell_stand_apart() -> None:
    table = page("<table><tr><td><select><option>a</option><option>b</option></select></td><td>z</td></tr></table>")
    assert table.elements[0].rows == (("a\nb", "z"),)


@pytest.mark.req("D2.8")
def test_deleted_words_are_a_recorded_exclusion_and_code_keeps_them() -> None:
    found = page("<p>Set <del>old</del><ins>new</ins> value.</p><pre><del>-a</del>\n<ins>+b</ins></pre>")
    assert [element.text for element in found.elements] == ["Set new value.", "-a\n+b"]
    assert [(unit.kind, unit.state) for unit in found.units[1:]] == [("deletion", "not_extracted")]


@pytest.mark.parametrize("before", ["", '<?xml version="1.0" encoding="UTF-8"?>'])
def test_a_section_without_markup_is_text(before: str) -> None:
    source = (
        f"{before}<html><body><p>One <![CDATA[& two\n<three>]]></p><pre><![CDATA[GET /orders?id=7&x=<y>]]></pre>"
        "<!-- <![CDATA[gone]]> --><script>/*<![CDATA[*/ run() /*]]>*/</script><p>Last.</p></body></html>"
    )
    found = page(source)
    assert [element.text for element in found.elements] == ["One & two <three>", "GET /orders?id=7&x=<y>", "Last."]
    assert (
        PARSERS["html"]
        .quote(source.encode(), found.elements[1].locator)
        .strip()
        .endswith("GET /orders?id=7&x=<y>\nLast.")
    )


def test_a_table_in_a_row_that_only_places_it_is_read_where_it_stands() -> None:
    source = "<table><tr><td>Left<table><tr><td>a</td><td>b</td></tr></table></td><td>Right</td></tr></table>"
    assert pairs(source) == [("paragraph", "Left"), ("table", "a | b"), ("paragraph", "Right")]
