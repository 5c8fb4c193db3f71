"""Files packed into a zip or tar, read one at a time and never unpacked to disk; hostile ones are bounded.

Limits: `FILES_MAX` files, `RATIO_MAX` times the packed size (over `RATIO_FROM` bytes), `UNPACKED_MAX` bytes in all.
"""

from __future__ import annotations

import hashlib
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from kprep.core.errors import SourceError, SourceUnavailable
from sources.spec import SourceRequest
from sources.tree import Leaf

FILES_MAX = 200_000
UNPACKED_MAX = 20 << 30
RATIO_MAX = 200
RATIO_FROM = 10 << 20
ENCRYPTED = 0x1
DAMAGED = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, ValueError)


def leaves_of(request: SourceRequest, path: Path) -> Iterator[Leaf]:
    """Files of the archive in its order. Raises: SourceError (missing, no archive, damaged, over a limit)."""
    if not path.is_file():
        raise SourceError(f"source {request.name}: {path} does not exist, or is no file")
    try:
        if zipfile.is_zipfile(path):
            yield from _of_zip(request, path)
        else:
            yield from _of_tar(request, path)
    except DAMAGED as error:
        raise SourceError(f"source {request.name}: {path} is no zip or tar archive, or is damaged") from error
    except OSError as error:
        raise SourceUnavailable(f"source {request.name}: {path} cannot be read ({error.strerror})") from error


def read_leaf(request: SourceRequest, path: Path, location: str) -> bytes:
    """Bytes of one file of the archive. Raises: SourceError, SourceUnavailable when it is no longer there."""
    with reading(request, path) as read:
        return read(location)


@contextmanager
def reading(request: SourceRequest, path: Path) -> Iterator[Callable[[str], bytes]]:
    """Gives the bytes of files of the archive, which is opened once; raises as `read_leaf`."""
    with _named(request, path, path.name):
        archive = zipfile.ZipFile(path) if zipfile.is_zipfile(path) else tarfile.open(path)  # noqa: SIM115

    def read(location: str) -> bytes:
        with _named(request, path, location):
            file = archive.open(location) if isinstance(archive, zipfile.ZipFile) else archive.extractfile(location)
            if file is None:
                return b""
            with file:
                content = file.read(request.size_max + 1)
        if len(content) > request.size_max:
            raise SourceError(
                f"{request.name}/{location} unpacks to more than {request.size_max >> 20} MB (KPREP_DOCUMENT_SIZE_MB)"
            )
        return content

    with archive:
        yield read


@contextmanager
def _named(request: SourceRequest, path: Path, location: str) -> Iterator[None]:
    """Turns what reading an archive raises into errors of a source."""
    try:
        yield
    except KeyError as error:
        raise SourceUnavailable(f"{request.name}/{location} vanished from {path.name} while the run read it") from error
    except (*DAMAGED, RuntimeError) as error:
        raise SourceError(
            f"{request.name}/{location} cannot be unpacked: {path.name} is damaged or encrypted"
        ) from error
    except OSError as error:
        raise SourceUnavailable(f"source {request.name}: {path} cannot be read ({error.strerror})") from error


def _of_zip(request: SourceRequest, path: Path) -> Iterator[Leaf]:
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        _check(request, path, len(members), sum(item.file_size for item in members))
        for item in members:
            if not item.is_dir():
                yield leaf_of(item)


def leaf_of(item: zipfile.ZipInfo) -> Leaf:
    """A file of a zip archive; a date that is none is left out."""
    problem = "is encrypted" if item.flag_bits & ENCRYPTED else _unsafe(item.filename)
    token = f"{item.CRC:08x}-{item.file_size}-{'-'.join(map(str, item.date_time))}"
    try:
        changed: datetime | None = datetime(*item.date_time, tzinfo=UTC)
    except ValueError:
        changed = None
    return Leaf(_shown(item.filename), item.filename, token, item.file_size, changed, problem)


def _of_tar(request: SourceRequest, path: Path) -> Iterator[Leaf]:
    status = path.stat()
    stamp = f"{status.st_size}-{status.st_mtime_ns}-{status.st_ino}"
    count = total = 0
    with tarfile.open(path) as archive:
        for item in archive:
            count, total = count + 1, total + item.size
            _check(request, path, count, total)
            if item.isdir():
                continue
            problem = _unsafe(item.name) if item.isreg() else "is no file: a link or a device"
            token = hashlib.sha256(f"{stamp}-{item.offset_data}".encode()).hexdigest()[:32]
            yield Leaf(_shown(item.name), item.name, token, item.size, _moment(item.mtime), problem)


def _moment(seconds: float) -> datetime | None:
    """A time since 1970; None for one that is none."""
    try:
        return datetime.fromtimestamp(max(0.0, float(seconds)), tz=UTC)
    except (OverflowError, ValueError, OSError):
        return None


def _check(request: SourceRequest, path: Path, files: int, unpacked: int) -> None:
    packed = path.stat().st_size
    if files > FILES_MAX:
        raise SourceError(f"source {request.name}: {path} holds more than {FILES_MAX:,} files")
    if unpacked > UNPACKED_MAX or (unpacked > RATIO_FROM and unpacked > RATIO_MAX * packed):
        raise SourceError(
            f"source {request.name}: {path} unpacks to {unpacked >> 20:,} MB from {packed >> 10:,} kB, as a bomb does: "
            "unpack it yourself and use a filesystem source if it is none"
        )


def _shown(name: str) -> str:
    """A path below the archive, with forward slashes."""
    return "/".join(part for part in name.replace("\\", "/").split("/") if part not in ("", "."))


def _unsafe(name: str) -> str:
    parts = name.replace("\\", "/").split("/")
    return "its path leads out of the archive" if ".." in parts or name.startswith("/") else ""
