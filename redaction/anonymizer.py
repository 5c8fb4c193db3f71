"""Presidio's AnonymizerEngine with an operator that writes this room's stable pseudonyms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from presidio_anonymizer import AnonymizerEngine
from presidio_anonymizer.entities import OperatorConfig, RecognizerResult
from presidio_anonymizer.operators import Operator, OperatorType

from redaction.pseudonyms import Pseudonyms
from redaction.spans import Span

_BATCH = 200
"""Values replaced in one call: the engine copies the text for each."""


class PseudonymOperator(Operator):
    """Replaces a value by its placeholder."""

    def operate(self, text: str, params: dict[str, Any] | None = None) -> str:
        given = params or {}
        pseudonyms: Pseudonyms = given["pseudonyms"]
        return pseudonyms.placeholder(given["entity_type"], text)

    def validate(self, params: dict[str, Any] | None = None) -> None:
        """`Anonymizer` alone sets the parameters."""

    def operator_name(self) -> str:
        return "pseudonym"

    def operator_type(self) -> OperatorType:
        return OperatorType.Anonymize


class Anonymizer:
    """Replaces spans by placeholders."""

    def __init__(self, pseudonyms: Pseudonyms) -> None:
        self._engine: Any = AnonymizerEngine()  # type: ignore[no-untyped-call]
        self._engine.add_anonymizer(PseudonymOperator)
        self._operators = {"DEFAULT": OperatorConfig("pseudonym", {"pseudonyms": pseudonyms})}

    def replaced(self, text: str, spans: Sequence[Span]) -> str:
        """The text with each span replaced; spans in order and not overlapping (see `redaction.spans.resolve`)."""
        if not spans:
            return text
        return "".join(self._replaced(text, spans))

    def _replaced(self, text: str, spans: Sequence[Span]) -> Iterator[str]:
        start = 0
        for first in range(0, len(spans), _BATCH):
            batch = spans[first : first + _BATCH]
            end = batch[-1].end if first + _BATCH < len(spans) else len(text)
            results = [RecognizerResult(s.kind, s.start - start, s.end - start, s.score) for s in batch]
            # Two values with a space between stay two: each has its own placeholder everywhere.
            yield self._engine.anonymize(
                text[start:end], results, operators=dict(self._operators), merge_entities_with_spaces=False
            ).text
            start = end
