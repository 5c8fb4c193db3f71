"""Strategy `sections`: parents from headings, children from the blocks below them."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from chunking.atoms import atoms_of, sentences
from chunking.budget import Budget, Ruler, budget_for, check_profile
from chunking.layout import Block, lay_out
from chunking.outline import Section, anchors_of, document_title, outline
from chunking.packing import Group, Packer, kind_of
from chunking.spec import ChunkerSpec
from chunking.syntax import cut_at_statements
from kprep.core.errors import ChunkingError
from kprep.core.ids import digest
from kprep.core.models import (
    ChildChunk,
    ChunkedDocument,
    ChunkProfile,
    CountTokens,
    Link,
    Locator,
    ParentChunk,
    RedactedDocument,
)


def chunk(document: RedactedDocument, profile: ChunkProfile, count_tokens: CountTokens) -> ChunkedDocument:
    """Parents and children of the document; see the room's specification.

    Raises: ConfigError (impossible sizes), ChunkingError (no text, a limit that cannot be met)."""
    return chunk_sections(document, profile, count_tokens, outline)


def chunk_sections(
    document: RedactedDocument,
    profile: ChunkProfile,
    count_tokens: CountTokens,
    outlined: Callable[[RedactedDocument, ChunkProfile, Ruler], list[Section]],
) -> ChunkedDocument:
    """As `chunk`, with another way to find the sections."""
    check_profile(profile)
    ruler = Ruler(count_tokens)
    sections = outlined(document, profile, ruler)
    if not sections:
        raise ChunkingError("the document has no text to cut", elements=len(document.elements))
    title = document_title(document)
    keys = _Keys()
    parents: list[ParentChunk] = []
    children: list[ChildChunk] = []
    for section in sections:
        budget = budget_for(title, section.heading_path, profile, ruler, document.metadata.language)
        cutter = _Cutter(section, budget, profile, document.metadata.language)
        parents.append(cutter.parent(keys))
        children += cutter.children(parents[-1].key, keys)
    return ChunkedDocument(
        document.uri, document.metadata, title, tuple(parents), tuple(children), anchors_of(document)
    )


@dataclass(slots=True)
class _Keys:
    """Content-addressed keys, told apart by how many equals came before in the document."""

    seen: Counter[str] = field(default_factory=Counter)

    def key(self, kind: str, heading_path: tuple[str, ...], text: str) -> str:
        content = digest(kind, digest(*heading_path), text)
        self.seen[content] += 1
        return digest(content, str(self.seen[content]))[:32]


class _Cutter:
    """Makes the chunks of one section."""

    def __init__(self, section: Section, budget: Budget, profile: ChunkProfile, language: str) -> None:
        self.path = section.heading_path
        self.text, self.blocks = lay_out(section.elements)
        self.ends = [block.end for block in self.blocks]
        self.budget = budget
        self.overlap_sentences = profile.overlap_sentences
        self.language = language

    def parent(self, keys: _Keys) -> ParentChunk:
        first, last = self.blocks[0].element.locator, self.blocks[-1].element.locator
        return ParentChunk(keys.key("parent", self.path, self.text), self.path, self.text, first.through(last))

    def children(self, parent_key: str, keys: _Keys) -> list[ChildChunk]:
        packer = Packer(self.text, self.budget)
        groups = packer.groups(atoms_of(self.text, self.blocks, self.budget, self.language, cut_at_statements))
        before: list[Group | None] = [None, *groups]
        overlaps = [self._overlap(previous, group) for previous, group in zip(before, groups, strict=False)]
        linked = self._links(groups)
        return [
            self._child(parent_key, keys, group, overlap, links)
            for group, overlap, links in zip(groups, overlaps, linked, strict=True)
        ]

    def _child(
        self, parent_key: str, keys: _Keys, group: Group, overlap: tuple[int, int], links: tuple[Link, ...]
    ) -> ChildChunk:
        start, repeated = overlap
        end = group[-1].end
        first = self.blocks[bisect_right(self.ends, start)]
        kind = kind_of(group)
        text = group[0].lead + self.text[start:end]
        languages = (self.blocks[atom.block].element.language for atom in group if atom.kind == "code")
        fragments = (self.blocks[atom.block].element.fragment or atom.fragment for atom in group)
        return ChildChunk(
            key=keys.key(kind, self.path, text),
            parent_key=parent_key,
            kind=kind,
            heading_path=self.path,
            text=text,
            lead=group[0].lead,
            start=start,
            end=end,
            overlap=repeated,
            locator=first.place(start, min(end, first.end)).through(self._last_place(group)),
            links=links,
            code_language=next((language for language in languages if language), ""),
            fragment=next((fragment for fragment in fragments if fragment), ""),
            header_rows=self._header_rows(group),
        )

    def _header_rows(self, group: Group) -> int | None:
        """Of the first table of a group: lines of its header, which the group begins with or repeats. Sheets are looked
        through for a header; in other formats a table in which none is marked may have one."""
        first = next((atom for atom in group if atom.kind == "table"), None)
        if first is None:
            return None
        block = self.blocks[first.block]
        if not block.element.header_rows and block.element.locator.cell is None:
            return None
        return block.element.header_rows if first.lead or first.start == block.body else 0

    def _last_place(self, group: Group) -> Locator:
        block = self.blocks[group[-1].block]
        return block.place(max(group[0].start, block.start), group[-1].end)

    def _overlap(self, before: Group | None, group: Group) -> tuple[int, int]:
        """Start of the child and the characters it repeats: as many last sentences of the text before as fit. What was
        said or written at a time of its own (recordings, conversations) is never repeated."""
        start = group[0].start
        place = self.blocks[group[0].block].element.locator
        if place.time is not None or place.message is not None:
            return start, 0
        if not self.overlap_sentences or before is None or {kind_of(before), kind_of(group)} != {"text"}:
            return start, 0
        spans = sentences(self.text, before[0].start, before[-1].end, self.language)
        for first, _ in spans[-self.overlap_sentences :]:
            if first > before[0].start and self.budget.fits(self.text[first : group[-1].end]):
                return first, before[-1].end - first
        return start, 0

    def _links(self, groups: list[Group]) -> list[tuple[Link, ...]]:
        """Links by child: with the piece of their element that holds their words, else with its first piece."""
        found: list[dict[Link, None]] = [{} for _ in groups]
        holders: dict[int, dict[int, None]] = {}
        for at, group in enumerate(groups):
            for atom in group:
                holders.setdefault(atom.block, {})[at] = None
        for index, block in enumerate(self.blocks):
            pieces = list(holders.get(index, ()))
            for link in block.element.links:
                holding = [at for at in pieces if link.text and link.text in self._piece(groups[at], block)]
                found[(holding or pieces)[0]][link] = None
        return [tuple(links) for links in found]

    def _piece(self, group: Group, block: Block) -> str:
        return self.text[max(group[0].start, block.start) : min(group[-1].end, block.end)]


CHUNKER = ChunkerSpec("sections", 13, chunk)
