"""Rich Text Format: headings by style or outline level, lists, tables, notes; deleted revisions are gone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kprep.core.errors import CorruptDocument
from kprep.core.models import (
    DocumentMetadata,
    Element,
    ElementKind,
    Link,
    Locator,
    ParsedDocument,
    ParserSpec,
    RawDocument,
    SourceUnit,
    table_text,
)
from parsers.anchors import Slugger
from parsers.attachments import ATTACHMENT, PICTURE, exclusions
from parsers.comments import FRAGMENT, signed
from parsers.rtf_reader import Paragraph, Row, RtfReader

NAME = "rtf"
VERSION = 5
TOP = "_top"
_HEADING = re.compile(r"(?:heading|überschrift|titre|标题)\s*(\d)$")


def parse(raw: RawDocument) -> ParsedDocument:
    """Elements in document order with `anchor` (slug of the heading before, `_top` before the first).

    Comments follow the block they are about, as fragments `comment`; pictures and embedded objects are recorded
    exclusions. Raises: CorruptDocument."""
    if not raw.content.lstrip().startswith(b"{\\rtf"):
        raise CorruptDocument(f"{raw.uri}: does not begin as Rich Text Format does", uri=raw.uri)
    reader = RtfReader(raw.content, raw.uri)
    elements = list(_elements(reader))
    whole = SourceUnit("file", 1, "ok" if elements else "no_text", sum(len(element.text) for element in elements))
    embedded = [*exclusions(PICTURE, [""] * reader.pictures), *exclusions(ATTACHMENT, [""] * reader.objects)]
    authors = tuple(name.strip() for name in reader.info.get("author", "").split(";") if name.strip())
    return ParsedDocument(
        raw.uri,
        raw.media_type,
        f"{NAME}@{VERSION}",
        tuple(elements),
        (whole, *embedded),
        DocumentMetadata(title=reader.info.get("title", ""), authors=authors),
    )


def quote(content: bytes, locator: Locator) -> str:
    """The text of the section of the anchor, else all text, read afresh."""
    found = _elements(RtfReader(content, "the document"))
    chosen = (e for e in found if locator.anchor is None or e.locator.anchor == locator.anchor)
    return "\n".join(f"{element.marker} {element.text}".strip() for element in chosen)


def _elements(reader: RtfReader) -> Iterator[Element]:
    slugger = Slugger()
    anchor = TOP
    rows: list[Row] = []
    for kind, text in reader.furniture:
        yield Element(ElementKind(kind), text, Locator(anchor=TOP))
    for part in [*reader.flow, Paragraph()]:
        if isinstance(part, Row):
            rows.append(part)
            continue
        if rows:
            yield from _table(rows, Locator(anchor=anchor))
        rows = []
        level = _level(part, reader.styles)
        if level and part.text.strip():
            anchor = slugger.take(part.text)
        yield from _paragraph(part, level, Locator(anchor=anchor))


def _level(part: Paragraph, styles: dict[int, str]) -> int:
    """1..6 of a heading, 0 of anything else."""
    name = styles.get(part.style, "")
    found = _HEADING.match(name)
    if found or name == "title":
        return min(int(found.group(1)), 6) if found else 1
    return min(part.outline + 1, 6) if part.outline is not None and 0 <= part.outline < 9 else 0


def _paragraph(part: Paragraph, level: int, place: Locator) -> Iterator[Element]:
    text = part.text.strip()
    links = tuple(Link(words or target, target) for words, target in part.links)
    if text and level:
        yield Element(ElementKind.HEADING, " ".join(text.split()), place, level=level, links=links)
    elif text and part.marker:
        marker = part.marker if part.marker[0].isalnum() or part.marker[0] == "(" else "-"
        yield Element(ElementKind.LIST_ITEM, text, place, level=part.level + 1, marker=marker, links=links)
    elif text:
        yield Element(ElementKind.PARAGRAPH, text, place, links=links)
    if part.hidden.strip():
        yield Element(ElementKind.PARAGRAPH, part.hidden.strip(), place, hidden=True)
    for note in part.notes:
        yield Element(ElementKind.FOOTNOTE, note, place)
    for who, said in part.comments:
        yield Element(ElementKind.FOOTNOTE, signed(who, "", said), place, fragment=FRAGMENT)


def _table(rows: Sequence[Row], place: Locator) -> Iterator[Element]:
    """The table, then what hangs on its cells and the tables inside them."""
    width = max(len(row.cells) for row in rows)
    filled = [row for row in rows if any(row.cells)]
    cells = tuple((*row.cells, *[""] * (width - len(row.cells))) for row in filled)
    header_rows = next((at for at, row in enumerate(filled) if not row.header), len(filled))
    if cells:
        yield Element(ElementKind.TABLE, table_text(cells), place, rows=cells, header_rows=header_rows)
    for row in rows:
        for part in row.hanging:
            yield from _paragraph(part, 0, place)
        for inner in row.inner:
            yield from _table(inner, place)


PARSER = ParserSpec(NAME, VERSION, ("application/rtf", "text/rtf"), parse, quote)
