"""Settings of a configuration file: each key with its comment and value, next to the file itself as code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kprep.core.models import Element, ElementKind, Locator
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
    """A key (`path`, outermost first) whose characters are [start, end), and its value as written."""

    path: tuple[str, ...]
    start: int
    end: int
    value: str


def setting_elements(source: SourceText, settings: Sequence[Setting], language: str) -> Iterator[Element]:
    """The whole file as code, then the settings: first those of no section, then by section below its name.

    `anchor` of a setting is its dotted path, `fragment` "setting"; its place begins with the comment above it."""
    written = source.text.strip("\r\n\ufeff")
    if not written.strip():
        return
    start = source.text.index(written)
    lines = (source.lines.number_at(start), source.lines.number_at(start + len(written) - 1))
    yield Element(ElementKind.CODE, written, Locator(line=lines, char=(start, start + len(written))), language=language)
    told: dict[int, tuple[str, ...]] = {}
    together = _BLOCK if len(settings) > MAX_UNITS else 1
    for section, members in _by_section(settings).items():
        if section:
            yield heading(section, source.place(members[0].start, members[-1].end, section), 1)
        for at in range(0, len(members), together):
            yield _unit(source, members[at : at + together], told)


def _by_section(settings: Sequence[Setting]) -> dict[str, list[Setting]]:
    """Settings by the outermost key above them; those without one, "", first."""
    sections: dict[str, list[Setting]] = {"": []}
    for setting in settings:
        sections.setdefault(setting.path[0] if len(setting.path) > 1 else "", []).append(setting)
    return sections


def _unit(source: SourceText, settings: Sequence[Setting], told: dict[int, tuple[str, ...]]) -> Element:
    texts = [_text(source, setting, told) for setting in settings]
    place = source.place(min(first for _, first in texts), max(s.end for s in settings), ".".join(settings[0].path))
    return Element(ElementKind.PARAGRAPH, "\n".join(text for text, _ in texts), place, fragment="setting")


def _text(source: SourceText, setting: Setting, told: dict[int, tuple[str, ...]]) -> tuple[str, int]:
    """`comment`, then `path: value`; and where the comment begins. `told`: where comments that were said begin ->
    the keys above the setting that said it first."""
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
    text = f"{'.'.join(setting.path)}: {value[:_LONGEST_VALUE]}".rstrip(": ")
    return "\n".join([*filter(None, (*above, *own)), text]), first


def _is_about(comment: int, setting: Setting, told: dict[int, tuple[str, ...]]) -> bool:
    """Whether a comment speaks of a setting: of those of its line, not of what an alias elsewhere takes from there."""
    keys = told.setdefault(comment, setting.path[:-1])
    return setting.path[: len(keys)] == keys


def quote_settings(text: str, span: tuple[int, int], settings: Sequence[Setting]) -> str:
    """The lines of a place, after the full names of the settings in it (the outer keys of an inner one stand elsewhere)
    and their values (an alias names one)."""
    names = [
        f"{'.'.join(s.path)} {s.value}" for s in settings if s.start < span[1] and span[0] < max(s.end, s.start + 1)
    ]
    stop = min((at for sign in "\r\n" if (at := text.find(sign, span[1])) >= 0), default=len(text))
    return "\n".join([*names, text[span[0] : stop]])
