"""Source code by tree-sitter: one element a symbol, its comments and docstring with it, nothing left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kprep.core.byte_offsets import ByteOffsets
from kprep.core.errors import UnsupportedFormat
from kprep.core.models import DocumentMetadata, Element, ElementKind, Locator, ParsedDocument, ParserSpec, RawDocument
from parsers.code_languages import (
    BY_MEDIA_TYPE,
    COMMENTS,
    LANGUAGES,
    Language,
    assigned_function,
    is_prototype,
    package_name,
    symbol_name,
)
from parsers.code_masks import parseable
from parsers.source_text import SourceText, document, quote, read

if TYPE_CHECKING:
    from tree_sitter import Node

NAME = "code"
VERSION = 4
MAX_BYTES = 4_000_000
MAX_LISTED_SYMBOLS = 2_000

_DEEPEST = 12
_ERROR = "ERROR"
"""Node of what a grammar cannot read; definitions in it are symbols all the same."""
_WIDEST_INDENT = 1_000
_CPP = re.compile(r"^\s*(?:class|namespace|template\s*<|public:|private:|using\s+namespace)\b", re.MULTILINE)


def parse(raw: RawDocument) -> ParsedDocument:
    """Code elements that tile the file, in order. A symbol has a heading of its name below that of its class or
    namespace; members of a class are symbols of their own. `anchor` is the qualified name ("Order.total"); code of no
    symbol has none. Comments and decorators directly before a symbol belong to it. Errors in the code are no errors.

    `metadata.title`: the package or namespace the file declares; `front_matter`: language and symbols.
    Raises: TooLarge, UnsupportedFormat (no grammar for the media type)."""
    from tree_sitter_language_pack import get_parser

    source = read(raw, MAX_BYTES)
    language = _language(raw, source.text)
    encoded = parseable(source.text, language.grammar).encode("utf-8", "surrogatepass")
    root = get_parser(language.grammar).parse(encoded).root_node  # type: ignore[arg-type]
    walk = _Walk(source, language, ByteOffsets(encoded))
    walk.defined = frozenset(_defined(root, language))
    walk.level(root.named_children, ())
    elements = walk.elements()
    facts = {"programming_language": language.grammar, "symbols": walk.symbols[:MAX_LISTED_SYMBOLS]}
    metadata = DocumentMetadata(title=walk.package, front_matter=facts)
    return document(raw, f"{NAME}@{VERSION}", elements, metadata)


def language_of(media_type: str) -> Language:
    """The language of a media type. Raises: UnsupportedFormat."""
    found = BY_MEDIA_TYPE.get(media_type.partition(";")[0].strip().lower())
    if found is None:
        raise UnsupportedFormat(f"no grammar for {media_type}", media_type=media_type)
    return found


def _language(raw: RawDocument, text: str) -> Language:
    """A header file is C unless it says what only C++ has."""
    language = language_of(raw.media_type)
    return BY_MEDIA_TYPE["text/x-c++"] if language.grammar == "c" and _CPP.search(text) else language


@dataclass(frozen=True, slots=True)
class _Mark:
    """Where a piece begins (a character), and the symbol it belongs to. `name_at`: where the name stands.
    `opens`: the symbol begins here, rather than code of its class going on after a method."""

    start: int
    path: tuple[str, ...]
    name_at: tuple[int, int]
    opens: bool = True


@dataclass
class _Walk:
    """Finds the beginnings of symbols, outermost first."""

    source: SourceText
    language: Language
    offsets: ByteOffsets
    marks: list[_Mark] = field(default_factory=list)
    symbols: list[str] = field(default_factory=list)
    package: str = ""
    defined: frozenset[str] = frozenset()
    """Names of functions that are defined in the file: their declarations are no symbols."""

    def level(self, nodes: Sequence[Node], path: tuple[str, ...], depth: int = 0) -> None:
        """Marks for the nodes of one level: symbols, and code between them."""
        comments: list[Node] = []
        ended = -1
        for node in nodes:
            if node.type in COMMENTS:
                if node.start_point.row == ended:
                    continue
                if comments and node.start_point.row > _last_row(comments[-1]) + 1:
                    self._rest(comments[0], path)
                    comments = []
                comments.append(node)
                continue
            near = bool(comments) and _last_row(comments[-1]) + 1 >= node.start_point.row
            if comments and not near:
                self._rest(comments[0], path)
            self._node(node, comments[0] if near else node, path, depth)
            comments, ended = [], _last_row(node)
        if comments:
            self._rest(comments[0], path)

    def _node(self, node: Node, first: Node, path: tuple[str, ...], depth: int) -> None:
        """`first`: the node itself or the first comment before it."""
        if node.type == self.language.package:
            self.package = self.package or package_name(node)
        inner = self._definition(node)
        name = ""
        if inner is not None:
            name = symbol_name(inner) or assigned_function(inner)
        if inner is None or not name:
            looked_through = node.type in self.language.wrappers or node.type == _ERROR
            members = node.named_children if looked_through and depth < _DEEPEST else []
            if any(self._definition(child) is not None for child in members):
                self._rest(first, path)
                self.level(members, path, depth + 1)
            else:
                self._rest(first, path)
            return
        own = (*path, name)
        self.symbols.append(".".join(own))
        start = self._line_start(first.start_byte)
        if not start or self.source.text[start - 1] in "\r\n":  # several on one line stay together
            self.marks.append(_Mark(start, own, self._span(inner)))
        body = inner.child_by_field_name("body")
        if inner.type in self.language.containers and body is not None and depth < _DEEPEST:
            self._members(body, own, depth)

    def _members(self, body: Node, path: tuple[str, ...], depth: int) -> None:
        """The members of a class from its first method on; what stands before belongs to the head of the class."""
        nodes = [*_comments_before(body), *body.named_children]
        first = next((at for at, node in enumerate(nodes) if self._definition(node) is not None), len(nodes))
        while first and nodes[first - 1].type in COMMENTS:
            first -= 1
        if any(self._definition(node) is not None for node in nodes[first:]):
            self.level(nodes[first:], path, depth + 1)

    def _definition(self, node: Node) -> Node | None:
        """The symbol a node defines, looked for inside decorators, `export` and the like."""
        kinds = self.language.containers | self.language.symbols
        for _ in range(_DEEPEST):
            if node.type in kinds:
                bodyless = node.type.endswith("_specifier") and node.child_by_field_name("body") is None
                return None if bodyless else node
            if assigned_function(node):
                return node
            if is_prototype(node, self.language):
                return None if symbol_name(node) in self.defined else node
            single = node.type in self.language.wrappers and not node.type.startswith(("preproc", "declaration_list"))
            inner = [child for child in node.named_children if child.type in kinds or assigned_function(child)]
            nested = [child for child in node.named_children if child.type in self.language.wrappers]
            if not single or len(inner) > 1 or not (inner or nested):
                return None
            node = (inner or nested)[0]
        return None

    def _rest(self, node: Node, path: tuple[str, ...]) -> None:
        """Code of no symbol of its own goes on with the piece before it if that is of the same owner; a semicolon does
        so always."""
        if node.text == b";":
            return
        before = self.marks[-1] if self.marks else None
        if before is None or before.path != path:
            start = self._line_start(node.start_byte)
            self.marks.append(_Mark(start, path, (start, start), opens=False))

    def _line_start(self, byte: int) -> int:
        at = self.offsets.char(byte)
        line = self.source.lines.between(number := self.source.lines.number_at(at), number)[0].start
        return line if at - line <= _WIDEST_INDENT and not self.source.text[line:at].strip() else at

    def _span(self, node: Node) -> tuple[int, int]:
        """Characters of the first line of a definition."""
        start, end = self.offsets.char(node.start_byte), self.offsets.char(node.end_byte)
        stop = self.source.text.find("\n", start, end)
        return start, end if stop < 0 else stop

    def elements(self) -> list[Element]:
        """Headings and code, from the first character of the file to the last."""
        marks = sorted(self.marks, key=lambda mark: mark.start)
        if not marks or self.source.text[: marks[0].start].strip():
            marks.insert(0, _Mark(0, (), (0, 0), opens=False))
        ends = [mark.start for mark in marks[1:]] + [len(self.source.text)]
        names: Counter[str] = Counter()
        anchors: dict[tuple[str, ...], str] = {}
        named: dict[tuple[str, ...], tuple[int, int]] = {}
        out: list[Element] = []
        for mark, end in zip(marks, ends, strict=True):
            if mark.opens:
                name = ".".join(mark.path)
                names[name] += 1
                anchors[mark.path] = name if names[name] == 1 else f"{name}~{names[name]}"
                named[mark.path] = mark.name_at
            out += self._piece(mark, end, anchors.get(mark.path), named.get(mark.path, mark.name_at))
        return out

    def _piece(self, mark: _Mark, end: int, anchor: str | None, name_at: tuple[int, int]) -> Iterator[Element]:
        start, end = _without_blank_lines(self.source.text, mark.start, end)
        if start >= end:
            return
        if mark.path:
            at = name_at if self.source.text[slice(*name_at)].strip() else (start, end)
            place = self.source.place(*at, anchor)
            yield Element(ElementKind.HEADING, mark.path[-1], place, level=min(len(mark.path), 6))
        lines = (self.source.lines.number_at(start), self.source.lines.number_at(end - 1))
        place = Locator(line=lines, char=(start, end), anchor=anchor)
        yield Element(
            ElementKind.CODE, self.source.text[start:end], place, language=self.language.grammar, fragment="code"
        )


def _defined(root: Node, language: Language) -> Iterator[str]:
    """Names of the functions that a C or C++ file defines outside of classes."""
    waiting = [root] if language.grammar in {"c", "cpp"} else []
    while waiting:
        node = waiting.pop()
        if node.type == "function_definition":
            yield symbol_name(node)
        elif node.type in language.wrappers or node.type in {"translation_unit", _ERROR}:
            waiting += node.named_children


def _comments_before(body: Node) -> list[Node]:
    """Comments that stand between the head of a class and its first member, where the grammar puts them outside."""
    out: list[Node] = []
    before = body.prev_named_sibling
    while before is not None and before.type in COMMENTS:
        out.insert(0, before)
        before = before.prev_named_sibling
    return out


def _last_row(node: Node) -> int:
    """Row of the last character; a node that takes in its line end stops on the row before."""
    return node.end_point.row - (node.end_point.column == 0 and node.end_point.row > node.start_point.row)


def _without_blank_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without blank lines at its ends; the first line keeps its indent."""
    piece = text[start:end]
    last = start + len(piece.rstrip())
    first = start + len(piece) - len(piece.lstrip())
    line = max(text.rfind("\n", start, first), text.rfind("\r", start, first)) + 1
    return max(line, start), last


MEDIA_TYPES = tuple(name for language in LANGUAGES for name in language.media_types)
PARSER = ParserSpec(NAME, VERSION, MEDIA_TYPES, parse, quote)
