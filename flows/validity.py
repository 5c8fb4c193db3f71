"""Which document replaces which, and from when. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Versioned:
    """What a document says of its own validity (ISO dates, None where it says nothing), and the URI it supersedes."""

    uri: str
    valid_from: str | None
    valid_until: str | None
    supersedes: str = ""


@dataclass(frozen=True, slots=True)
class Replaced:
    """When a document ends (exclusive, ISO date or None), and the URIs of what supersedes it."""

    valid_until: str | None
    superseded_by: tuple[str, ...]


def targets(uri: str, supersedes: str) -> tuple[str, ...]:
    """URIs that what a document says it supersedes may mean: as it stands, or seen from the document's folder."""
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(uri), supersedes))
    return tuple(dict.fromkeys((supersedes, beside)))


def resolve(documents: Mapping[str, Versioned]) -> dict[str, Replaced]:
    """Document id -> how it ends. A document without an end of its own ends when its successor begins.

    In a chain each link counts for itself. Links that run in a circle count only where the successor begins later.
    """
    ids = {document.uri: key for key, document in documents.items()}
    older: dict[str, str] = {}
    for key, document in documents.items():
        found = (ids[uri] for uri in targets(document.uri, document.supersedes) if uri in ids)
        target = next(found, "") if document.supersedes else ""
        if target and target != key:
            older[key] = target
    successors: dict[str, list[Versioned]] = {}
    for key, target in older.items():
        if _begins_later(documents[key], documents[target]) or not _reaches(target, key, older):
            successors.setdefault(target, []).append(documents[key])
    out = {}
    for key, document in documents.items():
        newer = successors.get(key, [])
        starts = [item.valid_from for item in newer if item.valid_from and _begins_later(item, document)]
        until = document.valid_until or min(starts, default=None)
        out[key] = Replaced(until, tuple(sorted(item.uri for item in newer)))
    return out


def _begins_later(newer: Versioned, older: Versioned) -> bool:
    return newer.valid_from is not None and (older.valid_from is None or newer.valid_from > older.valid_from)


def _reaches(start: str, wanted: str, older: Mapping[str, str]) -> bool:
    """True when following what each document supersedes leads from one to the other."""
    seen: set[str] = set()
    at = start
    while at in older and at not in seen:
        seen.add(at)
        at = older[at]
        if at == wanted:
            return True
    return False
