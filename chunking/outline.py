"""Sections of a document: elements between headings, with heading paths, the very small ones joined but for answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from chunking.budget import Ruler
from chunking.layout import citable_together
from kprep.core.index_text import HEADING_SHARE
from kprep.core.models import ChunkProfile, Element, ElementKind, RedactedDocument

_ALONE = (ElementKind.TABLE, ElementKind.CODE)

TINY = 2
"""A section under `min_tokens` divided by this is tiny: a line or two."""


@dataclass(frozen=True, slots=True)
class Section:
    """Elements of one parent. `heading` is the innermost one, to become a line of the text if sections are joined."""

    heading_path: tuple[str, ...]
    elements: tuple[Element, ...]
    heading: Element | None = None

    @property
    def joined(self) -> bool:
        """Whether this section was made of several."""
        return any(element.kind is ElementKind.HEADING for element in self.elements)


def document_title(document: RedactedDocument) -> str:
    """The title the document gives itself, else its first level-1 heading, else "" (never the file name)."""
    if document.metadata.title.strip():
        return document.metadata.title.strip()
    headings = (e for e in document.elements if e.kind is ElementKind.HEADING and e.level == 1 and e.text.strip())
    return next((_one_line(element.text) for element in headings), "")


def anchors_of(document: RedactedDocument) -> tuple[tuple[str, str], ...]:
    """(anchor, heading or "") of the elements that have one, each anchor once, in order."""
    out: dict[str, str] = {}
    for element in document.elements:
        if element.locator.anchor:
            heading = _one_line(element.text) if element.kind is ElementKind.HEADING else ""
            out.setdefault(element.locator.anchor, heading)
    return tuple(out.items())


def outline(document: RedactedDocument, profile: ChunkProfile, ruler: Ruler) -> list[Section]:
    """Sections in reading order; none is without text. Those with permissions of their own (front matter `sections`)
    are joined with no other."""
    named = document.metadata.front_matter.get("sections")
    apart = frozenset(str(anchor).lstrip("#") for anchor in named) if isinstance(named, dict) else frozenset()
    return _join_small(_sections(document, profile, ruler), profile, ruler, apart)


def _sections(document: RedactedDocument, profile: ChunkProfile, ruler: Ruler) -> list[Section]:
    out: list[Section] = []
    stack: list[Element] = []  # the open headings, outermost first
    waiting: list[Element] = []  # headings that the next heading closed before they had a body
    unread: list[Element] = []  # headings since the last body
    body: list[Element] = []
    for element in _with_text(document, profile, ruler):
        is_heading = element.kind is ElementKind.HEADING
        if body and (is_heading or _unit(body[-1]) != _unit(element)):
            out.append(_section(stack, waiting, body))
            body, waiting = [], []
            if not is_heading and stack and _unit(stack[-1]) != _unit(element):
                stack = stack[:-1]  # a slide without a title does not belong to the slide before
        if not is_heading:
            unread = []
            body.append(element)
            continue
        waiting += [heading for heading in stack if heading.level >= element.level and _among(heading, unread)]
        stack = [*(heading for heading in stack if heading.level < element.level), element]
        unread.append(element)
    if body:
        out.append(_section(stack, waiting, body))
    elif unread:
        out = _with_trailing_headings(out, unread)
    return out


def _with_text(document: RedactedDocument, profile: ChunkProfile, ruler: Ruler) -> Iterator[Element]:
    """Elements that have text. A heading too long for the heading line would be in no indexed text: a paragraph."""
    longest = profile.max_tokens // HEADING_SHARE
    for element in document.elements:
        if not element.text.strip():
            continue
        if element.kind is ElementKind.HEADING and ruler.count(_one_line(element.text)) > longest:
            yield replace(element, kind=ElementKind.PARAGRAPH)
        else:
            yield element


def _among(element: Element, others: list[Element]) -> bool:
    return any(element is other for other in others)


def _with_trailing_headings(sections: list[Section], headings: list[Element]) -> list[Section]:
    """Headings with nothing after them become text of the last section, or of one with an empty path."""
    lines = tuple(replace(heading, kind=ElementKind.PARAGRAPH) for heading in headings)
    if not sections:
        return [Section((), lines)]
    return [*sections[:-1], replace(sections[-1], elements=sections[-1].elements + lines)]


def _section(stack: list[Element], waiting: list[Element], body: list[Element]) -> Section:
    outer, inner = stack[:-1], stack[-1:]
    path = tuple(_one_line(heading.text) for heading in [*outer, *waiting, *inner])
    titled = bool(inner) and _unit(inner[0]) == _unit(body[0])
    return Section(path, tuple(body), inner[0] if titled else None)


def _unit(element: Element) -> tuple[int | None, str | None]:
    """Slide and sheet: a new one begins a section, with or without a heading."""
    return element.locator.slide, element.locator.sheet


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _join_small(sections: list[Section], profile: ChunkProfile, ruler: Ruler, apart: frozenset[str]) -> list[Section]:
    """A tiny section takes in the next tiny ones below the same heading until they are no longer tiny together; one
    that is left over goes to tiny ones before. Any other keeps its heading and its place, however short."""
    smallest = profile.min_tokens // TINY
    out: list[Section] = []
    for section in sections:
        if out and _size(out[-1], ruler) < smallest and _may_join(out[-1], section, profile, ruler, apart):
            out[-1] = _joined(out[-1], section)
        elif (
            len(out) > 1
            and _size(out[-1], ruler) < smallest
            and out[-1].heading
            and _may_join(out[-2], out[-1], profile, ruler, apart)
        ):
            out[-2:] = [_joined(out[-2], out[-1]), section]
        else:
            out.append(section)
    if len(out) > 1 and _size(out[-1], ruler) < smallest and _may_join(out[-2], out[-1], profile, ruler, apart):
        out[-2:] = [_joined(out[-2], out[-1])]
    return out


def _may_join(first: Section, second: Section, profile: ChunkProfile, ruler: Ruler, apart: frozenset[str]) -> bool:
    """Only tiny siblings, up to `target_tokens`: their place is that of the first, their path what they share."""
    headings = [section.heading for section in (first, second) if section.heading]
    if any(heading.locator.anchor in apart or _asks(heading) for heading in headings):
        return False
    if any(element.kind in _ALONE for section in (first, second) for element in section.elements):
        return False  # it is a child of its own anyway, and would lose its heading
    if first.elements[-1].locator.time:  # its headings are times, no words of the recording
        return False
    parent = _parent(first)
    if parent is None or parent != _parent(second):
        return False
    if not citable_together(first.elements[-1].locator, second.elements[0].locator):
        return False
    sizes = [_size(section, ruler) for section in (first, second)]
    if sum(sizes) > min(profile.target_tokens, profile.max_tokens):
        return False
    return all(
        section.joined or size < profile.min_tokens // TINY
        for section, size in zip((first, second), sizes, strict=True)
    )


def _asks(heading: Element) -> bool:
    """Whether a heading is a question, whose answer stays with it alone."""
    return heading.text.rstrip().endswith(("?", "？", "؟"))


def _parent(section: Section) -> tuple[str, ...] | None:
    """Path of the heading the section stands below; None for text that stands below no heading of its own."""
    if section.joined:
        return section.heading_path
    return section.heading_path[:-1] if section.heading else None


def _size(section: Section, ruler: Ruler) -> int:
    return sum(ruler.size(element.text) for element in section.elements)


def _joined(first: Section, second: Section) -> Section:
    parts: list[Element] = []
    for section in (first, second):
        parts += [section.heading] if section.heading and not section.joined else []
        parts += section.elements
    path = first.heading_path if first.joined else first.heading_path[:-1]
    return Section(path, tuple(parts))
