"""Office files encrypted with a password, as Office does it."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from msoffcrypto.format.ooxml import OOXMLFile

GOLDEN = Path(__file__).parents[1] / "golden" / "parsers"


def locked(content: bytes, password: str) -> bytes:
    """The file, encrypted. What is under 4 KiB the library's own writer puts where no reader looks for it."""
    assert len(content) > 4096
    out = io.BytesIO()
    OOXMLFile(io.BytesIO(content)).encrypt(password, out)
    return out.getvalue()


def long_enough(content: bytes) -> bytes:
    """A zip archive with so long a comment that it can be locked."""
    out = io.BytesIO(content)
    with zipfile.ZipFile(out, "a") as archive:
        archive.comment = b" " * 5000
    return out.getvalue()


def golden(case: str) -> bytes:
    """An Office file of the golden cases, long enough."""
    (path,) = (GOLDEN / case).glob("input.*")
    return long_enough(path.read_bytes())
