"""Strategy `openapi`: reference material, where each resource, field list and error code is looked up by itself."""

from __future__ import annotations

from dataclasses import replace

from chunking import sections
from chunking.spec import ChunkerSpec
from kprep.core.models import ChunkedDocument, ChunkProfile, CountTokens, RedactedDocument


def chunk(document: RedactedDocument, profile: ChunkProfile, count_tokens: CountTokens) -> ChunkedDocument:
    """As `sections`, but nothing is joined for being small and nothing overlaps: an operation or an error code of one
    line stays a parent and a child of its own. Raises: as `sections`."""
    return sections.chunk(document, replace(profile, min_tokens=0, overlap_sentences=0), count_tokens)


CHUNKER = ChunkerSpec("openapi", 1, chunk)
