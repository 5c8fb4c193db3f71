"""Word files: limits, tracked changes, boxes, notes, numbering; unstructured's part in it."""

from __future__ import annotations

import io
import zipfile

import pytest

from kprep.core.errors import CorruptDocument, EncryptedDocument, Recursive, TooLarge
from kprep.core.models import ElementKind, ParsedDocument, RawDocument
from parsers import PARSERS, archive, coverage, parse
from parsers.media_type import DOCX
from tests.fakes.by_path import module_at

BUILD = module_at("golden/parsers/build_inputs.py")


def read(content: bytes) -> ParsedDocument:
    return parse(RawDocument("s/a.docx", "a.docx", content, DOCX), PARSERS["docx"])


def body(xml: str, **more: object) -> ParsedDocument:
    return read(BUILD.docx(xml, **more))


def test_zip_bomb_is_refused_before_it_is_unpacked() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("word/document.xml", b" " * 80_000_000)
    assert len(out.getvalue()) < 1_000_000
    with pytest.raises(TooLarge) as caught:
        read(out.getvalue())
    assert caught.value.context["unpacked"] == 80_000_000


def test_too_many_members() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as target:
        for number in range(archive.MAX_MEMBERS + 1):
            target.writestr(str(number), b"")
    with pytest.raises(TooLarge):
        read(out.getvalue())


def test_refusals() -> None:
    with pytest.raises(EncryptedDocument):
        read(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600)
    with pytest.raises(CorruptDocument):
        read(b"PK\x03\x04 not an archive")
    with pytest.raises(CorruptDocument):
        read(BUILD.docx("<w:p>")[:-40])
    with pytest.raises(CorruptDocument):
        read(BUILD.docx("<w:p>"))


@pytest.mark.req("D2.11")
def test_text_box_once_and_in_place() -> None:
    box = (
        '<w:p><w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        "<mc:Choice Requires='wps'><w:drawing><w:txbxContent>"
        "<w:p><w:r><w:t>in the box</w:t></w:r></w:p></w:txbxContent>"
        "</w:drawing></mc:Choice><mc:Fallback><w:pict><w:txbxContent><w:p><w:r><w:t>in the box</w:t></w:r></w:p>"
        "</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r><w:r><w:t>beside it</w:t></w:r></w:p>"
    )
    assert [e.text for e in body(box + BUILD.paragraph("after")).elements] == ["beside it", "in the box", "after"]


def test_moved_and_nested_revisions() -> None:
    xml = (
        "<w:p><w:moveFrom><w:r><w:t>old</w:t></w:r></w:moveFrom><w:moveTo><w:r><w:t>new</w:t></w:r></w:moveTo></w:p>"
        "<w:ins><w:p><w:r><w:t>whole paragraph</w:t></w:r></w:p></w:ins>"
        "<w:sdt><w:sdtContent><w:p><w:r><w:t>controlled</w:t></w:r></w:p></w:sdtContent></w:sdt>"
    )
    raw = RawDocument("s/a.docx", "a.docx", BUILD.docx(xml), DOCX)
    found = parse(raw, PARSERS["docx"])
    assert [e.text for e in found.elements] == ["new", "whole paragraph", "controlled"]
    assert coverage(raw, found) == 1.0


@pytest.mark.req("D2.11", "D3.9")
def test_pictures_in_a_line_and_words_above_words_stand_apart() -> None:
    def run(inner: str) -> str:
        return f"<w:r>{inner}</w:r>"

    picture = '<w:drawing><w:docPr id="1" name="P" descr="the gear icon"/></w:drawing>'
    ruby = f"<w:ruby><w:rt>{run('<w:t>kana</w:t>')}</w:rt><w:rubyBase>{run('<w:t>base</w:t>')}</w:rubyBase></w:ruby>"
    words = [run("<w:t>Press</w:t>"), run(picture), run("<w:t>to start</w:t>")]
    xml = f"<w:p>{''.join(words)}</w:p><w:p>{run(ruby)}{run('<w:t> tail</w:t>')}</w:p>"
    raw = RawDocument("s/a.docx", "a.docx", BUILD.docx(xml), DOCX)
    found = parse(raw, PARSERS["docx"])
    assert [e.text for e in found.elements] == ["Press the gear icon to start", "base(kana) tail"]
    assert coverage(raw, found) == 1.0


@pytest.mark.req("D3.3")
@pytest.mark.parametrize("depth", [1_100, 3_000])
def test_a_file_nested_too_deep_is_recursive(depth: int) -> None:
    with pytest.raises(Recursive):
        body("<w:sdt><w:sdtContent>" * depth + "<w:p/>" + "</w:sdtContent></w:sdt>" * depth)


@pytest.mark.req("D2.11")
def test_notes_follow_their_paragraph() -> None:
    said = "<w:p><w:r><w:t>A note.</w:t></w:r></w:p>"
    note = f'<w:footnotes {BUILD.W}><w:footnote w:id="2">{said}</w:footnote></w:footnotes>'
    relation = (
        '<Relationship Id="f1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes" '
        'Target="footnotes.xml"/>'
    )
    content = BUILD.docx(
        '<w:p><w:r><w:t>Said</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>' + BUILD.paragraph("after"),
        {"word/footnotes.xml": note},
        relation,
    )
    found = [(e.kind.value, e.text) for e in read(content).elements]
    assert found == [("paragraph", "Said[1]"), ("footnote", "A note."), ("paragraph", "after")]


@pytest.mark.req("D2.11")
def test_notes_have_the_numbers_a_reader_sees() -> None:
    def note(kind: str, number: int) -> str:
        return f'<w:{kind} w:id="{number}"><w:p><w:r><w:t>{kind} {number}</w:t></w:r></w:p></w:{kind}>'

    def said(kind: str, number: int, more: str = "") -> str:
        return f'<w:p><w:r><w:t>Said</w:t></w:r><w:r><w:{kind}Reference w:id="{number}"{more}/></w:r></w:p>'

    kinds = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    content = BUILD.docx(
        f"<w:del>{said('footnote', 9)}</w:del>{said('footnote', 5)}{said('endnote', 3)}{said('footnote', 2)}"
        f"{said('endnote', 2)}{said('footnote', 7, ' w:customMarkFollows=' + chr(34) + '1' + chr(34))}",
        {
            f"word/{kind}s.xml": f"<w:{kind}s {BUILD.W}>{''.join(note(kind, n) for n in (2, 3, 5, 7, 9))}</w:{kind}s>"
            for kind in ("footnote", "endnote")
        },
        "".join(
            f'<Relationship Id="{kind}" Type="{kinds}/{kind}s" Target="{kind}s.xml"/>'
            for kind in ("footnote", "endnote")
        ),
    )
    found = [(e.marker, e.text) for e in read(content).elements]
    assert found == [
        ("", "Said[1]"), ("[1]", "footnote 5"), ("", "Said[i]"), ("[i]", "endnote 3"), ("", "Said[2]"),
        ("[2]", "footnote 2"), ("", "Said[ii]"), ("[ii]", "endnote 2"), ("", "Said"), ("", "footnote 7"),
    ]  # fmt: skip


def test_vertical_merge_and_nested_table() -> None:
    restart, go_on = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    inner = BUILD.table(BUILD.cell("i1") + BUILD.cell("i2"), BUILD.cell("i3") + BUILD.cell("i4"))
    nested = f"<w:tc><w:tcPr/>{BUILD.paragraph('before')}{inner}</w:tc>"
    xml = BUILD.table(BUILD.cell("a", restart) + BUILD.cell("b"), BUILD.cell("", go_on) + nested)
    first, second = body(xml).elements
    assert first.rows == (("a", "b"), ("a", "before"))
    assert second.rows == (("i1", "i2"), ("i3", "i4"))


def test_chart_gives_its_numbers() -> None:
    chart = (
        '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart><c:plotArea><c:ser>'
        '<c:tx><c:pt idx="0"><c:v>Sales</c:v></c:pt></c:tx><c:cat><c:pt idx="0"><c:v>May</c:v></c:pt></c:cat>'
        '<c:val><c:pt idx="0"><c:v>4.5</c:v></c:pt></c:val></c:ser></c:plotArea></c:chart></c:chartSpace>'
    )
    drawing = '<w:p><w:r><w:drawing><c:chart xmlns:c="c" xmlns:r="r" r:id="c1"/></w:drawing></w:r></w:p>'
    relation = '<Relationship Id="c1" Type="http://x/chart" Target="charts/chart1.xml"/>'
    found = read(BUILD.docx(drawing, {"word/charts/chart1.xml": chart}, relation)).elements
    assert found[0].rows == (("", "Sales"), ("May", "4.5"))


def test_odd_numbers_in_attributes_do_not_stop_the_document() -> None:
    odd = '<w:numPr><w:ilvl w:val="-"/><w:numId w:val="1"/></w:numPr><w:outlineLvl w:val="x"/>'
    xml = BUILD.paragraph("item", more=odd) + BUILD.table(
        BUILD.cell("a", '<w:gridSpan w:val="99999999999"/>'), BUILD.cell("b")
    )
    assert [e.text for e in body(xml).elements] == ["item", "a\nb"]


@pytest.mark.req("D2.11", "D2.13")
def test_rendered_page_breaks_give_pages() -> None:
    xml = (
        BUILD.paragraph("one")
        + "<w:p><w:r><w:t>two</w:t></w:r><w:r><w:lastRenderedPageBreak/><w:t> goes on</w:t></w:r></w:p>"
        + "<w:p><w:r><w:lastRenderedPageBreak/><w:t>three</w:t></w:r></w:p>"
    )
    found = [(e.text, e.locator.page, e.locator.page_end) for e in body(xml).elements]
    assert found == [("one", 1, None), ("two goes on", 1, 2), ("three", 3, None)]


def test_bold_title_lines_become_headings() -> None:
    bold = "<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Scope of Work</w:t></w:r></w:p>"
    found = body(bold + BUILD.paragraph("The contractor is to build the wall and will finish it in May."))
    assert found.parser.startswith("docx@")
    assert [(e.kind, e.locator.anchor) for e in found.elements] == [
        (ElementKind.HEADING, "scope-of-work"),
        (ElementKind.PARAGRAPH, "scope-of-work"),
    ]
    content = BUILD.docx(bold + BUILD.paragraph("The contractor is to build the wall and will finish it in May."))
    assert "contractor" in PARSERS["docx"].quote(content, found.elements[1].locator)


def test_external_entities_are_not_read() -> None:
    content = BUILD.docx("")
    out = io.BytesIO()
    entity = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>'
    paragraph = "<w:p><w:r><w:t>a&e;b</w:t></w:r></w:p>"
    evil = f"{entity}<w:document {BUILD.W}><w:body>{paragraph}</w:body></w:document>"
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            target.writestr(name, evil if name == "word/document.xml" else source.read(name))
    assert [e.text for e in read(out.getvalue()).elements] in (["ab"], ["a"])


PI, SUM, INFINITY = "\u03c0", "\u2211", "\u221e"


def maths(inner: str) -> str:
    found = body(f"<w:p><w:r><w:t>See</w:t></w:r><m:oMath>{inner}</m:oMath></w:p>").elements[0].text
    return found.removeprefix("See $").removesuffix("$")


def m(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


@pytest.mark.req("D2.11")
@pytest.mark.parametrize(
    ("omml", "latex"),
    [
        (f"<m:f><m:num>{m('a')}</m:num><m:den>{m('b')}</m:den></m:f>", r"\frac{a}{b}"),
        (
            f"<m:sSup><m:e><m:f><m:num>{m('a')}</m:num><m:den>{m('b')}</m:den></m:f></m:e><m:sup>{m('2')}</m:sup></m:sSup>",
            r"{\frac{a}{b}}^{2}",
        ),
        (f"<m:sSubSup><m:e>{m('x')}</m:e><m:sub>{m('i')}</m:sub><m:sup>{m('2')}</m:sup></m:sSubSup>", "x_{i}^{2}"),
        (f"<m:rad><m:deg>{m('3')}</m:deg><m:e>{m('x')}</m:e></m:rad>", r"\sqrt[3]{x}"),
        (f"<m:rad><m:deg/><m:e>{m(PI)}</m:e></m:rad>", r"\sqrt{\pi}"),
        (
            (
                f'<m:nary><m:naryPr><m:chr m:val="{SUM}"/></m:naryPr>'
                f"<m:sub>{m('n=1')}</m:sub><m:sup>{m(INFINITY)}</m:sup><m:e>{m('n')}</m:e></m:nary>"
            ),
            r"\sum_{n=1}^{\infty} n",
        ),
        (f"<m:nary><m:sub/><m:sup/><m:e>{m('x')}</m:e></m:nary>", r"\int x"),
        (
            f"<m:func><m:fName>{m('log')}</m:fName><m:e><m:d><m:e>{m('x')}</m:e></m:d></m:e></m:func>",
            r"\log\left(x\right)",
        ),
        (
            f"<m:func><m:fName><m:limLow><m:e>{m('lim')}</m:e><m:lim>{m('n')}</m:lim></m:limLow></m:fName><m:e>{m('x')}</m:e></m:func>",
            r"\lim_{n} x",
        ),
        (
            (
                '<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr>'
                f"<m:e>{m('a')}</m:e><m:e>{m('b')}</m:e></m:d>"
            ),
            r"\left[a|b\right]",
        ),
        (
            f"<m:m><m:mr><m:e>{m('a')}</m:e><m:e>{m('b')}</m:e></m:mr><m:mr><m:e>{m('c')}</m:e><m:e>{m('d')}</m:e></m:mr></m:m>",
            r"\begin{matrix}a & b \\ c & d\end{matrix}",
        ),
        (f"<m:acc><m:e>{m('x')}</m:e></m:acc>", r"\hat{x}"),
        ("<m:r><m:rPr><m:nor/></m:rPr><m:t>if</m:t></m:r>" + m("x\u22645"), r"\text{if}x\le 5"),
    ],
)
def test_equations_are_latex(omml: str, latex: str) -> None:
    assert maths(omml) == latex


def test_an_equation_on_its_own_line() -> None:
    found = body(f"<w:p><m:oMathPara><m:oMath>{m('a=b')}</m:oMath><m:oMath>{m('c=d')}</m:oMath></m:oMathPara></w:p>")
    assert [e.text for e in found.elements] == ["$$a=b$$\n$$c=d$$"]


@pytest.mark.req("D2.11")
def test_comments_follow_what_they_are_about() -> None:
    base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    note = (
        f'<w:comments {BUILD.W}><w:comment w:id="4" w:author="Ann Example" w:initials="AE" '
        'w:date="2024-01-02T03:04:05Z">'
        "<w:p><w:r><w:t>Is that so?</w:t></w:r></w:p></w:comment></w:comments>"
    )
    text = '<w:p><w:r><w:t>The pump is off.</w:t></w:r><w:r><w:commentReference w:id="4"/></w:r></w:p>'
    found = body(
        text + BUILD.paragraph("The next one."),
        parts={"word/comments.xml": note},
        relations=f'<Relationship Id="c1" Type="{base}/comments" Target="comments.xml"/>',
    )
    assert [(e.text, e.fragment) for e in found.elements] == [
        ("The pump is off.", ""),
        ("Comment by Ann Example (AE), 2024-01-02T03:04:05Z: Is that so?", "comment"),
        ("The next one.", ""),
    ]


def test_boxes_to_tick() -> None:
    w14 = 'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'
    xml = "".join(
        f'<w:p><w:sdt {w14}><w:sdtPr><w14:checkbox><w14:checked w14:val="{value}"/></w14:checkbox></w:sdtPr>'
        f"<w:sdtContent><w:r><w:t>\u2610</w:t></w:r></w:sdtContent></w:sdt><w:r><w:t> {name}</w:t></w:r></w:p>"
        for value, name in ((1, "Design"), (0, "Documentation"))
    )
    assert [e.text for e in body(xml).elements] == ["[x] Design", "[ ] Documentation"]


@pytest.mark.req("D2.11")
def test_paragraphs_of_which_the_end_was_deleted_are_one() -> None:
    deleted = '<w:pPr><w:rPr><w:del w:id="1"/></w:rPr></w:pPr>'
    first = f"<w:p>{deleted}<w:r><w:t>The pump </w:t></w:r></w:p><w:p>{deleted}<w:r><w:t>runs </w:t></w:r></w:p>"
    found = body(f"{first}<w:p><w:r><w:t>on.</w:t></w:r></w:p>").elements
    assert [e.text for e in found] == ["The pump runs on."]


def test_signs_of_symbol_fonts_are_read_as_what_they_show() -> None:
    signs = [("Symbol", "F0B0"), ("Symbol", "F06D"), ("Wingdings", "F0FE"), ("Wingdings", "F04A"), ("Arial", "2713")]
    runs = "".join(f'<w:r><w:sym w:font="{font}" w:char="{code}"/></w:r>' for font, code in signs)
    assert [e.text for e in body(f"<w:p>{runs}</w:p>").elements] == ["°μ☑✓"]


def test_words_of_smart_art_are_read_and_a_part_in_another_file_is_recorded() -> None:
    kinds = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    drawing = "http://schemas.openxmlformats.org/drawingml/2006"
    points = "".join(
        f"<dgm:pt><dgm:t><a:p><a:r><a:t>{word}</a:t></a:r></a:p></dgm:t></dgm:pt>" for word in ("Plan", "Do")
    )
    content = BUILD.docx(
        BUILD.paragraph("before") + f'<w:p><w:r><w:drawing><dgm:relIds xmlns:dgm="{drawing}/diagram" xmlns:r="{kinds}" '
        'r:dm="d1"/></w:drawing></w:r></w:p>' + BUILD.paragraph("after"),
        {
            "word/diagrams/data1.xml": f'<dgm:dataModel xmlns:dgm="{drawing}/diagram" xmlns:a="{drawing}/main">'
            f"<dgm:ptLst>{points}</dgm:ptLst></dgm:dataModel>",
            "word/chunk1.html": "<p>Another part.</p>",
        },
        f'<Relationship Id="d1" Type="{kinds}/diagramData" Target="diagrams/data1.xml"/>'
        f'<Relationship Id="c1" Type="{kinds}/aFChunk" Target="chunk1.html"/>',
    )
    found = read(content)
    assert [e.text for e in found.elements] == ["before", "Plan", "Do", "after"]
    assert [(u.kind, u.state, u.name) for u in found.units[1:]] == [("attachment", "not_extracted", "chunk1.html")]


def run(text: str, height: str = "") -> str:
    raised = f'<w:rPr><w:vertAlign w:val="{height}script"/></w:rPr>' if height else ""
    return f'<w:r>{raised}<w:t xml:space="preserve">{text}</w:t></w:r>'


def test_raised_and_lowered_words_are_in_signs() -> None:
    parts = [
        *(run("10"), run("-", "super"), '<w:proofErr w:type="spellStart"/>', run("3", "super"), run(" of H")),
        *(run("2", "sub"), run("O on the 1"), run("st", "super"), run(" day, x"), run("n+1", "super"), run(".")),
    ]
    (said,) = body(f"<w:p>{''.join(parts)}</w:p>").elements
    assert said.text == "10^-3 of H2O on the 1st day, x^(n+1)."


def nested_field(*parts: str) -> str:
    """Runs of a field: "{" begins one, "|" comes to its result, "}" ends it, "=..." is its code, the rest is text."""
    turns = {"{": "begin", "|": "separate", "}": "end"}

    def one(part: str) -> str:
        if part in turns:
            return f'<w:r><w:fldChar w:fldCharType="{turns[part]}"/></w:r>'
        if part.startswith("="):
            return f'<w:r><w:instrText xml:space="preserve">{part[1:]}</w:instrText></w:r>'
        return "</w:p><w:p>" if part == "/" else f'<w:r><w:t xml:space="preserve">{part}</w:t></w:r>'

    return f"<w:p>{''.join(map(one, parts))}</w:p>"


@pytest.mark.req("D2.11")
@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (["{", "{", "=REF a", "|", "3", "}", "{", "=REF b", "|", "250", "}", "|", "750", "}", " EUR"], ["750 EUR"]),
        (["{", "=T", "|", "Intro", "/", "{", "=REF x", "|", "One", "}", "}", "/", "after"], ["Intro", "One", "after"]),
        (["{", "=IF", "/", "{", "=X", "|", "code", "}", "|", "shown", "}", " on"], ["shown on"]),
        (["be", "{", "=XE", "an entry", "}", "fore"], ["before"]),
        (["{", "=broken", "first", "{", "=REF a", "|", "3", "}", "/", "the rest"], ["first3", "the rest"]),
        (["first", "|", "second", "}", "third"], ["firstsecondthird"]),
        (["{", "=REF a", "|", "open", "/", "the rest"], ["open", "the rest"]),
    ],
)  # fmt: skip
def test_of_a_field_only_its_result_is_text(parts: list[str], said: list[str]) -> None:
    raw = RawDocument("s/a.docx", "a.docx", BUILD.docx(nested_field(*parts)), DOCX)
    found = parse(raw, PARSERS["docx"])
    assert [e.text for e in found.elements] == said
    assert coverage(raw, found) == 1.0


def test_fields_of_deleted_words_and_of_boxes_leave_those_around_them_alone() -> None:
    box = f"<w:r><w:pict><w:txbxContent>{nested_field('in ', '{', '=X', 'the box')}</w:txbxContent></w:pict></w:r>"
    deleted = '<w:del w:id="1"><w:r><w:fldChar w:fldCharType="begin"/></w:r></w:del>'
    xml = nested_field("a", "{", "=REF", "|", "BOX", "}").replace(
        '<w:r><w:t xml:space="preserve">BOX', f"{box}{deleted}<w:r><w:t>b"
    )
    assert [e.text for e in body(xml).elements] == ["ab", "in the box"]


def test_a_field_leads_where_its_code_says_whatever_stands_in_its_result() -> None:
    parts = [
        "{",
        "=HYPER",
        '=LINK \\l "a1"',
        "|",
        "Intro ",
        "{",
        "=PAGEREF a1",
        "|",
        "3",
        "}",
        "}",
        "{",
        "=REF",
        "|",
        "x",
        "}",
    ]
    [found] = body(nested_field(*parts)).elements
    assert [(link.text, link.target) for link in found.links] == [("Intro 3", "#a1")]


def test_marks_of_notes_part_words_for_the_figure_of_coverage() -> None:
    base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    notes = f'<w:endnotes {BUILD.W}><w:endnote w:id="2">{BUILD.paragraph("Said there.")}</w:endnote></w:endnotes>'
    text = '<w:p><w:r><w:t>claim</w:t></w:r><w:r><w:endnoteReference w:id="2"/></w:r><w:r><w:t>goes</w:t></w:r></w:p>'
    content = BUILD.docx(
        text,
        parts={"word/endnotes.xml": notes},
        relations=f'<Relationship Id="e1" Type="{base}/endnotes" Target="endnotes.xml"/>',
    )
    raw = RawDocument("s/a.docx", "a.docx", content, DOCX)
    assert coverage(raw, parse(raw, PARSERS["docx"])) == 1.0


PAGE = "<html><body><h2>Terms</h2><p>Pay in <b>30</b> days.</p><img src='seal.png'></body></html>"
MHTML = (
    b'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html; '
    b'charset="windows-1252"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<p>10 =80 each</p>\r\n--b--\r\n'
)


def with_parts(*parts: tuple[str, str | bytes], inner: str = "") -> bytes:
    """A document that shows each of these files after its first paragraph, or in `inner`."""
    base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    marks = "".join(f'<w:altChunk xmlns:r="{base}" r:id="a{n}"/>' for n, _ in enumerate(parts))
    relations = "".join(
        f'<Relationship Id="a{n}" Type="{base}/aFChunk" Target="{name}"/>' for n, (name, _) in enumerate(parts)
    )
    text = BUILD.paragraph("Before.") + (inner.format(marks) if inner else marks) + BUILD.paragraph("After.")
    content: bytes = BUILD.docx(text, {f"word/{name}": held for name, held in parts}, relations)
    return content


@pytest.mark.req("D2.11")
@pytest.mark.parametrize(
    ("name", "held", "said"),
    [
        ("p.htm", PAGE, ["Terms", "Pay in 30 days."]),
        ("p.mht", MHTML, ["10 € each"]),
        ("p.rtf", b"{\\rtf1\\ansi One.\\par Two.\\par}", ["One.", "Two."]),
        ("p.txt", "Plain words.", ["Plain words."]),
        (
            "p.docx",
            BUILD.docx(BUILD.paragraph("Scope", "Heading1") + BUILD.paragraph("All of it.")),
            ["Scope", "All of it."],
        ),
    ],
)
def test_a_file_inserted_in_the_text_is_read_in_its_place(name: str, held: str | bytes, said: list[str]) -> None:
    content = with_parts((name, held))
    raw = RawDocument("s/a.docx", "a.docx", content, DOCX)
    found = parse(raw, PARSERS["docx"])
    assert [e.text for e in found.elements] == ["Before.", *said, "After."]
    assert coverage(raw, found) == 1.0
    assert all(word in PARSERS["docx"].quote(content, found.elements[1].locator) for word in said)
    assert name not in {unit.name for unit in found.units}


def test_headings_of_an_inserted_file_are_places_of_the_document() -> None:
    found = read(with_parts(("p.htm", PAGE)))
    assert [(e.text, e.locator.anchor) for e in found.elements] == [
        ("Before.", "_top"),
        ("Terms", "terms"),
        ("Pay in 30 days.", "terms"),
        ("After.", "terms"),
    ]
    assert [(u.kind, u.number, u.name) for u in found.units[1:]] == [("picture", 1, "seal.png")]


def test_an_inserted_file_that_is_not_read_in_place_is_recorded() -> None:
    own = with_parts(("q.docx", BUILD.docx(BUILD.paragraph("Deep."))))
    found = read(with_parts(("b.docx", b"PK\x03\x04 broken"), ("d.docx", own), ("s.bin", b"\x00\x01\x02"), inner="{}"))
    assert [e.text for e in found.elements] == ["Before.", "Before.", "After.", "After."]
    assert sorted(u.name for u in found.units[1:]) == ["b.docx", "q.docx", "s.bin"]


def test_an_inserted_file_in_a_cell_follows_the_table() -> None:
    table = f"<w:tbl><w:tr>{BUILD.cell('a')}<w:tc>{{}}<w:p/></w:tc></w:tr></w:tbl>"
    found = read(with_parts(("p.txt", "In the cell."), inner=table))
    assert [e.text for e in found.elements] == ["Before.", "a | ", "In the cell.", "After."]
