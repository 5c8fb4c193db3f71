"""Records of CSV and TSV: quoted line breaks kept, a stray quote repaired, every record with its lines."""

from __future__ import annotations

import csv
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from parsers.source_text import SourceText

DELIMITERS = (",", "\t", ";", "|")
_SAMPLED = 30
MOST_ABOVE = 20
"""Records above a table that are looked at."""
_LONGEST_RECORD = 500
"""Lines of one record; a quote open for longer was never meant as one."""
_LINE_END = re.compile(r"\r\n|\r|\n")
_NUMBER = re.compile(r"[-+]?[\d.,\s%$€]+$")


class Record(NamedTuple):
    """Cells of one record, the number of its row from 1, and its characters [start, end). Rows are counted as
    spreadsheets show them: a blank line is one, a line break inside a cell is none."""

    number: int
    cells: tuple[str, ...]
    start: int
    end: int


def delimiter_of(text: str) -> str:
    """The sign that cuts most of the first lines into the same number of cells, at least two; a comma without one."""
    lines = [line for line in _LINE_END.split(text[:65536])[:_SAMPLED] if line.strip()]
    best, best_score = ",", 0.0
    for sign in DELIMITERS:
        counts = Counter(len(row) for row in _rows(lines, sign))
        width, often = max(counts.items(), key=lambda pair: (pair[1], pair[0]), default=(1, 0))
        score = often / max(len(lines), 1) + min(width, 50) / 1000
        if width > 1 and score > best_score:
            best, best_score = sign, score
    return best


def _rows(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    try:
        return list(csv.reader(lines, delimiter=delimiter))
    except csv.Error:  # a cell over the library's limit
        return []


def plain_rows(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """Rows of the lines of a table inside markup, blank ones left out; blanks around a cell are none of it."""
    csv.field_size_limit(sys.maxsize)
    read = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, skipinitialspace=True)
    return [[cell.strip() for cell in row] for row in read if row]


def records(source: SourceText, delimiter: str) -> Iterator[Record]:
    """Records in order; lines end at CR LF, CR and LF only, never at U+2028 and the like.

    A quote that is never closed, or that swallows lines which read well alone, is a letter of its line."""
    csv.field_size_limit(sys.maxsize)
    lines = source.lines.all()
    at = number = width = 0
    while at < len(lines):
        number += 1
        if not lines[at].text.strip():
            at += 1
            continue
        cells, used = _record(source, at, delimiter, width)
        width = width or (len(cells) if len(cells) > 1 else 0)
        yield Record(number, tuple(cells), lines[at].start, lines[at + used - 1].end)
        at += used


def _record(source: SourceText, at: int, delimiter: str, width: int) -> tuple[list[str], int]:
    """Cells of the record that begins on a line, and how many lines it takes."""
    lines = source.lines.all()
    first = lines[at].text
    if '"' not in first:
        return first.split(delimiter), 1
    reader = csv.reader(
        (line.text + "\n" for line in lines[at : at + _LONGEST_RECORD]), delimiter=delimiter, strict=True
    )
    try:
        cells = next(reader)
        closed = True
    except (csv.Error, StopIteration):
        cells, closed = [], False
    if closed and reader.line_num == 1:
        return [_trimmed(cell) for cell in cells], 1
    alone = _loosely(first, delimiter)
    if not closed or (width and len(cells) != width and len(alone) == width):
        return alone, 1
    return [_trimmed(cell) for cell in cells], reader.line_num


def _trimmed(cell: str) -> str:
    return cell.removesuffix("\n")


def _loosely(line: str, delimiter: str) -> list[str]:
    """Cells of one line with a stray quote: quotes count only where they pair up."""
    if line.count('"') % 2 == 0:
        return next(csv.reader([line], delimiter=delimiter), [])
    return next(csv.reader([line], delimiter=delimiter, quoting=csv.QUOTE_NONE), [])


def is_number(text: str) -> bool:
    """Digits with the signs that stand among or after them."""
    return _NUMBER.match(text.strip()) is not None


def has_header(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether the first record names the columns: distinct words, no number, unless all below looks the same."""
    names = [cell.strip() for cell in first]
    if len(set(names)) != len(names) or not all(names) or any(map(is_number, names)):
        return False
    return any(len(name) <= 60 for name in names) and list(first) != list(second)


def above_table(found: Sequence[Record]) -> int:
    """How many records stand above the table, at most `MOST_ABOVE`: with one filled cell, or comments (`# ...`) that
    have other columns than the table. None where what follows has no header that names its columns."""
    widths = Counter(len(record.cells) for record in found[: _SAMPLED + MOST_ABOVE])
    width = widths.most_common(1)[0][0] if widths else 0
    above = 0
    while above < min(len(found), MOST_ABOVE) and _is_above(found[above].cells, width):
        above += 1
    table = found[above : above + 2]
    return above if len(table) == 2 and has_header(table[0].cells, table[1].cells) else 0


def _is_above(cells: Sequence[str], width: int) -> bool:
    if width < 2:
        return False
    return sum(map(bool, map(str.strip, cells))) < 2 or (cells[0].lstrip()[:1] == "#" and len(cells) != width)
