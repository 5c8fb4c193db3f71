"""Which hits are listed: those of one section, those that say the same, and what was said before. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any


def best_of_section(hits: Sequence[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """Hits without those that come after `most` better ones of their section or entry (0: all). An explanation says
    the how manyth of its section a hit is."""
    counts: Counter[str] = Counter()
    kept = []
    for hit in hits:
        counts[hit["parent_id"]] += 1
        place = counts[hit["parent_id"]]
        if "explain" in hit:
            hit["explain"]["of_section"] = place
        if not most or place <= most:
            kept.append(hit)
    return kept


ALIKE = 0.9
"""Share of common words of two passages, numbers alike, from which they are shown as one."""
SAME_SUBJECT = 0.7
"""Share of common words from which two passages say the same thing, one of them as it is said now."""
COMPARED = 20
"""Best passages that are compared."""
BEHIND = 0.99


def older(scores: Mapping[str, float], rows: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Chunk id -> factor (4 digits) that puts a passage behind one of another document that says nearly the same, is of
    the same source and as much trusted, and was updated at least a day later."""
    best = sorted(scores, key=lambda key: -scores[key])[:COMPARED]
    words = {key: set(re.findall(r"\w+", rows[key]["text"].casefold())) for key in best}
    final = {key: scores[key] for key in best}
    # The newest first, so that each one stands behind the newest of those that say the same.
    for newer in sorted((key for key in best if rows[key]["updated_at"]), key=lambda key: rows[key]["updated_at"])[
        ::-1
    ]:
        for key in best:
            if final[key] > BEHIND * final[newer] and _is_older(rows[key], rows[newer]):
                final[key] = BEHIND * final[newer] if _alike(words[key], words[newer], SAME_SUBJECT) else final[key]
    return {key: round(final[key] / scores[key], 4) for key in best if final[key] < scores[key]}


def _is_older(row: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    if not row["updated_at"] or row["document_id"] == other["document_id"] or row["source"] != other["source"]:
        return False
    trust = [float(one["metadata"].get("source_confidence") or 0.0) for one in (row, other)]
    return bool(trust[0] <= trust[1] and other["updated_at"] - row["updated_at"] >= timedelta(days=1))


def fold(hits: Sequence[dict[str, Any]], top_k: int) -> tuple[list[dict[str, Any]], bool]:
    """The first hits, those that say the same, or nearly and with the same numbers, as one, the others named in
    `also_in`; and whether there are more."""
    kept: list[tuple[set[str], list[str], dict[str, Any]]] = []
    more = False
    for hit in hits:
        said = set(re.findall(r"\w+", hit["text"].casefold()))
        numbers = sorted(re.findall(r"\d+", hit["text"]))
        same = next(
            (
                other
                for words, digits, other in kept
                if other["text"] == hit["text"]
                or (digits == numbers and other["document_uri"] != hit["document_uri"] and _alike(words, said))
            ),
            None,
        )
        if same is not None:
            same.setdefault("also_in", []).append(hit["citation"])
        elif len(kept) < top_k:
            kept.append((said, numbers, hit))
        else:
            more = True
    return [hit for *_, hit in kept], more


def _alike(one: set[str], other: set[str], share: float = ALIKE) -> bool:
    """True for passages of at least ten different words of which nearly all are the same."""
    fewer, most = sorted((len(one), len(other)))
    if fewer < max(10, share * most):
        return False
    common = len(one & other)
    return common >= share * (fewer + most - common)
