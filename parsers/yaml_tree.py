"""YAML with places: the events of libyaml put together without recursion; an alias costs what it stands for."""

from __future__ import annotations

import re
from typing import Any

from kprep.core.errors import CorruptDocument, Recursive
from parsers.tree import MAX_DEPTH, MAX_NODES, Entry, Node, too_deep, too_many

_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9_]*)$")
_FLOAT = re.compile(r"[-+]?(?:\d[\d_]*\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?$")
_WORDS: dict[str, bool | None] = {
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
    "null": None, "Null": None, "NULL": None, "~": None, "": None,
}  # fmt: skip
_UNREADABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")


def load_all(text: str, where: str) -> list[Node]:
    """The trees of all YAML documents in the text.

    Raises: CorruptDocument (no YAML, too deep), TooLarge (too many values)."""
    import yaml

    try:
        return _compose(_UNREADABLE.sub(" ", text), where)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        if "nesting depth" in (error.problem or ""):
            raise too_deep(where) from None
        raise CorruptDocument(f"{where}: no YAML: {error.problem or 'unreadable'} in line {line}", line=line) from None
    except (yaml.YAMLError, ValueError) as error:
        raise CorruptDocument(f"{where}: no YAML: {type(error).__name__}") from None


def _compose(text: str, where: str) -> list[Node]:
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    composer = _Composer(where)
    for event in yaml.parse(text, Loader=loader):
        composer.take(event)
    return composer.roots


class _Composer:
    """Takes events in order. `open`: containers being read, with the key that waits for its value."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.roots: list[Node] = []
        self.open: list[tuple[Node, str]] = []
        self.keys: dict[int, tuple[str, int]] = {}
        self.anchors: dict[str, Node] = {}
        self.count = 0

    def take(self, event: Any) -> None:
        """Take one event."""
        kind = type(event).__name__
        start = event.start_mark.index
        if kind in {"MappingStartEvent", "SequenceStartEvent"}:
            self.open.append(
                (Node("map" if kind[0] == "M" else "list", start, event.end_mark.index), event.anchor or "")
            )
            if len(self.open) > MAX_DEPTH:
                raise too_deep(self.where)
        elif kind in {"MappingEndEvent", "SequenceEndEvent"}:
            node, anchor = self.open.pop()
            # the end mark of a block is where the next thing begins; a flow container ends with its bracket
            inner = max(
                [child.end for child in (*node.items, *(entry.value for entry in node.entries))], default=node.end
            )
            node.end = event.end_mark.index if event.end_mark.index > event.start_mark.index else max(inner, node.end)
            self._add(node, anchor)
        elif kind == "ScalarEvent":
            # a long text costs more than a short one: an alias may repeat it
            size = 1 + len(event.value) // 100
            node = Node("scalar", start, event.end_mark.index, _typed(event), event.value, size=size)
            self._add(node, event.anchor or "")
        elif kind == "AliasEvent":
            self._alias(event)
        elif kind == "DocumentStartEvent":
            self.anchors = {}

    def _alias(self, event: Any) -> None:
        target = self.anchors.get(event.anchor)
        start, end = event.start_mark.index, event.end_mark.index
        if any(anchor == event.anchor for _, anchor in self.open):
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
