"""Tokens of a known form that a line wrap broke into pieces, also where cleaning has made a space of the wrap."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from redaction.secret_tokens import FORMS
from redaction.secret_values import is_placeholder, is_token
from redaction.secret_vendors import TOKENS
from redaction.spans import Excerpts, Span, places

_FORMS = tuple(
    (kind, prefix, pattern)
    for kind, prefix, pattern in (
        *((form.kind, start, form.pattern) for form in FORMS if not form.inside for start in form.triggers),
        *(("API_TOKEN", prefix, pattern) for prefix, pattern in TOKENS),
    )
    if " " not in prefix
)
_STARTS = sorted({prefix for _, prefix, _ in _FORMS}, reverse=True)
# Grouped by the first sign, so that at most places one comparison is enough.
_PREFIX = re.compile(
    "|".join(
        f"{re.escape(sign)}(?<![A-Za-z0-9].)(?:{'|'.join(re.escape(start[1:]) for start in group)})"
        for sign, group in ((sign, list(group)) for sign, group in groupby(_STARTS, itemgetter(0)))
    )
)
_PIECE = re.compile(r"[A-Za-z0-9_.~+/=-]+")
# A line end with the quotes, backslash or marks of a quotation around it, or a space.
_BREAK = r"(?:[ ]|[\"'\\]{0,2}[ \t]*\\?\n[ \t>|#]{0,40}[\"']?)"
_NEXT = re.compile(rf"{_BREAK}(?P<piece>{_PIECE.pattern})")
_MOST_PIECES = 12
_AROUND = 48
"""Characters before and behind the start of a long word in which the token it is part of begins."""
_SHORT = ("AKIA", "ASIA", "ABIA", "glpat-")
"""Prefixes of tokens so short that no piece of them need be a long word."""


def wrapped_tokens(text: str, words: Excerpts) -> Iterator[Span]:
    """Tokens in pieces, of which one is a long word. `words`: `secret_tokens.long_words` of the text.

    Only forms with a prefix, and only where each piece looks drawn by chance: words that follow a prefix are prose.
    """
    done = 0
    for start, offset in zip(words.starts, words.offsets, strict=True):
        place = start + offset
        for prefix in _PREFIX.finditer(text, max(done, place - _AROUND), place + _AROUND):
            yield from _joined(text, prefix)
        done = place + _AROUND
    for place in places(text, _SHORT):
        if short := _PREFIX.match(text, place):
            yield from _joined(text, short)


def _joined(text: str, prefix: re.Match[str]) -> Iterator[Span]:
    """The token that begins with `prefix` and goes on behind a break."""
    first = _PIECE.match(text, prefix.start())
    if first is None or _is_words(first[0].removeprefix(prefix[0])):
        return
    joined, end = first[0], first.end()
    for _ in range(_MOST_PIECES):
        following = _NEXT.match(text, end)
        if following is None or _is_words(following["piece"]):
            return
        joined, end = joined + following["piece"], following.end()
        for kind, known, pattern in _FORMS:
            match = pattern.match(joined) if joined.startswith(known) else None
            if match is None or match.end() <= len(first[0]):
                continue
            value = match["value"] if "value" in pattern.groupindex else match[0]
            if (is_token(value) or not _is_words(value)) and not is_placeholder(value):
                yield Span(kind, prefix.start(), end - (len(joined) - match.end()), 1.0)
                return


def _is_words(piece: str) -> bool:
    """Whether a piece is what prose and names are made of: words in small letters or with a capital, and numbers."""
    parts = re.findall(r"[A-Za-z0-9]+", piece)
    return all(part.isdigit() or (part.isalpha() and (part.islower() or part.istitle())) for part in parts)
