"""Office files are zip archives: opened only within limits."""

from __future__ import annotations

import io
import zipfile
import zlib

from kprep.core.errors import CorruptDocument, EncryptedDocument, TooLarge, ZipBomb

MAX_UNPACKED_BYTES = 512 * 1024 * 1024
MAX_MEMBERS = 10_000
MAX_RATIO = 100
RATIO_COUNTS_FROM_BYTES = 64 * 1024 * 1024
_OLE = b"\xd0\xcf\x11\xe0"


class Archive:
    """Members of an office file by name.

    Raises: TooLarge (from the directory alone, before anything is unpacked), EncryptedDocument, CorruptDocument.
    """

    def __init__(self, content: bytes, uri: str) -> None:
        self._uri = uri
        if content.startswith(_OLE):
            raise EncryptedDocument(f"{uri}: the office file is encrypted and needs a password", uri=uri)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise CorruptDocument(f"{uri}: not a readable zip archive", uri=uri) from error
        members = self._zip.infolist()
        unpacked = sum(member.file_size for member in members)
        packed = max(sum(member.compress_size for member in members), 1)
        bomb = unpacked > RATIO_COUNTS_FROM_BYTES and unpacked > MAX_RATIO * packed
        if bomb:
            raise ZipBomb(
                f"{uri}: unpacks to {unpacked} bytes, more than {MAX_RATIO} times its packed size",
                uri=uri,
                unpacked=unpacked,
                members=len(members),
            )
        if len(members) > MAX_MEMBERS or unpacked > MAX_UNPACKED_BYTES:
            raise TooLarge(
                f"{uri}: unpacks to {unpacked} bytes in {len(members)} members, over the limit of "
                f"{MAX_UNPACKED_BYTES} bytes or {MAX_MEMBERS} members",
                uri=uri,
                unpacked=unpacked,
                members=len(members),
            )
        self._names = {member.filename for member in members}

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def names(self) -> list[str]:
        """Names of all members, sorted."""
        return sorted(self._names)

    def read(self, name: str) -> bytes:
        """Bytes of one member. Raises: CorruptDocument when it is missing or damaged, EncryptedDocument."""
        try:
            return self._zip.read(name)
        except KeyError as error:
            raise CorruptDocument(
                f"{self._uri}: the archive has no {name or 'part without a name'}", uri=self._uri
            ) from error
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError) as error:
            raise CorruptDocument(f"{self._uri}: {name} in the archive is damaged", uri=self._uri) from error
        except RuntimeError as error:  # zipfile's way to say that a member has a password
            raise EncryptedDocument(f"{self._uri}: {name} needs a password", uri=self._uri) from error
