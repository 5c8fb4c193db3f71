"""Markdown: CommonMark with tables and strikethrough, YAML front matter, footnotes; every block with its lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kprep.core.models import (
    Element,
    ElementKind,
    Link,
    Locator,
    ParsedDocument,
    ParserSpec,
    RawDocument,
    SourceUnit,
    table_text,
)
from parsers.anchors import Slugger
from parsers.decoding import Line, Lines, decode, decode_document
from parsers.front_matter import read_front_matter
from parsers.markdown_fences import first_runaway_fence
from parsers.markdown_inline import TAG, html_elements, inline_text, make_reader

if TYPE_CHECKING:
    from markdown_it.token import Token

NAME = "markdown"
VERSION = 9

_DEFINITION = re.compile(r"""[\s>]*\[[^\]^]+\]:\s*<?(\S+?)>?(?:\s+["'(](.+)["')])?\s*$""")
_HEADING_NAME = re.compile(r"\s*\{#([\w:.-]+)[^{}]*\}\s*$")
_MARKUP_ONLY = re.compile(r"[\s>]*(?:(?:`{3,}|~{3,})\s*[\w+#.-]*|\d{1,9}[.)])\s*$")


def parse(raw: RawDocument) -> ParsedDocument:
    """Elements in file order, each with `line`, `char` and, below a heading, the section's `anchor`.

    A fence that is never closed ends before the next heading; see `markdown_fences`. Raises: FrontMatterInvalid.
    """
    lines = Lines(decode_document(raw.content, raw.uri).text)
    front = read_front_matter(lines.all())
    walk = _Walk(lines)
    first = front.last_line + 1
    while first <= len(lines):
        first = walk.read(first)
    elements = _with_uncovered(walk, front.last_line)
    return ParsedDocument(
        uri=raw.uri,
        media_type=raw.media_type,
        parser=f"{NAME}@{VERSION}",
        elements=tuple(elements),
        units=(SourceUnit("file", 1, "ok" if elements else "no_text", sum(len(e.text) for e in elements)),),
        metadata=front.metadata,
    )


def quote(content: bytes, locator: Locator) -> str:
    """The source characters, also without tags amid a line; else the lines, else the section of the anchor; "" for a
    place the file does not have."""
    text = decode(content).text
    if locator.char:
        written = text[locator.char[0] : locator.char[1]]
        bare = TAG.sub("", written)
        return written if bare == written else f"{written}\n{bare}"
    lines = Lines(text)
    if locator.line:
        return "\n".join(line.text for line in lines.between(*locator.line))
    found = [e.locator for e in parse(RawDocument("", "", content, "text/markdown")).elements]
    spans = [place.char for place in found if place.char and place.anchor == locator.anchor]
    return text[spans[0][0] : spans[-1][1]] if locator.anchor and spans else ""


_LIST_STARTS = {"bullet_list_open", "ordered_list_open"}
_LIST_ENDS = {"bullet_list_close", "ordered_list_close"}

NOWHERE = Locator()
"""Place of an element until its block's lines are known."""


@dataclass
class _List:
    """A list being read: its depth, whether ordered, the marker of the item whose first block is still to come."""

    depth: int
    marker: str = ""


@dataclass
class _Walk:
    """Reads a token stream into elements. `base` is the number of lines before the part being read;
    `wordless` are lines of blocks without words (comments, empty code)."""

    lines: Lines
    elements: list[Element] = field(default_factory=list)
    slugger: Slugger = field(default_factory=Slugger)
    anchor: str | None = None
    base: int = 0
    lists: list[_List] = field(default_factory=list)
    quotes: int = 0
    wordless: set[int] = field(default_factory=set)

    def read(self, first: int) -> int:
        """Read from line `first` to the end, or to where a runaway fence is cut; returns the line to go on from."""
        part = self.lines.between(first, len(self.lines))
        source = _source(part)
        self.base = first - 1
        tokens = make_reader().parse(source)
        runaway = first_runaway_fence(tokens, [line.text for line in part])
        if runaway is not None:
            cut = runaway.cut
            tokens = make_reader().parse(_source(part[:cut]))
        index = 0
        while index < len(tokens):
            index = self._token(tokens, index)
        return first + (runaway.cut if runaway is not None else len(part))

    def _token(self, tokens: list[Token], index: int) -> int:
        """Handle one token; returns the index of the next one to look at."""
        token = tokens[index]
        kind = token.type
        if kind in _LIST_STARTS:
            self.lists.append(_List(len(self.lists) + 1))
        elif kind in _LIST_ENDS:
            self.lists.pop()
        elif kind == "list_item_open":
            self.lists[-1].marker = f"{token.info}{token.markup}"
        elif kind in {"blockquote_open", "blockquote_close"}:
            self.quotes += token.nesting
        elif kind == "heading_open":
            self._heading(token, tokens[index + 1])
            return index + 3
        elif kind == "inline":
            self._paragraph(token)
        elif kind in {"fence", "code_block"}:
            self._add(token, _code(token))
        elif kind == "html_block":
            self._html(token)
        elif kind == "table_open":
            return self._table(tokens, index)
        return index + 1

    def _html(self, token: Token) -> None:
        for element in html_elements(token.content) or [Element(ElementKind.PARAGRAPH, "", NOWHERE)]:
            if element.kind is ElementKind.HEADING:
                self.anchor = self.slugger.take(element.text)
            self._add(token, element)

    def _heading(self, token: Token, inline: Token) -> None:
        text, links = inline_text(inline)
        named = _HEADING_NAME.search(text)
        text = text[: named.start()] if named else text
        self.anchor = self.slugger.take(named.group(1) if named else text)
        level = int(token.tag[1])
        self._add(token, Element(ElementKind.HEADING, " ".join(text.split()), NOWHERE, level=level, links=links))

    def _paragraph(self, token: Token) -> None:
        text, links = inline_text(token)
        if self.lists:
            inner = self.lists[-1]
            item = ElementKind.LIST_ITEM
            self._add(token, Element(item, text, NOWHERE, level=inner.depth, marker=inner.marker, links=links))
            inner.marker = ""
            return
        kind = ElementKind.QUOTE if self.quotes else ElementKind.PARAGRAPH
        if not self.quotes and text.startswith("[^") and "]:" in text:
            kind = ElementKind.FOOTNOTE
        self._add(token, Element(kind, text, NOWHERE, links=links))

    def _table(self, tokens: list[Token], start: int) -> int:
        """Rows of cells as plain text, of equal length; returns the index after the table."""
        opened = tokens[start]
        rows: list[list[str]] = []
        starts: list[tuple[int, int]] = []
        links: list[Link] = []
        header_rows = 0
        index = start + 1
        while tokens[index].type != "table_close":
            token = tokens[index]
            if token.type == "tr_open":
                rows.append([])
                starts.append(self._start(token))
                opened = token
            elif token.type == "tr_close":
                for text, cell_links in self._further_cells(opened, len(rows[-1])):
                    rows[-1].append(text)
                    links.extend(cell_links)
            elif token.type == "thead_close":
                header_rows = len(rows)
            elif token.type == "inline":
                text, cell_links = inline_text(token)
                rows[-1].append(text)
                links.extend(cell_links)
            index += 1
        width = max(map(len, rows))
        cells = tuple((*row, *[""] * (width - len(row))) for row in rows)
        table = Element(
            ElementKind.TABLE,
            table_text(cells),
            NOWHERE,
            rows=cells,
            header_rows=header_rows,
            links=tuple(links),
            row_starts=tuple(starts),
        )
        self._add(tokens[start], table)
        return index + 1

    def _further_cells(self, row: Token, read: int) -> list[tuple[str, tuple[Link, ...]]]:
        """Words and links of the cells that a row has beyond the header's; the reader of tables drops them."""
        from markdown_it.rules_block.table import escapedSplit

        assert row.map is not None
        (line,) = self.lines.between(row.map[0] + 1 + self.base, row.map[0] + 1 + self.base)
        cells = escapedSplit(line.text.lstrip(" \t>").rstrip())
        cells = cells[1 if cells[0] == "" else 0 : -1 if cells[-1] == "" else None]
        return [inline_text(make_reader().parseInline(cell.strip())[0]) for cell in cells[read:]]

    def _start(self, token: Token) -> tuple[int, int]:
        """Line and character at which a token begins."""
        assert token.map is not None
        (line,) = self.lines.between(token.map[0] + 1 + self.base, token.map[0] + 1 + self.base)
        return line.number, line.start

    def _add(self, token: Token, element: Element) -> None:
        """Keep the element with the place of its block, unless it has no words."""
        assert token.map is not None
        if not element.text.strip():
            self.wordless.update(range(token.map[0] + 1 + self.base, token.map[1] + 1 + self.base))
            return
        block = self.lines.between(token.map[0] + 1 + self.base, token.map[1] + self.base)
        while len(block) > 1 and not block[-1].text.strip():
            block = block[:-1]
        locator = Locator(
            line=(block[0].number, block[-1].number), char=(block[0].start, block[-1].end), anchor=self.anchor
        )
        self.elements.append(
            Element(
                element.kind, element.text, locator, element.level, element.marker, element.language, element.rows,
                element.header_rows, element.links, element.hidden, element.confidence, element.fragment,
                element.row_starts,
            )
        )  # fmt: skip


def _source(lines: list[Line]) -> str:
    """The lines for the reader, which would put a sign of its own in the place of a NUL."""
    return "\n".join(line.text for line in lines).replace("\0", " ")


def _code(token: Token) -> Element:
    language = token.info.split()[0].strip("{}") if token.info.strip() else ""
    return Element(ElementKind.CODE, token.content.removesuffix("\n"), NOWHERE, language=language)


def _with_uncovered(walk: _Walk, front_end: int) -> list[Element]:
    """Elements plus, as paragraphs, the lines no block holds though they carry words: titles of link definitions, and
    what is nested too deep for the reader. Comments and bare definitions stay out."""
    spans = [element.locator.line for element in walk.elements if element.locator.line]
    covered = walk.wordless | {number for first, last in spans for number in range(first, last + 1)}
    rest = [line for line in walk.lines.all() if line.number > front_end and line.number not in covered]
    extra = [found for line in rest if (found := _left_over(line)) is not None]
    if not extra:
        return walk.elements
    anchor: str | None = None
    out = []
    for element in sorted([*walk.elements, *extra], key=lambda e: e.locator.char or (0, 0)):
        anchor = element.locator.anchor or anchor
        out.append(replace(element, locator=replace(element.locator, anchor=anchor)))
    return out


def _left_over(line: Line) -> Element | None:
    """The words of a line no block holds; of `[name]: target "title"` a link whose text is its title. None when there
    is nothing to read."""
    if not any(map(str.isalnum, line.text)) or _MARKUP_ONLY.match(line.text):
        return None
    locator = Locator(line=(line.number, line.number), char=(line.start, line.end))
    match = _DEFINITION.match(line.text)
    if match is None:
        return Element(ElementKind.PARAGRAPH, line.text.lstrip(" >-*+").strip(), locator)
    if not match.group(2):
        return None
    return Element(ElementKind.PARAGRAPH, match.group(2), locator, links=(Link(match.group(2), match.group(1)),))


PARSER = ParserSpec(NAME, VERSION, ("text/markdown",), parse, quote)
