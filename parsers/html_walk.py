"""One pass over the tree of a page: blocks in document order, nothing nested lost."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kprep.core.models import Element, ElementKind, Link, Locator
from parsers.anchors import Slugger
from parsers.html_furniture import Furniture, is_hidden, is_sentence_in_menu, is_step_link
from parsers.html_table import BLOCKS, is_layout, picture_words, table_element

if TYPE_CHECKING:
    from lxml.html import HtmlElement

DROPPED = frozenset("script style template head".split())
_LAST_COUNTED_LINE = 65_535  # libxml2 counts no further: later blocks reach to the end of the file
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_APART = frozenset(("td", "th", "svg", "title", "desc", "text", "video", "audio", "object"))
"""What stands for itself in a line: its words are no part of those beside it."""
_ANCHORED = _HEADINGS | {"section", "p", "li", "dt", "dd", "table", "figure", "pre", "a", "tr", "blockquote", "article"}
_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source|highlight|brush:)[-_ ]?([\w+#.-]+)")


@dataclass(slots=True)
class _Context:
    """What holds for everything inside an open node."""

    tag: str
    furniture: ElementKind | None = None
    hidden: bool = False
    depth: int = 0
    quoted: bool = False
    kind: ElementKind | None = None
    marker: str = ""
    counter: int | None = None
    heading_id: str = ""


@dataclass(slots=True)
class _Buffer:
    """Words of the block being read."""

    parts: list[str] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    first_line: int = 0


class Walk:
    """Reads a tree. `lines`: number of lines of the source, the last line of the last block. `in_book`: a chapter."""

    def __init__(self, root: HtmlElement, lines: int, *, in_book: bool = False) -> None:
        self._root = root
        self._last_line = lines
        self._furniture = Furniture(root, in_book=in_book)
        self._slugger = Slugger()
        for node in root.iter():
            if node.get("id"):
                self._slugger.reserve(node.get("id"))
        self._stack: list[_Context] = [_Context("")]
        self._buffer = _Buffer()
        self._anchor: str | None = None
        self._line = 1
        self._found: list[Element] = []
        self._open_from = 0
        """Elements from here on have not been followed by another tag yet: where they end is not known."""

    def elements(self) -> list[Element]:
        """All blocks, each with the lines from its start to where the next tag after it starts."""
        from lxml import etree

        walk = etree.iterwalk(self._root, events=("start", "end"))
        for event, node in walk:
            if not isinstance(node.tag, str):
                continue
            if event == "start":
                self._line = max(node.sourceline or self._line, self._line)
                if self._start(node):
                    walk.skip_subtree()
            else:
                self._end(node)
        self._flush()
        self._end_lines(self._last_line)
        return self._found

    def _start(self, node: HtmlElement) -> bool:
        """Open a node; True when its inside is done with."""
        tag = node.tag
        if tag in BLOCKS:
            self._flush()
        self._end_lines(self._line)
        self._stack.append(self._context(node))
        if tag in DROPPED:
            return True
        self._take_anchor(node)
        if tag == "pre":
            self._code(node)
            return True
        if tag == "table" and not is_layout(node):
            self._table(node)
            return True
        if tag == "br":
            self._buffer.parts.append("\n")
        elif tag == "img":
            self._say(picture_words(node))
        elif tag == "input" and (node.get("type") or "").lower() in {"submit", "button"}:
            self._say(node.get("value") or "")
        elif tag == "a" and node.get("href"):
            self._buffer.links.append(Link(" ".join(node.text_content().split()), node.get("href")))
        if tag in _APART:
            self._buffer.parts.append(" ")
        self._say(node.text or "")
        return False

    def _end(self, node: HtmlElement) -> None:
        if node.tag in BLOCKS:
            self._flush()
        self._stack.pop()
        if node.tag in _APART and (node.text or len(node)):
            self._buffer.parts.append(" ")
        if node is not self._root:
            self._say(node.tail or "")

    def _context(self, node: HtmlElement) -> _Context:
        """What holds inside `node`: what held outside, and what the node adds."""
        tag, outer = node.tag, self._stack[-1]
        furniture = outer.furniture or (self._furniture.kind(node) if tag in BLOCKS else None)
        if self._furniture.keeps_heading(furniture, tag):
            furniture = None
        hidden = outer.hidden or is_hidden(node) or tag == "noscript"
        context = replace(outer, tag=tag, furniture=furniture, hidden=hidden, counter=None)
        if tag in {"ul", "ol", "menu"}:
            context.depth = outer.depth + 1
            start = str(node.get("start") or "1")
            context.counter = int(start) if tag == "ol" and start.lstrip("-").isdigit() else None
        elif tag == "li":
            context.kind, context.marker = ElementKind.LIST_ITEM, self._marker(node)
            context.depth = max(outer.depth, 1)
        elif tag == "blockquote":
            context.quoted = True
        elif tag in _HEADINGS:
            context.kind = ElementKind.HEADING
        elif tag in {"figcaption", "caption"}:
            context.kind = ElementKind.CAPTION
        elif (node.get("role") or "").lower() in {"doc-footnote", "doc-endnote"}:
            context.kind = ElementKind.FOOTNOTE
        return context

    def _marker(self, node: HtmlElement) -> str:
        parent = self._stack[-1]
        if parent.counter is None:
            return "-"
        value = str(node.get("value") or "")
        number = int(value) if value.lstrip("-").isdigit() else parent.counter
        parent.counter = number + 1
        return f"{number}."

    def _take_anchor(self, node: HtmlElement) -> None:
        """Headings of the content and named blocks of it open a new anchor; furniture has that of what is before it."""
        if self._stack[-1].furniture is not None:
            return
        name = node.get("id") or (node.get("name") if node.tag == "a" else None)
        if node.tag in _HEADINGS:
            self._anchor = name or _name_inside(node) or _name_around(node) or self._slugger.take(node.text_content())
        elif name and node.tag in _ANCHORED and not self._inside_heading():
            self._anchor = name

    def _inside_heading(self) -> bool:
        return any(context.tag in _HEADINGS for context in self._stack)

    def _say(self, text: str) -> None:
        if text.strip() and not any(part.strip() for part in self._buffer.parts):
            self._buffer.first_line = self._line
        if text:
            self._buffer.parts.append(re.sub(r"\s+", " ", text))

    def _flush(self) -> None:
        """End the block being read; it belongs to the node open now."""
        buffer, self._buffer = self._buffer, _Buffer()
        text = _tidy("".join(buffer.parts))
        if not text:
            return
        context = self._stack[-1]
        kind = self._kind(context, text, buffer.links)
        level, marker = 0, ""
        if kind is ElementKind.HEADING:
            level = self._heading_level()
        elif kind is ElementKind.LIST_ITEM:
            level, marker = context.depth, self._take_marker()
        element = Element(kind, text, Locator(), level=level, marker=marker, links=tuple(buffer.links))
        self._emit(element, buffer.first_line)

    def _kind(self, context: _Context, text: str, links: list[Link]) -> ElementKind:
        in_nav = any(outer.tag in {"nav", "aside"} for outer in self._stack)
        if context.furniture is not None and (in_nav or not is_sentence_in_menu(context.furniture, text, links)):
            return context.furniture
        if links and is_step_link(text, " ".join(link.text for link in links), links[0].target):
            return ElementKind.NAVIGATION
        if context.kind is not None:
            return context.kind
        return ElementKind.QUOTE if context.quoted else ElementKind.PARAGRAPH

    def _heading_level(self) -> int:
        return next(int(context.tag[1]) for context in reversed(self._stack) if context.tag in _HEADINGS)

    def _take_marker(self) -> str:
        """The item's marker for its first block, "" for those after it."""
        item = next((context for context in reversed(self._stack) if context.tag == "li"), None)
        if item is None:
            return ""
        marker, item.marker = item.marker, ""
        for context in self._stack[self._stack.index(item) :]:
            context.marker = ""
        return marker

    def _code(self, node: HtmlElement) -> None:
        for line_break in node.iter("br"):
            line_break.tail = "\n" + (line_break.tail or "")
        text = node.text_content().removeprefix("\n").rstrip("\n")
        inner = next(node.iter("code"), None)
        around = node.getparent()
        classes = (holder.get("class") or "" for holder in (inner, node, around) if holder is not None)
        found = next((match.group(1) for name in classes if (match := _LANGUAGE.search(name))), "")
        kind = self._stack[-1].furniture or ElementKind.CODE
        links = tuple(Link(" ".join(a.text_content().split()), a.get("href")) for a in node.iter("a") if a.get("href"))
        self._emit(Element(kind, text, Locator(), language=found, links=links), self._line)

    def _table(self, node: HtmlElement) -> None:
        for element in table_element(node):
            furniture = self._stack[-1].furniture
            line = element.locator.line
            named = element if furniture is None else replace(element, kind=furniture, rows=(), header_rows=0)
            self._emit(named, line[0] if line else self._line)

    def _emit(self, element: Element, line: int) -> None:
        if element.text.strip():
            place = Locator(anchor=self._anchor, line=(line or self._line, self._line))
            self._found.append(replace(element, locator=place, hidden=element.hidden or self._stack[-1].hidden))

    def _end_lines(self, line: int) -> None:
        """Blocks emitted since the last tag end at the latest on this line, where the next tag stands. A tag's line is
        all that libxml2 keeps: where the text before it ends is not."""
        for index in range(self._open_from, len(self._found)):
            element = self._found[index]
            first = element.locator.line[0] if element.locator.line else 1
            last = max(first, line if line < _LAST_COUNTED_LINE else self._last_line)
            self._found[index] = replace(element, locator=replace(element.locator, line=(first, last)))
        self._open_from = len(self._found)


def _name_inside(heading: HtmlElement) -> str | None:
    """The name of an anchor within a heading."""
    return next((n.get("id") or n.get("name") for n in heading.iter("a", "span") if n.get("id") or n.get("name")), None)


def _name_around(heading: HtmlElement) -> str | None:
    """The id of the section a heading is the first of."""
    around = heading.getparent()
    if around is None or around.tag not in {"section", "div"}:
        return None
    is_first = all(before.tag not in _HEADINGS for before in heading.itersiblings(preceding=True))
    return around.get("id") if is_first else None


def _tidy(text: str) -> str:
    """Runs of blanks as one; line breaks the page asks for stay."""
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)
