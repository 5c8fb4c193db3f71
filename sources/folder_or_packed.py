"""An export as the zip it came in, or as the folder it was unpacked to."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO

from kprep.core.errors import SourceError, SourceUnavailable
from sources.packed import DAMAGED, leaves_of, read_leaf, reading
from sources.spec import SourceRequest
from sources.tree import Leaf

Files = dict[str, Callable[[], bytes]]


def leaves_at(request: SourceRequest, path: Path) -> Iterator[Leaf]:
    """Files of the folder or archive. Raises: SourceError (missing, damaged, over a limit)."""
    if not path.is_dir():
        yield from leaves_of(request, path)
        return
    for file in files_below(request, path):
        status = file.stat()
        inner = file.relative_to(path).as_posix()
        token = f"{status.st_size}-{status.st_mtime_ns}-{status.st_ino}"
        yield Leaf(inner, inner, token, status.st_size, datetime.fromtimestamp(status.st_mtime, tz=UTC))


def files_below(request: SourceRequest, folder: Path) -> list[Path]:
    """Files of a folder and of those below it, in order, without links. Raises: SourceUnavailable when one may not be
    entered: what cannot be read is not gone."""

    def refuse(error: OSError) -> None:
        raise SourceUnavailable(f"source {request.name}: {error.filename} may not be entered ({error.strerror})")

    found = [Path(top) / name for top, _, names in os.walk(folder, onerror=refuse) for name in names]
    return sorted(path for path in found if path.is_file() and not path.is_symlink())


def read_at(request: SourceRequest, path: Path, location: str) -> bytes:
    """Bytes of one file. Raises: SourceError, SourceUnavailable when it is no longer there."""
    if not path.is_dir():
        return read_leaf(request, path, location)
    try:
        with (path / location).open("rb") as file:
            content = file.read(request.size_max + 1)
    except OSError as error:
        raise SourceUnavailable(f"{request.name}/{location} cannot be read ({error.strerror})") from error
    if len(content) > request.size_max:
        raise SourceError(f"{request.name}/{location} is over {request.size_max >> 20} MB (KPREP_DOCUMENT_SIZE_MB)")
    return content


@contextmanager
def export_at(request: SourceRequest, path: Path) -> Iterator[Files]:
    """Files of an export, by name: each gives its bytes, until this ends. Hidden files are left out, and of an archive
    that is one folder, that folder. Raises: SourceError, SourceUnavailable; so does reading."""
    leaves = {leaf.path: leaf for leaf in leaves_at(request, path) if not _is_hidden(leaf.path)}
    tops = {name.partition("/")[0] for name in leaves}
    only = len(tops) == 1 and not path.is_dir() and all("/" in name for name in leaves)
    prefix = f"{tops.pop()}/" if only else ""
    with ExitStack() as stack:
        read = partial(read_at, request, path) if path.is_dir() else stack.enter_context(reading(request, path))
        yield {name.removeprefix(prefix): partial(read, leaf.location) for name, leaf in sorted(leaves.items())}


def _is_hidden(name: str) -> bool:
    return name.rpartition("/")[2].startswith(".") or "__MACOSX" in name.split("/")


@contextmanager
def open_at(request: SourceRequest, path: Path, location: str) -> Iterator[IO[bytes]]:
    """One file to be read piece by piece, for those that are too large to hold. Raises: SourceError."""
    try:
        if path.is_dir():
            with (path / location).open("rb") as file:
                yield file
        elif zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive, archive.open(location) as member:
                yield member
        else:
            raise SourceError(f"source {request.name}: {path} is no zip archive")
    except (*DAMAGED, OSError, RuntimeError) as error:
        raise SourceError(f"source {request.name}: {location} in {path} cannot be read; export anew") from error
