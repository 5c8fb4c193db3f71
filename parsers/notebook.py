"""Jupyter notebooks: cells in order, what they printed capped, pictures and widget state left out and recorded."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from kprep.core.errors import CorruptDocument, Recursive
from kprep.core.models import (
    DocumentMetadata,
    Element,
    ElementKind,
    Locator,
    ParsedDocument,
    ParserSpec,
    RawDocument,
    SourceUnit,
    table_text,
)
from parsers import html, markdown
from parsers.anchors import Slugger
from parsers.decoding import Lines, decode
from parsers.source_text import document, read
from parsers.tree import no_json

NAME = "notebook"
VERSION = 6
MEDIA_TYPES = ("application/x-ipynb+json",)
MAX_BYTES = 64_000_000
MAX_OUTPUT_CHARS = 2_000
MAX_OUTPUT_ROWS = 50
"""Text and table rows kept of one output; units of kind "output" say where more was left out."""

_TERMINAL_CODES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_OUTPUT = re.compile(r"output-(\d+)$")
_ENCODED = re.compile(r"[A-Za-z0-9+/=]{400,}|(?:[A-Za-z0-9+/]{60,76}\n){5,}[A-Za-z0-9+/=]*")
_OBJECT = re.compile(r"\A\s*<IPython\.core\.display\.\w+ object>\s*\Z")
"""What stands for a result in a terminal that cannot show it."""
_OLD_NAMES = {
    "text": "text/plain", "html": "text/html", "latex": "text/latex", "json": "application/json",
    "svg": "image/svg+xml", "png": "image/png", "jpeg": "image/jpeg", "pdf": "application/pdf",
    "javascript": "application/javascript",
}  # fmt: skip
_EMBEDDED = re.compile(r"data:[\w./+-]+;base64,[A-Za-z0-9+/=]*")


def parse(raw: RawDocument) -> ParsedDocument:
    """Elements of all cells. Markdown cells are read as Markdown; a code cell is one code element, its outputs follow.

    A locator is `cell`, counted from 1, with `line` counted inside the cell, or with `anchor` `output-<n>`.
    Units: "cell", and "output" (numbered by its cell) with state "binary_output", "output_capped" or "widget_state" for
    what was left out. Raises: TooLarge, CorruptDocument (no JSON, no notebook)."""
    book = _load(read(raw, MAX_BYTES).text, raw.uri)
    language = _language(book)
    walk = _Walk(language)
    for number, cell in enumerate(_cells(book), 1):
        walk.cell(number, cell)
    title = book.get("metadata", {}).get("title", "") if isinstance(book.get("metadata"), dict) else ""
    metadata = DocumentMetadata(
        title=title if isinstance(title, str) else "",
        front_matter={"programming_language": language} if language else {},
    )
    return document(raw, f"{NAME}@{VERSION}", walk.elements, metadata, walk.units)


def quote(content: bytes, locator: Locator) -> str:
    """The lines of the cell, all of them without `line`, or the output the anchor names; "" without such a cell."""
    cells = _opened(content)
    number = int(locator.cell) if locator.cell and locator.cell.isdecimal() else 0
    if not 1 <= number <= len(cells):
        return ""
    cell = cells[number - 1]
    output = _OUTPUT.match(locator.anchor or "") if locator.line is None else None
    if output:
        outputs = _outputs(cell)
        at = int(output.group(1)) - 1
        return "\n".join(text for _, text in _texts(outputs[at])) if 0 <= at < len(outputs) else ""
    source = _joined(cell.get("source", cell.get("input", "")))
    if locator.line:
        return "\n".join(line.text for line in Lines(source).between(*locator.line))
    return source


def plain_text(raw: RawDocument, cut: Collection[int]) -> str:
    """What is written in the cells, and what they printed, but for the cells of which some was left out (`cut`).

    Results in several forms, of which the parser chooses one, and errors are not in it."""
    pieces = []
    for number, cell in enumerate(_opened(raw.content), 1):
        pieces.append(_EMBEDDED.sub(" ", _joined(cell.get("source", cell.get("input", "")))))
        pieces += [_plain(_joined(output.get("text"))) for output in _outputs(cell)] if number not in cut else []
    return "\n".join(pieces)


@lru_cache(maxsize=1)
def _opened(content: bytes) -> list[dict[str, Any]]:
    """Cells, kept for the next place of the same notebook."""
    return _cells(_load(decode(content).text, "quote"))


def _load(text: str, where: str) -> dict[str, Any]:
    try:
        book = json.loads(text)
    except RecursionError:
        raise Recursive(f"{where}: values are nested too deeply for a notebook") from None
    except ValueError as error:
        raise no_json(f"{where}: no notebook", text, "", getattr(error, "pos", 0)) from None
    if not isinstance(book, dict) or not isinstance(book.get("cells", book.get("worksheets")), list):
        raise CorruptDocument(f"{where}: no notebook: JSON without a list of cells")
    return book


def _cells(book: dict[str, Any]) -> list[dict[str, Any]]:
    """Cells in order; of the old format those of all worksheets."""
    cells = book.get("cells")
    if not isinstance(cells, list):
        sheets = [sheet for sheet in book["worksheets"] if isinstance(sheet, dict)]
        cells = [cell for sheet in sheets for cell in sheet.get("cells", [])]
    return [cell if isinstance(cell, dict) else {} for cell in cells]


def _language(book: dict[str, Any]) -> str:
    metadata = book.get("metadata")
    if not isinstance(metadata, dict):
        return ""
    for place in ("language_info", "kernelspec"):
        found = metadata.get(place)
        name = found.get("name" if place == "language_info" else "language") if isinstance(found, dict) else None
        if isinstance(name, str) and name:
            return name.lower()
    return ""


def _joined(source: Any) -> str:
    if isinstance(source, list):
        return "".join(part for part in source if isinstance(part, str))
    return source if isinstance(source, str) else ""


@dataclass
class _Walk:
    """Reads cells into elements and units."""

    language: str
    elements: list[Element] = field(default_factory=list)
    units: list[SourceUnit] = field(default_factory=list)
    slugger: Slugger = field(default_factory=Slugger)

    def cell(self, number: int, cell: dict[str, Any]) -> None:
        """Take one cell with its outputs; `number` counts from 1."""
        source = _joined(cell.get("source", cell.get("input", "")))
        kind = cell.get("cell_type")
        before = len(self.elements)
        if kind == "code":
            self._code(number, source, str(cell.get("language") or self.language))
            for at, output in enumerate(_outputs(cell), 1):
                self._output(number, at, output)
        elif kind == "heading":  # of the old format
            level = cell.get("level") if isinstance(cell.get("level"), int) else 1
            self.elements += self._markdown(number, f"{'#' * max(1, min(int(level or 1), 6))} {source}")
        elif kind == "markdown":
            self.elements += self._markdown(number, source)
        elif source.strip():
            lines = (1, len(Lines(source)))
            self.elements.append(Element(ElementKind.PARAGRAPH, source, Locator(cell=str(number), line=lines)))
        chars = sum(len(element.text) for element in self.elements[before:])
        self.units.append(SourceUnit("cell", number, "ok" if chars else "no_text", chars))
        if cell.get("attachments"):
            self.units.append(SourceUnit("output", number, "binary_output", 0))

    def _code(self, number: int, source: str, language: str) -> None:
        if source.strip():
            lines = Lines(source)
            used = [line.number for line in lines.all() if line.text.strip()]
            text = "\n".join(line.text for line in lines.between(used[0], used[-1]))
            place = Locator(cell=str(number), line=(used[0], used[-1]))
            self.elements.append(Element(ElementKind.CODE, text, place, language=language))

    def _markdown(self, number: int, source: str) -> Iterator[Element]:
        source = _EMBEDDED.sub("", source)
        parsed = markdown.parse(RawDocument("", "", source.encode("utf-8", "surrogatepass"), "text/markdown"))
        for element in parsed.elements:
            place = Locator(cell=str(number), line=element.locator.line)
            if element.kind is ElementKind.HEADING:
                place = replace(place, anchor=self.slugger.take(element.text))
            yield replace(element, locator=place)

    def _output(self, number: int, at: int, output: dict[str, Any]) -> None:
        place = Locator(cell=str(number), anchor=f"output-{at}")
        left_out = _left_out(output)
        before = len(self.elements)
        for kind, text in _texts(output):
            if kind == "html":
                found, capped = _html_elements(text, place)
                self.elements += found
                left_out += ["output_capped"] if capped else []
                continue
            if len(text) > MAX_OUTPUT_CHARS:
                left_out.append("output_capped")
            kept = text[:MAX_OUTPUT_CHARS].rstrip()
            if kept:
                self.elements.append(Element(ElementKind.CODE, kept, place, language="text"))
        if _data(output) and len(self.elements) == before and not left_out:
            left_out.append("binary_output")
        self.units += [SourceUnit("output", number, state, 0) for state in dict.fromkeys(left_out)]


def _outputs(cell: dict[str, Any]) -> list[dict[str, Any]]:
    outputs = cell.get("outputs")
    return [output for output in outputs if isinstance(output, dict)] if isinstance(outputs, list) else []


def _data(output: dict[str, Any]) -> dict[str, Any]:
    """Forms of a result by media type; the old format has them by short names in the output itself."""
    data = output.get("data")
    if isinstance(data, dict):
        return data
    if output.get("output_type") not in {"pyout", "display_data"}:
        return {}
    return {kind: _joined(output[name]) for name, kind in _OLD_NAMES.items() if name in output}


def _left_out(output: dict[str, Any]) -> list[str]:
    """Why parts of the output are not in the text."""
    kinds = [str(kind) for kind in _data(output)]
    held = [kind for kind in kinds if "widget" in kind or kind.endswith("+json")]
    states = ["widget_state"] if held else []
    if any(not kind.startswith("text/") and kind != "application/json" and kind not in held for kind in kinds):
        states.append("binary_output")
    if any(_ENCODED.search(text) for text in _raw_texts(output)):
        states.append("binary_output")
    return states


def _raw_texts(output: dict[str, Any]) -> list[str]:
    return [_joined(output.get("text")), *(_joined(_data(output).get(kind)) for kind in ("text/plain", "text/html"))]


def _texts(output: dict[str, Any]) -> list[tuple[str, str]]:
    """("html" or "text", what the output says), terminal codes and encoded pictures removed.

    Of several forms of one result the richest with text: a table in HTML, Markdown or LaTeX, JSON, plain text that is
    more than the name of a class, another page, another text."""
    if output.get("output_type") in {"error", "pyerr"}:
        trace = output.get("traceback")
        lines = [line for line in trace if isinstance(line, str)] if isinstance(trace, list) else []
        return [("text", _plain("\n".join(lines) or f"{output.get('ename', '')}: {output.get('evalue', '')}"))]
    data = _data(output)
    page = _joined(data.get("text/html"))
    if "<table" in page.lower():
        return [("html", _EMBEDDED.sub("", page))]
    plain = _OBJECT.sub("", _joined(data.get("text/plain")))
    forms = [_joined(data.get("text/markdown")), _joined(data.get("text/latex")), _json(data), plain]
    text = next((form for form in forms if form.strip()), "")
    if not text and page.strip():
        return [("html", _EMBEDDED.sub("", page))]
    others = (_joined(form) for kind, form in data.items() if kind.startswith("text/") and kind != "text/plain")
    text = text or next((form for form in others if form.strip()), "") or _OBJECT.sub("", _joined(output.get("text")))
    return [("text", _plain(text))] if text.strip() else []


def _json(data: dict[str, Any]) -> str:
    value = data.get("application/json")
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _plain(text: str) -> str:
    """Without terminal codes, encoded data and what a progress bar overwrote."""
    text = _ENCODED.sub("", _EMBEDDED.sub("", _TERMINAL_CODES.sub("", text)))
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join(line.rstrip("\r").rpartition("\r")[2].rstrip() for line in lines).strip("\n")


def _html_elements(page: str, place: Locator) -> tuple[list[Element], bool]:
    """Tables and words of an HTML output, and whether rows or words were left out."""
    raw = RawDocument("", "", page[: MAX_OUTPUT_CHARS * 100].encode("utf-8", "surrogatepass"), "text/html")
    capped = len(page) > MAX_OUTPUT_CHARS * 100
    out = []
    found = html.parse(raw).elements
    capped = capped or len(found) > MAX_OUTPUT_ROWS
    for element in found[:MAX_OUTPUT_ROWS]:
        kept = replace(element, locator=place, text=element.text[:MAX_OUTPUT_CHARS])
        if element.kind is ElementKind.TABLE:
            rows = element.rows[: MAX_OUTPUT_ROWS + element.header_rows]
            kept = replace(element, locator=place, rows=rows, text=table_text(rows))
        elif element.kind is ElementKind.HEADING:
            kept = replace(kept, kind=ElementKind.PARAGRAPH, level=0)
        capped = capped or kept.text != element.text
        out.append(kept)
    return out, capped


PARSER = ParserSpec(NAME, VERSION, MEDIA_TYPES, parse, quote)
