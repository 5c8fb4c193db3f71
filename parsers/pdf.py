"""PDF: text and places by PDFium, tables by their rules or the white between; pypdf repairs and quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from typing import Any

from kprep.core.errors import CorruptDocument, NeedsReview, NoText
from kprep.core.ids import content_hash
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
from parsers.comments import FRAGMENT as COMMENT
from parsers.passwords import PASSWORDS, refused
from parsers.pdf_bombs import refuse_bombs
from parsers.pdf_forms import fields_of, with_forms
from parsers.pdf_loops import refuse_loops
from parsers.pdf_notes import MARKUP, SAID_BY, note_text, notes_of, words_of
from parsers.pdf_ocr import REMEDY, is_available, recognise
from parsers.quiet import quiet

NAME = "pdf"
VERSION = 15

_DATE = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([+-])(\d\d)'?(\d\d)?)?")
_SAYS_NOTHING = {"untitled", "anonymous", "unspecified", "(anonymous)", "(unspecified)"}
_LIGATURES = {
    "\ufb00": "ff",
    "\ufb01": "fi",
    "\ufb02": "fl",
    "\ufb03": "ffi",
    "\ufb04": "ffl",
    "\ufb05": "st",
    "\ufb06": "st",
}
_LEFTWARDS = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
"""Letters of scripts that run to the left."""
_TAIL = 4096
_DEEPEST_FIELD = 20
_PASSWORD_FLAG = 1 << 13


def parse(raw: RawDocument) -> ParsedDocument:
    """Elements in reading order with `page` (physical, from 1) and `page_end`; a `SourceUnit` for each page, and, as
    recorded exclusions, for each attached file and each picture of a page with text.

    Running headers, footers, page numbers and watermarks are marked; text the reader does not see is `hidden`. Words of
    a page whose font has no Unicode map are left out and the page's state is `unreadable_font`; single glyphs without
    one are left out as well, and recorded as `glyphs` of the page in that state.
    Pages without text are recognised where the extra `ocr` is installed (`confidence`: mean of the page's words); those
    recognised badly give no text and their state is `needs_review`.
    Raises: EncryptedDocument (no password of `PASSWORDS` opens it), CorruptDocument, TooLarge, NoText, NeedsReview.
    """
    from parsers.pdf_pages import read_pages

    opened = _open(raw.content, raw.uri)
    try:
        with quiet():
            elements, units = read_pages(opened.file, raw.uri)
        metadata = _metadata(opened.file.get_metadata_dict())
    finally:
        opened.file.close()
    _refuse_pictures(elements, units, raw.uri)
    by_ocr = "+rapidocr" if any(element.confidence is not None for element in elements) else ""
    return ParsedDocument(
        uri=raw.uri,
        media_type=raw.media_type,
        parser=f"{NAME}@{VERSION}{opened.repaired_by}{by_ocr}",
        elements=tuple(elements),
        units=tuple(units),
        metadata=metadata,
    )


def quote(content: bytes, locator: Locator) -> str:
    """Text of the pages of the locator as pypdf reads it, ligatures spelled out, pages without text as they are
    recognised; "" for pages the file lacks. Of a file too damaged for pypdf, the text in PDFium's own order; of pages
    with Hebrew or Arabic letters, lines by their places, since pypdf takes words for numbers beside them apart.

    Raises: CorruptDocument, EncryptedDocument.
    """
    if locator.page is None:
        return ""
    pages = range(locator.page - 1, locator.page_end or locator.page)
    read = _text_by_pypdf(content, pages)
    if read is None:
        read = _text_by_pdfium(content, pages)
    leftwards = [index for index, said in zip(pages, read, strict=False) if _LEFTWARDS.search(said)]
    if leftwards:
        read = [*(said for said in read if not _LEFTWARDS.search(said)), *_lines_by_pdfium(content, leftwards)]
    if is_available():
        bare = [index for index, said in zip(pages, read, strict=False) if not any(map(str.isalnum, said))]
        read += _recognised(content, bare)
    text = "\n".join([*_titles(content, pages), *read])
    return "".join(_LIGATURES.get(letter, letter) for letter in text)


def _text_by_pypdf(content: bytes, pages: range) -> list[str] | None:
    """None when pypdf cannot read the file."""
    import io

    import pypdf

    try:
        with quiet():
            reader = pypdf.PdfReader(io.BytesIO(content), strict=False)
            if reader.is_encrypted and not any(map(reader.decrypt, ("", *PASSWORDS.get()))):
                return None  # PDFium will refuse it with the right error
            read = reader.pages[pages.start : pages.stop]
            return ["\n".join((page.extract_text(), *_fields_by_pypdf(page), *_notes_by_pypdf(page))) for page in read]
    except Exception:  # noqa: BLE001 - damaged files make pypdf raise nearly anything
        return None


def _fields_by_pypdf(page: Any) -> list[str]:
    """Labels and values of a page's form fields, each where it is said: at the field or above it."""
    found: list[str] = []
    for widget in page.annotations or ():
        node: Any = widget.get_object()
        said: dict[str, str] = {}
        if node.get("/Subtype") != "/Widget":
            continue
        for _ in range(_DEEPEST_FIELD):
            if int(node.get("/Ff", 0)) & _PASSWORD_FLAG:
                said = {}
                break
            said = {**{key: str(node[key]) for key in ("/TU", "/T", "/V") if key in node}, **said}
            if "/Parent" not in node:
                break
            node = node["/Parent"].get_object()
        found += said.values()
    return found


def _notes_by_pypdf(page: Any) -> list[str]:
    """Notes on a page as they are read."""
    found: list[str] = []
    for annotation in page.annotations or ():
        node = annotation.get_object()
        if str(node.get("/Subtype", ""))[1:] in MARKUP:
            values = {key: str(node.get(f"/{key}", "")) for key in SAID_BY}
            if words_of(values):
                found.append(note_text(values))
    return found


def _recognised(content: bytes, indexes: Sequence[int]) -> list[str]:
    """What is recognised on pages without text, once for all citations of a file."""
    if not indexes:
        return []
    seen = _memory(content_hash(content))
    opened = _open(content, "the document")
    try:
        for index in indexes:
            if index not in seen and index < len(opened.file):
                page = opened.file[index]
                found = recognise(page, *page.get_size())
                seen[index] = "\n".join(line.text for line in found.lines) if found else ""
                page.close()
    finally:
        opened.file.close()
    return [seen.get(index, "") for index in indexes]


@lru_cache(maxsize=64)
def _memory(_: str) -> dict[int, str]:
    """Index of a page -> what was recognised on it, of the file with this hash."""
    return {}


def _titles(content: bytes, pages: range) -> list[str]:
    """Titles of the bookmarks that lead to these pages."""
    from parsers.pdf_outline import outline

    file = _by_pdfium(content, "the document")
    if file is None:
        return []
    try:
        marks = outline(file)
        return [mark.title for index in pages for mark in marks.get(index + 1, {}).values()]
    finally:
        file.close()


def _text_by_pdfium(content: bytes, pages: range) -> list[str]:
    opened = _open(content, "the document")
    try:
        return [_whole(text) for text in _pages(opened.file, [index for index in pages if index < len(opened.file)])]
    finally:
        opened.file.close()


def _lines_by_pdfium(content: bytes, indexes: Sequence[int]) -> list[str]:
    """Lines of each page from top to bottom, then its fields and notes."""
    from parsers.pdf_geometry import geometry
    from parsers.pdf_glyphs import read_glyphs, turned_upright
    from parsers.pdf_lines import pieces, rows_of
    from parsers.pdf_paint import Paint

    opened = _open(content, "the document")
    try:
        with_forms(opened.file)
        texts = []
        for index in indexes:
            page = opened.file[index]
            place = geometry(page)
            groups = turned_upright(read_glyphs(page, place, Paint((), (), 0)), place)
            lines = (line.text for _, group, *_ in groups for line in rows_of(pieces(group)))
            fields, notes = (f.text for f in fields_of(opened.file, page)), (note.text for note in notes_of(page))
            texts.append(_whole("\n".join((*lines, *fields, *notes))))
            page.close()
        return texts
    finally:
        opened.file.close()


def plain_text(raw: RawDocument, numbers: Sequence[int]) -> str:
    """Text of these pages as PDFium gives it, without layout, and at its end a U+FFFD for each glyph without a map.

    Raises: CorruptDocument, EncryptedDocument."""
    opened = _open(raw.content, raw.uri)
    try:
        indexes = [number - 1 for number in numbers]
        return _whole("\n".join([*_pages(opened.file, indexes), *_unmapped(opened.file, indexes)]))
    finally:
        opened.file.close()


def _pages(file: Any, indexes: Sequence[int]) -> list[str]:
    """Text of each page in PDFium's own order, then its fields and notes."""
    with_forms(file)
    texts = []
    for index in indexes:
        page = file[index]
        fields, notes = (f.text for f in fields_of(file, page)), (note.text for note in notes_of(page))
        texts.append("\n".join((page.get_textpage().get_text_range(), *fields, *notes)))
        page.close()
    return texts


def _unmapped(file: Any, indexes: Sequence[int]) -> Iterator[str]:
    """As many U+FFFD as each page has glyphs without a map."""
    from parsers.pdf_bare_codes import UNMAPPED
    from parsers.pdf_glyphs import characters

    for index in indexes:
        page = file[index]
        text_page = page.get_textpage()
        yield "\ufffd" * characters(text_page.raw).count(UNMAPPED)
        text_page.close()
        page.close()


def _whole(text: str) -> str:
    """Words cut at a line's end joined."""
    return re.sub("\ufffe\\s*|\u00ad\\s*", "", text)


@dataclass(frozen=True, slots=True)
class _Opened:
    """A file PDFium has open, its bytes (after a repair the new ones), and who repaired it ("" = nobody)."""

    file: Any
    content: bytes
    repaired_by: str


def _by_pdfium(content: bytes, uri: str) -> Any:
    """The file as PDFium opens it, None when it cannot or finds no page. Raises: EncryptedDocument."""
    import pypdfium2
    import pypdfium2.raw as pdfium

    for password in (None, *PASSWORDS.get()):
        try:
            file = pypdfium2.PdfDocument(content, password=password)
        except pypdfium2.PdfiumError as error:
            if error.err_code == pdfium.FPDF_ERR_PASSWORD:
                continue
            return None
        if len(file):
            return file
        file.close()
        return None
    raise refused(uri, "the PDF")


def _open(content: bytes, uri: str) -> _Opened:
    import pypdfium2

    if b"%%EOF" not in content[-_TAIL:] and b"startxref" not in content[-_TAIL:]:
        raise CorruptDocument(f"{uri}: the PDF is cut off, its end is missing", uri=uri, size=len(content))
    refuse_loops(content, uri)
    refuse_bombs(content, uri)
    file = _by_pdfium(content, uri)
    if file is not None:
        return _Opened(file, content, "")
    repaired = _repair(content, uri)
    try:
        file = pypdfium2.PdfDocument(repaired)
    except pypdfium2.PdfiumError as error:
        raise CorruptDocument(f"{uri}: no reader can open the PDF", uri=uri) from error
    if not len(file):
        raise CorruptDocument(f"{uri}: the PDF has no page", uri=uri)
    return _Opened(file, repaired, "+pypdf_repair")


def _repair(content: bytes, uri: str) -> bytes:
    """The file written anew from the objects pypdf finds in it."""
    import io

    import pypdf

    try:
        out = io.BytesIO()
        with quiet():
            reader = pypdf.PdfReader(io.BytesIO(content), strict=False)
            if reader.is_encrypted:
                any(map(reader.decrypt, ("", *PASSWORDS.get())))
            pypdf.PdfWriter(clone_from=reader).write(out)
    except Exception as error:
        raise CorruptDocument(f"{uri}: the PDF is damaged beyond repair", uri=uri) from error
    return out.getvalue()


def _refuse_pictures(elements: Sequence[Element], units: Sequence[SourceUnit], uri: str) -> None:
    """Raises: NeedsReview for scans that were recognised too badly to use, NoText for those that were not. Notes and
    watermarks alone do not make up for pages that are not read."""
    if any(element.fragment != COMMENT and element.kind is not ElementKind.WATERMARK for element in elements):
        return
    pages = [unit for unit in units if unit.kind == "page"]
    places = [[unit.kind, unit.number, unit.state] for unit in pages[:50]]
    if any(unit.state == "needs_review" for unit in pages):
        raise NeedsReview(f"{uri}: scanned pages were recognised with too little confidence", uri=uri, units=places)
    remedy = "nothing was recognised on them" if is_available() else REMEDY
    mapless = sum(unit.state == "unreadable_font" for unit in pages)
    of_them = f", {mapless} of them for a font that does not say what its signs mean" if mapless else ""
    raise NoText(f"{uri}: {len(pages)} pages without text{of_them}: {remedy}", uri=uri, units=places)


def _metadata(said: Mapping[str, str]) -> DocumentMetadata:
    """What the file says; the fillers of PDF writers say nothing."""
    title, author = (
        "" if said.get(k, "").strip().lower() in _SAYS_NOTHING else said.get(k, "") for k in ("Title", "Author")
    )
    return DocumentMetadata(
        title=title,
        authors=tuple(name.strip() for name in author.split(";") if name.strip()),
        created_at=_moment(said.get("CreationDate", "")),
        modified_at=_moment(said.get("ModDate", "")),
    )


def _moment(text: str) -> datetime | None:
    match = _DATE.match(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(group) if group else None for group in match.groups()[:6])
    zone: timezone = UTC
    if match.group(8):
        offset = timedelta(hours=int(match.group(9)), minutes=int(match.group(10) or 0))
        zone = timezone(offset if match.group(8) == "+" else -offset)
    try:
        return datetime(year or 1, month or 1, day or 1, hour or 0, minute or 0, second or 0, tzinfo=zone)
    except ValueError:
        return None


PARSER = ParserSpec(NAME, VERSION, ("application/pdf",), parse, quote, lambda: {"ocr": is_available()})
