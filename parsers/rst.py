"""reStructuredText, Sphinx's dialect too: read line by line; nothing is included, executed or fetched."""

from __future__ import annotations

from kprep.core.models import DocumentMetadata, ElementKind, ParsedDocument, ParserSpec, RawDocument
from parsers.rst_blocks import RstReader
from parsers.source_text import document, quote, read

NAME = "rst"
VERSION = 1
MAX_BYTES = 32_000_000


def parse(raw: RawDocument) -> ParsedDocument:
    """Elements in file order with `line`, `char` and the section's `anchor`. Headings by the order in which their
    marks appear. Comments are dropped; directives that are not known keep their words. Raises: TooLarge,
    WrongEncoding."""
    source = read(raw, MAX_BYTES)
    lines = source.lines.all()
    elements = list(RstReader(lines).blocks(lines))
    title = next((element.text for element in elements if element.kind is ElementKind.HEADING), "")
    return document(raw, f"{NAME}@{VERSION}", elements, DocumentMetadata(title=title))


PARSER = ParserSpec(NAME, VERSION, ("text/x-rst", "text/prs.fallenstein.rst"), parse, quote)
