"""Whatever is redacted, each chunk's place in the original holds the words that stand around the placeholders."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flows.rooms import Job, prepare, quote
from flows.rules import RuleSet, load_rules
from kprep.config import load
from kprep.core.models import PreparedDocument, RawDocument
from parsers.media_type import detect
from tests.property.test_redaction_laws import VALUES

PLACEHOLDER = re.compile(r"<[A-Z_]+_[0-9a-f]+>")
MARK = re.compile(r"word\d+x\d+")
ONE_LINE = [value for value in VALUES if "\n" not in value]
FORMATS: dict[str, Callable[[list[str]], str]] = {
    "a.md": lambda texts: "".join(f"## Part {n}\n\n{text}\n\n" for n, text in enumerate(texts)),
    "a.txt": "\n\n".join,
    "a.html": lambda texts: "<html><body>" + "".join(f"<p>{html.escape(text)}</p>" for text in texts),
    "a.csv": lambda texts: "number;said\n" + "".join(f"{n};{text}\n" for n, text in enumerate(texts)),
    "a.py": lambda texts: "".join(f'def f{n}():\n    """{text}"""\n\n\n' for n, text in enumerate(texts)),
}
PARTS = st.lists(st.tuples(st.integers(4, 40), st.sampled_from(["", *ONE_LINE])), min_size=1, max_size=8)


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> RuleSet:
    folder = tmp_path_factory.mktemp("rules")
    source = "{name: docs, kind: filesystem, path: docs}"
    (folder / "kprep.yaml").write_text(f"knowledge_base: places\ntenant: acme\nsources: [{source}]\n")
    return load_rules(load(Path(folder)), b"a key of the tests")


def said(number: int, words: int, value: str) -> str:
    """A sentence of marked words with a value in its middle."""
    marked = [f"word{number}x{word}" for word in range(words)]
    return " ".join([*marked[: words // 2], value, *marked[words // 2 :]]).replace("  ", " ")


@pytest.mark.req("D5.1")
@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(parts=PARTS)
def test_places_hold_the_words_around_what_was_redacted(
    name: str, parts: list[tuple[int, str]], rules: RuleSet
) -> None:
    texts = [said(number, *part) for number, part in enumerate(parts)]
    content = FORMATS[name](texts).encode()
    media_type = detect(name, content)
    result = prepare(Job(RawDocument(f"docs/{name}", name, content, media_type), "document"), rules).result
    assert isinstance(result, PreparedDocument), result
    chunks = result.document.children
    found = {mark for chunk in chunks for mark in MARK.findall(chunk.text)}
    assert found == {mark for text in texts for mark in MARK.findall(text)}, "a word beside a value was lost"
    for chunk in chunks:
        assert not any(value in chunk.text for _, value in parts if value)
        original = quote(media_type, content, chunk.locator)
        assert isinstance(original, str)
        assert set(MARK.findall(chunk.text)) <= set(MARK.findall(original)), (chunk.locator, chunk.text, original)
        if PLACEHOLDER.search(chunk.text):
            assert any(value in original for _, value in parts if value)
