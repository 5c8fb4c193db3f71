"""Do references between documents still lead somewhere?"""

from __future__ import annotations

from collections.abc import Sequence

from quality.samples import first
from quality.spec import Candidate, CheckSpec, Finding, Level


def relations_broken(candidate: Candidate) -> Sequence[Finding]:
    """Share of the touched references that led somewhere in the live release and no longer do, or that a live document
    says anew and that lead to none: a warning, and an error only over a threshold the configuration sets. Others that
    lead nowhere, as they did before or in a document that is new, are counted in the message."""
    looked = candidate.relations
    broken = [relation for relation in looked if not relation.holds]
    lost = [relation for relation in broken if relation.held]
    wrong = [relation for relation in broken if relation.is_new and not relation.held]
    told = [*lost, *wrong]
    share, limit = len(told) / len(looked) if looked else 0.0, candidate.thresholds.broken_share
    refused = limit is not None and share > limit
    level: Level = "error" if refused or not told else "warning"
    message = f"{len(lost)} of {len(looked)} references lost the document they led to"
    message += f", and {len(wrong)} were written anew and lead to none" if wrong else ""
    others = len(broken) - len(told)
    message += f"; {others} others lead to none, in new documents or as before" if others else ""
    if told:
        message += ": correct them, or bring the documents back; `kprep relations URI` names each with its state"
    samples = first(
        {
            "document_uri": item.document_uri,
            "relation": item.kind,
            "written": item.written[:80],
            "target": item.target[:200],
            "reason": "its document is gone" if item.held else "there is no such document",
        }
        for item in told
    )
    return [Finding("relations_broken", level, not told, share, limit, message, samples)]


CHECKS = (CheckSpec("relations_broken", relations_broken),)
