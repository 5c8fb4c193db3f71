"""Blocks that a source repeats at the edges of its documents: banners, disclaimers, "was this page helpful?"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from cleaning.furniture import TEXT_KINDS, Drops
from kprep.core.ids import digest
from kprep.core.models import Element, ElementKind, ParsedDocument

LEAST_DOCUMENTS = 5
"""Below this many documents with the block, nothing is known of a source."""
LEAST_SHARE = 0.5
"""Share of a source's documents that must hold the block."""
EDGE = 4
"""Blocks at the start, and at the end, of a document that can be boilerplate."""
_LEAST_CHARS = 12


def repeated_blocks(
    documents: Iterable[ParsedDocument], least_documents: int = LEAST_DOCUMENTS, least_share: float = LEAST_SHARE
) -> frozenset[str]:
    """Hashes of the text blocks that at least `least_share` of the documents of one source (and at least
    `least_documents`) hold at their edges. Keeps hashes only, never a text; each document is read once."""
    counts: Counter[str] = Counter()
    total = 0
    for document in documents:
        total += 1
        counts.update({block_hash(document.elements[index]) for index in _edges(document.elements, _may_repeat)})
    least = max(least_documents, least_share * total)
    return frozenset(found for found, count in counts.items() if count >= least)


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
    return element.kind in TEXT_KINDS and len(element.text.strip()) >= _LEAST_CHARS
