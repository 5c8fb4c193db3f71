"""Microsoft Teams messages as JSON, as Graph and the export of chats give them: a file a channel or chat."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

from pydantic import Field

from kprep.core.errors import SourceError, SourceUnavailable
from sources import threads
from sources.export_files import opened
from sources.spec import Entry, Listing, Options, SourceRequest, SourceSpec
from sources.threads import Channel, ChatMessage, Export, distinct, moment

_BREAK = re.compile(r"(?i)<br\s*/?>|</(?:p|div|li|tr|h\d|blockquote)>")
_QUOTE = re.compile(r"(?is)<blockquote\b.*?</blockquote>|<attachment\b.*?</attachment>")
_TAG = re.compile(r"<[^<>]*>")


class TeamsOptions(Options):
    """Keys of a source of kind `teams_export`."""

    path: Path = Field(description="folder or zip archive of JSON files, each with the messages of one channel or chat")


def read_export(request: SourceRequest) -> Export:
    """Channels with their messages. Raises: SourceError when there is no JSON."""
    export = Export()
    place = _place(request)
    with opened(place, request.name) as files:
        names = [name for name in files.names if name.lower().endswith(".json")]
        if not names:
            raise SourceError(f"source {request.name}: {place} holds no JSON with Teams messages")
        for name in names:
            try:
                value = json.loads(files.read(name))
            except (SourceUnavailable, ValueError, RecursionError):
                detail = f"{name} of the export is damaged: export it again"
                export.problems.append((name, "source_unreadable", detail))
                continue
            items = value.get("value", value.get("messages")) if isinstance(value, dict) else value
            channel = Channel(name.removesuffix(".json"))
            for item in items if isinstance(items, list) else ():
                message = _message(item) if isinstance(item, dict) else None
                if message is not None:
                    channel.messages.append(message)
                for reply in item.get("replies", ()) if isinstance(item, dict) else ():
                    answer = _message(reply, str(item.get("id", ""))) if isinstance(reply, dict) else None
                    if answer is not None:
                        channel.messages.append(answer)
            export.channels.append(channel)
    return export


def _message(item: dict[str, Any], parent: str = "") -> ChatMessage | None:
    at = moment(item.get("createdDateTime"))
    if at is None or item.get("messageType", "message") not in ("message", "chatEvent"):
        return None
    sender = item.get("from") if isinstance(item.get("from"), dict) else {}
    assert isinstance(sender, dict)
    user, application = sender.get("user"), sender.get("application")
    author = user if isinstance(user, dict) else application if isinstance(application, dict) else {}
    reactions = [str(one.get("reactionType", "")) for one in item.get("reactions") or () if isinstance(one, dict)]
    state = "deleted" if item.get("deletedDateTime") else "bot" if isinstance(application, dict) and not user else ""
    return ChatMessage(
        identity=str(item.get("id") or item["createdDateTime"]),
        at=at,
        author=str(author.get("displayName") or ""),
        text=_text(item.get("body")),
        thread=str(item.get("replyToId") or parent or ""),
        reactions=distinct(reactions),
        state=state,
        edited=bool(item.get("lastEditedDateTime")),
    )


def _text(body: Any) -> str:
    """Words of a body; what it quotes of another message is left out."""
    if not isinstance(body, dict):
        return str(body or "")
    content = str(body.get("content") or "")
    if str(body.get("contentType", "")).lower() == "html" or "<" in content:
        content = html.unescape(_TAG.sub("", _BREAK.sub("\n", _QUOTE.sub("", content))))
    return "\n".join(line.strip() for line in content.replace("\xa0", " ").split("\n") if line.strip())


def _place(request: SourceRequest) -> Path:
    assert isinstance(request.options, TeamsOptions)
    return request.path(request.options.path)


def list_entries(request: SourceRequest) -> Listing:
    """Threads, and days of what stands in none. Raises: SourceError when the export is missing or is none."""
    return threads.list_threads(request, read_export, _place(request))


def fetch(request: SourceRequest, entry: Entry) -> bytes:
    """JSON lines of a thread or day. Raises: SourceUnavailable."""
    return threads.fetch_thread(request, entry, read_export, _place(request))


SOURCE = SourceSpec(
    name="teams_export",
    version=1,
    options=TeamsOptions,
    list_entries=list_entries,
    fetch=fetch,
    describe=lambda request: str(_place(request)),
    store="candidate",
)
