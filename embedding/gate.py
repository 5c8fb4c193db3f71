"""What has to be embedded, decided by keys alone. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from kprep.core.errors import EmbeddingError


@dataclass(frozen=True, slots=True)
class EmbeddingPlan:
    """`compute`: (key, text) to embed, each key once, shortest text first and then by key, so that equal input gives
    equal batches in any input order. `cache_hits`: distinct keys that are known; `repeats`: rows that share a key."""

    compute: tuple[tuple[str, str], ...]
    cache_hits: int
    repeats: int


def plan_embeddings(keys_and_texts: Iterable[tuple[str, str]], known_keys: AbstractSet[str]) -> EmbeddingPlan:
    """The texts whose key has no vector yet. Every row keeps its key: a repeated key is computed once, never dropped.

    Raises: EmbeddingError (one key for two texts: the key was not made from the exact text)."""
    texts: dict[str, str] = {}
    rows = 0
    for key, text in keys_and_texts:
        rows += 1
        if texts.setdefault(key, text) != text:
            raise EmbeddingError("two texts share one embedding key", key=key)
    missing = [(key, text) for key, text in texts.items() if key not in known_keys]
    missing.sort(key=lambda entry: (len(entry[1]), entry[0]))
    return EmbeddingPlan(tuple(missing), len(texts) - len(missing), rows - len(texts))
