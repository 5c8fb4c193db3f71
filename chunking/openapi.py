"""Strategy `openapi`: reference units, each looked up by itself: operations, schemas, tables, fields, error codes,
settings, typed fragments of a knowledge entry."""

from __future__ import annotations

from dataclasses import replace

from chunking import sections
from chunking.spec import ChunkerSpec
from kprep.core.models import ChunkedDocument, ChunkProfile, CountTokens, RedactedDocument


def chunk(document: RedactedDocument, profile: ChunkProfile, count_tokens: CountTokens) -> ChunkedDocument:
    """One parent a resource (what its heading names), never joined with another for being small; nothing overlaps.
    Children are its description, its tables between rows, and each error code, field or fragment the format tells apart
    by an anchor of its own. Raises: as `sections`."""
    return sections.chunk(document, replace(profile, min_tokens=0, overlap_sentences=0), count_tokens)


CHUNKER = ChunkerSpec("openapi", 11, chunk)
