"""Text made comparable: what two spellings of the same words have in common."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby

PLACEHOLDER = re.compile(r"<([A-Z][A-Z0-9_]*)_[0-9a-f]{6}>")
"""What redaction leaves in place of a value, for example `<EMAIL_1f3a9c>`."""

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts written without spaces between words (Thai to Han): each character counts as a token."""

_TOKEN = re.compile(rf"{PLACEHOLDER.pattern}|[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
_UNSPACED_TOKEN = re.compile(rf"[{_UNSPACED}]")
_LIST_MARKER = re.compile(r"^\s*(?:[-*+\u2022]|\(?(?:\d{1,3}|[a-z])[.)])\s+")
_LINK_TARGET = re.compile(r"""(?<=\])\([^()\s]*(?:\s+["'][^"']*["'])?\)|<\w+:[^<>\s]+>|\bhttps?://[^\s\[\]]+(?=\[)""")
"""Where a link leads, in Markdown, reStructuredText and AsciiDoc: it stands between words that follow one another."""

# "ab 1. März" is one sentence.
_GERMAN_MONTHS = "Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember"
_SENTENCE = re.compile(rf"(?<=[.!?;])(?!(?<=\d\.)\s+(?:{_GERMAN_MONTHS})\b)\s+|[。！？；\n]+")

_INVISIBLE = dict.fromkeys((0x00AD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))


def words(text: str) -> tuple[str, ...]:
    """Words in reading order: NFKC, case folded, without white space, markup and punctuation.

    Characters of scripts without spaces are words of their own; a placeholder becomes its kind ("<email>").
    """
    plain = unicodedata.normalize("NFKC", text).translate(_INVISIBLE)
    return tuple(f"<{m[1].lower()}>" if m[1] else m[0].casefold() for m in _TOKEN.finditer(plain))


def word_count(text: str) -> float:
    """Number of words; two characters of a script without spaces count as one word."""
    return sum(0.5 if _UNSPACED_TOKEN.fullmatch(word) else 1.0 for word in words(text))


def sentences(text: str) -> Iterator[str]:
    """Sentences, their parts at semicolons, and lines, in order, each with single spaces."""
    return (said for part in _SENTENCE.split(text) if (said := " ".join(part.split())))


def shingles(said: Sequence[str]) -> set[tuple[str, ...]]:
    """Every three words in a row."""
    return {tuple(said[start : start + SHINGLE]) for start in range(len(said) - SHINGLE + 1)}


def missing(said: Sequence[str], known: AbstractSet[tuple[str, ...]]) -> int:
    """How many words stand in no three words in a row that are known. Of fewer than three none is missing."""
    starts = range(len(said) - SHINGLE + 1)
    found = {
        start + step for start in starts if tuple(said[start : start + SHINGLE]) in known for step in range(SHINGLE)
    }
    return len(said) - len(found) if len(said) >= SHINGLE else 0


def contains(text: tuple[str, ...], quote: tuple[str, ...]) -> bool:
    """True when the words of `quote` stand in `text` one after the other."""
    return f" {' '.join(quote)} " in f" {' '.join(text)} "


def covered_by_parts(parts: list[tuple[str, ...]], quote: tuple[str, ...]) -> bool:
    """True when `quote` begins at the end of one part and ends at the start of another (a cut at chunk borders).

    Parts may overlap, and a part may lie wholly inside the quote. The order of `parts` does not matter.
    """
    different = list(dict.fromkeys(parts))
    return any(
        _continued(quote, first, different[:index] + different[index + 1 :]) for index, first in enumerate(different)
    )


def _continued(quote: tuple[str, ...], first: tuple[str, ...], others: list[tuple[str, ...]]) -> bool:
    """True when the quote starts at the end of `first` and goes on in the others."""
    size = len(quote)
    reach = max((n for n in range(1, size) if first[-n:] == quote[:n]), default=0)
    inner = [part for part in others if 0 < len(part) < size]
    while ends := [
        start + len(part)
        for part in inner
        for start in range(1, reach + 1)
        if start + len(part) > reach and quote[start : start + len(part)] == part
    ]:
        reach = max(ends)
    return any(part[: size - start] == quote[start:] for part in others for start in range(1, min(reach, size - 1) + 1))


def pieces(text: str) -> list[tuple[str, ...]]:
    """Words of `text`, cut where the original may hold something else: placeholders, line ends, table cells.

    List markers at the start of a line are left out: many formats number their lists only when shown.
    """
    lines = re.split(r"[|\r\n\t]", PLACEHOLDER.sub("\n", text))
    return [found for line in lines if (found := words(_LIST_MARKER.sub("", line)))]


def share_found(text: str, original: str) -> float | None:
    """Share of the words of `text` that stand in `original`, 0..1; None when `text` has no words to look for.

    A word counts when it and two neighbours of its piece stand there in a row, white space, hyphenation, markup
    and link targets aside. Pieces under three words are looked at only when there is no longer one.
    """
    versions = (original, html.unescape(original), _LINK_TARGET.sub("", original))
    compact = "\n".join("".join(words(version)) for version in versions)
    found_pieces = pieces(text)
    longer = [piece for piece in found_pieces if len(piece) >= SHINGLE]
    looked_at = longer or found_pieces
    total = sum(len(piece) for piece in looked_at)
    return sum(_words_found(piece, compact) for piece in looked_at) / total if total else None


def altered(text: str, original: str, *, in_order: bool = True) -> str:
    """What of `text` the original writes otherwise, or "": a number, the case of letters, the order of a row's cells.

    Numbers of list markers are left out, and the case of words that do not stand there at all. `in_order`: whether the
    cells of a row stand there in its order; rows with a placeholder, whose rest may stand anywhere, are not judged.
    """
    bare = "\n".join(_LIST_MARKER.sub("", line) for line in PLACEHOLDER.sub(" ", text).split("\n"))
    source = "\n".join(_compact(version) for version in (original, html.unescape(original)))
    if number := next((found for found in _NUMBER.findall(_normal(bare)) if found not in source), ""):
        return f"a number of {len(number)} characters does not stand there"
    said = _LETTERS.findall(_normal(bare))
    folded = source.casefold()
    recased = sum(word not in source and word.casefold() in folded for word in said)
    if recased > MOST_RECASED * len(said):
        return f"{recased} of {len(said)} words are written in another case there"
    if not in_order:
        return ""
    whole = [line for line in text.split("\n") if not PLACEHOLDER.search(line)]
    split = [["".join(words(cell)) for cell in _LIST_MARKER.sub("", line).split(" | ")] for line in whole]
    rows = [[cell for cell in row if cell] for row in split]
    joined = "\n".join("".join(words(version)) for version in (original, html.unescape(original)))
    turned = sum(_turned(row, joined) for row in rows)
    return f"the cells of {turned} rows stand in another order there" if turned else ""


def _turned(row: list[str], source: str) -> bool:
    """True when the source has the cells of a row one after the other, but beginning with another one. A merged cell
    may stand there once for all columns it covers."""
    once = [cell for cell, _ in groupby(row)]
    if len(row) < 2 or "".join(row) in source or "".join(once) in source:
        return False
    return any("".join((*row[start:], *row[:start])) in source for start in range(1, len(row)))


def _normal(text: str) -> str:
    return unicodedata.normalize("NFKC", text).translate(_INVISIBLE)


def _compact(text: str) -> str:
    return "".join(_normal(text).split())


_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
MOST_RECASED = 0.1
"""Share of words whose case may differ: some formats show capitals that they do not write."""

SHINGLE = 3
"""Words in a row that must stand together in the original."""


def _words_found(piece: tuple[str, ...], compact: str) -> int:
    width = min(SHINGLE, len(piece))
    found: set[int] = set()
    for start in range(len(piece) - width + 1):
        if "".join(piece[start : start + width]) in compact:
            found.update(range(start, start + width))
    return len(found)
