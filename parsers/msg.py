"""One mail as Outlook saves it (.msg)."""

from __future__ import annotations

import io
from email.message import Message as HeaderOnly
from typing import Any

from kprep.core.errors import CorruptDocument, NoText
from kprep.core.models import Locator, ParsedDocument, ParserSpec, RawDocument
from parsers.mail_attachments import attached_to
from parsers.mail_text import Attachment, Mail, body_text, read_mail, sender_name
from parsers.mailbox_document import mail_document, quote_mail

NAME = "msg"
VERSION = 6
_CONTENT_ID = 0x3712
"""Property of a picture that the text shows."""


def parse(raw: RawDocument) -> ParsedDocument:
    """The mail's own words; see `mail_document`. Raises: CorruptDocument, NoText (no message: a note, a contact)."""
    return mail_document(raw, f"{NAME}@{VERSION}", [_mail(raw.content, raw.uri)])


def quote(content: bytes, locator: Locator) -> str:
    """Lines of the body at the locator, read afresh. Raises: CorruptDocument."""
    return quote_mail([_mail(content, "the message")], locator)


def attached(content: bytes) -> list[tuple[str, bytes]]:
    """Files attached to the mail; see `attached_to`. Raises: CorruptDocument, NoText."""
    return attached_to([_mail(content, "the message")])


def _mail(content: bytes, uri: str) -> Mail:
    from oxmsg import Message

    try:
        message = Message.load(io.BytesIO(content))
        kind, mail = message.message_class, _read(message)
    except Exception as error:  # the library raises whatever its structures run into
        raise CorruptDocument(f"{uri}: not a readable Outlook message ({type(error).__name__})", uri=uri) from error
    if not kind.upper().startswith(("IPM.NOTE", "REPORT", "IPM.SCHEDULE")):
        raise NoText(f"{uri}: an Outlook item of class {kind or '?'}, not a message", uri=uri)
    return mail


def _read(message: Any) -> Mail:
    headers = HeaderOnly()
    for name in ("Message-ID", "References", "In-Reply-To"):
        value = next((value for key, value in message.message_headers.items() if key.lower() == name.lower()), "")
        if value:
            headers[name] = value
    ids = read_mail(headers)
    bodies = [("text/plain", message.body or "")]
    if not bodies[0][1].strip():
        bodies.append(("text/html", message.html_body or ""))
    return Mail(
        identity=ids.identity,
        parents=ids.parents,
        subject=" ".join(message.subject.split()),
        sender=sender_name(message.sender or ""),
        sent_at=message.sent_date,
        text=body_text(bodies),
        attachments=tuple(_attachment(item) for item in message.attachments),
        encrypted="SMIME" in message.message_class.upper() and not any(text.strip() for _, text in bodies),
    )


def _attachment(item: Any) -> Attachment:
    """An attached file; an Outlook item inside the item has no bytes of its own, and is none."""
    media_type = item.mime_type
    shown = media_type.startswith("image/") and item.properties.str_prop_value(_CONTENT_ID)
    content = item.file_bytes
    return Attachment(item.file_name or "", media_type, content or b"", own=content is not None and not shown)


PARSER = ParserSpec(NAME, VERSION, ("application/vnd.ms-outlook",), parse, quote, attached=attached)
