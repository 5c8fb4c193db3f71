"""What every source gives and takes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from kprep.core.errors import SourceError


class Options(BaseModel):
    """Keys of `kprep.yaml` that only one kind of source has; each with a description, which the README shows."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def _silent(_done: int, _known: int) -> None:
    """Nobody looks."""


@dataclass(frozen=True, slots=True)
class SourceRequest:
    """Where to look, and with what.

    `include` and `exclude` are patterns like those of .gitignore, of paths below the source. Relative paths in
    `options` start at `folder`. `cache`: a folder of the source's own in the restricted zone, which may be absent and
    may vanish between runs; what stands there only saves work. `size_max`: bytes of the largest document worth reading.

    `known`: URI of a folder -> digest; a folder that still has it need not be listed in detail. `only`: paths below the
    source (files, or folders with all below them) that alone are looked at; empty for all, and only given to a source
    whose specification has a `place`. `progress`: called with (done, known so far) while a long listing goes on.
    """

    name: str
    options: Options
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    folder: Path
    cache: Path
    size_max: int = 256 << 20
    known: Mapping[str, str] = field(default_factory=dict)
    only: tuple[str, ...] = ()
    progress: Callable[[int, int], None] = _silent

    def path(self, relative: Path) -> Path:
        """A path of the options, absolute."""
        return (self.folder / relative.expanduser()).resolve()

    def secret(self, variable: str | None) -> str | None:
        """Value of the environment variable that an option names. Raises: SourceError when it is not set."""
        if variable is None:
            return None
        if not os.environ.get(variable):
            raise SourceError(f"source {self.name}: {variable} is named in kprep.yaml, but not set in the environment")
        return os.environ[variable]


@dataclass(frozen=True, slots=True)
class About:
    """What the source itself says of a document beside its text; changing it never re-embeds.

    `title`: where the text has none of its own. `url`: where a person opens the original. `parent`: URI of the page
    above it. `labels`: sorted.
    """

    title: str = ""
    url: str = ""
    parent: str = ""
    labels: tuple[str, ...] = ()


NOTHING = About()


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
    about: About = field(default=NOTHING)


@dataclass(frozen=True, slots=True)
class Problem:
    """An entry (or folder) that is there but cannot be listed or read."""

    uri: str
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Listing:
    """Entries in order of URI. `complete` is False when something below the source could not be looked into.

    `gone`: URIs of which the source says that they are deleted; they go also when the rest could not be looked into.
    `folders`: URI of each folder looked into -> digest of what it lists, "" for one that is to be listed in detail
    every time. Of a folder whose digest is the known one no entries are given. A source without folders gives none.
    `passed_over`: reason ("hidden", "not_included", "excluded") -> number of files, or of hidden folders, that are no
    entries for that reason; empty where a source does not count them.
    """

    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...]
    complete: bool
    gone: frozenset[str] = frozenset()
    folders: Mapping[str, str] = field(default_factory=dict)
    passed_over: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """A kind of source. `fetch` gives the bytes now; they may be newer than the listing says.

    `list_entries` raises SourceError for what a person must mend, and SourceUnavailable when the source is out of
    reach: the run goes on with what the other sources hold, and deletes nothing of this one.
    `describe`: where it looks, for messages.
    `place`: the folder on this machine where its documents stand; it can be asked for single ones.
    `store`: where its documents go unless the configuration says otherwise, "formal" or "candidate".
    `probe`: that the source answers, in words, where a whole listing takes long; raises what a listing raises.
    `by_address`: the URIs of its documents are the paths of their addresses, so that a link to an address leads to one.
    """

    name: str
    version: int
    options: type[Options]
    list_entries: Callable[[SourceRequest], Listing]
    fetch: Callable[[SourceRequest, Entry], bytes]
    describe: Callable[[SourceRequest], str]
    place: Callable[[SourceRequest], Path] | None = None
    store: str = "formal"
    by_address: bool = False
    probe: Callable[[SourceRequest], str] | None = None
