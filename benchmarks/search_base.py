"""A knowledge base of made text and made vectors, of any size, loaded around the pipeline: for measuring searches.

Words of letters alone, of a Zipf distribution; vectors around topics. Permissions are of documents, as in a real base,
and once scattered over single chunks, which is the worst there can be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np
from sqlalchemy import Connection, text

from kprep.config import RetrievalConfig
from kprep.store import documents, embeddings, lexical, releases
from retrieval import tokens

KB, SPACE = "bench", "bench-space"
LEXICON = tokens.lexicon_id(tokens.DEFAULT_WEIGHTS)
WORDS_PER_CHUNK, VOCABULARY, DIMENSIONS, CHUNKS_PER_DOCUMENT = 60, 50_000, 384, 20
LATENT = 32
"""Dimensions the made vectors really vary in: real embeddings have few, and an index finds nothing among pure noise."""
SHARES = {"tenth": 10, "hundredth": 100, "thousandth": 1_000}
SCATTERED = "scattered hundredth"

_fixed = np.random.default_rng(11)
TOPICS = 1.5 * _fixed.standard_normal((200, LATENT))
PROJECTION = _fixed.standard_normal((LATENT, DIMENSIONS)) / np.sqrt(LATENT)
ZIPF = (1 / np.arange(1, VOCABULARY + 1)) / (1 / np.arange(1, VOCABULARY + 1)).sum()


@cache
def named(word: int) -> str:
    """The made word of a number: three syllables, as words of letters alone have stems."""
    syllables = [consonant + vowel for consonant in "bcdfghjklmnprstvwxyz" for vowel in "aeiou"]
    return "".join(syllables[int(word) // 100**place % 100] for place in range(3))


@cache
def indexed(word: int) -> str:
    """The term that the made word is indexed by."""
    return tokens.stemmed(named(word), "en")


def made(generator: np.random.Generator) -> Any:
    """A unit vector near a space of LATENT dimensions, drawn around one of 200 topics."""
    topic = TOPICS[generator.integers(len(TOPICS))]
    vector = (topic + generator.standard_normal(LATENT)) @ PROJECTION + 0.05 * generator.standard_normal(DIMENSIONS)
    return vector / np.linalg.norm(vector)


def words_of(generator: np.random.Generator, chunks: int) -> Any:
    """Words by number, shape (chunks, WORDS_PER_CHUNK)."""
    return generator.choice(VOCABULARY, size=(chunks, WORDS_PER_CHUNK), p=ZIPF)


def load(connection: Connection, words: Any, generator: np.random.Generator) -> None:
    """Publish a release of these chunks, with a vector each."""
    count = len(words)
    documents.register(connection, KB, "bench")
    settings = {
        "retrieval": RetrievalConfig().model_dump(mode="json"),
        "lexicon": LEXICON,
        "embedding_space": SPACE,
    }
    releases.create_candidate(connection, KB, 0, "bench", settings)
    keys = [f"c{number:08}" for number in range(count)]
    of_document = [f"d{number // CHUNKS_PER_DOCUMENT:07}" for number in range(count)]
    document_ids = sorted(set(of_document))
    texts = [" ".join(map(named, row)) for row in words]
    copied(connection, "chunks", chunk_rows(keys, of_document, texts))
    numbers = {row[0]: row[1] for row in connection.execute(text("SELECT chunk_id, chunk_no FROM kprep.chunks"))}
    copied(connection, "parents", ({**_of(name), "parent_id": name, **PARENT} for name in document_ids))
    copied(connection, "document_versions", ({**_of(name), "version_id": name, **VERSION} for name in document_ids))
    copied(
        connection,
        "release_documents",
        ({**_of(name), "version_id": name, "uri": f"{name}.md", **RELEASED} for name in document_ids),
    )
    copied(connection, "version_chunks", placed_rows(keys, of_document))
    copied(connection, "release_members", member_rows(keys, of_document, numbers))
    vectors = ((f"h{key}", embeddings.vector_text(made(generator))) for key in keys)
    connection.execute(text("INSERT INTO kprep.spaces (space) VALUES (:space)"), {"space": SPACE})
    space = embeddings.space_id(connection, SPACE)
    copied(
        connection,
        "embeddings",
        ({"space_id": space, "content_hash": key, "embedding": vector} for key, vector in vectors),
    )
    length = 0
    for start in range(0, count, 4096):
        terms_of = {
            numbers[keys[start + offset]]: Counter(map(indexed, row))
            for offset, row in enumerate(words[start : start + 4096])
        }
        length += sum(sum(terms.values()) for terms in terms_of.values())
        lexical.add(connection, KB, LEXICON, terms_of)
    releases.set_statistics(connection, KB, 1, {"chunks": count, "length": length})
    releases.set_status(connection, KB, 1, "published")
    releases.move_channel(connection, KB, 0, 1)


def chunk_rows(keys: Sequence[str], of_document: Sequence[str], texts: Sequence[str]) -> Iterable[dict[str, Any]]:
    for key, document, body in zip(keys, of_document, texts, strict=True):
        yield {**_of(document), "chunk_id": key, "content_hash": f"h{key}", "text": body, "index_text": body, **CHUNK}


def placed_rows(keys: Sequence[str], of_document: Sequence[str]) -> Iterable[dict[str, Any]]:
    for number, (key, document) in enumerate(zip(keys, of_document, strict=True)):
        place = {"version_id": document, "ordinal": number % CHUNKS_PER_DOCUMENT, "chunk_id": key}
        yield {"kb": KB, **place, "parent_id": document, "locator": "{}", "span": "[0,1)", "links": "[]"}


def member_rows(keys: Sequence[str], of_document: Sequence[str], numbers: dict[str, int]) -> Iterable[dict[str, Any]]:
    for number, (key, document) in enumerate(zip(keys, of_document, strict=True)):
        groups = [name for name, every in SHARES.items() if number // CHUNKS_PER_DOCUMENT % every == 0]
        scattered = [SCATTERED] if number % SHARES["hundredth"] == 0 else []
        yield {
            **_of(document),
            "chunk_id": key,
            "chunk_no": numbers[key],
            "content_hash": f"h{key}",
            "ordinal": number % CHUNKS_PER_DOCUMENT,
            "acl": ["everything", *groups, *scattered],
            **MEMBER,
        }


def _of(document: str) -> dict[str, Any]:
    return {"kb": KB, "document_id": document}


PARENT = {"key": "", "heading_path": [], "text": "", "summary": ""}
CHUNK = {
    "key": "",
    "kind": "text",
    "heading_path": [],
    "title": "",
    "keywords": [],
    "entities": "[]",
    "fragment": "",
    "fragment_confidence": 0.0,
    "signals": "{}",
    "language": "en",
    "tokens": WORDS_PER_CHUNK,
}
VERSION = {
    "content_fingerprint": "",
    "content_hash": "",
    "media_type": "text/markdown",
    "parser": "made",
    "title": "",
    "language": "en",
    "front_matter": "{}",
    "anchors": [],
    "units": "{}",
    "removals": "{}",
    "redactions": "{}",
    "stages": "{}",
    "boilerplate": [],
    "removed_share": 0.0,
    "after_release": 0,
}
RELEASED = {
    "from_release": 1,
    "source": "made",
    "title": "",
    "content_fingerprint": "",
    "metadata_fingerprint": "",
    "metadata": "{}",
}
MEMBER = {
    "from_release": 1,
    "parent_id": "p",
    "locator": "{}",
    "tenant": "bench",
    "sensitivity": "internal",
    "source": "made",
    "doc_type": "text",
    "store": "formal",
    "language": "en",
}


def copied(connection: Connection, table: str, rows: Iterable[dict[str, Any]]) -> None:
    """Rows of a table by COPY; all have the columns of the first."""
    driver = connection.connection.driver_connection
    assert driver is not None
    ahead = iter(rows)
    first = next(ahead)
    with driver.cursor() as cursor, cursor.copy(f"COPY kprep.{table} ({', '.join(first)}) FROM STDIN") as copy:
        copy.write_row(tuple(first.values()))
        for row in ahead:
            copy.write_row(tuple(row.values()))
