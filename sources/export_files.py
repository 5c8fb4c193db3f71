"""Files of an export, which is a folder or a zip archive as it was downloaded."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kprep.core.errors import SourceError, SourceUnavailable

MAX_UNPACKED_BYTES = 4 << 30
MAX_MEMBERS = 200_000
MAX_FILE_BYTES = 256 << 20


class ExportFiles:
    """Names and bytes of an export's files, names with forward slashes, below one common folder where there is one."""

    def __init__(self, root: Path, archive: zipfile.ZipFile | None) -> None:
        self._root, self._archive = root, archive
        names = self._all()
        tops = {name.split("/", 1)[0] for name in names if "/" in name}
        single = len(tops) == 1 and all("/" in name for name in names) and archive is not None
        self._prefix = f"{tops.pop()}/" if single and _is_wrapper(names) else ""
        self.names = [name.removeprefix(self._prefix) for name in names]

    def _all(self) -> list[str]:
        if self._archive is not None:
            found = [item.filename for item in self._archive.infolist() if not item.is_dir()]
        else:
            found = [path.relative_to(self._root).as_posix() for path in self._root.rglob("*") if path.is_file()]
        return sorted(name for name in found if not name.split("/")[-1].startswith(".") and "__MACOSX" not in name)

    def read(self, name: str) -> bytes:
        """Bytes of a file. Raises: SourceUnavailable when it is damaged, too large, or cannot be read."""
        try:
            if self._archive is None:
                path = self._root / name
                if path.stat().st_size > MAX_FILE_BYTES:
                    raise SourceUnavailable(f"{name} is over {MAX_FILE_BYTES >> 20} MB")
                return path.read_bytes()
            member = self._archive.getinfo(self._prefix + name)
            if member.file_size > MAX_FILE_BYTES:
                raise SourceUnavailable(f"{name} is over {MAX_FILE_BYTES >> 20} MB")
            return self._archive.read(member)
        except (OSError, KeyError, zipfile.BadZipFile, RuntimeError, ValueError) as error:
            raise SourceUnavailable(f"{name} cannot be read ({type(error).__name__})") from error


def _is_wrapper(names: list[str]) -> bool:
    """True where the archive holds one folder that holds the export."""
    return any(name.count("/") >= 2 for name in names) or all(name.count("/") == 1 for name in names)


@contextmanager
def opened(place: Path, source: str) -> Iterator[ExportFiles]:
    """The files at a place. Raises: SourceError (missing, no zip archive, over the limits)."""
    if not place.exists():
        raise SourceError(f"source {source}: {place} does not exist", source=source)
    if place.is_dir():
        yield ExportFiles(place, None)
        return
    try:
        archive = zipfile.ZipFile(io.BytesIO(place.read_bytes()))
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise SourceError(f"source {source}: {place} is no folder and no zip archive", source=source) from error
    with archive:
        members = archive.infolist()
        if len(members) > MAX_MEMBERS or sum(item.file_size for item in members) > MAX_UNPACKED_BYTES:
            raise SourceError(
                f"source {source}: {place} unpacks to more than {MAX_UNPACKED_BYTES >> 30} GB or {MAX_MEMBERS} files",
                source=source,
            )
        yield ExportFiles(place, archive)
