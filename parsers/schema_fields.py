"""Schemas of OpenAPI and JSON Schema as tables of their fields, references resolved, cycles bounded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

from kprep.core.models import Link
from parsers.anchors import slug
from parsers.tree import Entry, Node, outline, resolve

CONSTRAINTS = (
    "format", "enum", "const", "default", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "minContains", "maxContains",
    "minProperties", "maxProperties", "dependentRequired",
    "nullable", "readOnly", "writeOnly", "deprecated", "example", "collectionFormat", "contentEncoding",
    "contentMediaType", "additionalProperties", "unevaluatedProperties", "$comment",
)  # fmt: skip
MAX_DEPTH = 3
_MAX_HOPS = 32
_MAX_REFERRED = 200
_MAX_STEPS = 20_000
_COMBINED = ("allOf", "oneOf", "anyOf", "prefixItems", "items")
"""Keys of lists of schemas; `items` is one in older drafts."""
_NAMED = ("properties", "patternProperties")
_DEPENDENT = "dependentSchemas"
"""Keyed by a field, what else holds of the whole where that field is there."""
_PARTS = (
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "contains",
    "not",
    "if",
    "then",
    "else",
    "contentSchema",
)

_REFERENCE = re.compile(r"""["']?\$ref["']?\s*:\s*["']?([^"'\s,}\]]+)["']?(?=[\s,}\]]|$)""")
_SHARED = frozenset(("components", "definitions", "$defs", "responses", "schemas"))
"""Outermost keys of files in which schemas and responses have sections of their own."""
_KEYWORD = re.compile(r"""["']?\b(?:type|items|schema)["']?\s*:""")

Row = tuple[str, ...]


class Resolver:
    """Follows references inside one file. `used`: ids of the nodes a reference led to. `anchors`: id of an entry ->
    the anchor of its section."""

    def __init__(self, root: Node) -> None:
        self.root = root
        self.used: set[int] = set()
        self.anchors: dict[int, str] = {}

    def entry(self, node: Node) -> Entry | None:
        """What the node's own `$ref` points to in this file."""
        reference = node.text_of("$ref")
        return resolve(self.root, reference) if reference else None

    def resolve(self, node: Node) -> Node:
        """The node a chain of references ends at; a reference that leads nowhere or in a circle is the node itself."""
        found = node
        for _ in range(_MAX_HOPS):
            entry = self.entry(found)
            if entry is None:
                return found
            self.used.add(id(entry.value))
            found = entry.value
        return node

    def referred(self, span: tuple[int, int]) -> list[Entry]:
        """Definitions that the references between two characters lead to, those of the definitions included."""
        found: dict[int, Entry] = {}
        waiting = list(_references(self.root, span))
        while waiting and len(found) < _MAX_REFERRED:
            entry = resolve(self.root, waiting.pop(0).text)
            if entry is not None and id(entry.value) not in found:
                found[id(entry.value)] = entry
                waiting += _references(entry.value, (entry.value.start, entry.value.end))
        return list(found.values())


def read_place(text: str, root: Node, span: tuple[int, int]) -> list[str]:
    """What the file says between two characters and in the definitions referred to there: as written, without the
    keywords that only hold schemas together, and the full names of nested fields (their outer keys stand elsewhere)."""
    resolver = Resolver(root)
    spans = [span, *((entry.start, entry.value.end) for entry in resolver.referred(span))]
    written = [text[start:end] for start, end in spans]
    names: dict[str, None] = {}
    for node in (node for place in spans for node in _objects(root, place)):
        names |= dict.fromkeys(row[0] for row in field_rows(node, resolver, _MAX_REFERRED) if "." in row[0])
        if len(names) > _MAX_STEPS:
            break
    return [*written, *map(without_keywords, written), *names]


def _objects(root: Node, span: tuple[int, int]) -> Iterator[Node]:
    """Schemas with properties that meet a place."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.end <= span[0] or node.start >= span[1]:
            continue
        if any(node.get(key) is not None for key in (*_NAMED, *_PARTS, _DEPENDENT, "items")):
            yield node
        waiting += [entry.value for entry in node.entries]
        waiting += node.items


def _references(root: Node, span: tuple[int, int]) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.end <= span[0] or node.start >= span[1]:
            continue
        for entry in node.entries:
            if entry.key == "$ref" and entry.value.kind == "scalar" and span[0] <= entry.start < span[1]:
                yield entry.value
            waiting.append(entry.value)
        waiting += node.items


def links_of(node: Node, resolver: Resolver) -> tuple[Link, ...]:
    """References the node and what is below it make, as links to the sections of schemas and responses."""
    targets = dict.fromkeys(entry.text for entry in _references(node, (node.start, node.end)))
    return tuple(Link(target.rpartition("/")[2], _link_target(target, resolver)) for target in targets)


def _link_target(reference: str, resolver: Resolver) -> str:
    """`common.yaml#/components/schemas/Order` -> `common.yaml#schema-order`; of a section of this file its anchor; of a
    part of a file that is only read as data its outermost key, as `common.yaml#/Problem` -> `common.yaml#Problem`."""
    entry = resolve(resolver.root, reference)
    if entry is not None and (anchor := resolver.anchors.get(id(entry))):
        return f"#{anchor}"
    file, _, pointer = reference.partition("#")
    parts = [_unescaped(part) for part in pointer.split("/") if part]
    if not parts:
        return file
    if file and parts[0] not in _SHARED:
        return f"{file}#{parts[0]}"
    kind = "response" if "responses" in parts else "schema"
    return f"{file}#{kind}-{slug(parts[-1])}"


def _unescaped(part: str) -> str:
    return unquote(part).replace("~1", "/").replace("~0", "~")


def without_keywords(written: str) -> str:
    """Part of a schema as it reads without the keywords that only hold it together: `type: array, items: {$ref:
    '#/schemas/Order'}` says "array Order"."""
    return _KEYWORD.sub(" ", _REFERENCE.sub(lambda found: f" {_called(found[1])} ", written))


def reference_name(node: Node) -> str:
    """What the node's `$ref` calls what it leads to, "" without one: the last part of it, and the file it stands in
    where that is another: `Problem (common.yaml)`."""
    return _called(node.text_of("$ref"))


def _called(reference: str) -> str:
    file, _, pointer = reference.partition("#")
    name = pointer.rpartition("/")[2]
    return f"{name} ({file})" if name and file else name or file


def schema_lines(node: Node, resolver: Resolver, *, name: bool = True) -> list[str]:
    """The type in the words of the schema, then one constraint each: ["string", "format: uuid", "enum: a, b"]; of a
    reference its name: ["Order"], of a list also that of its items: ["array Order"]."""
    return _type_and_facts(node, resolver, name=name)


def _type_and_facts(node: Node, resolver: Resolver, *, name: bool = True, depth: int = 0) -> list[str]:
    if name and node.get("$ref"):
        return [reference_name(node) or node.text_of("$ref")]
    kind = " ".join(node.texts_of("type"))
    facts: list[str] = []
    items = node.get("items")
    if items is not None and depth < MAX_DEPTH:
        inner, *facts = _type_and_facts(items, resolver, depth=depth + 1) or [""]
        facts += _words(items)
        kind = " ".join(filter(None, (kind, inner)))
    more = node.get("additionalProperties")
    if more is not None and more.entries and depth < MAX_DEPTH:
        facts += ["additionalProperties", *_type_and_facts(more, resolver, depth=depth + 1)]
    for key in _COMBINED:
        members = [_alternative(item, resolver, depth + 1) for item in node.items_of(key)]
        facts += [f"{key}: {', '.join(filter(None, members))}"] if any(members) else []
    facts += _constraints(node, is_whole=not name)
    facts += extensions(node, "examples", "xml") if name else []
    return [kind, *facts] if kind or not facts else facts


def _alternative(node: Node, resolver: Resolver, depth: int) -> str:
    """One schema of several, with all it says but its fields, in the order of the file: "string (maxLength: 5;
    description: Two letters)", "Order", "null"."""
    kind, *facts = _type_and_facts(node, resolver, depth=depth) or [""]
    required = node.texts_of("required")
    facts += [f"required: {', '.join(required)}"] if required else []
    facts += [f"{key}: {said}" for key in ("title", "description") if (said := node.text_of(key).strip())]
    facts += _constraints(node) if node.get("$ref") else []
    order = {entry.key: number for number, entry in enumerate(node.entries)}
    facts.sort(key=lambda fact: order.get(re.split("[: ]", fact, maxsplit=1)[0], order.get("items", 0)))
    return f"{kind} ({'; '.join(facts)})".strip() if facts else kind


def _words(node: Node) -> list[str]:
    return [said for key in ("title", "description") if (said := node.text_of(key).strip())]


def _constraints(node: Node, *, is_whole: bool = False) -> list[str]:
    """What limits a value, one a line. `is_whole`: of a section's schema, whose example is an element of its own."""
    found = []
    for key in CONSTRAINTS:
        entry = node.entry(key)
        if texts := node.texts_of(key):
            found.append(f"{key}: {', '.join(texts)}")
        elif entry is not None and key not in _PARTS and not (is_whole and key == "example"):
            found += [" ".join(outline(entry))] if entry.value.kind != "scalar" else []
    return found


def extensions(node: Node, *keys: str) -> list[str]:
    """Keys that a vendor added (`x-...`), and `keys`, with what they hold, one a line."""
    return [" ".join(outline(e)) for e in node.entries if e.key.startswith("x-") or e.key in keys]


def field_rows(schema: Node, resolver: Resolver, max_rows: int, depth: int = MAX_DEPTH) -> list[Row]:
    """Header and one row a field: dotted path, type, "required" or "", description, then its
    constraints, a cell each. Fields of nested objects follow theirs, those behind a reference down to `depth` levels; a
    schema inside itself is named, not opened again. Fields by pattern and conditions that say something are rows too;
    what alternatives say beside their fields stands with the type."""
    header: Row = ("properties", "type", "required", "description")
    rows = _rows(schema, resolver, "", depth, frozenset(), set())
    return even([header, *(row for _, row in zip(range(max_rows), rows, strict=False))])


def even(rows: list[Row]) -> list[Row]:
    """The rows, filled up with empty cells to the length of the longest."""
    width = max(map(len, rows))
    return [row + ("",) * (width - len(row)) for row in rows]


def _rows(
    node: Node, resolver: Resolver, prefix: str, depth: int, opened: frozenset[int], seen: set[tuple[str, int]]
) -> Iterator[Row]:
    found = resolver.resolve(node)
    if id(found) in opened or (prefix, id(found)) in seen or len(opened) > _MAX_HOPS or len(seen) > _MAX_STEPS:
        return
    seen.add((prefix, id(found)))
    opened |= {id(found)}
    items = found.get("items")
    if items is not None and items.kind == "map" and not found.get("properties"):
        yield from _inner_rows(items, resolver, prefix, depth, opened, seen)
    required = set(found.texts_of("required"))
    for entry in (entry for key in _NAMED for entry in found.entries_of(key)):
        name = f"{prefix}.{entry.key}" if prefix else entry.key
        target = resolver.resolve(entry.value)
        words = entry.value.text_of("description") or target.text_of("description") or entry.value.text_of("title")
        kind, *facts = schema_lines(entry.value, resolver) or [""]
        yield name, kind, "required" if entry.key in required else "", words, *facts
        yield from _inner_rows(entry.value, resolver, name, depth, opened, seen)
    parts = [part for part in map(found.entry, _PARTS) if part is not None]
    parts += [Entry(f"{_DEPENDENT}.{entry.key}", entry.start, entry.value) for entry in found.entries_of(_DEPENDENT)]
    for part in (part for part in parts if part.value.entries):
        name = f"{prefix}.{part.key}" if prefix else part.key
        yield from _part_row(part.value, resolver, name, is_told=part.key == "additionalProperties")
        yield from _inner_rows(part.value, resolver, name, depth, opened, seen)
    for key in _COMBINED:
        for item in found.items_of(key):
            yield from _rows(item, resolver, prefix, depth, opened, seen)


def _part_row(part: Node, resolver: Resolver, name: str, *, is_told: bool) -> Iterator[Row]:
    """A row for a condition or the like, where it says more than its fields do. `is_told`: its type
    stands in the row of the field it belongs to."""
    kind, *facts = schema_lines(part, resolver) or [""]
    required = part.texts_of("required")
    facts += [f"required: {', '.join(required)}"] if required else []
    words = part.text_of("description")
    if words or (not is_told and (kind or facts)):
        yield name, kind, "", words, *facts


def _inner_rows(
    node: Node, resolver: Resolver, prefix: str, depth: int, opened: frozenset[int], seen: set[tuple[str, int]]
) -> Iterator[Row]:
    """Fields of a nested object: one written in place always, one behind a reference while `depth` allows."""
    if not node.get("$ref"):
        yield from _rows(node, resolver, prefix, depth, opened, seen)
    elif depth > 1:
        yield from _rows(node, resolver, prefix, depth - 1, opened, seen)
