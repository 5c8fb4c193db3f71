"""How fast the large formats are parsed, one process, detection of the type included.

`python benchmarks/parse_speed.py [pdf|markdown|docx|xlsx]... [--profile]`

Files are made here: a manual of 300 pages as a print program sets it (headings, justified prose, lists, a ruled table
every fourth page, running header and page number), 4 MB of Markdown, a Word document of 870 pages, a sheet of 10,000 x
12. Seconds are those of the processor (user and system), the least of three runs: other work on the machine counts not.
Where KPREP_SETS holds the docling documents, their born-digital PDFs are read as well.
"""

from __future__ import annotations

import cProfile
import io
import os
import pstats
import random
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from flows.child import collect_seldom
from kprep.core.models import RawDocument
from parsers import parse, parser_for
from parsers.media_type import detect

SETS = Path(os.environ.get("KPREP_SETS", Path(__file__).resolve().parents[2] / "shared" / "data"))
PAGES, DOCX_PAGES, ROWS, COLUMNS = 300, 870, 10_000, 12
RUNS = 3
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
WORDS = (
    "the pump valve pressure is switched off before opening and every operator checks its seal in the morning because "
    "a worn ring leaks water into the gearbox which stops the conveyor for several hours during production when no "
    "spare part remains on site therefore maintenance keeps two sets ready inspection reports name the serial number "
    "of each part together with measured temperature vibration and the date of replacement"
).split()


def prose(chance: random.Random, words: int) -> str:
    """Sentences of made prose."""
    out = []
    while words > 0:
        length = chance.randint(8, 22)
        sentence = " ".join(chance.choice(WORDS) for _ in range(length))
        out.append(sentence[:1].upper() + sentence[1:] + ".")
        words -= length
    return " ".join(out)


def manual(pages: int = PAGES) -> bytes:
    """A born-digital PDF of so many pages, some 2,800 characters a page."""
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import ListFlowable, PageBreak, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

    chance, styles, story = random.Random(1), getSampleStyleSheet(), []
    styles["BodyText"].alignment = 4  # justified
    for number in range(pages):
        story.append(Paragraph(f"{number + 1} Replacing part {number}", styles["Heading1"]))
        ruled = number % 4 == 0
        for section in range(2):
            story.append(Paragraph(f"{number + 1}.{section + 1} Before you start", styles["Heading2"]))
            story.extend(Paragraph(prose(chance, 85), styles["BodyText"]) for _ in range(2 if ruled else 3))
        items = [Paragraph(prose(chance, 8), styles["BodyText"]) for _ in range(4)]
        story.append(ListFlowable(items, bulletType="bullet"))
        if ruled:
            rows = [["Part", "Serial", "Torque", "Interval"]] + [
                [chance.choice(WORDS), f"SN-{chance.randint(1000, 9999)}", f"{chance.randint(10, 90)} Nm", "6 months"]
                for _ in range(8)
            ]
            story.append(Spacer(1, 6))
            story.append(Table(rows, style=TableStyle([("GRID", (0, 0), (-1, -1), 0.5, "black")])))
        story.append(PageBreak())

    def edges(canvas: object, document: object) -> None:
        canvas.setFont("Helvetica", 8)  # type: ignore[attr-defined]
        canvas.drawString(72, 805, "Maintenance manual, edition 7")  # type: ignore[attr-defined]
        canvas.drawString(500, 30, f"Page {document.page}")  # type: ignore[attr-defined]

    out = io.BytesIO()
    SimpleDocTemplate(out, pagesize=(595, 842)).build(story, onFirstPage=edges, onLaterPages=edges)
    return out.getvalue()


def markdown() -> bytes:
    """4 MB: headings, prose with links and emphasis, lists, code, tables."""
    chance = random.Random(2)
    parts: list[str] = []
    size = 0
    while size < 4_000_000:
        part = (
            f"## Section {len(parts)}\n\n{prose(chance, 60)} See [the manual](manual.md#a) and **note** `code`.\n\n"
            f"{prose(chance, 90)}\n\n- {prose(chance, 12)}\n- {prose(chance, 12)}\n\n"
            f"```python\nprint({len(parts)})\n```\n\n"
            "| part | count |\n| --- | --- |\n| pump | 2 |\n| valve | 4 |\n\n"
        )
        parts.append(part)
        size += len(part)
    return "".join(parts).encode()


def word_document(pages: int = DOCX_PAGES) -> bytes:
    """Some 940 characters a page in headings, paragraphs and a small table now and then."""
    from docx import Document

    chance, document = random.Random(3), Document()
    for number in range(pages):
        document.add_heading(f"Part {number}", 1 + number % 3)
        for _ in range(3):
            document.add_paragraph(prose(chance, 48))
        document.add_paragraph(prose(chance, 10), style="List Bullet")
        if number % 10 == 0:
            table = document.add_table(3, 3)
            for row in table.rows:
                for cell in row.cells:
                    cell.text = chance.choice(WORDS)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def relations(*targets: tuple[str, str]) -> str:
    """A part of relations; ids count from r1."""
    listed = "".join(
        f'<Relationship Id="r{number}" Type="{OFFICE}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{listed}</Relationships>'


def sheet() -> bytes:
    """10,000 rows of 12 columns: numbers, dates and texts in shared strings."""
    chance = random.Random(4)
    texts = [prose(chance, 5) for _ in range(2000)]
    rows = []
    for number in range(1, ROWS + 1):
        cells = []
        for column in range(COLUMNS):
            name = f"{chr(65 + column)}{number}"
            if column % 3 == 0:
                cells.append(f'<c r="{name}" t="s"><v>{chance.randrange(len(texts))}</v></c>')
            else:
                cells.append(f'<c r="{name}"><v>{chance.randint(1, 99999) / 100}</v></c>')
        rows.append(f'<row r="{number}">{"".join(cells)}</row>')
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
    shared = "".join(f"<si><t>{text}</t></si>" for text in texts)
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="xml" '
        f'ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="{kinds}"/></Types>',
        "_rels/.rels": relations(("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{OFFICE}"><sheets><sheet name="Parts" sheetId="1" '
        'r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(
            ("worksheet", "worksheets/sheet1.xml"), ("sharedStrings", "sharedStrings.xml")
        ),
        "xl/sharedStrings.xml": f'<sst xmlns="{main}">{shared}</sst>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{"".join(rows)}</sheetData></worksheet>',
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return out.getvalue()


def seconds(name: str, content: bytes, runs: int = RUNS) -> tuple[float, int, int]:
    """(least processor seconds, pages, elements) of parsing."""
    best, pages, elements = float("inf"), 0, 0
    for _ in range(runs):
        started = time.process_time()
        media_type = detect(name, content)
        document = parse(RawDocument(name, name, content, media_type), parser_for(media_type))
        best = min(best, time.process_time() - started)
        pages, elements = sum(unit.kind == "page" for unit in document.units), len(document.elements)
    return best, pages, elements


def born_digital() -> list[tuple[str, bytes]]:
    """The PDFs of the docling set."""
    return [(path.name, path.read_bytes()) for path in sorted((SETS / "parse" / "docling" / "docs").glob("*/*.pdf"))]


def plain_seconds(content: bytes) -> float:
    """Least processor seconds of PDFium's plain text without any layout: what the machine gives at most."""
    import pypdfium2

    best = float("inf")
    for _ in range(RUNS):
        started = time.process_time()
        file = pypdfium2.PdfDocument(content)
        for index in range(len(file)):
            page = file[index]
            page.get_textpage().get_text_range()
            page.close()
        file.close()
        best = min(best, time.process_time() - started)
    return best


def measure_pdf() -> None:
    """Pages a second of the made manual, and of the docling files together."""
    content = manual()
    best, pages, elements = seconds("a.pdf", content)
    print(f"pdf       plain text by PDFium alone: {pages / plain_seconds(content):.0f} pages/s")
    print(f"          {pages} pages, {elements} elements: {best:.2f} s, {pages / best:.0f} pages/s (wanted: 100)")
    figures = [seconds(name, content) for name, content in born_digital()]
    if figures:
        total, pages = sum(figure[0] for figure in figures), sum(figure[1] for figure in figures)
        print(f"          {len(figures)} docling files, {pages} pages: {total:.2f} s, {pages / total:.0f} pages/s")


def measure_markdown() -> None:
    """MB a second."""
    content = markdown()
    best, _, elements = seconds("a.md", content)
    size = len(content) / 1e6
    print(f"markdown  {size:.1f} MB, {elements} elements: {best:.2f} s, {size / best:.1f} MB/s (wanted: 2)")


def measure_docx() -> None:
    """Seconds of a document of 870 pages."""
    best, _, elements = seconds("a.docx", word_document())
    print(f"docx      {DOCX_PAGES} pages, {elements} elements: {best:.2f} s (wanted: 4)")


def measure_xlsx() -> None:
    """Seconds of a sheet."""
    best, _, elements = seconds("a.xlsx", sheet())
    print(f"xlsx      {ROWS} x {COLUMNS}, {elements} elements: {best:.2f} s (wanted: 1)")


MEASURES: dict[str, Callable[[], None]] = {
    "pdf": measure_pdf, "markdown": measure_markdown, "docx": measure_docx, "xlsx": measure_xlsx,
}  # fmt: skip


def main() -> None:
    """Print one line a format. Garbage is collected as seldom as in the process that prepares documents."""
    collect_seldom()
    for name in [name for name in sys.argv[1:] if name in MEASURES] or list(MEASURES):
        if "--profile" in sys.argv:
            profile = cProfile.Profile()
            profile.runcall(MEASURES[name])
            pstats.Stats(profile).sort_stats("tottime").print_stats(35)
        else:
            MEASURES[name]()


if __name__ == "__main__":
    main()
