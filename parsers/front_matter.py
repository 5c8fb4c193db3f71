"""YAML or TOML front matter of a file in Markdown, AsciiDoc or reStructuredText."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any

from kprep.bounded_yaml import YamlRefused, load
from kprep.core.errors import FrontMatterInvalid
from kprep.core.models import DocumentMetadata
from parsers.decoding import Line

_LONGEST = 400
_LONGEST_NUMBER = 1024
"""Bits of a number that Python still writes in decimal digits, as JSON asks."""
_KEY = re.compile(r"[\w-]+\s*[:=](?:\s|$)")
_FENCES = {"---": frozenset(("---", "...")), "+++": frozenset(("+++",))}


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What the file says of itself and the last line of the block that says it (0 = none)."""

    metadata: DocumentMetadata
    last_line: int


def read_front_matter(lines: Sequence[Line]) -> FrontMatter:
    """Metadata from a YAML block (`---`) or a TOML block (`+++`) before anything else in the file; keys in lower case.

    Raises: FrontMatterInvalid for a block that is meant as one (it holds a `key:`) but cannot be read: it may say who
    may read the document, so neither its words nor the rest go anywhere. A rule line without keys is text.
    """
    nothing = FrontMatter(DocumentMetadata(), 0)
    start = next((i for i, line in enumerate(lines[:_LONGEST]) if line.text.strip()), None)
    fence = lines[start].text.rstrip() if start is not None else ""
    if start is None or fence not in _FENCES:
        return nothing
    ends = _FENCES[fence]
    end = next(
        (i for i, line in enumerate(lines[start + 1 : start + _LONGEST], start + 1) if line.text.rstrip() in ends), 0
    )
    inside = [line.text for line in lines[start + 1 : end or start + _LONGEST]]
    first = next((text for text in inside if text.strip() and not text.startswith("#")), "")
    if not end:
        if _KEY.match(first):
            raise FrontMatterInvalid(
                f"the front matter in line {start + 1} is not closed by a line {fence}", line=start + 1
            )
        return nothing
    try:
        values = _load("\n".join(inside), fence)
    except _Unreadable as error:
        if not any(_KEY.match(text) for text in inside):
            return nothing
        place = start + 1 + error.line
        raise FrontMatterInvalid(
            f"the front matter cannot be read in line {place}: {error.reason}", line=place
        ) from error
    return FrontMatter(_metadata(values), end + 1)


class _Unreadable(Exception):
    """Why a block is no front matter, and in which of its lines (from 1, 0 = unknown)."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.reason, self.line = reason, line


def _load(source: str, fence: str) -> dict[str, Any]:
    if len(source) > 100_000:
        raise _Unreadable("it is too large")
    values = _load_toml(source) if fence == "+++" else _load_yaml(source)
    if not isinstance(values, dict):
        raise _Unreadable("it holds no `key: value` lines")
    try:
        found = {str(key).lower(): plain(value) for key, value in values.items()}
    except RecursionError:
        raise _Unreadable("nested too deep") from None
    if len(found) < len(values):
        raise _Unreadable("a key stands twice")
    return found


def _load_toml(source: str) -> Any:
    import tomllib

    try:
        return tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        raise _Unreadable("not valid TOML") from error
    except RecursionError:
        raise _Unreadable("nested too deep") from None


def _load_yaml(source: str) -> Any:
    try:
        return load(source) or {}
    except YamlRefused as error:
        raise _Unreadable(error.reason, error.line) from error


def plain(value: Any) -> Any:
    """Only what JSON knows: dates as ISO strings, keys as strings, sets as sorted lists, numbers beyond it as text."""
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(str(entry) for entry in value)
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, int) and value.bit_length() > _LONGEST_NUMBER:
        return hex(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, (str, int, float)) else str(value)


def _metadata(values: Mapping[str, Any]) -> DocumentMetadata:
    authors = values.get("authors", values.get("author", ()))
    names = authors if isinstance(authors, list) else [authors]
    return DocumentMetadata(
        title=str(values.get("title") or ""),
        authors=tuple(str(name) for name in names if isinstance(name, str) and name),
        created_at=moment(values.get("date") or values.get("created")),
        modified_at=moment(values.get("updated") or values.get("modified") or values.get("last_modified")),
        language=str(values.get("lang") or values.get("language") or ""),
        front_matter=values,
    )


def moment(value: Any) -> datetime | None:
    """The time an ISO string names, in UTC when it names no zone; None when it is no time."""
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
