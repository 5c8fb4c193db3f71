"""Merged cells of tables: what one says, said in each row and column it is for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

Span = tuple[int, int, int, int]
"""A merged cell: its first row and column from 0, how many rows and how many columns it covers."""
_LONGEST = 100
"""Characters of a merged cell that are repeated: longer ones are remarks, not names."""
_MOST = 500_000
"""Characters that repetition may add to a table; beyond, its merged cells stand once."""

Rows = Sequence[Sequence[str]]


def spread(rows: Rows, spans: Sequence[Span], header_rows: int) -> tuple[tuple[str, ...], ...]:
    """The rows that say something, equally long; the words of a merged cell in each of these it covers, and in each
    column where these have names of their own below a header. `header_rows` counts rows that say something.

    A cell as wide as the table is a title, and one that names a row of values (its first column) stands at its
    beginning only; without a header a column is no more than a place in a form."""
    width = max(map(len, rows), default=0)
    kept = [number for number, row in enumerate(rows) if any(row)]
    out = [[*rows[number], *[""] * (width - len(rows[number]))] for number in kept]
    at = {number: index for index, number in enumerate(kept)}
    places = [
        (at[top], left, row, column)
        for top, left, tall, wide in spans
        if top in at and wide < width and 0 < len(out[at[top]][left]) <= _LONGEST
        for row, column in _covered(at, (top, left, min(tall, len(rows) - top), min(wide, width - left)), header_rows)
        if not out[row][column]
    ]
    if sum(len(out[top][left]) for top, left, _, _ in places) <= _MOST:
        for top, left, row, column in places:
            out[row][column] = out[top][left]
    return tuple(map(tuple, out))


def _covered(at: dict[int, int], span: Span, header_rows: int) -> Iterator[tuple[int, int]]:
    """Rows and columns in which a merged cell says what it says; of one in the header only those of the header."""
    top, left, tall, wide = span
    in_header = at[top] < header_rows
    wide = wide if in_header or (header_rows and left) else 1
    for number in range(top, top + tall):
        if number in at and (not in_header or at[number] < header_rows):
            yield from ((at[number], column) for column in range(left, left + wide))


@dataclass(slots=True)
class Merges:
    """Collects the merged cells of a table that is read row after row. `row`: the one that is being read."""

    row: int = 0
    spans: list[Span] = field(default_factory=list)
    _open: dict[int, int] = field(default_factory=dict)
    """Column -> for how many rows it is covered (`place`), or which merged cell it holds (`add`)."""

    def place(self, cells: Sequence[tuple[str, int, int]]) -> list[str]:
        """Texts by column of a row whose cells, (text, rows, columns) each, leave out what those above cover."""
        texts: list[str] = []
        for text, tall, wide in cells:
            self._skip_covered(texts)
            if tall > 1 or wide > 1:
                self.spans.append((self.row, len(texts), tall, wide))
            if tall > 1:
                self._open |= dict.fromkeys(range(len(texts), len(texts) + wide), tall - 1)
            texts += [text, *[""] * (wide - 1)]
        self._skip_covered(texts)
        self.row += 1
        return texts

    def _skip_covered(self, texts: list[str]) -> None:
        while self._open.get(len(texts), 0) > 0:
            self._open[len(texts)] -= 1
            texts.append("")

    def add(self, column: int, wide: int, *, begins: bool, goes_on: bool) -> None:
        """A cell of a row in which each says whether it begins a merged cell or goes on the one above it."""
        above = self._open.pop(column, None)
        if goes_on and above is not None:
            top, left, tall, columns = self.spans[above]
            self.spans[above] = (top, left, tall + 1, columns)
            self._open[column] = above
        elif wide > 1 or begins:
            self.spans.append((self.row, column, 1, wide))
            self._open |= {column: len(self.spans) - 1} if begins else {}
