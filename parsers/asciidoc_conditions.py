"""Conditions of AsciiDoc (`ifdef`, `ifndef`, `ifeval`) by what the document itself sets, as Asciidoctor reads them."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kprep.core.models import SourceUnit
from parsers.decoding import Line

UNMET = "condition_unmet"
_DIRECTIVE = re.compile(r"(?P<name>ifdef|ifndef|ifeval|endif)::(?P<of>[^\[\s]*)\[(?P<said>.*)\]\s*$")
_COMPARED = re.compile(r"(.+?)\s*([=!<>]=|[<>])\s*(.+)$")
_REFERENCE = re.compile(r"\{([\w-]+)\}")
_WHOLE, _DECIMAL = re.compile(r"[-+]?\d{1,18}$"), re.compile(r"[-+]?\d{1,18}\.\d{1,18}$")
_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_BUILT_IN = {
    "asciidoctor": "", "backend": "html5", "backend-html5": "", "basebackend": "html", "basebackend-html": "",
    "doctype": "article", "filetype": "html", "filetype-html": "", "outfilesuffix": ".html",
}  # fmt: skip
"""What holds in every document, read as a page of HTML."""


@dataclass(slots=True)
class _Open:
    """A condition that is not closed. `first`, `last`: of the lines it leaves out, the outermost that does so."""

    of: str
    is_met: bool
    written: Line
    first: Line | None = None
    last: Line | None = None


class Conditions:
    """Reads the lines of one document in order. `units`: what conditions that are not met leave out."""

    def __init__(self) -> None:
        self.units: list[SourceUnit] = []
        self._open: list[_Open] = []

    def read(self, line: Line, known: Mapping[str, str]) -> Line | None:
        """What stands for the line: itself; for a condition on one line what it holds; None for a directive, and for
        what a condition leaves out. `known`: names the document has set above it, with their values."""
        match = _DIRECTIVE.match(line.text)
        unmet = next((one for one in self._open if not one.is_met), None)
        said = match["said"] if match and match["name"] in {"ifdef", "ifndef"} else ""
        if unmet is not None and (match is None or said):
            unmet.first, unmet.last = unmet.first or line, line
            return None
        if match is None:
            return line
        if match["name"] == "endif":
            self._close(match["of"])
            return None
        is_met = unmet is not None or _is_met(match, known)
        if said and is_met:
            return line._replace(text=said)
        if said:
            self._record(_Open("", is_met, line, line, line))
        else:
            self._open.append(_Open(match["of"], is_met, line))
        return None

    def end(self) -> None:
        """The document is over: conditions that nobody closed end with it."""
        while self._open:
            self._close("")

    def _close(self, of: str) -> None:
        """Close the last condition; one that is named and is another stays open."""
        if self._open and of in {"", self._open[-1].of}:
            self._record(self._open.pop())

    def _record(self, condition: _Open) -> None:
        if condition.first is None or condition.last is None:
            return
        written = condition.written.text.strip().partition("[")[0] or "ifeval"
        place = (condition.first.start, condition.last.end)
        name = f"{written} in line {condition.written.number}"
        self.units.append(SourceUnit("branch", len(self.units) + 1, UNMET, 0, name, place))


def _is_met(match: re.Match[str], known: Mapping[str, str]) -> bool:
    names = {**_BUILT_IN, **known}
    names[f"doctype-{names['doctype']}"] = ""
    if match["name"] == "ifeval":
        return _evaluated(match["said"], names)
    every = "+" in match["of"]
    found = [name.strip().lower() in names for name in re.split("[,+]", match["of"])]
    holds = all(found) if every else any(found)
    return holds if match["name"] == "ifdef" else not holds


def _evaluated(said: str, names: Mapping[str, str]) -> bool:
    """Whether a comparison holds; one of things that cannot be compared does not."""
    match = _COMPARED.match(said.strip())
    if match is None:
        return False
    left, right = (_value(match.group(at), names) for at in (1, 3))
    try:
        return _COMPARE[match.group(2)](left, right)
    except TypeError:
        return False


def _value(written: str, names: Mapping[str, str]) -> object:
    """A text in quotes, else a number or what is true or false; a name nobody has set is nothing."""
    written = written.strip()
    quoted = len(written) > 1 and written[0] == written[-1] and written[0] in "\"'"
    said = _REFERENCE.sub(lambda name: names.get(name.group(1).lower(), ""), written[1:-1] if quoted else written)
    if quoted:
        return said
    if _WHOLE.match(said) or _DECIMAL.match(said):
        return float(said)
    return {"true": True, "false": False, "": None}.get(said, said)
