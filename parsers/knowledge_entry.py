"""Knowledge entries: JSON of a name, aliases, typed fragments and metadata; one, a list, or one a line.

{"name": "Nash equilibrium", "aliases": ["NE"],
 "fragments": [{"type": "def", "text": "..."}, {"type": "ex", "text": "..."}],
 "metadata": {"truth_confidence": 0.98, "difficulty": "intermediate", "avoid_with": ["..."]}}
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from kprep.core.errors import CorruptDocument, FrontMatterInvalid, ParseError
from kprep.core.models import (
    DocumentMetadata,
    Element,
    ElementKind,
    JsonObject,
    Locator,
    ParsedDocument,
    ParserSpec,
    RawDocument,
)
from kprep.core.signals import MUST_BE_SOUND, signals_of
from parsers import json_tree
from parsers.anchors import Slugger
from parsers.broken import Broken
from parsers.decoding import decode
from parsers.source_text import SourceText, document, heading, read
from parsers.tree import MAX_BYTES, Node, NotJson, no_json

NAME = "knowledge_entry"
VERSION = 2
MEDIA_TYPES = ("application/vnd.kprep.knowledge+json",)

FRAGMENTS = ("def", "int", "ex", "form", "app")
"""Definition, intuition, example, formula, application."""

_ENTRY_LINE = re.compile(r'\{\s*"')
_REST_OF_LINE = re.compile(r"[^\s\ufeff][^\r\n]*")
_FIELDS = ("name", "aliases", "category", "domain", "fragments", "metadata")


def parse(raw: RawDocument) -> ParsedDocument:
    """Per entry a heading, its name, and below it one element a fragment, `fragment` its type, `anchor`
    `name-slug/type-2`, `line` and `char` of its text. What else an entry says is in `metadata.front_matter`: of a
    single entry its fields, of several a list of them, in order, below "entries". An entry of several that is none (a
    type unknown, a field of the wrong kind, in a file of one a line no JSON) is a unit "entry" in state "broken".

    Raises: TooLarge, CorruptDocument (no JSON, no entry), and what is wrong with the first entry where all are broken:
    CorruptDocument, FrontMatterInvalid (a confidence or `avoid_with` that cannot be read)."""
    source = read(raw, MAX_BYTES)
    slugger = Slugger()
    elements: list[Element] = []
    facts: list[dict[str, object]] = []
    left_out = Broken()
    for number, (start, end, node) in enumerate(_entries(source.text, raw.uri), 1):
        where = f"entry {number} in line {source.lines.number_at(start)}"
        try:
            said, found = _entry(source, node, slugger, where)
        except ParseError as error:
            left_out.add("entry", number, error, (start, end))
            continue
        facts.append(said)
        elements += found
    if not facts:
        none = CorruptDocument(f"{raw.uri}: there is no entry", uri=raw.uri)
        raise left_out.refuse(raw.uri) if left_out.units else none
    single = len(facts) == 1 and not left_out.units
    front: JsonObject = facts[0] if single else {"entries": facts}
    metadata = DocumentMetadata(title=str(facts[0]["name"]) if single else "", front_matter=front)
    return document(raw, f"{NAME}@{VERSION}", elements, metadata, left_out=left_out.units)


def quote(content: bytes, locator: Locator) -> str:
    """The characters at the locator, a JSON string as what it says; with an anchor alone the fragment of that name."""
    text = decode(content).text
    span = locator.char
    if span is None:
        found = parse(RawDocument("", "", content, MEDIA_TYPES[0])).elements
        spans = [e.locator.char for e in found if locator.anchor and e.locator.anchor == locator.anchor]
        span = next((place for place in spans if place), None)
    if span is None:
        return ""
    pieces: list[str] = []
    at = span[0]
    while at < span[1]:  # a place may reach over several strings
        start = text.find('"', at, span[1])
        if start < 0:
            return "\n".join([*pieces, text[at : span[1]]])
        try:
            node, at = json_tree.read_value(text, start, "quote")
        except NotJson:
            return "\n".join([*pieces, text[start : span[1]]])
        pieces.append(node.text)
    return "\n".join(pieces)


def _entries(text: str, where: str) -> Iterator[tuple[int, int, Node | NotJson]]:
    """Each entry of a list, of a mapping with a list "entries", or of one or several JSON values in a row, with its
    characters; for a line that is no JSON, in a file of an entry a line, why it is none. Raises: CorruptDocument."""
    at = 0
    end = len(text.rstrip())
    lines = [line for line in text.lstrip("\ufeff").splitlines() if line.strip()]
    one_a_line = len(lines) > 1 and all(map(_ENTRY_LINE.match, lines))
    while at < end:
        try:
            node, at = json_tree.read_value(text, at, where)
        except NotJson as error:
            line = _REST_OF_LINE.search(text, at) if one_a_line else None
            if line is None:
                raise no_json(where, text, str(error), error.at) from None
            yield line.start(), line.end(), error
            at = line.end()
            continue
        several = node if node.kind == "list" else node.get("entries")
        for entry in several.items if several is not None and several.kind == "list" else [node]:
            yield entry.start, entry.end, entry


def _entry(
    source: SourceText, node: Node | NotJson, slugger: Slugger, where: str
) -> tuple[dict[str, object], list[Element]]:
    """What an entry says beside its fragments, and its elements. Raises: CorruptDocument."""
    if isinstance(node, NotJson):
        raise CorruptDocument(f"{where}: no JSON: {node}")
    anchor = slugger.take(node.text_of("name"))  # also of a broken one: mending it must not move the others
    return _facts(node, where), list(_elements(source, node, anchor, where))


def _facts(node: Node, where: str) -> dict[str, object]:
    """The entry's fields but its fragments. Raises: CorruptDocument."""
    if node.kind != "map" or not node.text_of("name").strip():
        raise CorruptDocument(f"{where}: an entry is a mapping with a `name`")
    aliases = node.get("aliases")
    if aliases is not None and aliases.kind != "list":
        raise CorruptDocument(f"{where}: `aliases` is a list of names")
    metadata = node.get("metadata")
    if metadata is not None and metadata.kind != "map":
        raise CorruptDocument(f"{where}: `metadata` is a mapping")
    facts: dict[str, object] = {"name": node.text_of("name"), "aliases": list(node.texts_of("aliases"))}
    facts |= {key: node.text_of(key) for key in ("category", "domain") if node.text_of(key)}
    facts |= {entry.key: entry.value.plain() for entry in node.entries if entry.key not in _FIELDS}
    if metadata is not None:
        facts |= {entry.key: entry.value.plain() for entry in metadata.entries}
    if unsound := sorted(set(signals_of(facts)[1]) & set(MUST_BE_SOUND)):
        raise FrontMatterInvalid(f"{where}: `{unsound[0]}` cannot be read: write {MUST_BE_SOUND[unsound[0]]}")
    return facts


def _elements(source: SourceText, node: Node, anchor: str, where: str) -> Iterator[Element]:
    name = node.get("name")
    assert name is not None
    yield heading(name.text, source.place(name.start, name.end, anchor), 1)
    fragments = node.items_of("fragments")
    if not fragments:
        raise CorruptDocument(f"{where}: `fragments` is a list of at least one {{type, text}}")
    seen: Counter[str] = Counter()
    for number, fragment in enumerate(fragments, 1):
        kind = fragment.text_of("type")
        text = fragment.get("text")
        if kind not in FRAGMENTS:
            raise CorruptDocument(f"{where}: fragment {number}: `type` is one of {', '.join(FRAGMENTS)}")
        if text is None or not text.text.strip():
            raise CorruptDocument(f"{where}: fragment {number}: `text` is missing or empty")
        seen[kind] += 1
        own = f"{anchor}/{kind}" + (f"-{seen[kind]}" if seen[kind] > 1 else "")
        place = source.place(text.start, text.end, own)
        yield Element(ElementKind.PARAGRAPH, text.text, place, fragment=kind)


PARSER = ParserSpec(NAME, VERSION, MEDIA_TYPES, parse, quote)
