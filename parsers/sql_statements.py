"""SQL text cut into statements, comments told from code; strings and dollar quotes are left whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_PARTS = (
    r"(?P<comment>--[^\n]*|/\*.*?\*/)"
    r"|(?P<string>%s|\"(?:[^\"]|\"\")*\"|`[^`]*`)"
    r"|(?P<dollar>\$(?P<tag>\w*)\$.*?\$(?P=tag)\$)"
    r"|(?P<end>;)"
)
_TOKEN = re.compile(_PARTS % r"'(?:[^']|'')*'", re.DOTALL)
_ESCAPED = re.compile(_PARTS % r"'(?:[^'\\]|''|\\.)*'", re.DOTALL)
_PUNCTUATION = re.compile(r"'(?:[^'\\]|''|\\.)*'|\"[^\"]*\"|`[^`]*`|[(),]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: characters [start, end) of the file with the comments before it, its text, and the text with
    comments blanked out (`bare`, same offsets). `comments`: (offset in the text, words)."""

    start: int
    end: int
    text: str
    bare: str
    comments: tuple[tuple[int, str], ...]

    @property
    def comments_before(self) -> tuple[str, ...]:
        """Comments before the first word of the statement."""
        first = len(self.bare) - len(self.bare.lstrip())
        return tuple(words for at, words in self.comments if at < first)

    def comments_in(self, start: int, end: int) -> list[str]:
        """Comments that begin between two characters of the text."""
        return [words for at, words in self.comments if start <= at < end]

    def lines_of(self, start: int, stop: int) -> tuple[int, int]:
        """Where the comments on an item start..stop may stand: after the line on which the item before it ended, up to
        the end of the line on which its own comma stands."""
        piece = self.bare[start:stop]
        before_code = self.text.find("\n", start, start + len(piece) - len(piece.lstrip()))
        after = self.text.find("\n", stop)
        after = len(self.text) if after < 0 else after
        if self.bare[stop + 1 : after].strip():
            after = stop  # the next item begins on the same line
        return (before_code if before_code >= 0 else start), after


def split_items(bare: str, start: int) -> tuple[list[tuple[int, int]], int]:
    """Spans of the items that commas part between an opening bracket, which ends at `start`, and its closing one; and
    where that closes (the end of the text if it never does, which then ends the last item)."""
    spans = []
    depth, first = 1, start
    for match in _PUNCTUATION.finditer(bare, start):
        sign = match.group()
        if sign == "(":
            depth += 1
        elif sign == ")":
            depth -= 1
        if (sign == "," and depth == 1) or depth == 0:
            if bare[first : match.start()].strip():
                spans.append((first, match.start()))
            first = match.end()
        if depth == 0:
            return spans, match.end()
    if bare[first:].strip():
        spans.append((first, len(bare)))
    return spans, len(bare)


def statements(text: str) -> Iterator[Statement]:
    """Statements in order; comments after the last one are a statement without code."""
    start = 0
    blanks: list[tuple[int, int]] = []
    token = _ESCAPED if "`" in text else _TOKEN  # backticks are MySQL's, and so is \\' in a string
    for match in token.finditer(text):
        if match["comment"]:
            blanks.append(match.span())
        elif match["end"]:
            yield _statement(text, start, match.end(), blanks)
            start, blanks = match.end(), []
    if text[start:].strip():
        yield _statement(text, start, len(text), blanks)


def _statement(text: str, start: int, end: int, blanks: list[tuple[int, int]]) -> Statement:
    parts: list[str] = []
    comments: list[tuple[int, str]] = []
    at = start
    for first, last in blanks:
        parts += [text[at:first], re.sub(r"[^\n]", " ", text[first:last])]
        words = " ".join(line.strip(" \t*") for line in text[first:last].strip("-/* \t").split("\n")).strip()
        if words.strip(" -=*#"):
            comments.append((first - start, words))
        at = last
    parts.append(text[at:end])
    return Statement(start, end, text[start:end], "".join(parts).rstrip("; \n\t\r"), tuple(comments))
