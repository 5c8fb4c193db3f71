"""A folder: every file below it that the patterns name."""

from __future__ import annotations

import os
import stat
import unicodedata
from datetime import UTC, datetime
from pathlib import Path

import pathspec
from pydantic import Field

from kprep.core.errors import SourceError, SourceUnavailable
from sources.sidecar import SUFFIX, SidecarAcl, read
from sources.spec import Entry, Listing, Options, Problem, SourceRequest, SourceSpec

Patterns = pathspec.PathSpec[pathspec.Pattern]
IGNORED_NAMES = frozenset(("Thumbs.db", "desktop.ini", "__MACOSX"))


class FilesystemOptions(Options):
    """A folder."""

    path: Path = Field(description="folder, relative to `kprep.yaml`")


def folder_of(request: SourceRequest) -> Path:
    """The folder a request names."""
    assert isinstance(request.options, FilesystemOptions)
    return request.path(request.options.path)


def list_entries(request: SourceRequest) -> Listing:
    """Files below the source's path, without hidden ones; links to files are followed only inside the path.

    Raises: SourceError when the path is missing, no folder, or may not be entered.
    """
    root = folder_of(request)
    if not root.exists():
        raise SourceError(f"source {request.name}: {root} does not exist", source=request.name)
    if not root.is_dir():
        raise SourceError(
            f"source {request.name}: {root} is a file; name the folder that holds it", source=request.name
        )
    include = pathspec.PathSpec.from_lines("gitignore", request.include)
    exclude = pathspec.PathSpec.from_lines("gitignore", request.exclude)
    walk = _Walk(request, include, exclude)
    walk.folder(root, "")
    entries = sorted(walk.entries, key=lambda entry: entry.uri)
    return Listing(tuple(entries), tuple(walk.problems), complete=walk.complete)


def fetch(request: SourceRequest, entry: Entry) -> bytes:
    """Bytes of a listed file. Raises: SourceError (gone, not permitted), SourceUnavailable (I/O error)."""
    try:
        return Path(entry.location).read_bytes()
    except FileNotFoundError as error:
        raise SourceUnavailable(f"{entry.uri} vanished while the run read it; the next run sees it gone") from error
    except PermissionError as error:
        raise SourceError(f"{entry.uri} may not be read: give the user of kprep read permission") from error
    except OSError as error:
        raise SourceUnavailable(f"{entry.uri} cannot be read: {error.strerror}", source=request.name) from error


class _Walk:
    """One pass over a folder tree."""

    def __init__(self, request: SourceRequest, include: Patterns, exclude: Patterns) -> None:
        self._request, self._include, self._exclude = request, include, exclude
        self._root = folder_of(request)
        self._uris: dict[str, str] = {}
        self.entries: list[Entry] = []
        self.problems: list[Problem] = []
        self.complete = True

    def folder(self, folder: Path, relative: str, acl: SidecarAcl | None = None) -> None:
        """Add what stands in a folder; a folder that cannot be entered makes the listing incomplete.

        `acl`: what the nearest folder above says of permissions.
        """
        try:
            with os.scandir(folder) as found:
                items = sorted(found, key=lambda item: item.name)
        except OSError as error:
            if relative == "":
                raise SourceError(
                    f"source {self._request.name}: {folder} may not be entered ({error.strerror}): "
                    "give the user of kprep permission to read it",
                    source=self._request.name,
                ) from error
            self.complete = False
            self._problem(relative, "source_unreadable", f"folder may not be entered ({error.strerror})")
            return
        sidecars = {item.name for item in items if item.name.endswith(SUFFIX)}
        if SUFFIX in sidecars:
            acl = read(folder / SUFFIX, self._uri(f"{relative}/{SUFFIX}".lstrip("/")))
        for name in sorted(sidecars - {SUFFIX} - {item.name + SUFFIX for item in items}):
            inner = f"{relative}/{name}" if relative else name
            self._problem(inner, "permissions_unreadable", "permissions for a file that is not there")
        for item in items:
            if item.name.startswith(".") or item.name in IGNORED_NAMES or item.name in sidecars:
                continue
            inner = f"{relative}/{item.name}" if relative else item.name
            if item.is_dir(follow_symlinks=False):
                self.folder(Path(item.path), inner, acl)
            elif self._include.match_file(inner) and not self._exclude.match_file(inner):
                own = item.name + SUFFIX
                self._file(item, inner, read(folder / own, self._uri(inner + SUFFIX)) if own in sidecars else acl)

    def _file(self, item: os.DirEntry[str], relative: str, acl: SidecarAcl | None) -> None:
        try:
            relative.encode("utf-8")
        except UnicodeEncodeError:
            shown = relative.encode("utf-8", "backslashreplace").decode("utf-8")
            self._problem(shown, "source_unreadable", "its name is not valid UTF-8: rename it")
            return
        if any(ord(character) < 0x20 or 0x7F <= ord(character) < 0xA0 for character in relative):
            shown = relative.encode("unicode_escape").decode("ascii")
            self._problem(shown, "source_unreadable", "its name holds control characters: rename it")
            return
        if item.is_symlink():
            target = Path(item.path).resolve()
            if not target.is_relative_to(self._root):
                self._problem(relative, "source_unreadable", "a link that leads out of the source's folder")
                return
            if target.is_dir():
                return  # its files are listed where they really stand
        try:
            status = item.stat()
        except OSError as error:
            self._problem(relative, "source_unreadable", f"cannot be looked at ({error.strerror})")
            return
        if not stat.S_ISREG(status.st_mode):
            self._problem(relative, "source_unreadable", "is no file: a pipe, socket or device, which is never read")
            return
        uri = self._uri(relative)
        if uri in self._uris:
            self._problem(
                relative, "source_unreadable", f"has the same URI as {self._uris[uri]!r} (differs in Unicode form)"
            )
            return
        self._uris[uri] = relative
        modified_at = datetime.fromtimestamp(status.st_mtime, tz=UTC)
        token = f"{status.st_size}-{status.st_mtime_ns}-{status.st_ino}"
        name = uri.rsplit("/", 1)[-1]
        allowed, problem = (None, "") if acl is None else (acl.acl, acl.problem)
        self.entries.append(Entry(uri, name, item.path, token, status.st_size, modified_at, allowed, problem))

    def _uri(self, relative: str) -> str:
        return f"{self._request.name}/{unicodedata.normalize('NFC', relative)}"

    def _problem(self, relative: str, reason: str, detail: str) -> None:
        self.problems.append(Problem(self._uri(relative), reason, detail))


SOURCE = SourceSpec(
    name="filesystem",
    version=1,
    options=FilesystemOptions,
    list_entries=list_entries,
    fetch=fetch,
    describe=lambda request: str(folder_of(request)),
)
