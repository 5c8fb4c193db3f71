"""Question files: what is read, and how mistakes are named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from kprep.core.errors import ConfigError
from quality import load_questions
from quality.spec import QUESTION_CLASSES, Expected, Question

HANDBOOK = Path(__file__).parents[3] / "examples" / "handbook"
SPAN = {"document": "people/travel.md", "quote": "up to 140 EUR"}
GOOD: dict[str, Any] = {"id": "a", "class": "natural", "question": "How much?", "as": ["staff"], "expect": [SPAN]}


@pytest.mark.req("C1.1", "C1.2", "C1.3", "C1.4", "C1.5", "C1.7", "C1.8", "C1.9")
@pytest.mark.parametrize("name", ["questions.yaml", "questions_heldout.yaml"])
def test_the_questions_of_the_handbook_are_read(name: str) -> None:
    entries = yaml.safe_load((HANDBOOK / name).read_text(encoding="utf-8"))
    questions = load_questions(entries, name)
    assert [question.id for question in questions] == [entry["id"] for entry in entries]
    assert {question.kind for question in questions} == set(QUESTION_CLASSES)


def test_an_entry_becomes_a_question() -> None:
    expected = (Expected("people/travel.md", "up to 140 EUR"),)
    assert load_questions([GOOD], "q.yaml") == (Question("a", "How much?", "natural", ("staff",), expected),)
    assert load_questions(None, "q.yaml") == ()
    (nobody,) = load_questions([{k: v for k, v in GOOD.items() if k != "as"}], "q.yaml")
    assert nobody.principals == ()


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"a": 1}, r"q.yaml: expected a list of questions \(`- id: ...`\), found a dict"),
        (["a"], r"entry 1: expected keys and values"),
        ([GOOD, GOOD | {"question": "Again?"}], r"entry 2: id 'a' is already that of entry 1: give it another id"),
        ([GOOD | {"class": "nautral"}], r"entry 1 \(a\): class 'nautral' is not known: use one of identifier, natural"),
        ([GOOD | {"id": 7}], r"entry 1: id must be text, YAML reads a int: put it in quotes"),
        ([GOOD | {"question": "a\0b"}], r"entry 1 \(a\): question cannot be used: it holds a NUL character"),
        ([GOOD | {"as": ["\ud800"]}], r"entry 1 \(a\): as: .* cannot be used: it holds half of a surrogate pair"),
        ([GOOD | {"question": 4.7}], r"entry 1 \(a\): question must be text, YAML reads a float: put it in quotes"),
        ([GOOD | {"question": " "}], r"entry 1 \(a\): question is missing"),
        ([GOOD | {"as": "staff"}], r"entry 1 \(a\): as: expected a list of group names"),
        ([GOOD | {"As": []}], r"entry 1 \(a\): key 'As' is not known: use id, class"),
        ([GOOD | {"expect": []}], r"entry 1 \(a\): expect: name at least one place"),
        ([GOOD | {"expect": SPAN}], r"entry 1 \(a\): expect: expected a list"),
        ([GOOD | {"expect": ["words"]}], r"entry 1 \(a\): expect 1: expected `\{document"),
        ([GOOD | {"expect": [{"document": "x"}]}], r"entry 1 \(a\): expect 1: quote is missing: add `quote: ...`"),
        ([GOOD | {"expect": [SPAN | {"page": 1}]}], r"entry 1 \(a\): expect 1: key 'page' is not known"),
        ([GOOD | {"expect": [SPAN | {"quote": "..."}]}], r"expect 1: quote holds no letter or digit"),
        ([GOOD | {"expect": [SPAN, SPAN]}], r"expect 2: the same document and quote stand above"),
        (
            [GOOD | {"class": "no_answer"}],
            r"entry 1 \(a\): expect: a question of class no_answer has no expected place",
        ),
        ([GOOD | {"class": "denied", "forbidden": [SPAN]}], r"class denied has no expected place"),
        ([GOOD | {"class": "denied", "expect": []}], r"entry 1 \(a\): forbidden: name what must not be shown"),
        ([GOOD | {"forbidden": [SPAN]}], r"entry 1 \(a\): forbidden: only a question of class denied has it"),
    ],
)
def test_a_mistake_is_named_with_entry_key_and_remedy(entries: object, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_questions(entries, "q.yaml")
