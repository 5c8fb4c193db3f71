"""reStructuredText, Sphinx's dialect too: read line by line; nothing is included, executed or fetched."""

from __future__ import annotations

import re
from dataclasses import replace

from kprep.core.models import (
    ElementKind,
    Locator,
    ParsedDocument,
    ParserSpec,
    RawDocument,
    SourceUnit,
)
from parsers.attachments import exclusions
from parsers.decoding import Lines, decode
from parsers.front_matter import read_front_matter
from parsers.rst_blocks import RstReader, targets_of
from parsers.rst_inline import inline
from parsers.rst_tables import grid_rows, is_grid
from parsers.source_text import document, read
from parsers.source_text import quote as quote_text

NAME = "rst"
VERSION = 8
MAX_BYTES = 32_000_000
_INCLUDE = re.compile(r"\s*\.\.\s+(?:include|literalinclude)::\s+(\S+)|\s+:(?:file|url):\s+(\S+)")


def parse(raw: RawDocument) -> ParsedDocument:
    """Elements in file order with `line`, `char` and the section's `anchor`. Headings by the order in which their
    marks appear. Comments are dropped; directives that are not known keep their words; `|name|` is what the file says
    it stands for; a file that is included is a unit in state "not_extracted"; front matter is metadata.
    Raises: TooLarge, WrongEncoding, FrontMatterInvalid."""
    source = read(raw, MAX_BYTES)
    lines = source.lines.all()
    front = read_front_matter(lines)
    elements = list(RstReader(lines).blocks(lines[front.last_line :]))
    title = next((element.text for element in elements if element.kind is ElementKind.HEADING), "")
    whole = SourceUnit("file", 1, "ok" if elements else "no_text", sum(len(element.text) for element in elements))
    included = [found.group(1) or found.group(2) for line in lines if (found := _INCLUDE.match(line.text))]
    units = (whole, *exclusions("include", included))
    metadata = replace(front.metadata, title=front.metadata.title or title)
    return document(raw, f"{NAME}@{VERSION}", elements, metadata, units)


def quote(content: bytes, locator: Locator) -> str:
    """The characters at the locator as written, and as read: substitutions, roles and links by their words, a drawn
    table cell by cell; "" for a place the file does not have."""
    written = quote_text(content, locator)
    targets = targets_of(Lines(decode(content).text).all())
    lines = [line.strip() for line in written.split("\n")]
    rows = grid_rows(lines)[0] if is_grid(lines[0]) else ()
    cells = [inline(cell, targets)[0] for row in rows for cell in row]
    return "\n".join((written, inline(written, targets)[0], *cells)).strip()


PARSER = ParserSpec(NAME, VERSION, ("text/x-rst", "text/prs.fallenstein.rst"), parse, quote)
