"""Lines in reading order to blocks: paragraphs, headings, lists, captions, code, tables of contents, footnotes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from kprep.core.models import Element, ElementKind, Locator, table_text
from parsers.pdf_glyphs import LINE_END_HYPHEN
from parsers.pdf_hung import HUNG, with_hung_marks
from parsers.pdf_lines import Line, ends_with_hyphen

_BULLET = re.compile(
    r"^([\u2022\u25aa\u25cf\u25cb\u25e6\u2023\u2043\u2219\u00b7\uf000-\uf0ff\x80-\x9f\u2013*-])\s+(?=\S)"
)
_BULLET_SIGNS = frozenset("\u2022\u25aa\u25cf\u25cb\u25e6\u2023\u2043")
"""Those that begin a line of a list and nothing else."""
_NUMBER = re.compile(r"^(\(?(?:\d{1,2}|[a-z])[.)])\s+(?=\S)")
_CAPTION = re.compile(r"^(?:fig(?:ure|\.)?|table|tabelle|abbildung|abb\.|\u56fe|\u8868)\s*\d+", re.IGNORECASE)
_LEADER = re.compile(r"(?:\.\s?){4,}\s*[\divxlc]+\s*$|\u2026{2,}\s*\d+\s*$")
_NOTE = re.compile(r"^(?:\d{1,2}|[*\u2020\u2021\u00a7])\s?\S")
_NOTE_SIZE, _NOTES_FROM = 0.92, 0.55
"""Of the body's size, and of the page's height: how large and where notes are."""
_PARTED = re.compile(r"[^\W\d_]+[-\u2010\u00ad\ufffe]$")
_SECTION_NUMBER = re.compile(r"^(?:\d{1,2}(?:\.\d{1,2})*\.?|[IVX]{1,5}\.|[A-Z]\.)\s+[^\W\d_]")
_LEADING_NUMBER = re.compile(r"^\s*(?:\d{1,2}(?:\.\d{1,2})*\.?|[IVX]{1,5}\.|[A-Z]\.)\s+")
_SENTENCE_END = re.compile(r"[.!?:;\u3002\uff01\uff1f\uff1a][\"'\u201d\u2019)\]]*$")
_LONGEST_HEADING = 160
_TITLE_LINES = 4
_HYPHENATED = frozenset(
    "all co cross end high long low mid multi non off one open post real self semi short third two user well".split()
)
"""First parts that a hyphen follows in most words; not `inter`, `pre` or `re`, at which far more words are parted."""
_HYPHENATED_AFTER = frozenset(
    "aware based defined dependent driven effective facing friendly level oriented party protected readable related "
    "side specific".split()
)
"""Second parts that a hyphen comes before after a whole word."""
_LEAST_WORD = 4
"""Letters of what is taken for a whole word: "user-defined", but "predefined" and "correlated"."""
_SUSPENDED = frozenset("and or nor und oder sowie bzw".split())
"""After "pre- and post-war", "Vor- und Nachteile" a hyphen stands for what comes later."""


@dataclass(frozen=True, slots=True)
class Typography:
    """What is normal in a file: size of body text, whether most of it is bold, words that occur (lower case)."""

    body: float
    bold: bool
    words: frozenset[str]


@dataclass(slots=True)
class Block:
    """Lines that belong together. `size` 0 marks a table. `row_pages`: of each row of a table that runs over pages."""

    kind: ElementKind
    lines: list[Line]
    page: int
    page_end: int = 0
    level: int = 0
    marker: str = ""
    region: tuple[int, int] = (0, 0)
    row_pages: tuple[int, ...] = ()

    @property
    def size(self) -> float:
        return median(line.size for line in self.lines)

    @property
    def bold(self) -> bool:
        return all(line.bold for line in self.lines)


def typography(pages: Sequence[Sequence[Line]]) -> Typography:
    """Of all lines of a file."""
    sizes: Counter[float] = Counter()
    bold = 0
    words: set[str] = set()
    for line in (line for page in pages for line in page if not line.rows):
        sizes[round(line.size * 2) / 2] += len(line.text)
        bold += len(line.text) if line.bold else 0
        words.update(re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", _PARTED.sub("", line.text.lower())))
    total = sum(sizes.values())
    return Typography(sizes.most_common(1)[0][0] if sizes else 10.0, bold > total / 2, frozenset(words))


def blocks_of_page(
    lines: Sequence[Line], page: int, height: float, norm: Typography, outline: Mapping[str, int]
) -> list[Block]:
    """Blocks of one page in reading order. `outline`: folded title -> level of the bookmarks that lead here."""
    out: list[Block] = []
    last: Line | None = None
    lines = with_hung_marks(lines, lambda line: _is_no_item(line, height, norm))
    pitches = _pitches(lines)
    edges = _title_edges(lines, outline)
    for at, line in enumerate(lines):
        if line.rows:
            out.append(Block(ElementKind.TABLE, [line], page, region=(page, line.region)))
        elif (
            out
            and last is not None
            and not last.rows
            and at not in edges
            and _continues(out[-1], last, line, norm, pitches.get(line.region, 0.0))
        ):
            out[-1].lines.append(line)
        else:
            block = Block(ElementKind.PARAGRAPH, [line], page, region=(page, line.region))
            mark = _mark(line, norm)
            if mark is not None:
                block.kind, block.marker = ElementKind.LIST_ITEM, mark.group(1)
            out.append(block)
        last = line
    for block in out:
        _name(block, height, norm, outline)
    _set_list_levels(out)
    return out


def _is_no_item(line: Line, height: float, norm: Typography) -> bool:
    """A line of a heading, of code or of the notes at the end of a page."""
    is_note = line.size <= _NOTE_SIZE * norm.body and line.top > _NOTES_FROM * height
    return line.mono or is_note or _stands_out(line.size, line.bold, norm)


def _title_edges(lines: Sequence[Line], outline: Mapping[str, int]) -> set[int]:
    """Numbers of the lines that begin a title of a bookmark, or come after one: it may be set like the text below."""
    edges: set[int] = set()
    for at in range(len(lines)) if outline else ():
        text = ""
        for end in range(at, min(at + _TITLE_LINES, len(lines))):
            text += f" {lines[end].text}"
            if _outline_level(text, outline):
                edges |= {at, end + 1}
    return edges


def _outline_level(text: str, outline: Mapping[str, int]) -> int:
    """Level of the bookmark with this title, which may be without the section's number; 0 without one."""
    return outline.get(folded(text), 0) or outline.get(folded(_LEADING_NUMBER.sub("", text)), 0)


def _mark(line: Line, norm: Typography) -> re.Match[str] | None:
    """A list mark at the start of a line that is no heading by its looks."""
    bullet = _BULLET.match(line.text)
    if bullet is not None:
        return bullet
    if _stands_out(line.size, line.bold, norm):
        return None
    return HUNG.match(line.text) if line.mark else _NUMBER.match(line.text)


def _stands_out(size: float, bold: bool, norm: Typography) -> bool:
    return size >= norm.body * 1.12 or (bold and not norm.bold and size >= norm.body * 0.95)


def _pitches(lines: Sequence[Line]) -> dict[int, float]:
    """Usual distance of base lines by region."""
    gaps: dict[int, list[float]] = {}
    for last, line in pairwise(lines):
        gap = line.baseline - last.baseline
        if last.region == line.region and not last.rows and not line.rows and 0 < gap < 3 * line.size:
            gaps.setdefault(line.region, []).append(round(gap, 1))
    return {region: sorted(found)[len(found) // 3] for region, found in gaps.items()}


def _continues(block: Block, last: Line, line: Line, norm: Typography, pitch: float) -> bool:
    """The line goes on with the block the last line belongs to."""
    gap = line.baseline - last.baseline
    if last.region != line.region or gap <= 0 or line.mono != last.mono:
        return False
    far = gap > max(1.35 * pitch, 1.2 * line.size) and gap > pitch + 0.25 * line.size
    if line.mono:
        is_next_item = block.kind is ElementKind.LIST_ITEM and _mark(line, norm) is not None
        return not is_next_item and (not far or gap < 3.2 * line.size)
    if far or (abs(line.size - last.size) > 0.1 * norm.body and min(len(line.text), len(last.text)) > 3):
        return False
    if _LEADER.search(last.text) and _LEADER.search(line.text):
        return True
    return not _starts_anew(block, last, line, norm)


def _starts_anew(block: Block, last: Line, line: Line, norm: Typography) -> bool:
    """A line close below the last that begins something else: other weight, a list mark, an indent, less indent."""
    ends = _ends_short(block, last)
    if line.bold != last.bold and ends and (_stands_out(last.size, last.bold, norm) or line.bold):
        return True
    is_item = block.kind is ElementKind.LIST_ITEM
    ends_sentence = _SENTENCE_END.search(last.text) is not None
    mark = _mark(line, norm)
    if mark is not None and (is_item or ends or ends_sentence or line.mark or mark.group(1) in _BULLET_SIGNS):
        return True
    indented = line.x0 > min(other.x0 for other in block.lines) + 0.8 * line.size
    if indented and not is_item and len(block.lines) > 1 and ends_sentence:
        return True
    first = block.lines[0]
    return is_item and line.x0 < (first.parting[1] if first.hangs else first.x0) - 0.5 * line.size


def _ends_short(block: Block, last: Line) -> bool:
    """The last line stops well before the widest one, or stands alone."""
    return len(block.lines) == 1 or last.x1 < max(line.x1 for line in block.lines) - 2 * last.size


def _name(block: Block, height: float, norm: Typography, outline: Mapping[str, int]) -> None:
    """Give the block its kind."""
    if block.kind is ElementKind.TABLE:
        return
    text = " ".join(line.text for line in block.lines)
    if level := _outline_level(text, outline):
        block.kind, block.level, block.marker = ElementKind.HEADING, level, ""
    elif block.kind is ElementKind.LIST_ITEM:
        return
    elif all(line.mono for line in block.lines) and len(text) > 1 and not _only_one_font(norm):
        block.kind = ElementKind.CODE
    elif sum(bool(_LEADER.search(line.text)) for line in block.lines) * 2 >= len(block.lines):
        block.kind = ElementKind.TABLE_OF_CONTENTS
    elif _CAPTION.match(text) and len(text) < 800:
        block.kind = ElementKind.CAPTION
    elif block.size <= _NOTE_SIZE * norm.body and block.lines[0].top > _NOTES_FROM * height and _NOTE.match(text):
        block.kind = ElementKind.FOOTNOTE
    elif _is_heading(block, text, norm):
        block.kind = ElementKind.HEADING


def _only_one_font(norm: Typography) -> bool:
    return not norm.words


def _is_heading(block: Block, text: str, norm: Typography) -> bool:
    """Larger than body text, or bold in a file that is not; short, and no sentence."""
    if len(text) > _LONGEST_HEADING or len(block.lines) > 4 or not any(map(str.isalpha, text)) or len(text) < 2:
        return False
    if block.size >= norm.body * 1.15:
        return not text.endswith((",", ";")) and (block.size >= norm.body * 1.3 or not text.endswith("."))
    if not block.bold or norm.bold or block.size < 0.95 * norm.body or len(block.lines) > 2:
        return False
    return not re.search(r"[.,;:]$", text) or bool(_SECTION_NUMBER.match(text) and not text.endswith((",", ";", ".")))


def _set_list_levels(blocks: Sequence[Block]) -> None:
    """Depth by indentation within a run of items."""
    run: list[Block] = []
    for block in [*blocks, None]:
        if block is not None and block.kind is ElementKind.LIST_ITEM and (not run or run[-1].region == block.region):
            run.append(block)
            continue
        indents: list[float] = []
        for x in sorted(item.lines[0].x0 for item in run):
            if not indents or x > indents[-1] + 6:
                indents.append(x)
        for item in run:
            item.level = max(sum(x <= item.lines[0].x0 + 0.1 for x in indents), 1)
        run = [block] if block is not None and block.kind is ElementKind.LIST_ITEM else []


def set_heading_levels(blocks: Sequence[Block]) -> None:
    """Levels 1..6 of headings without a bookmark: by size, larger first; bold ones of body size last. A section
    number with two parts or more says the level within its size."""
    sizes = sorted({round(b.size) for b in blocks if b.kind is ElementKind.HEADING and not b.level}, reverse=True)
    for block in blocks:
        if block.kind is ElementKind.HEADING and not block.level:
            block.level = min(sizes.index(round(block.size)) + 1, 6)


def join_over_breaks(blocks: Sequence[Block]) -> list[Block]:
    """Paragraphs cut by the end of a column or page made one: the first does not end a sentence, the next starts in
    lower case (or the first ends in a hyphen). Tables that run on with the same columns too, repeated header once."""
    out: list[Block] = []
    for block in blocks:
        before = next((b for b in reversed(out) if b.kind not in {ElementKind.FOOTNOTE, ElementKind.CAPTION}), None)
        if before is not None and before.region != block.region and _goes_on_in(before, block):
            before.lines.extend(block.lines)
            before.page_end, before.region = block.page, block.region
        elif before is not None and before is out[-1] and _same_table(before, block):
            _append_rows(before, block)
        else:
            out.append(block)
    return out


def _goes_on_in(before: Block, block: Block) -> bool:
    if before.kind not in {ElementKind.PARAGRAPH, ElementKind.LIST_ITEM} or block.kind is not ElementKind.PARAGRAPH:
        return False
    if block.page > (before.page_end or before.page) + 1 or abs(before.size - block.size) > 0.1 * before.size:
        return False
    end, start = before.lines[-1].text, block.lines[0].text
    if _SENTENCE_END.search(end):
        return False
    return (ends_with_hyphen(end) and start[:1].isalpha()) or (start[:1].islower() and _fills_its_column(before))


def _fills_its_column(block: Block) -> bool:
    """The last line reaches over half of the widest one, or, alone, is as long as a line of a narrow column."""
    last, widest = block.lines[-1], max(line.x1 - line.x0 for line in block.lines)
    least = 12 * last.size if len(block.lines) == 1 else widest / 2
    return last.x1 - last.x0 >= least


def _same_table(before: Block, block: Block) -> bool:
    if (
        before.kind is not ElementKind.TABLE
        or block.kind is not ElementKind.TABLE
        or block.page != (before.page_end or before.page) + 1
    ):
        return False
    left, right = before.lines[0], block.lines[0]
    return len(left.columns) == len(right.columns) and all(
        abs(a - b) < 4 for a, b in zip(left.columns, right.columns, strict=True)
    )


def _append_rows(before: Block, block: Block) -> None:
    first, more = before.lines[0], block.lines[0].rows
    header = first.rows[: max(first.header_rows, 1)]
    while more and more[0] in header:
        more = more[1:]
    before.row_pages = (before.row_pages or (before.page,) * len(first.rows)) + (block.page,) * len(more)
    before.lines[0] = replace(first, rows=first.rows + more)
    before.page_end, before.region = block.page, block.region


def element(block: Block, norm: Typography) -> Element:
    """The block as an element with its page or pages."""
    end = block.page_end if block.page_end > block.page else None
    place = Locator(page=block.page, page_end=end)
    if block.kind is ElementKind.TABLE:
        table, pages = block.lines[0], {page: Locator(page=page) for page in block.row_pages}
        return Element(
            block.kind,
            table_text(table.rows),
            place,
            rows=table.rows,
            header_rows=table.header_rows,
            row_places=tuple(pages[page] for page in block.row_pages),
        )
    if block.kind is ElementKind.CODE:
        return Element(block.kind, _code(block.lines), place)
    text = joined([line.text for line in block.lines], norm)
    if block.kind is ElementKind.LIST_ITEM:
        mark = _BULLET.match(text) or _NUMBER.match(text) or (HUNG.match(text) if block.lines[0].mark else None)
        text = text[mark.end() :] if mark else text
        marker = block.marker if block.marker[-1:] in ".)" or block.lines[0].mark else "-"
        return Element(block.kind, text, place, level=block.level, marker=marker)
    if block.kind is ElementKind.HEADING:
        return Element(block.kind, " ".join(text.split()), place, level=block.level)
    return Element(block.kind, text, place)


def joined(lines: Sequence[str], norm: Typography) -> str:
    r"""Lines with `\n` between; a word parted at the line's end is made whole, its hyphen kept where it belongs."""
    out = lines[0] if lines else ""
    for line in lines[1:]:
        if not ends_with_hyphen(out):
            out = f"{out}\n{line}"
            continue
        head = re.split(r"[\s(]", out[:-1])[-1]
        tail = re.match(r"[^\W\d_]*", line)
        word = tail.group() if tail else ""
        if word in _SUSPENDED:
            out = f"{out[:-1]}-\n{line}"
        else:
            out = out[:-1] + ("-" if _keeps_hyphen(head, word, norm) else "") + line
    return out.replace(LINE_END_HYPHEN, "-")


def _keeps_hyphen(head: str, tail: str, norm: Typography) -> bool:
    """As the rest of the file writes the word; else a part that usually takes a hyphen keeps it, and a name of two."""
    if not tail or len(head) < 2 or head[-1:].isdigit() or (head[-1:].islower() and tail[:1].isupper()):
        return True
    head, tail = head.lower(), tail.lower()
    if f"{head}-{tail}" in norm.words:
        return True
    if head + tail in norm.words:
        return False
    if tail in _HYPHENATED_AFTER and len(head) >= _LEAST_WORD and head != "inter":
        return True
    return head in _HYPHENATED or "-" in head


def _code(lines: Sequence[Line]) -> str:
    """Lines of one fixed width, indentation by their place."""
    left = min(line.x0 for line in lines)
    out = []
    for line in lines:
        letter = line.width / max(len(line.text), 1) or line.size * 0.6
        out.append(" " * round((line.x0 - left) / letter) + line.text.replace(LINE_END_HYPHEN, "-"))
    return "\n".join(out)


def folded(text: str) -> str:
    """Title as compared with bookmarks: letters and digits only, lower case."""
    return re.sub(r"[\W_]+", "", text.lower())
