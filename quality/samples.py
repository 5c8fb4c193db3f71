"""What a finding shows of what it found: ids, URIs, and a few words where that is safe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from quality.spec import Candidate, CandidateChunk

MAX_SAMPLES = 20
MAX_CHARS = 80


def first(samples: Iterable[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """At most 20 of the samples, in order."""
    return tuple(sample for sample, _ in zip(samples, range(MAX_SAMPLES), strict=False))


def place(chunk: CandidateChunk, reason: str = "", **more: Any) -> dict[str, Any]:
    """Where a chunk is, without its text."""
    sample = {
        "chunk_id": chunk.chunk_id,
        "document_uri": chunk.document_uri,
        "ordinal": chunk.ordinal,
        "locator": chunk.locator.to_json(),
    }
    return sample | ({"reason": reason} if reason else {}) | more


def shown(candidate: Candidate, chunk: CandidateChunk, reason: str = "", **more: Any) -> dict[str, Any]:
    """Where a chunk is and at most 80 characters of it; no text when the scan finds personal data in the chunk.

    A gate report is stored and shown to operators, so it must not spread what redaction missed.
    """
    sample = place(chunk, reason, **more)
    if not vouched(candidate, chunk.text):
        return sample
    return sample | {"text": " ".join(chunk.text.split())[:MAX_CHARS]}


def vouched(candidate: Candidate, text: str) -> bool:
    """Whether a text may be shown: the scan ran and found nothing in it."""
    try:
        return not candidate.scan_text(text)
    except Exception:  # noqa: BLE001  the check `personal_data` reports a broken scan; here it only means: show nothing
        return False
