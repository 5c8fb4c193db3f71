"""Do references between documents still lead somewhere?"""

from __future__ import annotations

from collections.abc import Sequence

from quality.samples import first
from quality.spec import Candidate, CheckSpec, Finding, Level


def relations_broken(candidate: Candidate) -> Sequence[Finding]:
    """Share of the touched references that led somewhere in the live release and no longer do: a warning, and an error
    only over a threshold the configuration sets. Those that never led anywhere are counted in the message."""
    looked = candidate.relations
    lost = [relation for relation in looked if relation.held and not relation.holds]
    never = sum(not relation.held and not relation.holds for relation in looked)
    share, limit = len(lost) / len(looked) if looked else 0.0, candidate.thresholds.broken_share
    refused = limit is not None and share > limit
    level: Level = "error" if refused or not lost else "warning"
    message = f"{len(lost)} of {len(looked)} references lost the document they led to"
    message += f"; {never} lead to none as before" if never else ""
    if lost:
        message += ": correct them, or bring the documents back; `kprep relations URI` names each with its state"
    samples = first(
        {"document_uri": item.document_uri, "relation": item.kind, "written": item.written[:80]} for item in lost
    )
    return [Finding("relations_broken", level, not lost, share, limit, message, samples)]


CHECKS = (CheckSpec("relations_broken", relations_broken),)
