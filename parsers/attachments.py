"""Files inside a document (pictures, embedded sheets, attached files): not read, and never lost without a word."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kprep.core.models import SourceUnit
from parsers.docx_xml import Package, local

NOT_EXTRACTED = "not_extracted"
_EMBEDDED = re.compile(
    r"(?:^|/)(?:embeddings|media|activeX|Pictures|ObjectReplacements|Object \d+/content\.xml)(?:/.|$)|\.(?:bin|ole)$",
    re.IGNORECASE,
)
_COMMENTS = re.compile(r"(?:^|/)(?:comments/)?(?:comments?|modernComment)[\w-]*\.xml$", re.IGNORECASE)
_PREVIEW = re.compile(r"(?:^|/)(?:Thumbnails|docProps)/", re.IGNORECASE)


def attachments(count: int) -> list[SourceUnit]:
    """A recorded exclusion for each of `count` files, numbered from 1."""
    return [SourceUnit("attachment", number, NOT_EXTRACTED, 0) for number in range(1, count + 1)]


def comments_of(package: Package) -> list[SourceUnit]:
    """A recorded exclusion for each reviewer's comment of an Office file: talk about the text, not the text."""
    roots = (package.xml(name) for name in package.names() if _COMMENTS.search(name))
    count = sum(local(node) in {"comment", "cm"} for root in roots if root is not None for node in root.iter())
    return [SourceUnit("comment", number, NOT_EXTRACTED, 0) for number in range(1, count + 1)]


def embedded_in(names: Iterable[str]) -> list[SourceUnit]:
    """A recorded exclusion for each member of an office archive that is a file of its own; previews are none."""
    found = [name for name in names if _EMBEDDED.search(name) and not _PREVIEW.search(name) and name[-1:] != "/"]
    return attachments(len(found))
