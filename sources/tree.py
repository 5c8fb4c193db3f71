"""A listing made of paths, for systems that give all their paths at once: buckets, repositories, archives."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from kprep.core.errors import SourceError
from sources.selection import Selection
from sources.sidecar import SUFFIX, SidecarAcl, understand
from sources.spec import NOTHING, About, Entry, Listing, Problem, SourceRequest


@dataclass(frozen=True, slots=True)
class Leaf:
    """One file of a tree, its path with forward slashes. `problem`: why its bytes cannot be had."""

    path: str
    location: str
    version_token: str
    size: int
    modified_at: datetime | None = None
    problem: str = ""
    about: About = NOTHING


def listing_of(
    request: SourceRequest, leaves: Iterable[Leaf], read: Callable[[Leaf], bytes], problems: Iterable[Problem] = ()
) -> Listing:
    """Listing of the leaves that the patterns name, without hidden ones, with the permissions that stand beside them.

    `read` gives the bytes of a sidecar; when it raises, nobody may see what that is for.
    """
    selection = Selection(request)
    found = {leaf.path: leaf for leaf in leaves if not _hides(selection, leaf.path)}
    said = {path: _sidecar(request, leaf, read) for path, leaf in found.items() if path.endswith(SUFFIX)}
    entries: dict[str, Entry] = {}
    refused = list(problems)

    def refuse(path: str, reason: str, detail: str) -> None:
        refused.append(Problem(f"{request.name}/{path}", reason, detail))

    for path, leaf in sorted(found.items()):
        name = path.rsplit("/", 1)[-1]
        if path in said:
            if name != SUFFIX and path.removesuffix(SUFFIX) not in found:
                refuse(path, "permissions_unreadable", "permissions for a file that is not there")
            continue
        if not selection.names(path):
            continue
        uri = f"{request.name}/{unicodedata.normalize('NFC', path)}"
        if any(ord(sign) < 0x20 or 0x7F <= ord(sign) < 0xA0 or 0xD800 <= ord(sign) < 0xE000 for sign in path):
            shown = path.encode("unicode_escape").decode("ascii")
            refuse(shown, "source_unreadable", "its name holds control characters, or is not valid UTF-8: rename it")
        elif leaf.problem:
            refuse(path, "source_unreadable", leaf.problem)
        elif uri in entries:
            refuse(path, "source_unreadable", "has the same URI as another (differs in Unicode form)")
        else:
            acl = said.get(path + SUFFIX) or _of_folder(path, said)
            allowed, problem = (None, "") if acl is None else (acl.acl, acl.problem)
            token, size, changed = leaf.version_token, leaf.size, leaf.modified_at
            name = unicodedata.normalize("NFC", name)
            entries[uri] = Entry(uri, name, leaf.location, token, size, changed, allowed, problem, leaf.about)
    ordered = tuple(sorted(entries.values(), key=lambda entry: entry.uri))
    return Listing(ordered, tuple(refused), complete=True, passed_over=dict(selection.passed_over))


def _hides(selection: Selection, path: str) -> bool:
    """Whether a part of the path is hidden; a sidecar is none."""
    *folders, last = path.split("/")
    return any(selection.hides(part) for part in folders if part != "..") or (last != SUFFIX and selection.hides(last))


def _sidecar(request: SourceRequest, leaf: Leaf, read: Callable[[Leaf], bytes]) -> SidecarAcl:
    shown = f"{request.name}/{leaf.path}"
    try:
        return understand(read(leaf), shown)
    except SourceError:
        return SidecarAcl((), f"{shown} cannot be read: nobody may see what it is for")


def _of_folder(path: str, said: dict[str, SidecarAcl]) -> SidecarAcl | None:
    """What the nearest folder above says."""
    folder = path
    while "/" in folder:
        folder = folder.rpartition("/")[0]
        if f"{folder}/{SUFFIX}" in said:
            return said[f"{folder}/{SUFFIX}"]
    return said.get(SUFFIX)
