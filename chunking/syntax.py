"""Where code may be cut: between statements, as its grammar sees them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from chunking.atoms import Atom, Cut, cut_code, inside
from chunking.budget import Budget
from kprep.core.byte_offsets import ByteOffsets

if TYPE_CHECKING:
    from tree_sitter import Node

_ALIASES = {
    "py": "python", "python3": "python", "ipython": "python", "js": "javascript", "jsx": "javascript",
    "node": "javascript", "ts": "typescript", "golang": "go", "rs": "rust", "c++": "cpp", "c#": "csharp",
    "cs": "csharp", "rb": "ruby", "sh": "bash", "shell": "bash", "zsh": "bash",
    "yml": "yaml", "jsonc": "json", "json5": "json",
}  # fmt: skip
GRAMMARS = frozenset(
    "python javascript typescript tsx java go rust c cpp csharp ruby php bash sql kotlin swift scala json yaml".split()
)
_PHP = "<?php\n"  # without it all of PHP is text
_DEEPEST = 60
_JOINED_TO_NEXT = ("comment", "line_comment", "block_comment", "decorator", "attribute_item", "annotation")

_OPENS = (":", "{", ")", "else", "parenthesized_expression", "condition_clause")
"""Ends of a head, such as that of a function, which does not stand without the beginning of its body."""


def grammar_of(language: str) -> str:
    """Name of the grammar for a language as documents write it, "" without one."""
    name = _ALIASES.get(language.lower(), language.lower())
    return name if name in GRAMMARS else ""


def cut_at_statements(text: str, whole: Atom, budget: Budget, language: str) -> Iterator[Atom]:
    """Atoms of a code block over the limit. A syntactic unit that fits is never cut; a larger one is cut between the
    lines on which its parts begin, the outermost first. Without a grammar, or below its last part: as `cut_code`."""
    grammar = grammar_of(language)
    if not grammar:
        yield from cut_code(text, whole, budget, language)
        return
    piece = text[whole.start : whole.end]
    opening = _PHP if grammar == "php" and "<?" not in piece else ""
    encoded = (opening + piece).encode("utf-8", "surrogatepass")
    offsets = ByteOffsets(encoded)
    root = _parser(grammar).parse(encoded).root_node
    cutter = _Cutter(text, whole, budget, offsets, whole.start - len(opening))
    yield from cutter.pieces([root], whole.start, whole.end, Cut.BLOCK, 0)


@lru_cache(maxsize=32)
def _parser(grammar: str) -> Any:
    from tree_sitter_language_pack import get_parser

    return get_parser(grammar)  # type: ignore[arg-type]


Part: TypeAlias = "tuple[int, int, list[Node]]"
"""Where a part begins and ends, and its nodes."""


@dataclass(frozen=True, slots=True)
class _Cutter:
    text: str
    whole: Atom
    budget: Budget
    offsets: ByteOffsets
    origin: int  # the character of the text at which the first byte of the parsed code stands

    def pieces(self, nodes: Sequence[Node], start: int, end: int, cut: Cut, depth: int) -> Iterator[Atom]:
        """Atoms of the characters start..end, which the nodes make up."""
        start, end = self._trim(start, end)
        if start >= end:
            return
        size = self.budget.ruler.size(self.text[start:end])
        if size <= self.budget.limit:
            yield replace(self.whole, start=start, end=end, size=size, cut=cut)
            return
        parts = self._parts(nodes, start, end) if depth < _DEEPEST else []
        if len(parts) < 2:
            inner = self._opened(nodes)
            if inner and depth < _DEEPEST:
                yield from self.pieces(inner, start, end, cut, depth + 1)
            else:
                yield from self._lines(start, end, cut)
            return
        yield from self._each(parts, cut, depth)

    def _opened(self, nodes: Sequence[Node]) -> list[Node]:
        """The nodes, those over the limit replaced by their children; all of them where none is."""
        large = [node for node in nodes if self._size(node) > self.budget.limit] or nodes
        return [inner for node in nodes for inner in (node.children if node in large else [node])]

    def _size(self, node: Node) -> int:
        span = (self.offsets.char(byte) + self.origin for byte in (node.start_byte, node.end_byte))
        return self.budget.ruler.size(self.text[slice(*span)])

    def _each(self, parts: Sequence[Part], cut: Cut, depth: int) -> Iterator[Atom]:
        """Atoms of the parts, what belongs to the part before glued to it."""
        deeper = Cut.NESTED if cut is Cut.BLOCK and depth < 2 else Cut.SENTENCE
        glue = opened = False
        for number, (first, last, held) in enumerate(parts):
            rank = cut if number == 0 else self._rank(depth, deeper)
            body = self._parts([child for node in held for child in node.children], first, last) if opened else []
            if len(body) > 1:  # apart, so that its beginning finds room beside its head
                made = list(self._each(body, rank, depth + 1))
            else:
                made = list(self.pieces(held, first, last, rank, depth + 1))
            if made:
                yield replace(made[0], glued=glue or made[0].glued)
                yield from made[1:]
                opened = bool(held) and held[-1].type in _OPENS
                glue = opened or (bool(held) and all(node.type in _JOINED_TO_NEXT for node in held))

    def _rank(self, depth: int, deeper: Cut) -> Cut:
        return Cut.BLOCK if depth == 0 else deeper

    def _parts(self, nodes: Sequence[Node], start: int, end: int) -> list[Part]:
        """(start, end, its nodes) of the runs between which a line begins with a node. Brackets and continuations such
        as `else` stay with what they close."""
        out: list[Part] = []
        before = start
        for node in nodes:
            at = self.origin + self.offsets.char(node.start_byte)
            stop = self.origin + self.offsets.char(node.end_byte)
            if stop <= start or at >= end:
                continue
            line = self.text.rfind("\n", before, at) + 1  # 0: on the line of the node before
            before = max(at, before)
            begins_line = line > 0 and not self.text[line:at].strip()
            if not out:
                out.append((start, end, [node]))
            elif begins_line and line > out[-1][0] and node.is_named and "clause" not in node.type:
                earlier = out.pop()
                out += [(earlier[0], line, earlier[2]), (line, end, [node])]
            else:
                out[-1][2].append(node)
        return out

    def _lines(self, start: int, end: int, cut: Cut) -> Iterator[Atom]:
        """Nothing to go by: line by line, and inside a line that is over the limit."""
        at = start
        while at < end:
            stop = self.text.find("\n", at, end)
            stop = end if stop < 0 else stop
            first, last = self._trim(at, stop)
            if first < last:
                atom = replace(self.whole, start=first, end=last, cut=cut if at == start else Cut.SENTENCE)
                yield from inside(self.text, atom, self.budget)
            at = stop + 1

    def _trim(self, start: int, end: int) -> tuple[int, int]:
        """Without white space around; the first line keeps its indent."""
        piece = self.text[start:end]
        last = start + len(piece.rstrip())
        first = start + len(piece) - len(piece.lstrip())
        return max(self.text.rfind("\n", start, first) + 1, start) if first < last else first, last
