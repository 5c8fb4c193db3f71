"""Chunk sizes on the open chunking set: which sizes find the right characters, and how much else comes along.

Reads `<sets>/retrieval/chroma_chunking` and `cmrc2018_dev`, `<sets>` being KPREP_SETS or ../shared/data. Prepares and
publishes the five documents by the pipeline's own steps with the bundled model, asks the 472 questions of the product's
own search, and prints recall and IoU over character ranges of the five best hits beside the published figures; then the
Chinese set, by keywords. Weights were chosen on every second question (tuning) and are reported on the others too.

    python -m benchmarks.chunking [--sizes 256/160 256/224] [--vectors FOLDER] [--write]

`--vectors` keeps vectors between runs, by text: embedding is nearly all of the time. `--write` writes
docs/quality/chunking.md and its plots.
"""

from __future__ import annotations

import argparse
import json
import time
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.bases import Make, scratch
from benchmarks.chunking_report import write
from benchmarks.question_sets import SETS, KeptVectors, documents, holds
from benchmarks.question_sets import questions as questions_of
from chunking import chunk
from chunking.atoms import sentences
from embedding import create_embedder
from kprep.core.models import ChunkProfile, DocumentMetadata, RawDocument, RedactedDocument
from kprep.store import overlay
from parsers.text_plain import parse
from retrieval import Reader, Searcher, SearchRequest
from retrieval.passage import narrowed

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
WAYS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "vectors": ("dense", {"neighbours": 0.0}),
    "BM25": ("lexical", {"neighbours": 0.0}),
    "joined": ("hybrid", {"neighbours": 0.0}),
    "joined, with neighbours": ("hybrid", {}),
}
"""Name of a way to search -> mode, and settings other than the default ones. Nothing is left unanswered."""
ANSWER_ALL = {"dense": 0.0, "lexical": 0.0, "dense_weak": 0.0, "lexical_weak": 0.0}
Span = tuple[str, int, int]
Figure = tuple[float, float]
Question = dict[str, Any]
Places = dict[str, list[dict[str, Any]]]
"""Citation -> the chunks that it leads to."""


@dataclass
class Measured:
    """Figures of one size: design -> (recall, IoU); by half of the questions and by document for the passages."""

    max_tokens: int
    target: int
    chunks: int
    chars: float
    designs: dict[str, Figure] = field(default_factory=dict)
    halves: dict[str, Figure] = field(default_factory=dict)
    documents: dict[str, Figure] = field(default_factory=dict)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sizes", nargs="*", default=["256/160", "256/224"], help="max/target tokens")
    options.add_argument("--vectors", type=Path, help="folder that keeps vectors between runs")
    options.add_argument("--without-chinese", action="store_true", help="leave the Chinese set out")
    options.add_argument("--write", action="store_true", help="write docs/quality/chunking.md and its plots")
    chosen = options.parse_args()
    folder = SETS / "chroma_chunking"
    questions = [json.loads(line) for line in (folder / "questions.jsonl").read_text("utf-8").splitlines()]
    print(f"{len(questions)} questions, {json.loads((folder / 'meta.json').read_text('utf-8'))['origin']}\n")
    print(f"{'published':58} recall   IoU")
    for name, recall, iou in PUBLISHED:
        print(f"{name:58} {recall:6.1f} {iou:5.1f}")
    embedder = KeptVectors(create_embedder({"provider": "local"}), chosen.vectors)
    with scratch() as (_, make):
        sizes = []
        for size in chosen.sizes:
            most, target = (int(part) for part in size.split("/"))
            sizes.append(measure(make, folder, questions, embedder, most, target))
        chinese = None if chosen.without_chinese else measure_chinese(make, embedder.count_tokens)
    if chosen.write:
        write(PUBLISHED, sizes, chinese)


def measure(
    make: Make, folder: Path, questions: Sequence[Question], embedder: KeptVectors, most: int, target: int
) -> Measured:
    """Publish the documents cut to this size, and ask all questions every way."""
    started = time.process_time()
    originals = Originals(folder / "docs")
    files = {path.with_suffix(".txt").name: path.read_bytes() for path in sorted((folder / "docs").glob("*.md"))}
    profiles = {"document": {"max_tokens": most, "target_tokens": target}}
    base = make(files, vectors=False, embedding={"provider": "local"}, chunking={"profiles": profiles})
    base.embedder = embedder  # type: ignore[assignment]
    base.run()
    embedder.save()
    prepared = time.process_time() - started
    with base.connection() as connection:
        hidden = list(overlay.suppressed(connection, base.name))  # public texts: what the second scan hid counts too
        overlay.lift(connection, base.name, hidden, "second_scan", "benchmark")
        reader = Reader(connection, base.name, None, ("staff",), datetime.now(tz=UTC).date())
        rows = [row for name in files for row in reader.chunks(f"docs/{name}")]
        lengths = [len(row["text"]) for row in rows]
        places: Places = {}
        for row in rows:
            places.setdefault(row["citation"], []).append(row)
        out = Measured(most, target, len(lengths), float(np.mean(lengths)))
        print(f"\nmax {most}, target {target}: {out.chunks} chunks of {out.chars:.0f} characters, ", end="")
        print(f"published in {prepared:.0f} s (CPU)")
        for name, (mode, settings) in WAYS.items():
            searcher = searching(reader, embedder, settings)
            answers = [searcher.search(SearchRequest(item["question"], None, mode, TOP))["hits"] for item in questions]
            once, named = [], []
            for hits in answers:
                once.append(originals.spans(hits))
                named.append(originals.spans([*hits, *others(hits, places)]))
            out.designs[f"{name}, the place shown only"] = score(questions, once)
            out.designs[name] = score(questions, named)
    embedder.save()
    once = [originals.spans(hits, passages=True) for hits in answers]
    shown = [originals.spans([*hits, *others(hits, places)], passages=True) for hits in answers]
    out.designs["joined, with neighbours, passages, the place shown only"] = score(questions, once)
    out.designs["joined, with neighbours, passages"] = score(questions, shown)
    for half, first in (("tuning half", 0), ("held-out half", 1)):
        out.halves[half] = score(questions[first::2], shown[first::2])
    for name, (recall, iou) in (*out.designs.items(), *out.halves.items()):
        print(f"{'  ' + name:58} {recall:6.1f} {iou:5.1f}")
    for document in sorted({item["relevant"][0]["doc"] for item in questions}):
        chosen = [at for at, item in enumerate(questions) if item["relevant"][0]["doc"] == document]
        out.documents[document] = score([questions[at] for at in chosen], [shown[at] for at in chosen])
    return out


def others(hits: Sequence[Mapping[str, Any]], places: Places) -> list[Mapping[str, Any]]:
    """The other places that hits name: the same words there, or the whole chunk where its words are not the same."""
    out: list[Mapping[str, Any]] = []
    for hit in hits:
        for row in (row for citation in dict.fromkeys(hit.get("also_in", ())) for row in places[citation]):
            part: Mapping[str, Any] = {"text": row["text"], "locator": row["locator"]}
            if row["text"] == hit["text"]:
                start, end = hit["passage"]["start"], hit["passage"]["end"]
                part = {"text": row["text"][start:end], "locator": narrowed(row["locator"], row["text"], start, end)}
            out.append({**row, "passage": part})
    return out


def searching(reader: Reader, embedder: KeptVectors | None, settings: Mapping[str, Any]) -> Searcher:
    """A search with some settings of the release replaced, that ranks whatever it finds."""
    kept = dict(reader.row.configuration["retrieval"])
    changed = {**kept, "evidence": {**kept["evidence"], **ANSWER_ALL}, **settings}
    row = replace(reader.row, configuration={**reader.row.configuration, "retrieval": changed})
    reader.row, before = row, reader.row
    searcher = Searcher(reader, lambda: embedder)
    reader.row = before
    return searcher


class Originals:
    """The documents, to find what is shown in them: cleaning takes spaces at the ends of lines, so that the place of a
    chunk of a long paragraph is wider than its text."""

    def __init__(self, folder: Path) -> None:
        self._dense: dict[str, tuple[list[int], str]] = {}
        for path in sorted(folder.glob("*.md")):
            text = path.read_text("utf-8")
            places = [at for at, char in enumerate(text) if not char.isspace()]
            self._dense[path.name] = places, "".join(text[at] for at in places)

    def spans(self, hits: Sequence[Mapping[str, Any]], *, passages: bool = False) -> list[Span]:
        """Documents and characters of the hits, or of their passages."""
        out = []
        for hit in hits:
            shown = hit["passage"] if passages else hit
            first, last = shown["locator"]["char"]
            name = hit["document_uri"].removeprefix("docs/").replace(".txt", ".md")
            places, dense = self._dense[name]
            words = "".join(shown["text"].split())
            at = dense.find(words, bisect_left(places, first), bisect_left(places, last))
            out.append((name, first, last) if at < 0 else (name, places[at], places[at + len(words) - 1] + 1))
        return out


def measure_chinese(make: Make, count_tokens: Callable[[str], int]) -> dict[str, float]:
    """Keyword search over the Chinese set: share of questions with an answer inside one of five chunks of its document;
    chunks over the limit; sentences that would have fit and were cut."""
    folder = SETS / "cmrc2018_dev"
    asked = questions_of(folder, "both", 0)
    base = make(documents(folder, asked), vectors=False)
    chunks = base.run()["chunks"]["children"]
    with base.connection() as connection:
        reader = Reader(connection, base.name, None, ("staff",), datetime.now(tz=UTC).date())
        searcher = searching(reader, None, {})
        answers = [searcher.search(SearchRequest(item["question"], None, "lexical", TOP))["hits"] for item in asked]
    found = [holds(hits, item["relevant"]) for hits, item in zip(answers, asked, strict=True)]
    cut_inside = over = 0
    profile = ChunkProfile()
    for path in sorted((folder / "docs").glob("*.txt")):
        chunked = chunk(read(path), profile, count_tokens)
        texts = {parent.key: parent.text for parent in chunked.parents}
        for child in chunked.children:
            over += count_tokens(child.text) > profile.max_tokens
            whole = texts[child.parent_key]
            for start, end in sentences(whole, 0, len(whole), "zh"):
                cut_inside += start < child.end < end and count_tokens(whole[start:end]) <= profile.max_tokens * 3 // 4
    figures = {"questions": len(asked), "chunks": chunks, "found": float(np.mean(found)), "over": over}
    print(f"\ncmrc2018_dev: {len(asked)} questions, {chunks} chunks, answer inside a top-{TOP} chunk ", end="")
    print(f"{figures['found']:.3f} (tuning half {np.mean(found[::2]):.3f}, held-out half {np.mean(found[1::2]):.3f};")
    print(f"wanted 0.97), over the limit {over}, cut inside a sentence that fits {cut_inside}")
    return {**figures, "held_out": float(np.mean(found[1::2])), "cut": cut_inside}


def read(path: Path) -> RedactedDocument:
    """Elements of a text file, with exact character places."""
    parsed = parse(RawDocument(f"set/{path.name}", path.name, path.read_bytes(), "text/plain"))
    metadata = DocumentMetadata(language="zh")
    return RedactedDocument(parsed.uri, "text/plain", parsed.parser, parsed.elements, (), metadata, (), ())


def score(questions: Sequence[Question], shown: Sequence[Sequence[Span]]) -> Figure:
    """Mean recall and intersection over union of what is shown, per cent. A character shown twice counts twice in the
    union, as in the published figures."""
    recalls, ious = [], []
    for question, spans in zip(questions, shown, strict=True):
        wanted = {(ref["doc"], at) for ref in question["relevant"] for at in range(ref["start"], ref["end"])}
        got = {(doc, at) for doc, start, end in spans for at in range(start, end)}
        hit = len(wanted & got)
        recalls.append(hit / len(wanted))
        ious.append(hit / (sum(end - start for _, start, end in spans) + len(wanted) - hit))
    return 100 * float(np.mean(recalls)), 100 * float(np.mean(ious))


if __name__ == "__main__":
    main()
