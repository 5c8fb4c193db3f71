"""Running headers, footers and page numbers: what stands at the same place on several pages, numbers of pages aside."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from kprep.core.models import ElementKind
from parsers.pdf_lines import Line

_NUMBER = re.compile(
    r"^[\s\-\u2013\u2014|]*(?:(?:page|seite|p\.|p\u00e1gina|\u7b2c)\s*)?(?:\d{1,4}|[ivxlc]{1,7})"
    r"(?:\s*(?:of|/|von|de|sur)\s*\d{1,4})?\s*(?:\u9875)?[\s\-\u2013\u2014|]*$",
    re.IGNORECASE,
)
_LONGEST_NUMBER = 40
_EDGE_LINES = 4
_EDGE_SHARE = 0.15
_LINES_OF_BODY = 7
_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b")
_PAGE_FORM = re.compile(
    r"(?:^|[|\u2022\u00b7])\s*(?:(?:[a-z]|\d{1,2})[-\u2013.])?(?P<apart>\d{1,4}|[ivxlc]+)\s*(?=$|[|\u2022\u00b7])"
    r"|\b(?:page|seite|p\.|p\u00e1gina|pagina)\s*(?P<said>\d+|[ivxlc]+)\b"
    r"|\u7b2c\s*(?P<cjk>\d+)\s*\u9875"
    r"|\b(?P<of>\d+)\s*(?:of|/|von|de|sur)\s*\d+\b"
)
"""What reads as the number of a page wherever it counts on: apart from other words, after "page", before "of 12"."""
_OUTERMOST = re.compile(r"^(?P<first>\d+|[ivxlc]+)\s|\s(?P<last>\d+|[ivxlc]+)$")
_SAME_SIZE = 1.1
_LEAST_ALIKE = 2 / 3
_APART, _SENTENCE_APART = 1.7, 3.0
_PITCHES_APART = 1.2
"""How far a running line stands from the body: in its own sizes, those of a sentence, and in distances of the body's
lines where it is set as they are."""
_SENTENCE = re.compile(r"(?:\S+\s+){4,}\S+[.!?][\"'\u201d\u2019)]*$")
_SMALL, _TITLE_SIZE, _BOLD_TITLE_SIZE = 0.92, 1.15, 0.95
"""Of the body's size: smaller print, and titles."""
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


@dataclass(frozen=True, slots=True)
class PageLines:
    """Lines of one page, its height in points, and the text of each line with " | " where it has wide gaps."""

    number: int
    height: float
    lines: tuple[Line, ...]
    parted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Numbers:
    """Numbers of a line, and which of them may be that of the page."""

    values: tuple[int, ...]
    of_page: frozenset[int]

    def goes_on(self, other: _Numbers, pages: int) -> bool:
        """The other line, so many pages later, says the same: its page number has counted on, no other one changed."""
        return all(
            mine == theirs or (at in self.of_page & other.of_page and theirs - mine == pages)
            for at, (mine, theirs) in enumerate(zip(self.values, other.values, strict=True))
        )


def find_furniture(pages: Sequence[PageLines]) -> dict[tuple[int, int], ElementKind]:
    """(page number, index of the line) -> HEADER, FOOTER or PAGE_NUMBER.

    Only lines in the outer 15 % of the page that are among its first or last four count, from the edge inwards to the
    first that does not recur. They must recur on three pages, on two in files of up to four pages; a page number alone
    must recur on two or be the page's own number. A line whose numbers change from page to page otherwise than a page
    number does (that of an invoice, an amount) is no recurring one; one that a chapter's number changes is. A page that
    says what an earlier one does counts once with it, and of a title that comes back the first is none.
    """
    places: dict[tuple[str, str, int], dict[int, _Numbers]] = defaultdict(dict)
    wordings: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for page in _different(pages):
        usual = median([line.size for line in page.lines] or [0.0])
        for side, run in _edges(page).items():
            for index in run:
                line = page.lines[index]
                numbers = _numbers(page.parted[index], len(pages) if line.size <= _SAME_SIZE * usual else 0)
                wordings[(_folded(line.text), side)][line.text] += 1
                for band in _bands(line):
                    places[(_folded(line.text), side, band)][page.number] = numbers
    recurring = {place: _recurring(place[0], on) for place, on in places.items()}
    needed = 2 if len(pages) <= 4 else 3
    found: dict[tuple[int, int], ElementKind] = {}
    for page in pages:
        for side, run in _edges(page).items():
            kinds: list[tuple[int, ElementKind]] = []
            for index in run:
                line = page.lines[index]
                recurs = max(recurring.get((_folded(line.text), side, band), 0) for band in _bands(line))
                kind = _kind(line, side, page.number, recurs, needed, len(pages))
                if kind is None:
                    break
                kinds.append((index, kind))
            same = {
                index
                for index, _ in kinds
                if wordings[(_folded(page.lines[index].text), side)][page.lines[index].text] > 1
            }
            found.update({(page.number, index): kind for index, kind in _apart_from_body(page, run, kinds, same)})
    found |= _at_usual_places(pages, found)
    titles = _first_titles(pages, found)
    return {place: kind for place, kind in found.items() if place not in titles}


def _different(pages: Sequence[PageLines]) -> list[PageLines]:
    """The pages without those that say, but for their own numbers, what an earlier one does."""
    seen: dict[tuple[str, ...], PageLines] = {}
    for page in pages:
        seen.setdefault(
            tuple(line.text for line in page.lines if len(line.text) > _LONGEST_NUMBER or not _NUMBER.match(line.text)),
            page,
        )
    return list(seen.values())


def _first_titles(pages: Sequence[PageLines], found: Mapping[tuple[int, int], ElementKind]) -> set[tuple[int, int]]:
    """Places of the headers that are set like a heading, larger than the body or on the first page bold, where none of
    the file's lines said the same before."""
    lines = [line for page in pages for line in page.lines if not line.rows]
    body = median([line.size for line in lines] or [0.0])
    is_bold = sum([line.bold for line in lines]) > len(lines) / 2
    candidates = set()
    for page in pages:
        for index, line in enumerate(page.lines):
            bold = line.bold and not is_bold and line.size >= _BOLD_TITLE_SIZE * body and page is pages[0]
            if (line.size >= _TITLE_SIZE * body or bold) and found.get((page.number, index)) is ElementKind.HEADER:
                candidates.add((page.number, index))
    return _first_said(pages, candidates) if candidates else set()


def _first_said(pages: Sequence[PageLines], candidates: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Those of the places where words stand that none of the lines before had, numbers aside where they never recur."""
    wordings = Counter(line.text for page in pages for line in page.lines)
    said: set[str] = set()
    first = set()
    for page in pages:
        for index, line in enumerate(page.lines):
            folded = _folded(line.text)
            wording = line.text if wordings[line.text] > 1 else folded
            if (page.number, index) in candidates and wording not in said and any(map(str.isalpha, line.text)):
                first.add((page.number, index))
            said |= {line.text, folded}
    return first


def _recurring(text: str, on: Mapping[int, _Numbers]) -> int:
    """On how many of the pages a line recurs: all, where most say the same as the one before or after; or none."""
    if any(map(str.isalpha, text)) and _NUMBER.match(text.replace("#", "1")):
        return len(on)  # "Page 1 of 2": it says what it is, and starts again with each letter of a file of letters
    alike: set[int] = set()
    for page, following in pairwise(sorted(on)):
        if on[page].goes_on(on[following], following - page):
            alike |= {page, following}
    return len(on) if len(alike) >= _LEAST_ALIKE * len(on) else 0


def _numbers(parted: str, pages: int) -> _Numbers:
    """Numbers of a line. `pages`: up to which a number at either end of it may be a page's; 0 for none."""
    text = " ".join(parted.lower().split())
    found = [(match.span(), _value(match.group())) for match in _DIGITS.finditer(text)]
    spans = {match.span(name) for match in _PAGE_FORM.finditer(text) for name in match.groupdict()}
    ends = {match.span(name) for match in _OUTERMOST.finditer(text) for name in match.groupdict()}
    of_page = (at for at, (span, value) in enumerate(found) if span in spans or (span in ends and value <= pages))
    return _Numbers(tuple(value for _, value in found), frozenset(of_page))


def _value(digits: str) -> int:
    """Of Arabic or Roman digits."""
    if digits[0] not in _ROMAN:
        return int(digits)
    values = [_ROMAN[letter] for letter in digits]
    return sum(-one if one < following else one for one, following in zip(values, [*values[1:], 0], strict=True))


def _at_usual_places(
    pages: Sequence[PageLines], found: dict[tuple[int, int], ElementKind]
) -> dict[tuple[int, int], ElementKind]:
    """Outermost lines that recur too seldom (the header of a short chapter) but stand, in the same size and apart from
    the body, where three other pages have theirs."""
    by_number = {page.number: page for page in pages}
    usual: Counter[tuple[ElementKind, int, int]] = Counter()
    for (number, index), kind in found.items():
        line = by_number[number].lines[index]
        usual.update((kind, band, round(line.size)) for band in _bands(line))
    more: dict[tuple[int, int], ElementKind] = {}
    for page in pages:
        for side, run in _edges(page).items():
            kind = ElementKind.HEADER if side == "top" else ElementKind.FOOTER
            if not run or (page.number, run[0]) in found or not _is_apart(page, run, 1):
                continue
            line = page.lines[run[0]]
            if max(usual[(kind, band, round(line.size))] for band in _bands(line)) >= 3:
                more[(page.number, run[0])] = kind
    return more


def _kind(line: Line, side: str, number: int, recurs: int, needed: int, pages: int) -> ElementKind | None:
    if _NUMBER.match(line.text):
        own = re.search(r"\d+", line.text)
        is_own = pages > 1 and own is not None and int(own.group()) == number
        return ElementKind.PAGE_NUMBER if recurs >= 2 or is_own else None
    if recurs < needed:
        return None
    return ElementKind.HEADER if side == "top" else ElementKind.FOOTER


def _apart_from_body(
    page: PageLines, run: list[int], kinds: list[tuple[int, ElementKind]], same: set[int]
) -> list[tuple[int, ElementKind]]:
    """Without the innermost lines that stand as close to the body as its own lines do: text that repeats. The
    outermost line stays when it recurs word for word and is none of the body's, and page numbers stay."""
    while kinds:
        index, kind = kinds[-1]
        outermost_and_same = len(kinds) == 1 and index in same and not _is_of_body(page, run, 1)
        if kind is ElementKind.PAGE_NUMBER or outermost_and_same or _is_apart(page, run, len(kinds)):
            break
        kinds = kinds[:-1]
    return kinds


def _is_apart(page: PageLines, run: list[int], count: int) -> bool:
    """The `count`-th line from the edge stands further from the next one inwards than the body's lines do."""
    line, *inwards = _inwards(page, run, count)
    far = not inwards or abs(inwards[0].baseline - line.baseline) > _APART * max(line.size, 1.0)
    return far and not _is_of_body(page, run, count)


def _is_of_body(page: PageLines, run: list[int], count: int) -> bool:
    """The `count`-th line from the edge is a line of the body: of its size and weight, and as far from the following
    one as that is from the one behind it; or it is a sentence of its size not far from it."""
    line, *inwards = _inwards(page, run, count)
    if len(inwards) < 2:
        return False
    gap, *pitches = (abs(second.baseline - first.baseline) for first, second in pairwise([line, *inwards]))
    if _SENTENCE.match(line.text) and line.size >= _SMALL * inwards[0].size and gap <= _SENTENCE_APART * line.size:
        return True
    same = abs(line.size - inwards[0].size) <= 0.05 * line.size and line.bold == inwards[0].bold
    return same and gap <= _PITCHES_APART * median(pitches)


def _inwards(page: PageLines, run: list[int], count: int) -> list[Line]:
    """The `count`-th line from the edge, and those that follow it inwards."""
    order = sorted(page.lines, key=lambda line: line.top)
    if page.lines[run[0]] is not order[0]:
        order.reverse()
    position = next(at for at, line in enumerate(order) if line is page.lines[run[count - 1]])
    return order[position : position + _LINES_OF_BODY]


def _edges(page: PageLines) -> dict[str, list[int]]:
    """Indices of the lines at the top and at the bottom, from the edge inwards."""
    order = sorted(range(len(page.lines)), key=lambda i: page.lines[i].top)
    order = [i for i in order if not page.lines[i].rows]
    top = [i for i in order[:_EDGE_LINES] if page.lines[i].bottom < page.height * _EDGE_SHARE]
    bottom = [i for i in order[-_EDGE_LINES:] if page.lines[i].top > page.height * (1 - _EDGE_SHARE) and i not in top]
    return {"top": top, "bottom": bottom[::-1]}


def _bands(line: Line) -> tuple[int, int]:
    """Two overlapping bands of eight points, so that a place on a border still meets itself."""
    return int(line.baseline // 8) * 2, int((line.baseline + 4) // 8) * 2 + 1


def _folded(text: str) -> str:
    return _DIGITS.sub("#", " ".join(text.lower().split()))
