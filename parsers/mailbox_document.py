"""Messages as one document: a section a thread, below it a section a message, each sentence once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from kprep.core.errors import EncryptedDocument, Recursive
from kprep.core.models import (
    DocumentMetadata,
    Element,
    ElementKind,
    Locator,
    ParsedDocument,
    RawDocument,
    SourceUnit,
)
from parsers.attachments import ATTACHMENT, exclusions
from parsers.broken import BROKEN
from parsers.mail_quotes import OWN, QUOTED, label_lines
from parsers.mail_text import Mail

_REPLY = re.compile(
    r"(?i)^\s*(?:(?:re|aw|sv|antw|vá|odp|rif|res|fwd?|wg|tr|回复|答复|转发)\s*(?:\[\d+\])?\s*[:：]\s*)+"
)
_ITEM = re.compile(r"^\s*([-*•]|\d{1,3}[.)])\s+(?=\S)")
_WORD = re.compile(r"\w+")
_EARLIEST = datetime.min.replace(tzinfo=UTC)
REPEATED_FROM = 4
"""Words from which a paragraph that stands in an earlier message of its thread is a quotation without marks."""


@dataclass(slots=True)
class _Thread:
    """Messages (number in the file from 1, mail) in the order they were written."""

    messages: list[tuple[int, Mail]] = field(default_factory=list)

    @property
    def subject(self) -> str:
        return next((plain_subject(mail.subject) for _, mail in self.messages if mail.subject), "")


def mail_document(raw: RawDocument, parser: str, mails: Sequence[Mail]) -> ParsedDocument:
    """The document of these messages, which stand in the file in this order.

    Locators: `message` (number in the file, from 1) and `line` of its decoded text. Units: "message" with state "ok",
    "no_text", "duplicate" (the same message again), "broken" or "encrypted", and "attachment" with state "ok" (a
    document of its own) or "not_extracted".
    Raises: EncryptedDocument when every message is encrypted, Recursive when none can be read.
    """
    if mails and all(mail.broken for mail in mails):
        raise Recursive(f"{raw.uri}: {mails[0].broken}", uri=raw.uri)
    if mails and all(mail.encrypted for mail in mails):
        raise EncryptedDocument(f"{raw.uri}: the message is encrypted: store it decrypted", uri=raw.uri)
    elements: list[Element] = []
    states = ["no_text"] * len(mails)
    for number in doubled(mails):
        states[number - 1] = "duplicate"
    for number in (number for number, mail in enumerate(mails, 1) if mail.broken):
        states[number - 1] = BROKEN
    wanted = [(number, mail) for number, mail in enumerate(mails, 1) if states[number - 1] == "no_text"]
    threads = in_threads(wanted)
    for thread in threads:
        number = thread.messages[0][0]
        if thread.subject:
            elements.append(_heading(thread.subject, number, 1))
        said: set[str] = set()
        for number, mail in thread.messages:
            made = message_elements(number, mail, said)
            states[number - 1] = "encrypted" if mail.encrypted else "ok" if made else "no_text"
            title = " · ".join(part for part in (mail.sender, _moment(mail.sent_at)) if part)
            if made and title:
                elements.append(_heading(title, number, 2 if thread.subject else 1))
            elements += made
    units = [SourceUnit("message", n, states[n - 1], len(mail.text), mail.broken) for n, mail in enumerate(mails, 1)]
    files = [item for mail in mails for item in mail.attachments]
    named = exclusions(ATTACHMENT, (item.name for item in files))
    units += [replace(unit, state="ok") if item.own else unit for unit, item in zip(named, files, strict=True)]
    return ParsedDocument(raw.uri, raw.media_type, parser, tuple(elements), tuple(units), _metadata(threads))


def quote_mail(mails: Sequence[Mail], locator: Locator) -> str:
    """Lines of a message's text at the place; without lines the message with its subject and sender."""
    number = int(locator.message) if locator.message and locator.message.isdigit() else 0
    if not 1 <= number <= len(mails):
        return "" if locator.message else "\n\n".join(f"{mail.subject}\n{mail.text}" for mail in mails)
    mail = mails[number - 1]
    if locator.line is None:
        return f"{mail.subject}\n{mail.sender}\n{_moment(mail.sent_at)}\n{mail.text}"
    return "\n".join(mail.text.split("\n")[locator.line[0] - 1 : locator.line[1]])


def message_elements(number: int, mail: Mail, said: set[str]) -> list[Element]:
    """Paragraphs of a message, each with its kind; `said`: normalised paragraphs of the thread so far, added to."""
    lines = mail.text.split("\n")
    kinds = label_lines(mail.text, mail.subject)
    elements: list[Element] = []
    own: set[str] = set()
    for first, last, kind in _blocks(lines, kinds):
        text = "\n".join(line.rstrip() for line in lines[first:last]).strip("\n")
        if kind is OWN:
            words = _normalised(text)
            own.add(words)
            if words in said and len(words.split()) >= REPEATED_FROM:
                kind = QUOTED  # noqa: PLW2901
        place = Locator(message=str(number), line=(first + 1, last))
        item = _ITEM.match(text) if kind is OWN else None
        if item:
            text = " ".join(text[item.end() :].split())
            elements.append(Element(ElementKind.LIST_ITEM, text, place, level=1, marker=item.group(1)))
        else:
            elements.append(Element(kind, text, place))
    said |= own
    return elements


def _blocks(lines: Sequence[str], kinds: Sequence[ElementKind]) -> list[tuple[int, int, ElementKind]]:
    """Half-open spans of lines that are one paragraph, list item, or run of one kind."""
    out: list[tuple[int, int, ElementKind]] = []
    blank = True
    for index, (line, kind) in enumerate(zip(lines, kinds, strict=True)):
        if not line.strip():
            blank = True
            continue
        same = bool(out) and out[-1][2] is kind
        begins = kind is OWN and (blank or _ITEM.match(line) is not None)
        if same and not begins:
            out[-1] = (out[-1][0], index + 1, kind)
        else:
            out.append((index, index + 1, kind))
        blank = False
    return out


def plain_subject(subject: str) -> str:
    """A subject without "Re:", "AW:", "Fwd:" and the like."""
    return " ".join(_REPLY.sub("", subject).split())


def doubled(mails: Sequence[Mail]) -> list[int]:
    """Numbers (from 1) of messages that stand in the file before, with the same words."""
    seen: set[tuple[str, str, str]] = set()
    out = []
    for number, mail in enumerate(mails, 1):
        key = (mail.identity or f"{mail.subject}\n{mail.sender}\n{mail.sent_at}", mail.subject, mail.text)
        if key in seen:
            out.append(number)
        seen.add(key)
    return out


def in_threads(messages: Sequence[tuple[int, Mail]]) -> list[_Thread]:
    """Threads in order of their first message; a message joins what it answers, else what has its subject and a "Re:".

    Inside a thread messages stand by the time they were sent; those without a time keep their place in the file.
    """
    by_identity: dict[str, _Thread] = {}
    by_subject: dict[str, _Thread] = {}
    threads: list[_Thread] = []
    for number, mail in sorted(messages, key=lambda pair: (pair[1].sent_at or _EARLIEST, pair[0])):
        subject = plain_subject(mail.subject).casefold()
        answers = _REPLY.match(mail.subject) is not None
        thread = next((by_identity[one] for one in reversed(mail.parents) if one in by_identity), None)
        if thread is None and answers:
            thread = by_subject.get(subject)
        if thread is None:
            thread = _Thread()
            threads.append(thread)
        thread.messages.append((number, mail))
        for one in (mail.identity, *mail.parents):
            if one:
                by_identity.setdefault(one, thread)
        if subject:
            by_subject[subject] = thread
    return threads


def _metadata(threads: Sequence[_Thread]) -> DocumentMetadata:
    mails = [mail for thread in threads for _, mail in thread.messages]
    moments = sorted(mail.sent_at for mail in mails if mail.sent_at)
    return DocumentMetadata(
        title=threads[0].subject if len(threads) == 1 else "",
        authors=tuple(dict.fromkeys(mail.sender for mail in mails if mail.sender)) if len(threads) == 1 else (),
        created_at=moments[0] if moments else None,
        modified_at=moments[-1] if moments else None,
    )


def _heading(text: str, number: int, level: int) -> Element:
    return Element(ElementKind.HEADING, " ".join(text.split()), Locator(message=str(number)), level=level)


def _moment(value: datetime | None) -> str:
    return value.strftime("%Y-%m-%d %H:%M") if value else ""


def _normalised(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))
