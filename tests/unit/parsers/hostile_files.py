"""300 hostile or broken files, the same on every run, and a watched child that parses them one after another.

`python tests/unit/parsers/hostile_files.py` runs them all and prints every one that does not end as it should.
"""

# ruff: noqa: E501, T201
from __future__ import annotations

import io
import json
import os
import random
import selectors
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "tests" / "golden" / "parsers"
LIMIT_S = 10.0
LIMIT_MB = 1024
COUNT = 300
NESTED = 100_000
BASES = (
    "pptx-b06_groups", "spreadsheet-sheets", "opendocument-text", "opendocument-slides", "opendocument-sheets",
    "rtf-manual", "epub-two_chapters", "rst-guide", "asciidoc-guide", "xml_text-jats", "html-b16_nested_tables",
    "docx-b04_order", "pdf-a10_rotated_table", "pdf-a06_two_columns", "markdown-everything", "csv_table-c21_quotes",
    "openapi-d21_orders", "notebook-c12_outputs", "code-c14_python", "sql_ddl-d22_orders", "graphql-d21_orders",
    "knowledge_entry-a42_nash", "yaml_config-d23_server", "ini_config-d23_toml",
)  # fmt: skip
EMPTY = "pdf docx pptx xlsx xls odt ods odp rtf epub html md txt csv json yaml xml rst adoc py sql ipynb".split()


def bases() -> list[tuple[str, bytes]]:
    """(name, content) of whole files, one or two a format."""
    paths = [next((GOLDEN / base).glob("input.*")) for base in BASES]
    return [(f"{base}{path.suffix}", path.read_bytes()) for base, path in zip(BASES, paths, strict=True)]


def hostile_files() -> list[tuple[str, bytes]]:
    """(name, content), 300 of them."""
    files = [*special(), *broken()]
    return files[:COUNT]


def broken() -> Iterator[tuple[str, bytes]]:
    """Whole files cut off, with flipped bits, with zeros in them, and under each other's names."""
    chosen = bases()
    for number, (name, content) in enumerate(chosen):
        dice = random.Random(number)
        for share in (0.1, 0.5, 0.9):
            yield f"cut-{share}-{name}", content[: int(len(content) * share)]
        for flips in (1, 8, 64):
            changed = bytearray(content)
            for _ in range(flips):
                changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
            yield f"flipped-{flips}-{name}", bytes(changed)
        half = len(content) // 2
        yield f"zeros-{name}", content[:half] + b"\0" * (len(content) - half)
        other = chosen[(number + 1) % len(chosen)][0].rpartition(".")[2]
        yield f"named-{name.rpartition('.')[0]}.{other}", content


def archive(members: dict[str, bytes], stored: bool = False) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED) as target:
        for name, content in members.items():
            target.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED)
    return out.getvalue()


def changed(base: str, **parts: bytes | Callable[[bytes], bytes]) -> bytes:
    """A golden archive with some members replaced; `__` in a name is `/`, a trailing `_xml` the suffix."""
    source = next((GOLDEN / base).glob("input.*")).read_bytes()
    with zipfile.ZipFile(io.BytesIO(source)) as opened:
        members = {name: opened.read(name) for name in opened.namelist()}
    for key, part in parts.items():
        name = key.replace("__", "/").removesuffix("_xml") + ".xml"
        members[name] = part(members[name]) if callable(part) else part
    return archive(members)


LAUGHS = b"<!DOCTYPE a [<!ENTITY l0 'lol'>" + b"".join(
    b"<!ENTITY l%d '%s'>" % (n, b"&l%d;" % (n - 1) * 10) for n in range(1, 12)
) + b"]>"  # fmt: skip
OUTSIDE = b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY y SYSTEM "http://127.0.0.1:1/">]>'


def pdf(*objects: bytes) -> bytes:
    """A PDF of these objects, numbered from 1; the first is the catalogue."""
    out = b"%PDF-1.7\n"
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    table += b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + table + b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(out))


def stream(content: bytes, more: bytes = b"") -> bytes:
    return b"<</Length %d%s>>\nstream\n%s\nendstream" % (len(content), more, content)


PAGES = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
CATALOGUE = b"<</Type/Catalog/Pages 2 0 R>>"
FORM = b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]"
DRAWS = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</XObject<</X1 5 0 R/X2 6 0 R>>>>>>"
X1, X2 = b"/Resources<</XObject<</X1 5 0 R/X2 6 0 R>>>>" + FORM, b"/Resources<</XObject<</X1 5 0 R>>>>" + FORM


def special() -> Iterator[tuple[str, bytes]]:
    """Files made to hurt: each names what it does."""
    for suffix in EMPTY:
        yield f"empty.{suffix}", b""
    for suffix, content in (("pdf", b"%"), ("docx", b"P"), ("txt", b"\0"), ("md", b"#"), ("json", b"{"), ("rtf", b"{")):
        yield f"one-byte.{suffix}", content
    yield from (("", b"# No name"), ("..", b"dots"), ("a" * 5000 + ".md", b"# Long"), ("\u202etxt.exe", b"words here"))
    yield from (("no suffix", b"words"), ("a.pdf.docx.md", b"# x"), ("nul\0.txt", b"words"), ("\udcff.txt", b"words"))
    yield from pdfs()
    yield from archives()
    yield from nested()
    yield from texts()


def pdfs() -> Iterator[tuple[str, bytes]]:
    yield (
        "a08-forms-draw-each-other.pdf",
        pdf(CATALOGUE, PAGES, DRAWS, stream(b"/X1 Do"), stream(b"/X1 Do /X2 Do", X1), stream(b"/X1 Do", X2)),
    )
    yield "pages-are-their-own-kids.pdf", pdf(CATALOGUE, b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2>>")
    yield (
        "a-billion-pages.pdf",
        pdf(
            CATALOGUE, b"<</Type/Pages/Kids[3 0 R]/Count 1000000000>>", b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>"
        ),
    )
    yield "no-pages.pdf", pdf(CATALOGUE, b"<</Type/Pages/Kids[]/Count 0>>")
    yield (
        "vast-page.pdf",
        pdf(
            CATALOGUE,
            PAGES,
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 1e9 1e9]/Contents 4 0 R>>",
            stream(b"0 0 1e9 1e9 re f"),
        ),
    )
    yield (
        "xref-points-to-itself.pdf",
        b"%PDF-1.7\nxref\n0 1\n0000000000 65535 f \ntrailer\n<</Size 1/Prev 9/Root 1 0 R>>\nstartxref\n9\n%%EOF",
    )
    yield (
        "outline-loops.pdf",
        pdf(
            b"<</Type/Catalog/Pages 2 0 R/Outlines 5 0 R>>",
            PAGES,
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>",
            stream(b""),
            b"<</First 6 0 R/Last 6 0 R>>",
            b"<</Title(a)/Next 6 0 R/First 6 0 R/Parent 5 0 R>>",
        ),
    )
    yield (
        "unknown-filter.pdf",
        pdf(CATALOGUE, PAGES, DRAWS, stream(b"abc", b"/Filter/Nope"), stream(b"", X1), stream(b"", X2)),
    )
    yield "deep-arrays.pdf", pdf(CATALOGUE, PAGES, b"<</Type/Page/Parent 2 0 R/MediaBox " + b"[" * NESTED + b">>")
    yield (
        "many-lines.pdf",
        pdf(
            CATALOGUE,
            PAGES,
            DRAWS,
            stream(b"".join(b"0 %d m 99 %d l S\n" % (n % 99, n % 99) for n in range(60_000))),
            stream(b"", X1),
            stream(b"", X2),
        ),
    )
    bomb = zlib.compress(zlib.compress(b" " * 600_000_000, 9), 9)
    yield (
        "bomb.pdf",
        pdf(
            CATALOGUE,
            PAGES,
            DRAWS,
            stream(bomb, b"/Filter[/FlateDecode/FlateDecode]"),
            stream(b"", X1),
            stream(b"", X2),
        ),
    )
    yield "header-only.pdf", b"%PDF-1.4\n%%EOF"
    yield "picture.pdf", b"\x89PNG\r\n\x1a\n" + b"\0" * 100


def archives() -> Iterator[tuple[str, bytes]]:
    blanks = b" " * 300_000_000
    bomb = archive({"word/document.xml": blanks})
    yield "s01-bomb.docx", bomb
    yield "bomb-in-bomb.docx", archive({"word/document.xml": bomb, "word/embeddings/a.docx": bomb}, stored=True)
    yield "bomb.pptx", archive({"ppt/presentation.xml": blanks[:200_000_000]})
    yield "bomb.xlsx", archive({"xl/workbook.xml": blanks[:200_000_000]})
    yield "bomb.epub", archive({"mimetype": b"application/epub+zip", "META-INF/container.xml": blanks[:200_000_000]})
    yield "members.docx", archive({f"word/{n}": b"" for n in range(20_000)}, stored=True)
    yield "only-names.docx", archive({"word/": b"", "[Content_Types].xml": b""})
    for kind, base, part in (("pptx", "pptx-b06_groups", "ppt__presentation_xml"), ("odt", "opendocument-text", "content_xml"), ("docx", "docx-b04_order", "word__document_xml"), ("xlsx", "spreadsheet-sheets", "xl__workbook_xml")):  # fmt: skip
        yield f"laughs.{kind}", changed(base, **{part: lambda old: LAUGHS + b"<a>&l11;</a>" + old[:0]})
        yield f"outside.{kind}", changed(base, **{part: OUTSIDE + b"<a>&x;&y;</a>"})
        yield f"deep.{kind}", changed(base, **{part: b"<a>" * NESTED + b"</a>" * NESTED})
        yield f"not-xml.{kind}", changed(base, **{part: b"\0\1\2 <<<"})
        yield f"blank.{kind}", changed(base, **{part: b""})
    sheet = "xl__worksheets__sheet1_xml"
    row = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>%s</sheetData>%s</worksheet>'
    far = b'<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'
    one = b'<row r="1"><c r="A1"><v>1</v></c></row>'
    yield "far.xlsx", changed("spreadsheet-sheets", **{sheet: row % (far, b"")})
    yield (
        "all-merged.xlsx",
        changed(
            "spreadsheet-sheets", **{sheet: row % (one, b'<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>')}
        ),
    )
    yield (
        "beyond.xlsx",
        changed("spreadsheet-sheets", **{sheet: row % (b'<row r="9999999"><c r="ZZZ9999999"><v>1</v></c></row>', b"")}),
    )
    yield (
        "no-reference.xlsx",
        changed("spreadsheet-sheets", **{sheet: row % (b"<row><c><v>1</v></c><c t='s'><v>99999</v></c></row>", b"")}),
    )
    yield (
        "many-cells.xlsx",
        changed("spreadsheet-sheets", **{sheet: row % (b"<row>" + b"<c><v>1</v></c>" * 200_000 + b"</row>", b"")}),
    )

    def repeated(old: bytes) -> bytes:
        return old.replace(
            b"<table:table-row><table:table-cell><text:p>2019",
            b'<table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="16000"><text:p>2019',
        )

    yield "repeated.ods", changed("opendocument-sheets", content_xml=repeated)
    yield (
        "style-loop.odt",
        changed(
            "opendocument-text",
            content_xml=lambda old: old.replace(
                b"<office:automatic-styles>",
                b'<office:automatic-styles><style:style style:family="paragraph" style:name="x" style:parent-style-name="x"/>',
            ),
        ),
    )
    yield (
        "spaces.odt",
        changed("opendocument-text", content_xml=lambda old: old.replace(b'text:c="2"', b'text:c="999999999"')),
    )
    spine = b'<package><manifest><item id="a" href="../../../etc/passwd" media-type="text/html"/></manifest><spine>%s</spine></package>'
    for label, refs in (
        ("outside", b'<itemref idref="a"/>'),
        ("missing", b'<itemref idref="zz"/>'),
        ("loop", b'<itemref idref="a"/>' * 50_000),
    ):
        members = {
            "mimetype": b"application/epub+zip",
            "META-INF/container.xml": b'<c><rootfile full-path="b.opf"/></c>',
            "b.opf": spine % refs,
        }
        yield f"spine-{label}.epub", archive(members)
    wide = b"<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val='999999999'/></w:tcPr><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
    yield (
        "wide.docx",
        changed("docx-b04_order", word__document_xml=lambda old: old.replace(b"<w:body>", b"<w:body>" + wide * 50)),
    )
    yield "not-a-workbook.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\xff" * 4096
    yield (
        "ole-loop.xls",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 16 + b"\x3e\0\3\0\xfe\xff\t\0\6\0" + b"\0" * 4096,
    )
    yield "encrypted.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600 + "EncryptedPackage".encode("utf-16-le")


def nested() -> Iterator[tuple[str, bytes]]:
    n = NESTED
    yield "deep.xml", b"<a>" * n + b"x" + b"</a>" * n
    yield "deep.html", b"<div>" * n + b"x"
    yield "deep-tables.html", b"<table><tr><td>" * 3000 + b"x"
    yield "deep-lists.html", b"<ul><li>x" * 3000
    yield "wide-table.html", b"<table>" + b"<tr><td colspan=99999999 rowspan=99999999>x" * 200 + b"</table>"
    yield "deep.json", b"[" * n
    yield "deep-closed.json", b'{"a":' * n + b"1" + b"}" * n
    yield "deep.yaml", b"[" * n
    yield (
        "aliases.yaml",
        b"a: &a [x,x,x,x,x,x,x,x,x]\n"
        + b"".join(b"%c: &%c [%s]\n" % (98 + k, 98 + k, b",".join([b"*%c" % (97 + k)] * 9)) for k in range(12)),
    )
    yield "deep.rtf", b"{\\rtf1" + b"{" * n + b"x"
    yield "bin.rtf", b"{\\rtf1\\bin999999999 x}"
    yield "numbers.rtf", b"{\\rtf1\\u99999999999\\uc99999999\\f999999999\\ansicpg99999 x\\par}"
    yield "deep.md", b">" * n + b" x"
    yield "deep-list.md", b"\n".join(b" " * (2 * k) + b"- x" for k in range(1500))
    yield "brackets.md", b"[" * n + b"x" + b"]" * n
    yield "stars.md", b"*a **a " * 20_000
    yield "ticks.md", b"`" * 1000 + b" ".join(b"`" * k for k in range(1, 800))
    yield "deep.rst", b"\n".join(b" " * k + b"- x\n" for k in range(0, 3000, 2))
    yield "quotes.rst", b"\n\n".join(b" " * k + b"x" for k in range(2000))
    yield "rules.rst", b"=====  =====\n" * 20_000
    yield "marks.rst", b"`a <b " * 30_000 + b"**" * 30_000
    yield "deep.adoc", b"".join(b"=" * (4 + k) + b"\n" for k in range(2000)) + b"x"
    yield "lists.adoc", b"\n".join(b" " * k + b"* x" for k in range(3000))
    yield "pipes.adoc", b"|===\n" + b"|a 999999999*|b 99999+|c\n" * 3000 + b"|==="
    yield "marks.adoc", b"*a _b `c #d " * 20_000
    yield "deep.py", b"(" * n
    yield "deep.graphql", b"type A { a: " + b"[" * n
    yield "deep.sql", b"CREATE TABLE t (a " + b"(" * n
    yield (
        "cells.ipynb",
        b'{"nbformat":4,"cells":[' + b'{"cell_type":"code","source":["x"],"outputs":[]},' * 50_000 + b"{}]}",
    )


def texts() -> Iterator[tuple[str, bytes]]:
    yield "laughs.xml", LAUGHS + b"<a>&l11;</a>"
    yield "outside.xml", OUTSIDE + b"<a>&x;&y; words</a>"
    yield "attribute.xml", b'<a b="' + b"x" * 5_000_000 + b'">y</a>'
    yield "one-line.txt", b"word " * 1_000_000
    yield "one-word.txt", b"x" * 5_000_000
    yield "nul.txt", b"\0" * 100_000
    yield "newlines.txt", b"\n" * 1_000_000
    yield "noise.txt", random.Random(1).randbytes(100_000)
    yield "small-noise.txt", random.Random(2).randbytes(24)
    yield "surrogates.txt", b"\xff\xfe" + b"\x00\xd8a\x00" * 1000
    yield "odd-utf16.txt", b"\xfe\xff\0a\0b\0"
    yield "ebcdic.txt", ("THE QUICK BROWN FOX 1234567890. " * 50).encode("cp037")
    yield "invalid-utf8.md", b"# T\n\n" + b"\xc3\x28\xa0\xa1" * 2000
    yield "bidi.txt", ("\u202e" * 10_000 + "words").encode()
    yield "tags.txt", ("a" + "\U000e0041" * 10_000).encode()
    yield "columns.csv", b"a," * 200_000 + b"\n1"
    yield "quote.csv", b'"' + b"a,b\n" * 100_000
    yield "rows.csv", b"a,b\n" * 300_000
    yield "loop.yaml", b"a: &a\n  b: *a\n"
    yield "huge-number.json", b'{"a": ' + b"9" * 1_000_000 + b"}"
    yield (
        "cycle.json",
        b'{"openapi":"3.0.0","info":{"title":"t"},"paths":{},"components":{"schemas":{"A":{"$ref":"#/components/schemas/A"}}}}',
    )
    yield "base64.html", b'<img src="data:image/png;base64,' + b"A" * 5_000_000 + b'"><p>x</p>'
    yield "comment.html", b"<!--" * 50_000 + b"<p>x"
    yield "attributes.html", b"<p " + b"a=1 " * 100_000 + b">x</p>"
    yield "unclosed.html", b"<p>x" * 100_000


WORKER = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
from kprep.core.errors import ParseError
from kprep.core.models import RawDocument
from parsers import parse, parser_for, pdf_ocr
from parsers.media_type import detect
pdf_ocr.ENABLED = False
def peak_mb():
    with open("/proc/self/status") as status:
        return next((int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM")), 0)
for line in sys.stdin:
    path, name = json.loads(line)
    content = open(path, "rb").read()
    started, outcome = time.perf_counter(), ""
    try:
        media_type = detect(name, content)
        document = parse(RawDocument("hostile", name, content, media_type), parser_for(media_type))
        outcome = "document" if document.elements else "no element"
    except ParseError as error:
        outcome = error.reason
    except BaseException as error:
        outcome = f"{type(error).__name__}: {str(error)[:200]}"
    print(json.dumps([outcome, time.perf_counter() - started, peak_mb()]), flush=True)
"""


class Watched:
    """A child that parses files; ended, and begun anew, when one takes too long or takes it down."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._child: subprocess.Popen[str] | None = None
        self._peak = 0

    def outcome(self, name: str, content: bytes) -> tuple[str, float, int]:
        """("document", or a reason code, or what went wrong; seconds; peak memory in MB when this file raised it)."""
        child = self._child if self._child is not None and self._peak < LIMIT_MB // 2 else self._begin()
        path = self._folder / "file"
        path.write_bytes(content)
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            child.stdin.write(json.dumps([str(path), name]) + "\n")
            child.stdin.flush()
        except BrokenPipeError:
            return self._ended("crashed")
        with selectors.DefaultSelector() as waiting:
            waiting.register(child.stdout, selectors.EVENT_READ)
            if not waiting.select(LIMIT_S):
                return self._ended("took too long")
        line = child.stdout.readline()
        if not line:
            return self._ended("crashed")
        outcome, seconds, peak = json.loads(line)
        before, self._peak = self._peak, peak
        return outcome, seconds, peak if peak > before else 0

    def _begin(self) -> subprocess.Popen[str]:
        self.close()
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        self._child = subprocess.Popen(
            [sys.executable, "-c", WORKER, str(ROOT)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment,
        )  # fmt: skip
        self._peak = 0
        return self._child

    def _ended(self, how: str) -> tuple[str, float, int]:
        self.close()
        return how, LIMIT_S, 0

    def close(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            for pipe in (self._child.stdin, self._child.stdout):
                if pipe is not None:
                    pipe.close()
            self._child = None


REASONS = (
    "corrupt unsupported_format needs_password too_large zip_bomb recursive no_text wrong_encoding needs_review"
).split()  # fmt: skip


def run(files: Sequence[tuple[str, bytes]]) -> list[tuple[str, str, float, int]]:
    """(name, outcome, seconds, MB) of each file in order."""
    with tempfile.TemporaryDirectory() as folder:
        watched = Watched(Path(folder))
        try:
            return [(name, *watched.outcome(name, content)) for name, content in files]
        finally:
            watched.close()


def is_right(outcome: tuple[str, str, float, int]) -> bool:
    """A document or a reason code, within the limits of time and memory."""
    return outcome[1] in {"document", *REASONS} and outcome[2] < LIMIT_S and outcome[3] < LIMIT_MB


def main() -> None:
    results: list[Any] = run(hostile_files())
    counts: dict[str, int] = {}
    for result in results:
        counts[result[1] if is_right(result) else "WRONG"] = (
            counts.get(result[1] if is_right(result) else "WRONG", 0) + 1
        )
        if not is_right(result) or result[2] > LIMIT_S / 4:
            print(f"{result[0][:60]!r:64} {result[1]} {result[2]:.1f} s {result[3]} MB")
    slowest = max(results, key=lambda result: result[2])
    print(
        f"{len(results)} files: {counts}; slowest {slowest[2]:.1f} s ({slowest[0][:40]}), peak {max(r[3] for r in results)} MB"
    )


if __name__ == "__main__":
    main()
