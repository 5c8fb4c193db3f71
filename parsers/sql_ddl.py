"""SQL that defines tables: one section a table or view, its columns as a table; other statements are code.

Nothing is rewritten: every cell is a piece of the file, whatever the dialect.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kprep.core.models import Element, ElementKind, ParsedDocument, ParserSpec, RawDocument
from parsers.anchors import Distinct
from parsers.source_text import SourceText, document, heading, quote, read, table
from parsers.sql_statements import Statement, split_items, statements

NAME = "sql_ddl"
VERSION = 3
MEDIA_TYPES = ("application/sql",)
MAX_BYTES = 16_000_000
MAX_STATEMENT = 400_000
"""Characters of a statement that is taken apart; a longer one is code."""

_NAME = r"(?P<name>(?:\"(?:[^\"]|\"\")+\"|`[^`]+`|\[[^\]]+\]|[\w$#@.])+)"
_IF = r"(?:IF\s+(?:NOT\s+)?EXISTS\s+|ONLY\s+|CONCURRENTLY\s+)*"
_KINDS = "TABLE|VIEW|TYPE|FUNCTION|PROCEDURE|SEQUENCE|SCHEMA|DOMAIN|TRIGGER|DATABASE|EXTENSION|ROLE|POLICY"
_CREATE_TABLE = re.compile(rf"\s*CREATE\s+(?:\w+\s+){{0,4}}?TABLE\s+{_IF}{_NAME}\s*\(", re.IGNORECASE)
_SUBJECT = re.compile(
    rf"\s*(?:CREATE\s+(?:\w+\s+){{0,4}}?(?:{_KINDS})|ALTER\s+TABLE|COMMENT\s+ON\s+(?:TABLE|VIEW|TYPE|(?P<column>COLUMN)))"
    rf"\s+{_IF}{_NAME}",
    re.IGNORECASE,
)
_CONSTRAINT = re.compile(
    r"(?:CONSTRAINT|PRIMARY\s+KEY|FOREIGN\s+KEY|UNIQUE|CHECK|KEY|INDEX|EXCLUDE|LIKE|PERIOD|FULLTEXT|SPATIAL)\b(?!\s+\w+\s*$)",
    re.IGNORECASE,
)
_RULE = re.compile(
    r"\b(?:NOT|NULL|DEFAULT|PRIMARY|UNIQUE|REFERENCES|CHECK|CONSTRAINT|COLLATE|COMMENT|GENERATED|AUTO_?INCREMENT|"
    r"IDENTITY|ON|ENCODE|CHARACTER\s+SET|KEY|VIRTUAL|STORED|AS|SPARSE|INVISIBLE)\b",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"\bCOMMENT\s*=?\s*'((?:[^'\\]|''|\\.)*)'", re.IGNORECASE)
_COLUMN = re.compile(r"\s*(?P<name>\"(?:[^\"]|\"\")+\"|`[^`]+`|\[[^\]]+\]|[\w$#@]+)\s*", re.DOTALL)


def parse(raw: RawDocument) -> ParsedDocument:
    """Per CREATE TABLE a heading, its name; the comments before it; a table of columns (name, type, constraints,
    comment); its constraints and options. `anchor` is the name, `orders~2` where it comes up again; `fragment`
    "schema". Views, functions, COMMENT ON and ALTER TABLE are code under the name they are about, other statements
    code. Nothing is lost. Raises: TooLarge."""
    source = read(raw, MAX_BYTES)
    elements: list[Element] = []
    distinct = Distinct()
    last = anchor = ""
    for statement in statements(source.text):
        name = _subject(statement)
        if name and name != last:
            anchor = distinct.take(name)
            elements.append(heading(name, source.place(statement.start, statement.end, anchor), 1))
        last = name
        found = list(_table(source, statement, name, anchor)) if name else []
        elements += found or [_code(source, statement, anchor if name else "")]
    return document(raw, f"{NAME}@{VERSION}", elements)


def _code(source: SourceText, statement: Statement, anchor: str) -> Element:
    place = source.place(statement.start, statement.end, anchor or None)
    assert place.char is not None
    written = source.text[place.char[0] : place.char[1]]
    return Element(ElementKind.CODE, written, place, language="sql", fragment="schema" if anchor else "")


def _subject(statement: Statement) -> str:
    """Name of what a statement defines, alters or comments on, "" when it does nothing of that."""
    match = _SUBJECT.match(statement.bare)
    if match is None:
        return ""
    name = _bare(match["name"])
    return name.rpartition(".")[0] if match["column"] else name


def _bare(name: str) -> str:
    return re.sub(r"[`\"\[\]]", "", name).strip(".")


def _table(source: SourceText, statement: Statement, name: str, anchor: str) -> Iterator[Element]:
    """Elements of a CREATE TABLE; none for another statement, one without columns, or one that is too long."""
    match = _CREATE_TABLE.match(statement.bare)
    if match is None or len(statement.text) > MAX_STATEMENT:
        return
    spans, end = split_items(statement.bare, match.end())
    rows = []
    rules = []
    for start, stop in spans:
        around = statement.lines_of(start, stop)
        piece = statement.bare[start:stop]
        column = _COLUMN.match(piece)
        if _CONSTRAINT.match(piece.strip()) or column is None:
            rules += [" ".join(piece.split()), *statement.comments_in(*around)]
        else:
            rows.append(_column(piece[column.end() :], _bare(column["name"]), statement.comments_in(*around)))
    if not rows:
        return
    place = source.place(statement.start, statement.end, anchor)
    head = " ".join(statement.bare[: match.end() - 1].split())
    options = statement.bare[end:].strip("); \n\t\r")
    said = [
        *statement.comments_in(0, statement.lines_of(match.end(), spans[0][1])[0]),
        head,
        " ".join(options.split()) if options else "",
    ]
    said += statement.comments_in(end, len(statement.text))
    yield Element(ElementKind.PARAGRAPH, "\n".join(filter(None, said)), place, fragment="schema")
    yield table([(name, "", "", ""), *rows], place, "schema")
    if rules:
        yield Element(ElementKind.PARAGRAPH, "\n".join(rules), place, fragment="schema")


def _column(rest: str, name: str, comments: list[str]) -> tuple[str, str, str, str]:
    """(name, type, constraints, comments) as the file has them; `rest` is what stands after the name."""
    comments = [*(match.group(1).replace("''", "'") for match in _COMMENT.finditer(rest)), *comments]
    rest = _COMMENT.sub("", rest)
    rule = next((match for match in _RULE.finditer(rest) if _outside_brackets(rest, match.start())), None)
    kind, rules = (rest[: rule.start()], rest[rule.start() :]) if rule else (rest, "")
    return name, " ".join(kind.split()), " ".join(rules.split()), " ".join(comments)


def _outside_brackets(text: str, at: int) -> bool:
    return text.count("(", 0, at) == text.count(")", 0, at)


PARSER = ParserSpec(NAME, VERSION, MEDIA_TYPES, parse, quote)
