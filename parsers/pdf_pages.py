"""All pages of a PDF to elements and units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kprep.core.errors import CorruptDocument
from kprep.core.models import Element, ElementKind, Locator, SourceUnit
from parsers.attachments import ATTACHMENT, PICTURE, exclusions
from parsers.comments import FRAGMENT as COMMENT
from parsers.pdf_aligned import lines_and_tables
from parsers.pdf_bare_codes import UNMAPPED
from parsers.pdf_blocks import (
    Block,
    Typography,
    blocks_of_page,
    element,
    join_over_breaks,
    joined,
    set_heading_levels,
    typography,
)
from parsers.pdf_forms import Field, fields_of, with_forms
from parsers.pdf_furniture import PageLines, find_furniture
from parsers.pdf_geometry import Box, PageGeometry, geometry
from parsers.pdf_glyphs import Glyph, read_glyphs, turned_upright
from parsers.pdf_lines import (
    Line,
    in_reading_order,
    inside,
    joined_row,
    pieces,
    pieces_by_row,
    rows_of,
    unreadable_share,
)
from parsers.pdf_notes import Note, is_said, notes_of
from parsers.pdf_ocr import is_available, recognise
from parsers.pdf_outline import Bookmark, labels, missing_headings, outline, with_labels
from parsers.pdf_paint import read_paint
from parsers.pdf_tables import find_tables
from parsers.pdf_watermarks import PageText, find_watermarks, part_slanted, without_loud

_UNREADABLE_LINE = 0.4
_UNREADABLE_PAGE = 0.2
_SMALLEST_PICTURE = 36.0
_LETTERS_ON_IT = 20
_MOST_PICTURES = 50
"""Half an inch each way; letters on an image that is the ground of the page's text; images counted of a page."""


@dataclass(frozen=True, slots=True)
class _Page:
    """One page read: pieces of lines and tables, the rest apart. `lost`: characters no font map explains.
    `confidence`: of the words, where they were recognised in a picture; `needs_review`: too low to use them.
    `slanted`: lines at no right angle, before it is known which of them are `watermarks`. `attached`: names of files
    its notes hold. `pictures`: images large enough to hold words, without the page's own words on them."""

    number: int
    height: float
    lines: tuple[Line, ...]
    aside: tuple[Line, ...]
    hidden: tuple[Line, ...]
    lost: int
    confidence: float | None = None
    needs_review: bool = False
    attached: tuple[str, ...] = ()
    pictures: int = 0
    fields: tuple[Field, ...] = ()
    notes: tuple[Note, ...] = ()
    slanted: tuple[Line, ...] = ()
    watermarks: tuple[Line, ...] = ()


def read_pages(file: Any, uri: str) -> tuple[list[Element], list[SourceUnit]]:
    """Elements in reading order; one unit a page, one for each attached file, picture and XFA form.

    Raises: CorruptDocument when a page cannot be loaded."""
    forms = with_forms(file)
    pages = [_read_page(file, number, uri) for number in range(1, len(file) + 1)]
    pages = _without_watermarks(pages)
    furniture = find_furniture(list(map(_page_lines, pages)))
    marks = outline(file)
    bodies: list[list[Line]] = []
    edges: list[list[tuple[ElementKind, Line]]] = []
    for page in pages:
        body, edge = _without_furniture(page, furniture)
        bodies.append(in_reading_order(body, lines_and_tables))
        edges.append(edge)
    norm = typography(bodies)
    levels = {number: {title: mark.level for title, mark in of.items()} for number, of in marks.items()}
    blocks: list[Block] = []
    for page, body in zip(pages, bodies, strict=True):
        blocks.extend(blocks_of_page(body, page.number, page.height, norm, levels.get(page.number, {})))
    blocks = join_over_breaks(blocks)
    set_heading_levels(blocks)
    printed = labels(file)
    elements = _woven(blocks, pages, edges, norm, marks)
    if printed:
        elements = [with_labels(item, printed) for item in elements]
    attached = [*_attached(file), *(name for page in pages for name in page.attached)]
    pictures = [f"page {page.number}" for page in pages for _ in range(page.pictures)]
    return elements, [
        *map(_unit, pages),
        *(unit for page in pages for unit in _unmapped(page)),
        *exclusions(ATTACHMENT, attached),
        *exclusions(PICTURE, pictures),
        *forms,
    ]


def _without_watermarks(pages: Sequence[_Page]) -> list[_Page]:
    """The pages with their watermarks apart; other slanted text, such as the labels of a diagram, is set aside."""
    if not any(page.slanted or any(line.light for line in (*page.lines, *page.aside)) for page in pages):
        return list(pages)
    found = find_watermarks([PageText(page.lines, page.aside, page.slanted) for page in pages])
    return [
        replace(
            page,
            lines=tuple(line for line in page.lines if line not in marks),
            aside=tuple(line for line in (*page.aside, *page.slanted) if line not in marks),
            slanted=(),
            watermarks=tuple(line for line in (*page.lines, *page.aside, *page.slanted) if line in marks),
        )
        if marks or page.slanted
        else page
        for page, marks in zip(pages, found, strict=True)
    ]


def _page_lines(page: _Page) -> PageLines:
    rows = pieces_by_row(page.lines)
    parted = tuple(joined_row(row, " | ").text for row in rows)
    return PageLines(page.number, page.height, tuple(map(joined_row, rows)), parted)


def _attached(file: Any) -> list[str]:
    """Names of the files attached to the document; a damaged list counts as none."""
    import pypdfium2

    try:
        return [file.get_attachment(at).get_name() for at in range(file.count_attachments())]
    except pypdfium2.PdfiumError:
        return []


def _attached_to(page: Any) -> Iterator[str]:
    """Names of the files attached to a page by its notes."""
    import pypdfium2
    import pypdfium2.raw as pdfium

    for at in range(pdfium.FPDFPage_GetAnnotCount(page.raw)):
        annotation = pdfium.FPDFPage_GetAnnot(page.raw, at)
        if pdfium.FPDFAnnot_GetSubtype(annotation) == pdfium.FPDF_ANNOT_FILEATTACHMENT:
            file = pdfium.FPDFAnnot_GetFileAttachment(annotation)
            yield pypdfium2.PdfAttachment(file, page.pdf).get_name() if file else ""
        pdfium.FPDFPage_CloseAnnot(annotation)


def _pictures(images: Sequence[Box], glyphs: Sequence[Glyph]) -> int:
    """How many images may hold words: neither small, nor the ground of the page's own words, as scans are."""
    large = [box for box in images if min(box[2] - box[0], box[3] - box[1]) >= _SMALLEST_PICTURE]
    letters = (sum(glyph.letters for glyph in glyphs if _in_any([box], glyph)) for box in large[:_MOST_PICTURES])
    return sum(count < _LETTERS_ON_IT for count in letters)


def _read_page(file: Any, number: int, uri: str) -> _Page:
    import pypdfium2

    try:
        page = file[number - 1]
    except pypdfium2.PdfiumError as error:
        raise CorruptDocument(f"{uri}: page {number} cannot be loaded", uri=uri, page=number) from error
    try:
        place = geometry(page)
        paint = read_paint(page, place)
        all_glyphs = read_glyphs(page, place, paint)
        glyphs, slanted = part_slanted(all_glyphs)
    except BaseException:
        page.close()
        raise
    upright = without_loud([glyph for glyph in glyphs if glyph.turn == 0])
    found = find_tables(paint, upright)
    boxes = [box for _, box in found]
    if boxes:
        in_tables = {id(glyph) for glyph in upright if not glyph.hidden and _in_any(boxes, glyph)}
        glyphs = [glyph for glyph in glyphs if id(glyph) not in in_tables]
    try:
        read = replace(_sorted_out(number, place, glyphs, [table for table, _ in found]), slanted=tuple(slanted))
        fields = tuple(fields_of(file, page))
        read = replace(_recognised(read, page, place), attached=tuple(_attached_to(page)), fields=fields)
        read = replace(read, notes=_notes(read, page))
        seen = read.confidence is None and any(line.text for line in (*read.lines, *read.aside))
        return replace(read, pictures=_pictures(paint.images, all_glyphs) if seen else 0)
    finally:
        page.close()


def _notes(read: _Page, page: Any) -> tuple[Note, ...]:
    """Notes on the page; those that were recognised with it are a part of its text."""
    seen = "" if read.confidence is None else " ".join(line.text for line in rows_of(read.lines))
    return tuple(note for note in notes_of(page) if not is_said(note.words, seen))


def _recognised(read: _Page, page: Any, place: PageGeometry) -> _Page:
    """The page; one without text as it is recognised, where that is possible."""
    if any(line.text for line in (*read.lines, *read.aside)) or not is_available():
        return read
    page.set_rotation(place.rotation)
    found = recognise(page, place.width, place.height)
    if found is None:
        return read
    if not found.is_certain:
        return replace(read, confidence=found.confidence, needs_review=True)
    return replace(read, lines=found.lines, height=place.height, lost=0, confidence=found.confidence)


def _in_any(boxes: Sequence[Box], glyph: Glyph) -> bool:
    x, y = (glyph.x0 + glyph.x1) / 2, (glyph.top + glyph.bottom) / 2
    return any(inside(box, x, y) for box in boxes)


def _sorted_out(number: int, place: PageGeometry, glyphs: list[Glyph], tables: list[Line]) -> _Page:
    """Main text, text turned otherwise, hidden text; unreadable lines are counted and left out."""
    main: list[Line] = list(tables)
    aside: list[Line] = []
    hidden: list[Line] = []
    lost, height = 0, place.height
    for rank, (turn, group, _, turned_height) in enumerate(turned_upright(glyphs, place)):
        is_main = turn == 0 if tables else rank == 0
        height = turned_height if is_main else height
        for line in pieces(group):
            if unreadable_share(line.text) > _UNREADABLE_LINE and len(line.text) > 1:
                lost += len(line.text)
            elif line.hidden:
                hidden.append(line)
            else:
                (main if is_main else aside).append(line)
    return _Page(number, height, tuple(main), tuple(aside), tuple(hidden), lost)


def _without_furniture(
    page: _Page, named: dict[tuple[int, int], ElementKind]
) -> tuple[list[Line], list[tuple[ElementKind, Line]]]:
    """Pieces of the body, and the running lines with their kinds."""
    rows = rows_of(page.lines)
    edge = [(named[(page.number, i)], row) for i, row in enumerate(rows) if (page.number, i) in named]
    taken = [(row.x0 - 1, row.top - 1, row.x1 + 1, row.bottom + 1) for _, row in edge]
    body = [
        line
        for line in page.lines
        if line.rows or not any(inside(box, (line.x0 + line.x1) / 2, (line.top + line.bottom) / 2) for box in taken)
    ]
    return body, edge


def _woven(
    blocks: Sequence[Block],
    pages: Sequence[_Page],
    edges: Sequence[list[tuple[ElementKind, Line]]],
    norm: Typography,
    marks: Mapping[int, Mapping[str, Bookmark]],
) -> list[Element]:
    """Page after page: header, body, text set aside, hidden text, fields, notes on it, watermarks, footer."""
    by_page: dict[int, list[Block]] = {}
    for block in blocks:
        by_page.setdefault(block.page, []).append(block)
    out: list[Element] = []
    for page, edge in zip(pages, edges, strict=True):
        place = Locator(page=page.number)
        half = page.height / 2
        out.extend(Element(kind, line.text, place) for kind, line in edge if line.top < half)
        out.extend(_body(by_page.get(page.number, []), page, norm, marks.get(page.number, {})))
        for lines, unseen in ((page.aside, False), (page.hidden, True)):
            if lines:
                text = joined([line.text for line in rows_of(lines)], norm)
                out.append(Element(ElementKind.PARAGRAPH, text, place, hidden=unseen))
        out.extend(Element(ElementKind.LIST_ITEM, f.text, place, level=1, hidden=f.hidden) for f in page.fields)
        out.extend(
            Element(ElementKind.FOOTNOTE, note.text, place, hidden=note.hidden, fragment=COMMENT) for note in page.notes
        )
        out.extend(Element(ElementKind.WATERMARK, line.text, place) for line in page.watermarks)
        out.extend(Element(kind, line.text, place) for kind, line in edge if line.top >= half)
    sure = {page.number: page.confidence for page in pages if page.confidence is not None}
    if sure:
        out = [replace(e, confidence=sure.get(e.locator.page or 0, e.confidence)) for e in out]
    return [
        e if e.kind is ElementKind.TABLE or e.text == e.text.strip() else replace(e, text=e.text.strip()) for e in out
    ]


def _body(blocks: Sequence[Block], page: _Page, norm: Typography, marks: Mapping[str, Bookmark]) -> list[Element]:
    """Elements of a page's body, with the headings that only bookmarks tell."""
    out = [element(block, norm) for block in blocks]
    text = " ".join(line.text for block in blocks for line in block.lines)
    for at, mark in reversed(missing_headings(blocks, text, marks, page.height)):
        out.insert(at, Element(ElementKind.HEADING, mark.title, Locator(page=page.number), level=mark.level))
    return out


def _texts(page: _Page) -> list[str]:
    """All that is read of a page but for its fields: lines and cells."""
    cells = [cell for line in page.lines for row in line.rows for cell in row]
    return [line.text for line in (*page.lines, *page.aside, *page.hidden, *page.watermarks)] + cells


def _unmapped(page: _Page) -> Iterator[SourceUnit]:
    """A recorded exclusion for single glyphs without a meaning on a page that is read."""
    lost = page.lost + sum(text.count(UNMAPPED) for text in _texts(page))
    if lost and _unit(page).state == "ok":
        yield SourceUnit("glyphs", page.number, "unreadable_font", 0, f"{lost} of page {page.number}")


def _unit(page: _Page) -> SourceUnit:
    """State of a page: ok, no_text, or unreadable_font when a good part of its characters have no meaning."""
    chars = sum(map(len, _texts(page)))
    if page.lost > _UNREADABLE_PAGE * (page.lost + chars):
        return SourceUnit("page", page.number, "unreadable_font", chars)
    if page.needs_review:
        return SourceUnit("page", page.number, "needs_review", 0)
    chars += sum(len(field.text) for field in page.fields) + sum(len(note.text) for note in page.notes)
    seen = page.fields or any(line.text for line in (*page.lines, *page.aside))
    return SourceUnit("page", page.number, "ok" if seen else "no_text", chars)
