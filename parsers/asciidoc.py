"""AsciiDoc: sections, lists, blocks and tables by their lines; nothing is included, executed or fetched."""

from __future__ import annotations

from dataclasses import replace

from kprep.core.models import DocumentMetadata, ElementKind, ParsedDocument, ParserSpec, RawDocument
from parsers.asciidoc_blocks import AsciidocReader
from parsers.source_text import document, quote, read

NAME = "asciidoc"
VERSION = 1
MAX_BYTES = 32_000_000


def parse(raw: RawDocument) -> ParsedDocument:
    """Elements in file order with `line`, `char` and the section's `anchor`. Attributes of the header are metadata;
    comments are dropped. Raises: TooLarge, WrongEncoding."""
    source = read(raw, MAX_BYTES)
    reader = AsciidocReader()
    elements = list(reader.blocks(source.lines.all()))
    title = next((e.text for e in elements if e.kind is ElementKind.HEADING and e.level == 1), "")
    metadata = DocumentMetadata(
        title=title,
        authors=tuple(name.strip() for name in reader.attributes.get("author", "").split(";") if name.strip()),
        language=reader.attributes.get("lang", ""),
    )
    metadata = replace(metadata, front_matter=dict(reader.attributes))
    return document(raw, f"{NAME}@{VERSION}", elements, metadata)


PARSER = ParserSpec(NAME, VERSION, ("text/asciidoc", "text/x-asciidoc"), parse, quote)
