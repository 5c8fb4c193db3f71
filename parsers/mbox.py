"""A mailbox: many messages in one file, each after a line that begins with "From "."""

from __future__ import annotations

import re

from kprep.core.errors import CorruptDocument, Recursive, TooLarge
from kprep.core.models import Locator, ParsedDocument, ParserSpec, RawDocument
from parsers.eml import unmarked
from parsers.mail_attachments import attached_to
from parsers.mail_text import Mail, mail_of
from parsers.mailbox_document import mail_document, quote_mail

NAME = "mbox"
VERSION = 8
MAX_MESSAGES = 20_000
_BEGIN = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\r\n]*\r?\n(?=[!-9;-~]{1,70}:)")
_ESCAPED = re.compile(rb"(?m)^>(>*From )")


def parse(raw: RawDocument) -> ParsedDocument:
    """A section a thread, below it one a message; see `mail_document`.

    Raises: CorruptDocument (no message in it, or none that can be read), TooLarge (more than `MAX_MESSAGES`),
    EncryptedDocument.
    """
    return mail_document(raw, f"{NAME}@{VERSION}", _mails(raw.content, raw.uri))


def quote(content: bytes, locator: Locator) -> str:
    """Lines of a message's decoded body at the locator, read afresh."""
    return quote_mail(_mails(content, "the mailbox"), locator)


def attached(content: bytes) -> list[tuple[str, bytes]]:
    """Files attached to the messages; see `attached_to`. Raises: CorruptDocument, TooLarge."""
    return attached_to(_mails(content, "the mailbox"))


def _mails(content: bytes, uri: str) -> list[Mail]:
    content = unmarked(content)
    begins = list(_BEGIN.finditer(content))
    if not begins:
        raise CorruptDocument(f"{uri}: no mailbox: no line `From ...` followed by a header", uri=uri)
    if len(begins) > MAX_MESSAGES:
        raise TooLarge(f"{uri}: {len(begins)} messages, at most {MAX_MESSAGES} are read: split it", uri=uri)
    ends = [match.start() for match in begins[1:]] + [len(content)]
    return [
        _mail(_ESCAPED.sub(rb"\1", content[match.end() : end]), number)
        for number, (match, end) in enumerate(zip(begins, ends, strict=True), 1)
    ]


def _mail(content: bytes, number: int) -> Mail:
    try:
        return mail_of(content, f"message {number}")
    except Recursive as error:
        return Mail("", (), "", "", None, "", broken=error.message)


PARSER = ParserSpec(NAME, VERSION, ("application/mbox",), parse, quote, attached=attached)
