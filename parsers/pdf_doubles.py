"""Characters of a PDF page that are drawn twice: shadowed text, and bold text that is none by its font."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar


class Drawn(Protocol):
    """A glyph as far as its text and place count, from the top left. `order`: index of its first character."""

    text: str
    x0: float
    top: float
    x1: float
    size: float
    order: int


T = TypeVar("T", bound=Drawn)


def without_doubles(glyphs: Sequence[T]) -> list[T]:
    """The same character again within an eighth of its size is one character drawn twice."""
    seen: dict[str, dict[int, list[T]]] = {}
    kept: list[T] = []
    for glyph in glyphs:
        row = int(glyph.top // 4)
        same = seen.get(glyph.text)
        if same is None:
            seen[glyph.text] = {row: [glyph]}
        elif _is_double(glyph, same, row):
            continue
        else:
            same.setdefault(row, []).append(glyph)
        kept.append(glyph)
    return kept


def _is_double(glyph: T, same: dict[int, list[T]], row: int) -> bool:
    """One of the glyphs of the same text, by bands of four points, lies under this one."""
    x, top, limit = glyph.x0, glyph.top, glyph.size * 0.12
    for near in (row - 1, row, row + 1):
        for other in same.get(near, ()):
            if (
                abs(other.x0 - x) < limit
                and abs(other.top - top) < limit
                and not _spelled_out(other, glyph)
                and not (other.order + 1 == glyph.order and _is_arabic(glyph.text))
            ):
                return True
    return False


def _is_arabic(text: str) -> bool:
    """A letter of the Arabic script, whose lines some fonts stretch with letters laid over one another."""
    return "\u0600" <= text[:1] <= "\u06ff"


def _spelled_out(first: Drawn, second: Drawn) -> bool:
    """Two letters of one ligature (ff, ffi, tt): PDFium gives both the ligature's own box."""
    return second.order == first.order + 1 and (first.x0, first.x1) == (second.x0, second.x1) and second.text in "ft"
