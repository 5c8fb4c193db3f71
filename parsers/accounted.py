"""How much of a document's text reached an element: a figure that is kept with it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from unicodedata import normalize

from kprep.core.models import Locator, ParsedDocument, ParserSpec, RawDocument
from parsers.decoding import decode

_WORD = re.compile(r"[^\W_]+")
_OFFICE_TEXT = re.compile(
    r"(?:word/(?:document|footnotes|endnotes|header\d*|footer\d*)|ppt/(?:slides|notesSlides)/[^/]+|"
    r"content)\.xml$"
)
_INLINE = r"</?(?:a|b|i|em|strong|span|sub|sup|code|u|s|font|small|italic|bold|xref|ext-link)\b[^<>]*>"
_UNSEEN = frozenset("delText instrText f tracked-changes annotation Fallback".split())


def share_reached(raw: RawDocument, document: ParsedDocument, spec: ParserSpec) -> float:
    """Share [0, 1] of the source's letters and digits that reached an element; 1.0 for a source without any.

    Where every element names its characters, exactly: those inside some element's place. Elsewhere by words, each as
    often as it stands: PDF as pypdf reads it, office files by the text nodes of their parts, pages by what lies
    between their tags. Markup, comments and what is a recorded exclusion count on neither side where the reading
    tells them apart; else the figure is too low, never too high for lost words."""
    if document.elements and all(element.locator.char for element in document.elements):
        return _by_characters(raw, document)
    source = Counter(_words(_source_text(raw, spec)))
    said = Counter(_words(_said(document)))
    total = sum(len(word) * count for word, count in source.items())
    found = sum(len(word) * min(count, said[word]) for word, count in source.items())
    return found / total if total else 1.0


def _by_characters(raw: RawDocument, document: ParsedDocument) -> float:
    text = re.sub(r"<!--.*?-->", lambda found: " " * len(found.group()), decode(raw.content).text, flags=re.DOTALL)
    spans = sorted(element.locator.char for element in document.elements if element.locator.char)
    elsewhere = {*_words(str(dict(document.metadata.front_matter))), *_words(document.metadata.title)}
    total = found = end = 0
    for start, stop in [*spans, (len(text), len(text))]:
        left_out = _WORD.findall(text, end, max(start, end))  # between two elements
        inside = sum(map(len, _WORD.findall(text, max(start, end), max(stop, end))))
        total += inside + sum(map(len, left_out))
        found += inside + sum(len(word) for word in left_out if word.casefold() in elsewhere)
        end = max(end, stop)
    return found / total if total else 1.0


def _said(document: ParsedDocument) -> str:
    metadata = document.metadata
    texts = (f"{element.marker} {element.text}" for element in document.elements)
    return "\n".join((*texts, metadata.title, *metadata.authors, str(dict(metadata.front_matter))))


def _words(text: str) -> list[str]:
    return _WORD.findall(normalize("NFKC", text).casefold())


def _source_text(raw: RawDocument, spec: ParserSpec) -> str:
    """The source's text as something other than its parser reads it, where there is such a reading."""
    if raw.content.startswith(b"PK"):
        found = "\n".join(_office_texts(raw))
        if found:
            return found
    if spec.name == "pdf":
        return spec.quote(raw.content, Locator(page=1, page_end=100_000))
    if spec.name in {"html", "xml_text"}:
        return _between_tags(decode(raw.content).text)
    return spec.quote(raw.content, Locator())


def _office_texts(raw: RawDocument) -> Iterator[str]:
    from parsers.archive import Archive
    from parsers.docx_xml import xml_root

    archive = Archive(raw.content, raw.uri)
    for name in archive.names():
        if name.endswith((".xhtml", ".html", ".htm")):
            yield _between_tags(archive.read(name).decode("utf-8", "replace"))
        elif _OFFICE_TEXT.search(name):
            yield _node_texts(xml_root(archive.read(name), name), odf=name == "content.xml")


def _node_texts(root: object, *, odf: bool) -> str:
    """Text of the nodes that hold text."""
    from lxml import etree

    from parsers.docx_xml import local

    pieces: list[str] = []
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, node in walk:
        name = local(node)
        if event == "end":
            pieces.append("\n" if name in {"p", "h", "br", "tab", "note-citation", "note", "s"} else "")
            pieces.append((node.tail or "") if odf else "")
        elif name in _UNSEEN:
            walk.skip_subtree()
        elif odf or name == "t":
            pieces.append(node.text or "")
    return "".join(pieces)


def _between_tags(text: str) -> str:
    """What lies between the tags of a page or of XML; pages kept as text inside XML are read the same way."""
    import html

    flags = re.DOTALL | re.IGNORECASE
    text = re.sub(r"<!--.*?-->|<(script|style|template|head)\b.*?</\1\s*>|<\?.*?\?>", " ", text, flags=flags)
    text = re.sub(r"<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", " ", text, flags=flags)
    for _ in range(2):
        text = html.unescape(re.sub(r"<[^<>]*>", " ", re.sub(_INLINE, "", text, flags=flags)))
    return text
