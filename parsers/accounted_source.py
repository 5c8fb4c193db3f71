"""A document's text as something other than its parser reads it, where there is such a reading."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kprep.core.models import Locator, ParsedDocument, ParserSpec, RawDocument
from parsers import html, notebook, xml_text

_OFFICE_TEXT = re.compile(
    r"(?:word/(?:document|footnotes|endnotes|comments|header\d*|footer\d*|diagrams/data\d*)|"
    r"ppt/(?:slides|notesSlides|diagrams(?=/data))/[^/]+|"
    r"content)\.xml$"
)
_INLINE = r"</?(?:a|b|i|em|strong|span|sub|sup|code|u|s|font|small|italic|bold|xref|ext-link)\b[^<>]*>"
_MATHS = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_PARTED = frozenset(
    "p h br tab note-citation note s drawing pict rt rubyBase footnoteReference endnoteReference".split()
)
"""Tags that end a word."""
_LEFT_OUT = "script|style|template|head|del|annotation|annotation-xml|mphantom"
"""Tags of pages whose text is none."""
_UNSEEN = frozenset("delText moveFrom instrText f tracked-changes annotation Fallback".split())


def source_text(raw: RawDocument, document: ParsedDocument, spec: ParserSpec) -> str:
    """Text of the source without markup; pages of a PDF that are a recorded exclusion are left out."""
    if raw.content.startswith(b"PK"):
        found = "\n".join(_office_texts(raw, document))
        if found:
            return found
    if spec.name == "pdf":
        from parsers.pdf import plain_text

        return plain_text(raw, [unit.number for unit in document.units if unit.kind == "page" and unit.state == "ok"])
    if spec.name == "html":
        return _between_tags(html.decoded(raw.content, raw.uri))
    if spec.name == "xml_text":
        return _between_tags(xml_text.decoded(raw.content))
    if spec.name == "notebook":
        return notebook.plain_text(raw, {unit.number for unit in document.units if unit.kind == "output"})
    return spec.quote(raw.content, Locator())


def _office_texts(raw: RawDocument, document: ParsedDocument) -> Iterator[str]:
    from parsers.archive import Archive
    from parsers.docx_xml import xml_root

    archive = Archive(raw.content, raw.uri)
    left_out = {unit.name for unit in document.units if unit.state != "ok"}
    for name in archive.names():
        if name in left_out or name.rpartition("/")[2] in left_out:
            continue
        if name.endswith((".xhtml", ".html", ".htm")):
            yield _between_tags(html.decoded(archive.read(name), name))
        elif _OFFICE_TEXT.search(name):
            yield _node_texts(xml_root(archive.read(name), name), odf=name == "content.xml")


def _node_texts(root: object, *, odf: bool) -> str:
    """Text of the nodes that hold text."""
    from lxml import etree

    from parsers.docx_fields import drop_codes
    from parsers.docx_xml import local
    from parsers.omml import symbols

    drop_codes(root)
    pieces: list[str] = []
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, node in walk:
        name = local(node)
        if event == "end":
            pieces.append("\n" if name in _PARTED else "")
            pieces.append((node.tail or "") if odf else "")
        elif name in _UNSEEN:
            walk.skip_subtree()
        elif odf or name == "t":
            pieces.append(node.text or "")
            if node.tag.startswith(_MATHS):
                pieces[-1] = f" {symbols(pieces[-1])} "
    return "".join(pieces)


def _between_tags(text: str) -> str:
    """What lies between the tags of a page or of XML; pages kept as text inside XML are read the same way."""
    from html import unescape

    from parsers.entities import put_in, without_declarations

    flags = re.DOTALL | re.IGNORECASE
    text = without_declarations(put_in(text)[0])
    text = re.sub(
        r"<!--.*?-->|<(script|style|template|head|del|annotation|annotation-xml|mphantom)\b.*?</\1\s*>|<\?.*?\?>",
        " ",
        text,
        flags=flags,
    )
    text = re.sub(r"<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", " ", text, flags=flags)
    for _ in range(2):
        text = unescape(re.sub(r"<[^<>]*>", " ", re.sub(_INLINE, "", text, flags=flags)))
    return text
