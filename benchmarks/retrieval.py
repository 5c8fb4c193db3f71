"""Search at size: `python -m benchmarks.retrieval [--chunks 100000 300000] [--write]`. Made text, real PostgreSQL.

Prints p50/p95 in milliseconds of the lexical arm (all of BM25, top 10), the dense arm, both joined, and the whole
search as a reader asks it (with texts, signals and citations of its hits; the vector of the question is at hand), by
the share of the base that the reader may see; whether BM25 equals a plain computation; and recall@10 of exact. Beside
them what plain pgvector and PostgreSQL's full-text ranking take on the same rows. Each question was asked once before.
`--write` writes docs/quality/search.md.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Connection, text

from benchmarks import search_base as base
from kprep.store import embedded, embeddings, releases, search
from kprep.store.database import Database
from kprep.store.search import Scope
from retrieval import arms, bm25, fusion, tokens
from retrieval.bm25 import Bm25
from retrieval.reader import Reader
from retrieval.searcher import Searcher, SearchRequest

PAGE = Path(__file__).parents[1] / "docs/quality/search.md"
TODAY = date(2026, 1, 1)
WANTED = {"lexical, everything": 10.0, "hybrid, everything": 20.0, "dense, hundredth": 5.0}
"""Most milliseconds of p95 at 100,000 chunks."""
GROWTH = 3.0
"""Most times that at 300,000."""


PLAIN = f"""CREATE TABLE plain AS
    SELECT m.chunk_id, m.acl, CAST(e.embedding AS vector({base.DIMENSIONS})) AS embedding,
        to_tsvector('simple', c.text) AS words
    FROM kprep.release_members m JOIN kprep.chunks c USING (kb, chunk_id)
    JOIN kprep.embeddings e ON e.content_hash = m.content_hash"""
"""What who builds it alone would have: one table."""


@dataclass
class Asked:
    """The questions, as words and as vectors."""

    words: list[list[str]]
    vectors: list[Any]


@dataclass
class Figures:
    """What was measured at one size: name -> p50, p95; name -> recall@10; the rest in words."""

    chunks: int
    times: dict[str, tuple[float, float]] = field(default_factory=dict)
    recall: dict[str, float] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)

    def time(self, name: str, ask: Callable[[int], Any], count: int) -> None:
        """Milliseconds of `ask(number)`, each number asked once before."""
        for number in range(count):
            ask(number)
        taken = []
        for number in range(count):
            started = time.perf_counter()
            ask(number)
            taken.append((time.perf_counter() - started) * 1000)
        taken.sort()
        self.times[name] = statistics.median(taken), taken[int(count * 0.95) - 1]
        print(f"  {name:<34} p50 {self.times[name][0]:7.1f} ms   p95 {self.times[name][1]:7.1f} ms", flush=True)

    def say(self, line: str) -> None:
        self.said.append(line)
        print(f"  {line}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--chunks", type=int, nargs="+", default=[100_000])
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--keep", type=Path, help="folder that keeps the loaded bases between runs")
    arguments = parser.parse_args()
    measured = []
    for chunks in arguments.chunks:
        with tempfile.TemporaryDirectory(dir="/tmp") as scratch:
            folder = arguments.keep / str(chunks) if arguments.keep else Path(scratch)
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o755)
            server = embedded.start(folder)
            server.release()
            database = Database.open(folder, None)
            try:
                measured.append(bench(database, chunks, arguments.queries))
            finally:
                database.close()
    print("\n".join(verdicts(measured)))
    if arguments.write:
        PAGE.write_text(page(measured), encoding="utf-8")


def bench(database: Database, chunks: int, queries: int) -> Figures:
    print(f"{chunks:,} chunks")
    figures = Figures(chunks)
    generator = np.random.default_rng(7)
    words = base.words_of(generator, chunks)
    with database.begin() as connection:
        loaded = releases.live_release(connection, base.KB)
    if not loaded:
        started = time.perf_counter()
        with database.begin() as connection:
            base.load(connection, words, generator)
        with database.begin() as connection:
            connection.execute(text("ANALYZE"))
        figures.say(f"loaded in {time.perf_counter() - started:.0f} s")
        started = time.perf_counter()
        with database.connect() as connection:
            embeddings.build_near_index(connection, base.SPACE, 1000)
        figures.say(f"approximate index built in {time.perf_counter() - started:.0f} s")
    asked = questions(np.random.default_rng(8), queries)
    with database.begin() as connection:
        sizes(connection, figures)
        search.plan_anew(connection)  # as a reader does
        exact(connection, words, asked.words[:20], figures)
        by_arm(connection, asked, chunks, figures)
        whole(connection, asked, figures)
    embed(asked.words[:20], figures)
    with database.begin() as connection:
        if not connection.execute(text("SELECT to_regclass('plain')")).scalar():
            load_plain(connection)
        plain(connection, asked, figures)
    return figures


def questions(generator: np.random.Generator, count: int) -> Asked:
    """Three to six words each, as frequent as in the texts; and as many vectors."""
    rng = random.Random(7)
    words = [
        [base.named(word) for word in generator.choice(base.VOCABULARY, size=rng.randint(3, 6), p=base.ZIPF)]
        for _ in range(count)
    ]
    return Asked(words, [base.made(generator) for _ in range(count)])


def scope_of(group: str) -> Scope:
    return Scope(base.KB, 1, (group,), TODAY)


def by_arm(connection: Connection, asked: Asked, chunks: int, figures: Figures) -> None:
    constants = Bm25(1.5, 0.75, chunks, base.WORDS_PER_CHUNK)
    count = len(asked.words)
    terms = [tokens.query_terms(" ".join(words)) for words in asked.words]
    groups = ("everything", *base.SHARES, base.SCATTERED)
    for group in groups:
        scope = scope_of(group)

        def by_words(number: int, scope: Scope = scope) -> Any:
            return arms.lexical_hits(connection, scope, base.LEXICON, terms[number], constants, 10)

        figures.time(f"lexical, {group}", by_words, count)
    for group in groups:
        scope = scope_of(group)

        def by_vector(number: int, scope: Scope = scope) -> Any:
            return arms.dense_hits(connection, scope, base.SPACE, asked.vectors[number], 10, chunks)

        figures.time(f"dense, {group}", by_vector, count)
        found = [[key for key, _ in by_vector(number)] for number in range(20)]
        figures.recall[f"dense, {group}"] = recall(connection, scope, asked.vectors[:20], found)
    for group in groups:
        scope = scope_of(group)

        def both(number: int, scope: Scope = scope) -> Any:
            words = arms.lexical_hits(connection, scope, base.LEXICON, terms[number], constants, 100)
            dense = arms.dense_hits(connection, scope, base.SPACE, asked.vectors[number], 100, chunks, words.share)
            return fusion.balanced(fusion.bounded_lexical(words.hits, words.scores.bound), dense, 0.4, dense[0][1])[:10]

        figures.time(f"hybrid, {group}", both, count)


class AtHand:
    """An embedder that has the vectors of the questions."""

    space, languages, relative = base.SPACE, ("en",), False

    def __init__(self, asked: Asked) -> None:
        self._vectors = {" ".join(words): vector for words, vector in zip(asked.words, asked.vectors, strict=True)}

    def embed_query(self, text: str) -> Any:
        return self._vectors[text]


def whole(connection: Connection, asked: Asked, figures: Figures) -> None:
    """The product's own search, ten hits, as a command or a service asks it."""
    embedder = AtHand(asked)
    for group in ("everything", "hundredth"):

        def ask(number: int, group: str = group) -> Any:
            reader = Reader(connection, base.KB, None, [group], TODAY)
            return Searcher(reader, lambda: embedder).search(SearchRequest(" ".join(asked.words[number]), top_k=10))

        figures.time(f"whole search, {group}", ask, len(asked.words))


def embed(asked: list[list[str]], figures: Figures) -> None:
    """What comes on top of a hybrid search: the question's vector by the bundled model."""
    from embedding import create_embedder

    embedder = create_embedder({"provider": "local"})
    figures.time("vector of a question", lambda number: embedder.embed_query(" ".join(asked[number])), len(asked))


def load_plain(connection: Connection) -> None:
    """The same rows in one table with the usual indexes."""
    for statement in (
        PLAIN,
        "CREATE INDEX ON plain USING gin (words)",
        "CREATE INDEX ON plain USING gin (acl)",
        "CREATE INDEX ON plain USING hnsw (embedding vector_cosine_ops)",
        "ANALYZE plain",
    ):
        connection.execute(text(statement))


def plain(connection: Connection, asked: Asked, figures: Figures) -> None:
    """That table searched, the plan left to the planner."""
    ranked = text(
        "SELECT chunk_id FROM plain WHERE words @@ to_tsquery('simple', :q) "
        "ORDER BY ts_rank(words, to_tsquery('simple', :q)) DESC LIMIT 10"
    )

    def by_words(number: int) -> Any:
        return connection.execute(ranked, {"q": " | ".join(asked.words[number])}).all()

    figures.time("plain ts_rank", by_words, min(len(asked.words), 20))
    for group in ("everything", "hundredth"):
        where = "" if group == "everything" else f"WHERE acl && ARRAY['{group}'] "
        near = text(f"SELECT chunk_id FROM plain {where}ORDER BY embedding <=> CAST(:vector AS vector) LIMIT 10")

        def by_vector(number: int, near: Any = near) -> Any:
            return connection.execute(near, {"vector": embeddings.vector_text(asked.vectors[number])}).all()

        figures.time(f"plain pgvector, {group}", by_vector, len(asked.vectors))
        found = [[row[0] for row in by_vector(number)] for number in range(20)]
        figures.recall[f"plain pgvector, {group}"] = recall(connection, scope_of(group), asked.vectors[:20], found)


def sizes(connection: Connection, figures: Figures) -> None:
    for name in ("chunks", "release_members", "postings", "embeddings"):
        size = connection.execute(
            text(
                "SELECT pg_total_relation_size(CAST(:name AS regclass)) "
                "+ coalesce(sum(pg_total_relation_size(relid)), 0) FROM pg_partition_tree(CAST(:name AS regclass)) "
                "WHERE relid <> CAST(:name AS regclass)"
            ),
            {"name": f"kprep.{name}"},
        ).scalar_one()
        figures.say(f"{name} {float(size) / 1e6:.0f} MB")


def exact(connection: Connection, words: Any, asked: list[list[str]], figures: Figures) -> None:
    """Compare BM25 from PostgreSQL with the formula computed here."""
    constants = Bm25(1.5, 0.75, len(words), base.WORDS_PER_CHUNK)
    counts = [Counter(map(base.indexed, row)) for row in words]
    frequencies: Counter[str] = Counter()
    for count in counts:
        frequencies.update(count.keys())
    norm = constants.k1 * (1 - constants.b + constants.b * base.WORDS_PER_CHUNK / constants.average_length)
    same = 0
    for query in asked:
        stems = sorted({tokens.stemmed(word, "en") for word in query})
        scores = []
        for number, count in enumerate(counts):
            score = sum(
                bm25.idf(constants.chunks, frequencies[stem]) * count[stem] * (constants.k1 + 1) / (count[stem] + norm)
                for stem in stems
                if stem in count
            )
            if score:
                scores.append((-round(score, 9), f"c{number:08}"))
        expected = [key for _, key in sorted(scores)[:10]]
        terms = tokens.query_terms(" ".join(query))
        found = arms.lexical_hits(connection, scope_of("everything"), base.LEXICON, terms, constants, 10).hits
        same += sorted((-round(score, 9), key) for key, score in found) == sorted(scores)[:10]
        assert len(found) == len(expected)
    figures.say(f"BM25 top 10 equal to a plain computation: {same} of {len(asked)}")


def recall(connection: Connection, scope: Scope, vectors: Sequence[Any], found: Sequence[Sequence[str]]) -> float:
    """Share of the exact top 10 among what was found."""
    shares = []
    for vector, keys in zip(vectors, found, strict=True):
        right = {key for key, _ in search.dense_exact(connection, scope, base.SPACE, vector, 10)}
        shares.append(len(right & set(keys)) / len(right))
    return statistics.mean(shares)


def verdicts(measured: Sequence[Figures]) -> list[str]:
    """Each target with what was measured: at the first size in milliseconds, at others as times of the first."""
    first = measured[0]
    lines = [
        f"{name}: p95 {first.times[name][1]:.1f} ms at {first.chunks:,} (wanted at 100,000: {most:g})"
        for name, most in WANTED.items()
    ]
    for other in measured[1:]:
        lines += [
            f"{name}: p95 {other.times[name][1]:.1f} ms at {other.chunks:,}, "
            f"{other.times[name][1] / first.times[name][1]:.1f} times that of {first.chunks:,} (wanted: at most "
            f"{GROWTH:g} times {most:g} ms)"
            for name, most in WANTED.items()
        ]
    return lines


def page(measured: Sequence[Figures]) -> str:
    """docs/quality/search.md."""
    head = "| | " + " | ".join(f"{one.chunks:,} chunks" for one in measured) + " |"
    rows = [head, "|---|" + "---|" * len(measured)]
    for name in measured[0].times:
        cells = []
        for one in measured:
            median, slow = one.times[name]
            share = f", recall {one.recall[name]:.3f}" if name in one.recall else ""
            cells.append(f"{median:.1f} / {slow:.1f}{share}")
        rows.append(f"| {name} | " + " | ".join(cells) + " |")
    said = [f"- {one.chunks:,}: " + "; ".join(one.said) + "." for one in measured]
    return "\n".join(
        [
            "# Search at size",
            "",
            "Written by `python -m benchmarks.retrieval --chunks 100000 300000 --write` on two cores. Made text of 60",
            "words a chunk, vectors of 384 dimensions, a real PostgreSQL beside the benchmark. p50 / p95 in",
            "milliseconds by the share of chunks the reader may see, each question asked once before; recall@10 of the",
            "exact order. Permissions are of documents of 20 chunks, `scattered hundredth` those of single chunks.",
            "`whole search`: with texts, signals and citations, a vector at hand. `plain`: the same rows in one table",
            "with the usual indexes, the plan left to PostgreSQL.",
            "",
            *rows,
            "",
            *said,
            "",
            "Against the targets:",
            "",
            *(f"- {line}." for line in verdicts(measured)),
            "",
        ]
    )


if __name__ == "__main__":
    main()
