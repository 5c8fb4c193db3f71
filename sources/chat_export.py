"""Chats of any other system as JSON: a list of messages, or JSON lines, a file a channel."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import Field

from kprep.core.errors import SourceError
from sources.folder_or_packed import export_at
from sources.spec import SourceRequest
from sources.threads import (
    Channel,
    ChatMessage,
    Export,
    ExportOptions,
    distinct,
    export_source,
    moment,
    objects,
    place_of,
    slug,
    understood,
)

_AT = ("at", "timestamp", "time", "date", "created_at", "createdAt", "sent_at", "ts", "datetime")
_TEXT = ("text", "message", "content", "body")
_AUTHOR = ("author", "user", "from", "sender", "username", "name", "role")
_THREAD = ("thread_id", "thread", "thread_ts", "parent_id", "reply_to", "in_reply_to", "reply_to_message_id")
_CHANNEL = ("channel", "room", "conversation", "chat", "group")
_LISTS = ("messages", "items", "value", "data", "history")


class ChatOptions(ExportOptions):
    """Keys of a source of kind `chat_export`."""

    path: Path = Field(description="folder or zip archive of JSON files with messages: id, author, time, text, thread")


def read_export(request: SourceRequest) -> Export:
    """Channels with their messages. Raises: SourceError when there is no JSON."""
    export = Export()
    place = place_of(request)
    channels: dict[str, Channel] = {}
    with export_at(request, place) as files:
        names = [name for name in files if name.lower().endswith((".json", ".jsonl", ".ndjson"))]
        if not names:
            raise SourceError(f"source {request.name}: {place} holds no JSON with messages")
        named: set[str] = set()
        for name in names:
            for channel, message in understood(export, name, files[name], _messages) or ():
                own = channel or name.rsplit(".", 1)[0]
                named |= {own} if channel else set()
                channels.setdefault(own, Channel(own)).messages.append(message)
    if export.problems:  # the damaged file may hold messages of each channel that files share: those stay as they were
        detail = f"may have messages in {export.problems[0][0]}, which is damaged: stays as it was"
        export.problems += [(slug(own), "source_unreadable", f"channel {own} {detail}") for own in sorted(named)]
        channels = {own: channel for own, channel in channels.items() if own not in named}
    export.channels = [_resolved(channel) for _, channel in sorted(channels.items())]
    return export


def _messages(content: bytes) -> list[tuple[str, ChatMessage]]:
    """(channel or "", message) of a file. Raises: ValueError when it holds something, and no message."""
    items = _items(content)
    read = [(_name(_first(item, _CHANNEL)), _message(item, number)) for number, item in enumerate(items, 1)]
    found = [(channel, message) for channel, message in read if message is not None]
    if items and not found:
        raise ValueError("no message with time and text")
    return found


def _items(content: bytes) -> list[dict[str, Any]]:
    text = content.decode("utf-8-sig")
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        value = [json.loads(line) for line in text.splitlines() if line.strip()]
    if isinstance(value, dict):
        value = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), [value])
    return objects(value)


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
        out.append(replace(message, thread=root))
    return Channel(channel.name, out)


def _first(item: dict[str, Any], keys: tuple[str, ...]) -> Any:
    return next((item[key] for key in keys if item.get(key) not in (None, "")), None)


def _name(value: Any) -> str:
    """A name that stands as text, number, or inside an object."""
    if isinstance(value, dict):
        return _name(_first(value, ("name", "display_name", "displayName", "username", "title", "id")))
    return "" if value is None else str(value)


SOURCE = export_source("chat_export", ChatOptions, read_export)
