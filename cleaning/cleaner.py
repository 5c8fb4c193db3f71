"""The rules in their order, and `clean`, which runs them and records what they take."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from cleaning import characters, furniture, joining
from cleaning.furniture import Drops
from cleaning.joining import Vocabulary
from cleaning.rules import FURNITURE, CleaningRules
from kprep.core.errors import CleaningError
from kprep.core.models import CleanDocument, Element, ElementKind, ParsedDocument, Removal, table_text
from kprep.core.registry import by_name


@dataclass(frozen=True, slots=True)
class DropRule:
    """A rule that takes whole elements or lines. `find` sees the elements all earlier rules left."""

    name: str
    find: Callable[[Sequence[Element]], Drops]


RULES = by_name(
    (
        DropRule("hidden", furniture.hidden),
        DropRule("tables_of_contents", furniture.tables_of_contents),
        DropRule("cookie_notices", furniture.cookie_notices),
        DropRule("copyright", furniture.copyright_lines),
        DropRule("navigation_links", furniture.navigation_links),
        DropRule("page_numbers", furniture.page_numbers),
    )
)
"""Drop rules by name, in the order they run."""


def clean(document: ParsedDocument, rules: CleaningRules) -> CleanDocument:
    """The document without noise; kept elements in their order, every removal recorded.

    Raises: CleaningError where nothing would be left because the document has no visible text.
    """
    elements, removals = _drop(document.elements, _drop_rules(rules))
    if not elements:
        elements, removals = _least(document)
    elements = [_padded(element) for element in elements]
    vocabulary = Vocabulary.of(elements)
    if rules.characters:
        elements = [characters.normalise_element(element, vocabulary.words) for element in elements]
        vocabulary = Vocabulary.of(elements)
    if "pages" in rules.join:
        elements = joining.join_pages(elements, vocabulary)
    if "lines" in rules.join:
        elements = joining.join_lines(elements, vocabulary, rules.min_width, hyphens="hyphens" in rules.join)
    metadata = document.metadata
    if rules.characters:
        metadata = replace(metadata, title=characters.normalise(metadata.title))
    return CleanDocument(
        uri=document.uri,
        media_type=document.media_type,
        parser=document.parser,
        elements=tuple(elements),
        units=document.units,
        metadata=metadata,
        removals=tuple(removals),
    )


def _drop_rules(rules: CleaningRules) -> list[DropRule]:
    """The rules switched on: furniture by kind first, so that later rules see neighbours without it."""
    kinds = frozenset(ElementKind(kind) for kind in rules.drop_kinds)

    def of_kind(kind: ElementKind) -> Callable[[Sequence[Element]], Drops]:
        return lambda elements: {index: None for index, element in enumerate(elements) if element.kind is kind}

    own = [
        DropRule(f"drop_lines[{i}]", furniture.matching_lines(re.compile(p))) for i, p in enumerate(rules.drop_lines)
    ]
    return [
        *(DropRule(f"kind:{kind.value}", of_kind(kind)) for kind in ElementKind if kind in kinds),
        *(rule for rule in RULES.values() if rule.name in rules.drop),
        *own,
        DropRule("empty", lambda elements: {i: None for i, element in enumerate(elements) if not _has_text(element)}),
    ]


def _drop(elements: Sequence[Element], rules: Sequence[DropRule]) -> tuple[list[Element], list[Removal]]:
    kept = list(elements)
    removals: list[Removal] = []
    for rule in rules:
        drops = rule.find(kept)
        if not drops:
            continue
        left: list[Element] = []
        for index, element in enumerate(kept):
            if index not in drops:
                left.append(element)
                continue
            rest, taken = _without(element, drops[index])
            removals.append(_removal(rule.name, element, taken))
            if rest is not None:
                left.append(rest)
        kept = left
    return kept, removals


def _without(element: Element, lines: frozenset[int] | None) -> tuple[Element | None, str]:
    """What is left of the element, and the text taken."""
    if lines is None:
        return None, element.text
    parts = element.text.split("\n")
    taken = "\n".join(part for number, part in enumerate(parts) if number in lines)
    rest = "\n".join(part for number, part in enumerate(parts) if number not in lines)
    return replace(element, text=rest), taken


def _removal(rule: str, element: Element, taken: str) -> Removal:
    text_hash = hashlib.sha256(taken.encode("utf-8", "surrogatepass")).hexdigest()
    return Removal(rule=rule, locator=element.locator, text_hash=text_hash, chars=len(taken))


def _least(document: ParsedDocument) -> tuple[list[Element], list[Removal]]:
    """What stays when the rules would take everything: what is not furniture by kind, else the furniture itself.

    Raises: CleaningError where the document has no visible text."""
    visible = [element for element in document.elements if not element.hidden and _has_text(element)]
    kept = [element for element in visible if element.kind not in FURNITURE] or visible
    if not kept:
        raise CleaningError(
            "nothing is left after cleaning: the document has no visible text",
            uri=document.uri,
            elements=len(document.elements),
            hidden=sum(1 for element in document.elements if element.hidden),
        )
    identities = {id(element) for element in kept}
    gone = [element for element in document.elements if id(element) not in identities]
    return kept, [_removal("hidden" if element.hidden else "furniture", element, element.text) for element in gone]


def _has_text(element: Element) -> bool:
    return bool(element.text.strip()) or any(cell.strip() for row in element.rows for cell in row)


def _padded(element: Element) -> Element:
    """A table with rows of one length, so that each cell stands under its header."""
    width = max((len(row) for row in element.rows), default=0)
    if all(len(row) == width for row in element.rows):
        return element
    rows = tuple(row + ("",) * (width - len(row)) for row in element.rows)
    return replace(element, rows=rows, text=table_text(rows))
