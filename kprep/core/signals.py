"""Metadata that shapes ranking: how established a statement is, how hard, in which register, and what blocks it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

SIGNALS = ("truth_confidence", "source_confidence", "difficulty", "style", "avoid_with")
MUST_BE_SOUND = {
    "truth_confidence": "a number from 0 to 1",
    "source_confidence": "a number from 0 to 1",
    "avoid_with": "a list of words",
}
"""Signals that must be readable where they are stated, and how they are written. A difficulty or style in other words
is another tool's, and states nothing here."""
LEVELS = {
    "beginner": 0.2, "basic": 0.2, "easy": 0.2, "simple": 0.2, "introductory": 0.2,
    "intermediate": 0.5, "medium": 0.5,
    "advanced": 0.8, "hard": 0.8, "difficult": 0.8,
    "expert": 1.0,
}  # fmt: skip
"""Words for a difficulty, as numbers."""
FRAGMENTS = (
    "def", "int", "ex", "form", "app", "step", "code", "api", "error", "table", "faq", "policy", "schema", "field",
    "setting",
)  # fmt: skip
"""What kind of knowledge a chunk is: definition, intuition, example, formula, application; steps, code, interface,
error, table, question and answer, rule that binds; and what formats name: schema, field, setting."""
SAID = ("conclusion", "outdated", "comment")
"""Kinds of what people say to each other: what was decided, what was taken back, what stands beside a text."""


def signals_of(fields: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Signals that the fields state, and the names of fields that have a value which states none.

    Confidences and difficulty are 0..1, a difficulty may be a word of `LEVELS`; `style` is a word; `avoid_with` a word
    or a list of words."""
    out: dict[str, Any] = {}
    unsound = []
    for name in SIGNALS:
        value = fields.get(name)
        if value is None:
            continue
        read: Callable[[Any], Any] = _READ.get(name, _number)
        found = read(value)
        if found is None:
            unsound.append(name)
        else:
            out[name] = found
    return out, tuple(unsound)


def _number(value: Any) -> float | None:
    sound = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return float(value) if sound else None


def _difficulty(value: Any) -> float | None:
    return _number(LEVELS.get(value.strip().lower()) if isinstance(value, str) else value)


def _style(value: Any) -> str | None:
    return value.strip().lower() if isinstance(value, str) else None


def _words(value: Any) -> list[str] | None:
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
        return None
    return [word.strip() for word in words if word.strip()]


_READ: Mapping[str, Callable[[Any], Any]] = {"difficulty": _difficulty, "style": _style, "avoid_with": _words}
