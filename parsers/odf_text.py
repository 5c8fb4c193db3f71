"""Blocks of OpenDocument text: headings, paragraphs, lists, tables, frames and notes, in document order."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from kprep.core.models import Element, ElementKind, Link, Locator, table_text
from parsers.anchors import Slugger
from parsers.comments import FRAGMENT, annotation_text
from parsers.docx_xml import Node, attribute, child, local, whole
from parsers.merged_cells import Span, spread
from parsers.odf_package import OdfPackage
from parsers.typeset import Line

TOP = "_top"
_DROPPED = frozenset("tracked-changes annotation-end forms sequence-decls ruby-text variable-decls".split())
_SHAPES = frozenset("frame custom-shape rect ellipse g line connector path polygon polyline caption control".split())
_WIDEST = 500
_REPEATED = 1000
_KINDS = (
    (("quotations", "quote"), ElementKind.QUOTE),
    (("preformatted text", "source code", "code"), ElementKind.CODE),
    (("caption",), ElementKind.CAPTION),
)


@dataclass(slots=True)
class _Said:
    """Words of a paragraph, and what hangs on it: shapes, comments and notes."""

    line: Line = field(default_factory=Line)
    hidden: list[str] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    shapes: list[Node] = field(default_factory=list)
    comments: list[Node] = field(default_factory=list)
    notes: list[tuple[str, Node]] = field(default_factory=list)
    pages: int = 0

    @property
    def text(self) -> str:
        return self.line.spelled().strip()

    def add(self, text: str, height: int, *, hidden: bool) -> None:
        """Words, seen or not."""
        if hidden:
            self.hidden.append(text)
        else:
            self.line.say(text, height)


class OdfText:
    """Reads blocks. `place`: where everything stands (a slide); without it headings open sections with anchors, and
    pages count where the file marks their breaks."""

    def __init__(self, package: OdfPackage, place: Locator | None = None) -> None:
        self._package = package
        self._fixed = place
        self._slugger = Slugger()
        self._anchor = TOP
        self._page = 1
        self._has_pages = place is None and any(local(node) == "soft-page-break" for node in package.content.iter())

    def blocks(self, nodes: Iterable[Node] | None, *, kind: ElementKind | None = None) -> Iterator[Element]:
        """Elements of the nodes. `kind`: what every paragraph in them is, where their holder says so."""
        for node in nodes if nodes is not None else ():
            name = local(node)
            if name in {"p", "h"}:
                yield from self._paragraph(node, kind)
            elif name == "list":
                yield from self._list(node, 1, "", kind)
            elif name == "table":
                yield from self._table(node)
            elif name in {"table-of-content", "illustration-index", "table-index", "alphabetical-index"}:
                body = child(node, "index-body")
                yield from self.blocks(body, kind=ElementKind.TABLE_OF_CONTENTS)
            elif name == "soft-page-break":
                self._page += 1
            elif name in _SHAPES:
                yield from self.shape(node)
            elif name == "annotation":
                yield from self.comment(node, self._place())
            elif name and name not in _DROPPED:
                yield from self.blocks(node, kind=kind)

    def shape(self, node: Node) -> Iterator[Element]:
        """Text, table, formula, chart or description of a frame or shape; of a group, its shapes in order."""
        if local(node) == "g":
            yield from self.blocks(node)
            return
        for inner in node:
            name = local(inner)
            if name == "object":
                yield from self._object(attribute(inner, "href") or "")
            elif name in {"text-box", "image"}:
                yield from self.blocks(inner)
            elif name in {"p", "list", "table", "h"}:
                yield from self.blocks([inner])
        described = " ".join((part.text or "").strip() for part in node if local(part) == "desc")
        if described.strip():
            yield Element(ElementKind.CAPTION, described.strip(), self._place())

    def comment(self, node: Node, place: Locator) -> Iterator[Element]:
        """What somebody wrote beside the text at a place."""
        if text := self.words(node):
            yield Element(ElementKind.FOOTNOTE, annotation_text(node, text), place, fragment=FRAGMENT)

    def furniture(self) -> Iterator[Element]:
        """Distinct texts of headers and footers of the page styles."""
        seen: set[str] = set()
        root = self._package.styles_root
        for node in root.iter() if root is not None else ():
            kind = {"header": ElementKind.HEADER, "footer": ElementKind.FOOTER}.get(local(node).partition("-")[0])
            if kind is not None and local(node.getparent()) == "master-page":
                texts = [self._said(inner).text for inner in node.iter() if local(inner) in {"p", "h"}]
                text = "\n".join(text for text in texts if text)
                if text and text not in seen:
                    seen.add(text)
                    yield Element(kind, text, self._fixed or Locator(anchor=TOP))

    def words(self, node: Node) -> str:
        """Words of all paragraphs below a node, a line each."""
        texts = (self._said(inner).text for inner in _lines(node) if local(inner) in {"p", "h"})
        return "\n".join(text for text in texts if text)

    def _object(self, href: str) -> Iterator[Element]:
        """A formula as its source text, a chart as the table behind it."""
        root = self._package.xml(posixpath.normpath(posixpath.join(href.removeprefix("./"), "content.xml")))
        if root is None:
            return
        if local(root) == "math":
            note = next((node.text for node in root.iter() if local(node) == "annotation" and node.text), None)
            text = note or " ".join("".join(root.itertext()).split())
            if text.strip():
                yield Element(ElementKind.PARAGRAPH, text.strip(), self._place())
            return
        chart = child(root, "body", "chart", "chart")
        for node in chart if chart is not None else ():
            if local(node) in {"title", "subtitle"} and (text := self.words(node)):
                yield Element(ElementKind.CAPTION, text, self._place())
            elif local(node) == "table":
                yield from self._table(node)

    def _paragraph(self, node: Node, kind: ElementKind | None) -> Iterator[Element]:
        said = self._said(node)
        first_page = self._page
        style = self._package.style("paragraph", attribute(node, "style-name"))
        level = min(max(whole(attribute(node, "outline-level"), 1), 1), 6) if local(node) == "h" else 0
        if not level and "title" in style.names and self._fixed is None:
            level = 1
        text = said.text
        if kind is None and level:
            kind, text = ElementKind.HEADING, " ".join(text.split())
        elif kind is None:
            kind = next((found for names, found in _KINDS if any(n in style.names for n in names)), None)
        if kind is ElementKind.HEADING and text and self._fixed is None:
            self._anchor = self._slugger.take(text)
        self._page += said.pages
        place = self._place(first_page)
        if text:
            shown = kind or ElementKind.PARAGRAPH
            depth = (level or 1) if shown is ElementKind.HEADING else 0
            yield Element(shown, text, place, level=depth, links=tuple(said.links), hidden=style.hidden)
        if "".join(said.hidden).strip():
            yield Element(ElementKind.PARAGRAPH, "".join(said.hidden).strip(), place, hidden=True)
        yield from self._hanging(said, place)

    def _hanging(self, said: _Said, place: Locator) -> Iterator[Element]:
        for shape in said.shapes:
            yield from self.shape(shape)
        for comment in said.comments:
            yield from self.comment(comment, place)
        for mark, note in said.notes:
            text = self.words(note)
            if text:
                yield Element(ElementKind.FOOTNOTE, text, place, marker=f"[{mark}]" if mark else "")

    @property
    def place(self) -> Locator:
        """Where the reader stands."""
        return self._place()

    def _place(self, first_page: int | None = None) -> Locator:
        if self._fixed is not None:
            return self._fixed
        if not self._has_pages:
            return Locator(anchor=self._anchor)
        first = first_page or self._page
        return Locator(anchor=self._anchor, page=first, page_end=self._page if self._page != first else None)

    def _list(self, node: Node, level: int, style: str, kind: ElementKind | None) -> Iterator[Element]:
        """Items with their marks; lists inside items are a level deeper."""
        style = attribute(node, "style-name") or style
        count = 0
        for item in node:
            if local(item) not in {"list-item", "list-header"}:
                continue
            count = whole(attribute(item, "start-value"), count + 1)
            marker = "" if local(item) == "list-header" else "-"
            if marker and self._package.is_numbered(style, level):
                marker = f"{count}."
            for inner in item:
                if local(inner) == "list":
                    yield from self._list(inner, level + 1, style, kind)
                    continue
                for element in self.blocks([inner], kind=kind):
                    if element.kind is ElementKind.PARAGRAPH and not element.hidden:
                        element = Element(  # noqa: PLW2901 - the same block, as an item
                            ElementKind.LIST_ITEM, element.text, element.locator, level=level, marker=marker,
                            links=element.links,
                        )  # fmt: skip
                        marker = ""
                    yield element

    def _table(self, node: Node) -> Iterator[Element]:
        """The table, then what hangs on its cells' paragraphs."""
        first_page = self._page
        rows: list[tuple[str, ...]] = []
        links: list[Link] = []
        after: list[Element] = []
        spans: list[Span] = []
        header_rows = filled = 0
        for row in _rows(node):
            texts: list[str] = []
            for cell in (inner for inner in row if local(inner) in {"table-cell", "covered-table-cell"}):
                text = self._cell(cell, links, after)
                repeated = min(whole(attribute(cell, "number-columns-repeated"), 1), _WIDEST)
                tall, wide = (whole(attribute(cell, f"number-{name}-spanned"), 1) for name in ("rows", "columns"))
                if tall > 1 or wide > 1:
                    spans.append((len(rows), len(texts), min(max(tall, 1), _WIDEST), min(max(wide, 1), _WIDEST)))
                texts.extend([text] * repeated if text else [""] * repeated)
            in_head = any(texts) and local(row.getparent()) == "table-header-rows"
            header_rows += in_head and header_rows == filled
            filled += any(texts)
            rows.append(tuple(texts[:_WIDEST]))
        used = max((at + 1 for row in rows for at, cell in enumerate(row) if cell), default=0)
        if not header_rows and attribute(node, "use-first-row-styles") == "true" and filled > 1:
            header_rows = 1
        squared = spread([row[:used] for row in rows], spans, header_rows)
        if squared:
            yield Element(
                ElementKind.TABLE, table_text(squared), self._place(first_page), rows=squared,
                header_rows=header_rows, links=tuple(links),
            )  # fmt: skip
        yield from after

    def _cell(self, cell: Node, links: list[Link], after: list[Element]) -> str:
        lines: list[str] = []
        for node in _paragraphs(cell):
            said = self._said(node)
            lines.append(said.text)
            links.extend(said.links)
            after.extend(self._hanging(said, self._place()))
            self._page += said.pages
        for inner in cell.iter():
            if local(inner) == "table":
                after.extend(self._table(inner))
                break
        return "\n".join(line for line in lines if line)

    def _said(self, node: Node) -> _Said:
        said = _Said()
        self._read(node, said, 0, hidden=False)
        return said

    def _read(self, node: Node, said: _Said, height: int, *, hidden: bool) -> None:
        said.add(_blank(node.text), height, hidden=hidden)
        for inner in node:
            name = local(inner)
            start = len(said.line)
            if name == "s":
                said.add(" " * min(whole(attribute(inner, "c"), 1), _REPEATED), height, hidden=hidden)
            elif name in {"tab", "line-break"}:
                said.add("\t" if name == "tab" else "\n", height, hidden=hidden)
            elif name == "soft-page-break":
                said.pages += 1
            elif name == "note":
                citation = child(inner, "note-citation")
                cited = "".join(citation.itertext()).strip() if citation is not None else ""
                said.add(f"[{cited}]" if cited else "", 0, hidden=hidden)
                body = child(inner, "note-body")
                said.notes.extend([(cited, body)] if body is not None else [])
            elif name in _SHAPES:
                said.shapes.append(inner)
            elif name == "annotation":
                said.comments.append(inner)
            elif name and name not in _DROPPED:
                style = self._package.style("text", attribute(inner, "style-name")) if name == "span" else None
                own = style.height if style is not None and style.height is not None else height
                unseen = hidden or bool(style and style.hidden) or name == "hidden-text"
                self._read(inner, said, own, hidden=unseen)
                target = attribute(inner, "href") if name == "a" else None
                if target:
                    said.links.append(Link(said.line.text[start:].strip(), target))
            said.add(_blank(inner.tail), height, hidden=hidden)


def _lines(node: Node) -> Iterator[Node]:
    """The node and what is below it, but comments on it."""
    yield node
    for inner in node:
        if local(inner) != "annotation":
            yield from _lines(inner)


def _blank(text: str | None) -> str:
    """White space of the file is one blank."""
    if not text:
        return ""
    solid = " ".join(text.split())
    if not solid:
        return " "
    return f"{' ' if text[0].isspace() else ''}{solid}{' ' if text[-1].isspace() else ''}"


def _rows(table: Node) -> Iterator[Node]:
    for inner in table:
        name = local(inner)
        if name == "table-row":
            yield inner
        elif name in {"table-header-rows", "table-rows", "table-row-group"}:
            yield from _rows(inner)


def _paragraphs(cell: Node) -> Iterator[Node]:
    """Paragraphs of a cell, those of lists too, none of tables inside it."""
    for inner in cell:
        name = local(inner)
        if name in {"p", "h"}:
            yield inner
        elif name in {"list", "list-item", "list-header", "section"}:
            yield from _paragraphs(inner)
