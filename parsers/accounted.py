"""How much of a document's text reached an element: a figure that is kept with it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from html import unescape
from unicodedata import normalize

from kprep.core.models import Element, ParsedDocument, ParserSpec, RawDocument
from parsers.accounted_source import source_text
from parsers.decoding import decode
from parsers.exit import clean_text
from parsers.rst_blocks import HOW

_WORD = re.compile(r"[^\W_]+")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_KEY = r"""(?:(?P<q>["'])[\w$.-]+(?P=q)\s*:|[\w$.-]+\s*:(?=\s|$))"""
"""A key of YAML or JSON; one in quotes needs no space behind its colon."""
_POINTER = r"#/(?:[\w$~%.-]+/)+"
_TAG = r"</?[A-Za-z][^<>]*>"
_MARKUP = {
    "asciidoc": r"^/{4,}\s*\n(?s:.*?)^/{4,}\s*$|^(?:\[.*\]|:!?[\w-]+!?:.*|//.*|[|,:!]={3,}|[a-z]+::\S*\[.*\])\s*$"
    r"|(?<!\S)\d*(?:\.\d+)?[+*](?=[<>^.]*[adehlmsv]?\|)|\(\(\(.*?\)\)\)|\b(?:image|icon):[^\s\[]*(?=\[)|\b[a-z][a-z0-9]*:(?=[^\s\[:]*\[)",
    "markdown": rf"{_TAG}|\]\([^()\s]*|\]\[[^\]]*\]|^\s*\[[^\]]+\]:\s*\S*|\[!\w+\]",
    "rst": rf"^\s*\.\. (?:[\w:+-]+::|_.*$|(?!\[|\||[\w:+-]+::).*$)|^\s+:(?:{HOW}:.*$|[\w-]+:)|^\s*(?:\d+|#)\."
    r"|:[\w:+-]+:(?=`)|<[^<>]+>(?=`)",
    "sql_ddl": r"(?i:\bcomment\b)",
    "openapi": f"{_KEY}|{_POINTER}",
    "json_schema": f"{_KEY}|{_POINTER}",
    "knowledge_entry": _KEY,
    "json_lines": rf"{_KEY}(?:\s*null)?",
    "boxnote": rf'"fileName":\s*"[^"]*"|{_KEY}\s*(?:"(?:[a-z_]+|https?://[^"]*)"|[\d.]+|true|false)?',
    "csv_table": r"\Asep=.",
    "data_dictionary": rf"{_KEY}|\A[^\n]*\n",
}
"""Parser -> what is syntax: options, keys, tags, ways to what is referred to, the names of a table's columns."""

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|[bfnrt])")
_JSON = frozenset(("boxnote", "conversation", "json_lines", "knowledge_entry", "notebook", "yaml_config"))
"""Parsers of texts in which characters are escaped as in JSON."""
_ENTITIES = frozenset(("markdown", "asciidoc"))
"""Those of texts in which they may be named as in HTML."""

_SAYING_ANEW = frozenset(("openapi", "json_schema", "knowledge_entry", "data_dictionary"))
"""Parsers whose elements say in their own order what stands at a place: its words count where some element has them."""

_ROLLING = frozenset(("transcript",))
"""Parsers of captions that say each line again with the next one: each word counts once. Sounds are excluded cues."""
_TURNING = frozenset(("pdf",))
"""Parsers that put the letters of words which run to the left in the order in which they are read."""
_LEFTWARDS = re.compile("[\u0590-\u08ff]")
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
    text, words_said = source_text(raw, document, spec), _words(_said(document))
    if spec.name in _ROLLING:
        text = _SOUND.sub(" ", text)
    words = _words(text)
    if spec.name in _TURNING:
        words, words_said = list(map(_in_any_order, words)), list(map(_in_any_order, words_said))
    said = Counter(words_said)
    source = Counter(set(words) if spec.name in _ROLLING else words)
    unmapped = text.count("\ufffd")  # characters that nothing explains, whatever stands in their place
    total = unmapped + sum(len(word) * count for word, count in source.items())
    missing = source - said
    lost = unmapped + sum(len(word) * count for word, count in missing.items())
    if missing:  # a word the source's reading cuts, or does not, where the parser knows better
        rest = said - source
        joined = "".join(word for word in words_said if word in rest)
        lost -= sum(len(word) * count for word, count in missing.items() if word in joined)
    return 1 - lost / total if total else 1.0


def _by_characters(raw: RawDocument, document: ParsedDocument, parser: str) -> float:
    """By the places of the elements: what stands at one must be said by the elements that lie there, as often."""
    text = _COMMENT.sub(lambda found: " " * len(found.group()), decode(raw.content).text)
    text = _without(text, [unit.char for unit in document.units if unit.char and unit.state != "ok"])
    anywhere = Counter(_words(_said(document) if parser in _SAYING_ANEW else _said_beside(document)))
    total = lost = end = 0
    for start, stop, elements in [*_clusters(document.elements), (len(text), len(text), [])]:
        between = _words(_without_syntax(text[end:start], parser))
        total += sum(map(len, between))
        lost += sum(len(word) for word in between if word not in anywhere)
        source = Counter(_words(_without_syntax(text[start:stop], parser)))
        total += sum(len(word) * count for word, count in source.items())
        if parser in _SAYING_ANEW:
            lost += sum(len(word) * count for word, count in source.items() if word not in anywhere)
        else:
            lost += _missing(source, "\n".join(map(_said_by, elements)), anywhere)
        end = stop
    return 1 - lost / total if total else 1.0


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with blanks in place of what is left out, so that places stay."""
    pieces, at = [], 0
    for start, stop in sorted(spans):
        pieces += [text[at:start], " " * (stop - max(start, at))]
        at = max(at, stop)
    return "".join([*pieces, text[at:]])


def _without_syntax(text: str, parser: str) -> str:
    text = clean_text(text)
    if parser in _JSON:
        text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else " ", text)
    elif parser in _ENTITIES:
        text = unescape(text)
    return _syntax(parser).sub(" ", text)


@cache
def _syntax(parser: str) -> re.Pattern[str]:
    return re.compile(_MARKUP.get(parser, r"(?!)"), re.MULTILINE)


def _missing(source: Counter[str], said: str, anywhere: Counter[str]) -> int:
    """Letters of the words that are not said, as often as they stand, nor kept beside the text. One that is a piece of
    another word is said: markup inside a word parts it."""
    missing = source - Counter(_words(said))
    squashed = "".join(_words(said)) if missing else ""
    return sum(
        len(word) * count
        for word, count in missing.items()
        if word not in anywhere and squashed.count(word) < source[word]
    )


def _clusters(elements: Sequence[Element]) -> Iterator[tuple[int, int, list[Element]]]:
    """Elements at places that overlap, together: where they begin and end in the text, in its order."""
    start = stop = 0
    together: list[Element] = []
    for element in sorted(elements, key=lambda element: element.locator.char or (0, 0)):
        first, last = element.locator.char or (0, 0)
        if together and first >= stop:
            yield start, stop, together
            together = []
        if not together:
            start, stop = first, last
        together.append(element)
        stop = max(stop, last)
    if together:
        yield start, stop, together


def _said_by(element: Element) -> str:
    links = " ".join(f"{link.text} {link.target}" for link in element.links)
    return f"{element.marker} {element.text} {element.language} {element.fragment} {links}"


def _said(document: ParsedDocument) -> str:
    return "\n".join((*(f"{element.marker} {element.text}" for element in document.elements), _said_beside(document)))


def _said_beside(document: ParsedDocument) -> str:
    """What is kept of a document beside the text of its elements, with the names of what was left out."""
    metadata, kinds = document.metadata, dict.fromkeys(f"{e.fragment} {e.language}" for e in document.elements)
    left_out = (unit.name for unit in document.units)
    return "\n".join((metadata.title, *metadata.authors, str(dict(metadata.front_matter)), *kinds, *left_out))


def _in_any_order(word: str) -> str:
    """The letters of a word that runs to the left, sorted; any other as it is."""
    return "".join(sorted(word)) if _LEFTWARDS.search(word) else word


def _words(text: str) -> list[str]:
    return list(_split(normalize("NFKC", text).casefold()))


def _split(text: str) -> Iterator[str]:
    return (found.group() for found in _WORD.finditer(text))
