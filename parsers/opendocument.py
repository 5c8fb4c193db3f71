"""OpenDocument: texts by their headings, presentations by their slides, spreadsheets by their sheets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from kprep.core.errors import CorruptDocument, TooLarge
from kprep.core.models import Element, ElementKind, Locator, ParsedDocument, ParserSpec, RawDocument, SourceUnit
from parsers.attachments import embedded_in
from parsers.docx_xml import Node, attribute, child, local, whole
from parsers.number_formats import LARGEST, digits_of
from parsers.odf_package import OdfPackage, points
from parsers.odf_text import OdfText
from parsers.office_properties import core_properties
from parsers.pptx_slide import Shape, reading_order
from parsers.sheet_grid import MAX_CELLS, Sheet, cell_range, quote_sheet, read_sheets, wanted_sheets
from parsers.sheet_regions import Box

NAME = "opendocument"
VERSION = 8
_KIND = "application/vnd.oasis.opendocument."
_EXPONENT = re.compile(r"-?\d(?:[.,]\d+)?E\+\d+$")
_LONG = re.compile(r"-?\d(?:\.?\d+)(?:E\+?\d+)?$", re.IGNORECASE)
_LAST_ROW, _LAST_COLUMN = 1_048_576, 16_384


def parse(raw: RawDocument) -> ParsedDocument:
    """Text: elements with `anchor` (slug of the heading before, `_top` before the first) and, where page breaks are
    marked, `page`. Presentation: with `slide`, notes after their slide. Spreadsheet: with `sheet` and `cell`.

    Comments follow the block they are about, as fragments `comment`; embedded files are recorded exclusions; tracked
    deletions are gone.
    Raises: TooLarge, EncryptedDocument, CorruptDocument."""
    package = OdfPackage(raw.content, raw.uri)
    elements, units = _read(package)
    return ParsedDocument(
        uri=raw.uri,
        media_type=raw.media_type,
        parser=f"{NAME}@{VERSION}",
        elements=tuple(elements),
        units=(*units, *embedded_in(package.names())),
        metadata=core_properties(package.xml("meta.xml")),
    )


def quote(content: bytes, locator: Locator) -> str:
    """Text of the sheet's cells, of the slide, of the page or of the section of the anchor, read afresh."""
    package = OdfPackage(content, "the document")
    if locator.sheet is not None or package.body("spreadsheet") is not None:
        return "\n".join(quote_sheet(sheet, locator.cell) for sheet in wanted_sheets(_sheets(package), locator))
    chosen = [element for element in _read(package)[0] if _matches(element.locator, locator)]
    return "\n".join(f"{element.marker} {element.text}".strip() for element in chosen)


def _matches(place: Locator, wanted: Locator) -> bool:
    if wanted.slide is not None:
        return place.slide == wanted.slide
    if wanted.anchor is not None:
        return place.anchor == wanted.anchor
    return wanted.page is None or (place.page or 0) in range(wanted.page, (wanted.page_end or wanted.page) + 1)


def _read(package: OdfPackage) -> tuple[list[Element], list[SourceUnit]]:
    text, slides = package.body("text"), package.body("presentation")
    if text is not None:
        reader = OdfText(package)
        elements = [*reader.furniture(), *reader.blocks(text)]
        return elements, [SourceUnit("file", 1, "ok" if elements else "no_text", sum(len(e.text) for e in elements))]
    if slides is not None:
        return _slides(package, slides)
    if package.body("spreadsheet") is None:
        raise CorruptDocument(f"{package.uri}: neither text, presentation nor spreadsheet", uri=package.uri)
    return read_sheets(_sheets(package))


def _slides(package: OdfPackage, body: Node) -> tuple[list[Element], list[SourceUnit]]:
    elements: list[Element] = []
    units: list[SourceUnit] = []
    for number, page in enumerate((node for node in body if local(node) == "page"), 1):
        hidden = not package.is_shown("drawing-page", attribute(page, "style-name"))
        found = list(_slide(OdfText(package, Locator(slide=number)), page, hidden=hidden))
        elements.extend(found)
        units.append(SourceUnit("slide", number, "ok" if found else "no_text", sum(len(e.text) for e in found)))
    return elements, units


_OF_THE_NOTES_PAGE = frozenset(("page", "header", "footer", "date-time", "page-number"))
"""Classes of frames that stand on every page of notes."""


def _slide(reader: OdfText, page: Node, *, hidden: bool) -> Iterator[Element]:
    shapes = [_shape(node) for node in page if local(node) not in {"notes", "forms", ""}]
    notes = child(page, "notes")
    said = [element for shape in reading_order(shapes) for element in _shape_text(reader, shape)]
    for frame in notes if notes is not None else ():
        if attribute(frame, "class") not in _OF_THE_NOTES_PAGE:
            said.extend(reader.shape(frame))
    yield from (replace(element, hidden=True) if hidden else element for element in said)


def _shape(node: Node) -> Shape:
    """A shape and its frame; a group's goes around those inside it."""
    frames = [_frame(inner) for inner in (node.iter() if local(node) == "g" else (node,))]
    known = [frame for frame in frames if frame[2] or frame[3]]
    around = (
        (min(f[0] for f in known), min(f[1] for f in known), max(f[2] for f in known), max(f[3] for f in known))
        if known
        else frames[0]
    )
    return Shape(node, around, "title" if attribute(node, "class") == "title" else None)


def _frame(node: Node) -> tuple[int, int, int, int]:
    left, top, width, height = (points(attribute(node, name)) for name in ("x", "y", "width", "height"))
    return left, top, left + width, top + height


def _shape_text(reader: OdfText, shape: Shape) -> Iterator[Element]:
    if shape.kind != "title":
        yield from reader.blocks([shape.node])
        return
    text = " ".join(reader.words(shape.node).split())
    if text:
        yield Element(ElementKind.HEADING, text, reader.place, level=1)


def _sheets(package: OdfPackage) -> list[Sheet]:
    """Every sheet of a spreadsheet. Raises: TooLarge."""
    body = package.body("spreadsheet")
    reader = OdfText(package, Locator(sheet="-"))
    tables = [node for node in (body if body is not None else ()) if local(node) == "table"]
    room = MAX_CELLS
    sheets = []
    for table in tables:
        sheet = _sheet(package, reader, table, room)
        room -= sum(map(len, sheet.rows.values()))
        sheets.append(sheet)
    return sheets


def _sheet(package: OdfPackage, reader: OdfText, table: Node, room: int) -> Sheet:
    """Filled cells by place: repeated rows and columns count as often as they are repeated."""
    rows: dict[int, dict[int, str]] = {}
    merged: list[Box] = []
    comments: list[tuple[Box, Node]] = []
    at = cells = 0
    for row in table.iter():
        if (
            local(row) != "table-row"
            or next((a for a in row.iterancestors() if local(a) == "table"), None) is not table
        ):
            continue
        repeated = _repeats(row, "number-rows-repeated", _LAST_ROW)
        filled = _row(reader, row, at, merged, comments)
        for number in range(at, at + repeated) if filled else ():
            cells += len(filled)
            if cells > room:
                raise TooLarge(f"{package.uri}: a sheet of more than {MAX_CELLS} cells", cells=cells)
            rows[number] = filled
        at += repeated
    hidden = not package.is_shown("table", attribute(table, "style-name"))
    name = attribute(table, "name") or ""
    place = Locator(sheet=name)
    more = [element for node in table if local(node) == "shapes" for element in OdfText(package, place).blocks(node)]
    for box, comment in comments:
        more += reader.comment(comment, Locator(sheet=name, cell=cell_range(box)))
    return Sheet(name, rows, hidden, merged, tuple(more))


def _repeats(node: Node, name: str, most: int) -> int:
    digits = attribute(node, name) or "1"
    return min(int(digits), most) if digits.isascii() and digits.isdigit() and len(digits) < 12 else 1


def _row(reader: OdfText, row: Node, at: int, merged: list[Box], comments: list[tuple[Box, Node]]) -> dict[int, str]:
    filled: dict[int, str] = {}
    column = 0
    for cell in row:
        if local(cell) not in {"table-cell", "covered-table-cell"}:
            continue
        repeated = _repeats(cell, "number-columns-repeated", _LAST_COLUMN)
        comments += [((at, column, at, column), inner) for inner in cell if local(inner) == "annotation"]
        text = _value(reader, cell)
        if text and local(cell) == "table-cell":
            filled.update(dict.fromkeys(range(column, min(column + repeated, _LAST_COLUMN)), text))
            tall, wide = (whole(attribute(cell, f"number-{name}-spanned"), 1) for name in ("rows", "columns"))
            if tall > 1 or wide > 1:
                merged.append((at, column, at + max(tall, 1) - 1, column + max(wide, 1) - 1))
        column += repeated
    return filled


def _value(reader: OdfText, cell: Node) -> str:
    """Dates and times as the file holds them (ISO 8601), long whole numbers with all digits, else what is shown, else
    the value, else the formula."""
    date = attribute(cell, "date-value")
    if date:
        return date.removesuffix("T00:00:00")
    shown = "\n".join(text for node in cell if local(node) == "p" and (text := reader.words(node)))
    value = attribute(cell, "value") or ""
    if _EXPONENT.match(shown) and _LONG.match(value) and 1e15 <= abs(float(value)) < LARGEST:
        return value if value.lstrip("-").isdecimal() else digits_of(float(value))
    return shown or value or (attribute(cell, "formula") or "").removeprefix("of:")


PARSER = ParserSpec(
    NAME,
    VERSION,
    (_KIND + "text", _KIND + "presentation", _KIND + "spreadsheet", _KIND + "text-template"),
    parse,
    quote,
)
