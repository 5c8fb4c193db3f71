"""Turns texts into vectors, each text once per model.

In: exact texts to index. Out: unit-length float32 vectors, shape (n, dimensions), in input order.

- Which texts have no vector yet is asked of the store by space and hash of the text (`kprep.store.embeddings.missing`).
- An `Embedder` names its `space` (model, revision, dimensions, prefix, normalisation), the `tokenizer` its counts come
  from, its `max_tokens` and the languages it is declared for. `create_embedder(settings)` makes one by `provider`:
  `local` (bundled model, English), `multilingual` (extra of that name; neither uses the network) or `openai` (any
  server with that interface).
- A vector depends on its text and the space alone, not on its neighbours in a batch (local provider).
- A text over `max_tokens` raises TextTooLong: nothing is cut silently.
- A server that limits the rate is asked again after the time it names; only the failed batch is sent again. When it
  stays out of reach, EmbedderUnavailable (retryable) names the attempts. Other refusals raise EmbeddingError.
- `token_counter(name)` counts tokens without the model's runtime.

Never: document text in an error, a download, a vector of another dimension or of length 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from embedding import local, multilingual, openai_compatible
from embedding.multilingual import MultilingualTokens
from embedding.spec import Embedder, EmbedderSpec
from embedding.tokenizer import Tokenizer, load_tokenizer
from kprep.core.errors import ConfigError
from kprep.core.registry import by_name

EMBEDDERS = by_name((local.EMBEDDER, multilingual.EMBEDDER, openai_compatible.EMBEDDER))


def create_embedder(settings: Mapping[str, Any]) -> Embedder:
    """The embedder that the mapping's `provider` (default "local") and its other settings describe.

    Raises: ConfigError (unknown provider or setting), EmbeddingError (a model file missing or changed)."""
    provider = settings.get("provider", "local")
    if provider not in EMBEDDERS:
        known = ", ".join(EMBEDDERS)
        raise ConfigError(f"embedding provider {provider!r} is unknown (known: {known})", key="embedding.provider")
    return EMBEDDERS[provider].create(settings)


def token_counter(name: str) -> Tokenizer | MultilingualTokens:
    """What counts tokens as the embedder does. `name`: a tokenizer file, or a provider that brings its own.

    Raises: EmbeddingError (file missing or not a tokenizer, extra not installed)."""
    return MultilingualTokens() if name == multilingual.NAME else load_tokenizer(Path(name))


__all__ = ["EMBEDDERS", "Embedder", "EmbedderSpec", "create_embedder", "token_counter"]
