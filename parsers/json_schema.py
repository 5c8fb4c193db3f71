"""JSON Schema: one section for the schema and one for each definition, fields as tables."""

from __future__ import annotations

from collections.abc import Iterator

from kprep.core.errors import CorruptDocument
from kprep.core.models import DocumentMetadata, Element, ElementKind, Locator, ParsedDocument, ParserSpec, RawDocument
from parsers.anchors import Distinct, slug
from parsers.decoding import decode
from parsers.schema_fields import Resolver, field_rows, links_of, read_place, schema_lines
from parsers.source_text import SourceText, document, heading, read, table
from parsers.source_text import quote as quote_text
from parsers.tree import MAX_BYTES, Entry, Node
from parsers.tree_text import load

NAME = "json_schema"
VERSION = 8
MEDIA_TYPES = ("application/schema+json", "application/schema+yaml")
MAX_ROWS = 5_000

_DEFINITIONS = ("$defs", "definitions")


def parse(raw: RawDocument) -> ParsedDocument:
    """The schema's title, description and fields, then each definition under its name, `anchor` `schema-<name>`,
    `fragment` "schema". Nested objects are dotted fields; a reference is named and not opened.

    Raises: TooLarge, CorruptDocument (no JSON or YAML, no mapping, too deep)."""
    source = read(raw, MAX_BYTES)
    root = load(source.text, raw.uri)
    if root.kind != "map":
        raise CorruptDocument(f"{raw.uri}: a schema is a mapping")
    resolver = Resolver(root)
    title = root.text_of("title") or root.text_of("$id").rpartition("/")[2]
    definitions = [entry for key in _DEFINITIONS for entry in root.entries_of(key)]
    sections = [Entry(title, root.start, root), *definitions]
    distinct = Distinct()
    for section in sections:
        name = f"schema-{slug(section.key)}" if section.key else "schema"
        resolver.anchors[id(section)] = distinct.take(name)
    elements = [e for at, section in enumerate(sections) for e in _schema(source, section, resolver, 2 if at else 1)]
    facts = {key: root.text_of(key) for key in ("$id", "$schema") if root.text_of(key)}
    return document(raw, f"{NAME}@{VERSION}", elements, DocumentMetadata(title=title, front_matter=facts))


def quote(content: bytes, locator: Locator) -> str:
    """What the file says at the place and in the definitions it refers to; with an anchor alone, of that schema."""
    text = decode(content).text
    span = locator.char
    if span is None and locator.anchor:
        found = parse(RawDocument("", "", content, MEDIA_TYPES[0])).elements
        span = next((e.locator.char for e in found if e.locator.anchor == locator.anchor), None)
    if span is None:
        return quote_text(content, locator)
    return "\n".join(read_place(text, load(text, "quote"), span))


def _schema(source: SourceText, entry: Entry, resolver: Resolver, level: int) -> Iterator[Element]:
    node = entry.value
    place = source.place(entry.start, node.end, resolver.anchors[id(entry)])
    if entry.key:
        yield heading(entry.key, place, level)
    about = [*schema_lines(node, resolver, name=False), node.text_of("title"), node.text_of("description")]
    words = "\n".join(part.strip() for part in about if part.strip())
    yield Element(ElementKind.PARAGRAPH, words, place, fragment="schema", links=links_of(node, resolver))
    rows = field_rows(node, resolver, MAX_ROWS, depth=1)
    if len(rows) > 1:
        yield table(rows, place, "schema")
    yield from _examples(source, node, place)


def _examples(source: SourceText, node: Node, place: Locator) -> Iterator[Element]:
    entry = node.entry("examples")
    if entry is not None:
        written = source.text[entry.value.start : entry.value.end].rstrip()
        yield Element(ElementKind.CODE, written, place, language="json", fragment="schema")


PARSER = ParserSpec(NAME, VERSION, MEDIA_TYPES, parse, quote)
