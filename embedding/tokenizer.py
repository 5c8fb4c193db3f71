"""Token counts of the bundled model, without its runtime: preparing documents needs only this."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kprep.core.errors import EmbeddingError

BUNDLED = Path(__file__).parent / "data" / "minilm" / "tokenizer.json"


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """A tokenizer file. Call it to count; `identity` names the file's content, for fingerprints of chunks.

    Texts go one by one: the library's batches start threads, and a process that has them cannot fork safely."""

    identity: str
    backend: Any

    def __call__(self, text: str) -> int:
        """Tokens of the text as the model sees it, special tokens included, never cut."""
        return len(self.backend.encode(text).ids)

    def ids(self, text: str) -> list[int]:
        """Token ids of the text, special tokens included, never cut."""
        ids: list[int] = self.backend.encode(text).ids
        return ids


@cache
def load_tokenizer(path: Path = BUNDLED) -> Tokenizer:
    """The tokenizer in a `tokenizer.json`, loaded once per process; the file's own truncation and padding are off.

    Raises: EmbeddingError (file missing or not a tokenizer)."""
    from tokenizers import Tokenizer as Backend

    try:
        content = path.read_bytes()
        backend = Backend.from_str(content.decode("utf-8"))
    except Exception as error:  # tokenizers raises bare Exception for a bad file
        raise EmbeddingError(f"the tokenizer file {path.name} cannot be used", file=path.name) from error
    backend.no_truncation()
    backend.no_padding()
    return Tokenizer(f"{path.parent.name}:{hashlib.sha256(content).hexdigest()[:16]}", backend)
