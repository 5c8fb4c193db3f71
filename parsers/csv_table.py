"""CSV and TSV: records as tables of bounded size, each with its header; a table of codes is cut into its codes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from kprep.core.errors import TooLarge
from kprep.core.models import (
    DocumentMetadata,
    Element,
    ElementKind,
    Locator,
    ParsedDocument,
    ParserSpec,
    RawDocument,
    table_text,
)
from kprep.core.tables import explains_codes
from parsers.anchors import Slugger
from parsers.decoding import decode
from parsers.records import Record, above_table, delimiter_of, has_header, records
from parsers.source_text import SourceText, document, heading, read
from parsers.source_text import quote as quote_text

NAME = "csv_table"
VERSION = 6
MEDIA_TYPES = ("text/csv", "text/tab-separated-values")
MAX_BYTES = 64_000_000
_SEPARATOR = re.compile("sep=.")
"""The first line by which Excel is told what stands between cells."""
REGION = 100
"""Records of one table element."""
MAX_COLUMNS = 10_000
MAX_CELLS = 10_000_000
"""Of the whole file, short records filled up to the width of their table."""


def parse(raw: RawDocument) -> ParsedDocument:
    """Tables of up to 100 records, the header repeated as their first row, in order; `row` is that of the first record
    (of the header, where it stands right above), `line` and `char` are those of the records.
    What stands above the table (a title, comments) is a heading, the first of it, and paragraphs.

    Where the first column holds codes, each record is a table of its own, `fragment` "error", `anchor` its code.
    Records of one cell only are paragraphs. Raises: TooLarge (bytes, columns, cells)."""
    source = read(raw, MAX_BYTES)
    found = list(records(source, _delimiter(raw.media_type, source.text)))
    _check_size(found, raw.uri)
    above = above_table(found)
    elements = [*_said_above(source, found[:above]), *_elements(source, found[above:])]
    title = next((element.text for element in elements if element.kind is ElementKind.HEADING), "")
    return document(raw, f"{NAME}@{VERSION}", elements, DocumentMetadata(title=title))


def quote(content: bytes, locator: Locator) -> str:
    """The header and the records of the place, from `row` on; with `row` alone, that record."""
    if locator.row is None:
        return quote_text(content, locator)
    found = _records(content)
    start, end = locator.char or (0, 0)
    chosen = [r for r in found if r.number >= locator.row and ((start < r.end and r.start < end) or not locator.char)]
    chosen = chosen if locator.char else chosen[:1]
    above = above_table(found)
    head = [record for record in found[above : above + 1] if chosen and record.number < chosen[0].number]
    return "\n".join("\n".join(record.cells) for record in (*head, *chosen))


@lru_cache(maxsize=1)
def _records(content: bytes) -> list[Record]:
    """Kept for the next place of the same file."""
    source = SourceText(decode(content).text)
    return list(records(source, delimiter_of(source.text)))


def _check_size(found: Sequence[Record], where: str) -> None:
    """Raises: TooLarge for more columns or cells than tables of this room may have."""
    widths = [len(record.cells) for record in found]
    widest = max(widths, default=0)
    cells = sum(max(widths[at : at + REGION]) * REGION for at in range(0, len(widths), REGION))
    if widest > MAX_COLUMNS or cells > MAX_CELLS:
        raise TooLarge(
            f"{where}: {widest} columns and about {cells} cells, at most {MAX_COLUMNS} and {MAX_CELLS} are read",
            columns=widest,
            cells=cells,
        )


def _delimiter(media_type: str, text: str) -> str:
    return "\t" if "tab-separated" in media_type and "\t" in text else delimiter_of(text)


def _said_above(source: SourceText, found: Sequence[Record]) -> Iterator[Element]:
    """The records above a table, without the sign of a comment."""
    first = next((record for record in found if not _SEPARATOR.match(source.text, record.start)), None)
    for record in found:
        filled = [cell for cell in record.cells if cell.strip()]
        if not filled or _SEPARATOR.fullmatch(source.text, record.start, record.end):
            continue
        text = filled[0] if len(filled) == 1 else source.text[record.start : record.end]
        place = replace(source.place(record.start, record.end), row=record.number)
        said = text.strip().lstrip("#").strip() or text.strip()
        yield heading(said, place, 1) if record is first else Element(ElementKind.PARAGRAPH, said, place)


def _elements(source: SourceText, found: Sequence[Record]) -> Iterator[Element]:
    if all(len(record.cells) == 1 for record in found):
        for record in found:
            place = source.place(record.start, record.end)
            yield Element(ElementKind.PARAGRAPH, record.cells[0], place)
        return
    headed = len(found) > 1 and has_header(found[0].cells, found[1].cells)
    head, rest = (found[:1], found[1:]) if headed else ([], found)
    if headed and explains_codes(head[0].cells, [record.cells[0] for record in rest if record.cells]):
        slugger = Slugger()
        for at, record in enumerate(rest):
            anchor = slugger.take(record.cells[0])
            yield _table(source, head, [record], is_first=at == 0, fragment="error", anchor=anchor)
        return
    for at in range(0, len(rest), REGION):
        yield _table(source, head, rest[at : at + REGION], is_first=at == 0)


def _table(
    source: SourceText,
    head: Sequence[Record],
    region: Sequence[Record],
    *,
    is_first: bool,
    fragment: str = "",
    anchor: str | None = None,
) -> Element:
    """A table of the header and some records; the header of one that is not the first stands where its first record
    does."""
    width = max(len(record.cells) for record in (*head, *region))
    rows = tuple((*record.cells, *[""] * (width - len(record.cells))) for record in (*head, *region))
    stand = [*(head if is_first else region[: len(head)]), *region]
    places = tuple(replace(source.place(r.start, r.end, anchor), row=r.number) for r in stand)
    whole = places[0].through(places[-1])
    table = Element(ElementKind.TABLE, table_text(rows), whole, rows=rows, header_rows=len(head), row_places=places)
    return replace(table, fragment=fragment)


PARSER = ParserSpec(NAME, VERSION, MEDIA_TYPES, parse, quote)
