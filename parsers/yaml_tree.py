"""YAML with places: the events of libyaml put together without recursion; an alias costs what it stands for."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from kprep.core.errors import CorruptDocument, Recursive
from parsers.tree import MAX_DEPTH, MAX_NODES, Entry, Node, too_deep, too_many

_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9_]*)$")
_FLOAT = re.compile(r"[-+]?(?:\d[\d_]*\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?$")
_WORDS: dict[str, bool | None] = {
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
    "null": None, "Null": None, "NULL": None, "~": None, "": None,
}  # fmt: skip
_CUT = re.compile(r"^---(?=\s|$)", re.MULTILINE)
_SAYS = re.compile(r"^(?!(?:---|\.\.\.)?[ \t\r]*(?:#.*|%.*)?$).+", re.MULTILINE)
_UNREADABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")


def load_all(text: str, where: str, before: tuple[int, int] = (0, 0)) -> list[Node]:
    """The trees of all YAML documents in the text. `before`: characters and lines of the file that stand before it.

    Raises: CorruptDocument (no YAML, too deep), TooLarge (too many values)."""
    import yaml

    try:
        return _compose(_UNREADABLE.sub(" ", text), where, before[0])
    except yaml.MarkedYAMLError as error:
        line = before[1] + error.problem_mark.line + 1 if error.problem_mark else 0
        if "nesting depth" in (error.problem or ""):
            raise too_deep(where) from None
        raise CorruptDocument(f"{where}: no YAML: {error.problem or 'unreadable'} in line {line}", line=line) from None
    except (yaml.YAMLError, ValueError) as error:
        raise CorruptDocument(f"{where}: no YAML: {type(error).__name__}") from None


def pieces(text: str) -> list[tuple[int, int]]:
    """Characters of the YAML documents in a text, cut at the lines that part them; what holds no value (directives,
    comments) belongs to the document after it."""
    cuts = [0, *(cut.start() for cut in _CUT.finditer(text)), len(text)]
    found: list[tuple[int, int]] = []
    start = 0
    for first, last in pairwise(cuts):
        if _SAYS.search(text, first, last):
            found.append((start, last))
            start = last
    return found


def _compose(text: str, where: str, before: int) -> list[Node]:
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    composer = _Composer(where, before)
    for event in yaml.parse(text, Loader=loader):
        composer.take(event)
    return composer.roots


class _Composer:
    """Takes events in order. `open`: containers being read, with the key that waits for its value; `before`:
    characters of the file before the text."""

    def __init__(self, where: str, before: int) -> None:
        self.where = where
        self.before = before
        self.roots: list[Node] = []
        self.open: list[tuple[Node, str]] = []
        self.keys: dict[int, tuple[str, int]] = {}
        self.anchors: dict[str, Node] = {}
        self.count = 0

    def take(self, event: Any) -> None:
        """Take one event."""
        kind = type(event).__name__
        start, end = self.before + event.start_mark.index, self.before + event.end_mark.index
        if kind in {"MappingStartEvent", "SequenceStartEvent"}:
            self.open.append((Node("map" if kind[0] == "M" else "list", start, end), event.anchor or ""))
            if len(self.open) > MAX_DEPTH:
                raise too_deep(self.where)
        elif kind in {"MappingEndEvent", "SequenceEndEvent"}:
            node, anchor = self.open.pop()
            # the end mark of a block is where the next thing begins; a flow container ends with its bracket
            inner = max(
                [child.end for child in (*node.items, *(entry.value for entry in node.entries))], default=node.end
            )
            node.end = end if end > start else max(inner, node.end)
            self._add(node, anchor)
        elif kind == "ScalarEvent":
            # a long text costs more than a short one: an alias may repeat it
            size = 1 + len(event.value) // 100
            node = Node("scalar", start, end, _typed(event), event.value, size=size)
            self._add(node, event.anchor or "")
        elif kind == "AliasEvent":
            self._alias(event.anchor, start, end)
        elif kind == "DocumentStartEvent":
            self.anchors = {}

    def _alias(self, name: str, start: int, end: int) -> None:
        target = self.anchors.get(name)
        if any(anchor == name for _, anchor in self.open):
            raise Recursive(f"{self.where}: an alias stands inside what it names", at=start)
        if target is None:
            raise CorruptDocument(f"{self.where}: an alias names nothing before it", at=start)
        self.count += target.size
        copied = Node(
            target.kind, start, end, target.value, target.text, target.entries, target.items, target.size, target.depth
        )
        self._add(copied, "")

    def _add(self, node: Node, anchor: str) -> None:
        self.count += 1
        if self.count > MAX_NODES:
            raise too_many(self.where)
        if anchor:
            self.anchors[anchor] = node
        if not self.open:
            self.roots.append(node)
            return
        container, _ = self.open[-1]
        if container.kind == "list":
            container.hold(None, node)
            if container.depth > MAX_DEPTH:
                raise too_deep(self.where)
        elif id(container) not in self.keys:
            self.keys[id(container)] = (node.text if node.kind == "scalar" else "", node.start)
        else:
            key, start = self.keys.pop(id(container))
            if key == "<<":
                _merge(container, node)
            else:
                container.hold(Entry(key, start, node), node)
            if container.depth > MAX_DEPTH:
                raise too_deep(self.where)


def _merge(container: Node, node: Node) -> None:
    """Entries of the mappings that `<<` names, where the container has none of its own (before or after)."""
    for source in node.items if node.kind == "list" else [node]:
        known = {entry.key for entry in container.entries}
        inherited = [entry for entry in source.entries if entry.key not in known]
        container.entries[:0] = inherited
    container.size += node.size
    container.depth = max(container.depth, node.depth)


def _typed(event: Any) -> str | float | bool | None:
    """JSON's types only, of plain scalars only: a date stays text, and so does "no"."""
    written = str(event.value)
    if event.style is not None and event.style not in {"", "plain"}:
        return written
    if written in _WORDS:
        return _WORDS[written]
    if _INTEGER.match(written):
        return int(written.replace("_", "")) if len(written) < 40 else written
    return float(written.replace("_", "")) if _FLOAT.match(written) else written
