"""Blocks that a source repeats at the edges of its documents: banners, disclaimers, "was this page helpful?"."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cleaning.furniture import Drops
from cleaning.rules import FURNITURE
from kprep.core.ids import digest
from kprep.core.models import Element, ElementKind, ParsedDocument

EDGE = 4
"""Blocks at the start, and at the end, of a document that can be boilerplate."""
_LEAST_CHARS = 12
_MOST_CHARS = 700


def edge_blocks(document: ParsedDocument) -> frozenset[str]:
    """Hashes of the paragraphs at the document's edges that can be boilerplate if its source repeats them.

    A function of the parsed document alone. What is hidden or furniture by its kind does not stand between.
    """
    elements = [item for item in document.elements if not item.hidden and item.kind not in FURNITURE]
    return frozenset(block_hash(elements[index]) for index in _edges(elements, _may_repeat))


def block_hash(element: Element) -> str:
    """What identifies a block in all documents: its words, however they are spaced and capitalised."""
    return digest("block", " ".join(element.text.lower().split()))


def at_edges(hashes: frozenset[str]) -> Callable[[Sequence[Element]], Drops]:
    """A drop rule: blocks of these hashes before the body starts or after it ends.

    One in the middle stays, since a warning that every manual repeats is part of each. The headings above the body
    do not start it, so that a banner under the title is seen.
    """

    def is_repeated(element: Element) -> bool:
        return _may_repeat(element) and block_hash(element) in hashes

    return lambda elements: dict.fromkeys(_edges(elements, is_repeated)) if hashes else {}


def _edges(elements: Sequence[Element], belongs: Callable[[Element], bool]) -> set[int]:
    """Indexes of the elements at the start and at the end of the document of which all `belong`."""
    found: set[int] = set()
    for order in (range(len(elements)), range(len(elements) - 1, -1, -1)):
        taken = 0
        for index in order:
            if belongs(elements[index]) and taken < EDGE:
                found.add(index)
                taken += 1
            elif elements[index].kind is not ElementKind.HEADING or order.step < 0:
                break
    return found


def _may_repeat(element: Element) -> bool:
    """True for a short paragraph; tables, code, lists and headings are content wherever they stand."""
    return element.kind is ElementKind.PARAGRAPH and _LEAST_CHARS <= len(element.text.strip()) <= _MOST_CHARS
