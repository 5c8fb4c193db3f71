"""How much of the expected Markdown the parsers find, and how fast.

`python benchmarks/parsing.py [format] [--worst N] [--generated]`

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
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path
from unicodedata import normalize

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from kprep.core.errors import ParseError
from kprep.core.models import ElementKind, ParsedDocument, RawDocument
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
    return "".join(re.findall(r"[^\W_]+", re.sub(r"<!--.*?-->|\]\([^)\s]*\)", "", text).lower()))


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
    """(found in a table, expected) of the distinct table cells with text."""
    rows = re.findall(r"^\|(.+)\|\s*$", expected, flags=re.MULTILINE)
    wanted = {folded(cell) for row in rows for cell in row.split("|")} - {""}
    got = {folded(cell) for element in document.elements for row in element.rows for cell in row}
    return len(wanted & got), len(wanted)


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


def main() -> None:
    """Print one line a format, and the worst files."""
    if "--generated" in sys.argv:
        print_speeds()
        return
    root = SETS / "parse" / "docling"
    entries = [json.loads(line) for line in (root / "index.jsonl").read_text().splitlines()]
    wanted = [name for name in sys.argv[1:] if not name.startswith("-") and not name.isdigit()]
    worst = int(sys.argv[sys.argv.index("--worst") + 1]) if "--worst" in sys.argv else 5
    for kind in wanted or sorted({entry["format"] for entry in entries}):
        failures: Counter[str] = Counter()
        structure: Counter[str] = Counter()
        scores: list[tuple[float, str, list[str]]] = []
        reached: list[float] = []
        seconds, size, pages, total, found = 0.0, 0, 0, 0, 0
        for entry in (entry for entry in entries if entry["format"] == kind):
            content = (root / "docs" / entry["doc"]).read_bytes()
            name = Path(entry["doc"]).name
            started = time.perf_counter()
            try:
                media_type = detect(name, content)
                document = parse(RawDocument(name, name, content, media_type), parser_for(media_type))
            except ParseError as error:
                failures[f"{error.reason} ({name})"] += 1
                continue
            finally:
                seconds += time.perf_counter() - started
                size += len(content)
            reached.append(coverage(RawDocument(name, name, content, media_type), document))
            pages += sum(unit.kind == "page" for unit in document.units)
            expected = words(merged_once((root / entry["expected"]).read_text()))
            said = (f"{element.marker} {element.text}" for element in document.elements)
            got = Counter(re.findall(r"[^\W_]+", normalize("NFKC", "\n".join(said)).lower()))
            hit = sum((expected & got).values())
            total, found = total + expected.total(), found + hit
            same, wanted_headings, got_headings, missed = headings_found(
                (root / entry["expected"]).read_text(), document
            )
            structure += Counter({"same": same, "wanted": wanted_headings, "got": got_headings})
            if missed and "--headings" in sys.argv:
                print("   ", name, missed)
            cells, wanted_cells = cells_found((root / entry["expected"]).read_text(), document)
            structure += Counter({"cells": cells, "wanted_cells": wanted_cells})
            missing = [word for word, _ in (expected - got).most_common(12)]
            scores.append((hit / max(expected.total(), 1), name, missing))
        speed = f"{pages / seconds:.1f} pages/s" if pages else f"{size / 1e6 / max(seconds, 1e-9):.2f} MB/s"
        mean = sum(score for score, _, _ in scores) / max(len(scores), 1)
        print(
            f"{kind}: {len(scores)} parsed, failed {dict(failures)}, containment {found / max(total, 1):.4f} "
            f"(mean of files {mean:.4f}), reached {sum(reached) / max(len(reached), 1):.4f} "
            f"(least {min(reached, default=0):.3f}), {speed}"
        )
        print(
            f"    headings in order {structure['same']} of {structure['wanted']} expected, {structure['got']} found; "
            f"table cells {structure['cells']} of {structure['wanted_cells']}"
        )
        for score, name, missing in sorted(scores)[:worst]:
            print(f"    {score:.3f} {name} missing {missing}")


if __name__ == "__main__":
    main()
