"""Question files: what the fixed questions of a knowledge base may look like, and every mistake by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kprep.core.errors import ConfigError
from kprep.core.legible import no_text
from quality.spec import QUESTION_CLASSES, Expected, Question
from quality.text import words

_KEYS = ("id", "class", "question", "as", "expect", "forbidden")
_SPAN_KEYS = ("document", "quote")


def load_questions(entries: Any, path_name: str) -> tuple[Question, ...]:
    """The questions of a parsed YAML file, in file order; () for an empty file.

    An entry is `{id, class, question, as: [group], expect: [{document, quote}], forbidden: [{document, quote}]}`.
    Raises: ConfigError naming file, entry, key and remedy.
    """
    if entries is None:
        return ()
    if not isinstance(entries, list):
        raise ConfigError(f"{path_name}: expected a list of questions (`- id: ...`), found a {type(entries).__name__}")
    questions: list[Question] = []
    places: dict[str, int] = {}
    for number, entry in enumerate(entries, start=1):
        question = _question(entry, f"{path_name}: entry {number}")
        if question.id in places:
            first = places[question.id]
            raise ConfigError(
                f"{path_name}: entry {number}: id {question.id!r} is already that of entry {first}: give it another id"
            )
        places[question.id] = number
        questions.append(question)
    return tuple(questions)


def _question(entry: Any, where: str) -> Question:
    if not isinstance(entry, Mapping):
        raise ConfigError(f"{where}: expected keys and values (`id: ...`), found a {type(entry).__name__}")
    if isinstance(entry.get("id"), str) and entry["id"].strip():
        where = f"{where} ({entry['id']})"
    _known_keys(entry, _KEYS, where)
    kind = _text(entry, "class", where)
    if kind not in QUESTION_CLASSES:
        raise ConfigError(f"{where}: class {kind!r} is not known: use one of {', '.join(QUESTION_CLASSES)}")
    question = Question(
        id=_text(entry, "id", where),
        question=_text(entry, "question", where),
        kind=kind,
        principals=_principals(entry.get("as"), where),
        expected=_spans(entry, "expect", where),
        forbidden=_spans(entry, "forbidden", where),
    )
    _check_spans(question, where)
    return question


def _check_spans(question: Question, where: str) -> None:
    kind = question.kind
    if kind in ("no_answer", "denied") and question.expected:
        raise ConfigError(f"{where}: expect: a question of class {kind} has no expected place: remove `expect`")
    if kind not in ("no_answer", "denied") and not question.expected:
        raise ConfigError(
            f"{where}: expect: name at least one place as `- {{document, quote}}`, "
            "or make the class no_answer if nothing answers the question"
        )
    if kind == "denied" and not question.forbidden:
        raise ConfigError(f"{where}: forbidden: name what must not be shown as `- {{document, quote}}`")
    if kind != "denied" and question.forbidden:
        raise ConfigError(f"{where}: forbidden: only a question of class denied has it: remove it or change the class")


def _known_keys(entry: Mapping[Any, Any], known: tuple[str, ...], where: str) -> None:
    for key in entry:
        if key not in known:
            raise ConfigError(f"{where}: key {key!r} is not known: use {', '.join(known)}")


def _text(entry: Mapping[Any, Any], key: str, where: str) -> str:
    value = entry.get(key)
    if value is None or (isinstance(value, str) and not value.strip()):
        raise ConfigError(f"{where}: {key} is missing: add `{key}: ...`")
    if not isinstance(value, str):
        raise ConfigError(f"{where}: {key} must be text, YAML reads a {type(value).__name__}: put it in quotes")
    if reason := no_text(value):
        raise ConfigError(f"{where}: {key} cannot be used: {reason}")
    return value.strip()


def _principals(value: Any, where: str) -> tuple[str, ...]:
    groups = [] if value is None else value
    if not isinstance(groups, list) or not all(isinstance(group, str) and group.strip() for group in groups):
        raise ConfigError(f"{where}: as: expected a list of group names, such as `as: [all-employees]` or `as: []`")
    for group in groups:
        if reason := no_text(group):
            raise ConfigError(f"{where}: as: {group!a} cannot be used: {reason}")
    return tuple(groups)


def _spans(entry: Mapping[Any, Any], key: str, where: str) -> tuple[Expected, ...]:
    value = entry.get(key)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise ConfigError(f"{where}: {key}: expected a list of `- {{document, quote}}`")
    spans: list[Expected] = []
    for number, span in enumerate(value, start=1):
        place = f"{where}: {key} {number}"
        if not isinstance(span, Mapping):
            raise ConfigError(f"{place}: expected `{{document: ..., quote: ...}}`, found a {type(span).__name__}")
        _known_keys(span, _SPAN_KEYS, place)
        found = Expected(document=_text(span, "document", place), quote=_text(span, "quote", place))
        if not words(found.quote):
            raise ConfigError(f"{place}: quote holds no letter or digit: copy some words of the source")
        if found in spans:
            raise ConfigError(f"{place}: the same document and quote stand above: remove one")
        spans.append(found)
    return tuple(spans)
