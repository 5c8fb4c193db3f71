"""GraphQL schemas: one section a type, its fields as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kprep.core.errors import CorruptDocument, Recursive, TooLarge
from kprep.core.models import Element, ElementKind, ParsedDocument, ParserSpec, RawDocument
from parsers.anchors import Distinct
from parsers.source_text import SourceText, document, heading, quote, read, table

NAME = "graphql"
VERSION = 3
MEDIA_TYPES = ("application/graphql",)
MAX_BYTES = 4_000_000
MAX_TOKENS = 1_000_000
MAX_DEPTH = 200

_OPERATIONS = ("OperationDefinitionNode", "FragmentDefinitionNode")


def parse(raw: RawDocument) -> ParsedDocument:
    """Per type, input, enum, directive: a heading, its description, its fields with arguments, types and descriptions;
    `anchor` is the name (`A~2` of what extends `A`), `fragment` "schema". Queries and fragments are code.

    Raises: TooLarge, CorruptDocument (no GraphQL, naming the line)."""
    from graphql import GraphQLSyntaxError
    from graphql import parse as parse_graphql

    source = read(raw, MAX_BYTES)
    if _depth(source.text) > MAX_DEPTH:
        raise Recursive(f"{raw.uri}: brackets are nested deeper than {MAX_DEPTH}", max_depth=MAX_DEPTH)
    try:
        tree = parse_graphql(source.text, max_tokens=MAX_TOKENS)
    except GraphQLSyntaxError as error:
        if f"more than {MAX_TOKENS} tokens" in error.message:
            detail = f"{raw.uri}: more than {MAX_TOKENS:,} words and signs of GraphQL: split it"
            raise TooLarge(detail, tokens=MAX_TOKENS) from None
        line = error.locations[0].line if error.locations else 0
        raise CorruptDocument(f"{raw.uri}: no GraphQL in line {line}", line=line) from None
    elements: list[Element] = []
    distinct = Distinct()
    end = 0
    for node in tree.definitions:
        elements += _comments(source, end, node.loc.start if node.loc else end)
        elements += _definition(source, node, distinct)
        end = node.loc.end if node.loc else end
    elements += _comments(source, end, len(source.text))
    return document(raw, f"{NAME}@{VERSION}", elements)


def _depth(text: str) -> int:
    depth = deepest = 0
    for letter in text:
        if letter in "{[(":
            depth += 1
            deepest = max(deepest, depth)
        elif letter in "}])":
            depth = max(depth - 1, 0)
    return deepest


def _comments(source: SourceText, start: int, end: int) -> Iterator[Element]:
    """Comments between two definitions."""
    lines = [line.strip().lstrip("#").strip() for line in source.text[start:end].split("\n")]
    words = "\n".join(line for line in lines if line)
    if words:
        yield Element(ElementKind.PARAGRAPH, words, source.place(start, end))


def _definition(source: SourceText, node: Any, distinct: Distinct) -> Iterator[Element]:
    name = node.name.value if getattr(node, "name", None) else ""
    place = source.place(node.loc.start, node.loc.end, distinct.take(name) if name else None)
    written = source.text[node.loc.start : node.loc.end]
    if name:
        yield heading(name, place, 1)
    if type(node).__name__ in _OPERATIONS or not name:
        yield Element(ElementKind.CODE, written, place, language="graphql", fragment="schema")
        return
    description = node.description.value.strip() if getattr(node, "description", None) else ""
    start = node.loc.start if not description else node.description.loc.end
    items = [*(getattr(node, "fields", None) or ()), *(getattr(node, "values", None) or ())]
    body = _body(node)
    signature = " ".join(source.text[start:body].split())
    beside, between = _comments_inside(node, body, items)
    text = "\n".join(filter(None, (signature, description, *between)))
    yield Element(ElementKind.PARAGRAPH, text, place, fragment="schema")
    if items:
        kind = "enum" if getattr(node, "values", None) else _keyword(signature)
        rows = [_row(source, item, beside.get(number, [])) for number, item in enumerate(items)]
        yield table([(f"{kind} {name}", "", ""), *rows], place, "schema")


def _keyword(signature: str) -> str:
    return next((word for word in signature.split() if word != "extend"), "")


def _tokens(node: Any) -> Iterator[Any]:
    """Words, signs and comments of a definition, in order."""
    token = node.loc.start_token
    while token is not None and token.start < node.loc.end:
        yield token
        token = token.next


def _body(node: Any) -> int:
    """Where the brace opens that holds a definition's fields (those of a value in its directives do not); without one
    its end."""
    depth = 0
    for token in _tokens(node):
        if token.kind.value == "{" and depth == 0:
            return int(token.start)
        depth += (token.kind.value == "(") - (token.kind.value == ")")
    return int(node.loc.end)


def _comments_inside(node: Any, body: int, items: Sequence[Any]) -> tuple[dict[int, list[str]], list[str]]:
    """Comments below the head of a definition, which no node holds: those after a field on its line, by the field's
    number, and the others. Comments among the arguments of a field stand with these."""
    lines = {item.loc.end_token.line: number for number, item in enumerate(items)}
    spans = [(item.loc.start, item.loc.end) for item in items]
    beside: dict[int, list[str]] = {}
    between: list[str] = []
    at = 0
    for token in _tokens(node):
        words = (token.value or "").strip("# ") if token.kind.value == "Comment" and token.start > body else ""
        while at < len(spans) and spans[at][1] <= token.start:
            at += 1
        if not words or (at < len(spans) and spans[at][0] < token.start):
            continue
        if token.line in lines:
            beside.setdefault(lines[token.line], []).append(words)
        else:
            between.append(words)
    return beside, between


def _row(source: SourceText, item: Any, comments: Sequence[str]) -> tuple[str, str, str]:
    """(name with arguments, type with default and directives, description and comments beside it) of a field or an
    enum value."""
    about = "\n".join(filter(None, (item.description.value if item.description else "", *comments)))
    start = item.name.loc.start
    written = " ".join(source.text[start : item.loc.end].split())
    kind = getattr(item, "type", None)
    if kind is None:
        return item.name.value, written[len(item.name.value) :].strip(), about
    arguments = " ".join(source.text[start : kind.loc.start].split()).rstrip(": ")
    return arguments, " ".join(source.text[kind.loc.start : item.loc.end].split()), about


PARSER = ParserSpec(NAME, VERSION, MEDIA_TYPES, parse, quote)
