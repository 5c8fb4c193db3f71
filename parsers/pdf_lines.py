"""Glyphs to pieces of lines, pieces to columns, columns to whole lines in reading order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from unicodedata import bidirectional

from parsers.pdf_direction import has_left_letters, text_to_the_left, with_words_turned
from parsers.pdf_geometry import Box
from parsers.pdf_glyphs import INFERRED, LINE_END_HYPHEN, LONE_LIGATURES, WIDE_GAP, Glyph

_GAP_BETWEEN_WORDS = 0.6
_MIN_GUTTER = 6.0
_LANE = 5.0
_LEAST_ODD = 3
_LINE_GAP = 0.8
_ITEM = re.compile("[\u2022\u25aa\u25cf\u25cb\u25e6\u2023\u2043]|\\(?[0-9]{1,2}[.)](?:\\s|$)")
_BULLETS = re.compile("[\u2022\u25aa\u25cf\u25cb\u25e6\u2023\u2043\u2219\u00b7\uf000-\uf0ff\u2013*-]")
_APART = re.compile(f"\\(?(?:[0-9]{{1,2}}|[A-Za-z]|[ivx]{{2,5}}|[IVX]{{2,5}})[.)]?|{_BULLETS.pattern}")
_VOWEL_MARK = re.compile("[\u0591-\u05bd\u064b-\u0652]")
_UNREADABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffd\ue000-\uf8ff]|\\(cid:\\d+\\)")


@dataclass(frozen=True, slots=True)
class Line:
    """A line or a piece of one; or, with `rows`, a table. Points from the top left. `region`: which column.
    `space_after`: its characters end with a space. `parting`: of a line that begins with a mark drawn apart, where that
    ends and where the text behind it begins. `hangs`: it is the mark of a list and hangs left of its texts; `mark`: it,
    where it is a number or letter without a dot. `light`: hardly darker than the page."""

    text: str
    x0: float
    top: float
    x1: float
    bottom: float
    baseline: float
    size: float
    bold: bool = False
    mono: bool = False
    hidden: bool = False
    space_after: bool = False
    region: int = 0
    rows: tuple[tuple[str, ...], ...] = ()
    columns: tuple[float, ...] = ()
    header_rows: int = 0
    parting: tuple[float, float] = (0.0, 0.0)
    hangs: bool = False
    mark: str = ""
    light: bool = False

    @property
    def width(self) -> float:
        return self.x1 - self.x0


def pieces(glyphs: Sequence[Glyph]) -> list[Line]:
    """Runs of characters on one base line without a wide gap, in content order. The end of a line that PDFium inferred
    is none to us: geometry decides."""
    runs: list[list[Glyph]] = []
    last: Glyph | None = None
    for glyph in glyphs:
        if last is None or last.space == "\n" or _breaks(last, glyph):
            runs.append([glyph])
        else:
            runs[-1].append(glyph)
        last = glyph
    lines = list(map(_line_of, runs)) if not has_left_letters(glyphs) else list(map(_leftwards, _put_together(runs)))
    return [line for line in lines if line.text]


def _leftwards(run: list[Glyph]) -> Line:
    """The line of a run on a page with letters that run to the left."""
    run = with_words_turned(run)
    line = _line_of(run)
    return replace(line, text=text_to_the_left(run, _spaced)) if is_right_to_left(line.text) else line


def _put_together(runs: list[list[Glyph]]) -> list[list[Glyph]]:
    """Runs of a line that runs to the left made one: a Latin one among them is read from its far end."""
    lines: list[list[list[Glyph]]] = []
    for run in runs:
        if lines and _are_side_by_side([glyph for other in lines[-1] for glyph in other], run):
            lines[-1].append(run)
        else:
            lines.append([run])
    out: list[list[Glyph]] = []
    for line in lines:
        whole = [glyph for run in line for glyph in run]
        out += [whole] if is_right_to_left("".join([glyph.text for glyph in whole])) else line
    return out


def _are_side_by_side(first: list[Glyph], second: list[Glyph]) -> bool:
    """Two runs stand on one base line without a wide gap between them."""
    last, glyph = first[-1], second[0]
    if abs(last.baseline - glyph.baseline) > 0.3 * last.size or last.hidden != glyph.hidden or last.space == "\n":
        return False
    gap = max(
        min([one.x0 for one in first]) - max([one.x1 for one in second]),
        min([one.x0 for one in second]) - max([one.x1 for one in first]),
    )
    return gap <= WIDE_GAP * last.size


def _breaks(last: Glyph, glyph: Glyph) -> bool:
    size, smallest = (last.size, glyph.size) if last.size > glyph.size else (glyph.size, last.size)
    raised = abs(glyph.baseline - last.baseline)
    if raised > size * (0.6 if smallest < 0.85 * size else 0.3) or glyph.hidden != last.hidden:
        return True
    if not (last.text.isascii() and glyph.text.isascii()) and (
        is_right_to_left(last.text) or is_right_to_left(glyph.text)
    ):
        gap = max(last.x0 - glyph.x1, glyph.x0 - last.x1)
        return gap > size * WIDE_GAP
    gap = glyph.x0 - last.x1
    return gap > size * WIDE_GAP or gap < -size


def is_right_to_left(text: str) -> bool:
    """Most letters are Hebrew or Arabic."""
    if text.isascii():
        return False
    letters = [letter for letter in text if letter.isalpha()]
    return sum(bidirectional(letter) in {"R", "AL"} for letter in letters) * 2 > len(letters)


def _line_of(run: list[Glyph]) -> Line:
    letters = [glyph for glyph in run if glyph.letters > 1 or glyph.text.isalnum()] or run
    counts: dict[float, int] = {}
    for glyph in letters:
        counts[glyph.size] = counts.get(glyph.size, 0) + glyph.letters
    size = max(counts, key=counts.__getitem__)
    return Line(
        text=_spaced(run),
        x0=min([glyph.x0 for glyph in run]),
        top=min([glyph.top for glyph in run]),
        x1=max([glyph.x1 for glyph in run]),
        bottom=max([glyph.bottom for glyph in run]),
        baseline=max([(glyph.letters, -at, glyph.baseline) for at, glyph in enumerate(letters) if glyph.size == size])[
            2
        ],
        size=size,
        bold=sum([glyph.letters for glyph in letters if glyph.bold]) > 0.9 * sum(counts.values()),
        mono=all(glyph.mono for glyph in letters),
        hidden=run[0].hidden,
        space_after=run[-1].space in {" ", INFERRED},
        parting=_parting(*run[:2]) if len(run) > 1 else (0.0, 0.0),
        light=all(glyph.light for glyph in letters),
    )


def _parting(first: Glyph | Line, second: Glyph | Line) -> tuple[float, float]:
    """Where a number, a letter or a bullet ends and the text behind it begins; (0, 0) for anything else, such as the
    raised mark of a note. It may stand a little lower than its text, as reportlab sets it."""
    raised = first.baseline < second.baseline - 0.15 * second.size or first.size < 0.85 * second.size
    pattern = _BULLETS if raised else _APART
    return (first.x1, second.x0) if pattern.fullmatch(first.text) else (0.0, 0.0)


def _spaced(run: list[Glyph]) -> str:
    """Words with one space between; a ligature shown apart from its word joins it again."""
    words: list[tuple[str, bool]] = [("", False)]  # text, whether the space before it is only inferred
    last: Glyph | None = None
    space = mark = ""
    for glyph in run:
        if space == INFERRED and _VOWEL_MARK.fullmatch(glyph.text):
            mark, space = mark + glyph.text, ""  # drawn before its letter: no word starts with it
            continue
        if last is not None and (space or _is_apart(last, glyph)):
            words.append(("", space != " "))
        words[-1] = (words[-1][0] + glyph.text + mark, words[-1][1])
        last, space, mark = glyph, glyph.space, ""
    words[-1] = (words[-1][0] + mark, words[-1][1])
    return _join_ligatures(words)


def _is_apart(last: Glyph, glyph: Glyph) -> bool:
    """A gap as wide as a space, or a change of direction, without a space."""
    gap = max(glyph.x0 - last.x1, last.x0 - glyph.x1)
    return gap > _GAP_BETWEEN_WORDS * glyph.size or _turns(last.text, glyph.text)


def _join_ligatures(words: list[tuple[str, bool]]) -> str:
    out = words[0][0]
    for index in range(1, len(words)):
        word, inferred = words[index]
        before = words[index - 1][0]
        after_inferred = index + 1 < len(words) and words[index + 1][1]
        is_lone = (
            inferred
            and word in LONE_LIGATURES
            and (after_inferred or index + 1 == len(words))
            and before[-1:].islower()
        )
        follows_lone = inferred and before in LONE_LIGATURES and word[:1].islower()
        out += word if is_lone or follows_lone else f" {word}"
    return out


def unreadable_share(text: str) -> float:
    """Share of characters that a font without a Unicode map gives: controls, private use, `(cid:7)`."""
    solid = "".join(text.split())
    return sum(len(match.group()) for match in _UNREADABLE.finditer(solid)) / max(len(solid), 1)


def in_reading_order(items: Sequence[Line], read: Callable[[Sequence[Line]], list[Line]]) -> list[Line]:
    """Whole lines, column after column; `region` counts the columns. What spans columns parts the page into bands.
    `read`: makes lines of a column's pieces."""
    out: list[Line] = []
    for number, region in enumerate(_regions(list(items), 0)):
        out.extend(replace(line, region=number) if number else line for line in read(region))
    return out


def _regions(items: list[Line], depth: int) -> Iterable[list[Line]]:
    gutter = _gutter(items) if depth < 4 else None
    if gutter is None:
        if items:
            yield items
        return
    bands = _bands(items, gutter)
    if len(bands) > 1:
        for band in bands:
            yield from _regions(band, depth + 1)
        return
    left_band: list[Line] = []
    right_band: list[Line] = []
    for item in sorted(items, key=lambda line: (line.top, line.x0)):
        if item.x1 <= gutter + 1:
            left_band.append(item)
        elif item.x0 >= gutter - 1:
            right_band.append(item)
        else:
            yield from _regions(left_band, depth + 1)
            yield from _regions(right_band, depth + 1)
            left_band, right_band = [], []
            yield [item]
    yield from _regions(left_band, depth + 1)
    yield from _regions(right_band, depth + 1)


def _bands(items: list[Line], gutter: float) -> list[list[Line]]:
    """The items above, in and below a band whose own columns lie otherwise: across the gutter, side by side with
    others. It ends at a line that nothing stands beside or at white over the whole width; all in one where it cannot
    be parted from the rest."""
    rows = _overlapping(items)
    if rows == [items]:
        return rows
    odd = [at for at, row in enumerate(rows) if _has_own_columns(row, gutter)]
    if sum(len([item for item in rows[at] if _crosses(item, gutter)]) for at in odd) < _LEAST_ODD:
        return [items]
    first, last = odd[0], odd[-1]
    while first > 0 and _goes_on(rows[first - 1], rows[first], gutter):
        first -= 1
    while last + 1 < len(rows) and _goes_on(rows[last], rows[last + 1], gutter):
        last += 1
    if first == 0 and last + 1 == len(rows):
        first, last = odd[0], odd[-1]
    parts = (
        [item for row in part for item in row] for part in (rows[:first], rows[first : last + 1], rows[last + 1 :])
    )
    return [part for part in parts if part]


def _overlapping(items: list[Line]) -> list[list[Line]]:
    """Items from top to bottom, together where no white parts them over the whole width."""
    rows: list[list[Line]] = []
    bottom = 0.0
    for item in sorted(items, key=lambda line: line.top):
        if rows and item.top < bottom:
            rows[-1].append(item)
        else:
            rows.append([item])
        bottom = max(bottom, item.bottom)
    return rows


def _crosses(item: Line, x: float) -> bool:
    return item.x0 < x - 1 and item.x1 > x + 1


def _has_own_columns(row: list[Line], gutter: float) -> bool:
    """An item crosses the gutter, with another one a lane away at its side."""
    return any(
        other.bottom > item.top
        and other.top < item.bottom
        and max(other.x0 - item.x1, item.x0 - other.x1) >= _MIN_GUTTER
        for item in row
        if _crosses(item, gutter)
        for other in row
    )


def _goes_on(above: list[Line], below: list[Line], gutter: float) -> bool:
    """Two rows that follow one another as lines of columns do."""
    if any(len(row) == 1 and _crosses(row[0], gutter) for row in (above, below)):
        return False
    white = min(item.top for item in below) - max(item.bottom for item in above)
    return white < _LINE_GAP * min(item.size for item in (*above, *below))


def _gutter(items: list[Line]) -> float | None:
    """Where a white lane parts two columns of prose, or None. Short cells in rows are a table, not columns."""
    if len(items) < 6:
        return None
    best: tuple[float, float] | None = None
    for x in _lanes(items):
        left = [item for item in items if item.x1 <= x + 1]
        right = [item for item in items if item.x0 >= x - 1]
        crossing = len(items) - len(left) - len(right)
        are_columns = (_is_column(left) and _is_column(right)) or (_is_list(left) and _is_list(right))
        if crossing > 0.34 * len(items) or not (are_columns or _are_far_apart(left, right)):
            continue
        if not _side_by_side(left, right) and not _is_stepped(left, right):
            continue
        centre = abs(x - (min(i.x0 for i in items) + max(i.x1 for i in items)) / 2)
        if best is None or (crossing, centre) < best:
            best = (crossing, centre)
            found = x
    return found if best is not None else None


def _lanes(items: list[Line]) -> list[float]:
    """Candidates: right ends of pieces with room before the next piece to the right starts."""
    starts = sorted({round(item.x0, 1) for item in items})
    ends = sorted({round(item.x1) for item in items})
    lanes = []
    for start in starts:
        before = [end for end in ends if end <= start - _MIN_GUTTER]
        if before and sum(abs(item.x0 - start) < 3 for item in items) >= 3:
            lanes.append(start - _MIN_GUTTER / 2)
    return lanes


def _is_column(side: list[Line]) -> bool:
    """Three or more lines that mostly fill their width, as prose does."""
    if len(side) < 3:
        return False
    width = max(item.x1 for item in side) - min(item.x0 for item in side)
    return _usual_length(side) >= 15 and median(item.width for item in side) > 0.3 * width


def _is_list(side: list[Line]) -> bool:
    """Two thirds of three or more lines begin with the mark of a list, as on slides."""
    marked = sum(_ITEM.match(item.text) is not None for item in side)
    return marked >= 3 and marked >= 0.66 * len(side)


def _usual_length(side: list[Line]) -> float:
    """Characters of the median piece; list marks and boxes to tick left aside."""
    return median([len(item.text) for item in side if len(item.text) > 3] or [0])


def _are_far_apart(left: list[Line], right: list[Line]) -> bool:
    """Two facing pages scanned or set as one: a lane of several letters' width between long lists of phrases."""
    if min(len(left), len(right)) < 8:
        return False
    lane = sorted(item.x0 for item in right)[2] - sorted(item.x1 for item in left)[-3]  # but for two stray pieces
    size = median(item.size for item in left)
    return lane > 4 * size and all(_usual_length(side) >= 20 for side in (left, right))


def _is_stepped(left: list[Line], right: list[Line]) -> bool:
    """The left column starts below the end of the right one, with a picture above it."""
    return min(item.top for item in left) > max(item.bottom for item in right)


def _side_by_side(left: list[Line], right: list[Line]) -> bool:
    if not left or not right:
        return False
    top = max(min(item.top for item in left), min(item.top for item in right))
    bottom = min(max(item.bottom for item in left), max(item.bottom for item in right))
    return bottom - top > 2 * median(item.size for item in left)


def rows_of(items: Sequence[Line]) -> list[Line]:
    """Pieces of one column joined to lines, from top to bottom."""
    return list(map(joined_row, pieces_by_row(items)))


def pieces_by_row(items: Sequence[Line]) -> list[list[Line]]:
    """Pieces of one column that stand on one line together, from top to bottom."""
    rows: list[list[Line]] = []
    for item in sorted(items, key=lambda line: (line.baseline, line.x0)):
        if rows and not item.rows and not rows[-1][0].rows and _same_row(rows[-1][0], item):
            rows[-1].append(item)
        else:
            rows.append([item])
    return rows


def _same_row(first: Line, item: Line) -> bool:
    return abs(item.baseline - first.baseline) < 0.4 * min(max(first.size, 4), max(item.size, 4)) or (
        item.size < 0.8 * first.size and first.top <= (item.top + item.bottom) / 2 <= first.bottom
    )


def joined_row(row: list[Line], lane: str = " ") -> Line:
    """The pieces of a row as one line, in the order they are read in. `lane`: what stands for a gap of five sizes."""
    if len(row) == 1:
        return row[0]
    backwards = is_right_to_left("".join(line.text for line in row))
    row = sorted(row, key=lambda line: -line.x1 if backwards else line.x0)
    text = row[0].text
    for last, item in pairwise(row):
        gap = last.x0 - item.x1 if backwards else item.x0 - last.x1
        together = gap < 0.12 * item.size and not last.space_after and not _turns(last.text, item.text)
        text += item.text if together else f"{lane if gap > _LANE * item.size else ' '}{item.text}"
    main = max(row, key=lambda line: len(line.text))
    return replace(
        main,
        text=text,
        x0=min(line.x0 for line in row),
        x1=max(line.x1 for line in row),
        top=min(line.top for line in row),
        bottom=max(line.bottom for line in row),
        bold=all(line.bold for line in row),
        mono=all(line.mono for line in row),
        parting=(0.0, 0.0) if backwards else row[0].parting if row[0].parting[1] else _parting(*row[:2]),
    )


def _turns(before: str, after: str) -> bool:
    """Two words of opposite directions meet: a Latin name in an Arabic line, often set without a space."""
    if before.isascii() and after.isascii():
        return False
    both_words = before[-1:].isalpha() and after[:1].isalpha()
    return both_words and is_right_to_left(before[-1:]) != is_right_to_left(after[:1])


def inside(box: Box, x: float, y: float) -> bool:
    """The point lies in the box."""
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def ends_with_hyphen(text: str) -> bool:
    """A word goes on in the next line."""
    return text.endswith(LINE_END_HYPHEN) or (text.endswith(("-", "\u2010", "\u00ad")) and text[-2:-1].isalpha())
