"""A Word document's blocks in document order: paragraphs, lists, tables, text boxes, notes, headers and footers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from kprep.core.errors import ParseError
from kprep.core.models import Element, ElementKind, Link, Locator, SourceUnit, table_text
from parsers.anchors import Slugger
from parsers.attachments import embedded_in
from parsers.comments import FRAGMENT, comments_beside
from parsers.docx_charts import chart_elements
from parsers.docx_inserted import inserted, is_word
from parsers.docx_runs import RunReader, Words
from parsers.docx_styles import Numbering, Styles, heading_level, numbering_of, written
from parsers.docx_xml import Node, Package, attribute, child, is_on, local, value, whole
from parsers.merged_cells import Merges, spread

TOP = "_top"
"""Anchor of what stands before the first heading; Word's own name for the start of a document."""

_CONTAINERS = frozenset("sdt sdtContent ins moveTo customXml smartTag AlternateContent Choice".split())
_WIDEST = 500
_NOTE_FORMS = {"footnoteReference": "decimal", "endnoteReference": "lowerRoman"}
_SKIPPED_NOTES = {"separator", "continuationSeparator", "continuationNotice"}


@dataclass(frozen=True, slots=True)
class Block:
    """An element and what only a second reader needs: whether all its words are bold by direct formatting."""

    element: Element
    bold: bool = False


def _note_marks(root: Node) -> Iterator[tuple[tuple[str, str], str]]:
    """(kind, id) of each note with the mark a reader sees, by the order of what refers to them; none for one whose sign
    the text holds, and for one that is referred to in deleted words."""
    seen: Counter[str] = Counter()
    for node in root.iter():
        if local(node) not in _NOTE_FORMS or attribute(node, "customMarkFollows") in {"1", "true", "on"}:
            continue
        if not any(local(held) in {"del", "moveFrom", "Fallback"} for held in node.iterancestors()):
            kind = local(node).removesuffix("Reference")
            seen[kind] += 1
            yield (kind, attribute(node, "id") or ""), f"[{written(seen[kind], _NOTE_FORMS[local(node)])}]"


class Body:
    """Reads one package. `has_pages`: Word left the page breaks it rendered, so pages are known. `read_parts`: names of
    the files that stand for a part of the text and were read in their place, and `units` what these leave out."""

    def __init__(self, package: Package, *, is_inserted: bool = False) -> None:
        self._package = package
        self._is_inserted = is_inserted
        self.read_parts: set[str] = set()
        self.units: list[SourceUnit] = []
        self._root = package.document()
        _join_paragraphs(self._root)
        self._styles = Styles(self._part("styles"))
        self._numbering = Numbering(self._part("numbering"))
        self._notes = {kind: self._note_nodes(kind) for kind in ("footnote", "endnote")}
        self._targets = package.relations(package.main)
        self._marks = dict(_note_marks(self._root))
        self._runs = RunReader(self._styles, self._targets, self._marks)
        self._comments = dict(comments_beside(package, package.main))
        self._slugger = Slugger()
        self._anchor = TOP
        self._page = 1
        self.has_pages = any(local(node) == "lastRenderedPageBreak" for node in self._root.iter())

    def blocks(self) -> list[Block]:
        """Headers, the body in order, footers. Notes follow the block that refers to them."""
        out = list(self._furniture("header", ElementKind.HEADER))
        out.extend(self._text())
        out.extend(self._furniture("footer", ElementKind.FOOTER))
        return out

    def _text(self) -> Iterator[Block]:
        body = child(self._root, "body")
        return self._container(body if body is not None else ())

    @property
    def pages(self) -> int:
        """Pages seen so far; 1 when they are not known."""
        return self._page

    def _part(self, kind: str) -> Node | None:
        names = self._package.related(kind)
        return self._package.xml(names[0]) if names else None

    def _note_nodes(self, kind: str) -> dict[str, Node]:
        root = self._part(f"{kind}s")
        nodes = root if root is not None else ()
        return {attribute(note, "id") or "": note for note in nodes if attribute(note, "type") not in _SKIPPED_NOTES}

    def _furniture(self, part: str, kind: ElementKind) -> Iterator[Block]:
        """Distinct texts of the headers or footers; their place is the whole document."""
        seen: set[str] = set()
        for name in self._package.related(part):
            root = self._package.xml(name)
            for paragraph in (node for node in (root.iter() if root is not None else ()) if local(node) == "p"):
                text = self._runs.read(paragraph).text
                if text and text not in seen:
                    seen.add(text)
                    yield Block(Element(kind, text, Locator(anchor=TOP)))

    def _container(self, nodes: Iterable[Node], *, contents: bool = False) -> Iterator[Block]:
        """Blocks of the children of a body, cell, text box or note. `contents`: inside a table of contents."""
        for node in nodes:
            name = local(node)
            if name == "p":
                yield from self._paragraph(node, contents=contents)
            elif name == "tbl":
                yield from self._table(node)
            elif name == "altChunk":
                yield from self._inserted(node)
            elif name in _CONTAINERS:
                gallery = value(node, "sdtPr", "docPartObj", "docPartGallery") or ""
                yield from self._container(node, contents=contents or "table of contents" in gallery.lower())

    def _paragraph(self, node: Node, *, contents: bool) -> Iterator[Block]:
        words = self._runs.read(node)
        self._page += words.leading if self.has_pages else 0
        first_page = self._page
        self._page += words.pages - words.leading if self.has_pages else 0
        properties = child(node, "pPr")
        style = self._styles.get(value(properties, "pStyle"))
        numbering = numbering_of(properties) or style.numbering
        level = heading_level(properties, style)
        marker = self._numbering.marker(numbering) if numbering and numbering[0] != "0" and words.text else ""
        text, kind = words.text, style.kind or ElementKind.PARAGRAPH
        if contents:
            kind, level = ElementKind.TABLE_OF_CONTENTS, 0
        elif level:
            kind = ElementKind.HEADING
            text = f"{marker} {text}" if marker not in {"", "-"} else text
            text, marker = " ".join(text.split()), ""
        elif marker or kind is ElementKind.LIST_ITEM:
            kind, level = ElementKind.LIST_ITEM, (numbering[1] if numbering else 0) + 1
            marker = marker or "-"
        elif kind is ElementKind.HEADING:
            kind = ElementKind.PARAGRAPH
        if kind is ElementKind.HEADING and text:
            self._anchor = self._slugger.take(text)
        yield from self._said(words, kind, text, level, marker, first_page)

    def _said(self, words: Words, kind: ElementKind, text: str, level: int, marker: str, page: int) -> Iterator[Block]:
        """The paragraph, its hidden words, its text boxes, charts and diagrams, the comments about it, its notes."""
        place = self._place(page)
        if text:
            element = Element(kind, text, place, level=level, marker=marker, links=_links(words.links))
            yield Block(element, bold=words.bold)
        if words.hidden_text:
            yield Block(Element(ElementKind.PARAGRAPH, words.hidden_text, place, hidden=True))
        for box in words.boxes:
            yield from self._container(box)
        for relation in words.charts:
            root = self._package.xml(self._targets.get(relation, ("", ""))[1])
            yield from (Block(found) for found in (chart_elements(root, place) if root is not None else ()))
        for relation in words.diagrams:
            yield from self._diagram(self._package.xml(self._targets.get(relation, ("", ""))[1]), place)
        for comment in words.comments:
            if comment in self._comments:
                yield Block(Element(ElementKind.FOOTNOTE, self._comments[comment], place, fragment=FRAGMENT))
        for note_kind, note_id in words.notes:
            note = self._notes[note_kind].get(note_id)
            texts = (self._runs.read(p).text for p in (note.iter() if note is not None else ()) if local(p) == "p")
            joined = "\n".join(text for text in texts if text)
            if joined:
                marker = self._marks.get((note_kind, note_id), "")
                yield Block(Element(ElementKind.FOOTNOTE, joined, place, marker=marker))

    def _diagram(self, root: Node | None, place: Locator) -> Iterator[Block]:
        """Words of a SmartArt drawing in the order of its data."""
        for node in root.iter() if root is not None else ():
            if local(node) == "p" and (text := "".join(t.text or "" for t in node.iter() if local(t) == "t").strip()):
                yield Block(Element(ElementKind.LIST_ITEM, text, place, level=1, marker="-"))

    def _inserted(self, node: Node) -> Iterator[Block]:
        """What stands in a file that Word shows in this place, once for each file. One that cannot be read, and one
        that a file inserted here inserts itself, is not among `read_parts`."""
        part = self._targets.get(attribute(node, "id") or "", ("", ""))[1]
        if part not in self._package.names() or part in self.read_parts or self._is_inserted:
            return
        try:
            blocks = self._blocks_of(part)
        except ParseError:
            return
        self.read_parts.add(part)
        for block in blocks:
            element = block.element
            if element.kind is ElementKind.HEADING:
                self._anchor = self._slugger.take(element.text)
            yield replace(block, element=replace(element, locator=self._place(self._page), row_starts=()))

    def _blocks_of(self, part: str) -> list[Block]:
        """Blocks of a file inside this one. Raises: ParseError."""
        content = self._package.bytes(part)
        if is_word(part, content):
            package = Package(content, f"{self._package.uri}: {part}")
            body = Body(package, is_inserted=True)
            inner = (target for kind, target in package.relations(package.main).values() if kind == "aFChunk")
            self.units += embedded_in(package.names(), inner)
            return list(body._text())
        document = inserted(part, content)
        self.units += document.units[1:]
        return [Block(element) for element in document.elements]

    def _place(self, first_page: int) -> Locator:
        if not self.has_pages:
            return Locator(anchor=self._anchor)
        last = self._page if self._page != first_page else None
        return Locator(anchor=self._anchor, page=first_page, page_end=last)

    def _table(self, node: Node) -> Iterator[Block]:
        """The table, then what its cells hold beside text: hidden words, tables, text boxes. A frame of one cell is
        no table: its blocks stand for themselves."""
        rows = [row for row in _inside(node, "tr") if child(row, "trPr", "del") is None]
        cells = [list(_inside(row, "tc")) for row in rows]
        if len(cells) == 1 and len(cells[0]) == 1:
            yield from self._container(cells[0][0])
            return
        first_page = self._page
        after: list[Block] = []
        links: list[Link] = []
        merges = Merges()
        texts = [self._row(row, row_cells, links, after, merges) for row, row_cells in zip(rows, cells, strict=True)]
        marked = [is_on(child(row, "trPr"), "tblHeader") for row, text in zip(rows, texts, strict=True) if any(text)]
        header_rows = marked.index(False) if False in marked else len(marked)
        if not header_rows and len(marked) > 1 and _first_row_is_styled(node):
            header_rows = 1
        squared = spread(texts, merges.spans, header_rows)
        if squared:
            place = self._place(first_page)
            yield Block(
                Element(
                    ElementKind.TABLE,
                    table_text(squared),
                    place,
                    rows=squared,
                    header_rows=header_rows,
                    links=_links(links),
                )
            )
        yield from after

    def _row(self, row: Node, cells: list[Node], links: list[Link], after: list[Block], merges: Merges) -> list[str]:
        """Texts by column, a merged cell's in its first column and row; `merges` learns of what it covers."""
        texts = [""] * min(whole(value(row, "trPr", "gridBefore"), 0), _WIDEST)
        for cell in cells:
            properties = child(cell, "tcPr")
            merge = child(properties, "vMerge")
            goes_on = merge is not None and attribute(merge, "val") != "restart"
            wide = max(min(whole(value(properties, "gridSpan"), 1), _WIDEST), 1)
            merges.add(len(texts), wide, begins=merge is not None and not goes_on, goes_on=goes_on)
            texts += [self._cell(cell, links, after), *[""] * (wide - 1)]
        merges.row += 1
        return texts

    def _cell(self, cell: Node, links: list[Link], after: list[Block]) -> str:
        lines: list[str] = []
        for paragraph in _inside(cell, "p"):
            words = self._runs.read(paragraph, in_table=True)
            self._page += words.pages if self.has_pages else 0
            numbering = numbering_of(child(paragraph, "pPr"))
            marker = self._numbering.marker(numbering) if numbering and numbering[0] != "0" and words.text else ""
            if words.text:
                lines.append(f"{marker} {words.text}" if marker else words.text)
            links.extend(words.links)
            after.extend(self._said(replace(words, visible=[]), ElementKind.PARAGRAPH, "", 0, "", self._page))
        for table in _inside(cell, "tbl"):
            after.extend(self._table(table))
        for part in _inside(cell, "altChunk"):
            after.extend(self._inserted(part))
        return "\n".join(lines)


def _join_paragraphs(root: Node) -> None:
    """Put the words of each paragraph whose end was deleted or moved away into the one after it, whose looks both have
    once the change is accepted."""
    for mark in list(root.iter("{*}del", "{*}moveFrom")):
        properties = mark.getparent().getparent() if local(mark.getparent()) == "rPr" else None
        if properties is None or local(properties) != "pPr":
            continue
        paragraph = properties.getparent()
        following = paragraph.getnext()
        if following is None or local(following) != "p":
            continue
        at = 0 if child(following, "pPr") is None else 1
        following[at:at] = [part for part in paragraph if part is not properties]


def _inside(node: Node, name: str) -> Iterator[Node]:
    """Children of a name, those in content controls and accepted insertions included."""
    for inner in node:
        if local(inner) == name:
            yield inner
        elif local(inner) in _CONTAINERS:
            yield from _inside(inner, name)


def _first_row_is_styled(table: Node) -> bool:
    look = child(table, "tblPr", "tblLook")
    first_row = attribute(look, "firstRow")
    if first_row is not None:
        return first_row in {"1", "true", "on"}
    bits = attribute(look, "val") or "0"
    return bool(int(bits, 16) & 0x20) if all(digit in "0123456789abcdefABCDEF" for digit in bits) else False


def _links(links: list[Link]) -> tuple[Link, ...]:
    return tuple(links)
