"""Sentences of a text by its language: what chunks are cut at, titles are chosen from and passages are made of."""

from __future__ import annotations

import re
from collections.abc import Iterator

STRETCH = 20_000
"""Characters in which sentences are looked for at once, since the time for it grows with their square; few paragraphs
are longer."""
_BETWEEN_CLAUSES = {
    "th": re.compile(r"(?<=[\u0e01-\u0e2e\u0e30-\u0e45\u0e47-\u0e4e])\s+(?=[\u0e01-\u0e45])"),
    "lo": re.compile(r"(?<=[\u0e81-\u0ec4\u0ec8-\u0ecd])\s+(?=[\u0e81-\u0ec4])"),
}
"""Languages that end no sentence with a sign: a space between two of their letters ends a clause, which is the smallest
unit that stands for itself. None follows a sign of repetition or of abbreviation (\u0e46, \u0e2f)."""


def sentence_spans(text: str, language: str) -> list[tuple[int, int]]:
    """Start and end of each sentence, in order, white space around it left out. `language`: a BCP 47 tag; "" is read as
    English. A sentence over `STRETCH` characters is cut."""
    from sentencex import get_sentence_boundaries

    code = language.replace("_", "-").split("-")[0].lower() or "en"
    between = _BETWEEN_CLAUSES.get(code)
    spans: list[tuple[int, int]] = []
    start, end = 0, len(text)
    while start < end:
        stop = end if end - start <= STRETCH else max(text.rfind(" ", start, start + STRETCH), start + STRETCH // 2)
        found = [
            (start + one["start_index"], start + one["end_index"])
            for one in get_sentence_boundaries(code, text[start:stop])
        ]
        start = stop
        if stop < end and len(found) > 1:  # the last one may go on
            start, _ = found.pop()
        for first, last in found:
            for begin, finish in _parts(text, first, last, between):
                piece = text[begin:finish]
                if piece.strip():
                    lead = len(piece) - len(piece.lstrip())
                    spans.append((begin + lead, begin + lead + len(piece.strip())))
    return spans


def _parts(text: str, start: int, end: int, between: re.Pattern[str] | None) -> Iterator[tuple[int, int]]:
    for found in between.finditer(text, start, end) if between else ():
        yield start, found.start()
        start = found.end()
    yield start, end
