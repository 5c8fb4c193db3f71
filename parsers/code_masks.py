"""What a grammar cannot read, taken out of the copy of a source that is parsed; every character keeps its place.

C and C++: conditionals whose branches open or close a block, macros in the heads of classes and functions and on lines
of their own. SQL: the delimiters of MySQL's client, and the routines between them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

_NO_CODE = re.compile(r'//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', re.DOTALL)
_TOKEN = re.compile(
    r"^[ \t]*#[ \t]*(?P<directive>ifdef|ifndef|if|elifdef|elifndef|elif|else|endif)\b(?:\\\n|[^\n])*|[{}]", re.MULTILINE
)
_MACRO = r"[A-Z][A-Z\d]*(?:_[A-Z\d]+)*"
_IN_CLASS_HEAD = re.compile(
    rf"\b(?:class|struct|union|enum(?:\s+(?:class|struct))?)\s+(?P<macro>(?:{_MACRO}(?:\([^()\n]*\))?\s+)+)"
    r"(?=[A-Za-z_]\w*\s*(?:final\b\s*)?(?::(?!:)[^;{}()]{0,500})?\{)"
)
_BEFORE_FUNCTION = re.compile(
    rf"^[ \t]*(?P<macro>{_MACRO}(?:\([^()\n]*\))?[ \t]+)(?=(?:[\w:<>,*&]+[ \t*&]+){{1,6}}[*&]?[\w:~]+[ \t]*\()",
    re.MULTILINE,
)
_BEFORE_NAME = re.compile(
    rf"^[^\n;{{}}()=#]{{0,200}}?\b(?!(?:static|extern|const|inline|unsigned|signed|virtual|typedef|return|struct|enum)\b)"
    rf"\w+[ \t*&]+(?P<macro>{_MACRO}[ \t]+)(?=[*&]?[\w:~]+[ \t]*\()",
    re.MULTILINE,
)
_ALONE = re.compile(
    rf"^[ \t]*(?P<macro>(?:{_MACRO}(?:\([^()\n]*\))?|(?:signals|Q_SIGNALS|(?:public|private|protected)[ \t]+"
    r"(?:Q_SLOTS|slots))[ \t]*:))[ \t]*$(?!\s*[{(:,=])",
    re.MULTILINE,
)
_DELIMITER = re.compile(r"^[ \t]*DELIMITER[ \t]+(?P<sign>\S+)[ \t]*$", re.MULTILINE | re.IGNORECASE)
_ROUTINE = re.compile(
    r"(?P<create>CREATE\s+(?:OR\s+REPLACE\s+)?(?:DEFINER\s*=\s*\S+\s+)?(?:AGGREGATE\s+)?"
    r"(?:PROCEDURE|FUNCTION|TRIGGER|EVENT)\s+(?:IF\s+NOT\s+EXISTS\s+)?)(?P<name>[`\"\w.$]+)",
    re.IGNORECASE,
)
_STANDS_FOR = "DROP TABLE "
"""A statement about a name, which is all that is asked of a routine."""


def parseable(text: str, grammar: str) -> str:
    """The text to parse in place of a source, as long as this."""
    mask = _MASKS.get(grammar)
    return mask(text) if mask else text


def _of_c(text: str) -> str:
    code = _NO_CODE.sub(_blanked, text)
    signs = list(text)
    for start, end in _conditionals(code):
        _blank(signs, start, end)
    for pattern in (_ALONE, _IN_CLASS_HEAD, _BEFORE_FUNCTION, _BEFORE_NAME):
        for found in pattern.finditer(code):
            _blank(signs, *found.span("macro"))
    return "".join(signs)


@dataclass
class _Group:
    """A conditional being read: where its directives begin and end, and of each branch how many blocks it closes that
    it did not open, and how many it leaves open."""

    directives: list[tuple[int, int]] = field(default_factory=list)
    branches: list[list[int]] = field(default_factory=list)

    def directive(self, found: re.Match[str]) -> None:
        """A new branch, or the end of the last one."""
        self.directives.append(found.span())
        if found["directive"] != "endif":
            self.branches.append([0, 0])

    def take(self, closed: int, opened: int) -> None:
        """Blocks that are closed and opened in the branch being read."""
        branch = self.branches[-1]
        branch[0] += max(closed - branch[1], 0)
        branch[1] = max(branch[1] - closed, 0) + opened

    def taken_out(self) -> list[tuple[int, int]]:
        """What is not parsed of it: where a branch opens or closes a block, the directives and all branches but the
        first; of a single branch, as around `extern "C" {`, all."""
        if not any(any(branch) for branch in self.branches):
            return []
        (start, first), (second, _), (_, end) = self.directives[0], self.directives[1], self.directives[-1]
        return [(start, first), (second, end)] if len(self.branches) > 1 else [(start, end)]


def _conditionals(code: str) -> Iterator[tuple[int, int]]:
    """What is taken out of conditionals, the inner ones before those around them."""
    groups = [_Group(branches=[[0, 0]])]
    for found in _TOKEN.finditer(code):
        kind = found["directive"]
        if kind is None:
            groups[-1].take(*((0, 1) if found[0] == "{" else (1, 0)))
        elif kind.startswith("if"):
            groups.append(_Group())
            groups[-1].directive(found)
        elif len(groups) > 1:
            groups[-1].directive(found)
            if kind == "endif":
                group = groups.pop()
                yield from group.taken_out()
                if len(group.branches) > 1:
                    groups[-1].take(*group.branches[0])


def _of_sql(text: str) -> str:
    signs = list(text)
    set_at = list(_DELIMITER.finditer(text))
    for number, found in enumerate(set_at):
        _blank(signs, *found.span())
        end = set_at[number + 1].start() if number + 1 < len(set_at) else len(text)
        if found["sign"] != ";":
            _of_region(text, signs, found.end(), end, found["sign"])
    return "".join(signs)


def _of_region(text: str, signs: list[str], start: int, end: int, delimiter: str) -> None:
    """Statements up to a delimiter of their own: it becomes a semicolon, a routine a statement that has its name."""
    while start < end:
        stop = text.find(delimiter, start, end)
        stop = end if stop < 0 else stop
        if routine := _ROUTINE.search(text, start, stop):
            first = routine.end("create")
            _blank(signs, routine.start(), stop)
            signs[routine.start() : routine.start() + len(_STANDS_FOR)] = _STANDS_FOR
            signs[first : routine.end()] = text[first : routine.end()]
        if stop < end:
            _blank(signs, stop, stop + len(delimiter))
            signs[stop] = ";"
        start = stop + len(delimiter)


def _blank(signs: list[str], start: int, end: int) -> None:
    for at in range(start, end):
        if signs[at] not in "\r\n":
            signs[at] = " "


def _blanked(found: re.Match[str]) -> str:
    return re.sub(r"[^\r\n]", " ", found[0])


_MASKS: Mapping[str, Callable[[str], str]] = {"c": _of_c, "cpp": _of_c, "sql": _of_sql}
