"""The example material is what its README, its questions and `planted.json` say it is."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import docx
import lxml.html
import pypdf
import pytest
import yaml
from markdown_it import MarkdownIt

from examples.make_binary_documents import write_documents
from kprep import config

ROOT = Path(__file__).parents[3]
HANDBOOK = ROOT / "examples" / "handbook"
PLANTED = json.loads((ROOT / "tests" / "data" / "planted.json").read_text(encoding="utf-8"))
QUESTION_FILES = ("questions.yaml", "questions_heldout.yaml")
CLASSES = {"identifier", "natural", "mixed", "reference", "no_answer", "denied"}
EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
WORD_PARAGRAPH = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}p"
WORD_TEXT = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}t"


def documents() -> list[str]:
    sources = [source.name for source in config.load(HANDBOOK).config.sources]
    return sorted(
        path.relative_to(HANDBOOK).as_posix() for source in sources for path in (HANDBOOK / source).rglob("*.*")
    )


def questions(file_name: str) -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = yaml.safe_load((HANDBOOK / file_name).read_text(encoding="utf-8"))
    return loaded


def normalised(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())


def decoded(path: Path) -> str:
    content = path.read_bytes()
    if content.startswith(b"\xff\xfe"):
        return content.decode("utf-16")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("cp1252")


def markdown_blocks(path: Path) -> Iterator[str]:
    body = re.sub(r"\A---\n.*?\n---\n", "", decoded(path), flags=re.DOTALL)
    for token in MarkdownIt().enable("table").parse(body):
        if token.type == "inline":
            yield "".join(" " if child.type == "softbreak" else child.content for child in token.children or ())


def html_blocks(path: Path) -> Iterator[str]:
    for element in lxml.html.fromstring(path.read_bytes()).iter("p", "li", "td", "th", "h1", "h2", "h3", "pre"):
        yield element.text_content()


def docx_blocks(path: Path) -> Iterator[str]:
    for paragraph in docx.Document(str(path)).element.body.iter(WORD_PARAGRAPH):
        yield "".join(run.text or "" for run in paragraph.iter(WORD_TEXT))


def pdf_blocks(path: Path) -> Iterator[str]:
    for page in pypdf.PdfReader(path).pages:
        yield page.extract_text()


def text_blocks(path: Path) -> Iterator[str]:
    yield from re.split(r"\n\s*\n", decoded(path).replace("\r\n", "\n"))


READERS: dict[str, Callable[[Path], Iterator[str]]] = {
    ".md": markdown_blocks,
    ".html": html_blocks,
    ".docx": docx_blocks,
    ".pdf": pdf_blocks,
    ".txt": text_blocks,
}


@cache
def blocks(uri: str) -> tuple[str, ...]:
    """Normalised text of each paragraph, list item and table cell; of each page for a PDF."""
    path = HANDBOOK / uri
    return tuple(normalised(block) for block in READERS[path.suffix](path))


@cache
def whole_text(uri: str) -> str:
    """Everything a reader of the file could find, markup included."""
    path = HANDBOOK / uri
    if path.suffix in (".pdf", ".docx"):
        return " ".join(blocks(uri))
    return normalised(decoded(path))


@cache
def corpus() -> str:
    return " ".join(whole_text(uri) for uri in documents() if uri != "engineering/network-plan.vsd").lower()


def quotes(entry: dict[str, Any]) -> list[dict[str, str]]:
    return [*entry["expect"], *entry.get("forbidden", [])]


ALL_QUESTIONS = [entry for name in QUESTION_FILES for entry in questions(name)]


def by_id(entry: dict[str, Any]) -> str:
    return str(entry["id"])


def test_the_binary_documents_are_reproduced_byte_for_byte(tmp_path: Path) -> None:
    written = write_documents(tmp_path)
    binaries = {uri for uri in documents() if uri.endswith((".pdf", ".docx"))}
    assert {path.relative_to(tmp_path).as_posix() for path in written} == binaries
    for path in written:
        committed = HANDBOOK / path.relative_to(tmp_path)
        assert path.read_bytes() == committed.read_bytes(), f"{committed.name}: run examples/make_binary_documents.py"


def test_the_configuration_names_every_document_and_the_rules() -> None:
    base = config.load(HANDBOOK)
    folders = {source.name: base.path(source.model_dump()["path"]) for source in base.config.sources}
    included = {
        f"{source.name}/{path.relative_to(folders[source.name]).as_posix()}"
        for source in base.config.sources
        for pattern in source.include
        for path in folders[source.name].glob(pattern)
    }
    assert included == set(documents())
    assert len(included) >= 30
    assert set(base.config.views) >= {"support", "coding"}


@pytest.mark.parametrize("planted", PLANTED["personal"] + PLANTED["secrets"], ids=lambda p: f"{p['kind']}-{p['value']}")
def test_every_planted_value_stands_in_its_document(planted: dict[str, str]) -> None:
    assert planted["value"] in whole_text(planted["document"])


def test_no_address_of_a_person_is_missing_from_the_list() -> None:
    listed = {(planted["document"], planted["value"]) for planted in PLANTED["personal"]}
    found = {
        (uri, address)
        for uri in documents()
        if Path(uri).suffix in READERS and uri not in PLANTED["refused_documents"]
        for address in EMAIL.findall(whole_text(uri))
    }
    assert found == {pair for pair in listed if "@" in pair[1]}


def test_refused_and_failing_documents_are_there() -> None:
    for sentence in PLANTED["refused_sentences"]:
        assert sentence["document"] in PLANTED["refused_documents"]
        assert corpus().count(sentence["text"].lower()) == 1
    for failing in PLANTED["failing_documents"]:
        assert failing["uri"] in documents()
    assert not "".join(blocks("finance/signed-lease-scan.pdf"))


@pytest.mark.parametrize(("file_name", "each"), [("questions.yaml", 6), ("questions_heldout.yaml", 2)])
def test_all_six_classes_are_asked(file_name: str, each: int) -> None:
    counts = Counter(entry["class"] for entry in questions(file_name))
    assert set(counts) == CLASSES
    assert min(counts.values()) >= each


def test_questions_are_asked_once() -> None:
    assert max(Counter(entry["id"] for entry in ALL_QUESTIONS).values()) == 1
    assert max(Counter((entry["question"], *entry["as"]) for entry in ALL_QUESTIONS).values()) == 1


@pytest.mark.parametrize("entry", ALL_QUESTIONS, ids=by_id)
def test_a_question_has_the_shape_of_its_class(entry: dict[str, Any]) -> None:
    assert set(entry) - {"forbidden"} == {"id", "class", "question", "as", "expect"}
    assert bool(entry["expect"]) == (entry["class"] not in ("no_answer", "denied"))
    assert bool(entry.get("forbidden")) == (entry["class"] == "denied")


@pytest.mark.parametrize("entry", [entry for entry in ALL_QUESTIONS if quotes(entry)], ids=by_id)
def test_every_quote_stands_in_one_block_of_its_document(entry: dict[str, Any]) -> None:
    for expected in quotes(entry):
        quote = normalised(expected["quote"])
        assert any(quote in block for block in blocks(expected["document"]))
        assert 5 <= len(quote.split()) <= 15 or not quote.isascii()
        assert not any(planted["value"] in quote for planted in PLANTED["personal"])
        assert expected["document"] not in PLANTED["refused_documents"]


@pytest.mark.parametrize("entry", [entry for entry in ALL_QUESTIONS if quotes(entry)], ids=by_id)
def test_the_reader_may_see_what_is_expected_and_not_what_is_forbidden(entry: dict[str, Any]) -> None:
    acl = {source.name: set(source.acl) for source in config.load(HANDBOOK).config.sources}
    principals = {"public", *entry["as"]}
    for expected in entry["expect"]:
        assert acl[expected["document"].split("/")[0]] & principals
    for forbidden in entry.get("forbidden", []):
        assert not acl[forbidden["document"].split("/")[0]] & principals


@pytest.mark.parametrize("entry", [entry for entry in ALL_QUESTIONS if entry["class"] == "no_answer"], ids=by_id)
def test_nothing_in_the_handbook_is_about_an_unanswerable_question(entry: dict[str, Any]) -> None:
    topic = max(re.findall(r"\w+", entry["question"].lower()), key=len)
    assert topic not in corpus()
