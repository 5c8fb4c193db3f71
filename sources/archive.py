"""A zip or tar archive (also .tar.gz, .tar.bz2, .tar.xz) of any files, replaced as a whole when it changes."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from sources.packed import leaves_of, read_leaf
from sources.spec import Entry, Listing, Options, SourceRequest, SourceSpec
from sources.tree import listing_of


class ArchiveOptions(Options):
    """An archive."""

    path: Path = Field(description="the archive, relative to `kprep.yaml`")


def list_entries(request: SourceRequest) -> Listing:
    """Files of the archive. Raises: SourceError (missing, damaged, over a limit)."""
    path = _path(request)
    return listing_of(request, leaves_of(request, path), lambda leaf: read_leaf(request, path, leaf.location))


def fetch(request: SourceRequest, entry: Entry) -> bytes:
    """Bytes of a packed file. Raises: SourceError, SourceUnavailable."""
    return read_leaf(request, _path(request), entry.location)


def _path(request: SourceRequest) -> Path:
    assert isinstance(request.options, ArchiveOptions)
    return request.path(request.options.path)


SOURCE = SourceSpec("archive", 1, ArchiveOptions, list_entries, fetch, lambda request: str(_path(request)))
