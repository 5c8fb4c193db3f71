"""Code fences that were never closed: where the code most likely ends, so that later sections are not lost in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.token import Token

_OPENING = re.compile(r" {0,3}(`{3,}|~{3,})\s*([^`\s]+)[^`]*$")
_SECTION = re.compile(r" {0,3}#{2,6}\s+\S")
_TITLE = re.compile(r" {0,3}#\s+\S")
_DOCUMENT_LANGUAGES = {"md", "markdown", "mdx", "rst", "text"}


@dataclass(frozen=True, slots=True)
class RunawayFence:
    """A fence without end: `cut` lines of the part read belong to it and what stands before; the rest is read anew."""

    cut: int


def first_runaway_fence(tokens: Sequence[Token], lines: Sequence[str]) -> RunawayFence | None:
    """The first top-level fence that swallows sections, or None.

    A fence runs away when the file ends inside it, or when it holds the opening line of another fence with a language
    (code blocks of a Markdown language may). It is cut before the next heading: `##` to `######`, or `#` between
    blank lines; else before the other fence's opening line. Without either it is code to the end, as CommonMark says.
    """
    for token in tokens:
        if token.type != "fence" or token.level or token.map is None:
            continue
        first, end = token.map
        inner = range(first + 1, end)
        opening = next((i for i in inner if _opens_another(lines[i], token)), None)
        if _is_closed(lines, token) and opening is None:
            continue
        cut = next((i for i in inner if _is_section(lines, i) and (opening is None or i < opening)), opening)
        if cut is not None:
            return RunawayFence(cut)
    return None


def _is_closed(lines: Sequence[str], token: Token) -> bool:
    assert token.map is not None
    first, end = token.map
    last = lines[end - 1].strip()
    return end - 1 > first and len(last) >= len(token.markup) and set(last) == {token.markup[0]}


def _opens_another(line: str, token: Token) -> bool:
    match = _OPENING.match(line)
    language = token.info.split()[0].lower() if token.info.strip() else ""
    return (
        match is not None and match.group(1) == token.markup and bool(language) and language not in _DOCUMENT_LANGUAGES
    )


def _is_section(lines: Sequence[str], index: int) -> bool:
    before = lines[index - 1].strip()
    after = lines[index + 1].strip() if index + 1 < len(lines) else ""
    return (bool(_SECTION.match(lines[index])) and not before) or (
        bool(_TITLE.match(lines[index])) and not before and not after
    )
