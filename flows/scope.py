"""Which part of the sources a run compares with the live release: what changed since, what a caller names, or all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from flows.attached import SEPARATOR
from flows.workspace import Workspace
from kprep.config import SourceConfig
from kprep.core.errors import ConfigError
from kprep.core.ids import document_id
from kprep.store import documents, folders
from kprep.store.folders import FolderRow, Seen
from kprep.store.sql import Connection
from sources import Listing
from sources.sidecar import SUFFIX


@dataclass(slots=True)
class Scope:
    """What is compared. `whole`: every document. Else those right in `folders` (URIs) and those of `ids`.

    `same`: source -> documents in folders that are as the live release has them. `seen`: folders to be recorded.
    `incomplete`: sources of which not everything could be listed.
    """

    whole: bool
    folders: set[str] = field(default_factory=set)
    ids: set[str] = field(default_factory=set)
    same: Counter[str] = field(default_factory=Counter)
    seen: list[Seen] = field(default_factory=list)
    incomplete: set[str] = field(default_factory=set)


def folder_of(uri: str) -> str:
    """URI of the folder that a document stands in."""
    return uri.rpartition("/")[0]


def named(places: Mapping[str, Path | None], paths: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Source -> paths below it, of the URIs or file paths that a caller names. A permission file stands for what it is
    for. `places`: source -> the folder where its documents stand, None where it cannot be asked for single ones.

    Raises: ConfigError for what is in no source, or in one that cannot be asked.
    """
    out: dict[str, set[str]] = {}
    for given in paths:
        source, path = _placed(places, given)
        if places[source] is None:
            raise ConfigError(f"source {source} cannot be asked for single documents: {given}")
        path = path.partition(SEPARATOR)[0]  # what is attached to a mail is looked at with it
        path = path.removesuffix(SUFFIX).rstrip("/") if path.endswith(SUFFIX) else path
        if not path or ".." in path.split("/"):
            raise ConfigError(f"{given} is a whole source, or none: run without --only")
        out.setdefault(source, set()).add(path)
    return {name: tuple(sorted(found)) for name, found in out.items()}


def _placed(places: Mapping[str, Path | None], given: str) -> tuple[str, str]:
    name, _, path = given.partition("/")
    if name in places:
        return name, path.strip("/")
    full = Path(given).parent.resolve() / Path(given).name
    for source, root in places.items():
        if root is not None and full.is_relative_to(root):
            path = full.relative_to(root).as_posix()
            return source, "" if path == "." else path
    known = ", ".join(f"{source}/..." for source in places)
    raise ConfigError(f"{given} is in no source: name a file below one, or its URI ({known})")


def whole_scope() -> Scope:
    """Every document is compared."""
    return Scope(whole=True)


def changed_scope(
    known: Mapping[str, FolderRow], listings: Sequence[tuple[SourceConfig, Listing]], *, settled: bool
) -> Scope:
    """What may differ, by what is known of the folders and what was listed now; all of it unless they are settled."""
    scope = Scope(whole=not settled)
    sources = {source.name for source, _ in listings}
    scope.incomplete = {source.name for source, listing in listings if not listing.complete}
    listed: set[str] = set()
    for source, listing in listings:
        standing = Counter(folder_of(entry.uri) for entry in listing.entries)
        if not listing.folders:  # a kind of source that knows no folders
            scope.folders |= set(standing) | {row.folder for row in known.values() if row.source == source.name}
            listed |= scope.folders
            scope.seen += [Seen(source.name, folder, "", count) for folder, count in standing.items()]
            continue
        listed |= set(listing.folders)
        for folder, digest in listing.folders.items():
            row = known.get(folder)
            if settled and row is not None and row.settled and row.digest == digest:
                scope.same[source.name] += row.documents
                continue
            scope.folders.add(folder)
            scope.seen.append(Seen(source.name, folder, digest, standing[folder]))
    for row in known.values():
        if row.folder not in listed and (row.source not in sources or row.source not in scope.incomplete):
            scope.folders.add(row.folder)
            scope.seen.append(Seen(row.source, row.folder, "", 0, listed=False))
    return scope


def named_scope(
    workspace: Workspace,
    connection: Connection,
    only: Mapping[str, Sequence[str]],
    listings: Sequence[tuple[SourceConfig, Listing]],
) -> Scope:
    """What a caller names. Raises: ConfigError for what is neither listed nor was ever published."""
    scope = Scope(whole=False)
    for source, listing in listings:
        if not listing.complete:
            scope.incomplete.add(source.name)
        found = [item.uri for item in listing.entries] + [item.uri for item in listing.problems]
        for path in only[source.name]:
            uri = f"{source.name}/{path}"
            below = documents.folders_below(connection, workspace.kb, uri)
            key = document_id(workspace.kb, source.name, uri)
            own = [key, *documents.attached_to(connection, workspace.kb, uri)]
            before, gone = documents.observed_in(connection, workspace.kb, below, own)
            listed = [other for other in found if other == uri or other.startswith(f"{uri}/")]
            if not listed and not before and not gone:
                raise ConfigError(
                    f"{uri} is neither listed by its source nor published: check its name, and `include` and `exclude`"
                )
            scope.folders |= set(below)
            scope.ids |= set(own) | {document_id(workspace.kb, source.name, other) for other in listed}
            standing = {folder_of(other) for other in (uri, *listed)} | set(below)
            scope.seen += [Seen(source.name, folder, "", 0) for folder in sorted(standing)]
    scope.seen = list({item.folder: item for item in scope.seen}.values())
    return scope


def known_folders(workspace: Workspace, connection: Connection) -> dict[str, FolderRow]:
    """Folders that runs saw before, by URI."""
    return {row.folder: row for row in folders.known(connection, workspace.kb)}
