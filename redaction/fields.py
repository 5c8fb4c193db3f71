"""Every place of a document where text can stand, in a fixed order: one walk reads and writes them all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest
from typing import Any

from kprep.core.models import CleanDocument, DocumentMetadata, Element, Link, Locator, SourceUnit, table_text

TEXT, ROW, TARGET, AUTHOR = "text", "row", "target", "author"
"""What a field holds: words, words that begin a row below headers, the target of a link, the name of an author."""

Visit = Callable[[str, str, Locator, tuple[str, ...]], str]
"""(text, role, place, labels) -> the text to stand there instead."""

_WHOLE = Locator()
_LONGEST_LABEL = 60
"""Characters of the longest text that is taken for the name of what stands beside, under or after it."""


@dataclass(frozen=True, slots=True)
class Field:
    """One text and where it stands. `role`: TEXT, ROW, TARGET or AUTHOR. `labels`: what may name it without a sign
    between: the header above and the cell before it, the key of front matter, the heading or term before it."""

    text: str
    role: str
    locator: Locator
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Content:
    """The parts of a document that hold text."""

    elements: tuple[Element, ...]
    metadata: DocumentMetadata
    units: tuple[SourceUnit, ...] = ()

    @classmethod
    def of(cls, document: CleanDocument) -> Content:
        return cls(document.elements, document.metadata, document.units)

    def fields(self) -> list[Field]:
        """All texts in the order of the walk."""
        found: list[Field] = []

        def collect(text: str, role: str, locator: Locator, labels: tuple[str, ...]) -> str:
            found.append(Field(text, role, locator, labels))
            return text

        self._walk(collect)
        return found

    def with_texts(self, texts: Iterator[str]) -> Content:
        """The same content with each field's text replaced, taken in the order of `fields`."""
        return self._walk(lambda text, role, locator, labels: next(texts))  # noqa: ARG005

    def pairs(self) -> Iterator[tuple[str, str, Locator]]:
        """What stands as name and value to each other without a sign between: header and cell, neighbouring cells,
        front matter key and value, a heading or term and what follows it."""
        for before, element in pairwise(self.elements):
            for label in _label(before, element):
                yield label, element.text, element.locator
        for element in self.elements:
            headers = element.rows[: element.header_rows or 1]
            for place, row in zip(_row_places(element), element.rows, strict=True):
                for left, right in pairwise(row):
                    yield left, right, place
                for header in headers:
                    for name, cell in zip(header, row, strict=False):
                        yield name, cell, place
        for name, value in _leaves("", self.metadata.front_matter):
            yield name, value, _WHOLE

    def _walk(self, visit: Visit) -> Content:
        metadata = self.metadata
        title = visit(metadata.title, TEXT, _WHOLE, ())
        authors = tuple(visit(author, AUTHOR, _WHOLE, ()) for author in metadata.authors)
        front_matter = _walk_value(metadata.front_matter, visit)
        elements = tuple(
            _walk_element(element, visit, _label(before, element))
            for before, element in zip((None, *self.elements), self.elements, strict=False)
        )
        units = tuple(
            replace(unit, name=visit(unit.name, TEXT, _WHOLE, ())) if unit.name else unit for unit in self.units
        )
        return Content(elements, replace(metadata, title=title, authors=authors, front_matter=front_matter), units)


def _walk_element(element: Element, visit: Visit, labels: tuple[str, ...]) -> Element:
    place = element.locator
    if not (element.marker or element.language or element.rows or element.links):
        text = visit(element.text, TEXT, place, labels)
        return element if text == element.text else replace(element, text=text)
    marker = visit(element.marker, TEXT, place, ()) if element.marker else ""
    language = visit(element.language, TEXT, place, ()) if element.language else ""
    places = _row_places(element)
    rows = tuple(
        tuple(
            visit(
                cell,
                ROW if column == 0 and 0 < element.header_rows <= index and len(row) > 1 else TEXT,
                places[index],
                tuple(name for name in (header, before) if _is_label(name)),
            )
            for column, (cell, header, before) in enumerate(
                zip_longest(row, _headers(element, index)[: len(row)], ("", *row[:-1]), fillvalue="")
            )
        )
        for index, row in enumerate(element.rows)
    )
    text = table_text(rows) if rows else visit(element.text, TEXT, place, labels)
    links = tuple(
        Link(visit(link.text, TEXT, place, ()), visit(link.target, TARGET, place, ())) for link in element.links
    )
    after = (marker, language, rows, text, links)
    if after == (element.marker, element.language, element.rows, element.text, element.links):
        return element
    return replace(element, marker=marker, language=language, rows=rows, text=text, links=links)


def _row_places(element: Element) -> list[Locator]:
    """Where each row of a table stands, as narrow as is known."""
    place, starts = element.locator, element.row_starts
    if len(element.row_places) == len(element.rows):
        return list(element.row_places)
    if not place.line or len(starts) != len(element.rows):
        return [place] * len(element.rows)
    ends = [max(line, after - 1) for (line, _), (after, _) in pairwise(starts)] + [place.line[1]]
    return [
        replace(place, line=(line, end), char=None if place.char is None else (char, place.char[1]))
        for (line, char), end in zip(starts, ends, strict=True)
    ]


def _headers(element: Element, row: int) -> tuple[str, ...]:
    """The header cells above a row of the body, the first row where none is marked; none above a header."""
    rows = element.header_rows or 1
    return element.rows[rows - 1] if rows <= row else ()


def _label(before: Element | None, element: Element) -> tuple[str, ...]:
    """The text of the element before, where it can name a short one: a heading, a term, an item that ends with ":"."""
    if before is None or before.rows or element.rows or len(element.text) > _LONGEST_LABEL:
        return ()
    return (before.text,) if _is_label(before.text) else ()


def _is_label(text: str) -> bool:
    return 0 < len(text) <= _LONGEST_LABEL and text.count(" ") <= 5 and sum(char.isdigit() for char in text) <= 3


def _walk_value(value: Any, visit: Visit, labels: tuple[str, ...] = ()) -> Any:
    if isinstance(value, str):
        return visit(value, TEXT, _WHOLE, labels)
    if isinstance(value, Mapping):
        return {visit(str(key), TEXT, _WHOLE, ()): _walk_value(item, visit, (str(key),)) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_walk_value(item, visit, labels) for item in value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        # A phone or card number reads as a number in YAML; it stays a number unless it must go.
        before = str(value)
        after = visit(before, TEXT, _WHOLE, labels)
        return value if after == before else after
    return value


def _leaves(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _leaves(str(key), item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(name, item)
    elif isinstance(value, str):
        yield name, value
