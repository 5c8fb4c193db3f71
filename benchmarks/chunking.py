"""Chunk sizes on the open chunking set: which sizes find the right characters, and how much else comes along.

Reads `<sets>/retrieval/chroma_chunking` and `cmrc2018_dev`, `<sets>` being KPREP_SETS or ../shared/data. Cuts the five
documents, embeds with the bundled model, answers the 472 questions with the five best chunks by several designs, and
prints recall and IoU over character ranges beside the published figures; then the Chinese set, lexically.

    python -m benchmarks.chunking [--sizes 256/224 256/160] [--overlap 0] [--vectors FOLDER] [--write]

`--vectors` keeps vectors between runs, by text: embedding is nearly all of the time. `--write` writes
docs/quality/chunking.md and its plots.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import Stemmer
from sentencex import get_sentence_boundaries

from benchmarks.chunking_report import write
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
LEXICAL = 1.5
"""Weight of the lexical score beside the dense one, both between 0 and 1."""
NEIGHBOUR = 0.2
"""Share of its neighbours' scores a chunk is given: what stands before and after a good passage is likely of use."""
KEPT = 0.32
"""Of a hit is shown what lies between its first and last sentence with at least this share of the best one's score."""
ENDINGS = "。！？；…”」』）)!?.;：:"
Span = tuple[str, int, int]
Figure = tuple[float, float]
Terms = Callable[[str], list[str]]


@dataclass
class Measured:
    """Figures of one size: design -> (recall, IoU), and the same by document for the best untrimmed design."""

    max_tokens: int
    target: int
    chunks: int
    chars: float
    designs: dict[str, Figure] = field(default_factory=dict)
    documents: dict[str, Figure] = field(default_factory=dict)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sizes", nargs="*", default=["256/120", "256/160", "256/224"], help="max/target tokens")
    options.add_argument("--overlap", type=int, default=0, help="sentences repeated between children")
    options.add_argument("--vectors", type=Path, help="folder that keeps vectors between runs")
    options.add_argument("--without-chinese", action="store_true", help="leave the Chinese set out")
    options.add_argument("--write", action="store_true", help="write docs/quality/chunking.md and its plots")
    chosen = options.parse_args()
    sets = Path(os.environ.get("KPREP_SETS", "../shared/data")) / "retrieval"
    folder = sets / "chroma_chunking"
    questions = [json.loads(line) for line in (folder / "questions.jsonl").read_text("utf-8").splitlines()]
    print(f"{len(questions)} questions, {json.loads((folder / 'meta.json').read_text('utf-8'))['origin']}\n")
    print(f"{'published':58} recall   IoU")
    for name, recall, iou in PUBLISHED:
        print(f"{name:58} {recall:6.1f} {iou:5.1f}")
    vectors = Vectors(create_embedder({"provider": "local"}), chosen.vectors)
    sentences = Sentences.of(folder / "docs", questions, vectors)
    sizes = []
    for size in chosen.sizes:
        most, target = (int(part) for part in size.split("/"))
        profile = ChunkProfile(max_tokens=most, target_tokens=target, overlap_sentences=chosen.overlap)
        sizes.append(measure(folder / "docs", questions, vectors, sentences, profile))
    chinese = None if chosen.without_chinese else measure_chinese(sets / "cmrc2018_dev", vectors.embedder)
    if chosen.write:
        write(PUBLISHED, sizes, chinese)


class Vectors:
    """Embeds texts, each once, and keeps the vectors in a folder if there is one."""

    def __init__(self, embedder: Embedder, folder: Path | None) -> None:
        self.embedder = embedder
        self.path = folder / "vectors.npz" if folder else None
        self.known: dict[str, FloatArray] = {}
        if self.path and self.path.is_file():
            kept = np.load(self.path)
            self.known = dict(zip(kept["keys"].tolist(), kept["vectors"], strict=True))

    def of(self, texts: Sequence[str]) -> FloatArray:
        """Unit-length vectors in input order."""
        keys = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self.known}
        if new:
            self.known |= dict(zip(new, self.embedder.embed(list(new.values())), strict=True))
            if self.path:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                np.savez(self.path, keys=list(self.known), vectors=np.stack(list(self.known.values())))
        return np.stack([self.known[key] for key in keys])


@dataclass
class Sentences:
    """Sentences of the documents, and how well each fits each question (dense and lexical)."""

    spans: list[Span]
    scores: FloatArray
    asked: FloatArray

    @classmethod
    def of(cls, folder: Path, questions: list[dict[str, object]], vectors: Vectors) -> Sentences:
        spans, texts = [], []
        for path in sorted(folder.glob("*.md")):
            for element in read(path).elements:
                assert element.locator.char is not None
                for found in get_sentence_boundaries("en", element.text):
                    text = element.text[found["start_index"] : found["end_index"]]
                    if text.strip():
                        start = element.locator.char[0] + found["start_index"]
                        spans.append((path.name, start, start + len(text)))
                        texts.append(shortened(text.strip(), vectors.embedder))
        asked = vectors.of([str(question["question"]) for question in questions])
        words = BM25(texts)
        lexical = np.stack([words.scores(str(question["question"])) for question in questions])
        return cls(spans, bounded(asked @ vectors.of(texts).T) + 0.8 * bounded(lexical), asked)


def shortened(text: str, embedder: Embedder) -> str:
    """The text, cut at its end until the embedder takes it."""
    while embedder.count_tokens(text) > embedder.max_tokens:
        text = text[: len(text) * 4 // 5]
    return text


def measure(
    folder: Path, questions: list[dict[str, object]], vectors: Vectors, sentences: Sentences, profile: ChunkProfile
) -> Measured:
    started = time.perf_counter()
    spans: list[Span] = []
    texts: list[str] = []
    bodies: list[str] = []
    embedder = vectors.embedder
    for path in sorted(folder.glob("*.md")):
        chunked = chunk(read(path), profile, embedder.count_tokens)
        for child in enrich(chunked, embedder.max_tokens, embedder.count_tokens).children:
            assert child.locator.char is not None
            spans.append((path.name, *child.locator.char))
            texts.append(child.index_text)
            bodies.append(child.text)
    cut = time.perf_counter()
    similarity = sentences.asked @ vectors.of(texts).T
    words = BM25(bodies)
    lexical = np.stack([words.scores(str(question["question"])) for question in questions])
    fused = bounded(similarity) + LEXICAL * bounded(lexical)
    near = fused + NEIGHBOUR * neighbours(fused, spans)
    out = Measured(
        profile.max_tokens, profile.target_tokens, len(texts), float(np.mean([end - start for _, start, end in spans]))
    )
    print(f"\nmax {profile.max_tokens}, target {profile.target_tokens}: {len(texts)} chunks of ", end="")
    print(f"{out.chars:.0f} characters, ", end="")
    print(f"cut in {cut - started:.1f} s, embedded in {time.perf_counter() - cut:.1f} s")
    plain = {"vectors": similarity, "BM25, stemmed": lexical, "fused": fused, "fused, with neighbours": near}
    for name, scores in plain.items():
        out.designs[name] = score(questions, best(scores, spans))
    hits = best(near, spans)
    trimmed = [trim(shown, sentences.spans, scores) for shown, scores in zip(hits, sentences.scores, strict=True)]
    out.designs["fused, with neighbours, edges left out"] = score(questions, trimmed)
    for name, (recall, iou) in out.designs.items():
        print(f"{'  ' + name:58} {recall:6.1f} {iou:5.1f}")
    for document in sorted({span[0] for span in spans}):
        rows = [at for at, question in enumerate(questions) if _document(question) == document]
        out.documents[document] = score([questions[at] for at in rows], [hits[at] for at in rows])
    return out


def _document(question: dict[str, object]) -> str:
    return str(question["relevant"][0]["doc"])  # type: ignore[index]


def neighbours(scores: FloatArray, spans: Sequence[Span]) -> FloatArray:
    """Sum of the scores of the chunk before and the chunk after in the same document."""
    same = np.array([first[0] == second[0] for first, second in pairwise(spans)])
    out = np.zeros_like(scores)
    out[:, :-1] += scores[:, 1:] * same
    out[:, 1:] += scores[:, :-1] * same
    return out


def best(scores: FloatArray, spans: Sequence[Span]) -> list[list[Span]]:
    """The best chunks of each question."""
    return [[spans[at] for at in np.argsort(-row, kind="stable")[:TOP]] for row in scores]


def trim(hits: Sequence[Span], sentences: Sequence[Span], scores: FloatArray) -> list[Span]:
    """Of each hit what lies between its first and last good sentence: one with at least `KEPT` of the score of the best
    sentence of all hits, or the hit's best one."""
    held = [
        [
            at
            for at, (doc, start, end) in enumerate(sentences)
            if doc == hit[0] and 2 * (min(end, hit[2]) - max(start, hit[1])) > end - start
        ]
        for hit in hits
    ]
    most = max((scores[at] for inside in held for at in inside), default=0.0)
    out: list[Span] = []
    for hit, inside in zip(hits, held, strict=True):
        kept = [at for at in inside if scores[at] >= KEPT * most] or sorted(inside, key=lambda at: -scores[at])[:1]
        start = min((sentences[at][1] for at in kept), default=hit[1])
        end = max((sentences[at][2] for at in kept), default=hit[2])
        out.append((hit[0], max(start, hit[1]), min(end, hit[2])))
    return out


def measure_chinese(folder: Path, embedder: Embedder) -> dict[str, float]:
    """Lexical search over the Chinese set, by characters and pairs of them: share of questions with an answer inside
    one of five chunks; chunks over the limit; sentences that would have fit and were cut."""
    questions = [json.loads(line) for line in (folder / "questions.jsonl").read_text("utf-8").splitlines()]
    profile = ChunkProfile()
    bodies: list[str] = []
    cut_inside = over = 0
    for path in sorted((folder / "docs").glob("*.txt")):
        source = replace(read(path), metadata=DocumentMetadata(language="zh"))
        chunked = chunk(source, profile, embedder.count_tokens)
        length = {parent.key: len(parent.text) for parent in chunked.parents}
        for child in chunked.children:
            bodies.append(child.text)
            over += embedder.count_tokens(child.text) > profile.max_tokens
            cut_inside += child.end < length[child.parent_key] and child.text.rstrip()[-1] not in ENDINGS
    words = BM25(bodies, terms=pairs)
    found = 0
    for question in questions:
        order = np.argsort(-words.scores(question["question"]), kind="stable")[:TOP]
        found += any(ref["text"] in bodies[at] for at in order for ref in question["relevant"])
    figures = {"questions": len(questions), "chunks": len(bodies), "found": found / len(questions), "over": over}
    print(f"\ncmrc2018_dev: {len(questions)} questions, {len(bodies)} chunks, answer inside a top-{TOP} chunk ", end="")
    print(f"{figures['found']:.3f} (wanted 0.97), over the limit {over}, cut inside a sentence {cut_inside}")
    return {**figures, "cut": cut_inside}


def read(path: Path) -> RedactedDocument:
    """Paragraphs of the file, with exact character places."""
    text = path.read_text("utf-8")
    elements = tuple(
        Element(ElementKind.PARAGRAPH, match.group(), Locator(char=match.span()))
        for match in re.finditer(r"\S(?:.*\S)?(?:\n[^\S\n]*\S(?:.*\S)?)*", text)
    )
    return RedactedDocument(f"set/{path.name}", "text/plain", "paragraphs", elements, (), DocumentMetadata(), (), ())


def stems(text: str) -> list[str]:
    """Stemmed English words."""
    return [str(word) for word in _STEMMER.stemWords(re.findall(r"\w+", text.lower())) if word not in _STOP]


def pairs(text: str) -> list[str]:
    """Characters and pairs of neighbouring characters of the words."""
    runs = re.findall(r"\w+", text.lower())
    return [run[at : at + size] for run in runs for size in (1, 2) for at in range(len(run) - size + 1)]


_STEMMER = Stemmer.Stemmer("english")
_STOP = frozenset(
    re.findall(
        r"\w+",
        "a an the of in on at to for and or is are was were be been by with from as that this it its what which who "
        "how why when did do does has have had not",
    )
)


class BM25:
    """Plain BM25 over terms."""

    def __init__(self, texts: list[str], k1: float = 1.2, b: float = 0.75, terms: Terms = stems) -> None:
        self.terms = terms
        counts = [Counter(terms(text)) for text in texts]
        lengths = np.array([sum(count.values()) for count in counts], dtype=np.float64)
        self.norm = k1 * (1 - b + b * lengths / lengths.mean())
        self.gain = k1 + 1
        self.postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for at, count in enumerate(counts):
            for word, times in count.items():
                self.postings[word].append((at, times))

    def scores(self, query: str) -> FloatArray:
        out = np.zeros(len(self.norm))
        for word in set(self.terms(query)):
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


def score(questions: list[dict[str, object]], shown: Sequence[Sequence[Span]]) -> Figure:
    """Mean recall and intersection over union of what is shown, per cent. A character shown twice counts twice in the
    union, as in the published figures."""
    recalls, ious = [], []
    for question, spans in zip(questions, shown, strict=True):
        wanted = {(ref["doc"], at) for ref in question["relevant"] for at in range(ref["start"], ref["end"])}  # type: ignore[attr-defined]
        got = {(doc, at) for doc, start, end in spans for at in range(start, end)}
        hit = len(wanted & got)
        recalls.append(hit / len(wanted))
        ious.append(hit / (sum(end - start for _, start, end in spans) + len(wanted) - hit))
    return 100 * float(np.mean(recalls)), 100 * float(np.mean(ious))


if __name__ == "__main__":
    main()
