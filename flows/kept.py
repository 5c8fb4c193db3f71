"""What the restricted zone keeps of a document's way, so that a changed rule begins where it changes something.

Kept is the parsed document, which is not redacted, and the redacted one. Cleaning is done again before redaction, and
chunking before enrichment: each costs a small part of the stage that is saved. Everything kept can be made again.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from kprep.core.errors import StoreError
from kprep.core.ids import canonical_json, digest
from kprep.core.models import ParsedDocument, RedactedDocument

LEVEL = 1
"""Of compression: a tenth of the time of the default, some 10 % larger."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Results of one content, packed. Holds unredacted text: it goes to the restricted zone and nowhere else."""

    parsed: bytes = field(repr=False)
    redacted: bytes = field(repr=False)

    def to_bytes(self, kb: str, content_hash: str, parse: str) -> bytes:
        """As one object that no other knowledge base, content or way of parsing shares."""
        of = {"kb": kb, "content_hash": content_hash, "parse": parse}
        header = {**of, "parsed": len(self.parsed), "format": form()}
        return canonical_json(header).encode() + b"\n" + self.parsed + self.redacted

    @classmethod
    def from_bytes(cls, content: bytes) -> Kept:
        """Inverse of `to_bytes`. Raises: StoreError for anything else."""
        head, _, rest = content.partition(b"\n")
        try:
            header = json.loads(head)
            size = int(header["parsed"])
            if header["format"] != form():
                raise StoreError("kept in another format")
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError("no kept result") from error
        return cls(rest[:size], rest[size:])


@lru_cache(maxsize=1)
def _adapters() -> tuple[Any, Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(tuple[ParsedDocument, float | None]), TypeAdapter(tuple[RedactedDocument, float, float | None])


@lru_cache(maxsize=1)
def form() -> str:
    """Identity of what is written here; it changes by itself when the types do."""
    return digest("kept", *(canonical_json(adapter.json_schema()) for adapter in _adapters()))[:16]


def pack_parsed(document: ParsedDocument, coverage: float | None) -> bytes:
    """A parsed document, packed, with the share of the original that reached it."""
    return zlib.compress(_adapters()[0].dump_json((document, coverage)), LEVEL)


def pack_redacted(document: RedactedDocument, removed_share: float, coverage: float | None) -> bytes:
    """A redacted document, packed, with the share that cleaning took and the share that parsing reached."""
    return zlib.compress(_adapters()[1].dump_json((document, removed_share, coverage)), LEVEL)


def unpack_parsed(packed: bytes) -> tuple[ParsedDocument, float | None]:
    """Inverse of `pack_parsed`. Raises: StoreError when it cannot be read."""
    document, coverage = _unpacked(packed, 0)
    return document, coverage


def unpack_redacted(packed: bytes) -> tuple[RedactedDocument, float, float | None]:
    """Inverse of `pack_redacted`. Raises: StoreError when it cannot be read."""
    document, removed_share, coverage = _unpacked(packed, 1)
    return document, removed_share, coverage


def _unpacked(packed: bytes, adapter: int) -> Any:
    try:
        return _adapters()[adapter].validate_json(zlib.decompress(packed))
    except (zlib.error, ValueError) as error:  # pydantic's is a ValueError; its message would quote the document
        raise StoreError(f"a kept result cannot be read ({type(error).__name__})") from None
