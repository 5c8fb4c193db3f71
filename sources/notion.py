"""A Notion export in Markdown and CSV: the zip, also one that holds other zips, or the folder it was unpacked to.

Pages keep the path they have in the export, so that the links between them lead somewhere. The page above a page, and
its title without the id that Notion adds, are kept beside it. Of a database only the CSV with all rows is a document.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pydantic import Field

from kprep.core.errors import SourceError
from sources.folder_or_packed import leaves_at, read_at
from sources.packed import DAMAGED, leaf_of
from sources.spec import About, Entry, Listing, Options, SourceRequest, SourceSpec
from sources.tree import Leaf, listing_of

IDENTIFIED = re.compile(r"^(.*?)[ -]?([0-9a-f]{32})(_all)?$")
PART = re.compile(r"^(?:.*/)?[^/]*Part-\d+\.zip$")
INNER = "!/"


class NotionOptions(Options):
    """An export."""

    path: Path = Field(description="the exported zip, or the folder it was unpacked to, relative to `kprep.yaml`")


def list_entries(request: SourceRequest) -> Listing:
    """Pages and databases. Raises: SourceError (missing, damaged, over a limit)."""
    leaves = {leaf.path: leaf for leaf in _leaves(request)}
    pages = {_bare(path): path for path in leaves if path.endswith(".md")}
    kept = []
    for path, leaf in leaves.items():
        if path.endswith(".csv") and f"{path.removesuffix('.csv')}_all.csv" in leaves:
            continue
        above = pages.get(path.rpartition("/")[0], "")
        parent = f"{request.name}/{above}" if above else ""
        kept.append(replace(leaf, about=About(title=title_of(path), parent=parent)))
    return listing_of(request, kept, lambda leaf: _read(request, leaf.location))


def fetch(request: SourceRequest, entry: Entry) -> bytes:
    """Bytes of a page. Raises: SourceError, SourceUnavailable."""
    return _read(request, entry.location)


def title_of(path: str) -> str:
    """Title of a page by its file: without ending and id."""
    stem = path.rsplit("/", 1)[-1].rpartition(".")[0]
    found = IDENTIFIED.match(stem)
    return (found.group(1) if found else stem).strip()


def _bare(path: str) -> str:
    return path.rpartition(".")[0]


def _leaves(request: SourceRequest) -> Iterator[Leaf]:
    path = _path(request)
    for leaf in leaves_at(request, path):
        if PART.match(leaf.path):
            yield from _of_part(request, path, leaf)
        else:
            yield leaf


def _of_part(request: SourceRequest, path: Path, part: Leaf) -> Iterator[Leaf]:
    """Files of a zip within the zip, which large exports are made of."""
    try:
        with zipfile.ZipFile(io.BytesIO(read_at(request, path, part.location))) as inner:
            for item in inner.infolist():
                if not item.is_dir():
                    leaf = leaf_of(item)
                    yield replace(leaf, location=f"{part.location}{INNER}{leaf.location}")
    except DAMAGED as error:
        raise SourceError(f"source {request.name}: {part.path} in {path} is damaged") from error


def _read(request: SourceRequest, location: str) -> bytes:
    outer, _, inner = location.partition(INNER)
    content = read_at(request, _path(request), outer)
    if not inner:
        return content
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as part, part.open(inner) as member:
            found = member.read(request.size_max + 1)
    except (*DAMAGED, KeyError, RuntimeError) as error:
        raise SourceError(f"{request.name}/{inner} cannot be unpacked") from error
    if len(found) > request.size_max:
        raise SourceError(f"{request.name}/{inner} unpacks to more than the archive says")
    return found


def _path(request: SourceRequest) -> Path:
    assert isinstance(request.options, NotionOptions)
    return request.path(request.options.path)


SOURCE = SourceSpec("notion", 1, NotionOptions, list_entries, fetch, lambda request: str(_path(request)))
