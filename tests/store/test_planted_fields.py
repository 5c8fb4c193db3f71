"""A value planted in each structured field of each format is in no table, object or message after a run."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from sqlalchemy import text

from tests.conftest import MakeBase

DOMAIN = "planted-leak.io"
GOLDEN = Path(__file__).parents[1] / "golden" / "parsers"
PHONE = "+49 341 9627 3184"


def at(field: str) -> str:
    return f"roe.{field}@{DOMAIN}"


def docx() -> bytes:
    from docx import Document

    document = Document()
    properties = document.core_properties
    for name in ("title", "author", "subject", "keywords", "comments", "category", "last_modified_by"):
        setattr(properties, name, f"by {at('docx-' + name)}")
    document.add_heading(f"Pumps of {at('docx-heading')}", 1)
    document.add_paragraph("Switch the pump off before the valve is opened, and wait for the light.")
    table = document.add_table(rows=2, cols=2)
    for row, texts in zip(table.rows, [(at("docx-header"), "Valve"), ("12", at("docx-cell"))], strict=True):
        for cell, value in zip(row.cells, texts, strict=True):
            cell.text = value
    document.sections[0].header.paragraphs[0].text = f"Owner {at('docx-page-header')}"
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def office(golden: str, changes: dict[str, str]) -> bytes:
    """The Office file of a golden case of the parsers with words of its parts replaced."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(GOLDEN / golden) as given, zipfile.ZipFile(buffer, "w") as made:
        for entry in given.infolist():
            content = given.read(entry)
            for old, new in changes.items():
                content = content.replace(old.encode(), new.encode())
            made.writestr(entry, content)
    return buffer.getvalue()


PPTX = {
    "Quarterly review": f"Review of {at('pptx-title')}",
    "Ann Example": at("pptx-author"),
    "Really?": f"Really, {at('pptx-comment')}?",
    "Say that Europe grew.": f"Said by {at('pptx-notes')}: mind the light.",
    ">Numbers<": f">Numbers of {at('pptx-slide-title')}<",
    ">One<": f">{at('pptx-cell')}<",
    'name="t"': f'name="{at("pptx-shape")}" descr="{at("pptx-alt")}"',
}
XLSX = {
    "Figures": f"Figures of {at('xlsx-title')}",
    "Ann Example": at("xlsx-creator"),
    'name="Orders"': f'name="roe.sheet@{DOMAIN}"',
    ">Item<": f">{at('xlsx-header')}<",
    ">Pump<": f">{at('xlsx-cell')}<",
}


def pdf() -> bytes:
    from reportlab.pdfgen.canvas import Canvas

    buffer = io.BytesIO()
    canvas = Canvas(buffer, invariant=True)
    canvas.setTitle(f"Pumps of {at('pdf-title')}")
    canvas.setAuthor(at("pdf-author"))
    canvas.setSubject(at("pdf-subject"))
    canvas.setKeywords([at("pdf-keywords")])
    canvas.bookmarkPage("one")
    canvas.addOutlineEntry(f"Asked by {at('pdf-outline')}", "one")
    canvas.setFont("Helvetica", 16)
    canvas.drawString(60, 780, f"Asked by {at('pdf-outline')}")
    canvas.setFont("Helvetica", 10)
    canvas.drawString(60, 750, "Switch the pump off before the valve is opened, and wait for the light.")
    canvas.linkURL(f"mailto:{at('pdf-link')}", (60, 740, 200, 760))
    canvas.save()
    return buffer.getvalue()


def notebook() -> bytes:
    cell = {
        "cell_type": "code",
        "execution_count": 1,
        "metadata": {"author": at("ipynb-cell-metadata"), "tags": [at("ipynb-tag")]},
        "outputs": [{"output_type": "stream", "name": "stdout", "text": f"sent to {at('ipynb-output')}\n"}],
        "source": f"send('{at('ipynb-source')}')\n",
    }
    title = {"cell_type": "markdown", "metadata": {}, "source": f"# Pumps of {at('ipynb-title')}\n\nSwitch it off."}
    metadata = {"authors": [{"name": at("ipynb-author")}], "title": at("ipynb-metadata-title")}
    return json.dumps({"cells": [title, cell], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}).encode()


FILES: dict[str, str | bytes] = {
    "a.docx": docx(),
    "a.pptx": office("pptx-b06_groups/input.pptx", PPTX),
    "a.xlsx": office("spreadsheet-sheets/input.xlsx", XLSX),
    "a.pdf": pdf(),
    "a.ipynb": notebook(),
    "a.md": (
        f"---\ntitle: Pumps of {at('md-title')}\nauthor: {at('md-author')}\nowner:\n  mail: {at('md-nested')}\n"
        f"  {at('md-key')}: yes\ntags: [{at('md-tag')}]\n---\n# About {at('md-heading')}\n\n"
        f'Switch the pump off. ![picture of {at("md-alt")}](img.png "{at("md-image-title")}")\n\n'
        f"[see the page of instructions](https://acme.io/u?mail=roe%2Emd-url%40{DOMAIN} '{at('md-link-title')}')"
        f" for all of its details, or else ask <{at('md-autolink')}>\n\n"
        f"| {at('md-header')} | Valve |\n| --- | --- |\n| 12 | {PHONE} |\n\n```{at('md-fence')}\nx = 1\n```\n"
    ),
    "a.html": (
        f"<html><head><title>Pumps {at('html-title')}</title><meta name=author content='{at('html-author')}'>"
        f"<meta name=description content='{at('html-description')}'></head><body><h1 id='{at('html-id')}'>Pumps</h1>"
        f"<p title='{at('html-tooltip')}'>Switch the pump off before the valve is opened.</p>"
        f"<img src=a.png alt='{at('html-alt')}'><table><caption>{at('html-caption')}</caption><tr><th>"
        f"{at('html-header')}</th></tr><tr><td>12</td></tr></table>"
        f"<a href='mailto:{at('html-link')}'>write</a></body></html>"
    ),
    "a.py": (
        f'"""Pumps of {at("py-docstring")}."""\n\n__author__ = "{at("py-author")}"\n\n\n'
        f'def switch_off():  # asked by {at("py-comment")}\n    return "{at("py-string")}"\n'
    ),
    "a.csv": f"Pump,{at('csv-header')}\nP1,{at('csv-cell')}\nP2,off\n",
    "a.vtt": (
        f"WEBVTT\n\nNOTE by {at('vtt-note')}\n\n00:00:01.000 --> 00:00:04.000\n"
        f"<v {at('vtt-speaker')}>Switch the pump off.\n\n"
        f"00:00:05.000 --> 00:00:09.000\n<v Anna>Ask {at('vtt-text')} before the valve is opened.\n"
    ),
    "a.eml": (
        f"From: Jane Roe <{at('eml-from')}>\nTo: {at('eml-to')}\nCc: {at('eml-cc')}\n"
        f"Subject: Pumps of {at('eml-subject')}\n"
        f"Message-ID: <{at('eml-id')}>\nDate: Mon, 2 Mar 2026 10:00:00 +0000\nContent-Type: text/plain\n\n"
        f"Switch the pump off before the valve is opened.\nAsk {at('eml-text')} first.\n"
    ),
    "openapi.yaml": (
        f"openapi: 3.0.0\ninfo:\n  title: Pumps of {at('api-title')}\n  version: '1'\n"
        f"  contact:\n    email: {at('api-contact')}\n"
        f"paths:\n  /pumps/{{id}}:\n    get:\n      operationId: getPump\n      summary: Asked by {at('api-summary')}\n"
        f"      tags: ['{at('api-tag')}']\n"
        f"      responses:\n        '200':\n          description: sent to {at('api-response')}\n"
    ),
    f"people/{at('file-name')}.md": "# Pumps\n\nSwitch the pump off before the valve is opened.\n",
}
LEAK = re.compile(rf"roe(?:\.|%2E|-)?[\w.-]*(?:@|%40|-at-|-)?{re.escape(DOMAIN)}", re.IGNORECASE)
SLUG = re.compile(r"roe-?[\w-]*planted-?leak-?io", re.IGNORECASE)


def leaks(content: str) -> set[str]:
    found = {match[0][:80] for pattern in (LEAK, SLUG) for match in pattern.finditer(content)}
    return found | ({PHONE} if PHONE in content or re.sub(r"\D", "", PHONE) in content else set())


@pytest.mark.req("D5.1", "D5.5")
def test_no_planted_value_of_any_field_is_stored(make_base: MakeBase, capsys: pytest.CaptureFixture[str]) -> None:
    base = make_base(FILES)
    summary = base.run()
    stored: dict[str, set[str]] = {}
    with base.connection() as connection:
        names = connection.execute(
            text("SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname = 'kprep'")
        )
        for (name,) in names.all():
            rows = connection.execute(text(f"SELECT t::text FROM {name} t")).all()
            if found := {leak for (row,) in rows for leak in leaks(row)}:
                stored[name] = found
    assert stored == {}
    assert leaks(json.dumps(summary, default=str)) == set()
    said = capsys.readouterr()
    assert leaks(said.out + said.err) == set()
    opened = next(check for check in summary["gate"]["checks"] if check["code"] == "locator_opens")
    assert not opened["samples"], opened["samples"]
    data = base.workspace.data_dir
    for path in data.rglob("*"):
        if path.is_file() and "restricted" not in path.parts and "postgres" not in path.parts:
            assert leaks(path.read_bytes().decode("latin-1")) == set(), path
    assert [failure["reason"] for failure in summary["failures"]] == ["personal_name"]
    assert summary["documents"]["added"] == len(FILES) - 1
