"""Writes the inputs of the golden cases of office files, e-books and markup. Same output on every run."""

# ruff: noqa: E501
from __future__ import annotations

import io
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

HERE = Path(__file__).parent
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"
P = "http://schemas.openxmlformats.org/presentationml/2006/main"
S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
C = "http://schemas.openxmlformats.org/drawingml/2006/chart"
ODF = "urn:oasis:names:tc:opendocument:xmlns:"
CORE = (
    '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>{title}</dc:title>'
    "<dc:creator>Ann Example</dc:creator><dcterms:modified>2024-05-06T07:08:09Z</dcterms:modified></cp:coreProperties>"
)


def archive(members: dict[str, str | bytes], first: str = "") -> bytes:
    """A zip archive with fixed dates; the member `first` stands first and uncompressed."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name in sorted(members, key=lambda name: (name != first, name)):
            info = zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_STORED if name == first else zipfile.ZIP_DEFLATED
            target.writestr(info, members[name])
    return out.getvalue()


def relations(*targets: tuple[str, str, str]) -> str:
    rows = "".join(f'<Relationship Id="{key}" Type="{OFFICE}/{kind}" Target="{to}"/>' for key, kind, to in targets)
    return f'<Relationships xmlns="{PACKAGE}">{rows}</Relationships>'


def types() -> str:
    return '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>'


# --- decks


def shape(text: str, at: tuple[int, int] = (0, 0), kind: str = "", more: str = "") -> str:
    """A text box of one paragraph a line, or the XML of its paragraphs."""
    mark = f'<p:nvPr><p:ph type="{kind}"/></p:nvPr>' if kind else "<p:nvPr/>"
    paragraphs = (
        text
        if text.startswith("<a:p>")
        else "".join(f"<a:p><a:r><a:t>{escape(line)}</a:t></a:r></a:p>" for line in text.split("\n"))
    )
    place = f'<a:xfrm><a:off x="{at[0]}" y="{at[1]}"/><a:ext cx="900" cy="90"/></a:xfrm>'
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="1" name="x"{more}/><p:cNvSpPr/>{mark}</p:nvSpPr><p:spPr>{place}</p:spPr>'
        f"<p:txBody>{paragraphs}</p:txBody></p:sp>"
    )


def group(inner: str, at: tuple[int, int]) -> str:
    return (
        '<p:grpSp><p:nvGrpSpPr><p:cNvPr id="2" name="g"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm>'
        f'<a:off x="{at[0]}" y="{at[1]}"/><a:ext cx="900" cy="190"/></a:xfrm></p:grpSpPr>{inner}</p:grpSp>'
    )


def frame(data: str, at: tuple[int, int]) -> str:
    return (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="3" name="t"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>'
        f'<p:xfrm><a:off x="{at[0]}" y="{at[1]}"/><a:ext cx="900" cy="90"/></p:xfrm><a:graphic><a:graphicData>{data}'
        "</a:graphicData></a:graphic></p:graphicFrame>"
    )


def deck_table(rows: list[list[str]]) -> str:
    def cell(row: int, column: int) -> str:
        text = rows[row][column]
        merged = {"<": ' hMerge="1"', "^": ' vMerge="1"'}.get(text, "")
        wide = ' gridSpan="2"' if rows[row][column + 1 : column + 2] == ["<"] else ""
        tall = ' rowSpan="2"' if [below[column] for below in rows[row + 1 : row + 2]] == ["^"] else ""
        return f"<a:tc{merged}{wide}{tall}><a:txBody><a:p><a:r><a:t>{'' if merged else escape(text)}</a:t></a:r></a:p></a:txBody></a:tc>"

    body = "".join(f"<a:tr>{''.join(cell(n, at) for at in range(len(row)))}</a:tr>" for n, row in enumerate(rows))
    return f'<a:tbl><a:tblPr firstRow="1"/>{body}</a:tbl>'


CHART = (
    f'<c:chartSpace xmlns:c="{C}" xmlns:a="{A}"><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Revenue</a:t></a:r></a:p></c:rich></c:tx></c:title>'
    '<c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>Europe</c:v></c:pt></c:strCache></c:strRef></c:tx>'
    '<c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>2023</c:v></c:pt><c:pt idx="1"><c:v>2024</c:v></c:pt></c:strCache></c:strRef></c:cat>'
    '<c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>4.4000000000000004</c:v></c:pt><c:pt idx="1"><c:v>5</c:v></c:pt></c:numCache></c:numRef></c:val>'
    "</c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>"
)


def deck(
    slides: list[str], notes: dict[int, str] | None = None, hidden: frozenset[int] = frozenset(), **more: str
) -> bytes:
    """A deck; `slides`: shapes of each; `notes`: slide number -> speaker's notes; `more`: part name -> XML."""
    ns = f'xmlns:p="{P}" xmlns:a="{A}" xmlns:r="{OFFICE}" xmlns:c="{C}"'
    ids = "".join(f'<p:sldId id="{255 + n}" r:id="rId{n}"/>' for n in range(1, len(slides) + 1))
    members: dict[str, str | bytes] = {
        "[Content_Types].xml": types(),
        "_rels/.rels": relations(("r", "officeDocument", "ppt/presentation.xml")),
        "docProps/core.xml": CORE.format(title="Quarterly review"),
        "ppt/presentation.xml": f"<p:presentation {ns}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>",
        # the files are not named in the order of the deck
        "ppt/_rels/presentation.xml.rels": relations(
            *((f"rId{n}", "slide", f"slides/slide{len(slides) - n + 1}.xml") for n in range(1, len(slides) + 1))
        ),
    }
    for number, shapes in enumerate(slides, 1):
        part = f"slide{len(slides) - number + 1}"
        show = ' show="0"' if number in hidden else ""
        members[f"ppt/slides/{part}.xml"] = f"<p:sld {ns}{show}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
        targets = [("c1", "chart", "../charts/chart1.xml"), ("h1", "hyperlink", "https://example.com/")]
        if notes and number in notes:
            members[f"ppt/notesSlides/notes{number}.xml"] = (
                f"<p:notes {ns}><p:cSld><p:spTree>{shape(notes[number], kind='body')}{shape('7', kind='sldNum')}</p:spTree></p:cSld></p:notes>"
            )
            targets.append(("n1", "notesSlide", f"../notesSlides/notes{number}.xml"))
        if number == 1 and "ppt/comments/comment1.xml" in more:
            targets.append(("k1", "comments", "../comments/comment1.xml"))
        members[f"ppt/slides/_rels/{part}.xml.rels"] = relations(*targets).replace(
            'Target="https://example.com/"', 'Target="https://example.com/" TargetMode="External"'
        )
    members |= more
    return archive(members)


def item(text: str, level: int = 0, mark: str = "") -> str:
    return f'<a:p><a:pPr lvl="{level}">{mark}</a:pPr><a:r><a:t>{escape(text)}</a:t></a:r></a:p>'


DECK = deck(
    [
        # the title comes last in the file, the second box stands left of the first
        shape("Right of the two boxes", (5000, 300))
        + shape("Left of the two boxes", (100, 310))
        + shape("Below both", (100, 900))
        + shape("Grouped diagrams", (0, 0), "title"),
        shape("Nested groups", (0, 0), "title")
        + group(shape("Inner box A", (0, 0)) + group(shape("Box in a group in a group", (0, 400)), (0, 400)), (0, 500))
        + frame(deck_table([["Class", "Count", "<"], ["R1", "1", "2"], ["^", "3", "4"]]), (0, 900))
        + shape("7", (0, 9000), "sldNum"),
        shape("Numbers", (0, 0), "title")
        + shape(
            item("First point")
            + item("Below the first", 1)
            + item("Not a point", 0, "<a:buNone/>")
            + item("One", 0, '<a:buAutoNum type="arabicPeriod"/>')
            + item("Two", 0, '<a:buAutoNum type="arabicPeriod"/>'),
            (0, 300),
            "body",
        )
        + frame('<c:chart r:id="c1"/>', (0, 900))
        + shape('<a:p><a:r><a:rPr><a:hlinkClick r:id="h1"/></a:rPr><a:t>the report</a:t></a:r></a:p>', (0, 1200)),
        shape("Not for this audience", (0, 0), "title"),
        "",
    ],
    notes={3: "Say that Europe grew."},
    hidden=frozenset({4}),
    **{
        "ppt/charts/chart1.xml": CHART,
        "ppt/embeddings/sheet1.xlsx": "PK",
        "ppt/media/image1.png": "PNG",
        "ppt/commentAuthors.xml": f'<p:cmAuthorLst xmlns:p="{P}"><p:cmAuthor id="7" name="Ann Example" initials="AE"/></p:cmAuthorLst>',
        "ppt/comments/comment1.xml": f'<p:cmLst xmlns:p="{P}"><p:cm authorId="7" dt="2024-05-06T07:08:09"><p:text>Really?</p:text></p:cm></p:cmLst>',
    },
)


# --- workbooks


def workbook(
    sheets: dict[str, str], hidden: frozenset[str] = frozenset(), extra: dict[str, str | bytes] | None = None
) -> bytes:
    """A workbook; `sheets`: name -> XML of `sheetData` and what follows it. Style 1 is a date."""
    listed = "".join(
        f'<sheet name="{name}" sheetId="{n}"{" state=" + chr(34) + "hidden" + chr(34) if name in hidden else ""} r:id="r{n}"/>'
        for n, name in enumerate(sheets, 1)
    )
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    members: dict[str, str | bytes] = {
        "[Content_Types].xml": types().replace(
            "</Types>",
            f'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="{kinds}.sheet.main+xml"/></Types>',
        ),
        "_rels/.rels": relations(("r", "officeDocument", "xl/workbook.xml")),
        "docProps/core.xml": CORE.format(title="Figures"),
        "xl/workbook.xml": f'<workbook xmlns="{S}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(
            *((f"r{n}", "worksheet", f"worksheets/sheet{n}.xml") for n in range(1, len(sheets) + 1)),
            ("st", "styles", "styles.xml"),
        ),
        "xl/styles.xml": f'<styleSheet xmlns="{S}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
    }
    for number, data in enumerate(sheets.values(), 1):
        members[f"xl/worksheets/sheet{number}.xml"] = f'<worksheet xmlns="{S}">{data}</worksheet>'
    return archive(members | (extra or {}))


def cells(rows: dict[int, dict[str, object]]) -> str:
    """`sheetData` of row number -> column -> value; "=..." is a formula that was never computed, a tuple (formula, value)."""
    out = []
    for number, row in rows.items():
        inner = ""
        for column, value in row.items():
            at = f'r="{column}{number}"'
            if isinstance(value, tuple):
                inner += f"<c {at}><f>{value[0]}</f><v>{value[1]}</v></c>"
            elif isinstance(value, str) and value.startswith("="):
                inner += f"<c {at}><f>{escape(value[1:])}</f></c>"
            elif isinstance(value, str) and value.startswith("date:"):
                inner += f'<c {at} s="1"><v>{value[5:]}</v></c>'
            elif isinstance(value, str):
                inner += f'<c {at} t="inlineStr"><is><t>{escape(value)}</t></is></c>'
            else:
                inner += f"<c {at}><v>{value}</v></c>"
        out.append(f'<row r="{number}">{inner}</row>')
    return f"<sheetData>{''.join(out)}</sheetData>"


T_SHAPED = workbook({
    "Data": cells({1: {"A": 1, "B": 2, "C": 3}, 2: {"A": 4, "B": 5, "C": 6}, 3: {"B": "the total"}, 6: {"E": "=SUM(A1:A2)"}}),
})  # fmt: skip
SHEETS = workbook(
    {
        "Orders": cells({
            1: {"A": "Orders of the year"},
            3: {"A": "Day", "B": "Item", "C": "Price"},
            4: {"A": "date:45292", "B": "Pump", "C": 12.5},
            5: {"A": "date:45293.5", "B": "Valve", "C": ("C4*2", 25)},
            8: {"F": "Note", "G": "Owner"}, 9: {"F": "late", "G": "Ann"},
        }),
        "Empty": "<sheetData/>",
        "Merged": cells({1: {"A": "Region", "B": "Units"}, 2: {"A": "North", "B": 1}, 3: {"B": 2}}) + '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>',
        "Internal": cells({1: {"A": "not shown"}}),
    },
    hidden=frozenset({"Internal"}),
)  # fmt: skip
HEADED = workbook({
    "Levels": cells({
        1: {"A": "Energy report 2024"},
        2: {"A": "Site", "B": "Import", "D": "Export"},
        3: {"B": "Plan", "C": "Actual", "D": "Plan", "E": "Actual"},
        4: {"A": "North", "B": 1, "C": 2, "D": 3, "E": 4},
        5: {"B": 5, "C": 6, "D": 7, "E": 8},
    }) + '<mergeCells><mergeCell ref="A2:A3"/><mergeCell ref="B2:C2"/><mergeCell ref="D2:E2"/><mergeCell ref="A4:A5"/></mergeCells>',
    "Years": cells({
        1: {"A": "Country", "B": 2021, "C": 2022}, 2: {"A": "Chile", "B": 5, "C": 6}, 4: {"A": "Total", "B": 7, "C": 8},
    }),
    "Form": cells({
        2: {"A": "Max. pressure", "C": "10 bar"}, 3: {"A": "Tracking", "C": 9400110200881235987},
        6: {"A": "Start", "C": "1 May", "E": "End", "G": "9 June"},
    }),
})  # fmt: skip
SPREAD = workbook({"Far": cells({1: {"A": 1}, 1048576: {"XFD": 2}})})


# --- OpenDocument

ODF_NS = " ".join(
    f'xmlns:{short}="{ODF}{name}:1.0"'
    for short, name in (("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"), ("style", "style"), ("svg", "svg-compatible"), ("presentation", "presentation"))
) + ' xmlns:xlink="http://www.w3.org/1999/xlink"'  # fmt: skip
AUTOMATIC = (
    '<office:automatic-styles><text:list-style style:name="L1"><text:list-level-style-number text:level="1"/></text:list-style>'
    '<style:style style:name="gone" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
    '<style:style style:name="off" style:family="table"><style:table-properties table:display="false"/></style:style>'
    '<style:style style:name="unseen" style:family="text"><style:text-properties text:display="none"/></style:style>'
    '<style:style style:name="high" style:family="text"><style:text-properties style:text-position="super 58%"/></style:style></office:automatic-styles>'
)


def odf(kind: str, media_type: str, body: str, more: dict[str, str | bytes] | None = None) -> bytes:
    members: dict[str, str | bytes] = {
        "mimetype": f"application/vnd.oasis.opendocument.{media_type}",
        "META-INF/manifest.xml": '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
        "meta.xml": f'<office:document-meta {ODF_NS} xmlns:dc="http://purl.org/dc/elements/1.1/"><office:meta><dc:title>A title</dc:title><dc:creator>Ann Example</dc:creator></office:meta></office:document-meta>',
        "content.xml": f"<office:document-content {ODF_NS}>{AUTOMATIC}<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>",
    }
    return archive(members | (more or {}), first="mimetype")


def odf_table(rows: list[list[str]], name: str = "T", more: str = "") -> str:
    def cell(text: str) -> str:
        if text == "^":
            return "<table:covered-table-cell/>"
        spanned = ' table:number-rows-spanned="2"' if text.startswith("v ") else ""
        return f"<table:table-cell{spanned}><text:p>{escape(text.removeprefix('v '))}</text:p></table:table-cell>"

    head, *body = [f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows]
    return f'<table:table table:name="{name}"{more}><table:table-header-rows>{head}</table:table-header-rows>{"".join(body)}</table:table>'


ODT = odf(
    "text",
    "text",
    '<text:tracked-changes><text:p>deleted words</text:p></text:tracked-changes><text:h text:outline-level="1">Safety</text:h>'
    '<text:p>Wear   a<text:s text:c="2"/>helmet<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Class 2 or better.</text:p></text:note-body></text:note> at 10<text:span text:style-name="high">2</text:span>m of '
    '<text:a xlink:href="https://example.com/site">all sites</text:a>.<text:span text:style-name="unseen">hidden words</text:span></text:p>'
    '<text:h text:outline-level="2">Steps</text:h><text:list text:style-name="L1"><text:list-item><text:p>Switch off</text:p><text:list><text:list-item><text:p>the pump first</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>Open the valve</text:p></text:list-item></text:list>'
    + odf_table([["Part", "Count"], ["v Pump", "1"], ["^", "2"]])
    + "<text:p><draw:frame><draw:text-box><text:p>Words in a frame</text:p></draw:text-box></draw:frame><office:annotation><text:p>a comment</text:p></office:annotation></text:p>",
    {"Pictures/a.png": b"PNG"},
)
ODP = odf(
    "presentation",
    "presentation",
    '<draw:page draw:name="p1"><draw:frame svg:x="1cm" svg:y="5cm" svg:width="5cm" svg:height="2cm"><draw:text-box><text:list><text:list-item><text:p>Point</text:p></text:list-item></text:list></draw:text-box></draw:frame>'
    '<draw:frame presentation:class="title" svg:x="1cm" svg:y="1cm"><draw:text-box><text:p>First slide</text:p></draw:text-box></draw:frame>'
    '<draw:g><draw:custom-shape svg:x="1cm" svg:y="9cm"><text:p>In a group</text:p></draw:custom-shape></draw:g>'
    '<presentation:notes><draw:frame presentation:class="notes"><draw:text-box><text:p>Speak slowly.</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>'
    '<draw:page draw:name="p2" draw:style-name="gone"><draw:frame presentation:class="title"><draw:text-box><text:p>Left out</text:p></draw:text-box></draw:frame></draw:page>',
)
ODS = odf(
    "spreadsheet",
    "spreadsheet",
    odf_table([["Year", "Ducks"], ["2019", "120"]], "Ducks").replace(
        "</table:table>",
        '<table:table-row><table:table-cell office:value-type="date" office:date-value="2024-01-02T00:00:00"><text:p>2.1.24</text:p></table:table-cell><table:table-cell table:number-columns-repeated="2" office:value-type="float" office:value="7"><text:p>7</text:p></table:table-cell></table:table-row>'
        '<table:table-row table:number-rows-repeated="1048570"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>',
    )
    + '<table:table table:name="Blank"><table:table-row><table:table-cell/></table:table-row></table:table>',
)


# --- rich text, e-book, markup

RTF = (
    r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset134 SimSun;}}{\stylesheet{\s0 Normal;}{\s1 heading 1;}{\s2 heading 2;}}"
    r"{\info{\title Manual}{\author Ann Example}}{\header Acme manual\par}\pard\s1 Safety\par\pard Gr\'fc\'dfe \u8364? and \u-10179?\u-8704? {\v secret words}"
    r'{\field{\*\fldinst HYPERLINK "https://example.com/"}{\fldrslt the site}}{\footnote\pard A note.}{\deleted gone}\par{\f1\'c4\'e3\'ba\'c3}\par'
    r"\pard\s2 Steps\par\pard{\listtext 1.\tab}\ls1 Switch off\par{\listtext 2.\tab}\ls1 Open the valve\par"
    r"\trowd\trhdr\cellx1000\cellx2000\pard\intbl Part\cell Count\cell\row\trowd\cellx1000\cellx2000\pard\intbl Pump\cell 2\cell\row"
    r"\trowd\cellx1000\cellx2000\pard\intbl Motor\cell\pard\intbl Limits:\par\pard\intbl\itap2 Load\nestcell{\nonesttables\par}Speed\nestcell{\nonesttables\par}{\*\nesttableprops\trowd\trhdr\cellx500\cellx900\nestrow}{\nonesttables\par}"
    r"\pard\intbl\itap2 5 kg\nestcell 10{\super 2} m/s\nestcell{\*\nesttableprops\trowd\cellx500\cellx900\nestrow}{\nonesttables\par}\pard\intbl\itap1\cell\row"
    r"\pard{\*\unknown never shown}The end.{\pict\pngblip 89504e47}\par}"
)
PAGE = '<?xml version="1.0" encoding="utf-8"?>\n<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{title}</title></head><body>\n{body}\n</body></html>'
EPUB = archive(
    {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        "OEBPS/book.opf": '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>Two chapters</dc:title><dc:creator>Ann Example</dc:creator><dc:language>en</dc:language></metadata>'
        '<manifest><item id="a" href="text/a%20one.xhtml" media-type="application/xhtml+xml"/><item id="b" href="text/b.xhtml" media-type="application/xhtml+xml"/><item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/><item id="p" href="p.png" media-type="image/png"/></manifest>'
        '<spine><itemref idref="b"/><itemref idref="a"/></spine></package>',
        "OEBPS/nav.xhtml": PAGE.format(title="", body='<nav><ol><li><a href="text/b.xhtml">Begin</a></li><li><a href="text/a%20one.xhtml">End</a></li></ol></nav>'),
        "OEBPS/text/b.xhtml": PAGE.format(title="B", body='<h1 id="begin">Begin</h1>\n<p>The first chapter is the one that the spine names first.</p>'),
        "OEBPS/text/a one.xhtml": PAGE.format(title="A", body="<h1>End</h1>\n<table>\n<tr><th>Part</th><th>Count</th></tr>\n<tr><td>Pump</td>\n<td>2</td></tr>\n</table>"),
        "OEBPS/p.png": b"PNG",
    },
    first="mimetype",
)  # fmt: skip
RST = """\
=====
Guide
=====

:Author: Ann Example

A *short* text with ``code``, a `link <https://example.com/>`_ and :ref:`a role <target>`.
See Sphinx_ as well. [1]_

.. _Sphinx: https://www.sphinx-doc.org/
.. [1] A footnote that
   goes on.
.. a comment nobody reads

Install
=======

Run this::

    pip install kprep
    kprep --help

- first item

  with a second paragraph
- second item

  1. nested
  #. counted

.. note:: Read this first.

   Then the rest.

.. code-block:: python
   :linenos:

   def add(a, b):
       return a + b

.. unknown-directive:: its argument

   Words inside it.

term
    What it means.

Tables
------

+-------+-------+
| Part  | Count |
+=======+=======+
| Pump  | 2     |
+-------+-------+

=====  =====
Code   Means
=====  =====
E1     broken
E2     gone
=====  =====

.. csv-table:: Prices
   :header: "Item", "Price"

   "Pump, big", 3

.. list-table::
   :header-rows: 1

   * - Name
     - Use
   * - tap
     - water

.. toctree::

   chapter/one
"""
ASCIIDOC = """\
= Guide
Ann Example
:version: 1.2

A *short* text with `code`, a https://example.com/[link] and <<steps,a reference>>.

// a comment nobody reads
[[steps]]
== Steps

. Switch off
** the pump
. Open the valve
+
with care

NOTE: Read this first.

ifdef::version[]
Of version {version}.
endif::[]
ifeval::["{version}" == "2.0"]
Of version two.
endif::[]

[source,python]
----
def add(a, b):
    return a + b
----

.Parts of it
[cols="1,1",options="header"]
|===
|Part |Count

|Pump
|2
2+|Both columns
|===

term:: What it means.

image::a.png[A pump seen from above]

=== Below

____
A quotation.
____
"""
JATS = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE article [<!ENTITY e "x">]>
<article xml:lang="en"><front><article-meta><article-id pub-id-type="doi">10.1/2</article-id>
<title-group><article-title>A study of pumps</article-title></title-group>
<contrib-group><contrib contrib-type="author"><name><surname>Example</surname><given-names>Ann</given-names></name></contrib></contrib-group>
</article-meta></front>
<body><sec id="s1"><title>Methods</title>
<p>We took NH<sub>3</sub> and
water, see <xref ref-type="table" rid="t1">table 1</xref>.</p>
<list><list-item><p>First</p></list-item><list-item><p>Second</p></list-item></list>
<sec id="s2"><title>Details</title><p>More &amp; more.</p>
<table-wrap id="t1"><caption><p>Counts</p></caption><table><thead><tr><th>Part</th><th>Count</th></tr></thead>
<tbody><tr><td>Pump</td><td>2</td></tr></tbody></table></table-wrap></sec></sec></body></article>
"""
DATA_XML = """\
<?xml version="1.0"?>
<config><!-- no comment -->
<server name="main"><host>db.example.com</host><port>5432</port></server>
<note>Escaped &lt;p&gt;page &lt;b&gt;text&lt;/b&gt;&lt;/p&gt; inside</note>
</config>
"""
LINES = """\
<html><body><p>Before the table</p>
<table>
<tr><th>Part</th>
<th>Count</th></tr>
<tr><td>Pump</td>
<td><ul>
<li>two</li>
<li>of them</li>
</ul></td></tr>
</table>
tail words after it
<p>A picture <img
 src="a.png"
 alt="seen from above"
> in a sentence
that goes on</p>
<p><a href="#s2">Jump to Section 2 for details</a></p>
</body></html>
"""

SCATTER = CHART.replace("barChart", "scatterChart").replace("c:cat>", "c:xVal>").replace("c:val>", "c:yVal>")
COLUMNS = deck(
    [
        "".join(
            shape(words, (1000 * column, 100 + 100 * row))
            for column, step in enumerate((("Step 1", "Prepare"), ("Step 2", "Sign"), ("Step 3", "Send")))
            for row, words in enumerate(step)
        ),
        shape("Measured", (0, 0), "title") + frame('<c:chart r:id="c1"/>', (0, 100)),
    ],
    **{
        "ppt/charts/chart1.xml": SCATTER.replace(
            "</c:ser>",
            '</c:ser><c:ser><c:tx><c:v>Asia</c:v></c:tx><c:xVal><c:numLit><c:pt idx="0"><c:v>100</c:v></c:pt></c:numLit></c:xVal>'
            '<c:yVal><c:numLit><c:pt idx="0"><c:v>7</c:v></c:pt></c:numLit></c:yVal></c:ser><c:axId val="1"/><c:axId val="2"/>',
        ).replace(
            "</c:plotArea>",
            '<c:valAx><c:axId val="1"/><c:title><c:tx><c:rich><a:p><a:r><a:t>Year</a:t></a:r></a:p></c:rich></c:tx></c:title></c:valAx>'
            '<c:valAx><c:axId val="2"/><c:title><c:tx><c:rich><a:p><a:r><a:t>MEUR</a:t></a:r></a:p></c:rich></c:tx></c:title></c:valAx></c:plotArea>',
        )
    },
)

INPUTS: dict[str, bytes | str] = {
    "pptx-columns/input.pptx": COLUMNS,
    "spreadsheet-heads/input.xlsx": HEADED,
    "pptx-b06_groups/input.pptx": DECK,
    "spreadsheet-b09_t_shaped/input.xlsx": T_SHAPED,
    "spreadsheet-sheets/input.xlsx": SHEETS,
    "spreadsheet-s01_spread/input.xlsx": SPREAD,
    "opendocument-text/input.odt": ODT,
    "opendocument-slides/input.odp": ODP,
    "opendocument-sheets/input.ods": ODS,
    "rtf-manual/input.rtf": RTF,
    "epub-two_chapters/input.epub": EPUB,
    "rst-guide/input.rst": RST,
    "asciidoc-guide/input.adoc": ASCIIDOC,
    "xml_text-jats/input.nxml": JATS,
    "xml_text-data/input.xml": DATA_XML,
    "xml_text-broken/input.xml": "<a><b>text</a>",
    "html-line_ends/input.html": LINES,
    "text_plain-ebcdic/input.txt": "THE QUICK BROWN FOX JUMPS OVER 1234567890 LAZY DOGS.".encode("cp037") * 3,
}


def main() -> None:
    for name, content in INPUTS.items():
        path = HERE / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


if __name__ == "__main__":
    main()
