"""What a mail says, as one text: its plain part, else its HTML part as text, each part in its own character set."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes
from email.header import decode_header
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime
from typing import Any

from kprep.core.errors import Recursive
from parsers.decoding import decode
from parsers.typeset import spell_page

_PLAIN = "text/plain"
_HTML = "text/html"
_MAIL = "message/rfc822"
_SEALS = ("application/pgp-", "application/pkcs7-", "application/x-pkcs7-")
_ENCRYPTED = frozenset(("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"))
_LINE_END = re.compile("\r\n|\r|\u2028|\u2029")
_FLOWED_SIGNATURE = "-- "


@dataclass(frozen=True, slots=True)
class Attachment:
    """A part that is no text of the message. `own`: a file sent along, which is a document of its own; pictures shown
    in the text, signatures and what mail systems add are none."""

    name: str
    media_type: str
    content: bytes
    own: bool = True


@dataclass(frozen=True, slots=True)
class Mail:
    """One message. `text`: its decoded body, lines ending in a line feed; `sender` a display name, else an address.

    `identity`: Message-ID without its brackets, "" when it has none; `parents`: those it answers, nearest last.
    """

    identity: str
    parents: tuple[str, ...]
    subject: str
    sender: str
    sent_at: datetime | None
    text: str
    attachments: tuple[Attachment, ...] = ()
    encrypted: bool = False
    broken: str = ""
    """Why it cannot be read; "" of one that can."""


def mail_of(content: bytes, uri: str) -> Mail:
    """One message of a file. Raises: Recursive for parts nested deeper than the library follows."""
    try:
        return read_mail(message_from_bytes(content))
    except RecursionError as error:
        raise Recursive(f"{uri}: its parts are nested too deep to be read", uri=uri) from error


def read_mail(message: Message) -> Mail:
    """A parsed message as a `Mail`. Never raises for a malformed header: what cannot be read stays empty."""
    bodies: list[tuple[str, str]] = []
    attachments: list[Attachment] = []
    for part in _parts(message):
        media_type = part.get_content_type()
        name = decoded_header(part.get_filename() or "")
        inline = part.get_content_disposition() != "attachment" and not name
        if part.get_content_maintype() == "multipart":  # one whose parts cannot be told apart: its text as it stands
            media_type = _PLAIN
        if inline and media_type in (_PLAIN, _HTML):
            bodies.append((media_type, _part_text(part)))
        else:
            attachments.append(Attachment(name, media_type, _payload(part), _is_own(part, name)))
    return Mail(
        identity=_identities(message.get("Message-ID"))[-1] if message.get("Message-ID") else "",
        parents=tuple(dict.fromkeys(_identities(message.get("References")) + _identities(message.get("In-Reply-To")))),
        subject=decoded_header(message.get("Subject")),
        sender=sender_name(decoded_header(message.get("From"))),
        sent_at=sent_at(message.get("Date")),
        text=body_text(bodies),
        attachments=tuple(attachments),
        encrypted=any(part.get_content_type() in _ENCRYPTED for part in message.walk()) and not bodies,
    )


def body_text(bodies: list[tuple[str, str]]) -> str:
    """Text of (media type, text) parts: the plain ones where one says anything, else the HTML ones as text."""
    plain = [text for media_type, text in bodies if media_type == _PLAIN and text.strip()]
    pages = [html_text(text) for media_type, text in bodies if media_type == _HTML]
    return "\n\n".join(_LINE_END.sub("\n", text).replace("\x00", " ") for text in plain or pages).strip("\n")


def _parts(message: Message) -> Iterator[Message]:
    """Leaves in order; a message inside a message is one leaf."""
    parts = message.get_payload()
    if message.get_content_maintype() != "multipart" or not isinstance(parts, list):
        yield message
        return
    for part in parts:
        if isinstance(part, Message):
            yield from _parts(part)


def _is_own(part: Message, name: str) -> bool:
    media_type = part.get_content_type()
    if media_type in _ENCRYPTED or media_type.startswith(_SEALS):
        return False
    disposition = part.get_content_disposition()
    if media_type.startswith("image/") and (part.get("Content-ID") or disposition == "inline"):
        return False
    return bool(name) or disposition == "attachment" or media_type == _MAIL


def _payload(part: Message) -> bytes:
    if part.get_content_type() == _MAIL:
        inner = part.get_payload()
        return (
            b"".join(_written(item) for item in inner if isinstance(item, Message)) if isinstance(inner, list) else b""
        )
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _written(message: Message) -> bytes:
    """A message as bytes again; empty for one so damaged that the library cannot write what it read."""
    try:
        return message.as_bytes()
    except (UnicodeError, LookupError, ValueError, TypeError, AttributeError):
        return b""


def _part_text(part: Message) -> str:
    """Text of a part by its own character set; soft line breaks of `format=flowed` are joined."""
    declared = str(part.get_content_charset() or "")
    content = _payload(part)
    try:
        text = content.decode(declared) if declared and declared not in ("us-ascii", "ascii") else decode(content).text
    except (LookupError, ValueError):  # an unknown name, or none that a name can be
        text = decode(content).text
    text = _LINE_END.sub("\n", text)
    return _unflowed(text) if str(part.get_param("format", "")).lower() == "flowed" else text


def _unflowed(text: str) -> str:
    out: list[str] = []
    joins = False
    for line in text.split("\n"):
        if joins and not line.startswith(">") and not out[-1].startswith(">") and line.strip():
            out[-1] += line
        else:
            out.append(line)
        joins = line.endswith(" ") and line != _FLOWED_SIGNATURE
    return "\n".join(line if line == _FLOWED_SIGNATURE else line.rstrip() for line in out)


def decoded_header(value: Any) -> str:
    """A header as people read it: encoded words decoded, folded lines joined."""
    if not value:
        return ""
    try:
        pieces = decode_header(str(value))
    except (ValueError, LookupError):
        return " ".join(str(value).split())
    out = []
    for piece, charset in pieces:
        if isinstance(piece, str):
            out.append(piece)
            continue
        try:
            out.append(piece.decode(charset) if charset else decode(piece).text)
        except (LookupError, ValueError):  # an unknown name, or none that a name can be
            out.append(decode(piece).text)
    return " ".join("".join(out).split())


def sender_name(value: str) -> str:
    """Display name of the first address in a header, else the address."""
    if "@" not in value:
        return value.strip('" ')
    found = getaddresses([value])
    return (found[0][0] or found[0][1]).strip() if found else ""


def sent_at(value: Any) -> datetime | None:
    """Moment of a Date header, None when it cannot be read; without a zone it is UTC."""
    try:
        moment = parsedate_to_datetime(str(value))
    except (ValueError, TypeError, IndexError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _identities(value: Any) -> list[str]:
    text = str(value or "")
    return re.findall(r"<([^<>\s]+)>", text) or text.split()


_BREAKS = frozenset(
    "address article blockquote body center dd div dl dt fieldset footer form h1 h2 h3 h4 h5 h6 header hr li main ol p "
    "pre section table tr ul".split()
)
_APART = frozenset("p h1 h2 h3 h4 h5 h6 blockquote table ul ol pre dl".split())
_UNSEEN = frozenset("head script style title template".split())
_QUOTES = re.compile(
    r"\b(?:gmail_quote|yahoo_quoted|protonmail_quote|moz-email-headers-table|zmail_extra|tutanota_quote)\b"
)
_RULE = "_" * 32


def html_text(page: str) -> str:
    """Text of an HTML body: a line a block, what stands in quotations behind "> ", a rule as a line of "_"."""
    from lxml import etree, html

    cleaned = re.sub(r"<\?xml[^>]*\?>|[\x00]", " ", page)
    if not cleaned.strip():
        return ""
    try:
        root = html.fromstring(cleaned)
    except (etree.LxmlError, ValueError):
        return re.sub(r"<[^<>]*>", " ", cleaned)
    spell_page(root)
    walk = _HtmlText()
    walk.node(root, 0)
    return walk.text()


class _HtmlText:
    """Collects lines with the depth of quotation they stand in."""

    def __init__(self) -> None:
        self._lines: list[tuple[int, str]] = []
        self._open = False

    def text(self) -> str:
        lines = [("> " * depth + " ".join(line.split())).rstrip() for depth, line in self._lines]
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()

    def node(self, node: Any, depth: int) -> None:
        tag = node.tag if isinstance(node.tag, str) else ""
        if not tag or tag in _UNSEEN:
            return
        style = (node.get("style") or "").replace(" ", "").lower()
        if "display:none" in style:
            return
        inner = depth
        if tag == "blockquote" or _QUOTES.search(f"{node.get('class') or ''} {node.get('id') or ''}"):
            inner = depth if tag != "blockquote" and self._holds_quote(node) else depth + 1
        if tag in _BREAKS:
            self._close(apart=tag in _APART, depth=inner)
        if tag == "hr" or ("border-top:solid" in style):
            self._lines.append((inner, _RULE))
        if tag == "li":
            self._add("- ", inner)
        if tag in ("td", "th") and node.getprevious() is not None:
            self._add(" | ", inner)
        self._add(node.text or "", inner)
        for child in node:
            if child.tag == "br":
                self._close(apart=False, depth=inner, forced=True)
            else:
                self.node(child, inner)
            self._add(child.tail or "", inner)
        if tag in _BREAKS:
            self._close(apart=tag in _APART, depth=inner)

    @staticmethod
    def _holds_quote(node: Any) -> bool:
        """The wrapper of an attribution and its quotation: the quotation inside is marked itself."""
        return node.find(".//blockquote") is not None

    def _add(self, text: str, depth: int) -> None:
        if not text.strip() and not self._open:
            return
        if not self._open:
            self._lines.append((depth, ""))
            self._open = True
        self._lines[-1] = (self._lines[-1][0], self._lines[-1][1] + text)

    def _close(self, *, apart: bool, depth: int, forced: bool = False) -> None:
        if (apart and self._lines and self._lines[-1][1]) or (forced and not self._open):
            self._lines.append((depth, ""))
        self._open = False
