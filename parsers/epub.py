"""E-books: the chapters of the spine in order, each read as a page; its navigation as the table of contents."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from urllib.parse import unquote

from kprep.core.errors import CorruptDocument, EncryptedDocument
from kprep.core.models import (
    DocumentMetadata,
    Element,
    ElementKind,
    Locator,
    ParsedDocument,
    ParserSpec,
    RawDocument,
    SourceUnit,
)
from parsers import html
from parsers.archive import Archive
from parsers.attachments import ATTACHMENT, PICTURE, RECORDING, by_kind
from parsers.docx_xml import Node, local, xml_root
from parsers.front_matter import moment

NAME = "epub"
VERSION = 9
_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_EMBEDDED = {"image": PICTURE, "audio": RECORDING, "video": RECORDING}
_PAGES = {"application/xhtml+xml", "text/html", "application/x-dtbook+xml"}


@dataclass(frozen=True, slots=True)
class _Book:
    """Spine items as names of members in order, the name of the navigation ("" for none), the package's root,
    (kind, name) of the pictures, the recordings and the pages that no chapter is."""

    archive: Archive
    spine: tuple[str, ...]
    navigation: str
    package: Node
    embedded: tuple[tuple[str, str], ...]


def parse(raw: RawDocument) -> ParsedDocument:
    """Elements chapter after chapter with `anchor` ("text/ch1.xhtml#part-2"; "text/ch1.xhtml#" above the first) and
    `line` in the chapter's file; a `SourceUnit` for each chapter. Pictures, recordings and pages outside the
    reading order are recorded exclusions.

    Raises: TooLarge, EncryptedDocument (protected against copying), CorruptDocument."""
    book = _open(raw.content, raw.uri)
    elements = list(_contents(book)) if book.navigation and book.navigation not in book.spine else []
    units = []
    for number, name in enumerate(book.spine, 1):
        found = list(_chapter(book, name))
        elements.extend(found)
        units.append(SourceUnit("chapter", number, "ok" if found else "no_text", sum(len(e.text) for e in found)))
    return ParsedDocument(
        raw.uri,
        raw.media_type,
        f"{NAME}@{VERSION}",
        tuple(elements),
        (*units, *by_kind(book.embedded)),
        _metadata(book.package),
    )


def quote(content: bytes, locator: Locator) -> str:
    """Words of the lines of the chapter's file; without lines, of the chapter from the anchor on; "" without both."""
    if not locator.anchor:
        return ""
    book = _open(content, "the document")
    name, _, inner = locator.anchor.partition("#")
    page = book.archive.read(name)
    if name == book.navigation and name.endswith(".ncx"):
        return "\n".join(xml_root(page, name).itertext())
    if locator.line is None and not inner:
        return html.quote(page, Locator(line=(1, 10**9)))
    return html.quote(page, replace(locator, anchor=inner or None))


def _chapter(book: _Book, name: str) -> Iterator[Element]:
    raw = RawDocument(name, name, book.archive.read(name), "application/xhtml+xml")
    page = html.read_page(raw, in_book=name != book.navigation)
    for element in page.elements:
        anchor = f"{name}#{element.locator.anchor or ''}"
        kind = ElementKind.TABLE_OF_CONTENTS if name == book.navigation else element.kind
        plain = kind is not element.kind and element.rows
        yield replace(
            element,
            kind=kind,
            rows=() if plain else element.rows,
            header_rows=0 if plain else element.header_rows,
            locator=replace(element.locator, anchor=anchor),
        )


def _contents(book: _Book) -> Iterator[Element]:
    """The navigation where it is no chapter itself: a page, or the older list of labels."""
    if not book.navigation.endswith(".ncx"):
        yield from _chapter(book, book.navigation)
        return
    for node in xml_root(book.archive.read(book.navigation), book.navigation).iter():
        if local(node) == "navLabel" and (text := " ".join("".join(node.itertext()).split())):
            yield Element(ElementKind.TABLE_OF_CONTENTS, text, Locator(anchor=book.navigation))


def _open(content: bytes, uri: str) -> _Book:
    archive = Archive(content, uri)
    container = xml_root(archive.read(_CONTAINER), f"{uri}: {_CONTAINER}")
    name = next((node.get("full-path") or "" for node in container.iter() if local(node) == "rootfile"), "")
    if not name:
        raise CorruptDocument(f"{uri}: {_CONTAINER} names no package of a book", uri=uri)
    package = xml_root(archive.read(name), f"{uri}: the book's package")
    folder = posixpath.dirname(name)
    items = {node.get("id") or "": node for node in package.iter() if local(node) == "item"}
    names = {key: posixpath.normpath(posixpath.join(folder, unquote(i.get("href") or ""))) for key, i in items.items()}
    refs = [node.get("idref") or "" for node in package.iter() if local(node) == "itemref"]
    spine = tuple(names[ref] for ref in refs if ref in items and (items[ref].get("media-type") or "") in _PAGES)
    if not spine:
        raise CorruptDocument(f"{uri}: the book lists no chapter", uri=uri)
    _refuse_protected(archive, spine, uri)
    kinds = {key: _EMBEDDED.get((item.get("media-type") or "").partition("/")[0], "") for key, item in items.items()}
    embedded = [(kind, names[key]) for key, kind in kinds.items() if kind]
    navigation = _navigation(items, names, archive)
    pages = (names[key] for key, item in items.items() if (item.get("media-type") or "") in _PAGES)
    embedded += [(ATTACHMENT, name) for name in pages if name not in {*spine, navigation} and name in archive]
    return _Book(archive, spine, navigation, package, tuple(embedded))


def _navigation(items: Mapping[str, Node], names: Mapping[str, str], archive: Archive) -> str:
    found = [key for key, item in items.items() if "nav" in (item.get("properties") or "").split()]
    found += [key for key, item in items.items() if item.get("media-type") == "application/x-dtbncx+xml"]
    return next((names[key] for key in found if names[key] in archive), "")


def _refuse_protected(archive: Archive, spine: tuple[str, ...], uri: str) -> None:
    """Fonts may be obfuscated; chapters that are encrypted cannot be read."""
    if _ENCRYPTION not in archive:
        return
    root = xml_root(archive.read(_ENCRYPTION), f"{uri}: {_ENCRYPTION}")
    locked = {unquote(node.get("URI") or "") for node in root.iter() if local(node) == "CipherReference"}
    if locked & set(spine):
        raise EncryptedDocument(f"{uri}: the book is protected against copying", uri=uri)


def _metadata(package: Node) -> DocumentMetadata:
    said: dict[str, list[str]] = {}
    for node in package.iter():
        if local(node) in {"title", "creator", "language", "date", "meta"} and (node.text or "").strip():
            said.setdefault(node.get("property") or local(node), []).append((node.text or "").strip())
    return DocumentMetadata(
        title=said.get("title", [""])[0],
        authors=tuple(said.get("creator", [])),
        created_at=moment(said.get("date", [""])[0]),
        modified_at=moment(said.get("dcterms:modified", [""])[0]),
        language=said.get("language", [""])[0],
    )


PARSER = ParserSpec(NAME, VERSION, ("application/epub+zip",), parse, quote)
