"""Spans of text that must go, and how overlapping ones become one."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

PLACEHOLDER = re.compile(r"<[A-Z][A-Z0-9_]*_[0-9a-f]{6}>")
"""What a value was replaced by."""
UPPER = "[A-Z" + "".join(char for char in map(chr, range(0xC0, 0x530)) if char.isupper()) + "]"
"""Expression of one capital letter: Latin, Greek, Cyrillic."""
LETTER = r"[^\W\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]"
"""Expression of one sign of a word in a script with spaces: a Chinese, Japanese or Korean one may touch a value."""
_QUOTES = r"\xab\xbb\u2018-\u201f\u2026"
UNSPACED = rf"{_QUOTES}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff5f-\uff9f"
"""Class of signs of scripts whose words touch a value (Chinese, Japanese, Korean, Thai, Lao, Burmese, Khmer), and of
quotation marks that are not ASCII."""
_UNSPACED_FOLLOWS = re.compile(rf"[,;:!?.)}}\]]*[{UNSPACED}]")
_GAP = "\0" * 130
"""Between two excerpts: wider than any context is looked for, and no recognizer crosses a NUL."""
_WIDE_CHARACTERS = re.compile("[\u3000\uff01-\uff5e]+")
_WIDE = {0x3000: 0x20, **{0xFF00 + code - 0x20: code for code in range(0x21, 0x7F)}}


@dataclass(frozen=True, slots=True)
class Span:
    """A value of some kind at `text[start:end]`; `score` 0..1 decides the kind where spans overlap.

    `by_context`: only the words beside it show what it is.
    """

    kind: str
    start: int
    end: int
    score: float = 0.5
    by_context: bool = False


@dataclass(frozen=True, slots=True)
class Excerpts:
    """Parts of a text as one short text, which is read instead of it, and where each part stood."""

    text: str
    starts: tuple[int, ...]
    offsets: tuple[int, ...]

    @classmethod
    def of(cls, text: str, regions: Iterable[tuple[int, int]], gap: str = _GAP) -> Excerpts:
        """`regions`: (start, end) of the parts, in order, not overlapping. `gap`: stands between two of them."""
        parts: list[str] = []
        starts: list[int] = []
        offsets: list[int] = []
        length = 0
        for start, end in regions:
            starts.append(length)
            offsets.append(start - length)
            parts.append(text[start:end])
            length += end - start + len(gap)
        return cls(gap.join(parts), tuple(starts), tuple(offsets))

    def placed(self, span: Span) -> Span:
        """The span, found in the excerpts, at its place in the whole text."""
        offset = self.offsets[bisect_right(self.starts, span.start) - 1]
        return replace(span, start=span.start + offset, end=span.end + offset)


def mask(text: str) -> str:
    """The text, of the same length, with placeholders as NUL characters, so that no recognizer sees or crosses one, and
    full-width letters, digits and signs as the ASCII ones they stand for."""
    if not text.isascii():
        text = _WIDE_CHARACTERS.sub(lambda match: match[0].translate(_WIDE), text)
    if "<" not in text:
        return text
    return PLACEHOLDER.sub(lambda match: "\0" * len(match[0]), text)


def token_end(text: str, start: int, end: int) -> int:
    """Where the value at `start` ends: before a word or punctuation of a script without spaces, unless it begins so."""
    match = _UNSPACED_FOLLOWS.search(text, start, end)
    return match.start() if match and match.start() > start else end


def places(text: str, literals: Iterable[str]) -> Iterator[int]:
    """Where any of the literals stands in `text`: far faster than an expression of alternatives."""
    for literal in literals:
        place = text.find(literal)
        while place >= 0:
            yield place
            place = text.find(literal, place + 1)


@lru_cache(maxsize=1)  # several recognizers in turn ask for the same text
def folded(text: str) -> str:
    """The text in lower case, each character at its place (the one that becomes two is replaced first)."""
    return text.replace("\u0130", "I").lower()


def resolve(spans: Iterable[Span]) -> list[Span]:
    """Spans in order of place, none overlapping: each group that overlaps becomes its union, so that nothing of any
    value stays, with the kind of its best member (score, then length)."""
    out: list[Span] = []
    best: Span | None = None
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if best is None or span.start >= out[-1].end:
            out.append(span)
            best = span
            continue
        best = max(best, span, key=lambda item: (item.score, item.end - item.start))
        out[-1] = Span(best.kind, out[-1].start, max(out[-1].end, span.end), best.score, best.by_context)
    return out


def near(words: re.Pattern[str], text: str, span: tuple[int, int], before: int = 48, after: int = 0) -> bool:
    """Whether a context word stands within `before` characters ahead of the span, or `after` behind it."""
    start, end = span
    if words.search(text, max(0, start - before), start):
        return True
    return bool(after) and words.search(text, end, end + after) is not None
