"""Do references between documents still lead somewhere?"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from quality.samples import first
from quality.spec import Candidate, CheckSpec, Finding, Level, TouchedRelation

LIKENESS = 0.8
"""`difflib.SequenceMatcher.ratio` from which an anchor is another one mistyped."""


def relations_broken(candidate: Candidate) -> Sequence[Finding]:
    """Share of the touched references that led somewhere in the live release and no longer do, or that a live document
    says anew and that lead to none: a warning, and an error only over a threshold the configuration sets. Others that
    lead nowhere, as they did before or in a document that is new, are counted in the message. A place in a document
    that never was there is told only where the document has one of almost that name: not every place has its anchor
    stored."""
    looked = candidate.relations
    broken = [(relation, reason) for relation in looked if (reason := _broken(relation))]
    lost = [each for each in broken if each[0].held and (each[0].anchor_held or not each[0].holds)]
    wrong = [each for each in broken if each not in lost]
    told = [*lost, *wrong]
    share, limit = len(told) / len(looked) if looked else 0.0, candidate.thresholds.broken_share
    refused = limit is not None and share > limit
    level: Level = "error" if refused or not told else "warning"
    message = f"{len(lost)} of {len(looked)} references lost the document or place they led to"
    message += f", and {len(wrong)} were written anew and lead to none" if wrong else ""
    others = sum(not relation.holds for relation in looked) - sum(not relation.holds for relation, _ in told)
    message += f"; {others} others lead to none, in new documents or as before" if others else ""
    if told:
        message += ": correct them, or bring the documents back; `kprep relations URI` names each with its state"
    samples = first(
        {
            "document_uri": item.document_uri,
            "relation": item.kind,
            "written": item.written[:80],
            "target": (f"{item.target}#{item.anchor}" if item.anchor else item.target)[:200],
            "reason": reason,
        }
        for item, reason in told
    )
    return [Finding("relations_broken", level, not told, share, limit, message, samples)]


def _broken(relation: TouchedRelation) -> str:
    """What a candidate breaks of a reference, "" for nothing."""
    if not relation.holds:
        gone = "its document is gone" if relation.held else ""
        return gone or ("there is no such document" if relation.is_new else "")
    if not relation.anchor or relation.anchor_holds:
        return ""
    if relation.anchor_held:
        return f"its document no longer has a place #{relation.anchor}"
    meant = get_close_matches(relation.anchor, relation.anchors, 1, LIKENESS) if relation.anchor_is_new else []
    return f"its document has no place #{relation.anchor}, but #{meant[0]}" if meant else ""


CHECKS = (CheckSpec("relations_broken", relations_broken),)
