"""One thread (or one day of a channel) of a chat, as the sources of conversations write it: JSON lines."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from kprep.core.errors import CorruptDocument, OnlyChatter
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
from parsers.chatter import kind_of
from parsers.contradiction import WITHIN_A_THREAD, contradicts
from parsers.decoding import decode_document

NAME = "conversation"
VERSION = 1
MEDIA_TYPE = "application/vnd.kprep.conversation+jsonl"
SESSION_GAP = timedelta(minutes=45)
"""Silence after which the messages of a day begin a section of their own."""
TITLE_CHARS = 90
OUTDATED, CONCLUSION = "outdated", "conclusion"

_CONCLUDES = re.compile(
    r"(?i)\b(?:decided|decision|agreed|resolved|conclusion|we(?:'ll| will| are going to) (?:use|go|keep|switch|"
    r"move|take)|"
    r"let(?:'s|’s) go with|going with|final (?:answer|word)|confirmed|(?:the )?(?:answer|fix|solution|root "
    r"cause) (?:is|was)|"
    r"turns out|approved|summary|tl;?dr|beschlossen|entschieden|décidé|decidido)\b"
)
_CORRECTS = re.compile(
    r"(?i)^\W*(?:correction|update|edit|scratch that|ignore (?:that|what)|sorry,|actually|no longer|not any "
    r"?more|wait|"
    r"korrektur|doch nicht|that(?:'s|’s| is) (?:wrong|outdated|old|no longer))\b|\b(?:no longer|is outdated|not "
    r"any ?more|has changed to)\b"
)
_WORD = re.compile(r"[^\W\d_]{4,}")


@dataclass(frozen=True, slots=True)
class Message:
    """A message as the document has it."""

    identity: str
    at: datetime | None
    author: str
    text: str
    reactions: tuple[str, ...]
    state: str


def parse(raw: RawDocument) -> ParsedDocument:
    """A section a session with a paragraph a message ("Author: words"), `message` being the system's own id.

    Greetings, chatter and bots are kinds of their own, also what was said before (`repeated`). Fragments: "outdated"
    for what a later message takes back, "conclusion" for what is decided and stands. Units: "message" with state "ok",
    "greeting", "chatter", "repeated", "bot", "deleted" or "outdated". Front matter: `participants`, `reactions` of what
    stands. Raises: OnlyChatter when nothing else is said, CorruptDocument.
    """
    messages = read(raw.content, raw.uri)
    kinds = [_kind(message) for message in messages]
    said = [at for at, kind in enumerate(kinds) if kind is ElementKind.PARAGRAPH]
    if not said:
        raise OnlyChatter(f"{raw.uri}: {len(messages)} messages, none of which says anything to keep", uri=raw.uri)
    outdated = _outdated([messages[at] for at in said])
    marks = {at: OUTDATED for index, at in enumerate(said) if index in outdated}
    marks |= {at: CONCLUSION for at in said if at not in marks and _concludes(messages[at])}
    units = [
        SourceUnit("message", number, _state(message, kind, marks.get(number - 1, "")), len(message.text))
        for number, (message, kind) in enumerate(zip(messages, kinds, strict=True), 1)
    ]
    elements = _elements(messages, kinds, marks)
    standing = [messages[at] for at in said if marks.get(at) != OUTDATED]
    return ParsedDocument(
        raw.uri,
        raw.media_type,
        f"{NAME}@{VERSION}",
        tuple(elements),
        tuple(units),
        _metadata(messages, standing),
    )


def quote(content: bytes, locator: Locator) -> str:
    """The messages from the locator's first to its last, with their authors, read afresh; all without a locator."""
    messages = read(content, "the conversation")
    ids = [message.identity for message in messages]
    if locator.message is None:
        return "\n".join(f"{message.author}: {message.text}" for message in messages)
    if locator.message not in ids:
        return ""
    first = ids.index(locator.message)
    last = ids.index(locator.message_end) if locator.message_end in ids else first
    return "\n".join(f"{message.author}: {message.text}" for message in messages[first : last + 1])


def read(content: bytes, uri: str) -> list[Message]:
    """Messages in order. Raises: CorruptDocument naming the line."""
    lines = [line for line in decode_document(content, uri).text.split("\n") if line.strip()]
    values = []
    for number, line in enumerate(lines, 1):
        try:
            value = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise CorruptDocument(f"{uri}: line {number} of the conversation is not valid JSON", line=number) from error
        if not isinstance(value, dict):
            raise CorruptDocument(f"{uri}: line {number} of the conversation is no object", line=number)
        values.append(value)
    if not values or "kprep_conversation" not in values[0]:
        raise CorruptDocument(f"{uri}: no conversation: its first line is no header", uri=uri)
    return [_message(value) for value in values[1:]]


def _message(value: dict[str, Any]) -> Message:
    reactions = value.get("reactions")
    return Message(
        str(value.get("id", "")),
        _moment(value.get("at")),
        str(value.get("author", "")),
        str(value.get("text", "")),
        tuple(str(name) for name in reactions) if isinstance(reactions, list) else (),
        str(value.get("state", "")),
    )


def _moment(value: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(str(value))
    except ValueError:
        return None


def _kind(message: Message) -> ElementKind | None:
    """Kind of a message's element; None for one that has no words any more."""
    if message.state == "deleted" or not message.text.strip():
        return None
    if message.state == "bot":
        return ElementKind.CHATTER
    if message.state == "repeated":
        return ElementKind.REPEATED
    return kind_of(message.text)


def _state(message: Message, kind: ElementKind | None, mark: str) -> str:
    if kind is None:
        return "deleted"
    if kind is ElementKind.PARAGRAPH:
        return OUTDATED if mark == OUTDATED else "ok"
    return message.state or kind.value


def _outdated(messages: Sequence[Message]) -> set[int]:
    """Messages that a later one of these takes back: by other figures, or by saying so about the same words."""
    out: set[int] = set()
    for at, later in enumerate(messages):
        corrects = _CORRECTS.search(later.text) is not None
        words = set(_WORD.findall(later.text.casefold()))
        for before in range(at):
            earlier = messages[before]
            if earlier.text.rstrip().endswith("?"):
                continue
            common = words & set(_WORD.findall(earlier.text.casefold()))
            if contradicts(earlier.text, later.text, WITHIN_A_THREAD) or (corrects and len(common) >= 3):
                out.add(before)
    return out


def _concludes(message: Message) -> bool:
    if message.text.rstrip().endswith("?"):
        return False
    return _CONCLUDES.search(message.text) is not None or bool(
        {"white_check_mark", "heavy_check_mark"} & {*message.reactions}
    )


def _elements(messages: Sequence[Message], kinds: Sequence[ElementKind | None], marks: dict[int, str]) -> list[Element]:
    elements: list[Element] = []
    before: Message | None = None
    for at, (message, kind) in enumerate(zip(messages, kinds, strict=True)):
        if kind is None:
            continue
        place = Locator(message=message.identity)
        if kind is ElementKind.PARAGRAPH:
            if before is None or (message.at and before.at and message.at - before.at >= SESSION_GAP):
                elements.append(Element(ElementKind.HEADING, _title(message.text), place, level=1))
            before = message
        text = f"{message.author}: {message.text}" if message.author else message.text
        elements.append(Element(kind, text, place, fragment=marks.get(at, "")))
    return elements


def _title(text: str) -> str:
    """The beginning of a message, cut after its first sentence or between two words."""
    line = text.strip().split("\n", 1)[0]
    sentence = re.split(r"(?<=[.!?。！？])\s", line, maxsplit=1)[0]
    return sentence if len(sentence) <= TITLE_CHARS else sentence[:TITLE_CHARS].rsplit(" ", 1)[0] + " …"


def _metadata(messages: Sequence[Message], standing: Sequence[Message]) -> DocumentMetadata:
    moments = [message.at for message in messages if message.at]
    return DocumentMetadata(
        authors=tuple(dict.fromkeys(message.author for message in standing if message.author)),
        created_at=moments[0] if moments else None,
        modified_at=moments[-1] if moments else None,
        front_matter={
            "participants": len({message.author for message in standing}),
            "reactions": sorted({name for message in standing for name in message.reactions}),
        },
    )


PARSER = ParserSpec(NAME, VERSION, (MEDIA_TYPE,), parse, quote)
