"""Blocks of reStructuredText by their lines; directives nobody knows keep their words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from kprep.core.models import Element, ElementKind, Locator, table_text
from parsers.anchors import Slugger
from parsers.decoding import Line
from parsers.records import plain_rows
from parsers.rst_inline import inline
from parsers.rst_tables import Rows, grid_rows, is_grid, is_simple, simple_length, simple_rows

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*$")
_EXPLICIT = re.compile(r"\.\.(?:\s+|$)")
_DIRECTIVE = re.compile(r"\.\.\s+(?:\|[^|]+\|\s+)?([\w:.+-]+?)\s?::(?:\s+(.*))?$")
_FOOTNOTE = re.compile(r"\.\.\s+\[([^\]]+)\]\s+(.*)$")
_REPLACE = re.compile(r"\.\.\s+\|([^|]+)\|\s+replace::\s+(\S.*)$")
_TARGET = re.compile(r"\.\.\s+_(`[^`]+`|[^:]+):\s*(.*)$")
_BULLET = re.compile(r"([-*+\u2022\u2023\u2043])(\s+)(?=\S)|([-*+\u2022])$")
_NUMBERED = re.compile(r"(\(?(?:\d{1,3}|#|[a-zA-Z]|[ivxlcIVXLC]{1,6})[.)])(\s+)(?=\S)")
_FIELD = re.compile(r":((?![: ])[^:\n]+):(?:\s+(.*)|$)")
_OPTION = re.compile(r"\s+:([\w-]+):(?:\s+(.*))?$")
_CODE = frozenset(
    "code code-block sourcecode parsed-literal math prompt console doctest testcode testoutput graphviz mermaid raw "
    "productionlist ipython".split()
)
_SILENT = frozenset("contents sectnum index meta default-role role highlight tabularcolumns only sectionauthor".split())
_ADMONITIONS = frozenset(
    "attention caution danger error hint important note seealso tip warning todo "
    "deprecated versionadded versionchanged versionremoved".split()
)
_PICTURES = frozenset(("image", "figure"))
HOW = (
    r"(?:class|name|id|key|align|width|height|scale|target|loading|fig\w+|widths|columns|header-rows|stub-columns|header|"
    r"delim|quote|escape|keepspace|file|url|encoding|language|format|parser|code|literal|diff|pyobject|dedent|tab-width|"
    r"lines?|linenos|lineno-\w+|number-lines|emphasize-lines|start-?\w*|end-?\w*|[lr]?trim|depth|maxdepth|local|"
    r"backlinks|glob|numbered|template|member-order|\w+-members|members|layout|size|color|icon|gutter|margin|padding|"
    r"shadow|link|link-type|img-(?!alt)\w+|class-\w+|label|sync|default|nowrap|platform|module|canonical)"
)
"""Options that say how a directive is read or shown; what others say, its reader sees."""
_TITLES = frozenset("caption subtitle title alt img-alt".split())
_LOOKED_AHEAD = 400
_LONGEST_VALUE = 2_000
MAX_DEPTH = 60

Options = Mapping[str, Sequence[Line]]
"""Name of a directive's option -> its value, line by line."""


class RstReader:
    """Reads blocks; knows where the file's hyperlink targets lead and what its substitutions stand for."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._slugger = Slugger()
        self._anchor: str | None = None
        self._levels: list[str] = []
        self._counted: dict[int, int] = {}
        self._targets = targets_of(lines)

    def blocks(self, lines: Sequence[Line], kind: ElementKind | None = None, depth: int = 0) -> Iterator[Element]:
        """Elements of the lines. `kind`: what a paragraph in them is, where its holder says so."""
        at = 0
        while at < len(lines):
            text = lines[at].text
            if not text.strip():
                at += 1
                continue
            used, found = self._block(lines[at : _window(lines, at)], kind, depth)
            yield from found
            at += max(used, 1)

    def _block(self, lines: Sequence[Line], kind: ElementKind | None, depth: int) -> tuple[int, Iterator[Element]]:
        """How many lines the first block takes, and its elements."""
        text = lines[0].text
        if text[:1].isspace():
            used = _indented(lines, 0)
            inside = self.blocks(_dedented(lines[:used]), kind or ElementKind.QUOTE, depth + 1)
            return used, inside if depth < MAX_DEPTH else self._plain(lines[:used], kind)
        heading = self._title(lines)
        if heading is not None:
            return heading
        table = self._table(lines)
        if table is not None:
            return table
        for test, reader in self._readers:
            if test(text):
                return reader(self, lines, kind, depth)
        if _ADORNMENT.match(text) and len(text.strip()) >= 4 and (len(lines) == 1 or not lines[1].text.strip()):
            return 1, iter(())
        return self._paragraph(lines, kind, depth)

    def _title(self, lines: Sequence[Line]) -> tuple[int, Iterator[Element]] | None:
        over = _ADORNMENT.match(lines[0].text)
        if over and len(lines) > 2 and lines[1].text.strip() and lines[2].text.strip() == lines[0].text.strip():
            return 3, self._heading(lines[:3], lines[1].text.strip(), over.group(1) * 2)
        under = _ADORNMENT.match(lines[1].text) if len(lines) > 1 and not over else None
        if under is None:
            return None
        title = lines[0].text.rstrip()
        long_enough = len(lines[1].text.strip()) >= min(len(title), 4)
        blank_before = not _BULLET.match(title) and not _EXPLICIT.match(title)
        if not long_enough or not blank_before or not any(map(str.isalnum, title)):
            return None
        return 2, self._heading(lines[:2], title, under.group(1))

    def _heading(self, lines: Sequence[Line], title: str, style: str) -> Iterator[Element]:
        if style not in self._levels:
            self._levels.append(style)
        text, links = inline(title, self._targets)
        self._counted.clear()
        self._anchor = self._slugger.take(text)
        level = min(self._levels.index(style) + 1, 6)
        yield replace(self._element(ElementKind.HEADING, lines, text), level=level, links=links)

    def _table(self, lines: Sequence[Line]) -> tuple[int, Iterator[Element]] | None:
        texts = [line.text for line in lines]
        if is_grid(texts[0]):
            used = next((at for at, text in enumerate(texts) if not text.startswith(("+", "|"))), len(texts))
            rows, header_rows = grid_rows(texts[:used])
            drawn = self._rows(lines[:used], rows, header_rows) if rows else self._code(lines, lines[:used], "")
            return used, drawn
        if is_simple(texts[0]) and (used := simple_length(texts)):
            return used, self._rows(lines[:used], *simple_rows(texts[:used]))
        return None

    def _rows(self, lines: Sequence[Line], rows: Rows, header_rows: int) -> Iterator[Element]:
        said = tuple(tuple(inline(cell, self._targets)[0] for cell in row) for row in rows)
        if said:
            yield replace(self._element(ElementKind.TABLE, lines, table_text(said)), rows=said, header_rows=header_rows)

    def _explicit(self, lines: Sequence[Line], _: ElementKind | None, depth: int) -> tuple[int, Iterator[Element]]:
        used = _indented(lines, 1)
        text = lines[0].text
        directive = _DIRECTIVE.match(text)
        if directive:
            return used, self._directive(directive.group(1), (directive.group(2) or "").strip(), lines[:used], depth)
        note = _FOOTNOTE.match(text)
        if note:
            said = " ".join([note.group(2), *(line.text.strip() for line in lines[1:used])]).strip()
            words, links = inline(said, self._targets)
            element = self._element(ElementKind.FOOTNOTE, lines[:used], words)
            return used, iter([replace(element, marker=f"[{note.group(1)}]", links=links)])
        return used, iter(())  # a comment or a target

    def _directive(self, name: str, argument: str, lines: Sequence[Line], depth: int) -> Iterator[Element]:
        options, content = _options(lines[1:])
        name = name.rpartition(":")[2] if name.rpartition(":")[2] in _CODE else name
        if name == "replace" or (name in _SILENT and not content):
            return  # a replacement's words stand wherever it is used
        if name in _ADMONITIONS:
            yield from self._admonition(name, lines, content, depth)
            yield from self._said_by(options)
            return
        if name == "math" and argument:
            content = [_argument(lines[0]), *_dedented(content)]
        if name in _CODE:
            yield from self._said_by(options)
            yield from self._code(lines, content, argument if name.startswith(("code", "source", "raw")) else name)
            return
        if name in _PICTURES:
            yield from self._said_by(options)
            yield from self.blocks(_dedented(content), ElementKind.CAPTION, depth + 1)
            return
        if name == "toctree":
            yield from self._said_by(options)
            for line in (line for line in content if line.text.strip()):
                yield self._element(ElementKind.TABLE_OF_CONTENTS, [line], line.text.strip())
            return
        yield from self._other(name, argument, lines, depth)

    def _other(self, name: str, argument: str, lines: Sequence[Line], depth: int) -> Iterator[Element]:
        """What a directive holds: its argument as a caption or paragraph, then a table or blocks."""
        options, content = _options(lines[1:])
        if argument:
            words, links = inline(argument, self._targets)
            kind = ElementKind.CAPTION if name.endswith("table") else ElementKind.PARAGRAPH
            yield replace(self._element(kind, lines[:1], words), links=links)
        yield from self._said_by(options)
        if name == "csv-table":
            yield from self._csv(lines, options, content)
        elif name == "list-table":
            yield from self._list_table(lines, options, content)
        elif depth < MAX_DEPTH:
            yield from self.blocks(_dedented(content), None, depth + 1)
        else:
            yield from self._plain(content, None)

    def _said_by(self, options: Options) -> Iterator[Element]:
        """What a directive's options say to its reader: titles as they are, others behind their name."""
        for name, lines in options.items():
            if (said := _value(options, name)) and not re.fullmatch(HOW, name):
                words, links = inline(said, self._targets)
                if name in _TITLES:
                    place = [lines[0]._replace(start=lines[0].end - len(lines[0].text)), *lines[1:]]
                    element = self._element(ElementKind.CAPTION, place, words)
                else:
                    element = self._element(ElementKind.PARAGRAPH, lines, f"{name}: {words}")
                yield replace(element, links=links)

    def _code(self, lines: Sequence[Line], content: Sequence[Line], language: str) -> Iterator[Element]:
        body = _trimmed(_dedented(content))
        if body:
            text = "\n".join(line.text for line in body)
            yield replace(self._element(ElementKind.CODE, body, text), language=language)
        elif language:
            yield self._element(ElementKind.PARAGRAPH, lines, language)

    def _admonition(self, name: str, lines: Sequence[Line], content: Sequence[Line], depth: int) -> Iterator[Element]:
        """Its paragraphs; the first says what it is: "warning: ..."; a version's number belongs to it."""
        inner = [_argument(lines[0]), *_dedented(content)]
        found = list(self.blocks(inner, None, depth + 1) if depth < MAX_DEPTH else self._plain(inner, None))
        if found and found[0].kind is ElementKind.PARAGRAPH:
            first = found[0]
            _, end = first.locator.line or (0, lines[-1].number)
            _, last = first.locator.char or (0, lines[-1].end)
            place = replace(first.locator, line=(lines[0].number, end), char=(lines[0].start, last))
            found[0] = replace(first, text=f"{name}: {first.text}", locator=place)
        elif found:
            yield self._element(ElementKind.PARAGRAPH, lines[:1], f"{name}:")
        yield from found

    def _csv(self, lines: Sequence[Line], options: Options, content: Sequence[Line]) -> Iterator[Element]:
        named = _value(options, "delim")
        delimiter = {"tab": "\t", "space": " "}.get(named, named[:1] or ",")
        header = plain_rows([line.text for line in options.get("header", ())], delimiter)
        rows = [*header, *plain_rows([line.text for line in _dedented(content)], delimiter)]
        width = max(map(len, rows), default=0)
        squared = tuple((*row, *[""] * (width - len(row))) for row in rows)
        yield from self._rows(lines, squared, len(header) + _number(_value(options, "header-rows")))

    def _list_table(self, lines: Sequence[Line], options: Options, content: Sequence[Line]) -> Iterator[Element]:
        rows: list[list[str]] = []
        for line in _dedented(content):
            text = line.text.strip()
            opened = re.match(r"\*\s*-\s?(.*)", text)
            if opened:
                rows.append([opened.group(1)])
            elif rows and re.match(r"-(?:\s|$)", text):
                rows[-1].append(text[1:].strip())
            elif rows and text:
                rows[-1][-1] = f"{rows[-1][-1]}\n{text}".strip()
        width = max(map(len, rows), default=0)
        squared = tuple((*row, *[""] * (width - len(row))) for row in rows)
        yield from self._rows(lines, squared, _number(_value(options, "header-rows")))

    def _item(self, lines: Sequence[Line], _: ElementKind | None, depth: int) -> tuple[int, Iterator[Element]]:
        match = _BULLET.match(lines[0].text) or _NUMBERED.match(lines[0].text)
        assert match is not None
        width = match.end() if match.lastindex and match.group(2) else 2
        used = _indented(lines, 1)
        first = lines[0]
        inner = [Line(first.number, first.start + match.end(), first.end, first.text[match.end() :])]
        inner.extend(_cut(line, width) for line in lines[1:used])
        marker = "-" if _BULLET.match(first.text) else match.group(1)
        if "#" in marker:
            self._counted[depth] = self._counted.get(depth, 0) + 1
            marker = marker.replace("#", str(self._counted[depth]))
        elif marker[0].isdigit():
            self._counted[depth] = int(marker.rstrip(".)"))
        else:
            self._counted.pop(depth, None)
        return used, self._items(inner, marker, depth)

    def _items(self, inner: Sequence[Line], marker: str, depth: int) -> Iterator[Element]:
        if depth >= MAX_DEPTH:
            yield from self._plain(inner, ElementKind.LIST_ITEM)
            return
        for element in self.blocks(inner, ElementKind.LIST_ITEM, depth + 1):
            if element.kind is not ElementKind.LIST_ITEM:
                yield element
            elif element.level:
                yield replace(element, level=element.level + 1)
            else:
                yield replace(element, level=1, marker=marker)
                marker = ""

    def _field(self, lines: Sequence[Line], _: ElementKind | None, __: int) -> tuple[int, Iterator[Element]]:
        used = _indented(lines, 1)
        match = _FIELD.match(lines[0].text)
        assert match is not None
        said = " ".join([match.group(2) or "", *(line.text.strip() for line in lines[1:used])]).strip()
        words, links = inline(said, self._targets)
        text = f"{match.group(1)}: {words}".rstrip(": ")
        return used, iter([replace(self._element(ElementKind.PARAGRAPH, lines[:used], text), links=links)])

    def _line_block(self, lines: Sequence[Line], kind: ElementKind | None, _: int) -> tuple[int, Iterator[Element]]:
        used = next((at for at, line in enumerate(lines) if not line.text.strip()), len(lines))
        said = "\n".join(line.text.removeprefix("|").strip() for line in lines[:used])
        words, links = inline(said, self._targets)
        element = self._element(kind or ElementKind.PARAGRAPH, lines[:used], words)
        return used, iter([replace(element, links=links)])

    def _doctest(self, lines: Sequence[Line], _: ElementKind | None, __: int) -> tuple[int, Iterator[Element]]:
        used = next((at for at, line in enumerate(lines) if not line.text.strip()), len(lines))
        return used, self._code(lines, lines[:used], "python")

    _readers: tuple[tuple[Callable[[str], object], Callable[..., tuple[int, Iterator[Element]]]], ...] = (
        (_EXPLICIT.match, _explicit),
        (lambda text: text.startswith("__ "), lambda *_: (1, iter(()))),
        (lambda text: _BULLET.match(text) or _NUMBERED.match(text), _item),
        (_FIELD.match, _field),
        (lambda text: text.startswith("| "), _line_block),
        (lambda text: text.startswith(">>> "), _doctest),
    )

    def _paragraph(self, lines: Sequence[Line], kind: ElementKind | None, depth: int) -> tuple[int, Iterator[Element]]:
        """A paragraph with the literal block after `::`, or a term with its definition."""
        used = 1
        while used < len(lines) and lines[used].text.strip() and not lines[used].text[:1].isspace():
            used += 1
        if used == 1 and len(lines) > 1 and lines[1].text[:1].isspace() and lines[1].text.strip() and depth < MAX_DEPTH:
            end = _indented(lines, 1)
            return end, self._definition(lines[:end], kind, depth)
        text = "\n".join(line.text.rstrip() for line in lines[:used])
        literal = text.endswith("::")
        end = _indented(lines, used) if literal else used
        return end, self._said(lines[:used], text, kind, lines[used:end] if literal else ())

    def _said(
        self, lines: Sequence[Line], text: str, kind: ElementKind | None, literal: Sequence[Line]
    ) -> Iterator[Element]:
        if literal:
            said = text[:-2]
            text = f"{said}:" if said and not said[-1].isspace() else said.rstrip()
        words, links = inline(text, self._targets)
        if words.strip(" :"):
            yield replace(self._element(kind or ElementKind.PARAGRAPH, lines, words), links=links)
        if literal:
            yield from self._code(lines, literal, "")

    def _definition(self, lines: Sequence[Line], kind: ElementKind | None, depth: int) -> Iterator[Element]:
        words, links = inline(lines[0].text.strip(), self._targets)
        yield replace(self._element(kind or ElementKind.PARAGRAPH, lines[:1], words), links=links)
        yield from self.blocks(_dedented(lines[1:]), kind, depth + 1)

    def _plain(self, lines: Sequence[Line], kind: ElementKind | None) -> Iterator[Element]:
        """Lines as they are: nested deeper than anybody writes."""
        filled = [line for line in lines if line.text.strip()]
        if filled:
            text = "\n".join(line.text.strip() for line in filled)
            yield self._element(kind or ElementKind.PARAGRAPH, filled, text)

    def _element(self, kind: ElementKind, lines: Sequence[Line], text: str) -> Element:
        filled = [line for line in lines if line.text.strip()] or list(lines)
        first, last = filled[0], filled[-1]
        place = Locator(line=(first.number, last.number), char=(first.start, last.end), anchor=self._anchor)
        return Element(kind, text, place)


def targets_of(lines: Sequence[Line]) -> dict[str, str]:
    """Folded name of a hyperlink target -> where it leads; `|name|` of a substitution -> its words."""
    found = {
        match.group(1).strip("`").lower(): match.group(2).strip()
        for line in lines
        if (match := _TARGET.match(line.text.strip())) and match.group(2)
    }
    for at, line in enumerate(lines):
        if match := _REPLACE.match(line.text.strip()):
            more = (one.text.strip() for one in lines[at + 1 : _indented(lines, at + 1)])
            found[f"|{match.group(1).lower()}|"] = " ".join([match.group(2), *more]).strip()[:_LONGEST_VALUE]
    return found


def _argument(line: Line) -> Line:
    """What stands behind the `::` of a directive, as a line of its own."""
    start = line.text.index("::") + 2
    start += len(line.text[start:]) - len(line.text[start:].lstrip())
    return Line(line.number, line.start + start, line.end, line.text[start:])


def _window(lines: Sequence[Line], start: int) -> int:
    """Where to stop looking: the first line after 400 that stands at the margin after a blank one."""
    at = start + _LOOKED_AHEAD
    while at < len(lines) and (
        not lines[at].text.strip() or lines[at].text[:1].isspace() or lines[at - 1].text.strip()
    ):
        at += 1
    return at


def _indented(lines: Sequence[Line], start: int) -> int:
    """Index after the lines from `start` on that are blank or indented; blank ones at the end left out."""
    end = at = start
    while at < len(lines) and (not lines[at].text.strip() or lines[at].text[:1].isspace()):
        at += 1
        end = at if lines[at - 1].text.strip() else end
    return end


def _dedented(lines: Sequence[Line]) -> list[Line]:
    indents = [len(line.text) - len(line.text.lstrip()) for line in lines if line.text.strip()]
    least = min(indents, default=0)
    return [_cut(line, least) for line in lines]


def _cut(line: Line, width: int) -> Line:
    """The line without up to `width` blanks before it."""
    blanks = min(width, len(line.text) - len(line.text.lstrip()))
    return Line(line.number, line.start + blanks, line.end, line.text[blanks:])


def _trimmed(lines: list[Line]) -> list[Line]:
    filled = [at for at, line in enumerate(lines) if line.text.strip()]
    return lines[filled[0] : filled[-1] + 1] if filled else []


def _options(lines: Sequence[Line]) -> tuple[Options, Sequence[Line]]:
    """The `:name: value` lines right below a directive, a value with the lines indented below it; the lines after."""
    options: dict[str, Sequence[Line]] = {}
    at = 0
    while at < len(lines) and (match := _OPTION.match(lines[at].text)):
        line, end = lines[at], at + 1
        indent = len(line.text) - len(line.text.lstrip())
        while end < len(lines) and lines[end].text[: indent + 1].isspace() and lines[end].text.strip():
            end += 1
        first = Line(line.number, line.start + indent, line.end, match.group(2) or "")
        options[match.group(1)] = [first, *lines[at + 1 : end]]
        at = end
    return options, lines[at:]


def _value(options: Options, name: str) -> str:
    return " ".join(line.text.strip() for line in options.get(name, ())).strip()


def _number(text: str) -> int:
    return int(text) if text.isdigit() and len(text) < 4 else 0
