"""HTML: the whole page in document order; what is navigation, header, footer or cookie notice is kept and named."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from html import escape
from typing import TYPE_CHECKING

from kprep.core.errors import CorruptDocument
from kprep.core.models import (
    DocumentMetadata,
    Locator,
    ParsedDocument,
    ParserSpec,
    RawDocument,
    SourceUnit,
)
from parsers.attachments import ATTACHMENT, PICTURE, RECORDING, by_kind
from parsers.decoding import Lines, decode_document
from parsers.entities import ENTITY, put_in, without_declarations
from parsers.front_matter import moment
from parsers.html_depth import bounded
from parsers.typeset import DELETION, accept_deletions, spell_page

if TYPE_CHECKING:
    from lxml.html import HtmlElement

NAME = "html"
VERSION = 12

_EMBEDDED = {
    "img": PICTURE,
    "audio": RECORDING,
    "video": RECORDING,
    **dict.fromkeys(("object", "embed", "iframe"), ATTACHMENT),
}
_AUTHOR = ("author", "article:author", "dc.creator", "dcterms.creator", "citation_author")
_CREATED = ("article:published_time", "datepublished", "dc.date", "dcterms.created", "date", "citation_date")
_MODIFIED = ("article:modified_time", "datemodified", "last-modified", "dcterms.modified", "og:updated_time")
_SCRIPTS = re.compile(r"<(script|style|template)\b.*?(?:</\1\s*>|$)", re.IGNORECASE | re.DOTALL)
_COMMENTS = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)
_CDATA = "<![CDATA["
_NO_MARKUP = re.compile(r"<!--|<(script|style)\b|<!\[CDATA\[", re.IGNORECASE)
"""What begins comments, scripts and styles, in which nothing else begins, and sections of text without markup."""
_ENDS = {
    "": re.compile("-->"),
    "script": re.compile(r"</script\s*>", re.IGNORECASE),
    "style": re.compile(r"</style\s*>", re.IGNORECASE),
    _CDATA: re.compile(r"\]\]>"),
}
_TAG_START = re.compile(r"</?[A-Za-z]")
_PAGE_END = re.compile(r"</html\s*>", re.IGNORECASE)
_CUT_TAGS = re.compile(r"\A[^<>]*>|<[^<>]*\Z")


def parse(raw: RawDocument) -> ParsedDocument:
    """Elements in document order with `line` (of the source) and the nearest `anchor` before them. Pictures,
    recordings, embedded pages and what was deleted (`<del>`) are recorded exclusions; powers, marks of notes and
    formulas are in signs (`typeset`).

    Raises: WrongEncoding, CorruptDocument when no tree can be made of the bytes at all.
    """
    return read_page(raw)


def read_page(raw: RawDocument, *, in_book: bool = False) -> ParsedDocument:
    """As `parse`; `in_book`: a chapter, without the header, footer and sidebar of a site."""
    from parsers.html_walk import Walk

    text, left = put_in(decoded(raw.content, raw.uri))
    root = _tree(text, raw.uri)
    elements = Walk(root, len(Lines(text)), in_book=in_book).elements() if root is not None else []
    whole = SourceUnit("file", 1, "ok" if elements else "no_text", sum(len(e.text) for e in elements))
    excluded = [*(_embedded(root) if root is not None else ()), *((ENTITY, name) for name in left)]
    return ParsedDocument(
        uri=raw.uri,
        media_type=raw.media_type,
        parser=f"{NAME}@{VERSION}",
        elements=tuple(elements),
        units=(whole, *by_kind(excluded)),
        metadata=_metadata(root) if root is not None else DocumentMetadata(),
    )


def quote(content: bytes, locator: Locator) -> str:
    """Words of the source lines of the locator without tags; without lines, of the section from its anchor on."""
    text, _ = put_in(decoded(content, "the document"))
    if locator.line is None and locator.anchor:
        start = re.search(rf"""\b(?:id|name)\s*=\s*["']?{re.escape(locator.anchor)}["'\s>]""", text)
        place = text[start.start() :] if start else ""
    elif locator.line:
        place = _whole_tags(text, *Lines(text).char_span(*locator.line))
    else:
        return ""
    root = _tree(_CUT_TAGS.sub(" ", _COMMENTS.sub("", _SCRIPTS.sub("", place))), "quoted lines")
    if root is None:
        return ""
    for node in root.iter("img", "input"):  # their words stand where they do, amid a sentence
        node.tail = f"{node.get('alt' if node.tag == 'img' else 'value', '')}\n{node.tail or ''}"
    return "\n".join(root.itertext())


def _whole_tags(text: str, start: int, end: int) -> str:
    """The characters [start, end) and the rest of the tags they cut: libxml2 gives a tag the line of its last sign."""
    opened = text.rfind("<", 0, start)
    if opened > text.rfind(">", 0, start) and _TAG_START.match(text, opened):
        start = opened
    opened = text.rfind("<", start, end)
    if opened > text.rfind(">", start, end) and _TAG_START.match(text, opened):
        end = text.find(">", end) + 1 or end
    return text[start:end]


def decoded(content: bytes, uri: str) -> str:
    """The page with its CDATA sections written as the text they hold, on the same lines. Raises: WrongEncoding."""
    return _without_sections(decode_document(content, uri).text)


def _without_sections(text: str) -> str:
    """The text with what CDATA sections hold written as markup writes it. What is not closed stays as it is."""
    if _CDATA not in text:
        return text
    parts: list[str] = []
    at = 0
    while found := _NO_MARKUP.search(text, at):
        is_section = found[0].upper() == _CDATA
        end = _ENDS[_CDATA if is_section else (found[1] or "").lower()].search(text, found.end())
        if end is None:
            break
        inside = escape(text[found.end() : end.start()]) if is_section else text[found.start() : end.end()]
        parts += (text[at : found.start()], inside)
        at = end.end()
    return "".join((*parts, text[at:]))


def _tree(text: str, uri: str) -> HtmlElement | None:
    """The tree of a page, None for a page without any node. No network, no entities but the named ones of HTML.

    Like a browser it reads on after the end of the page; declarations of a document type are nothing to read."""
    from lxml import etree, html

    text = without_declarations(text.replace("\0", " "))
    source = bounded(_PAGE_END.sub(_blank, text)).encode("utf-8", "replace")
    if not source.strip():
        return None
    parser = html.HTMLParser(encoding="utf-8", no_network=True, huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        root = html.document_fromstring(source, parser=parser)
    except etree.ParserError:
        return None  # nothing but comments
    except (etree.LxmlError, ValueError) as error:
        raise CorruptDocument(f"{uri}: no HTML tree can be made of the file", uri=uri) from error
    accept_deletions(root)
    spell_page(root)
    return root


def _blank(found: re.Match[str]) -> str:
    return " " + "\n" * found[0].count("\n")


def _embedded(root: HtmlElement) -> Iterator[tuple[str, str]]:
    """(kind, address) of what the page shows from elsewhere, each address once, and of what was deleted from it;
    counting pixels are nothing shown."""
    seen: set[str] = set()
    for node in root.iter(*_EMBEDDED):
        inner = next(node.iter("source"), node) if node.tag in {"audio", "video"} else node
        address = next((node.get(key) or inner.get(key) for key in ("src", "data", "data-src") if inner.get(key)), "")
        if address not in {"", *seen} and not {node.get("width"), node.get("height")} & {"0", "1"}:
            seen.add(address)
            yield _EMBEDDED[node.tag], address
    yield from ((DELETION, "") for node in root.iter("del") if not (node.text or len(node)))


def _metadata(root: HtmlElement) -> DocumentMetadata:
    title = next((node.text_content() for node in root.iter("title") if _in_head(node)), "")
    named: dict[str, list[str]] = {}
    for meta in root.iter("meta"):
        name = (
            meta.get("name") or meta.get("property") or meta.get("itemprop") or meta.get("http-equiv") or ""
        ).lower()
        if name and meta.get("content"):
            named.setdefault(name, []).append(meta.get("content").strip())
    authors = next((named[name] for name in _AUTHOR if name in named), [])
    if not title:
        title = next((named[name][0] for name in ("og:title", "twitter:title") if name in named), "")
    return replace(
        DocumentMetadata(),
        title=" ".join(title.split()),
        authors=tuple(authors),
        created_at=_first_moment(named, _CREATED),
        modified_at=_first_moment(named, _MODIFIED),
        language=(root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or "").strip(),
    )


def _in_head(title: HtmlElement) -> bool:
    """Not the title of a drawing."""
    return all(parent.tag != "svg" for parent in title.iterancestors())


def _first_moment(named: dict[str, list[str]], names: tuple[str, ...]) -> datetime | None:
    return next((found for name in names for value in named.get(name, []) if (found := moment(value))), None)


PARSER = ParserSpec(NAME, VERSION, ("text/html", "application/xhtml+xml"), parse, quote)
