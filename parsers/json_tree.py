"""JSON with places. Reads comments and trailing commas too, as configuration files have them; never recurses."""

from __future__ import annotations

import json
import re
from typing import Any

from parsers.tree import MAX_DEPTH, MAX_NODES, Entry, Node, NotJson, too_deep, too_many

_SKIP = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|NaN|-?Infinity")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}


def load(text: str, where: str) -> Node:
    """The tree of one JSON text. Raises: NotJson, CorruptDocument (too deep), TooLarge (too many values)."""
    node, end = read_value(text, 0, where)
    end = _skip(text, end)
    if end < len(text):
        raise NotJson("more text after the value", end)
    return node


def first_sign(text: str) -> str:
    """The first character that is neither white space nor of a comment."""
    return text[(start := _skip(text, 0)) : start + 1]


def read_value(text: str, at: int, where: str) -> tuple[Node, int]:
    """The value that begins at or after `at`, and where it ends. Raises: as `load`."""
    return _Reader(text, where).value(at)


def _skip(text: str, at: int) -> int:
    match = _SKIP.match(text, at)
    return match.end() if match else at


class _Reader:
    """Reads one value with a stack of the open mappings and lists."""

    def __init__(self, text: str, where: str) -> None:
        self.text = text
        self.where = where
        self.count = 0

    def value(self, at: int) -> tuple[Node, int]:
        open_nodes: list[tuple[Node, Entry | None]] = []
        entry: Entry | None = None
        at = _skip(self.text, at)
        while True:
            node, at, complete = self._begin(at)
            if not complete:
                open_nodes.append((node, entry))
                if len(open_nodes) > MAX_DEPTH:
                    raise too_deep(self.where)
            while True:
                if complete:
                    if not open_nodes:
                        return node, at
                    open_nodes[-1][0].hold(entry, node)
                at = _skip(self.text, at)
                container, outer = open_nodes[-1]
                if complete and self.text.startswith(",", at):
                    at = _skip(self.text, at + 1)
                elif complete and not self._closes(container, at):
                    raise NotJson("a comma or a closing bracket is missing", at)
                if not self._closes(container, at):
                    break
                at += 1
                container.end = at
                open_nodes.pop()
                node, entry, complete = container, outer, True
            entry, at = self._key(at) if open_nodes[-1][0].kind == "map" else (None, at)

    def _closes(self, container: Node, at: int) -> bool:
        return self.text.startswith("}" if container.kind == "map" else "]", at)

    def _key(self, at: int) -> tuple[Entry, int]:
        match = _STRING.match(self.text, at)
        if match is None:
            raise NotJson("a key in quotes is missing", at)
        colon = _skip(self.text, match.end())
        if not self.text.startswith(":", colon):
            raise NotJson("a colon is missing", colon)
        entry = Entry(_string(match.group(), at), at, Node("scalar", at, at))
        return entry, _skip(self.text, colon + 1)

    def _begin(self, at: int) -> tuple[Node, int, bool]:
        """The value that begins here: a scalar whole, a mapping or list just opened."""
        self.count += 1
        if self.count > MAX_NODES:
            raise too_many(self.where)
        sign = self.text[at : at + 1]
        if sign in {"{", "["} and sign:
            return Node("map" if sign == "{" else "list", at, at), at + 1, False
        match = (_STRING if sign == '"' else _SCALAR).match(self.text, at)
        if match is None:
            raise NotJson("a value is missing", at)
        written = match.group()
        value: Any = _string(written, at) if sign == '"' else _WORDS.get(written)
        if sign != '"' and written not in _WORDS:
            value = _number(written)
        text = value if sign == '"' else written
        return Node("scalar", at, match.end(), value=value, text=text), match.end(), True


def _number(written: str) -> float:
    try:
        return int(written)
    except ValueError:
        return float(written)


def _string(written: str, at: int) -> str:
    inner = written[1:-1]
    if "\\" not in inner:
        return inner
    try:
        return str(json.loads(written, strict=False))
    except ValueError:
        raise NotJson("a string has an unknown escape", at) from None
