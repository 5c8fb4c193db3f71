"""References by unit and code by symbol: from the parser's elements to chunks whose places open."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chunking import CHUNKERS, auto, chunk
from chunking.syntax import grammar_of
from cleaning import CleaningRules, clean
from embedding.tokenizer import load_tokenizer
from kprep.core.models import ChildChunk, ChunkedDocument, ChunkProfile, RawDocument, RedactedDocument
from parsers import parse, parser_for
from parsers.media_type import detect
from quality.text import share_found

GOLDEN = Path(__file__).parents[2] / "golden" / "parsers"
FORMATS = (
    *("openapi", "json_schema", "graphql", "sql_ddl", "csv_table", "data_dictionary", "yaml_config", "ini_config"),
    *("code", "notebook", "knowledge_entry"),
)
CASES = sorted(
    path
    for path in GOLDEN.glob("*/input.*")
    if path.parent.name.partition("-")[0] in FORMATS
    and "error" not in json.loads((path.parent / "expected.json").read_text(encoding="utf-8"))
)
COUNT = load_tokenizer()


def redacted(name: str, content: bytes) -> RedactedDocument:
    media_type = detect(name, content)
    parsed = parse(RawDocument(f"s/{name}", name, content, media_type), parser_for(media_type))
    found = clean(parsed, CleaningRules.load({}))
    return RedactedDocument(
        found.uri, found.media_type, found.parser, found.elements, found.units, found.metadata, found.removals, ()
    )


def cut(name: str, text: str, **sizes: int) -> ChunkedDocument:
    return chunk(redacted(name, text.encode()), ChunkProfile(**sizes), COUNT)  # type: ignore[arg-type]


@pytest.mark.req("D9.3", "D2.4", "D2.5", "D2.6")
@pytest.mark.parametrize("limit", [256, 64, 48])
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.parent.name)
def test_every_chunk_stands_at_its_place(path: Path, limit: int) -> None:
    content = path.read_bytes()
    source = redacted(path.name, content)
    quote = parser_for(source.media_type).quote
    chunked = chunk(source, ChunkProfile(max_tokens=limit, target_tokens=limit * 5 // 8), COUNT)
    for child in chunked.children:
        share = share_found(child.text[len(child.lead) :], quote(content, child.locator))
        assert share is None or share >= 0.9, (child.locator, child.text)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.parent.name)
def test_the_elements_choose_the_strategy(path: Path) -> None:
    kind = path.parent.name.partition("-")[0]
    expected = {"code": "code", "notebook": "sections"}.get(kind, "openapi")
    if path.parent.name in {"csv_table-c21_quotes", "csv_table-tabs", "yaml_config-d23_template"}:
        expected = "sections"
    source = redacted(path.name, path.read_bytes())
    assert auto.choose(source).name == expected
    profile = ChunkProfile()
    assert chunk(source, profile, COUNT) == CHUNKERS[expected].chunk(source, profile, COUNT)


@pytest.mark.req("A1.1", "A1.7", "A1.8")
def test_a_fragment_is_a_chunk_and_keeps_its_type() -> None:
    (path,) = (GOLDEN / "knowledge_entry-lines").glob("input.*")
    source = redacted(path.name, path.read_bytes())
    for strategy in ("auto", "openapi", "sections", "code"):
        children = chunk(source, ChunkProfile(strategy=strategy), COUNT).children
        assert [child.fragment for child in children] == ["def", "int", "ex", "form", "app", "def", "ex", "ex"]


@pytest.mark.req("D2.4", "D2.6", "D6.3")
def test_an_operation_is_a_parent_and_an_error_code_a_child() -> None:
    (path,) = (GOLDEN / "openapi-d21_orders").glob("input.*")
    chunked = chunk(redacted(path.name, path.read_bytes()), ChunkProfile(), COUNT)
    paths = [parent.heading_path for parent in chunked.parents]
    assert ("Orders API", "GET /v1/orders/{id} Get an order") in paths
    assert len(paths) == len(set(paths))
    (missing,) = (child for child in chunked.children if child.locator.anchor == "get-v1-orders-id/404")
    assert missing.fragment == "error"
    assert missing.text.startswith("GET /v1/orders/{id}\n404\nNo such order")


SHORT = "def short(a):\n    return a\n\n\n"
STEP = "    # step {n}\n    if rows[{n}] == {n}:\n        total = compute(rows[{n}])\n        report(total, {n})\n"
LONG = "def long(rows):\n" + "".join(STEP.format(n=n) for n in range(40))


def whole_statements(child: ChildChunk) -> bool:
    """A piece of the long function begins with its head or a comment, and ends with the last line of an `if`."""
    lines = child.text.split("\n")
    return lines[0].strip().startswith(("def long", "# step")) and lines[-1].strip().startswith("report(")


def test_targets_of_links_do_not_part_the_words_around_them() -> None:
    source = 'See [the list](parts.csv "Parts") or `it <https://example.org/a>`_ and https://example.org[the page] now.'
    assert share_found("See the list or it and the page now.", source) == 1.0


@pytest.mark.req("D2.17", "D6.4", "D6.10", "D9.9", "D6.17")
def test_code_is_cut_between_statements_only() -> None:
    chunked = cut("a.py", SHORT + LONG, max_tokens=128, target_tokens=80)
    assert chunked.uri == "s/a.py"
    assert [parent.heading_path for parent in chunked.parents] == [("short",), ("long",)]
    short, *rest = chunked.children
    assert short.text == SHORT.strip()
    assert len(rest) > 5
    assert all(whole_statements(child) for child in rest)
    assert all(child.overlap == 0 and child.lead == "" and child.code_language == "python" for child in rest)


@pytest.mark.req("D9.9")
@pytest.mark.parametrize("language", ["js", "java", "go", "cs", "php"])
def test_braces_stay_with_their_statement(language: str) -> None:
    loops = "".join(
        f"  if (a{n} > {n}) {{\n    call{n}(a{n});\n  }} else {{\n    other{n}();\n  }}\n" for n in range(30)
    )
    head = {"js": "function f() {\n", "go": "func f() {\n", "php": "<?php\nfunction f() {\n"}
    text = head.get(language, "class A {\n void f() {\n") + loops + "}\n" * (2 if language in {"java", "cs"} else 1)
    children = cut(f"a.{language}", text, max_tokens=128, target_tokens=80).children
    pieces = [child.text for child in children if "call" in child.text]
    assert len(pieces) > 3
    for piece in pieces[1:]:
        assert piece.lstrip().startswith("if (a"), piece[:60]


@pytest.mark.req("D9.9")
def test_a_condition_that_fits_stays_whole_and_its_statement_with_it() -> None:
    tests = "\n        && ".join(f"ready(pump, {n}, speed_of(pump))" for n in range(6))
    before = "".join(f"    start(pump, {n});\n" for n in range(6))
    calls = "".join(f"        adjust(pump, {n}, speed_of(pump));\n" for n in range(30))
    for opening, closing in (("{\n", "    }\n"), ("\n        for (;;) {\n", "        }\n")):
        text = f"void f(void) {{\n{before}    if (\n        {tests}) {opening}{calls}{closing}}}\n"
        texts = [child.text for child in cut("a.c", text, max_tokens=128, target_tokens=80).children]
        assert len(texts) > 3
        head = f"if (\n        {tests}) {opening}".rstrip()
        assert any(head in piece for piece in texts)


CLASS = (
    "class Order:\n    state = 1\n\n    def first(self):\n        return {a}\n\n"
    "    def second(self):\n        return {b}\n"
)


@pytest.mark.req("D9.9", "D6.10")
def test_a_small_class_is_whole_and_a_large_one_is_its_methods() -> None:
    (small,) = cut("a.py", CLASS.format(a=1, b=2)).children
    assert small.text == CLASS.format(a=1, b=2).strip()
    assert (small.heading_path, small.locator.line) == (("Order",), (1, 8))
    long = " + ".join(f"self.value_{n}" for n in range(30))
    large = cut("a.py", CLASS.format(a=long, b=long))
    assert [parent.heading_path for parent in large.parents] == [("Order",), ("Order", "first"), ("Order", "second")]


def test_code_outside_symbols_has_no_heading() -> None:
    chunked = cut("a.py", "import os\n\n\ndef f():\n    pass\n\n\nif __name__ == '__main__':\n    f()\n")
    assert [child.heading_path for child in chunked.children] == [(), ("f",), ()]


def test_rows_of_repeated_headers_are_cited_by_their_own_number() -> None:
    text = "name,size\n" + "".join(f"record number {n},{n}\n" for n in range(2, 250))
    for child in cut("a.csv", text, max_tokens=64, target_tokens=40).children:
        first = next(line for line in child.text.split("\n") if line.startswith("record"))
        row = int(first.rpartition("| ")[2])
        assert child.locator.row in {row, row - (1 if child.locator.row == 1 else 0)}


def test_names_of_languages_in_documents() -> None:
    assert [grammar_of(name) for name in ("Py", "c++", "TSX", "mermaid", "")] == ["python", "cpp", "tsx", "", ""]
