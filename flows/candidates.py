"""The candidate store: what nobody has confirmed yet, kept apart from the formal one, and for less long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kprep.config import KnowledgeBaseConfig, SourceConfig
from sources import SOURCES

FORMAL, CANDIDATE, REJECTED = "formal", "candidate", "rejected"
CANDIDATE_DAYS = 180
"""Days that documents of the candidate store are kept after their last change, where the configuration says nothing."""

CASUAL_MEDIA = frozenset(
    (
        "message/rfc822",
        "application/mbox",
        "application/vnd.ms-outlook",
        "text/vtt",
        "application/x-subrip",
        "application/vnd.kprep.transcript+json",
        "application/vnd.kprep.conversation+jsonl",
    )
)
"""What people say or write to each other, whatever system it comes from; audio and video as well."""


def store_of(source: SourceConfig, media_type: str = "") -> str:
    """Where a source's documents go before anybody confirms them: what it says itself, else the candidate store for
    conversations, mail, recordings and their transcripts."""
    casual = media_type.startswith(("audio/", "video/")) or media_type in CASUAL_MEDIA
    return source.store or (CANDIDATE if casual else SOURCES[source.kind].store)


def retention_of(config: KnowledgeBaseConfig) -> dict[str, int]:
    """Source -> days after its last change at which a document of it ends; sources without a limit are left out.

    The source's own limit goes before that of its document type; the candidate store has one in any case.
    """
    days = {
        source.name: source.retention
        or config.retention.days.get(source.doc_type)
        or (CANDIDATE_DAYS if store_of(source) == CANDIDATE else None)
        for source in config.sources
    }
    return {name: count for name, count in days.items() if count}


def placed(
    source: SourceConfig, media_type: str, decision: str, front_matter: Mapping[str, Any], labels: Sequence[str]
) -> dict[str, Any]:
    """`store` of a document, and `confirmed_by` ("person" or "rule") where it was confirmed.

    A person's word goes before the rules. `rule_confirms` stays where a contradiction takes the rule's word back.
    """
    if store_of(source, media_type) == FORMAL:
        return {"store": FORMAL}
    if decision == "confirmed":
        return {"store": FORMAL, "confirmed_by": "person"}
    if decision == "rejected":
        return {"store": REJECTED}
    if by_rule(source, front_matter, labels):
        return {"store": FORMAL, "confirmed_by": "rule", "rule_confirms": True}
    return {"store": CANDIDATE}


def by_rule(source: SourceConfig, front_matter: Mapping[str, Any], labels: Sequence[str]) -> bool:
    """True when every condition that the configuration gives holds; without any nothing is confirmed by rule."""
    confirm = source.confirm
    if not (confirm.reactions or confirm.labels or confirm.min_participants):
        return False
    if confirm.reactions and not set(confirm.reactions) & set(front_matter.get("reactions", ())):
        return False
    if confirm.labels and not set(confirm.labels) & set(labels):
        return False
    return int(front_matter.get("participants", 0)) >= confirm.min_participants
