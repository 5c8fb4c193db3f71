"""YAML front matter of a Markdown file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any

from kprep.core.models import DocumentMetadata
from parsers.decoding import Line

_LONGEST = 400
_KEY = re.compile(r"[\w-]+:(?:\s|$)")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What the file says of itself and the last line of the block that says it (0 = none).

    `broken`: the block is there, but is not YAML or no mapping; its lines are text.
    """

    metadata: DocumentMetadata
    last_line: int
    broken: bool = False


def read_front_matter(lines: Sequence[Line]) -> FrontMatter:
    """Metadata from a `---` block at the very start of the file.

    A block that is not closed is no front matter. One that is not YAML, or not a mapping though it holds a `key:`, is
    broken: its words are kept as they are.
    """
    nothing = FrontMatter(DocumentMetadata(), 0)
    if not lines or lines[0].text.rstrip() != "---":
        return nothing
    end = next((i for i, line in enumerate(lines[1:_LONGEST], 1) if line.text.rstrip() in {"---", "..."}), 0)
    if not end:
        return nothing
    inside = [line.text for line in lines[1:end]]
    values = _load("\n".join(inside))
    if values is None:
        is_meant = any(_KEY.match(text) for text in inside)
        return FrontMatter(DocumentMetadata(), end + 1, broken=True) if is_meant else nothing
    return FrontMatter(_metadata(values), end + 1)


def _load(source: str) -> dict[str, Any] | None:
    import yaml

    if len(source) > 100_000 or source.count("*") > 500:
        return None
    try:
        values = yaml.safe_load(source)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    if values is None:
        return {}
    return plain(values) if isinstance(values, dict) else None


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
