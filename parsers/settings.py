"""Settings of a configuration file: each key with its comment and value, next to the file itself as code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kprep.core.models import Element, ElementKind, Locator, SourceUnit
from parsers.anchors import Distinct, slug
from parsers.dotenv import MARK
from parsers.source_text import SourceText, heading

MAX_UNITS = 1_000
_BLOCK = 40
"""Of a file with more settings than `MAX_UNITS`, so many make one unit."""

_COMMENT_LINE = re.compile(r"\s*(?:#|;|//|!)+\s?(.*)$")
_TRAILING = re.compile(r"(?:^|\s)(?:#|//)\s+(\S.*)$")
_LONGEST_COMMENT = 20
_LONGEST_VALUE = 400


@dataclass(frozen=True, slots=True)
class Setting:
    """A key (`path`, outermost first) whose characters are [start, end), and its value as written. `part`: number of
    the part of the file it stands in; sections of one name in two parts are two. `members`: of a record in a list, the
    settings in it, which are told together; `apart`: it belongs to such a list."""

    path: tuple[str, ...]
    start: int
    end: int
    value: str
    part: int = 0
    members: tuple[Setting, ...] = ()
    apart: bool = False


@dataclass(frozen=True, slots=True)
class _Section:
    """Settings of a part below one outermost key; `name` "" and `anchor` "" for those without one."""

    part: int
    name: str
    anchor: str
    members: list[tuple[Setting, str]]
    """Settings in order, each with its anchor."""


def setting_elements(
    source: SourceText, settings: Sequence[Setting], language: str, titles: Sequence[str] = ()
) -> Iterator[Element]:
    """The whole file as code, then the settings: first those of no section, then by section below its name. With
    `titles` each part of the file is headed by its own.

    `anchor` of a setting is its dotted path, after the anchor of its part where these have titles; a second one of a
    name has a number (`server~2.port`). `fragment` is "setting"; its place begins with the comment above it."""
    written = source.text.strip("\r\n\ufeff")
    if not written.strip():
        return
    start = source.text.index(written)
    lines = (source.lines.number_at(start), source.lines.number_at(start + len(written) - 1))
    yield Element(ElementKind.CODE, written, Locator(line=lines, char=(start, start + len(written))), language=language)
    told: dict[int, tuple[str, ...]] = {}
    together = _BLOCK if len(settings) > MAX_UNITS else 1
    sections, anchors = _sections(settings, titles)
    part = -1
    for section in sections:
        if titles and section.part != part:
            part = section.part
            own = [setting for setting in settings if setting.part == part]
            yield heading(titles[part], source.place(*_reach(own), anchors[part]), 1)
        members = section.members
        if section.name:
            place = source.place(*_reach([setting for setting, _ in members]), section.anchor)
            yield heading(section.name, place, 2 if titles else 1)
        for at in range(0, len(members), together):
            yield _unit(source, members[at : at + together], told)


def withheld_lines(source: SourceText) -> list[SourceUnit]:
    """The lines of which something was withheld before they were read, as units that say so."""
    marked = [line.number for line in source.lines.all() if MARK in line.text]
    return [SourceUnit("line", number, "withheld", 0) for number in marked]


def _sections(settings: Sequence[Setting], titles: Sequence[str]) -> tuple[list[_Section], dict[int, str]]:
    """Settings by part and the outermost key above them, first those without one, to which all of a list of records
    belong; and the anchor of each part that has a title."""
    distinct = Distinct()
    parts = {number: distinct.take(slug(title) or "document") for number, title in enumerate(titles)}
    found: dict[tuple[int, str], list[Setting]] = {}
    records = {(setting.part, setting.path[0]) for setting in settings if setting.members and len(setting.path) == 1}
    for setting in settings:
        is_outermost = len(setting.path) == 1 or (setting.part, setting.path[0]) in records
        found.setdefault((setting.part, "" if is_outermost else setting.path[0]), []).append(setting)
    sections = []
    for part, name in sorted(found, key=lambda key: (key[0], key[1] != "")):
        before = f"{parts[part]}/" if titles else ""
        anchor = distinct.take(before + name) if name else ""
        members = [
            (s, distinct.take(".".join([anchor, *s.path[1:]]) if name else before + ".".join(s.path)))
            for s in found[part, name]
        ]
        sections.append(_Section(part, name, anchor, members))
    return sections, parts


def span_of(settings: Sequence[Setting], titles: Sequence[str], anchor: str | None) -> tuple[int, int] | None:
    """Characters of the setting, section or part with an anchor."""
    sections, parts = _sections(settings, titles)
    named = [
        setting
        for section in sections
        for setting, own in section.members
        if anchor and anchor in {own, section.anchor, parts.get(section.part)}
    ]
    return _reach(named) if named else None


def _reach(settings: Sequence[Setting]) -> tuple[int, int]:
    """Characters from the first setting to the end of the last (what a merge takes in stands before both)."""
    start = settings[0].start
    return start, max(start, *(setting.end for setting in settings))


def _unit(source: SourceText, members: Sequence[tuple[Setting, str]], told: dict[int, tuple[str, ...]]) -> Element:
    settings = [setting for setting, _ in members]
    texts = [_text(source, setting, told) for setting in settings]
    place = source.place(min(first for _, first in texts), max(s.end for s in settings), members[0][1])
    return Element(ElementKind.PARAGRAPH, "\n".join(text for text, _ in texts), place, fragment="setting")


def _text(source: SourceText, setting: Setting, told: dict[int, tuple[str, ...]]) -> tuple[str, int]:
    """What a setting says, and where it begins, as `_line`; of a record its name, then each of its settings."""
    if not setting.members:
        return _line(source, setting, told, 0)
    lines = [_line(source, member, told, len(setting.path)) for member in setting.members]
    return "\n".join([".".join(setting.path), *(text for text, _ in lines)]), min(setting.start, lines[0][1])


def _line(source: SourceText, setting: Setting, told: dict[int, tuple[str, ...]], above_it: int) -> tuple[str, int]:
    """`comment`, then `path: value`; and where the comment begins. `told`: where comments that were said begin ->
    the keys above the setting that said it first. `above_it`: keys of the path that are said before."""
    number = source.lines.number_at(setting.start)
    above: list[str] = []
    first = setting.start
    for line in reversed(source.lines.between(number - _LONGEST_COMMENT, number - 1) if number > 1 else []):
        match = _COMMENT_LINE.match(line.text)
        if match is None:
            break
        above.insert(0, match.group(1).strip())
        first = line.start
    if above and not _is_about(first, setting, told):
        above, first = [], setting.start
    end = source.lines.number_at(max(setting.end - 1, setting.start))
    last = source.lines.between(end, end)[0]
    after = _TRAILING.search(last.text, max(setting.end - last.start, 0))
    own = [after.group(1).strip()] if after and _is_about(last.start + after.start(1), setting, told) else []
    value = " ".join(setting.value.split())
    text = f"{'.'.join(setting.path[above_it:])}: {value[:_LONGEST_VALUE]}".rstrip(": ")
    return "\n".join([*filter(None, (*above, *own)), text]), first


def _is_about(comment: int, setting: Setting, told: dict[int, tuple[str, ...]]) -> bool:
    """Whether a comment speaks of a setting: of those of its line, not of what an alias elsewhere takes from there."""
    keys = told.setdefault(comment, setting.path[:-1])
    return setting.path[: len(keys)] == keys


def quote_settings(text: str, span: tuple[int, int], settings: Sequence[Setting]) -> str:
    """The lines of a place, after the full names of the settings in it (the outer keys of an inner one stand elsewhere)
    and their values (an alias names one)."""
    inside = [s for s in settings if s.start < span[1] and span[0] < max(s.end, s.start + 1)]
    names = [f"{'.'.join(s.path)} {s.value}" for setting in inside for s in (setting, *setting.members)]
    stop = min((at for sign in "\r\n" if (at := text.find(sign, span[1])) >= 0), default=len(text))
    return "\n".join([*names, text[span[0] : stop]])
