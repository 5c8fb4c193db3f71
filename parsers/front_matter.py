"""YAML or TOML front matter of a file in Markdown, AsciiDoc or reStructuredText."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any

from kprep.core.errors import FrontMatterInvalid
from kprep.core.models import DocumentMetadata
from parsers.decoding import Line

_LONGEST = 400
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
    if len(source) > 100_000 or source.count("*") > 500:
        raise _Unreadable("it is too large")
    values = _load_toml(source) if fence == "+++" else _load_yaml(source)
    if not isinstance(values, dict):
        raise _Unreadable("it holds no `key: value` lines")
    found = {str(key).lower(): plain(value) for key, value in values.items()}
    if len(found) < len(values):
        raise _Unreadable("a key stands twice")
    return found


def _load_toml(source: str) -> Any:
    import tomllib

    try:
        return tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        raise _Unreadable("not valid TOML") from error


def _load_yaml(source: str) -> Any:
    import yaml

    try:
        node = yaml.compose(source, Loader=yaml.SafeLoader)
        keys = [key.value for key, _ in node.value] if isinstance(node, yaml.MappingNode) else []
        if len(set(map(str, keys))) < len(keys):
            raise _Unreadable("a key stands twice")
        return yaml.safe_load(source) or {}
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _Unreadable("not valid YAML (quote a value that holds a colon)", mark.line + 1 if mark else 0) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise _Unreadable("a value is not what it looks like (a date that does not exist?)") from error


def plain(value: Any) -> Any:
    """Only what JSON knows: dates as ISO strings, keys as strings, sets as sorted lists."""
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(str(entry) for entry in value)
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    return str(value)


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
