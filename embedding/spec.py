"""What an embedder is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from kprep.core.errors import EmbeddingError, TextTooLong

if TYPE_CHECKING:  # numpy is loaded on use: processes that only count tokens start without it
    import numpy as np
    from numpy.typing import NDArray

FloatArray: TypeAlias = "NDArray[np.float32]"


class Embedder(Protocol):
    """Gives vectors for texts. `space` names all that shapes a vector: model, revision, dimensions, role and prefix,
    normalisation; `tokenizer` what `count_tokens` counts with (for chunk fingerprints); `languages` those the model is
    declared for ("*": any); `relative`: True where a cosine says little alone, since any two texts of a language are
    near each other: a hit's likeness is then how far it stands out from any texts of its language."""

    @property
    def space(self) -> str: ...
    @property
    def tokenizer(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def max_tokens(self) -> int: ...
    @property
    def languages(self) -> tuple[str, ...]: ...
    @property
    def relative(self) -> bool: ...

    def count_tokens(self, text: str) -> int:
        """Tokens of the text as the model sees it, special tokens and prefix included."""
        ...

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Unit-length vectors, shape (len(texts), dimensions), float32, in input order.
        Raises: TextTooLong (over `max_tokens`; nothing is cut), EmbedderUnavailable (retryable), EmbeddingError."""
        ...

    def embed_query(self, text: str) -> FloatArray:
        """The unit-length vector of a question, shape (dimensions,). Raises: as `embed`."""
        ...


@dataclass(frozen=True, slots=True)
class EmbedderSpec:
    """A provider: `create(settings)` checks its settings and gives an embedder."""

    name: str
    create: Callable[[Mapping[str, Any]], Embedder]


def refuse_long(counts: Sequence[int], max_tokens: int) -> None:
    """Raises: TextTooLong, naming the position and size of the first text over the limit."""
    for index, count in enumerate(counts):
        if count > max_tokens:
            raise TextTooLong(
                f"a text has {count} tokens, the model takes {max_tokens}", index=index, tokens=count, limit=max_tokens
            )


def unit_length(vectors: FloatArray) -> FloatArray:
    """The vectors divided by their length. Raises: EmbeddingError for a vector without a direction."""
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    if not np.isfinite(lengths).all() or not (lengths > 0).all():
        raise EmbeddingError("the model gave a vector without a direction (zero or not a number)")
    return np.asarray(vectors / lengths, dtype=np.float32)
