"""The lexical index: postings by term, built from chunks that do not change, filtered by release when read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from kprep.store.sql import jsonb, load

SQL = load(__file__)
SEGMENT = 4096
"""Chunk numbers per postings row: adding chunks rewrites only the last segment of their terms."""


@dataclass(frozen=True, slots=True)
class LexicalSource:
    """The fields of a chunk that are indexed."""

    chunk_no: int
    heading_path: tuple[str, ...]
    title: str
    keywords: tuple[str, ...]
    text: str
    language: str
    document_title: str


def unindexed(connection: Connection, kb: str, versions: Sequence[str], lexicon: str) -> list[LexicalSource]:
    """Chunks of these document versions that the lexicon does not hold yet, by number."""
    rows = connection.execute(SQL["unindexed"], {"kb": kb, "versions": list(versions), "lexicon": lexicon}).mappings()
    return [
        LexicalSource(
            row["chunk_no"],
            tuple(row["heading_path"]),
            row["title"],
            tuple(row["keywords"]),
            row["text"],
            row["language"],
            row["document_title"],
        )
        for row in rows
    ]


def add(connection: Connection, kb: str, lexicon: str, terms_of: Mapping[int, Mapping[str, int]]) -> None:
    """Index chunks: number -> term -> weighted frequency. A chunk is added once; numbers must be new to the lexicon."""
    segments: dict[tuple[str, int], list[tuple[int, int, int]]] = {}
    lengths = {number: sum(terms.values()) for number, terms in terms_of.items()}
    for number in sorted(terms_of):
        for term, frequency in terms_of[number].items():
            segments.setdefault((term, number // SEGMENT), []).append((number, frequency, lengths[number]))
    rows = [
        {
            "term": term,
            "segment": segment,
            "chunk_nos": [posting[0] for posting in postings],
            "frequencies": [posting[1] for posting in postings],
            "lengths": [posting[2] for posting in postings],
        }
        for (term, segment), postings in sorted(segments.items())
    ]
    values = {"kb": kb, "lexicon": lexicon}
    connection.execute(SQL["add_postings"], {**values, "rows": jsonb(rows)})
    numbers = sorted(lengths)
    columns = {"numbers": numbers, "lengths": [lengths[number] for number in numbers]}
    connection.execute(SQL["add_lengths"], {**values, **columns})


def statistics(connection: Connection, kb: str, lexicon: str, release: int) -> tuple[int, int]:
    """Number of indexed chunks in a release and the sum of their lengths."""
    row = connection.execute(SQL["statistics"], {"kb": kb, "lexicon": lexicon, "release": release}).one()
    return int(row[0]), int(row[1])
