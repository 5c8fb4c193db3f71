"""JSON and YAML as one tree of values that know their place in the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from kprep.core.errors import CorruptDocument, Recursive, TooLarge

MAX_DEPTH = 200
MAX_NODES = 2_000_000
MAX_BYTES = 24_000_000
_NAMING = ("name", "id", "code", "key", "title", "slug", "uuid", "number", "label")
_LONGEST_NAME = 80


@dataclass(slots=True, eq=False)
class Entry:
    """A key of a mapping and its value; `start` is where the key begins."""

    key: str
    start: int
    value: Node


@dataclass(slots=True, eq=False)
class Node:
    """A value and its characters [start, end). `kind`: "map" (see `entries`), "list" (see `items`) or "scalar".

    `value` of a scalar: text, number, bool or None; `text`: as a reader writes it. `size`: values in it, each alias
    counted in full; `depth`: levels of values below it.
    """

    kind: str
    start: int
    end: int
    value: str | float | bool | None = None
    text: str = ""
    entries: list[Entry] = field(default_factory=list)
    items: list[Node] = field(default_factory=list)
    size: int = 1
    depth: int = 0

    def hold(self, entry: Entry | None, node: Node) -> None:
        """Take in an item, or, with `entry`, a key with its value."""
        self.size += node.size
        self.depth = max(self.depth, node.depth + 1)
        if entry is None:
            self.items.append(node)
        else:
            entry.value = node
            self.entries.append(entry)

    def get(self, key: str) -> Node | None:
        """Value of the key in a mapping (of the last one if it is there twice), None without it."""
        return next((entry.value for entry in reversed(self.entries) if entry.key == key), None)

    def entry(self, key: str) -> Entry | None:
        """The key and its value."""
        return next((entry for entry in reversed(self.entries) if entry.key == key), None)

    def text_of(self, key: str) -> str:
        """Text of a scalar below the key, "" without one."""
        found = self.get(key)
        return found.text if found is not None and found.kind == "scalar" else ""

    def texts_of(self, key: str) -> tuple[str, ...]:
        """Texts of the scalars in the list below the key; of a single scalar too."""
        found = self.get(key)
        if found is None:
            return ()
        nodes = [found] if found.kind == "scalar" else found.items
        return tuple(node.text for node in nodes if node.kind == "scalar" and node.text)

    def entries_of(self, key: str) -> list[Entry]:
        """Entries of the mapping below the key."""
        found = self.get(key)
        return found.entries if found is not None else []

    def items_of(self, key: str) -> list[Node]:
        """Items of the list below the key."""
        found = self.get(key)
        return found.items if found is not None else []

    def plain(self) -> object:
        """The value as Python objects."""
        if self.kind == "map":
            return {entry.key: entry.value.plain() for entry in self.entries}
        return [item.plain() for item in self.items] if self.kind == "list" else self.value

    def leaves(self, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Node]]:
        """Scalars with the keys that lead to them, in order; items of a list are counted from 0."""
        if self.kind == "scalar":
            yield path, self
        for entry in self.entries:
            yield from entry.value.leaves((*path, entry.key))
        for number, item in enumerate(self.items):
            yield from item.leaves((*path, str(number)))


def names_of(items: list[Node]) -> list[str]:
    """What the items of a list are called, each by a name of its own: the value of the first key of `_NAMING` that
    tells all of them apart, else of their first key; else their numbers from 1."""
    keys = [entries[0].key] if items and (entries := items[0].entries) else []
    for key in (*_NAMING, *keys):
        names = [" ".join(item.text_of(key).split()) for item in items]
        if all(0 < len(name) <= _LONGEST_NAME for name in names) and len(set(names)) == len(names):
            return names
    return [str(number) for number in range(1, len(items) + 1)]


def outline(entry: Entry) -> list[str]:
    """A small part of a tree, one line a value: the keys that open before it, and what it is. Read one after the other,
    the lines say what the text says, in its order; values of a list of scalars are one line."""
    return [line for line in _outline(entry.value, entry.key) if line]


def _outline(node: Node, keys: str) -> Iterator[str]:
    if node.kind == "list" and all(item.kind == "scalar" for item in node.items):
        yield f"{keys}: {', '.join(item.text for item in node.items)}".strip(": ")
    elif node.kind == "scalar":
        yield f"{keys}: {node.text.strip()}".strip(": ")
    elif not node.entries and not node.items:
        yield keys
    for entry in node.entries:
        yield from _outline(entry.value, f"{keys} {entry.key}".strip())
        keys = ""
    for item in node.items if any(item.kind != "scalar" for item in node.items) else ():
        yield from _outline(item, keys)
        keys = ""


class NotJson(ValueError):
    """What is wrong and at which character."""

    def __init__(self, problem: str, at: int) -> None:
        super().__init__(problem)
        self.at = at


def resolve(root: Node, reference: str) -> Entry | None:
    """The entry a reference within the file (`#/a/b`) points to; None for another file, or nothing there."""
    if not reference.startswith("#/"):
        return None
    entry = None
    node: Node | None = root
    for part in reference[2:].split("/"):
        key = _unescaped(part)
        if node is not None and node.kind == "list" and key.isdecimal() and int(key) < len(node.items):
            node = node.items[int(key)]
            entry = Entry(key, node.start, node)
            continue
        entry = node.entry(key) if node is not None else None
        node = entry.value if entry else None
    return entry


def _unescaped(part: str) -> str:
    from urllib.parse import unquote

    return unquote(part).replace("~1", "/").replace("~0", "~")


def too_deep(where: str) -> Recursive:
    """What to raise for a text nested beyond `MAX_DEPTH`."""
    return Recursive(f"{where}: values are nested deeper than {MAX_DEPTH}", max_depth=MAX_DEPTH)


def too_many(where: str) -> TooLarge:
    """What to raise for a text of more than `MAX_NODES` values."""
    return TooLarge(f"{where}: more than {MAX_NODES} values, aliases counted in full", max_values=MAX_NODES)


def no_json(where: str, text: str, problem: str, at: int) -> CorruptDocument:
    """What to raise for a text that is no JSON at a character, naming the line."""
    line = text.count("\n", 0, at) + 1
    said = f": {problem}" if problem else ""
    return CorruptDocument(f"{where}: no JSON{said} in line {line}", at=at, line=line)
