"""Data dictionaries in CSV or YAML: each table or model a section, each field a unit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

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
from parsers.anchors import Distinct
from parsers.decoding import decode
from parsers.records import Record, delimiter_of, has_header, records
from parsers.source_text import SourceText, document, heading, read
from parsers.source_text import quote as quote_text
from parsers.tree import MAX_BYTES, Entry, Node, outline
from parsers.tree_text import load_parts

NAME = "data_dictionary"
VERSION = 5
CSV = "text/vnd.kprep.data-dictionary+csv"
YAML = "application/vnd.kprep.data-dictionary+yaml"
MEDIA_TYPES = (CSV, YAML)

_FIELD = re.compile(r"(?:field|column|attribute|variable|element)(?:[ _-]?(?:name|id))?$|name$", re.IGNORECASE)
_TYPE = re.compile(r"(?:data[ _-]?)?type$|format$", re.IGNORECASE)
_MEANING = re.compile(r"desc(?:ription)?$|definition$|meaning$|comment$|label$", re.IGNORECASE)
_TABLE = re.compile(r"(?:table|entity|model|dataset|view|file|object)(?:[ _-]?name)?$", re.IGNORECASE)
_HOLDERS = ("models", "tables", "entities", "sources", "datasets", "views", "seeds", "snapshots")
_FIELDS = ("columns", "fields", "attributes", "properties", "variables")


def is_csv_dictionary(header: Sequence[str]) -> bool:
    """Whether a header names fields, their types and what they mean."""
    return all(any(pattern.match(cell.strip()) for cell in header) for pattern in (_FIELD, _TYPE, _MEANING))


def is_yaml_dictionary(root: Node) -> bool:
    """Whether a mapping lists tables with fields."""
    return any(_fields_of(table.value) is not None for entry in root.entries for table in _tables(entry))


def parse(raw: RawDocument) -> ParsedDocument:
    """Per table a heading and what is said of it; per field an element, `fragment` "field", `anchor`
    `<table>.<field>` (`<table>.<field>~2` where it is there again), `line` and `char` of its definition; of CSV also
    `row`. A YAML document of several that cannot be read is a unit "document" in state "broken".

    Raises: TooLarge, CorruptDocument (no YAML, too deep)."""
    source = read(raw, MAX_BYTES)
    if raw.media_type.partition(";")[0] == CSV:
        elements = list(_csv(source))
        return document(raw, f"{NAME}@{VERSION}", elements)
    roots, left_out = load_parts(source.text, raw.uri)
    distinct = Distinct()
    elements = [element for root in roots for entry in root.entries for element in _part(source, entry, distinct)]
    title = next((root.text_of("title") for root in roots if root.text_of("title")), "")
    return document(raw, f"{NAME}@{VERSION}", elements, DocumentMetadata(title=title), left_out=left_out.units)


def quote(content: bytes, locator: Locator) -> str:
    """What the file says at the place; of a CSV record after the header, and after the name of its table."""
    source = SourceText(decode(content).text)
    if locator.row is None:
        return quote_text(content, locator)
    found = list(records(source, delimiter_of(source.text)))
    start, end = locator.char or (0, 0)
    chosen = [r for r in found if (start < r.end and r.start < end if locator.char else r.number == locator.row)]
    return "\n".join(" ".join(record.cells) for record in (*found[:1], *chosen))


def _csv(source: SourceText) -> Iterator[Element]:
    found = list(records(source, delimiter_of(source.text)))
    if len(found) < 2 or not has_header(found[0].cells, found[1].cells):
        for record in found:
            yield Element(ElementKind.PARAGRAPH, " ".join(record.cells), source.place(record.start, record.end))
        return
    head = found[0]
    table_at = next((at for at, cell in enumerate(head.cells) if _TABLE.match(cell.strip())), None)
    field_at = next((at for at, cell in enumerate(head.cells) if _FIELD.match(cell.strip()) and at != table_at), 0)
    last = ""
    distinct = Distinct()
    for record in found[1:]:
        table = _cell(record, table_at).strip()
        name = _cell(record, field_at).strip()
        if table and table != last:
            yield heading(table, source.place(record.start, record.end, distinct.take(table)), 1)
        last = table
        anchor = distinct.take(f"{table}.{name}".strip(".")) if table or name else None
        place = source.place(record.start, record.end, anchor)
        width = max(len(head.cells), len(record.cells))
        rows = tuple((*r.cells, *[""] * (width - len(r.cells))) for r in (head, record))
        place = replace(place, row=record.number)
        field = Element(ElementKind.TABLE, table_text(rows), place, rows=rows, header_rows=1, row_places=(place, place))
        yield replace(field, fragment="field")


def _cell(record: Record, at: int | None) -> str:
    return record.cells[at] if at is not None and at < len(record.cells) else ""


def _tables(holder: Entry) -> Iterator[Entry]:
    """Tables by name: below a known key, as a list of mappings with a name, or as a mapping; sources hold tables."""
    for table in _named(holder.value) if holder.key in _HOLDERS else ():
        inner = table.value.get("tables")
        yield from _named(inner) if inner is not None else (table,)


def _named(node: Node) -> list[Entry]:
    """Items of a list by their `name`, or the entries of a mapping."""
    if node.kind == "list":
        return [Entry(item.text_of("name"), item.start, item) for item in node.items if item.kind == "map"]
    return node.entries


def _fields_of(table: Node) -> Node | None:
    found = next((table.get(key) for key in _FIELDS if table.get(key) is not None), None)
    return found if found is not None and found.kind in {"list", "map"} else None


def _yaml_table(source: SourceText, table: Entry, distinct: Distinct) -> Iterator[Element]:
    place = source.place(table.start, table.value.end, distinct.take(table.key) if table.key else None)
    if table.key:
        yield heading(table.key, place, 1)
    about = _lines(table.value, skip=(*_FIELDS, "name"))
    if about:
        yield Element(ElementKind.PARAGRAPH, "\n".join((table.key, *about)), place, fragment="schema")
    fields = _fields_of(table.value)
    plain = [item.text for item in fields.items if item.kind == "scalar"] if fields is not None else []
    if plain:
        yield Element(ElementKind.PARAGRAPH, ", ".join(plain), place, fragment="schema")
    for field in _named(fields) if fields is not None else []:
        anchor = distinct.take(f"{table.key}.{field.key}".strip(".")) if table.key or field.key else None
        own = source.place(field.start, field.value.end, anchor)
        text = "\n".join((field.key, *_lines(field.value, skip=("name",))))
        if field.value.kind == "scalar" and field.value.text:
            text = f"{field.key}: {field.value.text}"
        yield Element(ElementKind.PARAGRAPH, text, own, fragment="field")


def _lines(node: Node, skip: tuple[str, ...]) -> list[str]:
    """What a mapping says, one line a value."""
    return [line for entry in node.entries if entry.key not in skip for line in outline(entry)]


def _part(source: SourceText, entry: Entry, distinct: Distinct) -> Iterator[Element]:
    """One part of the file: its tables, or what it says beside them."""
    for table in _tables(entry):
        yield from _yaml_table(source, table, distinct)
    if entry.key not in _HOLDERS and (lines := outline(entry)):
        place = source.place(entry.start, entry.value.end, distinct.take(entry.key))
        yield Element(ElementKind.PARAGRAPH, "\n".join(lines), place)


PARSER = ParserSpec(NAME, VERSION, MEDIA_TYPES, parse, quote)
