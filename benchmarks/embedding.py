"""Speed of the bundled embedder, and what padded batches would change.

Makes texts of several lengths from a fixed word list, embeds them by threads, and compares with padded batches on the
same session: time, and how far a vector moves when its neighbours change.

    python -m benchmarks.embedding [--texts 200] [--threads 2]
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from embedding.local import LocalEmbedder
from embedding.spec import FloatArray, unit_length

WORDS = (
    "pump",
    "valve",
    "operator",
    "refund",
    "policy",
    "request",
    "limit",
    "table",
    "section",
    "error",
    "leave",
    "manual",
    "release",
    "chunk",
    "vector",
)
BATCH = 16


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--texts", type=int, default=200)
    options.add_argument("--threads", type=int, default=2)
    chosen = options.parse_args()
    seed = np.random.default_rng(1)
    texts = [" ".join(seed.choice(WORDS, size=int(size))) for size in seed.integers(20, 200, size=chosen.texts)]
    started = time.perf_counter()
    embedder = LocalEmbedder(chosen.threads)
    print(f"loaded in {time.perf_counter() - started:.2f} s, model verified")
    tokens = sum(embedder.count_tokens(text) for text in texts)
    for threads in sorted({1, chosen.threads}):
        one_by_one = LocalEmbedder(threads)
        one_by_one.embed(texts[:8])
        started = time.perf_counter()
        alone = one_by_one.embed(texts)
        report(f"one at a time, {threads} threads", len(texts), tokens, time.perf_counter() - started)
    for label, order in (("sorted", sorted(texts, key=len)), ("unsorted", texts)):
        started = time.perf_counter()
        batched = np.concatenate([padded(embedder, order[at : at + BATCH]) for at in range(0, len(order), BATCH)])
        report(f"padded batches of {BATCH}, {label}, 1 thread", len(texts), tokens, time.perf_counter() - started)
        places = [texts.index(text) for text in order]
        moved = 1 - (batched * alone[places]).sum(axis=1)
        same = (batched == alone[places]).all(axis=1).mean()
        print(f"    moved by {moved.max():.1e} (cosine) at most; {same:.0%} of vectors bit for bit as alone")


def report(name: str, texts: int, tokens: int, seconds: float) -> None:
    print(f"{name:42} {texts / seconds:7.1f} texts/s {tokens / seconds:9.0f} tokens/s")


def padded(embedder: LocalEmbedder, texts: list[str]) -> FloatArray:
    """Vectors of one padded batch, the way most libraries compute them."""
    rows = [embedder._tokenizer.ids(text) for text in texts]  # noqa: SLF001
    width = max(len(row) for row in rows)
    ids = np.array([row + [0] * (width - len(row)) for row in rows], dtype=np.int64)
    mask = np.array([[1] * len(row) + [0] * (width - len(row)) for row in rows], dtype=np.int64)
    feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    hidden = embedder._session.run(None, feed)[0]  # noqa: SLF001
    weights = mask[:, :, None].astype(np.float32)
    return unit_length((hidden * weights).sum(axis=1) / weights.sum(axis=1))


if __name__ == "__main__":
    main()
