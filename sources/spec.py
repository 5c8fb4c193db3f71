"""What every source gives and takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path


@dataclass(frozen=True, slots=True)
class SourceRequest:
    """Where to look. `path` is absolute; `include` and `exclude` are patterns like those of .gitignore."""

    name: str
    path: Path
    include: tuple[str, ...]
    exclude: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One document of a source, as listed. `location` is what the source needs to fetch it.

    `acl`: who may read it, where the source itself says so; None when it says nothing. `acl_problem`: why what it says
    cannot be read, in which case `acl` is empty: nobody may.
    """

    uri: str
    name: str
    location: str
    version_token: str
    size: int
    modified_at: datetime | None
    acl: tuple[str, ...] | None = None
    acl_problem: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """An entry (or folder) that is there but cannot be listed or read."""

    uri: str
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Listing:
    """Entries in order of URI. `complete` is False when something below the source could not be looked into."""

    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """A kind of source. `fetch` gives the bytes now; they may be newer than the listing says."""

    name: str
    version: int
    list_entries: Callable[[SourceRequest], Listing]
    fetch: Callable[[SourceRequest, Entry], bytes]
