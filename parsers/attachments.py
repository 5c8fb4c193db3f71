"""Files inside a document (pictures, embedded sheets, attached files): not read, and never lost without a word."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kprep.core.models import SourceUnit

NOT_EXTRACTED = "not_extracted"
_EMBEDDED = re.compile(
    r"(?:^|/)(?:embeddings|media|activeX|Pictures|ObjectReplacements|Object \d+/content\.xml)(?:/.|$)|\.(?:bin|ole)$",
    re.IGNORECASE,
)
_PREVIEW = re.compile(r"(?:^|/)(?:Thumbnails|docProps)/", re.IGNORECASE)


def attachments(count: int) -> list[SourceUnit]:
    """A recorded exclusion for each of `count` files, numbered from 1."""
    return [SourceUnit("attachment", number, NOT_EXTRACTED, 0) for number in range(1, count + 1)]


def embedded_in(names: Iterable[str]) -> list[SourceUnit]:
    """A recorded exclusion for each member of an office archive that is a file of its own; previews are none."""
    found = [name for name in names if _EMBEDDED.search(name) and not _PREVIEW.search(name) and name[-1:] != "/"]
    return attachments(len(found))
