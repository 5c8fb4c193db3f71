"""Configuration by lines: INI, TOML, `.env`, Java properties. The file as code, and each setting by its name."""

from __future__ import annotations

import re

from kprep.core.models import Locator, ParsedDocument, ParserSpec, RawDocument
from parsers.decoding import Line, decode
from parsers.settings import Setting, quote_settings, setting_elements, span_of, withheld_lines
from parsers.source_text import SourceText, document, read
from parsers.source_text import quote as quote_text

NAME = "ini_config"
VERSION = 5
MEDIA_TYPES = ("text/x-ini", "application/toml", "text/x-dotenv", "text/x-java-properties")
MAX_BYTES = 8_000_000

_LANGUAGES = {"application/toml": "toml", "text/x-dotenv": "dotenv", "text/x-java-properties": "properties"}
_SECTION = re.compile(r"\s*\[+([^\]\[]+)\]+\s*(?:[#;].*)?$")
_KEY = re.compile(r"\s*(?:export\s+)?([^\s=:#;!\[][^=:]*)[=:]\s*(.*)$")
_COMMENT = re.compile(r"\s*[#;!]")
_LONGEST = 500
"""Lines of one value."""


def parse(raw: RawDocument) -> ParsedDocument:
    """The file as one code element, then its settings in order. A line that sets nothing is in the code alone; a line
    of which something was withheld (`withheld`) is a unit in state "withheld".

    Raises: TooLarge."""
    source = read(raw, MAX_BYTES)
    language = _LANGUAGES.get(raw.media_type.partition(";")[0], "ini")
    elements = list(setting_elements(source, settings_of(source), language))
    return document(raw, f"{NAME}@{VERSION}", elements, left_out=withheld_lines(source))


def quote(content: bytes, locator: Locator) -> str:
    """The lines at the place, after the full names of the settings in them; with an anchor alone, of that setting."""
    source = SourceText(decode(content).text)
    settings = settings_of(source)
    span = locator.char or span_of(settings, (), locator.anchor)
    return quote_settings(source.text, span, settings) if span else quote_text(content, locator)


def settings_of(source: SourceText) -> list[Setting]:
    """The settings of a file in order."""
    lines = source.lines.all()
    section: tuple[str, ...] = ()
    out: list[Setting] = []
    at = looked_ahead = part = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if _COMMENT.match(line.text) or not line.text.strip():
            continue
        found = _SECTION.match(line.text)
        if found:
            section = (found.group(1).replace('"', "").strip(),)
            part += 1
            continue
        key = _KEY.match(line.text)
        if key is None:
            continue
        last = _last_line(lines, at - 1, key.group(2)) if looked_ahead < 4 * len(lines) + _LONGEST else at - 1
        looked_ahead += _LONGEST if last == at - 1 and _stays_open(key.group(2)) else last - at + 1
        value = "\n".join([key.group(2), *(more.text for more in lines[at : last + 1])])
        name = key.group(1).strip().strip("\"'")
        start = line.start + len(line.text) - len(line.text.lstrip())
        shown, end = _without_comment(value), lines[last].end
        end = line.start + key.start(2) + len(shown) if last == at - 1 else end
        out.append(Setting((*section, name), start, end, shown, part))
        at = last + 1
    return out


def _without_comment(value: str) -> str:
    """The value without a comment after it; quotes around it stay."""
    if value[:1] in {'"', "'"}:
        close = value.find(value[0], 1)
        return value if close < 0 or "\n" in value else value[: close + 1]
    return value if "\n" in value else re.split(r"\s+[#;]\s", value, maxsplit=1)[0].rstrip()


def _last_line(lines: list[Line], at: int, value: str) -> int:
    """Index of the last line of a value: after a backslash, inside TOML's long strings and brackets, or indented."""
    limit = min(len(lines), at + _LONGEST)
    mark = next((quotes for quotes in ('"""', "'''") if value.startswith(quotes)), "")
    if mark:
        if mark in value[3:]:
            return at
        return next((n for n in range(at + 1, limit) if mark in lines[n].text), at)
    if value[:1] in {"[", "{"} and not _closed(value):
        depth = 0
        for number in range(at, limit):
            text = value if number == at else lines[number].text
            depth += sum(text.count(sign) for sign in "[{") - sum(text.count(sign) for sign in "]}")
            if depth <= 0:
                return number
        return at
    while at + 1 < limit and (lines[at].text.endswith("\\") or _continues(lines[at + 1])):
        at += 1
    return at


def _stays_open(value: str) -> bool:
    return value.startswith(('"""', "'''")) or (value[:1] in {"[", "{"} and not _closed(value))


def _closed(value: str) -> bool:
    return sum(map(value.count, "[{")) <= sum(map(value.count, "]}"))


def _continues(line: Line) -> bool:
    """An indented line without a key of its own goes on with the value before, as in INI files."""
    return (
        line.text[:1] in {" ", "\t"}
        and bool(line.text.strip())
        and not _KEY.match(line.text)
        and not _COMMENT.match(line.text)
    )


PARSER = ParserSpec(NAME, VERSION, MEDIA_TYPES, parse, quote)
