"""Vectors from any server with the OpenAI interface (`POST {base_url}/embeddings`), over httpx."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, Protocol

from embedding.settings import flag, number, refuse_unknown, text
from embedding.spec import EmbedderSpec, FloatArray, refuse_long, unit_length
from embedding.tokenizer import BUNDLED, Tokenizer, load_tokenizer
from kprep.core.errors import EmbedderUnavailable, EmbeddingError

RETRY_STATUS = (408, 425, 429, 500, 502, 503, 504)
LONGEST_WAIT_S = 60.0


class Response(Protocol):
    """What is read of an HTTP response (`httpx.Response`)."""

    @property
    def status_code(self) -> int: ...
    @property
    def headers(self) -> Any: ...
    def json(self) -> Any: ...


class Client(Protocol):
    """What is used of an HTTP client (`httpx.Client`)."""

    def post(self, url: str, *, json: Any, headers: Mapping[str, str]) -> Response: ...


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
        self._client = client
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._sleep = sleep

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
        return unit_length(self._read(self._post(body), len(texts)))

    def _post(self, body: dict[str, Any]) -> Response:
        """The answer with status 200. Raises: EmbedderUnavailable (after all attempts), EmbeddingError (refused)."""
        import httpx

        url = self._server.base_url.rstrip("/") + "/embeddings"
        status: int | str = ""
        for attempt in range(1, self._server.attempts + 1):
            wait_s = min(2.0 ** (attempt - 1), LONGEST_WAIT_S)
            try:
                response = self._client.post(url, json=body, headers=self._headers)
            except httpx.TransportError as error:
                status = type(error).__name__
            else:
                status = response.status_code
                if status == 200:
                    return response
                if status not in RETRY_STATUS:
                    raise EmbeddingError(f"the embedding server refused a batch (status {status})", status=status)
                wait_s = _asked_wait_s(response, wait_s)
            if attempt < self._server.attempts:
                if wait_s > LONGEST_WAIT_S:
                    raise EmbedderUnavailable(
                        f"the embedding server asks to wait {wait_s:.0f} s (status {status})",
                        status=status, attempts=attempt, retry_after_s=wait_s,
                    )  # fmt: skip
                self._sleep(wait_s)
        raise EmbedderUnavailable(
            f"the embedding server did not answer in {self._server.attempts} attempts (last: {status})",
            status=status,
            attempts=self._server.attempts,
        )

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


def _asked_wait_s(response: Response, default: float) -> float:
    """Seconds of the Retry-After header (a number or a date), else the default."""
    asked = str(response.headers.get("Retry-After", "")).strip()
    if not asked:
        return default
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?", asked):
        return float(asked)
    try:
        moment = parsedate_to_datetime(asked)
    except ValueError:
        return default
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max((moment - datetime.now(UTC)).total_seconds(), 0.0)


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
