"""Box Notes: the JSON tree of a note (ProseMirror) as headings, paragraphs, lists, code and tables."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from kprep.core.models import Element, ElementKind, Link, Locator, ParsedDocument, ParserSpec, RawDocument
from parsers.anchors import Slugger
from parsers.decoding import decode
from parsers.json_tree import load
from parsers.source_text import SourceText, document, read
from parsers.source_text import table as table_element
from parsers.tree import MAX_BYTES, Node, NotJson, no_json

NAME = "boxnote"
VERSION = 2
MEDIA_TYPE = "application/vnd.box.boxnote+json"
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_TEXT = re.compile(rf'"text"\s*:\s*({_STRING.pattern})|"checked"\s*:\s*true')
"""Words of a paragraph, or a box that is ticked."""
_LISTS = frozenset(("bullet_list", "ordered_list", "check_list"))
_ITEMS = frozenset(("list_item", "check_list_item"))


def parse(raw: RawDocument) -> ParsedDocument:
    """Elements in the note's order with `line`, `char` and, below a heading, `anchor`. A picture gives its words.

    Raises: CorruptDocument, TooLarge."""
    source = read(raw, MAX_BYTES)
    try:
        root = load(source.text, raw.uri)
    except NotJson as error:
        raise no_json(raw.uri, source.text, str(error), error.at) from None
    note = root.get("doc")
    return document(raw, f"{NAME}@{VERSION}", _Walk(source).elements(note) if note is not None else [])


def quote(content: bytes, locator: Locator) -> str:
    """The words of the source characters, escapes read, those of one paragraph in a row however they are marked, and
    then each string of them; "" without characters."""
    if locator.char is None:
        return ""
    place = decode(content).text[slice(*locator.char)]
    words = "".join(_unescaped(found[1]) if found[1] else "[x] " for found in _TEXT.finditer(place))
    return "\n".join((words, *(_unescaped(found.group()) for found in _STRING.finditer(place))))


def _unescaped(string: str) -> str:
    try:
        return str(json.loads(string, strict=False))
    except ValueError:
        return string


class _Walk:
    """Reads the tree of one note."""

    def __init__(self, source: SourceText) -> None:
        self._source = source
        self._slugger = Slugger()
        self._anchor: str | None = None

    def elements(self, note: Node) -> list[Element]:
        """All blocks in order."""
        return [element for child in _children(note) for element in self._block(child, 0)]

    def _place(self, node: Node) -> Locator:
        return self._source.place(node.start, node.end, self._anchor)

    def _block(self, node: Node, depth: int) -> Iterator[Element]:
        kind = node.text_of("type")
        if kind == "heading":
            text = " ".join(_words(node).split())
            self._anchor = self._slugger.take(text)
            level = _attribute(node, "level")
            yield Element(ElementKind.HEADING, text, self._place(node), level=int(level) if level in "123456" else 6)
        elif kind == "table":
            rows = [[_words(cell) for cell in _children(row)] for row in _children(node)]
            width = max(map(len, rows), default=0)
            if width:
                headed = all(cell.text_of("type") == "table_header" for cell in _children(_children(node)[0]))
                squared = [row + [""] * (width - len(row)) for row in rows]
                yield table_element(squared, self._place(node), header_rows=int(headed and len(rows) > 1))
        elif kind in _LISTS:
            for number, item in enumerate(_children(node), 1):
                yield from self._item(item, depth + 1, f"{number}." if kind == "ordered_list" else "-")
        elif kind == "code_block":
            yield Element(
                ElementKind.CODE, _words(node), self._place(node), language=_attribute(node, "language").strip()
            )
        elif any(child.text_of("type") not in {"text", "hard_break"} for child in _children(node)):
            for child in _children(node):
                yield from self._block(child, depth)
        else:
            text = _words(node) or _attribute(node, "alt")
            quoted = ElementKind.CAPTION if kind == "image" else ElementKind.PARAGRAPH
            yield Element(quoted, text, self._place(node), links=tuple(_links(node)))

    def _item(self, item: Node, depth: int, marker: str) -> Iterator[Element]:
        """The item's own words, then the lists in it."""
        ticked = {"true": "[x] ", "false": "[ ] "}.get(_attribute(item, "checked").lower(), "")
        for child in _children(item):
            if child.text_of("type") in _LISTS | {"table", "code_block"}:
                yield from self._block(child, depth)
            else:
                text, links = _words(child), tuple(_links(child))
                place = self._source.place((item if ticked else child).start, child.end, self._anchor)
                yield Element(ElementKind.LIST_ITEM, ticked + text, place, level=depth, marker=marker, links=links)
            ticked, marker = "", ""


def _children(node: Node) -> list[Node]:
    content = node.get("content")
    return content.items if content is not None else []


def _attribute(node: Node, name: str) -> str:
    attributes = node.get("attrs")
    return attributes.text_of(name) if attributes is not None else ""


def _words(node: Node) -> str:
    """Text below a node; blocks inside it on lines of their own."""
    kind = node.text_of("type")
    if kind == "text":
        return node.text_of("text")
    if kind == "hard_break":
        return "\n"
    inner = _children(node)
    inline = all(child.text_of("type") in {"text", "hard_break"} for child in inner)
    return ("" if inline else "\n").join(_words(child) for child in inner)


def _links(node: Node) -> Iterator[Link]:
    for child in _children(node):
        marks = child.get("marks")
        for mark in marks.items if marks is not None else ():
            target = _attribute(mark, "href")
            if target:
                yield Link(child.text_of("text"), target)


PARSER = ParserSpec(NAME, VERSION, (MEDIA_TYPE,), parse, quote)
