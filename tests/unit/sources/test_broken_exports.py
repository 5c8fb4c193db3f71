"""Exports in which something is damaged or of another type: that part is named, the rest is listed, nothing is gone."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from kprep.core.errors import SourceError, SourceUnavailable
from sources import SOURCES, Listing, SourceRequest

TIMES = {"slack_export": "1780000000.000100", "teams_export": "2026-05-28T20:26:40Z", "chat_export": "2026-05-28T20:26"}
SOUND: dict[str, dict[str, Any]] = {
    "slack_export": {"ts": TIMES["slack_export"], "user": "U1", "text": "The lift opens at eight."},
    "teams_export": {"id": "1", "createdDateTime": TIMES["teams_export"], "body": {"content": "The lift opens."}},
    "chat_export": {"id": 1, "time": TIMES["chat_export"], "author": "Ana", "text": "The lift opens at eight."},
}
BROKEN: list[Any] = [None, 7, "text", {"a": 1}, [1, 2], [None], [[]], [{}], [{"ts": None}], [{"ts": [], "text": {}}]]
BROKEN += ['{"cut": [', b"\xff\xfe\x00", "[" * 100_000]
ODD: list[dict[str, Any]] = [
    {"members": None, "replies": None, "reactions": None, "attachments": None, "from": None, "user": None},
    {"subtype": [], "bot_id": 0, "user_profile": 3, "edited": None, "thread_ts": None, "replyToId": None},
    {"deletedDateTime": None, "lastEditedDateTime": {}, "messageType": "message", "username": ["a"], "channel": None},
]


def written(folder: Path, files: dict[str, Any]) -> Path:
    with zipfile.ZipFile(folder / "export.zip", "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content if isinstance(content, str | bytes) else json.dumps(content))
    return folder / "export.zip"


def listed(kind: str, path: Path) -> Listing:
    options = SOURCES[kind].options.model_validate({"path": str(path)})
    request = SourceRequest("chat", options, ("**/*",), (), path.parent, path.parent / "cache")
    listing = SOURCES[kind].list_entries(request)
    for entry in listing.entries:
        assert SOURCES[kind].fetch(request, entry)
    return listing


@pytest.mark.req("D2.29")
@pytest.mark.parametrize("kind", SOUND)
@pytest.mark.parametrize("broken", BROKEN, ids=lambda value: str(value)[:12])
def test_a_broken_file_is_named_and_its_channel_stays(kind: str, broken: Any, tmp_path: Path) -> None:
    files = {"sound/2026-05-28.json": [SOUND[kind]], "broken/2026-05-28.json": broken}
    listing = listed(kind, written(tmp_path, files))
    assert {entry.uri.split("/")[1] for entry in listing.entries} <= {"sound", "sound-2026-05-28"}
    assert len(listing.entries) == 1
    assert [(item.uri, "export it again" in item.detail) for item in listing.problems] == [
        ("chat/broken/2026-05-28.json", True)
    ]
    assert not listing.complete


@pytest.mark.req("D2.29")
def test_a_channel_that_stands_in_several_files_is_not_cut_short_by_a_damaged_one(tmp_path: Path) -> None:
    rooms = [{**SOUND["chat_export"], "id": number, "channel": "rooms"} for number in (1, 2)]
    lift = {**SOUND["chat_export"], "text": "The lift is repaired on Monday."}
    files = {"a.json": [rooms[0]], "b.json": [rooms[1]], "lift.json": [lift]}
    assert len(listed("chat_export", written(tmp_path, files)).entries) == 2
    listing = listed("chat_export", written(tmp_path, files | {"b.json": '[{"id": 2'}))
    assert [entry.uri.split("/")[1] for entry in listing.entries] == ["lift"]
    assert [item.uri for item in listing.problems] == ["chat/b.json", "chat/rooms"]
    assert not listing.complete

    day = [{**SOUND["slack_export"], "ts": f"17800{number}0000.000100"} for number in (0, 1)]
    sound = {"general/1.json": [day[0]], "general/2.json": [day[1]], "channels.json": [{"name": "general"}]}
    assert len(listed("slack_export", written(tmp_path, sound)).entries) == 1
    assert not listed("slack_export", written(tmp_path, sound | {"general/2.json": "[{"})).entries


def test_two_exports_of_one_chat_are_one(tmp_path: Path) -> None:
    chats = {"WhatsApp Chat with Ana": "", "WhatsApp Chat - Ana": "02/03/2026, 12:05 - Ben: And closes at nine.\n"}
    for name, more in chats.items():
        (tmp_path / f"{name}.txt").write_text(f"02/03/2026, 12:00 - Ana: The lift opens at eight.\n{more}")
    listing = listed("whatsapp_export", tmp_path)
    assert (len(listing.entries), listing.complete) == (1, True)
    options = SOURCES["whatsapp_export"].options.model_validate({"path": str(tmp_path)})
    request = SourceRequest("chat", options, ("**/*",), (), tmp_path, tmp_path / "cache")
    lines = SOURCES["whatsapp_export"].fetch(request, listing.entries[0]).decode()
    assert (lines.count("opens at eight"), lines.count("closes at nine"), lines.count("repeated")) == (1, 1, 0)
    (tmp_path / "notes.txt").write_text("No chat at all.")
    assert [item.uri for item in listed("whatsapp_export", tmp_path).problems] == ["chat/notes.txt"]


@pytest.mark.parametrize("kind", SOUND)
@pytest.mark.parametrize("odd", ODD, ids=["nothing", "types", "more"])
def test_fields_that_are_missing_or_of_another_type_lose_no_message(
    kind: str, odd: dict[str, Any], tmp_path: Path
) -> None:
    files = {
        "general/2026-05-28.json": [SOUND[kind] | odd, 1, None],
        "users.json": [{"id": "U1", "profile": None}, {"id": None}],
        "channels.json": [{"name": "general", **odd}],
    }
    if kind != "slack_export":
        del files["users.json"], files["channels.json"]
    listing = listed(kind, written(tmp_path, files))
    assert (len(listing.entries), listing.complete) == (1, True)


@pytest.mark.parametrize("lists", ["users.json", "channels.json", "groups.json"])
def test_without_the_lists_of_a_slack_export_nothing_is_listed(lists: str, tmp_path: Path) -> None:
    path = written(tmp_path, {"general/2026-05-28.json": [SOUND["slack_export"]], lists: '[{"id": "U1"'})
    with pytest.raises(SourceUnavailable, match=f"{lists} of the export is damaged"):
        listed("slack_export", path)


@pytest.mark.parametrize("kind", [*SOUND, "whatsapp_export", "archive", "notion", "confluence"])
def test_an_archive_that_is_cut_or_none_says_so(kind: str, tmp_path: Path) -> None:
    path = written(tmp_path, {"general/2026-05-28.json": [SOUND["chat_export"]] * 50})
    path.write_bytes(path.read_bytes()[:-40])
    if kind == "whatsapp_export":
        assert [problem.reason for problem in listed(kind, path).problems] == ["source_unreadable"]
        return
    with pytest.raises(SourceError, match=r"export\.zip"):
        listed(kind, path)
    with pytest.raises(SourceError, match="does not exist"):
        listed(kind, tmp_path / "missing.zip")


@pytest.mark.parametrize("kind", [*SOUND, "notion", "confluence"])
def test_a_folder_that_may_not_be_entered_is_not_taken_for_an_empty_one(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("general", "secret"):
        (tmp_path / "export" / folder).mkdir(parents=True)
        (tmp_path / "export" / folder / "2026-05-28.json").write_text(json.dumps([SOUND["chat_export"]]))
    import os

    scandir = os.scandir

    def refusing(path: Any = ".") -> Any:
        if str(path).endswith("secret"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    with pytest.raises(SourceUnavailable, match="secret may not be entered"):
        listed(kind, tmp_path / "export")


def test_a_notion_export_with_a_date_that_is_none_and_a_path_that_leads_out(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        dated = zipfile.ZipInfo("Page 0123456789abcdef0123456789abcdef.md")
        archive.writestr(dated, "# Page\n\nThe lift opens at eight.\n")
        archive.writestr("../out.md", "# Out\n")
    packed = inner.getvalue().replace(b"\0\0\0\0\x21\0", b"\0" * 6)  # the first of January 1980 as no day at all
    listing = listed("notion", written(tmp_path, {"Export-1-Part-1.zip": packed}))
    assert [entry.modified_at for entry in listing.entries] == [None]
    assert ["leads out" in problem.detail for problem in listing.problems] == [True]


def test_pages_of_a_mediawiki_export_without_title_or_namespace_are_named(tmp_path: Path) -> None:
    pages = (
        "<page><revision/></page><page><title>Lift</title><ns>x</ns><revision><text>It opens.</text></revision></page>"
    )
    (tmp_path / "wiki.xml").write_text(
        f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/">{pages}</mediawiki>'
    )
    listing = listed("mediawiki", tmp_path / "wiki.xml")
    assert [entry.uri for entry in listing.entries] == ["chat/Lift.html"]
    assert [problem.detail for problem in listing.problems] == ["a page of the export has no title"]


def test_a_page_in_a_damaged_part_of_a_notion_export_is_named(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("Oven 0123456789abcdef0123456789abcdef.md", "# Oven\n\n" + "Hot words. " * 50)
        begins = archive.infolist()[0].header_offset + 30 + len("Oven 0123456789abcdef0123456789abcdef.md")
    packed = bytearray(inner.getvalue())
    packed[begins : begins + 12] = b"\xff" * 12  # no beginning of packed data
    export = written(tmp_path, {"Export-1-Part-1.zip": bytes(packed)})
    with pytest.raises(SourceError, match="cannot be unpacked"):
        listed("notion", export)
