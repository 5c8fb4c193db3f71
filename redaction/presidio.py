"""Pattern recognizers of Presidio that a policy names, called directly: no engine, no NLP model, no look-up.

Presidio's own engine needs an NLP pipeline even for patterns, and its e-mail and URL recognizers fetch a list from the
network; neither is used. Its recognizers log and skip when an expression times out, so texts come in windows far below
that limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

from kprep.core.errors import ConfigError
from redaction.spans import Span

WINDOW = 100_000
"""Characters per call."""
OVERLAP = 1_000
"""Characters that two windows share: longer than any value, so that none is cut by a border."""
_LEAST_SCORE = 0.5
_NETWORK_USERS = frozenset({"EmailRecognizer", "UrlRecognizer"})


def recognizer(names: tuple[str, ...]) -> Callable[[str], Iterator[Span]]:
    """A function that finds the values of the named recognizers; of nothing where no name is given.

    Raises: ConfigError for a name that is no pattern recognizer of Presidio, or one that uses the network.
    """
    loaded = [_load(name) for name in names]

    def find(text: str) -> Iterator[Span]:
        for item in loaded:
            for offset, window in windows(text, WINDOW, OVERLAP):
                for result in item.analyze(window, item.supported_entities, None):
                    if result.score >= _LEAST_SCORE:
                        yield Span(result.entity_type, offset + result.start, offset + result.end, result.score)

    return find


def windows(text: str, size: int, overlap: int) -> Iterator[tuple[int, str]]:
    """Pieces of `text` with their offsets, each sharing `overlap` characters with the one before."""
    for offset in range(0, max(1, len(text) - overlap), size - overlap):
        yield offset, text[offset : offset + size]


def _load(name: str) -> Any:
    from presidio_analyzer import PatternRecognizer, predefined_recognizers

    found = getattr(predefined_recognizers, name, None)
    if name in _NETWORK_USERS or not isinstance(found, type) or not issubclass(found, PatternRecognizer):
        raise ConfigError(f"presidio: {name!r} is no pattern recognizer that works offline", key="presidio")
    return cast("Any", found)()
