"""A Slack export (zip or folder): threads with their replies wherever they stand, edits and deletions applied."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

from pydantic import Field

from kprep.core.errors import SourceError, SourceUnavailable
from sources import threads
from sources.export_files import ExportFiles, opened
from sources.spec import Entry, Listing, Options, SourceRequest, SourceSpec
from sources.threads import Channel, ChatMessage, Export, distinct, moment

_SILENT = frozenset(
    "channel_join channel_leave channel_topic channel_purpose channel_name channel_archive channel_unarchive "
    "group_join "
    "group_leave group_topic group_purpose group_name group_archive pinned_item unpinned_item bot_add bot_remove "
    "reminder_add channel_convert_to_private".split()
)
_LISTS = {"channels.json": False, "groups.json": True, "mpims.json": True, "dms.json": True}
"""File that lists conversations -> whether only their members may read them."""
_MENTION = re.compile(r"<@([A-Z0-9]+)(?:\|([^>]*))?>")
_CHANNEL = re.compile(r"<#[A-Z0-9]+(?:\|([^>]*))?>")
_SPECIAL = re.compile(r"<!(?:subteam\^[A-Z0-9]+\|)?@?(here|channel|everyone|[^>|]*)(?:\|([^>]*))?>")
_LINK = re.compile(r"<((?:https?|mailto|tel):[^>|]+)(?:\|([^>]*))?>")


class SlackOptions(Options):
    """Keys of a source of kind `slack_export`."""

    path: Path = Field(description="the export: its zip archive, or the folder it was unpacked to")


def read_export(request: SourceRequest) -> Export:
    """Channels with their messages; who may read a private one is who is in it. Raises: SourceError."""
    export = Export()
    with opened(_place(request), request.name) as files:
        if not any(name.endswith(".json") for name in files.names):
            raise SourceError(f"source {request.name}: {_place(request)} holds no JSON: it is no Slack export")
        users = {str(user.get("id")): user for user in _listed(files, "users.json", export)}
        known, any_list = _conversations(files, users, export)
        for folder in sorted({name.rsplit("/", 1)[0] for name in files.names if "/" in name}):
            channel = known.get(folder) or Channel(folder)
            if any_list and folder not in known:
                channel.acl, channel.acl_problem = (), f"the export does not say who may read channel {folder}"
            for name in files.names:
                if name.rsplit("/", 1)[0] == folder and name.endswith(".json"):
                    _read_day(files, name, channel, users, export)
            _apply_changes(channel)
            export.channels.append(channel)
    return export


def _conversations(
    files: ExportFiles, users: dict[str, dict[str, Any]], export: Export
) -> tuple[dict[str, Channel], bool]:
    known: dict[str, Channel] = {}
    for name, private in _LISTS.items():
        for item in _listed(files, name, export):
            folder = str(item.get("name") or item.get("id") or "")
            members = [_principal(users.get(str(member), {})) for member in item.get("members", [])]
            known[folder] = Channel(folder, acl=distinct(members) if private else None)
    return known, any(name in files.names for name in _LISTS)


def _listed(files: ExportFiles, name: str, export: Export) -> list[dict[str, Any]]:
    if name not in files.names:
        return []
    value = _json(files, name, export)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _json(files: ExportFiles, name: str, export: Export) -> Any:
    try:
        return json.loads(files.read(name))
    except (SourceUnavailable, ValueError, RecursionError):
        export.problems.append((name, "source_unreadable", f"{name} of the export is damaged: export it again"))
        return None


def _read_day(
    files: ExportFiles, name: str, channel: Channel, users: dict[str, dict[str, Any]], export: Export
) -> None:
    value = _json(files, name, export)
    for item in value if isinstance(value, list) else ():
        if isinstance(item, dict) and item.get("subtype") not in _SILENT:
            message = _message(item, users)
            if message is not None:
                channel.messages.append(message)


def _message(item: dict[str, Any], users: dict[str, dict[str, Any]]) -> ChatMessage | None:
    subtype = item.get("subtype")
    state = ""
    if subtype == "message_deleted":
        item, state = {"ts": item.get("deleted_ts"), "text": ""}, "deleted"
    elif subtype == "message_changed" and isinstance(item.get("message"), dict):
        item, state = item["message"], "changed"
    stamp = str(item.get("ts") or "")
    at = moment(stamp)
    if at is None:
        return None
    if subtype == "tombstone" or item.get("subtype") == "tombstone":
        state = "deleted"
    elif not state and (subtype == "bot_message" or item.get("bot_id")):
        state = "bot"
    reactions = [
        str(one.get("name", "")).split("::")[0] for one in item.get("reactions") or () if isinstance(one, dict)
    ]
    return ChatMessage(
        identity=stamp,
        at=at,
        author=_author(item, users),
        text=_text(_words(item), users),
        thread=str(item.get("thread_ts") or ""),
        reactions=distinct(reactions),
        state=state,
        edited=state == "changed" or "edited" in item,
    )


def _words(item: dict[str, Any]) -> str:
    """A message's text, else what its attachments say."""
    text = str(item.get("text") or "")
    if text.strip():
        return text
    parts = [one for one in item.get("attachments") or () if isinstance(one, dict)]
    return "\n".join(str(part.get("text") or part.get("fallback") or "") for part in parts)


def _apply_changes(channel: Channel) -> None:
    """Let a later record of a message (changed, deleted) take the place of the earlier one."""
    latest: dict[str, ChatMessage] = {}
    for message in channel.messages:
        before = latest.get(message.identity)
        if before is None:
            latest[message.identity] = message
        elif message.state in ("changed", "deleted") or before.state == "deleted":
            kept = before if before.state == "deleted" else message
            thread = kept.thread or before.thread or message.thread
            latest[message.identity] = ChatMessage(
                kept.identity,
                kept.at,
                kept.author or before.author,
                kept.text,
                thread,
                kept.reactions,
                kept.state,
                kept.edited,
            )
    channel.messages = [
        ChatMessage(
            m.identity, m.at, m.author, m.text, m.thread, m.reactions, "" if m.state == "changed" else m.state, m.edited
        )
        for m in latest.values()
    ]


def _author(item: dict[str, Any], users: dict[str, dict[str, Any]]) -> str:
    user = str(item.get("user") or "")
    if user in users:
        return _name(users[user])
    profile = item.get("user_profile")
    if isinstance(profile, dict) and (profile.get("display_name") or profile.get("real_name")):
        return str(profile.get("display_name") or profile["real_name"])
    return str(item.get("username") or ("somebody" if user else ""))


def _name(user: dict[str, Any]) -> str:
    profile = user.get("profile") if isinstance(user.get("profile"), dict) else {}
    assert isinstance(profile, dict)
    names = (profile.get("real_name"), user.get("real_name"), profile.get("display_name"), user.get("name"))
    return next((str(name) for name in names if name), "somebody")


def _principal(user: dict[str, Any]) -> str:
    """How permissions name a user: by address, else by user name."""
    profile = user.get("profile")
    address = profile.get("email") if isinstance(profile, dict) else None
    return str(address or user.get("name") or "")


def _text(text: str, users: dict[str, dict[str, Any]]) -> str:
    """Words as people see them: mentions by name, links by label."""
    text = _MENTION.sub(lambda m: f"@{m[2] or (_name(users[m[1]]) if m[1] in users else 'somebody')}", text)
    text = _CHANNEL.sub(lambda m: f"#{m[1] or 'channel'}", text)
    text = _LINK.sub(lambda m: f"{m[2]} ({m[1]})" if m[2] and m[2] != m[1] else m[1], text)
    text = _SPECIAL.sub(lambda m: f"@{m[2] or m[1]}", text)
    return html.unescape(text)


def _place(request: SourceRequest) -> Path:
    assert isinstance(request.options, SlackOptions)
    return request.path(request.options.path)


def list_entries(request: SourceRequest) -> Listing:
    """Threads, and days of what stands in none. Raises: SourceError when the export is missing or is none."""
    return threads.list_threads(request, read_export, _place(request))


def fetch(request: SourceRequest, entry: Entry) -> bytes:
    """JSON lines of a thread or day. Raises: SourceUnavailable."""
    return threads.fetch_thread(request, entry, read_export, _place(request))


SOURCE = SourceSpec(
    name="slack_export",
    version=1,
    options=SlackOptions,
    list_entries=list_entries,
    fetch=fetch,
    describe=lambda request: str(_place(request)),
    store="candidate",
)
