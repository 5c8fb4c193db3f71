"""Open question sets: `python -m benchmarks.question_sets [SET ...]`. Needs KPREP_SETS (see `make bench`).

Each set is prepared whole by the pipeline's own steps and searched in three modes, nothing else set. Printed are
nDCG@10 by document, and hit@5 where the words of the answer stand in a returned passage. The bundled model is English,
so the dense arm is used only where it declares the language; the table says so.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.bases import Make, scratch
from quality.text import contains, words
from retrieval import Reader, Searcher, SearchRequest

SETS = Path(os.environ.get("KPREP_SETS", "../shared/data")) / "retrieval"
NAMES = ("xquad_en_on_en", "xquad_zh_on_zh", "xquad_zh_on_en", "xquad_en_on_zh", "cmrc2018_dev")
MODES = ("lexical", "dense", "hybrid")
MODEL = {"provider": "local"}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--questions", type=int, default=300, help="questions of each set, evenly spread; 0 for all")
    parser.add_argument("--keywords", action="store_true", help="without vectors, lexical search only")
    arguments = parser.parse_args()
    with scratch() as (_, make):
        for name in arguments.names:
            measure(make, name, arguments.questions, keywords=arguments.keywords)


def measure(make: Make, name: str, most: int, *, keywords: bool) -> None:
    folder = SETS / name
    asked = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    asked = [item for item in asked if item["relevant"]]
    if most and len(asked) > most:
        asked = asked[:: len(asked) // most][:most]
    base = make(documents(folder, asked), vectors=False, embedding={"provider": "none"} if keywords else MODEL)
    started = time.perf_counter()
    summary = base.run()
    print(f"{name}: {summary['chunks']['children']} chunks in {time.perf_counter() - started:.0f} s, n = {len(asked)}")
    for mode in MODES[:1] if keywords else MODES:
        gains, found, degraded = [], [], 0
        with base.connection() as connection:
            for item in asked:
                reader = Reader(connection, base.name, None, ("staff",), datetime.now(tz=UTC).date())
                answer = Searcher(reader, lambda: base.workspace.embedder).search(
                    SearchRequest(item["question"], None, mode, 50)
                )
                gains.append(ndcg(answer["hits"], {span["doc"] for span in item["relevant"]}))
                found.append(holds(answer["hits"][:5], item["relevant"]))
                degraded += bool(answer["degraded"])
        note = f"  ({degraded} without the dense arm)" if degraded else ""
        print(f"  {mode:<8} nDCG@10 {sum(gains) / len(gains):.3f}  hit@5 {sum(found) / len(found):.3f}{note}")


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
