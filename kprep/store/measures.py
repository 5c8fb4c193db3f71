"""Figures of a release and what the gate looks at, at a cost that grows with the change and not with the release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from sqlalchemy import Connection

from kprep.store.sql import load

SQL = load(__file__)
COUNTS = ("children", "parents", "documents", "chunks", "length")
MOST_COPIES = 1_000
MOST_WITHDRAWN = 2_000
PARENTS = 500
"""Chunks whose sections are held at a time."""


def statistics(
    connection: Connection, kb: str, span: tuple[int, int], known: Mapping[str, Any], lexicon: str, space: str
) -> dict[str, Any]:
    """Figures of a candidate: children, parents, documents; chunks and length as the lexicon counts them;
    without_vector. `span`: its base and itself, `known`: the base's figures.

    Reckoned from the documents that changed where the base has figures for this lexicon and space; else counted anew.
    """
    base, release = span
    comparable = known.get("lexicon") == lexicon and all(name in known for name in COUNTS)
    if comparable:
        changed = touched(connection, kb, base, release)
        before = _counts(connection, kb, base, lexicon, changed)
        after = _counts(connection, kb, release, lexicon, changed)
        figures = {name: int(known[name]) - before[name] + after[name] for name in COUNTS}
    else:
        row = (
            connection.execute(SQL["counts_of_all"], {"kb": kb, "release": release, "lexicon": lexicon})
            .mappings()
            .one()
        )
        figures = {name: int(row[name]) for name in COUNTS}
    same_space = known.get("space") == space and known.get("without_vector") == 0
    values = {"kb": kb, "release": release, "space": space, "all": not same_space}
    missing = int(connection.execute(SQL["vectors_missing"], values).scalar_one()) if space else 0
    return {**figures, "without_vector": missing, "lexicon": lexicon, "space": space}


def touched(connection: Connection, kb: str, old: int, new: int) -> list[str]:
    """Documents of which any chunk's membership may differ between two releases, old < new."""
    return [str(row[0]) for row in connection.execute(SQL["touched"], {"kb": kb, "old": old, "new": new})]


def _counts(connection: Connection, kb: str, release: int, lexicon: str, documents: Sequence[str]) -> dict[str, int]:
    values = {"kb": kb, "release": release, "lexicon": lexicon, "documents": list(documents)}
    row = connection.execute(SQL["counts_of"], values).mappings().one()
    return {name: int(row[name]) for name in COUNTS}


def changes(connection: Connection, kb: str, old: int, new: int) -> tuple[int, int]:
    """Chunks (added, removed) that make the new release of the old one, in whichever order they were made."""
    if old > new:
        added, removed = changes(connection, kb, new, old)
        return removed, added
    values = {"kb": kb, "old": old, "new": new}
    added = int(connection.execute(SQL["added"], values).scalar_one())
    removed = int(connection.execute(SQL["removed"], values).scalar_one())
    return added, removed


def readers_changed(connection: Connection, kb: str, base: int, release: int) -> int:
    """Documents of a later release whose permissions, or those of their sections, are others than in its base."""
    values = {"kb": kb, "base": base, "release": release}
    return int(connection.execute(SQL["readers_changed"], values).scalar_one())


def gate_chunks(connection: Connection, kb: str, release: int, space: str, uris: Sequence[str]) -> list[dict[str, Any]]:
    """Chunks that are new in a candidate, and those of the documents named, by URI and position. `in_parent`: whether
    the section's text holds the chunk's where it says."""
    values = {"kb": kb, "release": release, "space": space, "uris": list(uris)}
    rows = [dict(row) for row in connection.execute(SQL["gate_chunks"], values).mappings()]
    texts: dict[str, str] = {}
    for at, row in enumerate(rows):
        if row["parent_id"] not in texts:  # here, some at a time: PostgreSQL unpacks a long text for each chunk in it
            coming = list(dict.fromkeys(other["parent_id"] for other in rows[at : at + PARENTS]))
            found = connection.execute(SQL["gate_parents"], {"kb": kb, "parents": coming})
            texts = {parent: str(text) for parent, text in found}
        text, first, last = texts.get(row["parent_id"]), row.pop("first"), row.pop("last")
        row["in_parent"] = (
            text is not None and last is not None and _ends_with(row["text"], text[first:last], last - first)
        )
    for row in rows:
        del row["parent_id"]
    return rows


def _ends_with(text: str, said: str, length: int) -> bool:
    """The last `length` characters of a chunk, before which its header may stand, are these."""
    return text[max(len(text) - length, 0) :] == said


def texts_of(connection: Connection, kb: str, release: int, uris: Sequence[str]) -> list[tuple[str, str]]:
    """(URI, text) of the chunks of these documents in a release, whoever may read them, by URI and position."""
    values = {"kb": kb, "release": release, "uris": list(uris)}
    return [(str(row[0]), str(row[1])) for row in connection.execute(SQL["texts_of"], values)]


def gate_near(
    connection: Connection, kb: str, release: int, numbers: Sequence[int], document: str
) -> list[dict[str, Any]]:
    """Chunks of a release by number, those of one document left out, in the order of the numbers."""
    values = {"kb": kb, "release": release, "numbers": list(numbers), "document": document}
    return [dict(row) for row in connection.execute(SQL["gate_near"], values).mappings()]


def gate_withdrawn(connection: Connection, kb: str, base: int, release: int) -> list[dict[str, Any]]:
    """Chunks of documents that a candidate no longer has, as its base has them: at most MOST_WITHDRAWN."""
    values = {"kb": kb, "base": base, "release": release, "most": MOST_WITHDRAWN}
    return [dict(row) for row in connection.execute(SQL["gate_withdrawn"], values).mappings()]


def gate_documents(connection: Connection, kb: str, release: int, base: int) -> list[dict[str, Any]]:
    """Documents with anything new in a candidate, in numbers, beside their live version's (None: a new one)."""
    values = {"kb": kb, "release": release, "base": base}
    return [dict(row) for row in connection.execute(SQL["gate_documents"], values).mappings()]


def live_text(connection: Connection, kb: str, base: int, document: str) -> list[tuple[tuple[str, ...], str]]:
    """Heading path and text of the chunks of a document as a release has it, in order."""
    rows = connection.execute(SQL["live_text"], {"kb": kb, "base": base, "document": document})
    return [(tuple(row[0]), str(row[1])) for row in rows]


def formats_gone(connection: Connection, kb: str, release: int) -> dict[str, int]:
    """Media types of documents that a candidate closes and of which it has none left -> how many it closes."""
    return {str(row[0]): int(row[1]) for row in connection.execute(SQL["formats_gone"], {"kb": kb, "release": release})}


def expired(connection: Connection, kb: str, release: int, today: date) -> list[str]:
    """URIs of documents of a release whose validity has ended."""
    values = {"kb": kb, "release": release, "today": today}
    return [str(row[0]) for row in connection.execute(SQL["expired"], values)]


def vector_of(connection: Connection, kb: str, space: str, chunk_id: str) -> list[float] | None:
    """Stored vector of a chunk, None when it has none in the space."""
    found = connection.execute(SQL["vector_of"], {"kb": kb, "space": space, "chunk_id": chunk_id}).scalar()
    return None if found is None else [float(value) for value in str(found).strip("[]").split(",")]


def removed_shares(connection: Connection, kb: str, release: int, over: float) -> dict[str, float]:
    """Documents new in a candidate of which cleaning took more than this share: URI -> share, largest first."""
    values = {"kb": kb, "release": release, "over": over}
    return {row[0]: float(row[1]) for row in connection.execute(SQL["removed_shares"], values)}


def low_coverage(connection: Connection, kb: str, release: int, under: float) -> dict[str, float]:
    """Documents new in a candidate of which a smaller share of the source reached an element: URI -> share, least
    first."""
    values = {"kb": kb, "release": release, "under": under}
    return {row[0]: float(row[1]) for row in connection.execute(SQL["low_coverage"], values)}


def coverage(connection: Connection, kb: str, release: int, most: int) -> dict[str, Any]:
    """{documents, mean, lowest: [{uri, coverage}]} of a release's documents: the share of each source's letters and
    digits that reached an element. `mean` is None without a document; `lowest`: at most `most`, all below 1."""
    row = connection.execute(SQL["coverage"], {"kb": kb, "release": release}).one()
    lowest = connection.execute(SQL["lowest_coverage"], {"kb": kb, "release": release, "most": most})
    return {
        "documents": int(row[0]),
        "mean": None if row[1] is None else round(float(row[1]), 4),
        "lowest": [{"uri": uri, "coverage": round(float(share), 4)} for uri, share in lowest],
    }


def left_out(connection: Connection, kb: str, release: int) -> list[dict[str, Any]]:
    """[{kind, state, units, documents, example}]: parts of a release's originals that gave no text, such as pages in
    state `needs_review` or attachments in state `not_extracted`; `example`: one of those documents."""
    return [dict(row) for row in connection.execute(SQL["left_out"], {"kb": kb, "release": release}).mappings()]


def broken_parts(connection: Connection, kb: str, release: int, *, new: bool) -> list[dict[str, str]]:
    """[{uri, problem}]: parts of a release's documents that could not be read, such as one entry of a file of many, in
    order; `new`: only of documents that came with the release."""
    values = {"kb": kb, "release": release, "new": new}
    return [dict(row) for row in connection.execute(SQL["broken_parts"], values).mappings()]


def copies(connection: Connection, kb: str, release: int) -> list[dict[str, Any]]:
    """Pairs of a new chunk (chunk_id) and a chunk of another document with the same text: at most MOST_COPIES."""
    values = {"kb": kb, "release": release, "most": MOST_COPIES}
    return [dict(row) for row in connection.execute(SQL["copies"], values).mappings()]
