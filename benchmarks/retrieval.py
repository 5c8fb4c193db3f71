"""Search at size: `python -m benchmarks.retrieval [--chunks 100000]`. Made text, Zipf vocabulary, real PostgreSQL.

Words are of letters alone and looked up as questions are, by their stems in every language. Prints p50/p95 in
milliseconds of the lexical arm (all of BM25, top 10), the dense arm (exact, by share of readable chunks) and both,
beside PostgreSQL's own full-text ranking on the same rows; and whether BM25 equals a plain computation. Loading goes
around the pipeline: only the read side is measured.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Connection, text

from kprep.store import documents, embedded, embeddings, lexical, releases, search
from kprep.store.database import Database
from kprep.store.search import Scope
from retrieval import arms, bm25, fusion, tokens
from retrieval.bm25 import Bm25

KB, LEXICON, SPACE = "bench", "bench-v1", "bench-space"
WORDS_PER_CHUNK, VOCABULARY, DIMENSIONS = 60, 50_000, 384
LATENT = 32
"""Dimensions the made vectors really vary in: real embeddings have few, and an index finds nothing among pure noise."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=100)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        server = embedded.start(Path(folder))
        server.release()
        database = Database.open(Path(folder), None)
        try:
            bench(database, arguments.chunks, arguments.queries)
        finally:
            database.close()


def bench(database: Database, chunks: int, queries: int) -> None:
    rng = random.Random(7)
    ranks = np.arange(1, VOCABULARY + 1)
    weights = (1 / ranks) / (1 / ranks).sum()
    generator = np.random.default_rng(7)
    started = time.perf_counter()
    texts = generator.choice(VOCABULARY, size=(chunks, WORDS_PER_CHUNK), p=weights)
    with database.begin() as connection:
        length = load(connection, texts, generator)
    print(f"{chunks:,} chunks loaded in {time.perf_counter() - started:.0f} s")
    with database.begin() as connection:
        connection.execute(text("ANALYZE"))
        sizes(connection)
    started = time.perf_counter()
    with database.connect() as connection:
        embeddings.build_near_index(connection, SPACE, 1000)
    print(f"  approximate index built in {time.perf_counter() - started:.0f} s")
    constants = Bm25(1.5, 0.75, chunks, length / chunks)
    asked = [
        [named(word) for word in generator.choice(VOCABULARY, size=rng.randint(3, 6), p=weights)]
        for _ in range(queries)
    ]
    vectors = [made(generator) for _ in range(queries)]
    everyone = Scope(KB, 1, ("all",), date(2026, 1, 1))
    few = {share: Scope(KB, 1, (share,), date(2026, 1, 1)) for share in ("tenth", "hundredth", "thousandth")}
    with database.begin() as connection:
        search.plan_anew(connection)  # as a reader does
        exact(connection, texts, asked[:20], constants, everyone)
        for name, scope in {"everything": everyone, **few}.items():

            def ask(number: int, scope: Scope = scope) -> Any:
                return arms.lexical_hits(
                    connection, scope, LEXICON, tokens.query_terms(" ".join(asked[number])), constants, 10
                )

            row(f"lexical, {name}", ask, queries)
        for name, scope in {"everything": everyone, **few}.items():

            def near(number: int, scope: Scope = scope) -> Any:
                return arms.dense_hits(connection, scope, SPACE, vectors[number], 10)

            row(f"dense, {name}", near, queries)
            print(f"    recall@10 of exact: {recall(connection, scope, vectors[:20]):.3f}")
        for name, scope in {"everything": everyone, "hundredth": few["hundredth"]}.items():

            def both(number: int, scope: Scope = scope) -> Any:
                return hybrid(connection, scope, asked[number], vectors[number], constants)

            row(f"hybrid, {name}", both, queries)
        embed(asked[:20])
        plain = text(
            "SELECT chunk_id FROM kprep.chunks WHERE to_tsvector('simple', text) @@ to_tsquery('simple', :q) "
            "ORDER BY ts_rank(to_tsvector('simple', text), to_tsquery('simple', :q)) DESC LIMIT 10"
        )
        row(
            "ts_rank over GIN", lambda n: connection.execute(plain, {"q": " | ".join(asked[n])}).all(), min(queries, 10)
        )


@cache
def named(word: int) -> str:
    """The made word of a number: three syllables, as words of letters alone have stems."""
    syllables = [consonant + vowel for consonant in "bcdfghjklmnprstvwxyz" for vowel in "aeiou"]
    return "".join(syllables[int(word) // 100**place % 100] for place in range(3))


@cache
def indexed(word: int) -> str:
    """The term that the made word is indexed by."""
    return tokens.stemmed(named(word), "en")


def hybrid(connection: Connection, scope: Scope, words: list[str], vector: Any, constants: Bm25) -> Any:
    """The ten best of both arms with 100 candidates each. Without reading their texts."""
    terms = tokens.query_terms(" ".join(words))
    lexical_hits, scores = arms.lexical_hits(connection, scope, LEXICON, terms, constants, 100)
    dense = arms.dense_hits(connection, scope, SPACE, vector, 100)
    joined = fusion.balanced(fusion.bounded_lexical(lexical_hits, scores.bound), dense, 0.4, dense[0][1])
    return joined[:10]


def embed(asked: list[list[str]]) -> None:
    """What comes on top of a hybrid search: the question's vector by the bundled model."""
    from embedding import create_embedder

    embedder = create_embedder({"provider": "local"})
    row("embedding of a question", lambda number: embedder.embed_query(" ".join(asked[number])), len(asked))


def load(connection: Connection, texts: Any, generator: Any) -> int:
    documents.register(connection, KB, "bench")
    raw = connection.connection.driver_connection
    assert raw is not None
    releases.create_candidate(connection, KB, 0, "bench", {})
    cursor = raw.cursor()
    chunk_columns = (
        "kb, chunk_id, document_id, key, kind, text, index_text, heading_path, title, keywords, entities, fragment, "
        "fragment_confidence, signals, language, content_hash, tokens"
    )
    with cursor.copy(f"COPY kprep.chunks ({chunk_columns}) FROM STDIN") as copy:
        for number, words in enumerate(texts):
            body = " ".join(map(named, words))
            copy.write_row(
                (
                    KB,
                    f"c{number:08}",
                    f"d{number // 20}",
                    "",
                    "text",
                    body,
                    body,
                    [],
                    "",
                    [],
                    "[]",
                    "",
                    0.0,
                    "{}",
                    "en",
                    f"h{number}",
                    60,
                )
            )
    numbers = {row[0]: row[1] for row in connection.execute(text("SELECT chunk_id, chunk_no FROM kprep.chunks"))}
    columns = (
        "kb, chunk_id, from_release, chunk_no, document_id, parent_id, ordinal, content_hash, locator, tenant, acl, "
        "sensitivity, source, doc_type, store, language"
    )
    with cursor.copy(f"COPY kprep.release_members ({columns}) FROM STDIN") as copy:
        for number in range(len(texts)):
            acl = ["all"] + [
                name for name, every in (("tenth", 10), ("hundredth", 100), ("thousandth", 1000)) if number % every == 0
            ]
            copy.write_row(
                (
                    KB,
                    f"c{number:08}",
                    1,
                    numbers[f"c{number:08}"],
                    f"d{number // 20}",
                    "p",
                    number % 20,
                    f"h{number}",
                    "{}",
                    "bench",
                    acl,
                    "internal",
                    "s",
                    "t",
                    "formal",
                    "en",
                )
            )
    connection.execute(text("INSERT INTO kprep.spaces (space) VALUES (:space)"), {"space": SPACE})
    space = embeddings.space_id(connection, SPACE)
    with cursor.copy("COPY kprep.embeddings (space_id, content_hash, embedding) FROM STDIN") as copy:
        for number in range(len(texts)):
            vector = made(generator)
            copy.write_row((space, f"h{number}", embeddings.vector_text(vector)))
    total = 0
    for start in range(0, len(texts), 4096):
        terms_of = {
            numbers[f"c{start + offset:08}"]: Counter(map(indexed, words))
            for offset, words in enumerate(texts[start : start + 4096])
        }
        total += sum(sum(terms.values()) for terms in terms_of.values())
        lexical.add(connection, KB, LEXICON, terms_of)
    connection.execute(text("CREATE INDEX ON kprep.chunks USING gin (to_tsvector('simple', text))"))
    return total


def made(generator: Any) -> Any:
    """A unit vector near a space of LATENT dimensions, drawn around one of 200 topics."""
    topic = TOPICS[generator.integers(len(TOPICS))]
    vector = (topic + generator.standard_normal(LATENT)) @ PROJECTION + 0.05 * generator.standard_normal(DIMENSIONS)
    return vector / np.linalg.norm(vector)


_fixed = np.random.default_rng(11)
TOPICS = 1.5 * _fixed.standard_normal((200, LATENT))
PROJECTION = _fixed.standard_normal((LATENT, DIMENSIONS)) / np.sqrt(LATENT)


def sizes(connection: Connection) -> None:
    for name in ("chunks", "release_members", "postings", "embeddings"):
        size = connection.execute(
            text(
                "SELECT pg_total_relation_size(CAST(:name AS regclass)) "
                "+ coalesce(sum(pg_total_relation_size(relid)), 0) FROM pg_partition_tree(CAST(:name AS regclass)) "
                "WHERE relid <> CAST(:name AS regclass)"
            ),
            {"name": f"kprep.{name}"},
        ).scalar_one()
        print(f"  {name:<16} {float(size) / 1e6:8.0f} MB")


def exact(connection: Connection, texts: Any, asked: list[list[str]], constants: Bm25, scope: Scope) -> None:
    """Compare BM25 from PostgreSQL with the formula computed here."""
    counts = [Counter(map(indexed, words)) for words in texts]
    frequencies: Counter[str] = Counter()
    for count in counts:
        frequencies.update(count.keys())
    same = 0
    for query in asked:
        scores = []
        for number, count in enumerate(counts):
            score = 0.0
            for term in {tokens.stemmed(word, "en") for word in query}:
                tf = count.get(term, 0)
                if tf:
                    norm = constants.k1 * (1 - constants.b + constants.b * WORDS_PER_CHUNK / constants.average_length)
                    score += bm25.idf(constants.chunks, frequencies[term]) * tf * (constants.k1 + 1) / (tf + norm)
            if score:
                scores.append((-score, f"c{number:08}"))
        expected = [(key, -score) for score, key in sorted(scores)[:10]]
        found, _ = arms.lexical_hits(connection, scope, LEXICON, tokens.query_terms(" ".join(query)), constants, 10)
        same += [key for key, _ in found] == [key for key, _ in expected]
    print(f"  BM25 top 10 equal to a plain computation: {same} of {len(asked)}")


def recall(connection: Connection, scope: Scope, vectors: Sequence[Any]) -> float:
    """Share of the exact top 10 that the chosen path finds."""
    shares = []
    for vector in vectors:
        exact_hits = {key for key, _ in search.dense_exact(connection, scope, SPACE, vector, 10)}
        found = {key for key, _ in arms.dense_hits(connection, scope, SPACE, vector, 10)}
        shares.append(len(exact_hits & found) / len(exact_hits))
    return statistics.mean(shares)


def row(name: str, ask: Callable[[int], Any], count: int) -> None:
    ask(0)
    times = []
    for number in range(count):
        started = time.perf_counter()
        ask(number)
        times.append((time.perf_counter() - started) * 1000)
    times.sort()
    print(f"  {name:<24} p50 {statistics.median(times):7.1f} ms   p95 {times[int(len(times) * 0.95) - 1]:7.1f} ms")


if __name__ == "__main__":
    main()
