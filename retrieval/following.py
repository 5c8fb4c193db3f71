"""Hits led to by references: each hit followed by the best passage of what it links to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from kprep.store import relations, search
from kprep.store.search import Scope
from kprep.store.sql import Connection
from retrieval import tokens
from retrieval.reader import at_anchor, hit_of
from retrieval.scoring import Judge

LINKS_FROM = 5
"""Hits whose references are followed."""
FOLLOWED = ("ok", "older_revision")


def follow(
    connection: Connection, scope: Scope, hits: Sequence[dict[str, Any]], question: str, judge: Judge
) -> list[dict[str, Any]]:
    """Hits, each followed by the best passage of the documents it links to, marked with the link followed (`via`).

    A passage that was found further down by its own words comes up: the reference speaks for it as well."""
    placed: set[str] = set()
    out: list[dict[str, Any]] = []
    told = relations.of_source(connection, scope, chunk_ids=[hit["chunk_id"] for hit in hits[:LINKS_FROM]])
    for hit in hits:
        if hit["chunk_id"] in placed:
            continue
        placed.add(hit["chunk_id"])
        out.append(hit)
        for relation in told:
            if relation["chunk_id"] != hit["chunk_id"] or not _leads_on(hit, relation):
                continue
            target = _best_passage(connection, scope, relation, question, judge)
            if target is not None and target["chunk_id"] not in placed:
                placed.add(target["chunk_id"])
                out.append(_linked(target, hit, relation, judge))
    return out


def _leads_on(hit: Mapping[str, Any], relation: Mapping[str, Any]) -> bool:
    """To what the reader may see now, and not merely to the hit's own document."""
    within = relation["target_uri"] == hit["document_uri"] and not relation["anchor"]
    return relation["state"] in FOLLOWED and not within


def _best_passage(
    connection: Connection, scope: Scope, relation: Mapping[str, Any], question: str, judge: Judge
) -> Mapping[str, Any] | None:
    """The passage of the linked place that says most of the question's words; None where none may come up."""
    rows = search.chunks(connection, scope, uri=relation["target_uri"])
    if relation["anchor"]:
        rows = at_anchor(rows, relation["anchor"]) or rows
    wanted = set(tokens.query_terms(question))

    def said(row: Mapping[str, Any]) -> tuple[int, int]:
        return len(wanted & set(tokens.terms(row["index_text"], row["language"]))), -row["ordinal"]

    return max((row for row in rows if not judge.blocks(row)), key=said, default=None)


def _linked(
    target: Mapping[str, Any], hit: Mapping[str, Any], relation: Mapping[str, Any], judge: Judge
) -> dict[str, Any]:
    """A hit with the score of the one that links to it, and what its own document says of it."""
    factors = judge.factors(target, frozenset())
    via = {"from": hit["chunk_id"], **{name: relation[name] for name in ("kind", "written", "state")}}
    linked = {**hit_of(target, hit["score"] * math.prod(factors.values())), "via": via}
    return linked | ({"explain": {"fused": hit["score"], "factors": factors}} if "explain" in hit else {})
