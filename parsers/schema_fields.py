"""Schemas of OpenAPI and JSON Schema as tables of their fields, references resolved, cycles bounded."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from parsers.tree import Entry, Node, resolve

CONSTRAINTS = (
    "format", "enum", "const", "default", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
    "nullable", "readOnly", "writeOnly", "deprecated", "example",
)  # fmt: skip
MAX_DEPTH = 3
_MAX_HOPS = 32
_MAX_REFERRED = 200
_MAX_STEPS = 20_000
_COMBINED = ("allOf", "oneOf", "anyOf")

Row = tuple[str, str, str, str]


class Resolver:
    """Follows references inside one file. `used`: ids of the nodes a reference led to."""

    def __init__(self, root: Node) -> None:
        self.root = root
        self.used: set[int] = set()

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


def reference_name(node: Node) -> str:
    """Last part of the node's `$ref`, "" without one."""
    return node.text_of("$ref").rpartition("/")[2]


def schema_text(node: Node, resolver: Resolver, *, name: bool = True, depth: int = 0) -> str:
    """The type in the words of the schema: "Order", "array Order", "string format: uuid enum: a, b"."""
    if depth > MAX_DEPTH * 2:
        return ""
    if name and node.get("$ref"):
        return reference_name(node) or node.text_of("$ref")
    parts = [" ".join(node.texts_of("type"))]
    for key in ("items", "additionalProperties", "not"):
        inner = node.get(key)
        if inner is not None and inner.kind == "map" and inner.entries:
            parts.append(
                " ".join(filter(None, ("" if key == "items" else key, schema_text(inner, resolver, depth=depth + 1))))
            )
    for key in _COMBINED:
        inner_texts = [schema_text(item, resolver, depth=depth + 1) for item in node.items_of(key)]
        if any(inner_texts):
            parts.append(f"{key}: {', '.join(filter(None, inner_texts))}")
    parts += [f"{key}: {', '.join(node.texts_of(key))}" for key in CONSTRAINTS if node.texts_of(key)]
    return " ".join(filter(None, parts))


def field_rows(schema: Node, resolver: Resolver, max_rows: int, depth: int = MAX_DEPTH) -> list[Row]:
    """Header and one row a field: dotted path, type with constraints, "required" or "", description. Fields of nested
    objects follow theirs, those behind a reference down to `depth` levels; a schema inside itself is named, not opened
    again."""
    header: Row = ("properties", "type", "required", "description")
    rows = _rows(schema, resolver, "", depth, frozenset(), itertools.count())
    return [header, *(row for _, row in zip(range(max_rows), rows, strict=False))]


def _rows(
    node: Node, resolver: Resolver, prefix: str, depth: int, opened: frozenset[int], steps: Iterator[int]
) -> Iterator[Row]:
    found = resolver.resolve(node)
    if id(found) in opened or len(opened) > _MAX_HOPS or next(steps) > _MAX_STEPS:
        return
    opened |= {id(found)}
    items = found.get("items")
    if items is not None and items.kind == "map" and not found.get("properties"):
        yield from _inner_rows(items, resolver, prefix, depth, opened, steps)
    required = set(found.texts_of("required"))
    for entry in found.entries_of("properties"):
        name = f"{prefix}.{entry.key}" if prefix else entry.key
        target = resolver.resolve(entry.value)
        words = entry.value.text_of("description") or target.text_of("description") or entry.value.text_of("title")
        yield name, schema_text(entry.value, resolver), "required" if entry.key in required else "", words
        yield from _inner_rows(entry.value, resolver, name, depth, opened, steps)
    for key in _COMBINED:
        for item in found.items_of(key):
            yield from _rows(item, resolver, prefix, depth, opened, steps)


def _inner_rows(
    node: Node, resolver: Resolver, prefix: str, depth: int, opened: frozenset[int], steps: Iterator[int]
) -> Iterator[Row]:
    """Fields of a nested object: one written in place always, one behind a reference while `depth` allows."""
    if not node.get("$ref"):
        yield from _rows(node, resolver, prefix, depth, opened, steps)
    elif depth > 1:
        yield from _rows(node, resolver, prefix, depth - 1, opened, steps)
