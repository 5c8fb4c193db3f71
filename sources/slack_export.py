"""A Slack export (zip or folder): threads with their replies wherever they stand, edits and deletions applied."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import Field

from kprep.core.errors import SourceError, SourceUnavailable
from sources.folder_or_packed import Files, export_at
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


class SlackOptions(ExportOptions):
    """Keys of a source of kind `slack_export`."""

    path: Path = Field(description="the export: its zip archive, or the folder it was unpacked to")


def read_export(request: SourceRequest) -> Export:
    """Channels with their messages; who may read a private one is who is in it. Raises: SourceError, SourceUnavailable
    when a list of users or channels is damaged."""
    export = Export()
    place = place_of(request)
    with export_at(request, place) as files:
        days: dict[str, list[str]] = {}
        for name in files:
            if name.endswith(".json") and "/" in name:
                days.setdefault(name.rpartition("/")[0], []).append(name)
        any_list = any(name in files for name in _LISTS)
        if not days and not any_list:
            raise SourceError(f"source {request.name}: {place} holds no channel with JSON: it is no Slack export")
        users = {str(user.get("id")): user for user in _listed(request, files, "users.json")}
        known = {channel.name: channel for channel in _conversations(request, files, users)}
        for folder, names in days.items():
            channel = known.get(folder) or Channel(folder)
            if any_list and folder not in known:
                channel.acl, channel.acl_problem = (), f"the export does not say who may read channel {folder}"
            read = [understood(export, name, files[name], partial(_day, users)) for name in names]
            channel.messages = _with_changes([message for day in read for message in day or ()])
            if None not in read:
                export.channels.append(channel)
    return export


def _conversations(request: SourceRequest, files: Files, users: dict[str, dict[str, Any]]) -> Iterator[Channel]:
    for name, private in _LISTS.items():
        for item in _listed(request, files, name):
            members = item.get("members") or ()
            principals = [_principal(users.get(str(member), {})) for member in members]
            yield Channel(str(item.get("name") or item.get("id") or ""), acl=distinct(principals) if private else None)


def _listed(request: SourceRequest, files: Files, name: str) -> list[dict[str, Any]]:
    """A list of users or channels. Raises: SourceUnavailable: without it names and permissions would be lost."""
    export = Export()
    found = understood(export, name, files[name], lambda read: objects(json.loads(read))) if name in files else []
    if found is None:
        raise SourceUnavailable(f"source {request.name}: {export.problems[0][2]}")
    return found


def _day(users: dict[str, dict[str, Any]], content: bytes) -> list[ChatMessage]:
    """Messages of a file. Raises: ValueError when it holds some, and none can be read."""
    items = [item for item in objects(json.loads(content)) if str(item.get("subtype")) not in _SILENT]
    found = [message for item in items if (message := _message(item, users)) is not None]
    if items and not found:
        raise ValueError("no message has a time")
    return found


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
    reactions = [str(one.get("name", "")).split("::")[0] for one in objects(item.get("reactions") or [])]
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
    parts = objects(item.get("attachments") or [])
    return "\n".join(str(part.get("text") or part.get("fallback") or "") for part in parts)


def _with_changes(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Messages, a later record of one (changed, deleted) in the place of the earlier one."""
    latest: dict[str, ChatMessage] = {}
    for message in messages:
        before = latest.get(message.identity)
        if before is None:
            latest[message.identity] = message
        elif message.state in ("changed", "deleted") or before.state == "deleted":
            kept = before if before.state == "deleted" else message
            thread = kept.thread or before.thread or message.thread
            latest[message.identity] = replace(kept, author=kept.author or before.author, thread=thread)
    return [replace(message, state="") if message.state == "changed" else message for message in latest.values()]


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


SOURCE = export_source("slack_export", SlackOptions, read_export)
