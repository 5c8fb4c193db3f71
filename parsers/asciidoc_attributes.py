"""What AsciiDoc does to lines before they are read: values for `{name}`, conditions and includes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from parsers.decoding import Line

_ENTRY = re.compile(r":(!?)([\w-]+)(!?):(?:\s+(.*))?$")
_REFERENCE = re.compile(r"(\\?)\{([\w-]+)\}")
_VERBATIM = re.compile(r"(-{4,}|\.{4,}|\+{4,}|/{4,}|```)[\w+#.-]*\s*$")
_TABLE = re.compile(r"[|,:!]={3,}\s*$")
_DIRECTIVE = re.compile(r"\\?(?P<name>include|ifdef|ifndef|ifeval|endif)::(?P<of>[^\[]*)\[(?P<said>.*)\]\s*$")
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

    known: dict[str, str] = field(default_factory=lambda: dict(_CHARACTERS))

    def resolve(self, text: str) -> str:
        """The text with values for names; a name nobody set, or with a backslash before it, stays as written."""
        if "{" not in text:
            return text

        def value(match: re.Match[str]) -> str:
            if match.group(1):
                return match.group()[1:]
            return self.known.get(match.group(2).lower(), match.group())

        return _REFERENCE.sub(value, text)

    def take(self, entry: re.Match[str]) -> None:
        """Set or unset a name; a value may refer to names set before it."""
        before, name, after, said = entry.groups()
        if before or after:
            self.known.pop(name.lower(), None)
        else:
            self.known[name.lower()] = self.resolve((said or "").strip())[:MAX_VALUE]


def resolved(lines: Sequence[Line]) -> Iterator[Line]:
    """The lines in order, each with the values set before it, its place unchanged; listings, literal and passed-through
    blocks and comments stay as written. The title has the values of the header below it.

    Of conditions all branches stay, since whoever builds the pages sets what they ask for; what is included is not
    read (see `included`). Their lines are empty, and in listings and tables, whose rows they would part, not there."""
    values, fence, table = _Values(), "", ""
    title = next((at for at, line in enumerate(lines) if line.text.startswith("= ")), len(lines))
    for line in takewhile(lambda line: line.text.strip(), lines[title:]):
        if entry := _ENTRY.match(line.text):
            values.take(entry)
    for written in lines:
        line = _past_directive(written)
        if line is not written and not line.text and (fence or table):
            continue
        if not fence and _TABLE.match(line.text) and table in {"", line.text.rstrip()}:
            table = "" if table else line.text.rstrip()
        if fence:
            fence = "" if line.text.rstrip() == fence else fence
            yield line
            continue
        opened, entry = _VERBATIM.match(line.text), _ENTRY.match(line.text)
        if opened:
            fence = opened.group(1)
        elif entry:
            values.take(entry)
        yield line._replace(text=values.resolve(line.text))


def included(lines: Sequence[Line]) -> list[str]:
    """What the document includes, as it names it; none of it is read."""
    found = (_DIRECTIVE.match(line.text) for line in lines)
    return [match["of"] for match in found if match and match["name"] == "include" and match[0][0] != "\\"]


def _past_directive(line: Line) -> Line:
    """The line without a directive: what a condition on one line holds, or nothing; an escaped one is text."""
    match = _DIRECTIVE.match(line.text)
    if match is None:
        return line
    if match[0][0] == "\\":
        return line._replace(text=line.text[1:])
    return line._replace(text=match["said"] if match["name"] in {"ifdef", "ifndef"} else "")
