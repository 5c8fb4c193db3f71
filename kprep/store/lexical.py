"""The lexical index: postings by term, built from chunks that do not change, filtered by release when read."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from kprep.store.sql import binary_rows, load

SQL = load(__file__)
SEGMENT = 65_536
"""Chunk numbers per postings row, so that a number within it takes 16 bits."""
LARGEST = 65_535
"""Frequencies and lengths above this count as this."""


@dataclass(frozen=True, slots=True)
class LexicalSource:
    """The fields of a chunk that are indexed. `name`: of the knowledge entry it is part of, "" for other chunks."""

    chunk_no: int
    heading_path: tuple[str, ...]
    title: str
    keywords: tuple[str, ...]
    text: str
    language: str
    document_title: str
    name: str = ""
    aliases: tuple[str, ...] = ()


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
            (row["names"] or {}).get("name", ""),
            tuple((row["names"] or {}).get("aliases", ())),
        )
        for row in rows
    ]


def add(connection: Connection, kb: str, lexicon: str, terms_of: Mapping[int, Mapping[str, int]]) -> None:
    """Index chunks: number -> term -> weighted frequency. A chunk is added once; numbers must be new to the lexicon."""
    segments: dict[tuple[str, int], list[tuple[int, int, int]]] = {}
    lengths = {number: min(LARGEST, sum(terms.values())) for number, terms in terms_of.items()}
    for number in sorted(terms_of):
        for term, frequency in terms_of[number].items():
            posting = (number % SEGMENT, min(LARGEST, frequency), lengths[number])
            segments.setdefault((term, number // SEGMENT), []).append(posting)
    values = {"kb": kb, "lexicon": lexicon}
    rows = []
    for (term, segment), postings in sorted(segments.items()):
        offsets, frequencies, sizes = zip(*postings, strict=True)
        packed = {"offsets": _pack(offsets), "frequencies": _pack(frequencies), "lengths": _pack(sizes)}
        rows.append({**values, "term": term, "segment": segment, **packed})
    if rows:
        connection.execute(SQL["add_postings"], rows)
    numbers = sorted(lengths)
    columns = {"numbers": numbers, "lengths": [lengths[number] for number in numbers]}
    connection.execute(SQL["add_lengths"], {**values, **columns})


def _pack(values: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(values)}H", *values)


@dataclass(frozen=True, slots=True)
class Postings:
    """A term's postings in one segment: parallel arrays of unsigned 16-bit integers, little-endian.

    Chunk number = segment * SEGMENT + offset.
    """

    term: str
    segment: int
    offsets: bytes
    frequencies: bytes
    lengths: bytes


def postings(connection: Connection, kb: str, lexicon: str, terms: Sequence[str]) -> list[Postings]:
    """Postings of these terms, by term and segment, of every chunk that is indexed, in whatever release."""
    values = {"kb": kb, "lexicon": lexicon, "terms": list(terms)}
    return [Postings(*row) for row in binary_rows(connection, SQL["postings"], values)]


def absent(connection: Connection, kb: str, lexicon: str, release: int) -> list[int]:
    """Numbers of the indexed chunks that are not in a release, ascending."""
    values = {"kb": kb, "lexicon": lexicon, "release": release}
    return [int(row[0]) for row in connection.execute(SQL["absent"], values)]
