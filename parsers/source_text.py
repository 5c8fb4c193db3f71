"""Original text with its places: what the parsers of structured text and of code share."""

from __future__ import annotations

from collections.abc import Sequence

from kprep.core.errors import TooLarge
from kprep.core.models import (
    DocumentMetadata,
    Element,
    ElementKind,
    Locator,
    ParsedDocument,
    RawDocument,
    SourceUnit,
    table_text,
)
from parsers.decoding import Lines, decode, decode_document


class SourceText:
    """Decoded text of a file; makes locators from characters."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = Lines(text)

    def place(self, start: int, end: int, anchor: str | None = None) -> Locator:
        """Locator of the characters [start, end), white space around them left out."""
        piece = self.text[start:end]
        first = start + len(piece) - len(piece.lstrip()) if piece.strip() else start
        last = max(start + len(piece.rstrip()), first)
        lines = (self.lines.number_at(first), self.lines.number_at(max(last - 1, first)))
        return Locator(line=lines, char=(first, last), anchor=anchor)


def read(raw: RawDocument, limit: int) -> SourceText:
    """The text of a file of at most `limit` bytes. Raises: TooLarge, WrongEncoding."""
    if len(raw.content) > limit:
        raise TooLarge(
            f"{raw.uri}: {len(raw.content)} bytes of {raw.media_type}, at most {limit} are read",
            uri=raw.uri,
            bytes=len(raw.content),
            limit=limit,
        )
    return SourceText(decode_document(raw.content, raw.uri).text)


def quote(content: bytes, locator: Locator) -> str:
    """The characters, else the lines, of the file at the locator; "" for a place it does not have."""
    text = decode(content).text
    if locator.char:
        return text[locator.char[0] : locator.char[1]]
    if locator.line:
        return "\n".join(line.text for line in Lines(text).between(*locator.line))
    return ""


def document(
    raw: RawDocument,
    parser: str,
    elements: Sequence[Element],
    metadata: DocumentMetadata | None = None,
    units: Sequence[SourceUnit] = (),
    left_out: Sequence[SourceUnit] = (),
) -> ParsedDocument:
    """The parsed document; without `units` the whole file is one. `left_out`: units of parts that gave no element."""
    whole = SourceUnit("file", 1, "ok" if elements else "no_text", sum(len(element.text) for element in elements))
    every = (*(units or (whole,)), *left_out)
    return ParsedDocument(raw.uri, raw.media_type, parser, tuple(elements), every, metadata or DocumentMetadata())


def heading(text: str, place: Locator, level: int) -> Element:
    """A heading; levels beyond 6 are 6."""
    return Element(ElementKind.HEADING, " ".join(text.split()), place, level=min(level, 6))


def table(rows: Sequence[Sequence[str]], place: Locator, fragment: str = "", header_rows: int = 1) -> Element:
    """A table of these rows; columns in which only the header says anything are left out."""
    used = [at for at in range(len(rows[0])) if any(row[at].strip() for row in rows[header_rows:])]
    cells = tuple(tuple(row[at] for at in used) for row in rows)
    return Element(ElementKind.TABLE, table_text(cells), place, rows=cells, header_rows=header_rows, fragment=fragment)
