"""What a chunking strategy is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kprep.core.models import ChunkedDocument, ChunkProfile, CountTokens, RedactedDocument

Chunk = Callable[[RedactedDocument, ChunkProfile, CountTokens], ChunkedDocument]


@dataclass(frozen=True, slots=True)
class ChunkerSpec:
    """A strategy. `version` goes up by one whenever the same input gives other chunks."""

    name: str
    version: int
    chunk: Chunk
