"""Vectors from any server with the OpenAI interface (`POST {base_url}/embeddings`), over httpx."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from embedding.settings import flag, number, refuse_unknown, text
from embedding.spec import EmbedderSpec, FloatArray, refuse_long, unit_length
from embedding.tokenizer import BUNDLED, Tokenizer, load_tokenizer
from kprep.core.errors import EmbedderUnavailable, EmbeddingError
from kprep.model_server import Client, ModelServer, Response


@dataclass(frozen=True, slots=True)
class Server:
    """Where the model is and what it is. `base_url` ends before `/embeddings`, usually in `/v1`."""

    base_url: str
    model: str
    revision: str
    dimensions: int
    max_tokens: int
    languages: tuple[str, ...] = ("*",)
    document_prefix: str = ""
    query_prefix: str = ""
    relative: bool = False
    batch_size: int = 32
    attempts: int = 5


class OpenAICompatibleEmbedder:
    """Sends batches in input order. A failed batch alone is sent again, after the time the server asks for."""

    def __init__(
        self,
        server: Server,
        tokenizer: Tokenizer,
        client: Client,
        api_key: str = "",
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._server = server
        self._tokenizer = tokenizer
        self._asked = ModelServer(
            "the embedding server", server.base_url, client, EmbeddingError, EmbedderUnavailable,
            api_key, server.attempts, sleep,
        )  # fmt: skip

    @property
    def space(self) -> str:
        server = self._server
        return f"{server.model}@{server.revision}/{server.dimensions}/prefix={server.document_prefix!r}/unit"

    @property
    def tokenizer(self) -> str:
        return f"{self._tokenizer.identity}/prefix={self._server.document_prefix!r}"

    @property
    def dimensions(self) -> int:
        return self._server.dimensions

    @property
    def max_tokens(self) -> int:
        return self._server.max_tokens

    @property
    def languages(self) -> tuple[str, ...]:
        return self._server.languages

    @property
    def relative(self) -> bool:
        return self._server.relative

    def count_tokens(self, text: str) -> int:
        return self._tokenizer(self._server.document_prefix + text)

    def embed(self, texts: Sequence[str]) -> FloatArray:
        return self._vectors([self._server.document_prefix + text for text in texts])

    def embed_query(self, text: str) -> FloatArray:
        vector: FloatArray = self._vectors([self._server.query_prefix + text])[0]
        return vector

    def _vectors(self, texts: list[str]) -> FloatArray:
        import numpy as np

        refuse_long([self._tokenizer(text) for text in texts], self.max_tokens)
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        size = self._server.batch_size
        return np.concatenate([self._batch(texts[at : at + size]) for at in range(0, len(texts), size)])

    def _batch(self, texts: list[str]) -> FloatArray:
        body = {"model": self._server.model, "input": texts, "encoding_format": "float"}
        return unit_length(self._read(self._asked.post("embeddings", body), len(texts)))

    def _read(self, response: Response, count: int) -> FloatArray:
        import numpy as np

        try:
            rows = sorted(response.json()["data"], key=lambda row: int(row["index"]))
            indexes = [int(row["index"]) for row in rows]
            vectors = np.asarray([row["embedding"] for row in rows], dtype=np.float32)
        except (ValueError, KeyError, TypeError) as error:
            raise EmbeddingError("the embedding server's answer cannot be read", texts=count) from error
        if indexes != list(range(count)) or vectors.shape != (count, self.dimensions):
            raise EmbeddingError(
                f"the embedding server gave shape {vectors.shape}, not {(count, self.dimensions)}",
                texts=count, dimensions=self.dimensions,
            )  # fmt: skip
        return vectors


def _create(settings: Mapping[str, Any]) -> OpenAICompatibleEmbedder:
    import httpx

    known = ("provider", "base_url", "model", "revision", "dimensions", "max_tokens", "tokenizer", "languages",
             "document_prefix", "query_prefix", "relative", "batch_size", "attempts",
             "timeout_s", "api_key")  # fmt: skip
    refuse_unknown(settings, known)
    server = Server(
        base_url=text(settings, "base_url"),
        model=text(settings, "model"),
        revision=text(settings, "revision", ""),
        dimensions=number(settings, "dimensions"),
        max_tokens=number(settings, "max_tokens"),
        languages=tuple(str(language) for language in settings.get("languages", ("*",))),
        document_prefix=text(settings, "document_prefix", ""),
        query_prefix=text(settings, "query_prefix", ""),
        relative=flag(settings, "relative"),
        batch_size=number(settings, "batch_size", 32),
        attempts=number(settings, "attempts", 5),
    )
    file = text(settings, "tokenizer")  # "bundled" or the model's own tokenizer.json: limits need the real one
    tokenizer = load_tokenizer(BUNDLED if file == "bundled" else Path(file))
    client = httpx.Client(timeout=number(settings, "timeout_s", 60))
    return OpenAICompatibleEmbedder(server, tokenizer, client, text(settings, "api_key", ""))


EMBEDDER = EmbedderSpec("openai", _create)
