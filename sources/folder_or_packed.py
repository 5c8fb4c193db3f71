"""An export as the zip it came in, or as the folder it was unpacked to."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from kprep.core.errors import SourceError, SourceUnavailable
from sources.packed import DAMAGED, leaves_of, read_leaf
from sources.spec import SourceRequest
from sources.tree import Leaf


def leaves_at(request: SourceRequest, path: Path) -> Iterator[Leaf]:
    """Files of the folder or archive. Raises: SourceError (missing, damaged, over a limit)."""
    if not path.is_dir():
        yield from leaves_of(request, path)
        return
    for file in sorted(path.rglob("*")):
        if file.is_file() and not file.is_symlink():
            status = file.stat()
            inner = file.relative_to(path).as_posix()
            token = f"{status.st_size}-{status.st_mtime_ns}-{status.st_ino}"
            yield Leaf(inner, inner, token, status.st_size, datetime.fromtimestamp(status.st_mtime, tz=UTC))


def read_at(request: SourceRequest, path: Path, location: str) -> bytes:
    """Bytes of one file. Raises: SourceError, SourceUnavailable when it is no longer there."""
    if not path.is_dir():
        return read_leaf(request, path, location)
    try:
        return (path / location).read_bytes()
    except OSError as error:
        raise SourceUnavailable(f"{request.name}/{location} cannot be read ({error.strerror})") from error


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
