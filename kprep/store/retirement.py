"""Collecting what no kept release needs: membership, versions, chunks, vectors, postings, addresses of originals."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from kprep.store import boilerplate, kept
from kprep.store.lexical import SEGMENT
from kprep.store.sql import load

SQL = load(__file__)
COMPACT_SHARE = 0.2
"""Postings are rewritten when this share of a lexicon's chunks is gone; until then reads skip them by number."""


@dataclass(frozen=True, slots=True)
class Collected:
    """What was dropped. `originals`, `kept`: addresses of originals, and of results of earlier stages, that nothing
    refers to any more."""

    releases: int = 0
    versions: int = 0
    chunks: int = 0
    embeddings: int = 0
    originals: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


def collect(connection: Connection, kb: str, keep: int) -> Collected:
    """Drop what only older releases than the last `keep` published ones hold; the live one is always kept.

    What has expired goes from all releases but the live one, whatever `keep` says. The caller holds the knowledge base,
    so no run is preparing anything. Costs nothing when no release and no document is to go.
    """
    releases = [int(row[0]) for row in connection.execute(SQL["kept_releases"], {"kb": kb, "keep": keep})]
    values = {"kb": kb, "kept": releases}
    old = [int(row[0]) for row in connection.execute(SQL["droppable"], values)]
    places = [tuple(row) for row in connection.execute(SQL["purge_members"], {"kb": kb})]
    purged = [str(row[0]) for row in connection.execute(SQL["purge_documents"], {"kb": kb})]
    if not old and not purged:
        return Collected()
    connection.execute(SQL["retire_releases"], {"kb": kb, "releases": old})
    connection.execute(SQL["drop_views"], {"kb": kb, "releases": old})
    places += [tuple(row) for row in connection.execute(SQL["drop_members"], values)]
    ended = purged + [str(row[0]) for row in connection.execute(SQL["drop_documents"], values)]
    at_hand = {"kb": kb, "versions": ended, "at_hand": [*old, *releases]}
    versions = {"kb": kb, "versions": list(connection.execute(SQL["unused_versions"], at_hand).scalars())}
    places += [tuple(row) for row in connection.execute(SQL["places"], versions)]
    contents = [str(row[0]) for row in connection.execute(SQL["drop_versions"], versions)]
    loose = {"kb": kb, "chunks": sorted({place[0] for place in places})}
    chunks = connection.execute(SQL["drop_chunks"], loose).all()
    connection.execute(SQL["drop_parents"], {"kb": kb, "parents": sorted({place[1] for place in places})})
    hashes = sorted({str(row[1]) for row in chunks})
    embeddings = connection.execute(SQL["drop_spaces"], {"kb": kb}).rowcount
    embeddings += connection.execute(SQL["drop_embeddings"], {"hashes": hashes}).rowcount if hashes else 0
    if chunks:
        connection.execute(SQL["retire_lexical"], {"kb": kb, "numbers": [row[0] for row in chunks]})
        compact(connection, kb)
    unused = connection.execute(SQL["unused_originals"], {"hashes": sorted(set(contents))}) if contents else ()
    originals = tuple(str(row[0]) for row in unused)
    results = tuple(kept.collect(connection, kb, sorted(set(contents)))) if contents else ()
    boilerplate.collect(connection, kb, sorted(set(contents)))
    return Collected(len(old), len(contents), len(chunks), embeddings, originals, results)


def compact(connection: Connection, kb: str, share: float = COMPACT_SHARE) -> int:
    """Rewrite the postings of lexicons of whose chunks at least this share is retired; number of postings dropped."""
    dropped = 0
    for lexicon, chunks, retired in connection.execute(SQL["lexicons"], {"kb": kb}).all():
        if retired == 0 or retired < share * chunks:
            continue
        values = {"kb": kb, "lexicon": lexicon}
        gone: dict[int, set[int]] = {}
        for row in connection.execute(SQL["retired_numbers"], values):
            gone.setdefault(row[0] // SEGMENT, set()).add(row[0] % SEGMENT)
        for segment, offsets in sorted(gone.items()):
            dropped += _rewrite(connection, values | {"segment": segment}, offsets)
        connection.execute(SQL["drop_retired"], values)
    return dropped


def _rewrite(connection: Connection, values: dict[str, object], gone: set[int]) -> int:
    dropped = 0
    for row in connection.execute(SQL["segment_terms"], values).mappings().all():
        offsets = _unpack(row["offsets"])
        kept = [place for place, offset in enumerate(offsets) if offset not in gone]
        if len(kept) == len(offsets):
            continue
        dropped += len(offsets) - len(kept)
        term = {**values, "term": row["term"]}
        if not kept:
            connection.execute(SQL["drop_term"], term)
            continue
        packed = {name: _pick(row[name], kept) for name in ("offsets", "frequencies", "lengths")}
        connection.execute(SQL["rewrite"], term | packed)
    return dropped


def _unpack(packed: bytes) -> Sequence[int]:
    return struct.unpack(f"<{len(packed) // 2}H", packed)


def _pick(packed: bytes, places: Iterable[int]) -> bytes:
    values = _unpack(packed)
    picked = [values[place] for place in places]
    return struct.pack(f"<{len(picked)}H", *picked)
