"""WhatsApp chats as the app exports them: text files, or zip archives of one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import Field

from kprep.core.errors import SourceError
from sources.folder_or_packed import export_at
from sources.spec import SourceRequest
from sources.threads import Channel, ChatMessage, Export, ExportOptions, export_source, place_of

_LINE = re.compile(
    r"^[\u200e\u200f]?\[?(?P<a>\d{1,4})[./-](?P<b>\d{1,2})[./-](?P<c>\d{2,4}),?\s+(?P<hour>\d{1,2})[:.](?P<minute>\d{2})"
    r"(?:[:.](?P<second>\d{2}))?\s*(?P<half>[AaPp]\.?\s?[Mm]\.?)?\]?(?:\s+-)?\s+(?P<rest>.*)$"
)
_AUTHOR = re.compile(r"^[\u200e~\s]*(?P<name>[^:\n]{1,60}?):\s(?P<text>.*)$", re.DOTALL)
_MEDIA = re.compile(
    r"(?i)^\u200e?<?(?:media omitted|medien ausgeschlossen|médias omis|multimedia omitido|attached: .*|.*\(file "
    r"attached\)|"
    r"(?:image|video|audio|sticker|gif|document) omitted)>?$"
)
_DELETED = re.compile(
    r"(?i)^\u200e?(?:this message was deleted|you deleted this message|diese nachricht wurde gelöscht|"
    r"ce message a été supprimé|este mensaje fue eliminado)\.?$"
)
_EDITED = re.compile(r"(?i)\s*\u200e?<this message was edited>\s*$")


class WhatsAppOptions(ExportOptions):
    """Keys of a source of kind `whatsapp_export`."""

    path: Path = Field(description="an exported chat (.txt or .zip), or a folder of them")
    dates: Literal["auto", "day_first", "month_first"] = Field(
        default="auto", description="order of day and month; `auto` looks for a number over 12, else the day is first"
    )


def read_export(request: SourceRequest) -> Export:
    """Chats with their messages. Raises: SourceError when there is none at the place."""
    assert isinstance(request.options, WhatsAppOptions)
    dates, place = request.options.dates, place_of(request)
    if not place.exists():
        raise SourceError(f"source {request.name}: {place} does not exist", source=request.name)
    export = Export()
    files = [place] if place.is_file() else sorted(p for p in place.iterdir() if p.suffix.lower() in (".txt", ".zip"))
    for path in files:
        try:
            chats = [read_chat(text, dates) for text in _chats(request, path)]
        except (SourceError, OSError):
            chats = []
        if not any(chats):  # beside a chat there may be text files that were sent in it
            detail = f"{path.name} is damaged, or no exported WhatsApp chat: export it again"
            export.problems.append((path.name, "source_unreadable", detail))
        export.channels += [Channel(_name(path.stem), messages) for messages in chats if messages]
    damaged = {_name(Path(name).stem) for name, _, _ in export.problems}
    export.channels = [channel for channel in export.channels if channel.name not in damaged]
    return export


def _chats(request: SourceRequest, path: Path) -> list[str]:
    """Texts of a file. Raises: SourceError, OSError."""
    if path.suffix.lower() != ".zip":
        return [path.read_bytes().decode("utf-8-sig", "replace")]
    with export_at(request, path) as files:
        texts = [read() for name, read in files.items() if name.lower().endswith(".txt")]
    return [content.decode("utf-8-sig", "replace") for content in texts]


def _name(stem: str) -> str:
    return re.sub(r"(?i)^(?:whatsapp[ -]chat (?:with|mit|-)|_?chat)\s*", "", stem).strip(" -") or "chat"


def read_chat(text: str, dates: str = "auto") -> list[ChatMessage]:
    """Messages of an exported chat; lines without a date belong to the message before; notices of the app are "
    "left out."""
    blocks: list[tuple[re.Match[str], list[str]]] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        match = _LINE.match(line)
        if match:
            blocks.append((match, [match["rest"]]))
        elif blocks:
            blocks[-1][1].append(line)
    month_first = dates == "month_first" or (dates == "auto" and _month_first([match for match, _ in blocks]))
    out: list[ChatMessage] = []
    for number, (match, lines) in enumerate(blocks, 1):
        at = _moment(match, month_first=month_first)
        said = _AUTHOR.match("\n".join(lines).rstrip())
        if at is None or said is None:
            continue
        words = said["text"].strip()
        edited = _EDITED.search(words) is not None
        words = _EDITED.sub("", words).replace("\u200e", "")
        gone = _DELETED.match(words) or _MEDIA.match(words)
        out.append(
            ChatMessage(str(number), at, said["name"].strip(), words, state="deleted" if gone else "", edited=edited)
        )
    return out


def _month_first(matches: Sequence[re.Match[str]]) -> bool:
    firsts = [int(match["a"]) for match in matches if len(match["a"]) <= 2]
    return bool(firsts) and max(firsts) <= 12 and any(int(match["b"]) > 12 for match in matches)


def _moment(match: re.Match[str], *, month_first: bool) -> datetime | None:
    a, b, c = int(match["a"]), int(match["b"]), int(match["c"])
    year, month, day = (a, b, c) if len(match["a"]) == 4 else (c, a, b) if month_first else (c, b, a)
    hour = int(match["hour"])
    if match["half"]:
        hour = hour % 12 + (12 if match["half"].lower().startswith("p") else 0)
    try:
        return datetime(
            year + 2000 if year < 100 else year,
            month,
            day,
            hour,
            int(match["minute"]),
            int(match["second"] or 0),
            tzinfo=UTC,
        )
    except ValueError:
        return None


SOURCE = export_source("whatsapp_export", WhatsAppOptions, read_export)
