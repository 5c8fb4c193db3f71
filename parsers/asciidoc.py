"""AsciiDoc: sections, lists, blocks and tables by their lines; nothing is included, executed or fetched."""

from __future__ import annotations

from dataclasses import replace

from kprep.core.models import (
    ElementKind,
    Locator,
    ParsedDocument,
    ParserSpec,
    RawDocument,
    SourceUnit,
)
from parsers.asciidoc_attributes import resolved
from parsers.asciidoc_blocks import AsciidocReader
from parsers.asciidoc_inline import inline
from parsers.attachments import exclusions
from parsers.decoding import Lines, decode
from parsers.front_matter import read_front_matter
from parsers.source_text import document, read

NAME = "asciidoc"
VERSION = 10
MAX_BYTES = 32_000_000


def parse(raw: RawDocument) -> ParsedDocument:
    """Elements in file order with `line`, `char` and the section's `anchor`; `{name}` is the value that stands above it
    in the file. Front matter and attributes of the header are metadata; comments are dropped; a file that is included
    is a unit in state "not_extracted", a branch of a condition that the document does not meet one in state
    "condition_unmet". Raises: TooLarge, WrongEncoding, FrontMatterInvalid."""
    source = read(raw, MAX_BYTES)
    reader, front = AsciidocReader(), read_front_matter(source.lines.all())
    read_lines = resolved([line for line in source.lines.all() if line.number > front.last_line])
    elements = list(reader.blocks(read_lines.lines))
    title = next((e.text for e in elements if e.kind is ElementKind.HEADING and e.level == 1), "")
    authors = tuple(name.strip() for name in reader.attributes.get("author", "").split(";") if name.strip())
    metadata = replace(
        front.metadata,
        title=front.metadata.title or title,
        authors=front.metadata.authors or authors,
        language=front.metadata.language or reader.attributes.get("lang", ""),
        front_matter={**reader.attributes, **front.metadata.front_matter},
    )
    whole = SourceUnit("file", 1, "ok" if elements else "no_text", sum(len(element.text) for element in elements))
    units = (whole, *exclusions("include", read_lines.included), *read_lines.units)
    return document(raw, f"{NAME}@{VERSION}", elements, metadata, units)


def quote(content: bytes, locator: Locator) -> str:
    """The lines at the locator, with the values of attributes, as written and as read (links by their words); "" for a
    place it does not have."""
    start, end = locator.char or (0, 0)
    lines = resolved(Lines(decode(content).text).all()).lines
    written = [line.text for line in lines if line.start < end and line.end > start]
    return "\n".join([*written, inline("\n".join(written))[0]]).strip()


PARSER = ParserSpec(NAME, VERSION, ("text/asciidoc", "text/x-asciidoc"), parse, quote)
