"""What AsciiDoc does to lines before they are read: values for `{name}`, conditions and includes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from kprep.core.models import SourceUnit
from parsers.asciidoc_conditions import Conditions
from parsers.decoding import Line

_ENTRY = re.compile(r":(!?)([\w-]+)(!?):(?:\s+(.*))?$")
_REFERENCE = re.compile(r"(\\?)\{([\w-]+)\}")
_VERBATIM = re.compile(r"(-{4,}|\.{4,}|\+{4,}|/{4,}|```)[\w+#.-]*\s*$")
_TABLE = re.compile(r"[|,:!]={3,}\s*$")
_INCLUDE = re.compile(r"include::(?P<of>[^\[]*)\[.*\]\s*$")
_ESCAPED = re.compile(r"\\(?:include|ifdef|ifndef|ifeval|endif)::[^\[]*\[.*\]\s*$")
MAX_VALUE = 2_000
"""Characters of one value: references in values may not grow a line without bound."""
_CHARACTERS = {
    "amp": "&", "apos": "'", "asterisk": "*", "backslash": "\\", "backtick": "`", "blank": "", "brvbar": "\u00a6",
    "caret": "^", "cpp": "C++", "deg": "\u00b0", "empty": "", "endsb": "]", "gt": ">", "ldquo": "\u201c",
    "lsquo": "\u2018", "lt": "<", "nbsp": "\u00a0", "plus": "+", "quot": '"', "rdquo": "\u201d", "rsquo": "\u2019",
    "sp": " ", "startsb": "[", "tilde": "~", "two-colons": "::", "two-semicolons": ";;", "vbar": "|",
    "wj": "\u2060", "zwsp": "\u200b",
}  # fmt: skip
"""Names that mean a character in every document (Asciidoctor's character replacement attributes)."""


@dataclass(slots=True)
class _Values:
    """What names stand for up to the line that is read."""

    known: dict[str, str] = field(default_factory=dict)

    def resolve(self, text: str) -> str:
        """The text with values for names; a name nobody set, or with a backslash before it, stays as written."""
        if "{" not in text:
            return text

        def value(match: re.Match[str]) -> str:
            if match.group(1):
                return match.group()[1:]
            name = match.group(2).lower()
            return self.known.get(name, _CHARACTERS.get(name, match.group()))

        return _REFERENCE.sub(value, text)

    def take(self, entry: re.Match[str]) -> None:
        """Set or unset a name; a value may refer to names set before it."""
        before, name, after, said = entry.groups()
        if before or after:
            self.known.pop(name.lower(), None)
        else:
            self.known[name.lower()] = self.resolve((said or "").strip())[:MAX_VALUE]


@dataclass(slots=True)
class Read:
    """The lines of a document as they are read. `units`: the branches its conditions leave out; `included`: what it
    includes, as it names it."""

    lines: list[Line] = field(default_factory=list)
    units: list[SourceUnit] = field(default_factory=list)
    included: list[str] = field(default_factory=list)


def resolved(lines: Sequence[Line]) -> Read:
    """The lines in order, each with the values set before it, its place unchanged; listings, literal and passed-through
    blocks and comments stay as written. The title has the values of the header below it.

    Of conditions those branches are there that what the document sets above them asks for (see `Conditions`); lines of
    conditions are not. What is included is not read: its line is empty, and in listings and tables, whose rows it would
    part, not there."""
    read, values, conditions = Read(), _Values(), Conditions()
    fence = table = ""
    header = _header_values(lines)
    titled = False
    for written in lines:
        line = conditions.read(written, values.known)
        if line is None:
            continue
        include = _INCLUDE.match(line.text)
        if include:
            read.included.append(include["of"])
            read.lines += [] if fence or table else [line._replace(text="")]
            continue
        line = line._replace(text=line.text[1:]) if _ESCAPED.match(line.text) else line
        if not fence and _TABLE.match(line.text) and table in {"", line.text.rstrip()}:
            table = "" if table else line.text.rstrip()
        if fence:
            fence = "" if line.text.rstrip() == fence else fence
            read.lines.append(line)
            continue
        opened, entry = _VERBATIM.match(line.text), _ENTRY.match(line.text)
        if opened:
            fence = opened.group(1)
        elif entry:
            values.take(entry)
        is_title = not titled and line.text.startswith("= ")
        titled = titled or is_title
        read.lines.append(line._replace(text=(header if is_title else values).resolve(line.text)))
    conditions.end()
    read.units = conditions.units
    return read


def _header_values(lines: Sequence[Line]) -> _Values:
    """What the header sets: the lines from the title to the first empty one, and those above it."""
    values, conditions = _Values(), Conditions()
    titled = False
    for written in lines:
        line = conditions.read(written, values.known)
        if titled and line is not None and not line.text.strip():
            break
        titled = titled or (line is not None and line.text.startswith("= "))
        if line is not None and (entry := _ENTRY.match(line.text)):
            values.take(entry)
    return values if titled else _Values()
