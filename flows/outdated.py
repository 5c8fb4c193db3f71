"""Which conversations say what a formal document, or a later conversation of the same source, says otherwise.

A mark, not a judgement: `outdated_by` names what contradicts, for people and for the order of hits. What only a rule
confirmed goes back to the candidate store for as long as it is contradicted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flows.candidates import CANDIDATE, FORMAL
from kprep.store import candidates
from kprep.store.sql import Connection
from parsers.contradiction import LEAST_COMMON, Statement, differ, statements


@dataclass(slots=True)
class _Said:
    """Statements of conversations, found by their words."""

    statements: list[tuple[str, Statement]] = field(default_factory=list)
    by_word: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def add(self, document_id: str, text: str) -> None:
        for statement in statements(text):
            for word in statement.words:
                self.by_word[word].append(len(self.statements))
            self.statements.append((document_id, statement))

    def contradicted(self, text: str) -> set[str]:
        """Documents with a statement that a later text says otherwise."""
        out: set[str] = set()
        for later in statements(text):
            shared = Counter(at for word in later.words for at in self.by_word.get(word, ()))
            for at, count in shared.items():
                document_id, earlier = self.statements[at]
                if count >= LEAST_COMMON and document_id not in out and differ(earlier, later):
                    out.add(document_id)
        return out


def is_casual(metadata: Mapping[str, Any]) -> bool:
    """True for a document of the candidate store, also one that was confirmed."""
    return metadata.get("store", FORMAL) != FORMAL or "confirmed_by" in metadata or bool(metadata.get("rule_confirms"))


def contradicted(
    connection: Connection, kb: str, base_release: int, wanted: Sequence[Mapping[str, Any]], retired: Sequence[str]
) -> tuple[dict[str, set[str]], list[str]]:
    """Document id -> URIs of what contradicts it, of all conversations wanted or live; and the live ones among them for
    which that changes."""
    gone = [*retired, *(row["document_id"] for row in wanted)]
    live = candidates.casual(connection, kb, base_release, gone)
    if not live and not any(is_casual(row["metadata"]) for row in wanted):
        return {}, []
    found = _contradictions(connection, kb, base_release, wanted, live, gone)
    return found, [
        item["document_id"] for item in live if sorted(found.get(item["document_id"], ())) != item["outdated_by"]
    ]


def settle(row: dict[str, Any], outdated_by: Iterable[str]) -> None:
    """Write the mark into a wanted row, and what follows for where a document goes that only a rule confirmed."""
    by = sorted(outdated_by)
    metadata = {name: value for name, value in row["metadata"].items() if name != "outdated_by"}
    if by:
        metadata["outdated_by"] = by
    if metadata.get("rule_confirms"):
        metadata.pop("confirmed_by", None)
        metadata["store"] = CANDIDATE if by else FORMAL
        metadata |= {} if by else {"confirmed_by": "rule"}
    row |= {"metadata": metadata, "store": metadata["store"]}


def _contradictions(
    connection: Connection,
    kb: str,
    base_release: int,
    wanted: Sequence[Mapping[str, Any]],
    live: Sequence[Mapping[str, Any]],
    gone: Sequence[str],
) -> dict[str, set[str]]:
    casual = [row for row in wanted if is_casual(row["metadata"])]
    everything = [*({**row, "updated_at": row["updated_at"] or ""} for row in casual), *live]
    texts = candidates.texts(connection, kb, [str(row["version_id"]) for row in [*everything, *wanted]])
    out: dict[str, set[str]] = defaultdict(set)
    said: dict[str, _Said] = defaultdict(_Said)
    whole = _Said()
    for row in sorted(everything, key=lambda row: (row["updated_at"], row["uri"])):
        for text in texts.get(row["version_id"], ()):
            for document_id in said[row["source"]].contradicted(text):
                out[document_id].add(row["uri"])
        for text in texts.get(row["version_id"], ()):
            said[row["source"]].add(row["document_id"], text)
            whole.add(row["document_id"], text)
    formal = [row for row in wanted if not is_casual(row["metadata"])]
    told = [(row["uri"], text) for row in formal for text in texts.get(row["version_id"], ())]
    for uri, text in [*told, *candidates.formal_texts(connection, kb, base_release, gone)]:
        for document_id in whole.contradicted(text):
            out[document_id].add(uri)
    return out
