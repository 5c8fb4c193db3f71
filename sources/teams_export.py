"""Microsoft Teams messages as JSON, as Graph and the export of chats give them: a file a channel or chat."""

from __future__ import annotations

import html
import json
import re
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
    understood,
)

_BREAK = re.compile(r"(?i)<br\s*/?>|</(?:p|div|li|tr|h\d|blockquote)>")
_QUOTE = re.compile(r"(?is)<blockquote\b.*?</blockquote>|<attachment\b.*?</attachment>")
_TAG = re.compile(r"<[^<>]*>")


class TeamsOptions(ExportOptions):
    """Keys of a source of kind `teams_export`."""

    path: Path = Field(description="folder or zip archive of JSON files, each with the messages of one channel or chat")


def read_export(request: SourceRequest) -> Export:
    """Channels with their messages. Raises: SourceError when there is no JSON."""
    export = Export()
    place = place_of(request)
    with export_at(request, place) as files:
        names = [name for name in files if name.lower().endswith(".json")]
        if not names:
            raise SourceError(f"source {request.name}: {place} holds no JSON with Teams messages")
        for name in names:
            messages = understood(export, name, files[name], _messages)
            if messages is not None:
                export.channels.append(Channel(name.removesuffix(".json"), messages))
    return export


def _messages(content: bytes) -> list[ChatMessage]:
    """Messages of a file. Raises: ValueError when it holds something else."""
    value = json.loads(content)
    if isinstance(value, dict) and not {"value", "messages"} & set(value):
        raise ValueError("neither `value` nor `messages`")
    items = objects(value.get("value", value.get("messages")) if isinstance(value, dict) else value)
    said = [(item, "") for item in items]
    said += [(reply, str(item.get("id", ""))) for item in items for reply in objects(item.get("replies") or [])]
    found = [message for item, parent in said if (message := _message(item, parent)) is not None]
    if not found and any(item.get("messageType", "message") == "message" for item in items):
        raise ValueError("no message has a time")
    return found


def _message(item: dict[str, Any], parent: str = "") -> ChatMessage | None:
    at = moment(item.get("createdDateTime"))
    if at is None or item.get("messageType", "message") not in ("message", "chatEvent"):
        return None
    sender = item.get("from") if isinstance(item.get("from"), dict) else {}
    assert isinstance(sender, dict)
    user, application = sender.get("user"), sender.get("application")
    author = user if isinstance(user, dict) else application if isinstance(application, dict) else {}
    reactions = [str(one.get("reactionType", "")) for one in objects(item.get("reactions") or [])]
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


SOURCE = export_source("teams_export", TeamsOptions, read_export)
