"""Chunk sizes on the open chunking set: which sizes find the right characters, and how much else comes along.

Reads `<sets>/retrieval/chroma_chunking`, `<sets>` being KPREP_SETS or ../shared/data. Cuts the five documents, embeds
with the bundled model, answers the 472 questions with the five best chunks (vectors and BM25, fused), and prints
recall and IoU over character ranges beside the published figures.

    python -m benchmarks.chunking [--sizes 256/200 128/100] [--overlap 0]
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import time
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

from chunking import chunk
from embedding import create_embedder
from embedding.spec import Embedder, FloatArray
from enrichment import enrich
from kprep.core.models import (
    ChunkProfile,
    DocumentMetadata,
    Element,
    ElementKind,
    Locator,
    RedactedDocument,
)

PUBLISHED = (
    ("cluster, 400 tokens", 91.3, 4.5),
    ("an LLM cuts", 91.9, 3.9),
    ("recursive, 200 tokens", 88.1, 6.9),
    ("cluster, 200 tokens", 87.3, 8.0),
    ("recursive, 250 tokens, all-MiniLM-L6-v2", 82.4, 3.5),
    ("cluster, 200 tokens, all-MiniLM-L6-v2", 75.2, 7.2),
    ("floor: sentences to 600 characters, MiniLM int8 and BM25", 82.4, 8.1),
    ("floor: sentences to 800 characters, MiniLM int8 and BM25", 84.6, 6.2),
)
TOP = 5
Span = tuple[str, int, int]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sizes", nargs="*", default=["256/120", "256/160", "256/200"], help="max/target tokens")
    options.add_argument("--overlap", type=int, default=0, help="sentences repeated between children")
    chosen = options.parse_args()
    folder = Path(os.environ.get("KPREP_SETS", "../shared/data")) / "retrieval" / "chroma_chunking"
    questions = [json.loads(line) for line in (folder / "questions.jsonl").read_text("utf-8").splitlines()]
    print(f"{len(questions)} questions, {json.loads((folder / 'meta.json').read_text('utf-8'))['origin']}\n")
    print(f"{'published':58} recall   IoU")
    for name, recall, iou in PUBLISHED:
        print(f"{name:58} {recall:6.1f} {iou:5.1f}")
    embedder = create_embedder({"provider": "local"})
    asked = embedder.embed([question["question"] for question in questions])
    for size in chosen.sizes:
        most, target = (int(part) for part in size.split("/"))
        profile = ChunkProfile(max_tokens=most, target_tokens=target, overlap_sentences=chosen.overlap)
        measure(folder / "docs", questions, asked, embedder, profile)


def measure(
    folder: Path, questions: list[dict[str, object]], asked: FloatArray, embedder: Embedder, profile: ChunkProfile
) -> None:
    started = time.perf_counter()
    spans: list[Span] = []
    texts: list[str] = []
    for path in sorted(folder.glob("*.md")):
        chunked = chunk(read(path), profile, embedder.count_tokens)
        for child in enrich(chunked, embedder.max_tokens, embedder.count_tokens).children:
            assert child.locator.char is not None
            spans.append((path.name, *child.locator.char))
            texts.append(child.index_text)
    cut = time.perf_counter()
    similarity = asked @ embedder.embed(texts).T
    words = BM25(texts)
    lexical = np.stack([words.scores(str(question["question"])) for question in questions])
    fused = bounded(similarity) + 0.5 * bounded(lexical)
    chars = np.mean([end - start for _, start, end in spans])
    print(
        f"\nmax {profile.max_tokens}, target {profile.target_tokens}: {len(texts)} chunks of {chars:.0f} characters, ",
        end="",
    )
    print(f"cut in {cut - started:.1f} s, embedded in {time.perf_counter() - cut:.1f} s")
    for name, scores in (("vectors", similarity), ("BM25", lexical), ("fused", fused)):
        recall, iou = score(questions, spans, scores)
        print(f"{'  ' + name:58} {recall:6.1f} {iou:5.1f}")


def read(path: Path) -> RedactedDocument:
    """Paragraphs of the file, with exact character places."""
    text = path.read_text("utf-8")
    elements = tuple(
        Element(ElementKind.PARAGRAPH, match.group(), Locator(char=match.span()))
        for match in re.finditer(r"\S(?:.*\S)?(?:\n[^\S\n]*\S(?:.*\S)?)*", text)
    )
    return RedactedDocument(f"set/{path.name}", "text/plain", "paragraphs", elements, (), DocumentMetadata(), (), ())


class BM25:
    """Plain BM25 over lower-cased words."""

    def __init__(self, texts: list[str], k1: float = 1.2, b: float = 0.75) -> None:
        counts = [Counter(re.findall(r"\w+", text.lower())) for text in texts]
        lengths = np.array([sum(count.values()) for count in counts], dtype=np.float64)
        self.norm = k1 * (1 - b + b * lengths / lengths.mean())
        self.gain = k1 + 1
        self.postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for at, count in enumerate(counts):
            for word, times in count.items():
                self.postings[word].append((at, times))

    def scores(self, query: str) -> FloatArray:
        out = np.zeros(len(self.norm))
        for word in set(re.findall(r"\w+", query.lower())):
            found = self.postings.get(word, [])
            weight = math.log(1 + (len(self.norm) - len(found) + 0.5) / (len(found) + 0.5))
            for at, times in found:
                out[at] += weight * times * self.gain / (times + self.norm[at])
        return out.astype(np.float32)


def bounded(scores: FloatArray) -> FloatArray:
    """Scores of each question between 0 (its median) and 1 (its best)."""
    low = np.median(scores, axis=1, keepdims=True)
    return np.asarray(
        np.clip((scores - low) / (scores.max(axis=1, keepdims=True) - low + 1e-9), 0, 1), dtype=np.float32
    )


def score(questions: list[dict[str, object]], spans: list[Span], scores: FloatArray) -> tuple[float, float]:
    """Mean recall and intersection over union of the five best chunks, per cent. A character in two chunks counts twice
    in the union, as in the published figures."""
    recalls, ious = [], []
    for row, question in enumerate(questions):
        best = [spans[at] for at in np.argsort(-scores[row], kind="stable")[:TOP]]
        wanted = {(ref["doc"], at) for ref in question["relevant"] for at in range(ref["start"], ref["end"])}  # type: ignore[attr-defined]
        got = {(doc, at) for doc, start, end in best for at in range(start, end)}
        hit = len(wanted & got)
        recalls.append(hit / len(wanted))
        ious.append(hit / (sum(end - start for _, start, end in best) + len(wanted) - hit))
    return 100 * float(np.mean(recalls)), 100 * float(np.mean(ious))


if __name__ == "__main__":
    main()
