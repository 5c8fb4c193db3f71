"""Stable identifiers and fingerprints. Every hash input is length-prefixed: no two inputs collide by joining."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any


def digest(*parts: str | bytes) -> str:
    """SHA-256 over the length-prefixed parts, 64 hex digits. ("a", "bc") and ("ab", "c") differ."""
    state = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "big"))
        state.update(data)
    return state.hexdigest()


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no white space: equal values give equal strings."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)


def content_hash(content: bytes) -> str:
    """SHA-256 of the bytes as they are, 64 hex digits (the address in the object store)."""
    return hashlib.sha256(content).hexdigest()


def document_id(knowledge_base: str, source: str, uri: str) -> str:
    """Id of a document, from where it lives: 32 hex digits."""
    return digest("document", knowledge_base, source, uri)[:32]


def chunk_id(document: str, key: str) -> str:
    """Id of a chunk within its document, from the content key: 32 hex digits."""
    return digest("chunk", document, key)[:32]


def fingerprint(previous: str, room: str, version: int, options: Mapping[str, Any] | Sequence[Any] | str) -> str:
    """Next link of the fingerprint chain: H(previous, room@version, effective options)."""
    return digest("stage", previous, f"{room}@{version}", canonical_json(options))
