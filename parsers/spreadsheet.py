"""Excel workbooks, new and old: values as shown last, sheet by sheet, each region of cells a table.

Values by calamine (a formula's cached value; a formula never computed stands for itself), as their number format shows
them (per cent, currency, units, thousands, leading zeros).
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache
from io import BytesIO
from typing import Any

from kprep.core.errors import CorruptDocument, EncryptedDocument
from kprep.core.models import (
    DocumentMetadata,
    Element,
    ElementKind,
    Locator,
    ParsedDocument,
    ParserSpec,
    RawDocument,
    SourceUnit,
)
from parsers.attachments import embedded_in
from parsers.comments import FRAGMENT, comments_beside
from parsers.docx_charts import chart_elements
from parsers.docx_xml import Package, child, local, whole
from parsers.number_formats import LARGEST, as_shown, digits_of
from parsers.office_properties import core_properties
from parsers.ole import check_chains
from parsers.sheet_biff import xls_formats, xlsb_formats
from parsers.sheet_far import Drawn, drawn_together, with_parts
from parsers.sheet_grid import (
    Cell,
    Sheet,
    box_of,
    cell_range,
    check_size,
    quote_sheet,
    read_sheets,
    wanted_sheets,
)
from parsers.sheet_markup import cell_formats, cell_links, formats_of

NAME = "spreadsheet"
VERSION = 9
MAIN = "xl/workbook.xml"
_LONGEST_CHART = 200
_OLE = b"\xd0\xcf\x11\xe0"
_OPEN_XML = "application/vnd.openxmlformats-officedocument.spreadsheetml."
_FORMULA = re.compile(
    rb'<(?:\w+:)?c\b[^>]*?\br="([A-Z]{1,3}[0-9]{1,7})"[^>]*>\s*<(?:\w+:)?f\b[^>]*>([^<]+)</(?:\w+:)?f>'
    rb"\s*(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)

_ERROR = re.compile(
    rb'<(?:\w+:)?c\b(?=[^>]*\bt="e")[^>]*?\br="([A-Z]{1,3}[0-9]{1,7})"[^>]*>'
    rb"(?:\s*<(?:\w+:)?f\b[^>]*(?:/>|>[^<]*</(?:\w+:)?f>))?\s*<(?:\w+:)?v>(#[A-Z/0!?_]{2,20})</"
)
_LONG = re.compile(
    rb'<(?:\w+:)?c\b[^>]*?\br="([A-Z]{1,3}[0-9]{1,7})"[^>]*>(?:\s*<(?:\w+:)?f\b[^>]*(?:/>|>[^<]*</(?:\w+:)?f>))?'
    rb"\s*<(?:\w+:)?v>(-?[1-9][0-9]{15,20})</"
)
_LONG_VALUE = re.compile(rb">-?[1-9][0-9]{15,20}</")


def parse(raw: RawDocument) -> ParsedDocument:
    """A heading with each sheet's name, then its regions as tables (at most 100 rows, header repeated; labels of a form
    in one row with their values), lone cells as paragraphs, both with the links of their cells, its text boxes, its
    charts as titles and tables, with `sheet` and `cell` ("A1:D20"); a `SourceUnit` for each sheet.

    Dates are ISO 8601; sheets not shown are `hidden`; comments follow their sheet
    (fragments `comment`). Raises: TooLarge, EncryptedDocument, CorruptDocument."""
    package = _package(raw.content, raw.uri)
    elements, units = read_sheets(_sheets(raw.content, package, raw.uri))
    names = package.names() if package else []
    others: list[SourceUnit] = embedded_in(names)
    properties = core_properties(package.xml("docProps/core.xml")) if package else DocumentMetadata()
    return ParsedDocument(raw.uri, raw.media_type, f"{NAME}@{VERSION}", tuple(elements), (*units, *others), properties)


def quote(content: bytes, locator: Locator) -> str:
    """Words of the cells of the place, of the row that heads them, and the sheet's name, read afresh."""
    chosen = wanted_sheets(_opened(content), locator)
    return "\n".join(quote_sheet(sheet, locator.cell) for sheet in chosen)


@lru_cache(maxsize=1)
def _opened(content: bytes) -> list[Sheet]:
    """Sheets, kept for the next place of the same workbook."""
    return _sheets(content, _package(content, "the document"), "the document")


def _package(content: bytes, uri: str) -> Package | None:
    """The XML parts; None for the old format, which has none. Raises: EncryptedDocument, CorruptDocument."""
    if content.startswith(_OLE):
        if "EncryptedPackage".encode("utf-16-le") in content:
            raise EncryptedDocument(f"{uri}: the workbook is encrypted and needs a password", uri=uri)
        check_chains(content, uri)
        return None
    return Package(content, uri, MAIN)


def _sheets(content: bytes, package: Package | None, uri: str) -> list[Sheet]:
    """Every sheet in the workbook's order. Raises: see `parse`."""
    import python_calamine as calamine

    parts = _sheet_parts(package) if package else {}
    raw_parts = {name: package.bytes(part) for name, part in parts.items()} if package else {}
    drawn = {
        name: far
        for number, (name, part) in enumerate(raw_parts.items(), 1)
        if (far := drawn_together(part, f"{uri}: sheet {number}")) is not None
    }
    if package and drawn:
        content = with_parts(package, {parts[name]: far.part for name, far in drawn.items()})
    try:
        book = calamine.CalamineWorkbook.from_filelike(BytesIO(content))
        names = [found.name for found in book.sheets_metadata]
        formats = _formats(content, package, raw_parts, names)
        sheets = [
            _read(book, found, raw_parts.get(found.name, b""), formats.get(found.name, {}), drawn.get(found.name))
            for found in book.sheets_metadata
        ]
    except calamine.PasswordError as error:
        raise EncryptedDocument(f"{uri}: the workbook needs a password", uri=uri) from error
    except (calamine.CalamineError, OSError, ValueError, zlib.error) as error:
        raise CorruptDocument(f"{uri}: the workbook is damaged", uri=uri) from error
    except BaseException as error:  # a panic of the library's own code is no Exception
        if type(error).__name__ != "PanicException":
            raise
        raise CorruptDocument(f"{uri}: the workbook is damaged", uri=uri) from error
    check_size(sum(len(row) for sheet in sheets for row in sheet.rows.values()), uri)
    for sheet in sheets:
        if package and sheet.name in parts:
            sheet.links = cell_links(package, parts[sheet.name], raw_parts[sheet.name])
            sheet.more = [
                *_text_boxes(package, parts[sheet.name], sheet.name),
                *_charts(package, parts[sheet.name], Locator(sheet=sheet.name)),
                *_comments(package, parts[sheet.name], sheet.name),
            ]
    return sheets


def _formats(
    content: bytes, package: Package | None, parts: dict[str, bytes], names: list[str]
) -> dict[str, dict[Cell, str]]:
    """Name of a sheet -> formats of its cells, of those that show more than digits."""
    if package is None:
        return dict(zip(names, xls_formats(content), strict=False))
    if not package.main.endswith(".xml"):
        return xlsb_formats(package)
    formats = formats_of(package)
    return {name: cell_formats(part, formats) for name, part in parts.items()}


def _sheet_parts(package: Package) -> dict[str, str]:
    """Name of a sheet -> name of its part."""
    if not package.main.endswith(".xml"):
        return {}  # a binary workbook
    targets = package.relations(package.main)
    found = {}
    for node in package.document().iter():
        if local(node) == "sheet":
            relation = next((str(v) for key, v in node.attrib.items() if "}" in key and key.endswith("}id")), "")
            target = targets.get(relation, ("", ""))[1]
            if target in package.names():
                found[node.get("name") or ""] = target
    return found


def _read(book: Any, found: Any, part: bytes, formats: dict[Cell, str], drawn: Drawn | None) -> Sheet:
    """One sheet; chart sheets have no cells. `drawn`: how the book has it, where that is not how the file has it."""
    import python_calamine as calamine

    hidden = found.visible != calamine.SheetVisibleEnum.Visible
    sheet = book.get_sheet_by_name(found.name)
    merged = [(*first, *last) for first, last in sheet.merged_cell_ranges or ()]
    rows: dict[int, dict[int, str]] = {}
    table = sheet.to_python(skip_empty_area=False)
    for number, values in enumerate(table):
        cells = {column: text for column, value in enumerate(values) if value != "" and (text := shown(value))}
        if cells and drawn is not None:
            cells = {drawn.columns[column]: text for column, text in cells.items()}
        if cells:
            rows[drawn.rows[number] if drawn is not None else number] = cells
    long = dict(_long_numbers(part))
    for (row, column), digits in long.items():
        if column in rows.get(row, {}):
            rows[row][column] = digits
    for (row, column), code in formats.items():
        at = drawn.at(row, column) if drawn is not None else (row, column)
        value = table[at[0]][at[1]] if at and at[0] < len(table) and at[1] < len(table[at[0]]) else ""
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            continue
        if written := as_shown(Decimal(long[row, column]) if (row, column) in long else value, code):
            rows[row][column] = written
    for row, column, formula in _uncomputed(part):
        rows.setdefault(row, {}).setdefault(column, f"={formula}")
    for row, column, error in _errors(part):
        rows.setdefault(row, {}).setdefault(column, error)
    return Sheet(found.name, {row: dict(sorted(rows[row].items())) for row in sorted(rows)}, hidden, merged)


def _uncomputed(part: bytes) -> Iterator[tuple[int, int, str]]:
    """(row, column, formula) of the formulas that hold no value."""
    import html

    for match in _FORMULA.finditer(part):
        box = box_of(match.group(1).decode("ascii"))
        if box is not None:
            yield box[0], box[1], html.unescape(match.group(2).decode("utf-8", "replace"))


def _errors(part: bytes) -> Iterator[tuple[int, int, str]]:
    """(row, column, what is shown) of the cells whose value is an error: #N/A, #DIV/0!."""
    for match in _ERROR.finditer(part) if b't="e"' in part else ():
        box = box_of(match.group(1).decode("ascii"))
        if box is not None:
            yield box[0], box[1], match.group(2).decode("ascii")


def _long_numbers(part: bytes) -> Iterator[tuple[Cell, str]]:
    """Cells whose whole number has more digits than a value of 64 bits tells apart, with all of them."""
    for match in _LONG.finditer(part) if _LONG_VALUE.search(part) else ():
        box = box_of(match.group(1).decode("ascii"))
        if box is not None:
            yield (box[0], box[1]), match.group(2).decode("ascii")


def shown(value: Any) -> str:
    """A value as text: whole numbers with all digits, others with at most 15, dates and times in ISO 8601."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return digits_of(value) if value.is_integer() and abs(value) < LARGEST else f"{value:.15g}"
    if isinstance(value, datetime):
        midnight = value.time() == time(0)
        return value.date().isoformat() if midnight else value.isoformat(timespec="seconds")
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        hours, rest = divmod(round(value.total_seconds()), 3600)
        return f"{hours:02d}:{rest // 60:02d}:{rest % 60:02d}"
    return str(value).strip()


def _charts(package: Package, part: str, place: Locator) -> list[Element]:
    """Title and numbers of each chart on a sheet; of long ones the title alone, their numbers being the sheets' own."""
    found: list[Element] = []
    for kind, drawing in package.relations(part).values():
        for inner, chart in package.relations(drawing).values() if kind == "drawing" else ():
            root = package.xml(chart) if inner == "chart" else None
            said = chart_elements(root, place) if root is not None else []
            found.extend(element for element in said if len(element.rows) <= _LONGEST_CHART)
    return found


def _text_boxes(package: Package, part: str, sheet: str) -> Iterator[Element]:
    """Words of the shapes drawn over a sheet, those of a group too, each at the cell its anchor begins in."""
    for kind, drawing in package.relations(part).values():
        root = package.xml(drawing) if kind == "drawing" else None
        for anchor in root if root is not None else ():
            start = next((node for node in anchor if local(node) == "from"), None)
            row, column = (whole(getattr(child(start, name), "text", None), -1) for name in ("row", "col"))
            cell = cell_range((row, column, row, column)) if row >= 0 and column >= 0 else None
            for box in (node for node in anchor.iter() if local(node) == "txBody"):
                lines = ["".join(t.text or "" for t in p.iter() if local(t) == "t") for p in box if local(p) == "p"]
                if text := "\n".join(line for line in lines if line.strip()).strip():
                    yield Element(ElementKind.PARAGRAPH, text, Locator(sheet=sheet, cell=cell))


def _comments(package: Package, part: str, sheet: str) -> list[Element]:
    """What people wrote at cells, each at its cell."""
    return [
        Element(ElementKind.FOOTNOTE, text, Locator(sheet=sheet, cell=cell or None), fragment=FRAGMENT)
        for cell, text in comments_beside(package, part)
    ]


PARSER = ParserSpec(
    NAME,
    VERSION,
    (
        _OPEN_XML + "sheet",
        _OPEN_XML + "template",
        "application/vnd.ms-excel.sheet.macroenabled.12",
        "application/vnd.ms-excel.sheet.binary.macroenabled.12",
        "application/vnd.ms-excel",
    ),
    parse,
    quote,
)
