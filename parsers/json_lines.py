"""JSON Lines: each record a paragraph of its fields, a line a field, by its dotted name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from kprep.core.errors import CorruptDocument, Recursive
from kprep.core.models import Element, ElementKind, Locator, ParsedDocument, ParserSpec, RawDocument
from parsers.broken import Broken
from parsers.decoding import Lines, decode
from parsers.source_text import document, read

NAME = "json_lines"
VERSION = 2
MEDIA_TYPES = ("application/jsonl",)
MAX_BYTES = 64_000_000


def parse(raw: RawDocument) -> ParsedDocument:
    """One paragraph a record, with `line` and `char`; empty fields are left out, numbers stay as written. A line that
    is no JSON is a unit "line" in state "broken".

    Raises: TooLarge, WrongEncoding, CorruptDocument (at least half of the lines are no JSON, naming the first; one is
    nested too deep)."""
    source = read(raw, MAX_BYTES)
    elements: list[Element] = []
    left_out = Broken()
    records = 0
    for line in source.lines.all():
        try:
            text = _said(line.text, f"line {line.number}")
        except CorruptDocument as error:
            left_out.add("line", line.number, error, (line.start, line.end))
            continue
        records += bool(line.text.strip())
        if text:
            elements.append(Element(ElementKind.PARAGRAPH, text, source.place(line.start, line.end)))
    if len(left_out.units) >= max(records, 1):
        raise left_out.refuse(raw.uri)
    return document(raw, f"{NAME}@{VERSION}", elements, left_out=left_out.units)


def quote(content: bytes, locator: Locator) -> str:
    """What the records say that stand at the characters, else the lines, of the locator; broken ones say nothing."""
    lines = Lines(decode(content).text)
    start, end = locator.char or (lines.char_span(*locator.line) if locator.line else (0, 0))
    return "\n".join(_readable(line.text) for line in lines.all() if line.start < end and start < line.end)


def _readable(record: str) -> str:
    try:
        return _said(record, "quote")
    except CorruptDocument:
        return ""


def _said(record: str, where: str) -> str:
    if not record.strip():
        return ""
    try:
        value = json.loads(record, parse_float=str, parse_int=str, parse_constant=str)
        return "\n".join(_fields(value, ""))
    except json.JSONDecodeError as error:
        raise CorruptDocument(f"{where}: no JSON: {error.msg} at character {error.pos + 1}", at=error.pos) from None
    except RecursionError:
        raise Recursive(f"{where}: nested too deep") from None


def _fields(value: Any, name: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _fields(inner, f"{name}.{key}" if name else key)
    elif isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        for item in value:
            yield from _fields(item, name)
    else:
        text = ", ".join(map(_scalar, value)) if isinstance(value, list) else _scalar(value)
        if text.strip():
            yield f"{name}: {text}" if name else text


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


PARSER = ParserSpec(NAME, VERSION, MEDIA_TYPES, parse, quote)
