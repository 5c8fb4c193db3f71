"""Writes the PDF and DOCX documents of the handbook: `python examples/make_binary_documents.py [DIRECTORY]`.

The texts stand in `binary_documents.yaml`. The same texts give the same bytes on every run: dates are fixed, nothing is
random, and streams are stored uncompressed where the format allows it, so that another zlib changes nothing there.
"""

from __future__ import annotations

import io
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import docx
import reportlab
import yaml
from docx.document import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from PIL import Image, ImageDraw
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    FrameBreak,
    ListFlowable,
    ListItem,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
)

TEXTS = Path(__file__).with_name("binary_documents.yaml")
HANDBOOK = Path(__file__).with_name("handbook")
FIXED_TIME = datetime(2025, 5, 20, 9, 0, tzinfo=UTC)
PAGE_WIDTH, PAGE_HEIGHT = A4
MARGIN = 25 * mm
FIGURE_HEIGHT = 62 * mm

Spec = Mapping[str, Any]
Blocks = list[Mapping[str, Any]]


# --- PDF ---


class OutlinedDocument(BaseDocTemplate):  # type: ignore[misc]
    """A PDF whose headings become bookmarks."""

    def afterFlowable(self, flowable: Flowable) -> None:  # noqa: N802 - reportlab calls it by this name
        """Adds the bookmark of a heading that has just been drawn."""
        level = getattr(flowable, "outline_level", None)
        if level is None:
            return
        key = f"section-{self.seq.nextf('outline')}"
        self.canv.bookmarkPage(key)
        self.canv.addOutlineEntry(flowable.getPlainText(), key, level=level)


def heading_style(level: int, font: str) -> ParagraphStyle:
    """Level 1 is the title of the document, level 2 a section."""
    size = {1: 19, 2: 13}[level]
    return ParagraphStyle(
        f"heading-{level}-{font}", fontName=font, fontSize=size, leading=size * 1.25, spaceBefore=9, spaceAfter=5
    )


def pdf_flowables(blocks: Blocks, body: str, bold: str) -> Iterator[Flowable]:
    """The blocks of a document as reportlab flowables, in order."""
    text = ParagraphStyle(f"body-{body}", fontName=body, fontSize=10.5, leading=15, spaceAfter=7)
    top_level = min((block["level"] for block in blocks if "heading" in block), default=1)
    for block in blocks:
        if "heading" in block:
            paragraph = Paragraph(block["heading"], heading_style(block["level"], bold))
            paragraph.outline_level = block["level"] - top_level
            yield paragraph
        elif "text" in block:
            yield Paragraph(block["text"], text)
        elif "list" in block or "numbered" in block:
            yield list_flowable(block, text)
        elif "table" in block:
            yield table_flowable(block, body, bold)
            yield Spacer(0, 8)
        elif "contents" in block:
            yield from contents_flowables(block["contents"], text, bold)
        elif "page_break" in block:
            yield PageBreak()
        elif "column_break" in block:
            yield FrameBreak()
        elif "figure" not in block:  # the figure is drawn by the page itself
            raise ValueError(f"unknown block {sorted(block)}")


def list_flowable(block: Mapping[str, Any], style: ParagraphStyle) -> ListFlowable:
    """A bulleted or numbered list."""
    numbered = "numbered" in block
    lines = [ListItem(Paragraph(line, style)) for line in block["numbered" if numbered else "list"]]
    if numbered:
        return ListFlowable(lines, bulletType="1", bulletFormat="%s.", leftIndent=20, bulletFontSize=10.5)
    return ListFlowable(lines, bulletType="bullet", start="\u2022", leftIndent=16, bulletFontSize=10.5)


def contents_flowables(entries: list[list[str]], style: ParagraphStyle, bold: str) -> Iterator[Flowable]:
    """A printed table of contents with dotted leaders; its entries say again what the headings say."""
    yield Paragraph("Contents", heading_style(2, bold))
    width = {
        part: pdfmetrics.stringWidth(part, style.fontName, style.fontSize)
        for part in (". ", *chain.from_iterable(entries))
    }
    for title, page in entries:
        dots = int((PAGE_WIDTH - 2 * MARGIN - width[title] - width[page]) / width[". "]) - 1
        yield Paragraph(f"{title} {'. ' * dots}{page}", style)


def table_flowable(block: Mapping[str, Any], body: str, bold: str) -> Table:
    """A table with a header on its first page only: the parser has to carry it over the page break."""
    table = Table(block["table"], colWidths=block["widths"], repeatRows=0, hAlign="LEFT", rowHeights=20)
    table.setStyle(
        [
            ("FONT", (0, 0), (-1, 0), bold, 9.5),
            ("FONT", (0, 1), (-1, -1), body, 9.5),
            ("GRID", (0, 0), (-1, -1), 0.5, colors.grey),
            ("BACKGROUND", (0, 0), (-1, 0), colors.whitesmoke),
            ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
        ]
    )
    return table


def page_label(page: int, front_pages: int) -> str:
    """What is printed at the foot of the page: i, ii for front pages, then 1, 2, 3."""
    return "i" * page if page <= front_pages else str(page - front_pages)


def draw_furniture(spec: Spec, canvas: Canvas, document: BaseDocTemplate) -> None:
    """Running header and footer, the page label, and the figure of a two-column page."""
    front_pages = spec.get("front_pages", 0)
    canvas.saveState()
    canvas.setFont("Helvetica", 8.5)
    canvas.setFillColor(colors.dimgrey)
    canvas.drawString(MARGIN, PAGE_HEIGHT - 15 * mm, spec["header"])
    canvas.drawString(MARGIN, 13 * mm, spec["footer"])
    canvas.drawRightString(PAGE_WIDTH - MARGIN, 13 * mm, f"Page {page_label(document.page, front_pages)}")
    canvas.line(MARGIN, PAGE_HEIGHT - 17 * mm, PAGE_WIDTH - MARGIN, PAGE_HEIGHT - 17 * mm)
    canvas.restoreState()
    if front_pages and document.page == 1:
        canvas.addPageLabel(0, "ROMAN_LOWER", 1)
        canvas.addPageLabel(front_pages, "ARABIC", 1)
    for block in spec["blocks"]:
        if "figure" in block:
            draw_figure(canvas, block["figure"])


def draw_figure(canvas: Canvas, caption: str) -> None:
    """A line drawing of the logger on top of the left column, with its caption."""
    left, top = MARGIN, PAGE_HEIGHT - 24 * mm
    bottom = top - FIGURE_HEIGHT
    canvas.roundRect(left, bottom + 8 * mm, 70 * mm, FIGURE_HEIGHT - 8 * mm, 3 * mm)
    canvas.roundRect(left + 12 * mm, bottom + 18 * mm, 24 * mm, 34 * mm, 2 * mm)
    canvas.rect(left + 15 * mm, bottom + 36 * mm, 18 * mm, 12 * mm)
    canvas.circle(left + 20 * mm, bottom + 26 * mm, 3 * mm)
    canvas.circle(left + 28 * mm, bottom + 26 * mm, 3 * mm)
    canvas.bezier(
        left + 36 * mm, bottom + 30 * mm, left + 50 * mm, bottom + 20 * mm,
        left + 50 * mm, bottom + 48 * mm, left + 60 * mm, bottom + 40 * mm,
    )  # fmt: skip
    canvas.setFont("Helvetica-Oblique", 8.5)
    canvas.drawString(left, bottom + 2 * mm, caption)


def page_frames(layout: str) -> list[Frame]:
    """One frame for a plain page; two columns otherwise, the left one starting below the figure."""
    bottom, height = 20 * mm, PAGE_HEIGHT - 44 * mm
    if layout == "plain":
        return [Frame(MARGIN - 6, bottom, PAGE_WIDTH - 2 * MARGIN + 12, height)]
    width = 76 * mm
    left_height = height - FIGURE_HEIGHT
    return [
        Frame(MARGIN - 6, bottom, width, left_height),
        Frame(PAGE_WIDTH - MARGIN - width + 6, bottom, width, height),
    ]


def text_pdf(spec: Spec) -> bytes:
    """A PDF with a text layer, bookmarks, running header and footer."""
    buffer = io.BytesIO()
    body, bold = "Helvetica", "Helvetica-Bold"
    if spec["layout"] == "columns":  # the only one with ligature characters, which the standard fonts lack
        fonts = Path(reportlab.__file__).parent / "fonts"
        pdfmetrics.registerFont(TTFont("Vera", str(fonts / "Vera.ttf")))
        pdfmetrics.registerFont(TTFont("VeraBd", str(fonts / "VeraBd.ttf")))
        body, bold = "Vera", "VeraBd"
    document = OutlinedDocument(
        buffer, pagesize=A4, title=spec["title"], author=spec["author"], invariant=1, pageCompression=0, lang="en"
    )
    template = PageTemplate(frames=page_frames(spec["layout"]), onPage=partial(draw_furniture, spec))
    document.addPageTemplates(template)
    document.build(list(pdf_flowables(spec["blocks"], body, bold)))
    return buffer.getvalue()


def scanned_page() -> Image.Image:
    """Grey strokes where a bad copier left the lines of a letter: nothing in it can be read."""
    page = Image.new("L", (620, 877), 243)
    draw = ImageDraw.Draw(page)
    for line in range(34):
        top = 90 + line * 21
        words, left = 4 + (line * 7) % 5, 70
        for word in range(words):
            length = 28 + (line * 31 + word * 47) % 62
            draw.rectangle((left, top + (word % 2), left + length, top + 6), fill=150 + (line * 13 + word * 29) % 60)
            left += length + 11
    draw.arc((380, 800, 520, 850), 180, 340, fill=90, width=3)
    return page


def scan_pdf(spec: Spec) -> bytes:
    """A PDF of images without any text layer."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=1, pageCompression=0)
    canvas.setTitle(spec["title"])
    canvas.setAuthor(spec["author"])
    for _ in range(spec["pages"]):
        canvas.drawImage(ImageReader(scanned_page()), 0, 0, PAGE_WIDTH, PAGE_HEIGHT)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


# --- DOCX ---


def docx_file(spec: Spec) -> bytes:
    """A Word document with styles, lists, tables, and where asked a footnote and a tracked change."""
    document = docx.Document()
    drop_unused_parts(document)
    properties = document.core_properties
    properties.title, properties.author, properties.comments = spec["title"], spec["author"], ""
    properties.created = properties.modified = FIXED_TIME.replace(tzinfo=None)
    for block in spec["blocks"]:
        add_docx_block(document, block)
    buffer = io.BytesIO()
    document.save(buffer)
    return stored_zip(buffer.getvalue())


def drop_unused_parts(document: Document) -> None:
    """Takes out what the template of python-docx brings along and nobody uses: 800 kB of table styles."""
    for style in list(document.styles):
        if style.type == WD_STYLE_TYPE.TABLE and style.name not in ("Normal Table", "Table Grid"):
            style.delete()
    relations = document.part.rels
    for relation_id in [key for key, relation in relations.items() if relation.reltype.endswith("/stylesWithEffects")]:
        del relations[relation_id]


def add_docx_block(document: Document, block: Mapping[str, Any]) -> None:
    """Appends one block to the document."""
    if "heading" in block:
        document.add_heading(block["heading"], block["level"])
    elif "text" in block:
        document.add_paragraph(block["text"])
    elif "list" in block:
        for line in block["list"]:
            document.add_paragraph(line, style="List Bullet")
    elif "numbered" in block:
        for line in block["numbered"]:
            document.add_paragraph(line, style="List Number")
    elif "table" in block:
        add_docx_table(document, block)
    elif "tracked" in block:
        add_tracked_change(document, block["tracked"])
    elif "footnoted" in block:
        add_footnote(document, block["footnoted"])
    else:
        raise ValueError(f"unknown block {sorted(block)}")


def add_docx_table(document: Document, block: Mapping[str, Any]) -> None:
    """A table; `merge` names corners [row, column, row, column] of merged cells, which keep the text of the first."""
    rows = block["table"]
    table = document.add_table(len(rows), len(rows[0]), style="Table Grid")
    for row_number, first_column, last_row, last_column in block.get("merge", ()):
        table.cell(row_number, first_column).merge(table.cell(last_row, last_column))
    for row_number, row in enumerate(rows):
        for column, cell in enumerate(row):
            if cell:
                table.cell(row_number, column).text = cell
    document.add_paragraph()


def add_tracked_change(document: Document, change: Mapping[str, str]) -> None:
    """A paragraph in which one word was deleted and another inserted with change tracking on."""
    paragraph = document.add_paragraph(change["before"])
    attributes = f'w:author="People team" w:date="{FIXED_TIME:%Y-%m-%dT%H:%M:%SZ}" {nsdecls("w")}'
    deleted = f'<w:del w:id="901" {attributes}><w:r><w:delText>{change["deleted"]}</w:delText></w:r></w:del>'
    inserted = f'<w:ins w:id="902" {attributes}><w:r><w:t>{change["inserted"]}</w:t></w:r></w:ins>'
    for element in (deleted, inserted):
        paragraph._p.append(parse_xml(element))  # noqa: SLF001 - python-docx has no tracked changes
    paragraph.add_run(change["after"])


def add_footnote(document: Document, footnoted: Mapping[str, str]) -> None:
    """A paragraph with a footnote; a document of this file has at most one."""
    paragraph = document.add_paragraph(footnoted["text"])
    reference = f'<w:r {nsdecls("w")}><w:footnoteReference w:id="2"/></w:r>'
    paragraph._p.append(parse_xml(reference))  # noqa: SLF001 - python-docx has no footnotes
    separators = "".join(
        f'<w:footnote w:type="{kind}" w:id="{number}"><w:p><w:r><w:{tag}/></w:r></w:p></w:footnote>'
        for kind, number, tag in (
            ("separator", 0, "separator"),
            ("continuationSeparator", 1, "continuationSeparator"),
        )
    )
    runs = f"<w:r><w:footnoteRef/></w:r><w:r><w:t>{footnoted['note']}</w:t></w:r>"
    note = f'<w:footnote w:id="2"><w:p>{runs}</w:p></w:footnote>'
    xml = f'<?xml version="1.0" encoding="UTF-8"?><w:footnotes {nsdecls("w")}>{separators}{note}</w:footnotes>'
    media_type = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
    part = Part(PackURI("/word/footnotes.xml"), media_type, xml.encode(), document.part.package)
    document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)


def stored_zip(content: bytes) -> bytes:
    """The same archive uncompressed and with fixed times, so that its bytes depend on the content only."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as target:
        for name in source.namelist():
            target.writestr(zipfile.ZipInfo(name, FIXED_TIME.timetuple()[:6]), source.read(name))
    return buffer.getvalue()


def maker(name: str, spec: Spec) -> Callable[[Spec], bytes]:
    """The function that writes a document of this name and layout."""
    if name.endswith(".docx"):
        return docx_file
    return scan_pdf if spec["layout"] == "scan" else text_pdf


def write_documents(directory: Path) -> list[Path]:
    """Writes every document below `directory`; the paths written, in the order of the texts."""
    written = []
    for name, spec in yaml.safe_load(TEXTS.read_text(encoding="utf-8")).items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(maker(name, spec)(spec))
        written.append(path)
    return written


if __name__ == "__main__":
    for document_path in write_documents(Path(sys.argv[1]) if len(sys.argv) > 1 else HANDBOOK):
        print(document_path)
