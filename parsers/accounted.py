"""How much of a document's text reached an element: a figure that is kept with it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from unicodedata import normalize

from kprep.core.models import ParsedDocument, ParserSpec, RawDocument
from parsers.accounted_source import source_text
from parsers.decoding import decode

_WORD = re.compile(r"[^\W_]+")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_KEY = r"""(?:(?P<q>["'])[\w$.-]+(?P=q)\s*:|[\w$.-]+\s*:(?=\s|$))"""
"""A key of YAML or JSON; one in quotes needs no space behind its colon."""
_POINTER = r"#/(?:[\w$~%.-]+/)+"
_MARKUP = {
    "asciidoc": r"^/{4,}\s*\n(?s:.*?)^/{4,}\s*$|^(?:\[.*\]|:!?[\w-]+!?:.*|//.*|\|===|[a-z]+::\S*\[.*\])\s*$",
    "rst": r"^\s*\.\. .*$|^\s+:[\w-]+:.*$|^\s*(?:\d+|#)\.",
    "openapi": f"{_KEY}|{_POINTER}",
    "json_schema": f"{_KEY}|{_POINTER}",
    "knowledge_entry": _KEY,
    "boxnote": rf'{_KEY}\s*(?:"[a-z_]+"|[\d.]+|true|false)?',
    "csv_table": r"\Asep=.",
    "data_dictionary": rf"{_KEY}|\A[^\n]*\n",
}
"""Parser -> what is syntax where it stands between two elements: options, keys, ways to what is referred
to, the names of a table's columns."""

_SAYING_ANEW = frozenset(("openapi", "json_schema", "knowledge_entry", "data_dictionary"))
"""Parsers whose elements say in their own order what stands at a place: its words count where some element has them."""

_ROLLING = frozenset(("transcript",))
"""Parsers of captions that say each line again with the next one: each word counts once. Sounds are excluded cues."""
_SOUND = re.compile("\\[[^\\]\\n]*\\]|\\([^)\\n]*\\)|\u266a[^\u266a\\n]*\u266a?")


def share_reached(raw: RawDocument, document: ParsedDocument, spec: ParserSpec) -> float:
    """Share [0, 1] of the source's letters and digits that reached an element; 1.0 for a source without any.

    Where every element names its characters, exactly: those inside some element's place. Elsewhere by words, each as
    often as it stands: PDF as PDFium's own text (pages that are a recorded exclusion apart), office files by the text
    nodes of their parts, pages by what lies between their tags. Markup, comments and what is a recorded exclusion count
    on neither side where the reading tells them apart; else the figure is too low, never too high for lost words."""
    if spec.name == "recording":
        return 1.0  # it has no letters, and hearing it a second time would cost as much as the first
    if all(element.locator.char for element in document.elements):
        return _by_characters(raw, document, spec.name)
    text, said = source_text(raw, document, spec), Counter(_words(_said(document)))
    if spec.name in _ROLLING:
        text = _SOUND.sub(" ", text)
    words = _words(text)
    source = Counter(set(words) if spec.name in _ROLLING else words)
    unmapped = text.count("\ufffd")  # characters that nothing explains, whatever stands in their place
    total = unmapped + sum(len(word) * count for word, count in source.items())
    missing = source - said
    lost = unmapped + sum(len(word) * count for word, count in missing.items())
    if missing:  # a word the source's reading cuts, or does not, where the parser knows better
        rest = said - source
        joined = "".join(word for word in _words(_said(document)) if word in rest)
        lost -= sum(len(word) * count for word, count in missing.items() if word in joined)
    return 1 - lost / total if total else 1.0


def _by_characters(raw: RawDocument, document: ParsedDocument, parser: str) -> float:
    text = _COMMENT.sub(lambda found: " " * len(found.group()), decode(raw.content).text)
    spans = sorted(element.locator.char for element in document.elements if element.locator.char)
    elsewhere = set(_words(_said(document) if parser in _SAYING_ANEW else _said_beside(document)))
    markup = re.compile(_MARKUP.get(parser, r"(?!)"), re.MULTILINE)
    total = found = end = 0
    for start, stop in [*spans, (len(text), len(text))]:
        if start > end:  # between two elements
            left_out = _WORD.findall(markup.sub(" ", text[end:start]))
            total += sum(map(len, left_out))
            found += sum(len(word) for word in left_out if word.casefold() in elsewhere)
        inside = text[max(start, end) : max(stop, end)]
        words = _WORD.findall(markup.sub(" ", inside) if parser in _SAYING_ANEW else inside)
        total += sum(map(len, words))
        found += sum(len(word) for word in words if parser not in _SAYING_ANEW or word.casefold() in elsewhere)
        end = max(end, stop)
    return found / total if total else 1.0


def _said(document: ParsedDocument) -> str:
    return "\n".join((*(f"{element.marker} {element.text}" for element in document.elements), _said_beside(document)))


def _said_beside(document: ParsedDocument) -> str:
    """What is kept of a document beside the text of its elements."""
    metadata, kinds = document.metadata, dict.fromkeys(f"{e.fragment} {e.language}" for e in document.elements)
    return "\n".join((metadata.title, *metadata.authors, str(dict(metadata.front_matter)), *kinds))


def _words(text: str) -> list[str]:
    return list(_split(normalize("NFKC", text).casefold()))


def _split(text: str) -> Iterator[str]:
    return (found.group() for found in _WORD.finditer(text))
