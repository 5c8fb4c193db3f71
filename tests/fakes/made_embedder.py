"""An embedder whose vectors are made of the words alone: cheap, deterministic, near for texts that share words."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

DIMENSIONS = 64


@lru_cache(maxsize=100_000)
def _direction(word: str) -> NDArray[np.float32]:
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
    return np.random.default_rng(seed).standard_normal(DIMENSIONS).astype(np.float32)


class MadeEmbedder:
    """Sum of one fixed direction per word. `embedded`: texts it was asked for so far, repeats counted again."""

    space = f"made@1/{DIMENSIONS}/unit"
    tokenizer = "words"
    dimensions = DIMENSIONS
    max_tokens = 10_000
    languages = ("*",)
    relative = False

    def __init__(self) -> None:
        self.embedded = 0

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.embedded += len(texts)
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        words = re.findall(r"\w+", text.casefold()) or [text]
        total = np.sum([_direction(word) for word in words], axis=0)
        return np.asarray(total / np.linalg.norm(total), dtype=np.float32)
