"""Word documents: our own reading of the XML for every word, unstructured's view of headings without a style."""

from __future__ import annotations

from kprep.core.models import (
    Locator,
    ParsedDocument,
    ParserSpec,
    RawDocument,
    SourceUnit,
)
from parsers.attachments import by_kind, embedded_in
from parsers.docx_body import Body
from parsers.docx_headings import find_bold_headings
from parsers.docx_xml import Package
from parsers.office_properties import core_properties

NAME = "docx"
VERSION = 11


def parse(raw: RawDocument) -> ParsedDocument:
    """Elements in document order with `anchor` (slug of the nearest heading before, `_top` before the first) and,
    where Word left its rendered page breaks, `page`. Tracked insertions are text, deletions are not; comments
    follow the block they are about, as fragments `comment`; files that stand for a part of the text (`altChunk`) are
    read in their place, those of a kind that is not, are recorded exclusions.

    Raises: TooLarge, EncryptedDocument, CorruptDocument.
    """
    package = Package(raw.content, raw.uri)
    body = Body(package)
    blocks = body.blocks()
    elements, second_reader = find_bold_headings(blocks, raw.content)
    whole = SourceUnit("file", 1, "ok" if elements else "no_text", sum(len(e.text) for e in elements))
    parts = (target for kind, target in package.relations(package.main).values() if kind == "aFChunk")
    left = [part for part in dict.fromkeys(parts) if part not in body.read_parts]
    files = (*embedded_in(package.names(), left), *body.units)
    units = [whole, *by_kind((unit.kind, unit.name) for unit in files)]
    return ParsedDocument(
        uri=raw.uri,
        media_type=raw.media_type,
        parser=f"{NAME}@{VERSION}{second_reader}",
        elements=tuple(elements),
        units=tuple(units),
        metadata=core_properties(package.xml("docProps/core.xml")),
    )


def quote(content: bytes, locator: Locator) -> str:
    """The text of the section of the anchor, or of the page, else all text, read afresh from the XML."""
    blocks = Body(Package(content, "the document")).blocks()
    elements = [block.element for block in blocks]
    if locator.anchor and all(element.locator.anchor != locator.anchor for element in elements):
        elements, _ = find_bold_headings(blocks, content)  # the section of a heading without a style
    if locator.anchor:
        chosen = [element for element in elements if element.locator.anchor == locator.anchor]
    elif locator.page:
        last = locator.page_end or locator.page
        chosen = [e for e in elements if e.locator.page and locator.page <= e.locator.page <= last]
    else:
        chosen = list(elements)  # redaction left out an anchor that quoted a value: the document as a whole
    return "\n".join(f"{element.marker} {element.text}".strip() for element in chosen)


PARSER = ParserSpec(
    NAME,
    VERSION,
    (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.ms-word.document.macroenabled.12",
    ),
    parse,
    quote,
)
