"""Knowledge entries: JSON of a name, aliases, typed fragments and metadata; one, a list, or one a line.

{"name": "Nash equilibrium", "aliases": ["NE"],
 "fragments": [{"type": "def", "text": "..."}, {"type": "ex", "text": "..."}],
 "metadata": {"truth_confidence": 0.98, "difficulty": "intermediate", "avoid_with": ["..."]}}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kprep.core.errors import CorruptDocument
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
from parsers import json_tree
from parsers.anchors import Slugger
from parsers.decoding import decode
from parsers.source_text import SourceText, document, heading, read
from parsers.tree import MAX_BYTES, Node, NotJson, no_json

NAME = "knowledge_entry"
VERSION = 1
MEDIA_TYPES = ("application/vnd.kprep.knowledge+json",)

FRAGMENTS = ("def", "int", "ex", "form", "app")
"""Definition, intuition, example, formula, application."""

_FIELDS = ("name", "aliases", "category", "domain", "fragments", "metadata")


def parse(raw: RawDocument) -> ParsedDocument:
    """Per entry a heading, its name, and below it one element a fragment, `fragment` its type, `anchor`
    `name-slug/type-2`, `line` and `char` of its text. What else an entry says is in `metadata.front_matter`: of a
    single entry its fields, of several a list of them, in order, below "entries".

    Raises: TooLarge, CorruptDocument (no JSON, no entry, a type unknown, a field of the wrong kind), naming the entry
    by its number."""
    source = read(raw, MAX_BYTES)
    slugger = Slugger()
    elements: list[Element] = []
    facts: list[dict[str, object]] = []
    for number, node in enumerate(_entries(source.text, raw.uri), 1):
        where = f"{raw.uri}: entry {number}"
        facts.append(_facts(node, where))
        elements += _elements(source, node, slugger, where)
    if not facts:
        raise CorruptDocument(f"{raw.uri}: there is no entry", uri=raw.uri)
    front: JsonObject = facts[0] if len(facts) == 1 else {"entries": facts}
    title = str(facts[0]["name"]) if len(facts) == 1 else ""
    return document(raw, f"{NAME}@{VERSION}", elements, DocumentMetadata(title=title, front_matter=front))


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


def _entries(text: str, where: str) -> Iterator[Node]:
    """Each entry of a list, of a mapping with a list "entries", or of one or several JSON values after each other."""
    at = 0
    end = len(text.rstrip())
    while at < end:
        try:
            node, at = json_tree.read_value(text, at, where)
        except NotJson as error:
            raise no_json(where, text, str(error), error.at) from None
        several = node if node.kind == "list" else node.get("entries")
        yield from several.items if several is not None and several.kind == "list" else [node]


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
    return facts


def _elements(source: SourceText, node: Node, slugger: Slugger, where: str) -> Iterator[Element]:
    name = node.get("name")
    assert name is not None
    anchor = slugger.take(name.text)
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
