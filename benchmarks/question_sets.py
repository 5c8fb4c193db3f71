"""Open question sets: `python -m benchmarks.question_sets [SET ...]`. Needs KPREP_SETS (see `make bench`).

Each set is prepared and published whole by the pipeline's own steps and searched by the product's own search: each arm
alone, both joined by ranks (RRF), by stretched scores (70 % dense) and as configured by default (bounded); these rank
whatever they find, like the arms. `floors`: the default with the evidence floors, as shipped, which answers nothing
where it cannot confirm. Printed are nDCG@10 by document, and hit@5: an answer's words stand in one of the first five
passages of its document.

Questions are split in halves, every second one each: fusion is tuned on `--half tuning` and reported on `held-out`.
`--vectors` keeps vectors between runs: with the extra `multilingual`, computing them takes nearly all of the time.
`--write` puts the figures into docs/quality/questions.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.bases import Make, scratch
from embedding import Embedder, create_embedder
from embedding.spec import FloatArray
from quality.text import contains, words
from retrieval import Reader, Searcher, SearchRequest

SETS = Path(os.environ.get("KPREP_SETS", "../shared/data")) / "retrieval"
NAMES = ("xquad_en_on_en", "xquad_zh_on_zh", "xquad_zh_on_en", "xquad_en_on_zh", "cmrc2018_dev")
WAYS = {"lexical": ("lexical", ""), "dense": ("dense", ""), "RRF": ("hybrid", "rrf"), "70/30": ("hybrid", "weighted"),
        "bounded": ("hybrid", "bounded"), "floors": ("hybrid", "")}  # fmt: skip
"""Name of a way to search -> mode and fusion."""
PAGE = Path(__file__).parents[1] / "docs/quality/questions.md"
HEAD = """# Open question sets

Written by `python -m benchmarks.question_sets --model MODEL --write`. Prepared, published and searched by the product.
nDCG@10 by document, then hit@5 (an answer's words stand in one of the first five passages of its document), by way to
search: each arm alone, joined by ranks (RRF), by stretched scores (70/30), as by default without evidence floors
(bounded), and as shipped (floors), which answers nothing where it cannot confirm. `xquad_zh_on_en`: Chinese questions
on English documents.
"""
"""Above the sections of the models."""
NO_FLOORS = {"dense": 0.0, "lexical": 0.0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--model", choices=("local", "multilingual", "none"), default="local")
    parser.add_argument("--half", choices=("tuning", "held-out", "both"), default="both")
    parser.add_argument("--questions", type=int, default=0, help="at most so many of each set, evenly spread; 0: all")
    parser.add_argument("--vectors", type=Path, help="folder that keeps vectors between runs")
    parser.add_argument("--write", action="store_true", help="into docs/quality/questions.md")
    arguments = parser.parse_args()
    embedder = None
    if arguments.model != "none":
        embedder = KeptVectors(create_embedder({"provider": arguments.model}), arguments.vectors)
    head = (
        f"{'set':16}{'n':>6}{'chunks':>8}{'seconds':>8}   nDCG@10 {' '.join(f'{way:>8}' for way in WAYS)}   hit@5 ..."
    )
    print(f"model {arguments.model}, questions: {arguments.half}\n{head}")
    lines = [head]
    with scratch() as (_, make):
        for name in arguments.names:
            asked = questions(SETS / name, arguments.half, arguments.questions)
            lines.append(measure(make, name, asked, {"provider": arguments.model}, embedder))
            print(lines[-1], flush=True)
            if arguments.write:
                write(arguments.model, arguments.half, lines)


def write(model: str, half: str, lines: Sequence[str]) -> None:
    """Put the figures of a model into docs/quality/questions.md, in place of its earlier ones."""
    kept = PAGE.read_text(encoding="utf-8").split("\n## ")[1:] if PAGE.is_file() else []
    sections = {section.split("\n", 1)[0]: section for section in kept}
    title = f"Model `{model}`"
    body = "\n".join(line.rstrip() for line in lines)
    sections[title] = f"{title}\n\nQuestions: {half}.\n\n```\n{body}\n```\n"
    PAGE.write_text("\n## ".join([HEAD, *(sections[name] for name in sorted(sections))]), encoding="utf-8")


class KeptVectors:
    """An embedder that computes each text once and keeps the vectors in a folder, if there is one."""

    def __init__(self, embedder: Embedder, folder: Path | None) -> None:
        self._embedder = embedder
        key = hashlib.sha256(embedder.space.encode()).hexdigest()[:16]
        self._path = folder / f"{key}.npz" if folder else None
        self._known: dict[str, FloatArray] = {}
        self.embedded = 0
        if self._path and self._path.is_file():
            with np.load(self._path) as kept:
                self._known = dict(zip(kept["keys"].tolist(), kept["vectors"], strict=True))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def embed(self, texts: Sequence[str]) -> FloatArray:
        return np.stack([self._vector("passage", text) for text in texts])

    def embed_query(self, text: str) -> FloatArray:
        return self._vector("query", text)

    def _vector(self, role: str, text: str) -> FloatArray:
        key = hashlib.sha256(f"{role} {text}".encode()).hexdigest()
        if key not in self._known:
            self.embedded += 1
            query = role == "query"
            self._known[key] = self._embedder.embed_query(text) if query else self._embedder.embed([text])[0]
        return self._known[key]

    def save(self) -> None:
        if self._path and self._known:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            np.savez(self._path, keys=list(self._known), vectors=np.stack(list(self._known.values())))


def questions(folder: Path, half: str, most: int) -> list[dict[str, Any]]:
    """Answerable questions of a set, in the order of the file."""
    asked = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    asked = [item for item in asked if item["relevant"]]
    if half != "both":
        asked = asked[half == "held-out" :: 2]
    return asked[:: len(asked) // most][:most] if most and len(asked) > most else asked


def measure(make: Make, name: str, asked: Sequence[dict[str, Any]], model: dict[str, str], embedder: Any) -> str:
    """A line of figures."""
    started = time.process_time()
    base = make(documents(SETS / name, asked), vectors=False, embedding=model)
    base.embedder = embedder
    summary = base.run()
    ways = WAYS if embedder is not None else {"lexical": WAYS["lexical"]}
    gains: dict[str, list[float]] = {way: [] for way in ways}
    found: dict[str, list[bool]] = {way: [] for way in ways}
    degraded = 0
    with base.connection() as connection:
        searchers = {}
        for way, (_, fusion) in ways.items():
            reader = Reader(connection, base.name, None, ("staff",), datetime.now(tz=UTC).date())
            settings = dict(reader.row.configuration["retrieval"])
            if fusion:
                settings |= {"fusion": fusion, "evidence": {**settings["evidence"], **NO_FLOORS}}
            reader.row = replace(reader.row, configuration={**reader.row.configuration, "retrieval": settings})
            searchers[way] = Searcher(reader, lambda: embedder)
        for item in asked:
            for way, (mode, _) in ways.items():
                answer = searchers[way].search(SearchRequest(item["question"], None, mode, 50))
                gains[way].append(ndcg(answer["hits"], {span["doc"] for span in item["relevant"]}))
                found[way].append(holds(answer["hits"][:5], item["relevant"]))
            degraded += bool(answer["degraded"])
    if embedder is not None:
        embedder.save()
    note = f"  ({degraded} without the dense arm)" if degraded else ""
    seconds = time.process_time() - started
    figures = [" ".join(f"{np.mean(values[way]):8.3f}" for way in ways) for values in (gains, found)]
    counts = f"{name:16}{len(asked):6}{summary['chunks']['children']:8}{seconds:8.0f}"
    return f"{counts}           {figures[0]}   {figures[1]}{note}"


def documents(folder: Path, asked: Sequence[dict[str, Any]]) -> dict[str, str | bytes]:
    """Documents of a set; of a crossed one, which has none, those of the set it asks over."""
    kept = folder / "docs"
    if not kept.is_dir():
        kept = SETS / f"xquad_{folder.name.rsplit('_', 1)[1]}_on_{folder.name.rsplit('_', 1)[1]}" / "docs"
    found: dict[str, str | bytes] = {path.name: path.read_bytes() for path in sorted(kept.iterdir())}
    missing = {span["doc"] for item in asked for span in item["relevant"]} - set(found)
    assert not missing, sorted(missing)[:3]
    return found


def ndcg(hits: Sequence[dict[str, Any]], relevant: set[str]) -> float:
    """By document: each counts once, at the rank of its best passage."""
    order = list(dict.fromkeys(hit["document_uri"].removeprefix("docs/") for hit in hits))[:10]
    gain = sum(1 / math.log2(2 + rank) for rank, uri in enumerate(order) if uri in relevant)
    return gain / sum(1 / math.log2(2 + rank) for rank in range(min(10, len(relevant))))


def holds(hits: Sequence[dict[str, Any]], relevant: Sequence[dict[str, Any]]) -> bool:
    """True when the words of an answer stand in a passage of its document."""
    return any(
        hit["document_uri"].removeprefix("docs/") == span["doc"] and contains(words(hit["text"]), words(span["text"]))
        for hit in hits
        for span in relevant
    )


if __name__ == "__main__":
    main()
