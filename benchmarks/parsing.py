"""How much of the expected Markdown the parsers find, and how fast.

`python benchmarks/parsing.py [format]... [--worst N] [--headings] [--write] [--generated]`

`--generated`: only the speed of the formats whose files are made here (references, code, notebooks, entries).
Otherwise it reads `parse/docling` below KPREP_SETS (default ../shared/data beside the repository). Containment: share
of the expected words (with multiplicity, letters and digits only) that the parsed elements hold.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from html import unescape
from pathlib import Path
from unicodedata import normalize

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from kprep.core.errors import ParseError
from kprep.core.models import ElementKind, Locator, ParsedDocument, RawDocument
from parsers import coverage, parse, parser_for
from parsers.media_type import detect

SETS = Path(os.environ.get("KPREP_SETS", Path(__file__).resolve().parents[2] / "shared" / "data"))


HEADS = {
    **dict.fromkeys(("c", "cpp", "cs"), "int add(int a, int b)"),
    **dict.fromkeys(("ts", "js"), "function add(a, b)"),
    "java": "class Adder",
    "go": "func add(a int, b int) int",
    "rs": "fn add(a: i32, b: i32) -> i32",
    "sh": "add()",
}
"""Suffix -> how a function begins."""


def merged_once(expected: str) -> str:
    """The expected Markdown with the text of a merged cell once: it repeats it for each place the cell covers."""
    before: list[str] = []
    lines = []
    for line in expected.splitlines():
        if not re.fullmatch(r"\|.+\|\s*", line):
            before = []
            lines.append(line)
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
            seen = [*before, *[""] * (len(cells) - len(before))]
            alone = [c if c != seen[at] and (not at or c != cells[at - 1]) else "" for at, c in enumerate(cells)]
            before, cells = cells, alone
        lines.append(" ".join(cells))
    return "\n".join(lines)


def words(text: str) -> Counter[str]:
    """Letters and digits only, lower case; markup of the expected Markdown gone."""
    text = re.sub(r"<!--.*?-->|!?\[[^\]]*\]\(data:[^)]*\)|\]\([^)\s]*\)|</?[a-zA-Z][^>\n]{0,200}>", " ", text)
    for escaped, plain in (("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("\\_", "_")):
        text = text.replace(escaped, plain)
    return Counter(re.findall(r"[^\W_]+", normalize("NFKC", text).lower()))


def folded(text: str) -> str:
    """Letters and digits only, lower case."""
    text = unescape(re.sub(r"<!--.*?-->|\]\([^)\s]*\)", "", text))
    return "".join(re.findall(r"[^\W_]+", normalize("NFKC", text).lower()))


def headings_found(expected: str, document: ParsedDocument) -> tuple[int, int, int, list[str]]:
    """(in the same order in both, expected, found, those missed) of the headings."""
    fenced = re.sub(r"^```.*?^```", "", expected, flags=re.DOTALL | re.MULTILINE)
    wanted = [folded(text) for text in re.findall(r"^#{1,6}\s+(.+)$", fenced, flags=re.MULTILINE)]
    wanted = [text for text in wanted if text]
    got = [folded(element.text) for element in document.elements if element.kind is ElementKind.HEADING]
    same = sum(block.size for block in SequenceMatcher(None, wanted, got, autojunk=False).get_matching_blocks())
    return (
        same,
        len(wanted),
        len(got),
        [text[:30] for text in wanted if text not in got] + [f"+{text[:30]}" for text in got if text not in wanted],
    )


def cells_found(expected: str, document: ParsedDocument) -> tuple[int, int]:
    """(found in a table, expected) of the distinct table cells with text; one alone in its row may be a paragraph."""
    rows = [row.split("|") for row in re.findall(r"^\|(.+)\|\s*$", expected, flags=re.MULTILINE)]
    wanted = {folded(cell) for row in rows for cell in row} - {""}
    alone = {folded(row[0]) for row in rows if len(row) == 1}
    got = {folded(cell) for element in document.elements for row in element.rows for cell in row}
    return len(wanted & (got | alone & {folded(element.text) for element in document.elements})), len(wanted)


def generated() -> Iterator[tuple[str, str, str]]:
    """(label, file name, text of about one megabyte) for each structured format."""
    schema = {"type": "object", "required": ["id"], "properties": {
        **{f"field_{n}": {"type": "string", "description": f"What field {n} means", "maxLength": n} for n in range(12)},
        "parent": {"$ref": "#/components/schemas/S0"},
    }}  # fmt: skip
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/S1"}}}
    operation = {"summary": "Get a thing", "operationId": "get", "responses": {
        "200": {"description": "The thing", "content": content}, "404": {"description": "No such thing"},
    }}  # fmt: skip
    schemas = {f"S{n}": schema for n in range(400)}
    api = {
        "openapi": "3.0.0",
        "info": {"title": "Things", "version": "1"},
        "paths": {f"/v1/things{n}/{{id}}": {"get": operation, "delete": operation} for n in range(700)},
        "components": {"schemas": schemas},
    }
    import yaml

    entry = {"name": "Nash equilibrium", "aliases": ["NE"], "metadata": {"difficulty": "hard"}, "fragments": [
        {"type": kind, "text": f"What the {kind} says in a sentence of some length."} for kind in ("def", "ex", "form")
    ]}  # fmt: skip
    method = "    def total(self, lines):\n        # all of them\n        return sum(lines)\n"
    python = f'class Order:\n    """One order."""\n\n{method}\n\n'
    brace = "/** Adds. */\nint add(int a, int b) {\n  return a + b;\n}\n\n"
    cell = {"cell_type": "code", "source": "print(1)\n" * 5, "outputs": [{"output_type": "stream", "text": "1\n" * 5}]}
    yield "openapi json", "a.json", json.dumps(api, indent=1)
    yield "openapi yaml", "a.yaml", yaml.dump(json.loads(json.dumps(api)), Dumper=yaml.CSafeDumper, sort_keys=False)
    yield (
        "json schema",
        "a.json",
        json.dumps({"$schema": "https://json-schema.org/draft-07/schema", "$defs": schemas}),
    )
    yield (
        "graphql",
        "a.graphql",
        "".join(f'"A thing"\ntype T{n} {{\n  id: ID! # the id\n  name(first: Int): String\n}}\n' for n in range(13000)),
    )
    yield (
        "sql ddl",
        "a.sql",
        "".join(
            f"CREATE TABLE t{n} (\n  id INT PRIMARY KEY, -- the id\n  name VARCHAR(20) NOT NULL\n);\n"
            for n in range(12000)
        ),
    )
    yield "csv", "a.csv", "id,name,text\n" + "".join(f'{n},name {n},"some text, quoted"\n' for n in range(28000))
    yield (
        "data dictionary",
        "a.csv",
        "table,column,type,description\n" + "".join(f"t{n // 20},c{n},text,What it means\n" for n in range(30000)),
    )
    yield (
        "yaml",
        "a.yaml",
        "".join(f"section{n}:\n  # what it is\n  key: value {n}\n  list: [1, 2]\n" for n in range(18000)),
    )
    yield "ini", "a.ini", "".join(f"[section{n}]\n; what it is\nkey = value {n}\n" for n in range(24000))
    yield "python", "a.py", python * 9000
    for suffix, head in HEADS.items():
        yield suffix, f"a.{suffix}", brace.replace("int add(int a, int b)", head) * 17000
    yield "rb", "a.rb", "# Adds.\ndef add(a, b)\n  a + b\nend\n\n" * 26000
    yield "notebook", "a.ipynb", json.dumps({"cells": [cell] * 4500, "nbformat": 4, "metadata": {}}, indent=1)
    yield "knowledge entries", "a.jsonl", "\n".join(json.dumps(entry) for _ in range(2800))


def print_speeds() -> None:
    """MB/s of parsing, detection of the type included, one line a format."""
    for label, name, text in generated():
        content = text.encode()
        started = time.perf_counter()
        media_type = detect(name, content)
        document = parse(RawDocument(name, name, content, media_type), parser_for(media_type))
        seconds = time.perf_counter() - started
        size = len(content) / 1e6
        print(
            f"{label:18} {document.parser:18} {size:5.2f} MB, {len(document.elements):6} elements, "
            f"{size / seconds:6.2f} MB/s"
        )


@dataclass
class Figures:
    """Of the files of one format."""

    kind: str
    scores: list[tuple[float, str, list[str]]] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    reached: list[float] = field(default_factory=list)
    structure: Counter[str] = field(default_factory=Counter)
    cell_shares: list[float] = field(default_factory=list)
    seconds: float = 0.0
    size: int = 0
    pages: int = 0

    @property
    def words(self) -> float:
        return mean(score for score, _, _ in self.scores)

    @property
    def speed(self) -> str:
        if self.pages:
            return f"{self.pages / self.seconds:.1f} pages/s"
        return f"{self.size / 1e6 / max(self.seconds, 1e-9):.2f} MB/s"

    def row(self) -> str:
        """One row of the table."""
        count, refused = self.structure, ", ".join(f"{n} {reason}" for reason, n in sorted(self.refused.items()))
        return (
            f"| {self.kind} | {len(self.scores)} | {refused or '-'} | {shown(self.scores, self.words)} | "
            f"{count['cells']}/{count['wanted_cells']} | {count['same']}/{count['wanted']} ({count['got']}) | "
            f"{shown(self.reached, mean(self.reached))} | {count['cited']}/{count['elements']} | {self.speed} |"
        )


HEAD = (
    "| format | parsed | refused | words | cells | headings | reached | cited | speed |\n"
    "|---|---|---|---|---|---|---|---|---|"
)
ABOUT = """\
# Parsing: figures

Written by `make quality` (`python benchmarks/parsing.py --write`) over the docling test documents with
their expected Markdown.

- words: mean over the files of the share of the expected words (each as often as it stands) that the elements hold. A
  merged cell's words count once: the expected Markdown repeats them for each place the cell covers.
- cells: distinct table cells found in a table, of those expected; one alone in its row may be a paragraph. Dates that
  are expected with "00:00:00" are wanted as dates. headings: in the expected order, of those expected
  (found in all).
- reached: mean share of the source's letters that reached an element (`parsers.coverage`); cited: elements whose words
  all stand in what `quote` reads at their place.
- speed: one process, detection included; small files, so the start of libraries weighs.
"""
LIMITS = """\
## What is missing and why

- Comments (pptx, xlsx, docx) are fragments of their own; the expected Markdown names them by "author" and "time", and
  names the kind of each chart ("Bar chart").
- Equations of Word files are LaTeX; a few commands are written another way (`\\ldots` for `\\textellipsis`).
- A table inside a cell is a table of its own; the expected Markdown repeats its words in the outer cell.
- Tables of a PDF without ruling lines stay lines of text (odf_table_with_title_01.ods.pdf,
  table_mislabeled_as_picture.pdf, text_document_03.odt.pdf): they hold most of the cells that are missing.
- Patents (uspto) in the plain text of 1976 keep their words; its titles are prose.
- EBCDIC, `.doc` and `.ppt` are refused with their reason.
- right_to_left_02.pdf: its font stretches words with letters that its map calls letters; readers differ in how many.
"""


def mean(values: Iterable[float]) -> float:
    """Mean, 0.0 of nothing."""
    listed = list(values)
    return sum(listed) / max(len(listed), 1)


def shown(values: Sequence[object], value: float) -> str:
    """Three digits, a dash of nothing."""
    return f"{value:.3f}" if values else "-"


def cited(content: bytes, document: ParsedDocument) -> int:
    """Elements whose words all stand in the original at their place."""
    quote = parser_for(document.media_type).quote
    read: dict[Locator, str] = {}
    right = 0
    for element in document.elements:
        if element.locator not in read:
            read[element.locator] = "".join(re.findall(r"[^\W_]+", quote(content, element.locator)))
        right += all(word in read[element.locator] for word in re.findall(r"[^\W_]+", element.text))
    return right


def measure(kind: str, entries: Sequence[dict[str, str]], root: Path) -> Figures:
    """Parse every file of a format and compare it with what is expected."""
    figures = Figures(kind)
    for entry in entries:
        content = (root / "docs" / entry["doc"]).read_bytes()
        name = Path(entry["doc"]).name
        started = time.perf_counter()
        try:
            media_type = detect(name, content)
            document = parse(RawDocument(name, name, content, media_type), parser_for(media_type))
        except ParseError as error:
            figures.refused[error.reason] += 1
            continue
        figures.seconds += time.perf_counter() - started
        figures.size += len(content)
        figures.pages += sum(unit.kind == "page" for unit in document.units)
        figures.reached.append(coverage(RawDocument(name, name, content, media_type), document))
        markdown = (root / entry["expected"]).read_text().replace(" 00:00:00", "")  # a date is a date
        compare(figures, name, markdown, document)
        figures.structure["cited"] += cited(content, document)
        figures.structure["elements"] += len(document.elements)
    return figures


def compare(figures: Figures, name: str, markdown: str, document: ParsedDocument) -> None:
    """Words, headings and cells of one file."""
    expected = words(merged_once(markdown))
    said = (f"{element.marker} {element.text}" for element in document.elements)
    got = Counter(re.findall(r"[^\W_]+", normalize("NFKC", "\n".join(said)).lower()))
    missing = [word for word, _ in (expected - got).most_common(12)]
    figures.scores.append((sum((expected & got).values()) / max(expected.total(), 1), name, missing))
    same, wanted, found, missed = headings_found(markdown, document)
    cells, wanted_cells = cells_found(markdown, document)
    figures.cell_shares.extend([cells / wanted_cells] if wanted_cells else [])
    counts = {"same": same, "wanted": wanted, "got": found, "cells": cells, "wanted_cells": wanted_cells}
    figures.structure.update(counts)
    if missed and "--headings" in sys.argv:
        print("   ", name, missed)


def main() -> None:
    """Print a table with one row a format, and the worst files; `--write` writes the page in docs/quality."""
    if "--generated" in sys.argv:
        print_speeds()
        return
    root = SETS / "parse" / "docling"
    entries = [json.loads(line) for line in (root / "index.jsonl").read_text().splitlines()]
    wanted = [name for name in sys.argv[1:] if not name.startswith("-") and not name.isdigit()]
    worst = int(sys.argv[sys.argv.index("--worst") + 1]) if "--worst" in sys.argv else 0
    rows, all_figures = [HEAD], []
    for kind in wanted or sorted({entry["format"] for entry in entries}):
        figures = measure(kind, [entry for entry in entries if entry["format"] == kind], root)
        all_figures.append(figures)
        rows.append(figures.row())
        for score, name, missing in sorted(figures.scores)[:worst]:
            print(f"    {score:.3f} {name} missing {missing}")
    count = sum(len(figures.scores) for figures in all_figures)
    refused = sum(figures.refused.total() for figures in all_figures)
    overall = mean(score for figures in all_figures for score, _, _ in figures.scores)
    cells = mean(share for figures in all_figures for share in figures.cell_shares)
    rows.append("")
    rows.append(
        f"{count} files parsed, {refused} refused with a reason. Mean word containment {overall:.4f} (wanted: 0.97), "
        f"mean cell containment over files with tables {cells:.4f} (wanted: 0.95)."
    )
    print("\n".join(rows))
    if "--write" in sys.argv:
        page = Path(__file__).resolve().parents[1] / "docs" / "quality" / "parsing.md"
        page.write_text("\n".join([ABOUT, *rows, "", LIMITS]).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
