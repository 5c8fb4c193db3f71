"""The smallest pieces of a section that may be put together: each stands alone within the limit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

from chunking.budget import CHARS_PER_TOKEN, Budget
from chunking.layout import Block, citable_together
from chunking.pairs import bare, pairs
from kprep.core.models import Element, ElementKind
from kprep.core.tables import explains_codes
from kprep.sentences import sentence_spans

NARRATIVE = ("text", "list")

INTRODUCTION_CHARS = 160
"""A paragraph up to this long, directly before a list, table or code block, introduces it even without a colon."""

_NOTE = re.compile(
    r"(note|notes|warning|caution|important|tip|hint|attention|hinweis|achtung|warnung|wichtig|remarque|attention|nota|"
    r"注意|备注|注|警告|提示)\s*[:：]",
    re.IGNORECASE,
)
_CONTINUES = re.compile(r"[)\]}>]|(else|elif|except|finally|catch|end|fi|done|esac|then)\b|#endif|@@|\*/")


class Cut(IntEnum):
    """How well a child may begin at an atom: higher is better."""

    INSIDE = 0
    SENTENCE = 1
    NESTED = 2
    BLOCK = 3


@dataclass(frozen=True, slots=True)
class Atom:
    """Characters start..end of the parent, within one element (`block` is its index).

    `size`: tokens. `cut`: how good a beginning it is. `glued`: belongs to the atom before. `lead`: text to repeat when
    a child begins here. `kind`: "text", "list", "table", "code". `apart`: no locator can cite it with the atom before,
    or it is another unit. `run`: only atoms of one run are packed together. `fragment`: of the atom itself, where its
    element names none; one that has it is a child of its own, with what is glued to it."""

    start: int
    end: int
    size: int
    kind: str
    block: int
    cut: Cut = Cut.BLOCK
    glued: bool = False
    lead: str = ""
    run: int = 0
    apart: bool = False
    fragment: str = ""


CutCode = Callable[[str, Atom, Budget, str], Iterator[Atom]]
"""(text of the parent, atom of a code block over the limit, budget, language of the code) -> atoms within the limit."""


def atoms_of(text: str, blocks: tuple[Block, ...], budget: Budget, language: str, code: CutCode) -> list[Atom]:
    """Atoms of a parent in order, runs and ties (`glued`) decided."""
    out: list[Atom] = []
    run, run_is_narrative = 0, True
    questions = pairs(blocks)
    for index, block in enumerate(blocks):
        listed = _is_in_list(text, blocks, index, budget)
        narrative = listed or _kind(block) in NARRATIVE
        apart = index > 0 and _is_apart(blocks[index - 1].element, block.element, asks=index in questions)
        tied = index > 0 and not apart
        leads = tied and (_introduces(blocks[index - 1], block) or (index - 1 in questions and bare(blocks[index - 1])))
        introduced = leads and (narrative or run_is_narrative)
        glued = introduced or (tied and _is_note(block))
        if introduced and not narrative:
            run, run_is_narrative = run + 1, False
            _move_to_run(out, index - 1, run)
        elif apart or not (glued or (narrative and run_is_narrative)):
            run, run_is_narrative = run + 1, narrative
        made: list[Atom] = []
        for atom in _cut_block(text, index, block, budget, language, code):
            run += bool(atom.fragment and made and not atom.glued)
            made.append(replace(atom, run=run, kind="list" if listed else atom.kind))
        out += [replace(made[0], glued=glued or made[0].glued, apart=apart), *made[1:]]
    return out


def _is_apart(before: Element, element: Element, *, asks: bool) -> bool:
    """Whether no chunk may hold both: they are two units, or a question begins that no heading line introduces."""
    return not _belong_together(before, element) or (asks and before.kind is not ElementKind.HEADING)


def _is_in_list(text: str, blocks: tuple[Block, ...], index: int, budget: Budget) -> bool:
    """Whether a block is short code that belongs to the list item before it, as the command of a step does."""
    block = blocks[index]
    if block.element.kind is not ElementKind.CODE or not index:
        return False
    after_item = blocks[index - 1].element.kind is ElementKind.LIST_ITEM
    return after_item and budget.ruler.size(text[block.start : block.end]) <= budget.target // 2


def _belong_together(first: Element, second: Element) -> bool:
    """Whether one chunk may hold both: one locator cites them, and they are no two units the format tells apart."""
    if not citable_together(first.locator, second.locator):
        return False
    units = ((first.fragment, first.locator.anchor), (second.fragment, second.locator.anchor))
    return not (first.fragment or second.fragment) or units[0] == units[1]


def _move_to_run(atoms: list[Atom], block: int, run: int) -> None:
    """Take the introducing block, and what it is tied to, out of the narrative run before."""
    at = len(atoms)
    while at and (atoms[at - 1].block == block or (at < len(atoms) and atoms[at].glued)):
        at -= 1
        atoms[at] = replace(atoms[at], run=run)


def _kind(block: Block) -> str:
    kinds = {ElementKind.LIST_ITEM: "list", ElementKind.TABLE: "table", ElementKind.CODE: "code"}
    return kinds.get(block.element.kind, "text")


def _is_note(block: Block) -> bool:
    return block.element.kind is ElementKind.PARAGRAPH and _NOTE.match(block.element.text.lstrip()) is not None


def _introduces(before: Block, block: Block) -> bool:
    """Whether the block before says what this one is: a heading line, a caption, or a lead-in sentence."""
    if before.element.kind is ElementKind.HEADING:
        return True
    if block.element.kind is ElementKind.CAPTION:
        return before.element.kind is ElementKind.TABLE
    if block.element.kind not in (ElementKind.LIST_ITEM, ElementKind.TABLE, ElementKind.CODE):
        return False
    introducing = [ElementKind.PARAGRAPH, ElementKind.CAPTION]
    if block.element.kind is not ElementKind.LIST_ITEM:
        introducing.append(ElementKind.LIST_ITEM)
    if before.element.kind not in introducing:
        return False
    lead_in = before.element.text.rstrip()
    return lead_in.endswith((":", "：")) or len(lead_in) <= INTRODUCTION_CHARS


def _cut_block(text: str, index: int, block: Block, budget: Budget, language: str, code: CutCode) -> Iterator[Atom]:
    kind = _kind(block)
    if kind == "table":
        yield from _rows(text, index, block, budget)
        return
    start, end = _trim(text, block.start, block.end, keep_indent=kind == "code")
    depth = Cut.NESTED if kind == "list" and block.element.level > 1 else Cut.BLOCK
    whole = Atom(start, end, budget.ruler.size(text[start:end]), kind, index, depth)
    if whole.size <= budget.limit:
        yield whole
    elif kind == "code":
        yield from code(text, whole, budget, block.element.language)
    else:
        for number, (first, last) in enumerate(sentences(text, start, end, language)):
            cut = depth if number == 0 else Cut.SENTENCE
            yield from inside(text, replace(whole, start=first, end=last, cut=cut), budget)


def sentences(text: str, start: int, end: int, language: str) -> list[tuple[int, int]]:
    """Spans of the sentences of text[start:end], white space around them left out."""
    return [(start + first, start + last) for first, last in sentence_spans(text[start:end], language)]


def inside(text: str, atom: Atom, budget: Budget, limit: int | None = None) -> Iterator[Atom]:
    """The atom cut at the best places inside it until each piece is within the limit: the last resort.

    Pieces are about equally large, up to the target, so that no scrap is left at the end."""
    from semchunk.semchunk import chunk as cut_by_meaning

    limit = budget.limit if limit is None else limit
    piece = text[atom.start : atom.end]
    size = budget.ruler.size(piece)
    if size <= limit:
        yield replace(atom, size=size)
        return
    most = min(limit, budget.target)
    limit = min(most, -(-size // -(-size // most)) + 1)
    found: Any = cut_by_meaning(piece, limit, _bounded(budget.ruler.size, limit), memoize=False, offsets=True)
    for number, (first, last) in enumerate(found[1]):
        start, end = _trim(text, atom.start + first, atom.start + last, keep_indent=atom.kind == "code")
        if start >= end:
            continue
        head = atom if number == 0 else replace(atom, cut=Cut.INSIDE, glued=False)
        yield replace(head, start=start, end=end, size=budget.ruler.size(text[start:end]))


def _bounded(size: Callable[[str], int], limit: int) -> Callable[[str], int]:
    """Counts without tokenising what is too long anyway (semchunk asks for the whole text again and again)."""

    def count(piece: str) -> int:
        by_chars = -(-len(piece) // CHARS_PER_TOKEN)
        return by_chars if by_chars > limit else size(piece)

    return count


def _rows(text: str, index: int, block: Block, budget: Budget) -> Iterator[Atom]:
    """Rows of a table. The header is glued to the first row, and the lead of the others if it leaves them room. In a
    table that explains codes each row is found by its code alone: fragment "error"."""
    lines = list(_lines(text, block.body, block.end))
    headers = min(block.element.header_rows, len(lines))
    lead = ""
    if 0 < headers < len(lines):
        header = text[lines[0][0] : lines[headers - 1][1]] + "\n"
        lead = header if budget.ruler.size(header) <= budget.limit // 2 else ""
    room = budget.limit - budget.ruler.size(lead)
    rows = block.element.rows
    coded = (
        lead
        and not block.element.fragment
        and explains_codes(rows[headers - 1], [row[0] for row in rows[headers:] if row])
    )
    fragment = "error" if coded else ""
    for number, (start, end) in enumerate(lines):
        first, last = _trim(text, start, end)
        if first >= last:
            continue
        in_header = number < headers
        atom = Atom(first, last, 0, "table", index, Cut.BLOCK, 0 < number <= headers, "" if in_header else lead)
        atom = replace(atom, fragment=fragment)
        pieces = list(inside(text, atom, budget, budget.limit if in_header else room))
        yield from pieces


def cut_code(text: str, whole: Atom, budget: Budget, language: str) -> Iterator[Atom]:  # noqa: ARG001
    """Top-level blocks of the code that fit, the lines of those that do not, pieces of lines that do not either."""
    lines = [(start, end) for start, end in _lines(text, whole.start, whole.end) if text[start:end].strip()]
    margin = min(_indent(text[start:end]) for start, end in lines)
    groups: list[list[tuple[int, int]]] = []
    for start, end in lines:
        after_blank = bool(groups) and text.count("\n", groups[-1][-1][1], start) > 1
        line = text[start:end]
        opens = _indent(line) == margin and not _CONTINUES.match(line.strip())
        if not groups or (after_blank and opens):
            groups.append([])
        groups[-1].append((start, end))
    for group in groups:
        start, end = group[0][0], group[-1][1]
        size = budget.ruler.size(text[start:end])
        if size <= budget.limit:
            yield replace(whole, start=start, end=end, size=size, cut=Cut.BLOCK)
            continue
        for number, (first, last) in enumerate(group):
            atom = replace(whole, start=first, end=last, cut=_line_cut(text, group, number, margin))
            yield from inside(text, atom, budget)


def _line_cut(text: str, lines: list[tuple[int, int]], number: int, margin: int) -> Cut:
    if number == 0:
        return Cut.BLOCK
    start, end = lines[number]
    line, before = text[start:end], text[slice(*lines[number - 1])]
    if _CONTINUES.match(line.strip()):
        return Cut.INSIDE
    dedent = _indent(line) < _indent(before) or _indent(line) == margin
    return Cut.NESTED if dedent or text.count("\n", lines[number - 1][1], start) > 1 else Cut.SENTENCE


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Spans of the lines of text[start:end], their line ends left out; nothing but a line feed ends a line."""
    while start <= end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        yield start, stop
        start = stop + 1


def _trim(text: str, start: int, end: int, *, keep_indent: bool = False) -> tuple[int, int]:
    """The span without white space around it; with `keep_indent` the first line keeps what stands before its code."""
    piece = text[start:end]
    last = start + len(piece.rstrip())
    first = end - len(piece.lstrip())
    if keep_indent and first < last:
        first = max(text.rfind("\n", start, first) + 1, start)
    return min(first, last), last
