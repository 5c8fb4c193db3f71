"""Chat exports as documents: a thread each, and for what is in no thread a day of a channel each.

What the kinds of exports have in common: they give channels of messages; this module makes entries of them, whose bytes
are JSON lines (a header, then a message a line) that the parser `conversation` reads.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from kprep.core.errors import SourceError, SourceUnavailable
from sources.folder_or_packed import files_below
from sources.selection import Selection
from sources.spec import About, Entry, Listing, Options, Problem, SourceRequest, SourceSpec

MEDIA_SUFFIX = ".jsonl"
REPEATED_FROM = 6
"""Words from which the same message somewhere else is a repetition."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message of an export. `thread`: id of the message whose thread it is in, "" for none. `state`: "", "bot",
    "deleted" or "repeated"."""

    identity: str
    at: datetime
    author: str
    text: str
    thread: str = ""
    reactions: tuple[str, ...] = ()
    state: str = ""
    edited: bool = False


@dataclass(slots=True)
class Channel:
    """A channel with its messages in any order. `acl`: who is in it where the export says so, else None."""

    name: str
    messages: list[ChatMessage] = field(default_factory=list)
    acl: tuple[str, ...] | None = None
    acl_problem: str = ""


@dataclass(slots=True)
class Export:
    """What was read of an export. `problems`: (path below the source, reason, detail) of what could not be read."""

    channels: list[Channel] = field(default_factory=list)
    problems: list[tuple[str, str, str]] = field(default_factory=list)


Message = TypeVar("Message")
ReadExport = Callable[[SourceRequest], Export]
"""Reads an export. Raises: SourceError, SourceUnavailable."""


@dataclass(frozen=True, slots=True)
class _Document:
    path: str
    title: str
    content: bytes
    modified_at: datetime
    channel: Channel


class ExportOptions(Options):
    """Keys of a source that is an export of conversations."""

    path: Path


def place_of(request: SourceRequest) -> Path:
    """Where the export stands."""
    assert isinstance(request.options, ExportOptions)
    return request.path(request.options.path)


def export_source(name: str, options: type[ExportOptions], read: ReadExport) -> SourceSpec:
    """The source of kind `name`: its documents are the threads of an export, and days of what stands in none."""
    return SourceSpec(
        name,
        1,
        options,
        lambda request: list_threads(request, read),
        lambda request, entry: fetch_thread(request, entry, read),
        lambda request: str(place_of(request)),
        store="candidate",
    )


_NOT_UNDERSTOOD = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError)


def understood(
    export: Export, name: str, read: Callable[[], bytes], understand: Callable[[bytes], list[Message]]
) -> list[Message] | None:
    """What a file of an export says; None, with the problem noted, where it cannot be read or understood. Then what is
    known of its channel stays, for a part would take the place of the whole."""
    try:
        return understand(read())
    except (SourceError, SourceUnavailable) as error:
        detail = error.message
    except _NOT_UNDERSTOOD as error:
        detail = f"{name} of the export is damaged, or no such export ({type(error).__name__}): export it again"
    export.problems.append((name, "source_unreadable", detail))
    return None


def objects(value: Any) -> list[dict[str, Any]]:
    """Those items of a JSON list that are objects. Raises: ValueError for anything else, and a list without any."""
    found = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
    if not isinstance(value, list) or (value and not found):
        raise ValueError("no list of objects")
    return found


_Documents = tuple[dict[str, _Document], tuple[tuple[str, str, str], ...]]
"""Documents by path, and problems as in `Export`."""


def list_threads(request: SourceRequest, read: ReadExport) -> Listing:
    """Threads and days of the channels that `include` and `exclude` leave; incomplete when a part cannot be read."""
    documents, problems = _documents(request, read)
    selection = Selection(request)
    entries = []
    for path, document in sorted(documents.items()):
        if not selection.names(path):
            continue
        channel = document.channel
        entries.append(
            Entry(
                uri=f"{request.name}/{path}",
                name=path.rsplit("/", 1)[-1] + MEDIA_SUFFIX,
                location=path,
                version_token=hashlib.sha256(document.content).hexdigest(),
                size=len(document.content),
                modified_at=document.modified_at,
                acl=channel.acl,
                acl_problem=channel.acl_problem,
                about=About(title=document.title, labels=(channel.name,)),
            )
        )
    found = tuple(Problem(f"{request.name}/{path}", reason, detail) for path, reason, detail in problems)
    return Listing(tuple(entries), found, complete=not found, passed_over=dict(selection.passed_over))


def fetch_thread(request: SourceRequest, entry: Entry, read: ReadExport) -> bytes:
    """JSON lines of one document. Raises: SourceUnavailable when the export does not hold it any more."""
    document = _documents(request, read)[0].get(entry.location)
    if document is None:
        raise SourceUnavailable(f"{entry.uri} vanished while the run read it; the next run sees it gone")
    return document.content


def _documents(
    request: SourceRequest, read: ReadExport
) -> tuple[dict[str, _Document], tuple[tuple[str, str, str], ...]]:
    """Documents by path, kept for as long as the export's files are the same."""
    known = _Reading(request, read)
    return _read_once(known, signature(request))


@dataclass(frozen=True, slots=True)
class _Reading:
    """A request, compared by where and how it looks."""

    request: SourceRequest = field(compare=False)
    read: ReadExport
    key: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", f"{self.request.name}\n{self.request.options.model_dump_json()}")


@lru_cache(maxsize=2)
def _read_once(reading: _Reading, _signature: str) -> _Documents:
    export = reading.read(reading.request)
    channels = _joined(export.channels)
    folded(channels)
    documents = {}
    for channel in channels:
        for document in _of_channel(channel):
            documents[document.path] = document
    return documents, tuple(export.problems)


def signature(request: SourceRequest) -> str:
    """Changes whenever a file of the export may have. Raises: SourceError, SourceUnavailable."""
    place = place_of(request)
    if not place.exists():
        raise SourceError(f"source {request.name}: {place} does not exist")
    parts = []
    for path in files_below(request, place) if place.is_dir() else [place]:
        status = path.stat()
        parts.append(f"{path}\n{status.st_size}\n{status.st_mtime_ns}")
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _joined(channels: Iterable[Channel]) -> list[Channel]:
    """Channels whose documents have the same paths as one, without the messages that two exports of it hold alike; who
    may read it is who may read each."""
    out: dict[str, Channel] = {}
    for channel in channels:
        one = out.setdefault(slug(channel.name), replace(channel, messages=[]))
        said = {(message.at, message.author, message.text) for message in one.messages}
        one.messages += [item for item in channel.messages if (item.at, item.author, item.text) not in said]
        if channel.acl is not None and channel.acl != one.acl:
            one.acl = tuple(name for name in channel.acl if one.acl is None or name in one.acl)
        one.acl_problem = one.acl_problem or channel.acl_problem
    return list(out.values())


def folded(channels: Iterable[Channel]) -> None:
    """Mark messages that say what an earlier one anywhere in the export says, word for word."""
    places = [
        (message.at, channel.name, index)
        for channel in channels
        for index, message in enumerate(channel.messages)
        if not message.state
    ]
    by_name = {channel.name: channel for channel in channels}
    seen: set[str] = set()
    for _, name, index in sorted(places):
        message = by_name[name].messages[index]
        words = _WORD.findall(message.text.casefold())
        if len(words) < REPEATED_FROM:
            continue
        said = " ".join(words)
        if said in seen:
            by_name[name].messages[index] = replace(message, state="repeated")
        seen.add(said)


def _of_channel(channel: Channel) -> Iterator[_Document]:
    answered = {message.thread for message in channel.messages if message.thread and message.thread != message.identity}
    threads: dict[str, list[ChatMessage]] = {}
    for message in sorted(channel.messages, key=lambda message: (message.at, message.identity)):
        own = message.identity if message.identity in answered else ""
        thread = message.thread if message.thread in answered else own
        path = _thread_path(thread, message.at) if thread else message.at.date().isoformat()
        threads.setdefault(path, []).append(message)
    for name, messages in threads.items():
        title = f"{channel.name}, {messages[0].at.date()}"
        lines = [{"kprep_conversation": 1}, *map(_json, messages)]
        content = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines).encode()
        yield _Document(f"{slug(channel.name)}/{name}", title, content, messages[-1].at, channel)


def _thread_path(thread: str, at: datetime) -> str:
    """A thread by its first message's moment where its id is one, else by its id."""
    match = re.fullmatch(r"(\d{9,10})\.(\d{1,6})", thread)
    if match:
        begun = datetime.fromtimestamp(int(match[1]), tz=UTC)
        return f"thread-{begun:%Y-%m-%dT%Hh%Mm%S}-{hashlib.sha256(thread.encode()).hexdigest()[:6]}"
    del at
    return f"thread-{hashlib.sha256(thread.encode()).hexdigest()[:12]}"


def slug(name: str) -> str:
    """A channel's name as a part of a path."""
    plain = unicodedata.normalize("NFC", name).strip().replace("/", "-")
    return re.sub(r"[\x00-\x1f\x7f-\x9f]", "", plain).strip(". ") or "channel"


def _json(message: ChatMessage) -> dict[str, Any]:
    value: dict[str, Any] = {
        "id": message.identity,
        "at": message.at.isoformat(),
        "author": message.author,
        "text": "" if message.state == "deleted" else message.text,
    }
    if message.reactions:
        value["reactions"] = sorted(message.reactions)
    if message.state:
        value["state"] = message.state
    if message.edited:
        value["edited"] = True
    return value


def moment(value: Any) -> datetime | None:
    """A moment written as ISO 8601, or as seconds or milliseconds since 1970; without a zone it is UTC."""
    if isinstance(value, str):
        text = value.strip()
        if re.fullmatch(r"\d{9,13}(?:\.\d+)?", text):
            return moment(float(text))
        try:
            found = datetime.fromisoformat(text)
        except ValueError:
            return None
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e14:
        return None
    return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, tz=UTC)


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Names in order of the alphabet, each once, without empty ones."""
    return tuple(sorted({name for name in names if name}))
