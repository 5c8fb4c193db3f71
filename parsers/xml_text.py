"""XML of any vocabulary as text: prose (JATS, DocBook, patents) by sections, data (XBRL and the like) by fields.

Never raw markup: what is no well-formed XML is refused.
"""

from __future__ import annotations

import html
import re
from dataclasses import replace

from kprep.core.errors import CorruptDocument, Recursive
from kprep.core.models import DocumentMetadata, Locator, ParsedDocument, ParserSpec, RawDocument
from parsers.attachments import exclusions
from parsers.decoding import Lines, decode
from parsers.docx_xml import Node, local
from parsers.entities import ENTITY, put_in
from parsers.source_text import document
from parsers.typeset import spell_marks

NAME = "xml_text"
VERSION = 5
MEDIA_TYPES = ("application/xml", "text/xml", "application/jats+xml", "application/docbook+xml")

_TAG = re.compile(r"<[^<>]*>|\A[^<>]*>|<[^<>]*\Z")
_DECLARED = re.compile(rb"""\A<\?xml[^>]+encoding=["']([\w.:-]+)""")
_HIDDEN = re.compile(r"<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", re.DOTALL)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)


def parse(raw: RawDocument) -> ParsedDocument:
    """Elements in document order with `line` and the nearest `anchor` (an id of a section, table, figure) before them.

    Titles are headings by the depth of their sections; fields without prose are paragraphs of `name: value` lines.
    Entities that the file declares as words are put in, others are recorded; no DTD is read. Raises:
    CorruptDocument, Recursive."""
    from parsers.xml_walk import XmlWalk

    written = decoded(raw.content)
    text, left = put_in(written)
    root = tree(raw.content, raw.uri) if text == written else tree(text.encode("utf-8", "replace"), raw.uri, "utf-8")
    metadata = _metadata(root)
    spell_marks(root)
    elements = XmlWalk(root, len(Lines(text))).elements()
    found = document(raw, f"{NAME}@{VERSION}", elements, metadata)
    return replace(found, units=(*found.units, *exclusions(ENTITY, left)))


def quote(content: bytes, locator: Locator) -> str:
    """Words of the source lines without tags, then with the names and attributes of the tags before what is in them,
    then the titles of sections that only their tag names; "" without lines."""
    from parsers.xml_walk import NAMED

    if locator.line is None:
        return ""
    text, _ = put_in(decoded(content))
    start, end = Lines(text).char_span(*locator.line)
    opened = text.rfind("<", 0, start)
    if opened > text.rfind(">", 0, start):
        start = opened
    place = _CDATA.sub(lambda found: html.escape(found.group(1)), _HIDDEN.sub(" ", text[start:end]))
    words = html.unescape(_TAG.sub("", place))
    spaced = html.unescape(_TAG.sub(" ", place))
    inside = html.unescape(_TAG.sub("", html.unescape(words)))
    tags = _TAG.findall(place)
    titles = (NAMED.get(re.sub(r"^<|[\s>/].*$", "", tag, flags=re.DOTALL), "") for tag in tags)
    fields = html.unescape(_TAG.sub(_named, place))
    return "\n".join((words, spaced, inside, fields, *titles))


def _named(tag: re.Match[str]) -> str:
    """A tag as a field says it: its name and attributes, without prefixes of name spaces; nothing for its end."""
    if tag.group().startswith("</"):
        return " "
    return re.sub(r"""[<>/="']|\b[\w.-]+:(?=[\w.-]+(?:\s*=|[\s/>]))""", " ", tag.group())


def tree(content: bytes, uri: str, encoding: str | None = None) -> Node:
    """Root of the file, in `encoding` whatever it says of itself. Entities stay unresolved; nesting and text are within
    libxml2's own limits.

    Raises: CorruptDocument, Recursive."""
    from lxml import etree

    parser = etree.XMLParser(
        encoding=encoding,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(content.lstrip(b"\r\n\t "), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        if "Excessive depth" in str(error):
            raise Recursive(f"{uri}: its tags are nested too deep", uri=uri) from error
        line = getattr(error, "lineno", None) or 1
        raise CorruptDocument(f"{uri}: not well-formed XML in line {line}", uri=uri, line=line) from error


def decoded(content: bytes) -> str:
    """Text in the encoding of the mark, or the one it declares, or UTF-8."""
    found = _DECLARED.match(content)
    return decode(content, found.group(1).decode("ascii") if found else "").text


def _metadata(root: Node) -> DocumentMetadata:
    """The title and language that the root says; authors as JATS and DocBook write them."""
    from parsers.xml_walk import plain

    title = next((plain(node) for node in root.iter() if local(node) in {"article-title", "invention-title"}), "")
    if not title:
        title = next((plain(node) for node in root if local(node) == "title"), "")
    language = next((str(value) for key, value in root.attrib.items() if key.rpartition("}")[2] == "lang"), "")
    return DocumentMetadata(title=title, authors=tuple(_authors(root)), language=language)


def _authors(root: Node) -> list[str]:
    from parsers.xml_walk import plain

    found = []
    for node in root.iter():
        if local(node) == "contrib" and node.get("contrib-type", "author") == "author":
            parts = {local(inner): plain(inner) for inner in node.iter() if local(inner) in {"surname", "given-names"}}
            found.append(" ".join(parts[name] for name in ("given-names", "surname") if name in parts))
    return [name for name in found if name]


PARSER = ParserSpec(NAME, VERSION, MEDIA_TYPES, parse, quote)
