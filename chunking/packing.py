"""Which atoms make a child. Cuts are chosen by the content around them, so that they survive edits elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby

from chunking.atoms import NARRATIVE, Atom, inside
from chunking.budget import Budget
from kprep.core.errors import ChunkingError

Group = tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Packer:
    """Packs the atoms of one parent's text."""

    text: str
    budget: Budget

    def groups(self, atoms: Sequence[Atom]) -> list[Group]:
        """Groups of consecutive atoms, in order, each within the limit on the exact text to index."""
        out: list[Group] = []
        for _, run in groupby(atoms, key=lambda atom: atom.run):
            out += self._pack(tuple(run))
        return [part for group in self._join_small(out) for part in self._exact(group)]

    def text_of(self, group: Group) -> str:
        """Text of the child a group makes."""
        return group[0].lead + self.text[group[0].start : group[-1].end]

    def _pack(self, atoms: Group) -> list[Group]:
        out = []
        first = 0
        while first < len(atoms):
            last = self._end(atoms, first)
            out.append(atoms[first:last])
            first = last
        return out

    def _end(self, atoms: Group, first: int) -> int:
        """Where the child beginning at `first` ends: the best cut between half the target and the target.

        The best cut is the strongest one, and among equals the one whose following text has the smallest hash: two
        packings of almost the same text, out of step after an edit, soon choose the same cut again."""
        full = self._reach(atoms, first, self.budget.target, self.budget.wanted)
        if full == len(atoms):
            return full
        open_cuts = [at for at in range(first + 1, full + 1) if not atoms[at].glued]
        late = [at for at in open_cuts if self._is_half_full(atoms[first:at])]
        if late:
            return max(late, key=lambda at: (atoms[at].cut, -_mark(self.text, atoms[at]), at))
        if open_cuts:
            return open_cuts[-1]
        furthest = self._reach(atoms, first, self.budget.limit)
        free = (at for at in range(full + 1, furthest + 1) if at == len(atoms) or not atoms[at].glued)
        return next(free, max(furthest, first + 1))

    def _reach(self, atoms: Group, first: int, most: int, wanted: int = 0) -> int:
        """Where the atoms from `first` on are over `most` tokens, or over `wanted` words or characters if any are."""
        size = self._lead_size(atoms[first]) + atoms[first].size
        length = self._length(atoms[first : first + 1]) if wanted else 0
        at = first + 1
        while at < len(atoms) and size + atoms[at].size <= most:
            length += self._length(atoms[at : at + 1]) if wanted else 0
            if length > wanted:
                break
            size += atoms[at].size
            at += 1
        return at

    def _is_half_full(self, group: Group) -> bool:
        size = self._size(group)
        if self.budget.wanted:
            return size >= self.budget.minimum and 2 * self._length(group) >= self.budget.wanted
        return size >= max(self.budget.target // 2, self.budget.minimum)

    def _length(self, group: Group) -> int:
        return sum(self.budget.length(self.text[atom.start : atom.end]) for atom in group)

    def _size(self, group: Group) -> int:
        return self._lead_size(group[0]) + sum(atom.size for atom in group)

    def _lead_size(self, atom: Atom) -> int:
        return self.budget.ruler.size(atom.lead) if atom.lead else 0

    def _join_small(self, groups: list[Group]) -> list[Group]:
        """A group under the minimum goes to the one before it, or takes in the next, if both are of one kind."""
        out: list[Group] = []
        for group in groups:
            if out and self._may_join(out[-1], group):
                out[-1] += group
            else:
                out.append(group)
        return out

    def _may_join(self, first: Group, second: Group) -> bool:
        sizes = [self._size(first), self._size(second)]
        if second[0].apart or min(sizes) >= self.budget.minimum or sum(sizes) > self.budget.limit:
            return False
        kinds = {kind_of(first), kind_of(second)}
        return kinds <= set(NARRATIVE) or kinds == {"code"} or (kinds == {"table"} and first[-1].run == second[0].run)

    def _exact(self, group: Group) -> list[Group]:
        """The group, divided until the exact text fits: sizes of parts need not add up for every tokenizer."""
        if self.budget.fits(self.text_of(group)):
            return [group]
        if len(group) > 1:
            middle = len(group) // 2
            return self._exact(group[:middle]) + self._exact(group[middle:])
        limit = group[0].size * 3 // 4
        if limit < 1 or group[0].end - group[0].start < 2:
            raise ChunkingError(
                "a piece of one character is over the token limit", max_tokens=self.budget.max_tokens, at=group[0].start
            )
        pieces = inside(self.text, group[0], self.budget, limit)
        return [part for piece in pieces for part in self._exact((piece,))]


def kind_of(group: Group) -> str:
    """Kind of the child a group makes: table or code if it holds any, else what most of its characters are."""
    chars: dict[str, int] = {}
    for atom in group:
        chars[atom.kind] = chars.get(atom.kind, 0) + atom.end - atom.start
    special = [kind for kind in ("table", "code") if kind in chars]
    return special[0] if special else max(NARRATIVE, key=lambda kind: chars.get(kind, 0))


def _mark(text: str, atom: Atom) -> int:
    """A number that depends on nothing but the atom's own text."""
    content = text[atom.start : atom.end].encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "big")
