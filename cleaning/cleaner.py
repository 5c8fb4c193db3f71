"""The rules in their order; `clean`, which runs them and records what they take; `explain`, which shows each step."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from cleaning import boilerplate, characters, furniture, joining
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
"""Drop rules by name, in the order they run; after them the rules that need settings: `drop_lines`, `boilerplate`."""
LEAST = "least"
"""The step that takes the place of all drop rules where they leave nothing."""


@dataclass(frozen=True, slots=True)
class Step:
    """What one rule did: the elements before and after it, and what it took."""

    rule: str
    before: tuple[Element, ...]
    after: tuple[Element, ...]
    removals: tuple[Removal, ...] = ()

    def differences(self) -> list[tuple[tuple[Element, ...], tuple[Element, ...]]]:
        """Runs of elements that changed, in order: as they were, and as they are (empty where all were taken)."""
        old, new = ([(element.text, element.rows) for element in side] for side in (self.before, self.after))
        matcher = SequenceMatcher(None, old, new, autojunk=False)
        return [(self.before[i:j], self.after[k:m]) for tag, i, j, k, m in matcher.get_opcodes() if tag != "equal"]


def clean(document: ParsedDocument, rules: CleaningRules) -> CleanDocument:
    """The document without noise; kept elements in their order, every removal recorded.

    Raises: CleaningError where nothing would be left because the document has no visible text.
    """
    elements = document.elements
    removals: list[Removal] = []
    for step in _steps(document, rules):
        elements = step.after
        removals = [] if step.rule == LEAST else removals
        removals += step.removals
    metadata = document.metadata
    if rules.characters:
        metadata = replace(metadata, title=characters.normalise(metadata.title))
    return CleanDocument(
        uri=document.uri,
        media_type=document.media_type,
        parser=document.parser,
        elements=elements,
        units=document.units,
        metadata=metadata,
        removals=tuple(removals),
    )


def explain(document: ParsedDocument, rules: CleaningRules) -> tuple[Step, ...]:
    """The steps of `clean`, in order, that changed something; the last one's `after` is the clean document's body.

    A step named "least" says that the rules before it took everything, and gives back what has to stay.
    Holds unredacted text: for an operator's eyes, never to be stored. Raises: CleaningError as `clean` does.
    """
    return tuple(step for step in _steps(document, rules) if step.before != step.after)


def removed_share(document: CleanDocument) -> float:
    """Share of the document's characters that cleaning took, 0..1; 0 for a document without text."""
    taken = sum(removal.chars for removal in document.removals)
    kept = sum(len(element.text) for element in document.elements)
    return taken / (taken + kept) if taken else 0.0


def _steps(document: ParsedDocument, rules: CleaningRules) -> Iterator[Step]:
    elements = document.elements
    for rule in _drop_rules(rules):
        step = _dropped(elements, rule)
        elements = step.after
        yield step
    if not elements:
        step = _least(document)
        elements = step.after
        yield step
    for name, rewrite in _rewrites(rules):
        step = Step(name, elements, tuple(rewrite(elements)))
        elements = step.after
        yield step


def _rewrites(rules: CleaningRules) -> Iterator[tuple[str, Callable[[Sequence[Element]], Iterable[Element]]]]:
    """The rules that give elements back, in their order."""
    yield "rows", lambda elements: map(_padded, elements)
    if rules.characters:
        yield "characters", _normalised
    if "pages" in rules.join:
        yield "pages", lambda elements: joining.join_pages(elements, Vocabulary.of(elements))
    if "lines" in rules.join:
        hyphens = "hyphens" in rules.join
        yield (
            "lines",
            lambda elements: joining.join_lines(elements, Vocabulary.of(elements), rules.min_width, hyphens),
        )


def _normalised(elements: Sequence[Element]) -> Iterator[Element]:
    words = Vocabulary.of(elements).words
    return (characters.normalise_element(element, words) for element in elements)


def _drop_rules(rules: CleaningRules) -> list[DropRule]:
    """The rules switched on: furniture by kind first, so that later rules see neighbours without it."""
    kinds = frozenset(ElementKind(kind) for kind in rules.drop_kinds)

    def of_kind(kind: ElementKind) -> Callable[[Sequence[Element]], Drops]:
        return lambda elements: {index: None for index, element in enumerate(elements) if element.kind is kind}

    own = [
        DropRule(name := f"drop_lines[{i}]", furniture.matching_lines(name, re.compile(p)))
        for i, p in enumerate(rules.drop_lines)
    ]
    return [
        *(DropRule(f"kind:{kind.value}", of_kind(kind)) for kind in ElementKind if kind in kinds),
        *(rule for rule in RULES.values() if rule.name in rules.drop),
        *own,
        *(
            [DropRule("boilerplate", boilerplate.at_edges(rules.boilerplate_hashes))]
            if "boilerplate" in rules.drop
            else []
        ),
        DropRule("empty", lambda elements: {i: None for i, element in enumerate(elements) if not _has_text(element)}),
    ]


def _dropped(elements: tuple[Element, ...], rule: DropRule) -> Step:
    drops = rule.find(elements)
    if not drops:
        return Step(rule.name, elements, elements)
    removals: list[Removal] = []
    left: list[Element] = []
    for index, element in enumerate(elements):
        if index not in drops:
            left.append(element)
            continue
        rest, taken = _without(element, drops[index])
        removals.append(_removal(rule.name, element, taken))
        if rest is not None:
            left.append(rest)
    return Step(rule.name, elements, tuple(left), tuple(removals))


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


def _least(document: ParsedDocument) -> Step:
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
    removals = [_removal("hidden" if element.hidden else "furniture", element, element.text) for element in gone]
    return Step(LEAST, (), tuple(kept), tuple(removals))


def _has_text(element: Element) -> bool:
    return bool(element.text.strip()) or any(cell.strip() for row in element.rows for cell in row)


def _padded(element: Element) -> Element:
    """A table with rows of one length, so that each cell stands under its header."""
    width = max((len(row) for row in element.rows), default=0)
    if all(len(row) == width for row in element.rows):
        return element
    rows = tuple(row + ("",) * (width - len(row)) for row in element.rows)
    return replace(element, rows=rows, text=table_text(rows))
