"""One pass over an XML tree: prose as blocks, leaf fields as lines of `name: value`, nothing nested lost."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import replace

from kprep.core.models import Element, ElementKind, Link, Locator, table_text
from parsers.docx_xml import Node, attribute, local, whole
from parsers.merged_cells import Merges, spread

_HEADINGS = frozenset(
    "title subtitle article-title invention-title title-of-invention heading head subject-title H B540".split()
)
_SECTIONS = frozenset(
    "sec section chapter appendix app part sect1 sect2 sect3 sect4 sect5 sect6 abstract ack ref-list bibliography "
    "glossary preface simplesect refsection topic concept task reference boxed-text book article "
    "claims subdoc-abstract subdoc-claims SDOAB SDOCL".split()
)
NAMED = {
    "abstract": "Abstract",
    "ack": "Acknowledgments",
    "claims": "Claims",
    "subdoc-abstract": "Abstract",
    "subdoc-claims": "Claims",
    "SDOAB": "Abstract",
    "SDOCL": "Claims",
}
"""Sections (JATS, patents) whose tag is their title when they hold none."""
_PROSE = frozenset("p para simpara formalpara paragraph verse-line term def title label".split())
_LISTS = frozenset("list-item listitem li item claim".split())
_CODE = frozenset("programlisting screen preformat literallayout codeblock".split())
_NOTES = frozenset("fn footnote endnote".split())
_CAPTIONS = frozenset("caption figcaption".split())
_JOINED = frozenset(
    "ref contrib aff citation element-citation mixed-citation name pub-date date author editor personname".split()
)
_TABLES = frozenset("table informaltable tgroup".split())
_ROWS = frozenset(("tr", "row"))
_WIDEST = 500
_CELLS = frozenset(("td", "th", "entry"))
_BLOCKS = (
    _HEADINGS | _SECTIONS | _PROSE | _LISTS | _CODE | _NOTES | _CAPTIONS | _TABLES
    | frozenset("list itemizedlist orderedlist variablelist fig figure table-wrap disp-formula equation fn-group "
                "disp-quote blockquote def-list def-item note warning tip important caution example".split())
)  # fmt: skip
_EMBEDDED_HTML = re.compile(r"<(?:p|div|span|table|td|font|br|b|i|ul|li)\b[^>]*>", re.IGNORECASE)
_EMBEDDED_TABLE = re.compile(r"<table\b", re.IGNORECASE)
_ENTITY = re.compile(r"&\w+;")
_FIELDS_OF_ONE = 40
_LAST_COUNTED_LINE = 65_535


def plain(node: Node) -> str:
    """All words inside a node, white space as single spaces; an entity nobody resolved by its name in HTML."""
    pieces = (html.unescape(text) if _ENTITY.fullmatch(text) else text for text in node.itertext())
    return " ".join("".join(pieces).split())


class XmlWalk:
    """Reads a tree. `lines`: number of lines of the source, where the last element ends."""

    def __init__(self, root: Node, lines: int) -> None:
        self._root = root
        self._last_line = lines
        self._anchor: str | None = None
        self._found: list[Element] = []
        self._next_line = _lines_after(root, lines)
        self._marker = ""
        self._is_prose = any(local(node) in {"p", "para", "simpara"} for node in root.iter())

    def elements(self) -> list[Element]:
        """All blocks in document order, each with the lines from its tag to the next tag after it."""
        self._block(self._root, 0, ElementKind.PARAGRAPH)
        return self._found

    def _block(self, node: Node, depth: int, kind: ElementKind) -> None:
        tag = local(node)
        name = attribute(node, "id")
        if name and tag in _BLOCKS:
            self._anchor = name
        if tag in _TABLES and (rows := _rows(node)):
            self._emit(
                Element(ElementKind.TABLE, table_text(rows[0]), Locator(), rows=rows[0], header_rows=rows[1]), node
            )
            return
        if tag in _CODE:
            text = "".join(node.itertext()).strip("\n")
            self._emit(Element(ElementKind.CODE, text, Locator(), language=node.get("language") or ""), node)
        elif tag in _HEADINGS and kind is ElementKind.PARAGRAPH:
            number = _number_of(node)
            text = " ".join(plain(part) for part in (number, node) if part is not None)
            level = min(max(depth, 1), 6)
            self._emit(
                Element(ElementKind.HEADING, text, Locator(), level=level), node if number is None else number, node
            )
        elif tag == "label" and _number_of(node.getnext()) is node:
            return
        elif tag in _JOINED:
            text = " ".join(" ".join(part.split()) for part in node.itertext() if part.strip())
            self._emit(Element(kind, text, Locator(), marker=self._take_marker(), links=_links(node)), node)
        elif _is_mixed(node) or tag in _PROSE:
            self._prose(node, depth, kind)
        else:
            self._name(node, depth + 1)
            self._children(node, depth + (tag in _SECTIONS), self._kind(tag, kind))

    def _name(self, node: Node, depth: int) -> None:
        """A heading for a section that only its tag names."""
        tag, first = local(node), next((inner for inner in node if isinstance(inner.tag, str)), None)
        if first is not None and tag in NAMED and not any(local(inner) in _HEADINGS for inner in node):
            self._emit(Element(ElementKind.HEADING, NAMED[tag], Locator(), level=min(depth, 6)), node, node[0])

    def _kind(self, tag: str, kind: ElementKind) -> ElementKind:
        if tag in _LISTS:
            self._marker = "-"
            return ElementKind.LIST_ITEM
        if tag in _NOTES:
            return ElementKind.FOOTNOTE
        return ElementKind.CAPTION if tag in _CAPTIONS else kind

    def _children(self, node: Node, depth: int, kind: ElementKind) -> None:
        """Fields side by side become one paragraph of lines; what has parts is a block of its own."""
        fields: list[Node] = [] if self._is_prose or not node.attrib or not len(node) else [node]
        for inner in node:
            if not isinstance(inner.tag, str):
                continue
            if len(inner) == 0 and local(inner) not in _BLOCKS | _JOINED:
                if _EMBEDDED_TABLE.search(inner.text or ""):
                    self._fields(fields)
                    fields = []
                    self._page(inner)
                else:
                    fields.append(inner)
                continue
            self._fields(fields)
            fields = []
            self._block(inner, depth, kind)
        self._fields(fields)
        if len(node) == 0:
            self._fields([node])

    def _page(self, node: Node) -> None:
        """A page kept as text in a field: its blocks, at the field's place."""
        from lxml import html as lxml_html

        from parsers.html_walk import Walk

        for element in Walk(lxml_html.fromstring(f"<div>{node.text}</div>"), 1).elements():
            self._emit(element, node)

    def _fields(self, nodes: Sequence[Node]) -> None:
        for at in range(0, len(nodes), _FIELDS_OF_ONE):
            some = nodes[at : at + _FIELDS_OF_ONE]
            lines = [line for line in map(_field, some) if line]
            self._emit(Element(ElementKind.PARAGRAPH, "\n".join(lines), Locator()), some[0], some[-1])

    def _prose(self, node: Node, depth: int, kind: ElementKind) -> None:
        """Words of a node up to a block inside it, the block, the words after it."""
        kind = self._kind(local(node), kind)
        parts: list[str] = [node.text or ""]
        first = node
        for inner in node:
            tag = local(inner)
            if not isinstance(inner.tag, str):
                parts.append(html.unescape(inner.text or ""))
            elif tag in _BLOCKS - _PROSE - _HEADINGS or _holds_table(inner) or _is_paragraph(inner):
                self._say(parts, kind, first, node)
                self._block(inner, depth, kind)
                parts, first = [], inner
            else:
                parts.append(plain_tight(inner))
            parts.append(inner.tail or "")
        self._say(parts, kind, first, node)

    def _say(self, parts: list[str], kind: ElementKind, first: Node, node: Node) -> None:
        text = " ".join("".join(parts).split())
        if text:
            self._emit(Element(kind, text, Locator(), marker=self._take_marker(), links=_links(node)), first, node)

    def _take_marker(self) -> str:
        marker, self._marker = self._marker, ""
        return marker

    def _emit(self, element: Element, first: Node, last: Node | None = None) -> None:
        if element.text.strip():
            start = first.sourceline or 1
            end = self._next_line.get(first if last is None else last, self._last_line)
            line = (start, max(start, end if start < _LAST_COUNTED_LINE else self._last_line))
            self._found.append(replace(element, locator=Locator(anchor=self._anchor, line=line)))


def plain_tight(node: Node) -> str:
    """Words inside a node of prose, its white space as it is."""
    return "".join(html.unescape(t) if _ENTITY.fullmatch(t) else t for t in node.itertext())


def _lines_after(root: Node, lines: int) -> dict[Node, int]:
    """Node -> the line of the first tag after its end."""
    found: dict[Node, int] = {}
    for node in root.iter():  # parents come before their children
        following = node.getnext()
        found[node] = (following.sourceline or lines) if following is not None else found.get(node.getparent(), lines)
    return found


def _number_of(title: Node | None) -> Node | None:
    """The label right before a title, which numbers it."""
    before = title.getprevious() if title is not None and local(title) in _HEADINGS else None
    return before if before is not None and local(before) == "label" else None


def _is_mixed(node: Node) -> bool:
    """Words stand beside the node's children."""
    return len(node) > 0 and (bool((node.text or "").strip()) or any((inner.tail or "").strip() for inner in node))


def _holds_table(node: Node) -> bool:
    return len(node) > 0 and any(local(inner) in _TABLES for inner in node.iter())


def _is_paragraph(node: Node) -> bool:
    return local(node) in {"p", "para", "simpara"} and bool(plain(node))


def _field(node: Node) -> str:
    """`name: value`, attributes as `name=value`; HTML inside a value is read as text."""
    text = (node.text or "") if len(node) == 0 else ""
    if _EMBEDDED_HTML.search(text):
        from lxml import html as lxml_html

        text = lxml_html.fromstring(f"<div>{text}</div>").text_content()
    said = " ".join(text.split())
    named = " ".join(f"{key.rpartition('}')[2]}={value}" for key, value in node.attrib.items() if value.strip())
    if not said and not named:
        return ""
    return f"{local(node)}{f' ({named})' if named else ''}: {said}".rstrip(": ")


def _links(node: Node) -> tuple[Link, ...]:
    found = ((plain(inner), attribute(inner, "href") or "") for inner in node.iter() if isinstance(inner.tag, str))
    return tuple(Link(text or target, target) for text, target in found if target.startswith(("http", "mailto:")))


def _rows(table: Node) -> tuple[tuple[tuple[str, ...], ...], int] | None:
    """Rows of equal length and how many are header; None where the table holds no row."""
    rows: list[list[str]] = []
    header_rows = filled = 0
    merges = Merges()
    for row in (inner for inner in table.iter() if local(inner) in _ROWS):
        cells = [inner for inner in row if local(inner) in _CELLS]
        texts = merges.place([(plain(cell), *_spans(cell)) for cell in cells])
        header_rows += any(texts) and local(row.getparent()) == "thead" and header_rows == filled
        filled += any(texts)
        rows.append(texts)
    return (spread(rows, merges.spans, header_rows), header_rows) if filled else None


def _spans(cell: Node) -> tuple[int, int]:
    """How many rows and columns a cell covers, as in HTML, or by how many more rows, as in CALS."""
    tall = whole(cell.get("morerows"), -1) + 1 or whole(cell.get("rowspan"), 1)
    return min(max(tall, 1), _WIDEST), min(max(whole(cell.get("colspan"), 1), 1), _WIDEST)
