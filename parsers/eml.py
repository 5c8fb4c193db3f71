"""One mail as mail programs save it (RFC 5322 and MIME)."""

from __future__ import annotations

import re

from kprep.core.errors import CorruptDocument
from kprep.core.models import Locator, ParsedDocument, ParserSpec, RawDocument
from parsers.mail_attachments import attached_to
from parsers.mail_text import Mail, mail_of
from parsers.mailbox_document import mail_document, quote_mail

NAME = "eml"
VERSION = 7
_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}
_HEADER = re.compile(rb"(?m)^[!-9;-~]{1,70}:")


def parse(raw: RawDocument) -> ParsedDocument:
    """The mail's own words; see `mail_document`. Raises: CorruptDocument (no header), EncryptedDocument."""
    return mail_document(raw, f"{NAME}@{VERSION}", [_mail(raw.content, raw.uri)])


def quote(content: bytes, locator: Locator) -> str:
    """Lines of the decoded body at the locator, read afresh."""
    return quote_mail([_mail(content, "the mail")], locator)


def attached(content: bytes) -> list[tuple[str, bytes]]:
    """Files attached to the mail; see `attached_to`. Raises: CorruptDocument."""
    return attached_to([_mail(content, "the mail")])


def unmarked(content: bytes) -> bytes:
    """The bytes without a byte order mark; a file written as UTF-16 as UTF-8."""
    for mark, encoding in _MARKS.items():
        if content.startswith(mark):
            return content.decode(encoding, "replace").encode("utf-8", "replace")
    return content


def _mail(content: bytes, uri: str) -> Mail:
    content = unmarked(content)
    if not _HEADER.match(content.lstrip()[:1000].split(b"\n", 1)[0] if content.strip() else b""):
        raise CorruptDocument(f"{uri}: no mail: it does not begin with a header such as `From:`", uri=uri)
    return mail_of(content.lstrip(), uri)


PARSER = ParserSpec(NAME, VERSION, ("message/rfc822",), parse, quote, attached=attached)
