"""Chats of any other system as JSON: a list of messages, or JSON lines, a file a channel."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import Field

from kprep.core.errors import SourceError, SourceUnavailable
from sources import threads
from sources.export_files import opened
from sources.spec import Entry, Listing, Options, SourceRequest, SourceSpec
from sources.threads import Channel, ChatMessage, Export, distinct, moment

_AT = ("at", "timestamp", "time", "date", "created_at", "createdAt", "sent_at", "ts", "datetime")
_TEXT = ("text", "message", "content", "body")
_AUTHOR = ("author", "user", "from", "sender", "username", "name", "role")
_THREAD = ("thread_id", "thread", "thread_ts", "parent_id", "reply_to", "in_reply_to", "reply_to_message_id")
_CHANNEL = ("channel", "room", "conversation", "chat", "group")
_LISTS = ("messages", "items", "value", "data", "history")


class ChatOptions(Options):
    """Keys of a source of kind `chat_export`."""

    path: Path = Field(description="folder or zip archive of JSON files with messages: id, author, time, text, thread")


def read_export(request: SourceRequest) -> Export:
    """Channels with their messages. Raises: SourceError when there is no JSON."""
    export = Export()
    place = _place(request)
    channels: dict[str, Channel] = {}
    with opened(place, request.name) as files:
        names = [name for name in files.names if name.lower().endswith((".json", ".jsonl", ".ndjson"))]
        if not names:
            raise SourceError(f"source {request.name}: {place} holds no JSON with messages")
        for name in names:
            try:
                items = _items(files.read(name))
            except (SourceUnavailable, ValueError, RecursionError):
                export.problems.append((name, "source_unreadable", f"{name} is not valid JSON: export it again"))
                continue
            for number, item in enumerate(items, 1):
                message = _message(item, number)
                if message is not None:
                    own = _name(_first(item, _CHANNEL)) or name.rsplit(".", 1)[0]
                    channels.setdefault(own, Channel(own)).messages.append(message)
    export.channels = [_resolved(channel) for _, channel in sorted(channels.items())]
    return export


def _items(content: bytes) -> list[dict[str, Any]]:
    text = content.decode("utf-8-sig")
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        value = [json.loads(line) for line in text.splitlines() if line.strip()]
    if isinstance(value, dict):
        value = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), [value])
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _message(item: dict[str, Any], number: int) -> ChatMessage | None:
    at, text = moment(_first(item, _AT)), _first(item, _TEXT)
    if isinstance(text, list):  # runs of formatted text
        text = "".join(part if isinstance(part, str) else str(part.get("text", "")) for part in text)
    if at is None or not isinstance(text, str):
        return None
    reactions = item.get("reactions")
    named = [_name(one) for one in reactions] if isinstance(reactions, list) else list(reactions or ())
    deleted = bool(item.get("deleted") or item.get("deleted_at"))
    bot = bool(item.get("bot") or item.get("is_bot") or item.get("bot_id"))
    return ChatMessage(
        identity=str(item.get("id") or item.get("message_id") or number),
        at=at,
        author=_name(_first(item, _AUTHOR)),
        text=text,
        thread=_name(_first(item, _THREAD)),
        reactions=distinct([str(name) for name in named]),
        state="deleted" if deleted else "bot" if bot else "",
        edited=bool(item.get("edited") or item.get("edited_at")),
    )


def _resolved(channel: Channel) -> Channel:
    """Replies to replies belong to the thread of the first message."""
    parents = {message.identity: message.thread for message in channel.messages}
    out = []
    for message in channel.messages:
        root, steps = message.thread, 0
        while parents.get(root) and parents[root] != root and steps < 1000:
            root, steps = parents[root], steps + 1
        out.append(
            ChatMessage(
                message.identity,
                message.at,
                message.author,
                message.text,
                root,
                message.reactions,
                message.state,
                message.edited,
            )
        )
    return Channel(channel.name, out)


def _first(item: dict[str, Any], keys: tuple[str, ...]) -> Any:
    return next((item[key] for key in keys if item.get(key) not in (None, "")), None)


def _name(value: Any) -> str:
    """A name that stands as text, number, or inside an object."""
    if isinstance(value, dict):
        return _name(_first(value, ("name", "display_name", "displayName", "username", "title", "id")))
    return "" if value is None else str(value)


def _place(request: SourceRequest) -> Path:
    assert isinstance(request.options, ChatOptions)
    return request.path(request.options.path)


def list_entries(request: SourceRequest) -> Listing:
    """Threads, and days of what stands in none. Raises: SourceError when the export is missing or is none."""
    return threads.list_threads(request, read_export, _place(request))


def fetch(request: SourceRequest, entry: Entry) -> bytes:
    """JSON lines of a thread or day. Raises: SourceUnavailable."""
    return threads.fetch_thread(request, entry, read_export, _place(request))


SOURCE = SourceSpec(
    name="chat_export",
    version=1,
    options=ChatOptions,
    list_entries=list_entries,
    fetch=fetch,
    describe=lambda request: str(_place(request)),
    store="candidate",
)
