"""Files that stand for a part of a Word document's text (`altChunk`): pages, Rich Text and plain text."""

from __future__ import annotations

import email
from email import policy

from kprep.core.errors import UnsupportedFormat
from kprep.core.models import ParsedDocument, RawDocument
from parsers import html, rtf, text_plain
from parsers.media_type import DOCX, detect

_READ = {
    "text/html": html.read_page,
    "application/xhtml+xml": html.read_page,
    "application/rtf": rtf.parse,
    "text/plain": text_plain.parse,
}


def inserted(name: str, content: bytes) -> ParsedDocument:
    """What Word would show in place of the part of that name. Raises: a ParseError, UnsupportedFormat for a file of a
    kind that is not read in place."""
    kind = detect(name, content)
    if kind == "message/rfc822" or (kind == "text/plain" and name.lower().endswith((".mht", ".mhtml"))):
        kind, content = "text/html", _page_of(content)
    if kind not in _READ:
        raise UnsupportedFormat(f"{name}: a part of the text is {kind}, which is not read in place", media_type=kind)
    return _READ[kind](RawDocument(name, name, content, kind))


def is_word(name: str, content: bytes) -> bool:
    """Whether the part is a Word document itself."""
    return detect(name, content) == DOCX


def _page_of(content: bytes) -> bytes:
    """The page in a file of a page and its pictures (MHTML), in UTF-8; nothing where there is none."""
    message = email.message_from_bytes(content, policy=policy.default)
    page = next((part for part in message.walk() if part.get_content_type() == "text/html"), None)
    if page is None:
        return b""
    payload = page.get_payload(decode=True)
    body = payload if isinstance(payload, bytes) else b""
    charset = page.get_content_charset()
    try:
        return body.decode(charset).encode("utf-8-sig") if charset else body
    except (LookupError, UnicodeError):
        return body
