"""Question-and-answer pairs inside a section, as people write them without a heading for each question."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chunking.layout import Block
from kprep.core.models import Element, ElementKind

QUESTION_CHARS = 200
MOST_BLOCKS = 3
"""Blocks that an unmarked pair has on average, at most."""
_MARKED = re.compile(r"(?:q|question|frage|问题?|質問)\s*\d{0,3}\s*[:：.]\s*\S", re.IGNORECASE)
_ANSWER = re.compile(r"(?:a|answer|antwort|réponse|答案?|回答)\s*\d{0,3}\s*[:：.]\s*\S", re.IGNORECASE)
_ASKS = ("?", "？", "؟")


def pairs(blocks: Sequence[Block]) -> frozenset[int]:
    """Indexes of the blocks that begin a pair: a question, and what follows up to the next one answers it.

    A question is marked ("Q:"), or a first line that ends with a question mark and is followed by other text. Unmarked
    ones count only where a section has at least two and they begin a third of its blocks: in a speech or a report
    questions are asked by the way. What was said or written at a time of
    its own (recordings, conversations) has none: there a question is part of the talk."""
    elements = [block.element for block in blocks]
    found = [
        at for at, block in enumerate(blocks) if _asks(block.element) and (not bare(block) or _answered(elements, at))
    ]
    marked = [at for at in found if _MARKED.match(elements[at].text.lstrip())]
    return frozenset(found if len(found) > 1 and MOST_BLOCKS * len(found) >= len(blocks) else marked)


def bare(block: Block) -> bool:
    """Whether a question's block holds no answer."""
    return "\n" not in block.element.text.strip()


def _asks(element: Element) -> bool:
    if element.kind not in (ElementKind.PARAGRAPH, ElementKind.LIST_ITEM):
        return False
    if element.locator.time is not None or element.locator.message is not None or element.fragment:
        return False
    first = element.text.strip().split("\n", 1)[0].rstrip(" *_")
    return len(first) <= QUESTION_CHARS and (first.endswith(_ASKS) or _MARKED.match(first) is not None)


def _answered(elements: Sequence[Element], at: int) -> bool:
    """Whether the element after the question answers it."""
    if at + 1 == len(elements) or _asks(elements[at + 1]) or elements[at + 1].kind is ElementKind.HEADING:
        return False
    listed = elements[at].kind is ElementKind.LIST_ITEM and elements[at + 1].kind is ElementKind.LIST_ITEM
    return not listed or _ANSWER.match(elements[at + 1].text.lstrip()) is not None
