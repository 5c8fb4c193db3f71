"""One slide: its shapes in the order they are read, each as blocks, and its notes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from kprep.core.models import Element, ElementKind, Link, Locator, table_text
from parsers.docx_charts import chart_elements
from parsers.docx_xml import Node, Package, attribute, child, local, whole
from parsers.merged_cells import Span, spread
from parsers.omml import latex

_TITLES = {"title", "ctrTitle"}
_FURNITURE = {
    "sldNum": ElementKind.PAGE_NUMBER,
    "ftr": ElementKind.FOOTER,
    "dt": ElementKind.FOOTER,
    "hdr": ElementKind.HEADER,
}
_BULLETED = {"body", "obj", ""}
_WIDEST = 500
_MOST_BANDS = 30
"""Bands of a slide that are looked at together."""
_NOWHERE = (0, 0, 0, 0)

Frame = tuple[int, int, int, int]
"""Left, top, right, bottom in EMU."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A node of the shape tree; `kind`: of its placeholder, None for what is none."""

    node: Node
    frame: Frame
    kind: str | None


class SlideReader:
    """Reads one slide of a package. `number`: from 1."""

    def __init__(self, package: Package, part: str, number: int) -> None:
        self._package = package
        self._root = package.xml(part)
        self._targets = package.relations(part)
        self._place = Locator(slide=number)
        self._frames = self._inherited()
        show = attribute(self._root, "show")
        self._hidden = show is not None and show.lower() in {"0", "false"}

    def elements(self) -> list[Element]:
        """Blocks of the slide, then its notes."""
        out = [*self._tree(child(self._root, "cSld", "spTree")), *self._notes()]
        return [replace(element, hidden=True) for element in out] if self._hidden else out

    def _inherited(self) -> dict[tuple[str, str], Frame]:
        """(kind, index) of a placeholder -> where the layout, or its master, puts it."""
        found: dict[tuple[str, str], Frame] = {}
        part = next((target for kind, target in self._targets.values() if kind == "slideLayout"), "")
        for wanted in ("slideMaster", ""):
            root = self._package.xml(part) if part else None
            for node in root.iter() if root is not None else ():
                frame = _frame(node) if local(node) == "sp" else None
                if frame is not None:
                    kind, index = _placeholder(node) or ("", "")
                    found.setdefault((kind, index), frame)
                    found.setdefault((kind, ""), frame)
            relations = self._package.relations(part) if part and wanted else {}
            part = next((target for kind, target in relations.values() if kind == wanted), "")
        return found

    def _tree(self, tree: Node | None) -> Iterator[Element]:
        shapes = [shape for node in _alternatives(tree) if (shape := self._shape(node)) is not None]
        for shape in reading_order(shapes):
            yield from self._blocks(shape)

    def _shape(self, node: Node) -> Shape | None:
        if local(node) not in {"sp", "grpSp", "graphicFrame", "pic", "cxnSp"}:
            return None
        placeholder = _placeholder(node)
        frame = _frame(node)
        if frame is None and placeholder is not None:
            frame = self._frames.get(placeholder) or self._frames.get((placeholder[0], ""))
        return Shape(node, frame or _NOWHERE, placeholder[0] if placeholder else None)

    def _blocks(self, shape: Shape) -> Iterator[Element]:
        name = local(shape.node)
        if name == "grpSp":
            yield from self._tree(shape.node)
        elif name == "graphicFrame":
            yield from self._graphic(shape.node)
        elif name == "pic":
            said = attribute(_properties(shape.node), "descr") or ""
            if said.strip():
                yield Element(ElementKind.CAPTION, said, self._place)
        else:
            yield from self._text(child(shape.node, "txBody"), shape.kind)

    def _text(self, body: Node | None, kind: str | None) -> Iterator[Element]:
        """Paragraphs of a shape: a title is one heading, items are counted by level."""
        paragraphs = [node for node in (body if body is not None else ()) if local(node) == "p"]
        if kind in _TITLES or kind in _FURNITURE:
            read = [self._paragraph(node) for node in paragraphs]
            text = " ".join(" ".join(text.split()) for text, _ in read if text.strip())
            links = tuple(link for _, some in read for link in some)
            named = _FURNITURE.get(kind or "", ElementKind.HEADING)
            if text:
                level = 1 if named is ElementKind.HEADING else 0
                yield Element(named, text, self._place, level=level, links=links)
            return
        counters: dict[int, int] = {}
        for node in paragraphs:
            text, links = self._paragraph(node)
            properties = child(node, "pPr")
            level = whole(attribute(properties, "lvl"), 0) + 1
            marker = _marker(properties, counters, level, bulleted=kind is not None and kind in _BULLETED)
            if text.strip() and marker:
                yield Element(ElementKind.LIST_ITEM, text, self._place, level=level, marker=marker, links=links)
            elif text.strip():
                counters.clear()
                yield Element(ElementKind.PARAGRAPH, text, self._place, links=links)

    def _paragraph(self, paragraph: Node) -> tuple[str, tuple[Link, ...]]:
        parts: list[str] = []
        links: list[Link] = []
        for run in _alternatives(paragraph):
            name = local(run)
            if name in {"r", "fld"}:
                said = "".join(part.text or "" for part in run if local(part) == "t")
                parts.append(said)
                target = self._targets.get(attribute(child(run, "rPr", "hlinkClick"), "id") or "", ("", ""))[1]
                if target and said.strip():
                    links.append(Link(said, target))
            elif name == "br":
                parts.append("\n")
            elif name in {"oMath", "oMathPara", "m"}:
                parts.append(f" {latex(run)} ")
        return "".join(parts).replace("\x0b", "\n").strip(), tuple(links)

    def _graphic(self, node: Node) -> Iterator[Element]:
        data = child(node, "graphic", "graphicData")
        for inner in data if data is not None else ():
            if local(inner) == "tbl":
                yield from self._table(inner)
            elif local(inner) == "chart":
                root = self._related(attribute(inner, "id"))
                yield from chart_elements(root, self._place) if root is not None else ()
            elif local(inner) == "relIds":
                yield from self._drawing(self._related(attribute(inner, "dm")))

    def _related(self, relation: str | None) -> Node | None:
        return self._package.xml(self._targets.get(relation or "", ("", ""))[1])

    def _drawing(self, root: Node | None) -> Iterator[Element]:
        """Words of a SmartArt drawing in the order of its data."""
        for node in root.iter() if root is not None else ():
            if local(node) == "p":
                text, links = self._paragraph(node)
                if text:
                    yield Element(ElementKind.LIST_ITEM, text, self._place, level=1, marker="-", links=links)

    def _table(self, table: Node) -> Iterator[Element]:
        rows: list[list[str]] = []
        spans: list[Span] = []
        links: list[Link] = []
        for row in (node for node in table if local(node) == "tr"):
            cells: list[str] = []
            for cell in (node for node in row if local(node) == "tc"):
                tall, wide = (max(whole(attribute(cell, name), 1), 1) for name in ("rowSpan", "gridSpan"))
                if tall > 1 or wide > 1:
                    spans.append((len(rows), len(cells), min(tall, _WIDEST), min(wide, _WIDEST)))
                body = child(cell, "txBody")
                read = [self._paragraph(node) for node in (body if body is not None else ()) if local(node) == "p"]
                text = "\n".join(text for text, _ in read if text)
                links.extend(link for _, some in read for link in some)
                cells.append(text)
            rows.append(cells[:_WIDEST])
        first = (attribute(child(table, "tblPr"), "firstRow") or "0") in {"1", "true"}
        header_rows = int(first and sum(map(any, rows)) > 1)
        squared = spread(rows, spans, header_rows)
        if squared:
            yield Element(
                ElementKind.TABLE,
                table_text(squared),
                self._place,
                rows=squared,
                header_rows=header_rows,
                links=tuple(links),
            )

    def _notes(self) -> Iterator[Element]:
        """What the speaker wrote below the slide."""
        part = next((target for kind, target in self._targets.values() if kind == "notesSlide"), "")
        root = self._package.xml(part) if part else None
        for node in root.iter() if root is not None else ():
            if local(node) == "sp" and (_placeholder(node) or ("?", ""))[0] in {"body", ""}:
                yield from self._text(child(node, "txBody"), None)


def _alternatives(node: Node | None) -> Iterator[Node]:
    """Children; of alternative contents the first choice, or the fallback."""
    for inner in node if node is not None else ():
        if local(inner) == "AlternateContent":
            chosen = child(inner, "Choice")
            yield from _alternatives(chosen if chosen is not None else child(inner, "Fallback"))
        else:
            yield inner


def _properties(node: Node) -> Node | None:
    """The `cNvPr` of a shape."""
    return next((found for inner in node if (found := child(inner, "cNvPr")) is not None), None)


def _placeholder(node: Node) -> tuple[str, str] | None:
    """(kind, index) of a placeholder; a kind left out is the body's."""
    for inner in node:
        found = child(inner, "nvPr", "ph")
        if found is not None:
            return attribute(found, "type") or "", attribute(found, "idx") or ""
    return None


def _frame(node: Node) -> Frame | None:
    """Where a shape says it stands, in the coordinates of what holds it."""
    holder = child(node, "spPr", "xfrm")
    holder = holder if holder is not None else child(node, "grpSpPr", "xfrm")
    holder = holder if holder is not None else child(node, "xfrm")
    offset, size = child(holder, "off"), child(holder, "ext")
    if offset is None or size is None:
        return None
    x, y, width, height = (
        _emu(attribute(part, name)) for part, name in ((offset, "x"), (offset, "y"), (size, "cx"), (size, "cy"))
    )
    return x, y, x + width, y + height


def _emu(text: str | None) -> int:
    digits = (text or "0").strip()
    return int(digits) if digits.lstrip("-").isdigit() and len(digits) < 16 else 0


def reading_order(shapes: Sequence[Shape]) -> list[Shape]:
    """Titles, then bands from top to bottom, each from left to right; footers last. A shape whose middle lies beside
    the first of a band belongs to the band. Bands whose shapes stand in columns below each other are read column by
    column where that is nearer to the order of the file."""
    titles = [shape for shape in shapes if shape.kind in _TITLES]
    last = [shape for shape in shapes if shape.kind in _FURNITURE]
    rest = [shape for shape in shapes if shape.kind not in _TITLES and shape.kind not in _FURNITURE]
    at = {id(shape): number for number, shape in enumerate(rest)}
    bands: list[list[Shape]] = []
    for shape in sorted(rest, key=lambda shape: shape.frame[1]):
        middle = (shape.frame[1] + shape.frame[3]) / 2
        if bands and middle <= bands[-1][0].frame[3] and shape.frame[1] < bands[-1][0].frame[3]:
            bands[-1].append(shape)
        else:
            bands.append([shape])
    out: list[Shape] = []
    while bands:
        count = _columns_reach(bands)
        by_rows = [shape for band in bands[:count] for shape in _left_to_right(band)]
        by_columns = _left_to_right(by_rows)
        turned = (sum(_overtaken([at[id(shape)] for shape in order])) for order in (by_columns, by_rows))
        out += by_columns if next(turned) < next(turned) else by_rows
        bands = bands[count:]
    return [*titles, *out, *last]


def _columns_reach(bands: Sequence[Sequence[Shape]]) -> int:
    """How many of the bands, at least one, stand in the same columns: no shape reaches the middle of one in another."""
    shapes: list[Shape] = []
    for count, band in enumerate(bands[:_MOST_BANDS]):
        shapes += band
        columns = _columns(shapes)
        reach = [max(shape.frame[2] for shape in column) for column in columns]
        begin = [min(shape.frame[0] + shape.frame[2] for shape in column) / 2 for column in columns]
        if count and (len(columns) < 2 or any(right > middle for right, middle in zip(reach, begin[1:], strict=False))):
            return count
    return max(min(len(bands), _MOST_BANDS), 1)


def _overtaken(order: Iterable[int]) -> Iterator[int]:
    """For each number, how many larger ones stand before it."""
    before: list[int] = []
    for number in order:
        place = bisect_left(before, number)
        yield len(before) - place
        before.insert(place, number)


def _left_to_right(band: Iterable[Shape]) -> list[Shape]:
    """Columns of a band from the left; within a column from the top."""
    return [shape for column in _columns(band) for shape in sorted(column, key=lambda shape: shape.frame[1])]


def _columns(shapes: Iterable[Shape]) -> list[list[Shape]]:
    """Shapes whose middle lies below or above the leftmost of a column, from the left."""
    columns: list[list[Shape]] = []
    for shape in sorted(shapes, key=lambda shape: shape.frame[0]):
        if columns and (shape.frame[0] + shape.frame[2]) / 2 <= columns[-1][0].frame[2]:
            columns[-1].append(shape)
        else:
            columns.append([shape])
    return columns


def _marker(properties: Node | None, counters: dict[int, int], level: int, *, bulleted: bool) -> str:
    """The mark of a list item, "" for a paragraph. `counters`: level -> items so far; updated."""
    numbered = child(properties, "buAutoNum")
    for deeper in [found for found in counters if found > level]:
        del counters[deeper]
    if numbered is not None:
        counters[level] = counters.get(level, whole(attribute(numbered, "startAt"), 1) - 1) + 1
        return f"{counters[level]}."
    if child(properties, "buNone") is not None:
        return ""
    if any(child(properties, name) is not None for name in ("buChar", "buBlip")):
        return "-"
    return "-" if bulleted else ""
