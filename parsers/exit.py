"""The one way out of this room: characters no database, log or model may see are handled here, once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kprep.core.errors import NoText
from kprep.core.models import (
    DocumentMetadata,
    Element,
    ElementKind,
    Link,
    Locator,
    ParsedDocument,
    SourceUnit,
    table_text,
)

_NEWLINES = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_OVERSTRUCK = re.compile(r"([^\n\x08])(?:\x08\1)+|_\x08([^\n\x08])")
"""A sign printed twice on one place, or over a line: bold and underlined words of manual pages."""
_CONTROLS = re.compile(
    r"(?:\x1b\[[0-?]*[ -/]*[@-~]"  # colours and cursor of a terminal
    r"|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)"  # its title, links
    r"|\x1b(?:[()*+#][0-9A-Za-z]|[=>78])"  # its character sets and modes
    r"|[\x00-\x08\x0e-\x1f\x7f-\x9f])+"
)
_UNNOTICED = re.compile(r"(?:\x1b\[[0-9;:]*[mK])+")
"""Colours, and the rest of a line wiped for them: a terminal shows what stands around them in one."""
_SOFT_HYPHEN_AT_LINE_END = re.compile("\u00ad[ \t]*\n[ \t]*")
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNSEEN = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0"  # soft hyphen, joiners and fillers
    "\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # bidi, zero width, annotations
    "\ufdd0-\ufdef\ufffe\uffff\U0001fffe\U0001ffff]"  # noncharacters
)
_JOINERS = re.compile("[\u200c\u200d]")
_TAGS = re.compile("[\U000e0000-\U000e007f]+")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]+")
_MAY_NEED_CARE = re.compile("[^\t\n -~\u00a1-\u00ac\u00ae-\u0233\u0400-\u04ff\u3001-\u3163\u4e00-\u9fff\uff01-\uff9f]")

_JOINING_SCRIPTS = (
    (0x0600, 0x08FF),  # Arabic, Syriac, Thaana, N'Ko, Mandaic
    (0x0900, 0x0DFF),  # Indic
    (0x0F00, 0x109F),  # Tibetan, Myanmar
    (0x1780, 0x18AF),  # Khmer, Mongolian
    (0xA840, 0xA8FF),
    (0xFB50, 0xFDCF),
    (0xFE70, 0xFEFC),
    (0x11000, 0x1193F),
)


def leave(document: ParsedDocument) -> ParsedDocument:
    """The document with every text, cell, link and metadata value cleaned; empty elements are left out.

    Raises: NoText when no element the reader sees holds text. Asserts that every element has a place and that table
    texts are `table_text(rows)`.
    """
    for element in document.elements:
        assert element.locator != Locator(), f"{document.parser}: an element of kind {element.kind} has no place"
        if element.kind is ElementKind.TABLE:
            assert element.text == table_text(element.rows), f"{document.parser}: a table's text is not of its rows"
    cleaned = (_clean_element(element) for element in document.elements)
    elements = tuple(element for element in cleaned if element.text.strip())
    if not any(not element.hidden for element in elements):
        raise NoText(
            f"{document.uri}: the {document.media_type} file opens but holds no visible text",
            uri=document.uri,
            units=[[unit.kind, unit.number, unit.state] for unit in document.units[:50]],
        )
    given = sum(len(element.text) for element in document.elements)
    left = sum(len(element.text) for element in elements) / given
    units = tuple(_clean_unit(unit, left) for unit in document.units)
    return replace(document, elements=elements, units=units, metadata=_clean_metadata(document.metadata))


def _clean_unit(unit: SourceUnit, left: float) -> SourceUnit:
    """`left`: share of the document's characters that is left; what is no text must not count as text that is lost."""
    name = " ".join(clean_text(unit.name).split()) if unit.name else ""
    return replace(unit, name=name, chars=round(unit.chars * left)) if unit.name or left < 1 else unit


def clean_text(text: str) -> str:
    r"""Text with `\n` line ends and without NUL, lone surrogates, terminal codes, bidi and invisible controls.

    Words with a control or terminal code between them stay apart, but for colours: a terminal shows them so.
    Zero-width joiners stay inside the scripts and emoji sequences that are written with them.
    """
    if not _MAY_NEED_CARE.search(text):
        return text
    text = _NEWLINES.sub("\n", text)
    if not _MAY_NEED_CARE.search(text):
        return text
    if _SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    text = _OVERSTRUCK.sub(lambda match: match.group(1) or match.group(2), text)
    text = _CONTROLS.sub(_keep_apart, text)
    text = _SOFT_HYPHEN_AT_LINE_END.sub("", text)
    text = _UNSEEN.sub("", text)
    text = _TAGS.sub(_keep_flag_tags, text)
    text = _SELECTORS.sub(_keep_one_selector, text)
    return _JOINERS.sub(_keep_needed_joiner, text)


def _keep_apart(match: re.Match[str]) -> str:
    """A blank for controls between two words, for colours and any others nothing."""
    if _UNNOTICED.fullmatch(match.group()):
        return ""
    before, after = match.string[match.start() - 1 : match.start()], match.string[match.end() : match.end() + 1]
    return " " if before.isalnum() and after.isalnum() else ""


def _keep_flag_tags(match: re.Match[str]) -> str:
    """Tag characters spell the regional flags after a black flag; anywhere else they smuggle text."""
    before = match.string[match.start() - 1 : match.start()]
    return match.group() if before == "\U0001f3f4" and len(match.group()) <= 8 else ""


def _keep_one_selector(match: re.Match[str]) -> str:
    """One variation selector changes a glyph; a run of them, or one after nothing, smuggles text."""
    before = match.string[match.start() - 1 : match.start()]
    return match.group()[0] if before and not before.isspace() else ""


def _keep_needed_joiner(match: re.Match[str]) -> str:
    before = match.string[match.start() - 1 : match.start()]
    after = match.string[match.end() : match.end() + 1]
    if not before or not after:
        return ""
    if _joins(before) and _joins(after):
        return match.group()
    return match.group() if match.group() == "\u200d" and _pictographic(before) and _pictographic(after) else ""


def _joins(character: str) -> bool:
    code = ord(character)
    return any(first <= code <= last for first, last in _JOINING_SCRIPTS)


def _pictographic(character: str) -> bool:
    code = ord(character)
    return 0x1F000 <= code <= 0x1FAFF or 0x2190 <= code <= 0x2BFF or code == 0xFE0F


def _clean_element(element: Element) -> Element:
    if _is_clean(element):
        return element  # most of them
    rows = tuple(tuple(clean_text(cell) for cell in row) for row in element.rows)
    links = tuple(
        Link(" ".join(clean_text(link.text).split()), clean_text(link.target).strip()) for link in element.links
    )
    anchor = element.locator.anchor
    clean_anchor = clean_text(anchor) or None if anchor else anchor
    return Element(
        element.kind,
        _element_text(element, rows),
        element.locator if anchor == clean_anchor else replace(element.locator, anchor=clean_anchor),
        level=element.level,
        marker=clean_text(element.marker),
        language=clean_text(element.language),
        rows=rows,
        header_rows=element.header_rows,
        links=tuple(link for link in links if link.target),
        hidden=element.hidden,
        confidence=element.confidence,
        fragment=element.fragment,
        row_starts=element.row_starts,
        row_places=element.row_places,
    )


def _is_clean(element: Element) -> bool:
    """Whether nothing of the element needs care: one look at all its characters."""
    parts = [element.text, element.marker, element.language, element.locator.anchor or ""]
    for link in element.links:
        if not link.target or link.target != link.target.strip() or link.text != " ".join(link.text.split()):
            return False
        parts += (link.text, link.target)
    for row in element.rows:
        parts += row
    if element.kind is ElementKind.TABLE:
        trimmed = any(cell.strip() for row in element.rows for cell in row)
    else:
        trimmed = element.kind is ElementKind.CODE or element.text == element.text.strip()
    return trimmed and not _MAY_NEED_CARE.search("".join(parts))


def _element_text(element: Element, rows: tuple[tuple[str, ...], ...]) -> str:
    """Code keeps its white space; a table without a word in it is empty."""
    if element.kind is ElementKind.TABLE:
        return table_text(rows) if any(cell.strip() for row in rows for cell in row) else ""
    text = clean_text(element.text)
    return text if element.kind is ElementKind.CODE else text.strip()


def _clean_metadata(metadata: DocumentMetadata) -> DocumentMetadata:
    return replace(
        metadata,
        title=" ".join(clean_text(metadata.title).split()),
        authors=tuple(" ".join(clean_text(author).split()) for author in metadata.authors if author.strip()),
        language=clean_text(metadata.language).strip(),
        front_matter=_clean_value(metadata.front_matter),
    )


def _clean_value(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, Mapping):
        return {clean_text(str(key)): _clean_value(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean_value(entry) for entry in value]
    return value
