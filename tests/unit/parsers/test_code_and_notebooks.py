"""Symbols of source code and cells of notebooks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from kprep.core.errors import CorruptDocument
from kprep.core.models import Element, ElementKind, Locator, ParsedDocument, RawDocument
from parsers import PARSERS, parse

GOLDEN = Path(__file__).parents[2] / "golden" / "parsers"


def code(media_type: str, text: str) -> ParsedDocument:
    return parse(RawDocument("s/a", "a", text.encode(), media_type), PARSERS["code"])


def pieces(found: ParsedDocument) -> list[Element]:
    return [element for element in found.elements if element.kind is ElementKind.CODE]


SAMPLES = [
    (
        "text/x-python",
        "class A:\n    x = 1\n    def m(self):\n        pass\n\nasync def f(): pass\n",
        ["A", "A.m", "f"],
    ),
    ("text/x-typescript", "export class A {\n  m() {}\n}\nexport const f = () => {\n};\n", ["A", "A.m", "f"]),
    ("text/x-tsx", "export function App() {\n  return <p>x</p>;\n}\n", ["App"]),
    ("text/javascript", "class A {\n  m() {}\n}\nfunction f() {}\nconst g = function () {};\n", ["A", "A.m", "f", "g"]),
    ("text/x-java", "package a.b;\nclass A {\n  int m() { return 1; }\n  A() {}\n}\n", ["A", "A.m", "A.A"]),
    ("text/x-go", "package a\n\ntype T struct{}\n\nfunc (t *T) M() {}\nfunc F() {}\n", ["T", "T.M", "F"]),
    ("text/x-rust", "struct S;\nimpl S {\n    fn m() {}\n}\nfn f() {}\n", ["S", "S", "S.m", "f"]),
    ("text/x-c", "int f(void) { return 1; }\nstruct s { int a; };\n", ["f", "s"]),
    ("text/x-c++", "namespace n {\nclass A {\n  int m() { return 1; }\n};\n}\n", ["n", "n.A", "n.A.m"]),
    ("text/x-csharp", "namespace N {\n  class A {\n    void M() {}\n  }\n}\n", ["N", "N.A", "N.A.M"]),
    ("text/x-ruby", "module M\n  class A\n    def m; end\n  end\nend\n", ["M", "M.A", "M.A.m"]),
    ("text/x-php", "<?php\nclass A {\n  function m() {}\n}\nfunction f() {}\n", ["A", "A.m", "f"]),
    ("text/x-shellscript", "f() {\n  echo\n}\nf\n", ["f"]),
    ("text/x-sql", "UPDATE a SET b = 1;\nSELECT * FROM c;\n", ["a", "c"]),
]
HARD_TO_READ = [
    (
        "text/x-c++",
        "class MYLIB_API Widget final : public QObject {\n  Q_OBJECT\nsignals:\n  void g(int v);\n};\n",
        ["Widget"],
    ),
    (
        "text/x-c++",
        "struct API_EXPORT Config { int x; };\nclass API(1) Reader { public: int r(); };\n",
        ["Config", "Reader"],
    ),
    (
        "text/x-c++",
        "BEGIN_NAMESPACE(n)\nint f() { return 1; }\nEND_NAMESPACE\n\nTEST_F(Suite, Does) {\n}\n",
        ["f", "TEST_F(Suite, Does)"],
    ),
    (
        "text/x-c",
        "int f(int a) {\n#ifdef D\n  if (a) {\n#else\n  if (!a) {\n#endif\n  }\n  return a;\n}\nint g(void) {}\n",
        ["f", "g"],
    ),
    (
        "text/x-c",
        (
            "#ifndef A_H\n#define A_H\n#ifdef X\nint f(int a) {\n#elif Y\nint f(int b) {\n#else\nint f() {\n#endif\n"
            'const char *s = "}";\nreturn 1; }\nint g(void)\n{\n}\n#endif\n'
        ),
        ["f", "g"],
    ),
    (
        "text/x-c",
        (
            '#ifdef __cplusplus\nextern "C" {\n#endif\n/** Opens. */\nAPI_EXPORT int API_CALL f(const char *n);\n'
            "void g(int h);\nint g2(void);\n#ifdef __cplusplus\n}\n#endif\nint g2(void) { return 1; }\n"
        ),
        ["f", "g", "g2"],
    ),
    ("text/x-sql", "WITH o AS (\n  SELECT id FROM orders\n)\nSELECT * FROM o JOIN c ON c.id = o.id;\n", ["c"]),
    (
        "text/x-sql",
        (
            "DELIMITER $$\nCREATE PROCEDURE p(IN a INT)\nBEGIN\n  UPDATE b SET c = 1;\n  DELETE FROM d;\nEND$$\n"
            "CREATE DEFINER=`r`@`%` TRIGGER t BEFORE INSERT ON b FOR EACH ROW BEGIN SET @x = 1; END$$\n"
            "DELIMITER ;\nSELECT * FROM e;\n"
        ),
        ["p", "t", "e"],
    ),
    (
        "text/javascript",
        (
            "class A {\n  state = {};\n  handle = (e) => {\n  };\n  m() {}\n}\nmodule.exports.run = function () {};\n"
            "A.prototype.n = function () {};\nexports.B = class {};\nmodule.exports = function main() {};\nA.x = 1;\n"
        ),
        ["A", "A.handle", "A.m", "run", "A.n", "B", "main"],
    ),
    ("text/x-typescript", "class A {\n  private h = async () => {};\n}\n", ["A", "A.h"]),
]


@pytest.mark.req("D2.15", "D2.18", "D2.19", "D6.4")
@pytest.mark.parametrize(
    ("media_type", "text", "symbols"), [*SAMPLES, *HARD_TO_READ], ids=lambda value: str(value)[:20]
)
def test_every_language_names_its_symbols_and_loses_nothing(media_type: str, text: str, symbols: list[str]) -> None:
    found = code(media_type, text)
    assert found.metadata.front_matter["symbols"] == symbols
    assert "".join("".join(e.text for e in pieces(found)).split()) == "".join(text.split())
    assert {e.language for e in pieces(found)} == {found.metadata.front_matter["programming_language"]}
    assert all(text[slice(*(e.locator.char or (0, 0)))] == e.text for e in pieces(found))


def test_what_a_grammar_cannot_read_costs_no_other_symbol() -> None:
    found = code(
        "text/x-c", "/* Ä */\nint f( {\n\nint g(void) { return 1; }\n\n/** Of h. */\nint h(void) { return 2; }\n"
    )
    (h,) = [e for e in pieces(found) if e.locator.anchor == "h"]
    assert h.text == "/** Of h. */\nint h(void) { return 2; }"


def test_no_piece_is_a_semicolon() -> None:
    found = code("text/x-c", "void f(void) {}\n;\nvoid g(void) {}\n;\n")
    assert [e.text for e in pieces(found)] == ["void f(void) {}\n;", "void g(void) {}\n;"]


DOCS = [
    ("text/x-python", 'def f():\n    """Says why."""\n'),
    ("text/x-typescript", "/** Says why. */\nexport function f(): void {}\n"),
    ("text/x-tsx", "/** Says why. */\nexport const f = () => <p/>;\n"),
    ("text/javascript", "/** Says why. */\nfunction f() {}\n"),
    ("text/x-java", "class A {}\n/** Says why. */\n@Deprecated\nclass f {}\n"),
    ("text/x-go", "package a\n\n// f: says why.\nfunc f() {}\n"),
    ("text/x-rust", "/// Says why.\n#[inline]\nfn f() {}\n"),
    ("text/x-c", "int a;\n\n/* Says why. */\nint f(void) { return 1; }\n"),
    ("text/x-c++", "int a;\n\n/// Says why.\ntemplate <class T>\nT f(T x) { return x; }\n"),
    ("text/x-csharp", "using System;\n\n/// <summary>Says why.</summary>\n[Obsolete]\nclass f {}\n"),
    ("text/x-ruby", "require 'a'\n\n# Says why.\ndef f; end\n"),
    ("text/x-php", "<?php\n$a = 1;\n\n/** Says why. */\nfunction f() {}\n"),
    ("text/x-shellscript", "#!/bin/sh\nset -e\n\n# Says why.\nf() {\n  echo\n}\n"),
    ("text/x-sql", "SELECT 1;\n\n-- Says why.\nUPDATE f SET a = 1;\n"),
]


@pytest.mark.req("D2.15", "D2.19")
@pytest.mark.parametrize(("media_type", "text"), DOCS, ids=lambda value: value[:20])
def test_what_is_said_of_a_symbol_stands_with_it(media_type: str, text: str) -> None:
    found = code(media_type, text)
    (symbol,) = (element for element in pieces(found) if element.locator.anchor == "f")
    assert "ays why." in symbol.text
    assert [e.text for e in found.elements if e.kind is ElementKind.HEADING][-1] == "f"


@pytest.mark.req("D2.19", "D3.9")
def test_letters_of_several_bytes_shift_nothing() -> None:
    source = (GOLDEN / "code-c14_python" / "input.py").read_text(encoding="utf-8")
    found = {e.locator.anchor: e for e in pieces(code("text/x-python", source))}
    assert found["total"].text.startswith("# about total\n@cached(1)\ndef total(lines):")
    assert found["Order.closed"].text.endswith('return self.state != "open"')
    assert source.split("\n")[(found["total"].locator.line or (0, 0))[0] - 1] == "# about total"


def test_a_package_is_the_title() -> None:
    assert code("text/x-java", "package com.acme;\nclass A {}\n").metadata.title == "com.acme"


def test_broken_code_is_still_there() -> None:
    source = (GOLDEN / "code-broken" / "input.py").read_text()
    found = code("text/x-python", source)
    assert "".join("".join(e.text for e in pieces(found)).split()) == "".join(source.split())


def notebook(*cells: dict[str, object], **more: object) -> ParsedDocument:
    book = {"cells": list(cells), "nbformat": 4, "metadata": {}, **more}
    return parse(RawDocument("s/a", "a", json.dumps(book).encode(), "application/x-ipynb+json"), PARSERS["notebook"])


def cell(source: str, *outputs: Mapping[str, object]) -> dict[str, object]:
    return {"cell_type": "code", "source": source, "outputs": list(outputs)}


@pytest.mark.req("D2.16")
def test_pictures_widgets_and_terminal_codes_stay_out_and_are_recorded() -> None:
    picture = {"output_type": "display_data", "data": {"image/png": "iVBOR" * 400_000, "text/plain": "<Figure>"}}
    trace = {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\x1b[0;31mE\x1b[0m: v"]}
    widget = {"output_type": "display_data", "data": {"application/vnd.jupyter.widget-view+json": {"model_id": "m"}}}
    found = notebook(cell("plot()", picture), cell("fail()", trace), cell("w", widget), widgets={"state": "x" * 9999})
    words = "\n".join(element.text for element in found.elements)
    assert not {"iVBOR", "\x1b"} & {mark for mark in ("iVBOR", "\x1b") if mark in words}
    assert len(words) < 200
    assert "E: v" in words
    recorded = [(unit.number, unit.state) for unit in found.units if unit.kind == "output"]
    assert recorded == [(1, "binary_output"), (3, "widget_state")]


@pytest.mark.req("D2.16", "D3.1")
@pytest.mark.parametrize(
    ("output", "said", "recorded"),
    [
        ({"data": {"application/json": {"größe": [1, None]}}}, '{"größe": [1, null]}', []),
        ({"data": {"application/json": ["a"], "text/plain": "<IPython.core.display.JSON object>"}}, '["a"]', []),
        ({"data": {"text/html": "<b>Mind it</b>", "text/plain": "<IPython.core.display.HTML object>"}}, "Mind it", []),
        ({"data": {"text/html": "<p>Mind it</p>"}}, "Mind it", []),
        ({"data": {"text/csv": "a,b"}}, "a,b", []),
        ({"data": {"application/javascript": "go()"}}, "", ["binary_output"]),
        ({"data": {"application/javascript": "go()", "text/plain": "two"}}, "two", ["binary_output"]),
        ({"data": {"text/html": "<svg></svg>"}}, "", ["binary_output"]),
        ({"data": {"application/vnd.plotly.v1+json": {}}}, "", ["widget_state"]),
        ({"data": {"image/png": "iVBOR", "text/plain": "<IPython.core.display.Image object>"}}, "", ["binary_output"]),
        ({"text": ["2"], "png": "iVBOR"}, "2", ["binary_output"]),
        ({"html": ["<table><tr><td>a</td><td>b</td></tr></table>"], "text": "ab"}, "a | b", []),
        ({"json": ['{"a": 1}']}, '{"a": 1}', []),
    ],
)
def test_each_output_is_said_or_recorded(output: dict[str, object], said: str, recorded: list[str]) -> None:
    found = notebook(cell("show()", {"output_type": "display_data", **output}))
    assert "\n".join(element.text for element in found.elements[1:]) == said
    assert [unit.state for unit in found.units if unit.kind == "output"] == recorded


@pytest.mark.req("D2.16")
def test_long_outputs_are_capped_and_recorded() -> None:
    found = notebook(cell("x", {"output_type": "stream", "text": ["line\n"] * 5000}))
    assert len(found.elements[1].text) <= 2000
    assert ("output", 1, "output_capped") in [(u.kind, u.number, u.state) for u in found.units]


@pytest.mark.req("D2.16", "D9.3")
def test_a_place_opens_the_lines_of_its_cell_or_its_output() -> None:
    book = {"cells": [cell("a = 1\nb = 2", {"output_type": "stream", "text": "done\n"})], "nbformat": 4}
    content = json.dumps(book).encode()
    quote = PARSERS["notebook"].quote
    assert quote(content, Locator(cell="1", line=(2, 2))) == "b = 2"
    assert quote(content, Locator(cell="1", anchor="output-1")) == "done"
    assert quote(content, Locator(cell="2")) == quote(content, Locator(cell="x")) == ""


def test_the_old_format_is_read() -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": "T"},
        {"cell_type": "code", "input": "x", "language": "python"},
    ]
    book = json.dumps({"worksheets": [{"cells": cells}], "nbformat": 3}).encode()
    found = parse(RawDocument("s/a", "a", book, "application/x-ipynb+json"), PARSERS["notebook"])
    assert [(e.kind.value, e.text, e.locator.cell) for e in found.elements] == [
        ("heading", "T", "1"),
        ("code", "x", "2"),
    ]


@pytest.mark.parametrize("content", [b"[]", b"{}", b"{", b'{"cells": 1}'])
def test_what_is_no_notebook_is_corrupt(content: bytes) -> None:
    with pytest.raises(CorruptDocument):
        parse(RawDocument("s/a", "a", content, "application/x-ipynb+json"), PARSERS["notebook"])
