"""Headings that are only bold: accepted where unstructured, reading the same file, sees no sentence."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace

from kprep.core.models import Element, ElementKind
from kprep.offline import patch_unstructured, prepare_environment
from parsers.anchors import Slugger
from parsers.docx_body import Block

_LONGEST_TITLE = 120
_ALONE = "+own_reading_only"


def find_bold_headings(blocks: Sequence[Block], content: bytes) -> tuple[list[Element], str]:
    """The elements with bold title lines made headings, and a suffix that says who read: "" or, when unstructured
    could not open the file (strict Office XML), that it was our own reading alone.

    unstructured loses tracked insertions, text boxes and equations, so its words are never taken, only its verdict.
    """
    following = [*blocks[1:], None]
    candidates = [i for i, block in enumerate(blocks) if _may_be_title(block) and _is_body(following[i])]
    if not candidates:
        return [block.element for block in blocks], ""
    titles = _titles(content)
    if titles is None:
        return [block.element for block in blocks], _ALONE
    chosen = {index for index in candidates if _folded(blocks[index].element.text) in titles}
    return _with_headings(blocks, chosen), ""


def _may_be_title(block: Block) -> bool:
    element = block.element
    return (
        block.bold
        and element.kind is ElementKind.PARAGRAPH
        and not element.hidden
        and len(element.text) <= _LONGEST_TITLE
        and "\n" not in element.text
        and element.text[-1] not in ".,;:"
    )


def _is_body(block: Block | None) -> bool:
    """What a heading stands over: text, a list, a table; not another bold line."""
    kinds = {ElementKind.PARAGRAPH, ElementKind.LIST_ITEM, ElementKind.TABLE, ElementKind.CODE}
    return block is not None and block.element.kind in kinds and not block.bold and not block.element.hidden


def _titles(content: bytes) -> set[str] | None:
    """Texts unstructured calls a title or cannot name (no sentence, list item, address); None when it cannot read
    the file."""
    prepare_environment()
    from unstructured.documents.elements import Text, Title
    from unstructured.partition.docx import partition_docx

    patch_unstructured()
    try:
        found = partition_docx(file=io.BytesIO(content), infer_table_structure=False)
    except Exception:  # noqa: BLE001 - python-docx raises what it likes; the result names who read
        return None
    return {_folded(element.text) for element in found if type(element) in {Text, Title}}


def _folded(text: str) -> str:
    return " ".join(text.split())


def _with_headings(blocks: Sequence[Block], chosen: set[int]) -> list[Element]:
    """Chosen blocks one level below the styled heading before them; anchors of their sections follow."""
    slugger = Slugger()
    styled_level, own_anchor, styled_anchor = 0, "", ""
    for block in blocks:
        if block.element.kind is ElementKind.HEADING:
            slugger.reserve(block.element.locator.anchor or "")
    elements: list[Element] = []
    for index, block in enumerate(blocks):
        element = block.element
        if element.locator.anchor != styled_anchor:
            styled_anchor, own_anchor = element.locator.anchor or "", ""
        if element.kind is ElementKind.HEADING:
            styled_level = element.level
        elif index in chosen:
            own_anchor = slugger.take(element.text)
            element = replace(element, kind=ElementKind.HEADING, level=min(styled_level + 1, 6))
        elements.append(replace(element, locator=replace(element.locator, anchor=own_anchor or element.locator.anchor)))
    return elements
