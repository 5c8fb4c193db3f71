"""A folder: every file below it that the patterns name."""

from __future__ import annotations

import hashlib
import os
import stat
import unicodedata
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path

from pydantic import Field

from kprep.core.errors import SourceError, SourceUnavailable
from sources.selection import Selection
from sources.sidecar import SUFFIX, SidecarAcl, read
from sources.spec import Entry, Listing, Options, Problem, SourceRequest, SourceSpec


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
    walk = _Walk(request)
    if request.only:
        walk.only(root)
    else:
        walk.folder(root, "")
    entries = sorted(walk.entries, key=lambda entry: entry.uri)
    passed_over = dict(walk.selection.passed_over)
    return Listing(
        tuple(entries), tuple(walk.problems), complete=walk.complete, folders=walk.folders, passed_over=passed_over
    )


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
    """One pass over a folder tree. `folders`: as in `Listing`; each is looked at, but listed only when it changed."""

    def __init__(self, request: SourceRequest) -> None:
        self._request = request
        self.selection = Selection(request)
        self._root = folder_of(request)
        self._uris: dict[str, str] = {}
        self.entries: list[Entry] = []
        self.problems: list[Problem] = []
        self.folders: dict[str, str] = {}
        self.complete = True

    def only(self, root: Path) -> None:
        """Add what stands at the paths asked for, with the permissions that the folders above give."""
        for wanted in sorted(set(self._request.only)):
            self._descend(root, "", wanted.split("/"), None)

    def _descend(self, folder: Path, relative: str, parts: Sequence[str], above: SidecarAcl | None) -> None:
        found = self._scan(folder, relative) or []
        acl = self._acl(folder, relative, found, above)
        for item in found:
            if item.name.endswith(SUFFIX) or _form(item.name) != _form(parts[0]) or self.selection.hides(item.name):
                continue
            if not item.is_dir(follow_symlinks=False):
                if len(parts) == 1:
                    chosen = [item] if self.selection.names(_join(relative, item.name)) else []
                    self._list(folder, relative, chosen, {other.name for other in found}, acl)
            elif len(parts) == 1:
                self.folder(Path(item.path), _join(relative, item.name), acl)
            else:
                self._descend(Path(item.path), _join(relative, item.name), parts[1:], acl)

    def folder(self, folder: Path, relative: str, above: SidecarAcl | None = None, *, sure: bool = True) -> None:
        """Add what stands in a folder; a folder that cannot be entered makes the listing incomplete.

        `above`: what the nearest folder above says of permissions. `sure` False: another folder has the same URI, so
        that what is known of it may be known of the other.
        """
        found = self._scan(folder, relative)
        if found is None:
            return
        acl = self._acl(folder, relative, found, above)
        inner: list[os.DirEntry[str]] = []
        files: list[os.DirEntry[str]] = []
        sidecars = set()
        for item in found:
            if item.name.endswith(SUFFIX):
                sidecars.add(item.name)
            elif not self.selection.hides(item.name):
                (inner if item.is_dir(follow_symlinks=False) else files).append(item)
        uri, problems = self._uri(relative).rstrip("/"), len(self.problems)
        chosen = [item for item in files if self.selection.names(_join(relative, item.name))]
        digest = self._digest(folder, relative, files, sidecars, acl) if sure else ""
        if not digest or self._request.known.get(uri) != digest:
            for name in sorted(sidecars - {SUFFIX} - {item.name + SUFFIX for item in found}):
                detail = "permissions for a file that is not there"
                self._problem(_join(relative, name), "permissions_unreadable", detail)
            self._list(folder, relative, chosen, sidecars, acl)
        self.folders[uri] = digest if len(self.problems) == problems else ""
        forms = Counter(_form(item.name) for item in inner)
        for item in inner:
            alone = forms[_form(item.name)] == 1
            self.folder(Path(item.path), _join(relative, item.name), acl, sure=sure and alone)

    def _scan(self, folder: Path, relative: str) -> list[os.DirEntry[str]] | None:
        """All that stands in a folder, by name; None, with the problem noted, when it cannot be entered."""
        try:
            with os.scandir(folder) as found:
                return sorted(found, key=attrgetter("name"))
        except OSError as error:
            if relative == "":
                raise SourceError(
                    f"source {self._request.name}: {folder} may not be entered ({error.strerror}): "
                    "give the user of kprep permission to read it",
                    source=self._request.name,
                ) from error
            self.complete = False
            self._problem(relative, "source_unreadable", f"folder may not be entered ({error.strerror})")
            return None

    def _acl(
        self, folder: Path, relative: str, found: Sequence[os.DirEntry[str]], above: SidecarAcl | None
    ) -> SidecarAcl | None:
        """What a folder's own sidecar says of permissions, or what is said above it."""
        if not any(item.name == SUFFIX for item in found):
            return above
        return read(folder / SUFFIX, self._uri(_join(relative, SUFFIX)))

    def _digest(
        self,
        folder: Path,
        relative: str,
        files: Sequence[os.DirEntry[str]],
        sidecars: set[str],
        acl: SidecarAcl | None,
    ) -> str:
        """Digest of names, tokens and permissions of a folder's files; "" when one cannot be looked at."""
        try:
            parts = [f"{item.name}\0{_token(item.stat())}" for item in files]
        except OSError:
            return ""
        own = [
            f"{name}\0{read(folder / name, self._uri(_join(relative, name)))!r}" for name in sorted(sidecars - {SUFFIX})
        ]
        listed = "\n".join((*parts, repr(acl), *own))
        return hashlib.sha256(listed.encode("utf-8", "surrogateescape")).hexdigest()[:32]

    def _list(
        self,
        folder: Path,
        relative: str,
        files: Sequence[os.DirEntry[str]],
        sidecars: set[str],
        acl: SidecarAcl | None,
    ) -> None:
        """Add files of a folder."""
        for item in files:
            inner, own = _join(relative, item.name), item.name + SUFFIX
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
        name = uri.rsplit("/", 1)[-1]
        allowed, problem = (None, "") if acl is None else (acl.acl, acl.problem)
        self.entries.append(Entry(uri, name, item.path, _token(status), status.st_size, modified_at, allowed, problem))

    def _uri(self, relative: str) -> str:
        return f"{self._request.name}/{_form(relative)}"

    def _problem(self, relative: str, reason: str, detail: str) -> None:
        self.problems.append(Problem(self._uri(relative), reason, detail))


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _form(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _token(status: os.stat_result) -> str:
    return f"{status.st_size}-{status.st_mtime_ns}-{status.st_ino}"


SOURCE = SourceSpec(
    name="filesystem",
    version=1,
    options=FilesystemOptions,
    list_entries=list_entries,
    fetch=fetch,
    place=folder_of,
    describe=lambda request: str(folder_of(request)),
)
