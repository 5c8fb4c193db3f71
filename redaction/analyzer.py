"""Presidio's AnalyzerEngine with this room's recognizers: a registry of its own, no model unless names are asked for.

What differs from the engine as shipped, and why:

- the predefined recognizers are not loaded (only those a policy names): two of them fetch lists from the network, and
  on technical text most of what they find is wrong;
- the NLP engine tokenises nothing, since no recognizer of this room reads tokens; instead its artifacts carry the
  surroundings of all digits, found once a text and read by all numeric recognizers;
- context is looked at by each recognizer, so the engine's enhancer, which would read tokens, has nothing to do;
- texts come in windows, because the engine compares results with each other, and with them gets its language.

Imported when the first redactor is made: Presidio takes about a second to load.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

from presidio_analyzer import AnalyzerEngine, EntityRecognizer, PatternRecognizer, RecognizerRegistry, RecognizerResult
from presidio_analyzer import predefined_recognizers as predefined
from presidio_analyzer.context_aware_enhancers import ContextAwareEnhancer
from presidio_analyzer.nlp_engine import NlpArtifacts, NlpEngine
from spacy.tokens import Doc
from spacy.vocab import Vocab

from kprep.core.bounded import bounded
from kprep.core.errors import ConfigError
from redaction.languages import ANY, LANGUAGES, language_of
from redaction.names import NameRecognizer
from redaction.policy import NAME_KINDS, RedactionPolicy
from redaction.recognizers import RECOGNIZERS, Recognizer, around_digits, is_identifier
from redaction.spans import Excerpts, Span

WINDOW = 100_000
"""Characters of which one call reports the values that start there."""
MARGIN = 1_000
"""Characters a call sees before and after its window: longer than any value with its context."""
REACH = 250
"""Characters from a changed place within which the change can make or unmake a value of this room's recognizers."""
_LEAST_SCORE = 0.5
_BY_CONTEXT = "by_context"
_VOCABULARY = Vocab()
_NETWORK_USERS = frozenset({"EmailRecognizer", "UrlRecognizer"})


class Analyzer:
    """Finds personal data by a policy. Raises: ConfigError for a recognizer or model that cannot be loaded."""

    def __init__(self, policy: RedactionPolicy) -> None:
        self._allowed = [re.compile(pattern) for pattern in policy.allow_patterns]
        recognizers = [item for language in (*LANGUAGES, ANY) for item in _recognizers(policy, language)]
        languages = list(dict.fromkeys(item.supported_language for item in recognizers))
        self.is_local = not (policy.names or policy.patterns or policy.presidio)
        self._engine = recognizers and AnalyzerEngine(
            registry=RecognizerRegistry(recognizers=recognizers, supported_languages=languages),
            nlp_engine=ExcerptEngine(languages),
            supported_languages=languages,
            context_aware_enhancer=_NoEnhancer(),
            default_score_threshold=_LEAST_SCORE,
        )

    def find(self, text: str, language: str = "", near: Sequence[int] | None = None) -> Iterator[Span]:
        """Spans of personal data in `text`, possibly overlapping, in no order.

        `language`: one of LANGUAGES or ANY; empty: by the text. `near`: places of changes, in order; only values that
        one of them can have made are looked for. Right where nothing but this room's recognizers runs (`is_local`).
        """
        if not self._engine:
            return
        used = language or language_of(text)
        excerpts = Excerpts(text, (0,), (0,)) if near is None else Excerpts.of(text, _regions(near, len(text)))
        for start, window in _windows(excerpts.text):
            lead = min(start, MARGIN)
            for result in self._engine.analyze(window, used):
                if not lead <= result.start < lead + WINDOW:
                    continue  # another window reports it
                span = excerpts.placed(_span(result, start - lead))
                if near is not None and not _is_near(near, span.start):
                    continue  # cut off at the border of an excerpt
                if not is_identifier(text, span) and not self._is_allowed(text, span):
                    yield span

    def _is_allowed(self, text: str, span: Span) -> bool:
        with bounded("allow.patterns of the redaction policy"):
            return any(pattern.fullmatch(text, span.start, span.end) for pattern in self._allowed)


class RoomRecognizer(EntityRecognizer):
    """A recognizer of this room as one of Presidio's."""

    def __init__(self, recognizer: Recognizer, policy: RedactionPolicy, language: str) -> None:
        self._recognizer = recognizer
        self._policy = policy
        super().__init__([recognizer.kind], name=recognizer.name, supported_language=language)

    def load(self) -> None:
        """There is nothing to load."""

    def analyze(self, text: str, entities: list[str], nlp_artifacts: NlpArtifacts) -> list[RecognizerResult]:  # noqa: ARG002
        """What the room's recognizer finds: in the excerpts around digits if it is numeric, else in the text."""
        if not self._recognizer.numeric:
            return [_result(span) for span in self._recognizer.find(text, self._policy)]
        artifacts = cast("ExcerptArtifacts", nlp_artifacts)
        excerpts, stems = artifacts.excerpts, self._recognizer.stems
        if not excerpts.text or (stems and not any(stem in artifacts.lower for stem in stems)):
            return []
        return [_result(excerpts.placed(span)) for span in self._recognizer.find(excerpts.text, self._policy)]


class OwnPattern(EntityRecognizer):
    """A pattern of the policy. Case counts, as written, which Presidio's own pattern recognizer would not do."""

    def __init__(self, kind: str, pattern: str, language: str) -> None:
        self._pattern = re.compile(pattern)
        super().__init__([kind], name=kind, supported_language=language)

    def load(self) -> None:
        """There is nothing to load."""

    def analyze(self, text: str, entities: list[str], nlp_artifacts: NlpArtifacts) -> list[RecognizerResult]:  # noqa: ARG002
        """All matches that are not empty."""
        kind = self.supported_entities[0]
        with bounded(f"patterns.{kind} of the redaction policy"):
            found = [Span(kind, match.start(), match.end(), 1.0) for match in self._pattern.finditer(text)]
        return [_result(span) for span in found if span.end > span.start]


class ExcerptArtifacts(NlpArtifacts):
    """What is found out once a text for all recognizers: no tokens, but the parts around digits."""

    def __init__(self, text: str, language: str) -> None:
        super().__init__([], Doc(_VOCABULARY), [], [], cast("Any", None), language)
        self.excerpts = around_digits(text)
        self.lower = self.excerpts.text.lower()


class ExcerptEngine(NlpEngine):
    """An NLP engine without a pipeline, for recognizers that read characters."""

    def __init__(self, languages: Iterable[str]) -> None:
        self._languages = list(languages)

    def load(self) -> None:
        """There is nothing to load."""

    def is_loaded(self) -> bool:
        return True

    def process_text(self, text: str, language: str) -> NlpArtifacts:
        return ExcerptArtifacts(text, language)

    def process_batch(
        self, texts: Iterable[str], language: str, *_: Any, **__: Any
    ) -> Iterator[tuple[str, NlpArtifacts]]:
        return ((text, self.process_text(text, language)) for text in texts)

    def is_stopword(self, word: str, language: str) -> bool:  # noqa: ARG002
        return False

    def is_punct(self, word: str, language: str) -> bool:  # noqa: ARG002
        return False

    def get_supported_entities(self) -> list[str]:
        return []

    def get_supported_languages(self) -> list[str]:
        return self._languages


class _NoEnhancer(ContextAwareEnhancer):
    """Leaves results as they are."""

    def __init__(self) -> None:
        super().__init__(0.0, 0.0, 0, 0)

    def enhance_using_context(
        self,
        text: str,  # noqa: ARG002
        raw_results: list[RecognizerResult],
        nlp_artifacts: NlpArtifacts,  # noqa: ARG002
        recognizers: list[EntityRecognizer],  # noqa: ARG002
        context: list[str] | None = None,  # noqa: ARG002
    ) -> list[RecognizerResult]:
        return raw_results


def _recognizers(policy: RedactionPolicy, language: str) -> Iterator[EntityRecognizer]:
    """All recognizers of a policy that run on texts of a language."""
    for recognizer in RECOGNIZERS.values():
        speaks = language == ANY or not recognizer.languages or language in recognizer.languages
        if speaks and recognizer.kind in policy.kinds:
            yield RoomRecognizer(recognizer, policy, language)
    for kind, pattern in policy.patterns:
        yield OwnPattern(kind, pattern, language)
    for name in policy.presidio:
        yield _predefined(name, language)
    if policy.names:
        yield NameRecognizer(policy.names, frozenset({*NAME_KINDS, *policy.kinds}), language)


def _predefined(name: str, language: str) -> EntityRecognizer:
    found = getattr(predefined, name, None)
    if name in _NETWORK_USERS or not isinstance(found, type) or not issubclass(found, PatternRecognizer):
        raise ConfigError(f"presidio: {name!r} is no pattern recognizer that works offline", key="presidio")
    return cast("EntityRecognizer", cast("Any", found)(supported_language=language))


def _windows(text: str) -> Iterator[tuple[int, str]]:
    """Starts of the windows, and the text of each with its margins."""
    for start in range(0, max(1, len(text)), WINDOW):
        yield start, text[max(0, start - MARGIN) : start + WINDOW + MARGIN]


def _regions(near: Sequence[int], length: int) -> Iterator[tuple[int, int]]:
    """Parts of a text that hold what lies within REACH of the places, and as much again around it."""
    start, end = 0, -1
    for place in near:
        if place - 2 * REACH > end:
            if end >= 0:
                yield start, end
            start = max(0, place - 2 * REACH)
        end = min(length, place + 2 * REACH)
    if end >= 0:
        yield start, end


def _is_near(near: Sequence[int], place: int) -> bool:
    index = bisect_right(near, place + REACH)
    return index > 0 and near[index - 1] >= place - REACH


def _result(span: Span) -> RecognizerResult:
    return RecognizerResult(
        span.kind, span.start, span.end, span.score, recognition_metadata={_BY_CONTEXT: span.by_context}
    )


def _span(result: RecognizerResult, offset: int) -> Span:
    by_context = bool((result.recognition_metadata or {}).get(_BY_CONTEXT))
    return Span(result.entity_type, offset + result.start, offset + result.end, result.score, by_context)
