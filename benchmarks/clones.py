"""Fills a knowledge base with copies of its documents by SQL, so that runs over 100,000 can be measured in minutes.

A copy has its own file, ids, rows in every table of its release and postings; its text is that of its model. Runs take
copies for what they are: unchanged documents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sqlalchemy import Connection, text

from flows.rules import content_fingerprint
from kprep.core.ids import content_hash, document_id
from kprep.store import documents, lexical
from kprep.store.sql import jsonb
from tests.fakes.made_base import MadeBase

MODELS = 1_000
POSTINGS_BATCH = 20_000

COPIES = (
    """CREATE TEMPORARY TABLE copies ON COMMIT DROP AS
    SELECT r.*, d.version_id AS model_version, d.document_id AS model_id
    FROM jsonb_to_recordset(:rows) AS r(number integer, document_id text, uri text, model text, token text, hash text,
        fingerprint text, version_id text, size bigint)
    JOIN kprep.release_documents d ON d.kb = :kb AND d.uri = r.model AND d.to_release IS NULL""",
    "ANALYZE copies",
    "SET LOCAL enable_nestloop = off",
    """INSERT INTO kprep.documents SELECT :kb, c.document_id, d.source, c.uri, c.token, c.hash, c.size, d.media_type,
    d.modified_at, true, now() FROM copies c JOIN kprep.documents d ON d.kb = :kb AND d.document_id = c.model_id""",
    """INSERT INTO kprep.edge_blocks
    SELECT :kb, c.hash, m.made_by, ARRAY(SELECT md5(b || c.number) FROM unnest(m.blocks) AS b)
    FROM copies c JOIN kprep.documents d ON d.kb = :kb AND d.document_id = c.model_id
    JOIN kprep.edge_blocks m ON m.kb = :kb AND m.content_hash = d.content_hash""",
    *(
        f"""INSERT INTO kprep.{table} SELECT r.* FROM copies c JOIN kprep.{table} m ON {model}
        CROSS JOIN LATERAL jsonb_populate_record(NULL::kprep.{table}, to_jsonb(m) || jsonb_build_object({changed})) r
        ORDER BY c.number"""
        for table, model, changed in (
            (
                "document_versions",
                "m.kb = :kb AND m.version_id = c.model_version",
                (
                    "'version_id', c.version_id, 'document_id', c.document_id, 'content_fingerprint', c.fingerprint, "
                    "'content_hash', c.hash"
                ),
            ),
            (
                "chunks",
                "m.kb = :kb AND m.document_id = c.model_id",
                (
                    "'chunk_id', md5(m.chunk_id || c.number), 'chunk_no', nextval('kprep.chunk_numbers'), "
                    "'document_id', c.document_id, 'text', m.text || c.number, 'index_text', m.index_text || c.number, "
                    "'content_hash', md5(m.content_hash || c.number) || md5(c.number::text)"
                ),
            ),
            (
                "parents",
                "m.kb = :kb AND m.document_id = c.model_id",
                "'parent_id', md5(m.parent_id || c.number), 'document_id', c.document_id",
            ),
            (
                "version_chunks",
                "m.kb = :kb AND m.version_id = c.model_version",
                (
                    "'version_id', c.version_id, 'chunk_id', md5(m.chunk_id || c.number), "
                    "'parent_id', md5(m.parent_id || c.number)"
                ),
            ),
            (
                "release_documents",
                "m.kb = :kb AND m.document_id = c.model_id AND m.to_release IS NULL",
                (
                    "'document_id', c.document_id, 'version_id', c.version_id, 'uri', c.uri, "
                    "'content_fingerprint', c.fingerprint"
                ),
            ),
            (
                "release_members",
                (
                    "m.kb = :kb AND m.document_id = c.model_id AND m.to_release IS NULL JOIN kprep.chunks x "
                    "ON x.kb = :kb AND x.chunk_id = md5(m.chunk_id || c.number)"
                ),
                (
                    "'chunk_id', x.chunk_id, 'chunk_no', x.chunk_no, 'document_id', c.document_id, "
                    "'parent_id', md5(m.parent_id || c.number), 'content_hash', x.content_hash"
                ),
            ),
        )
    ),
)
PAIRS = """SELECT m.chunk_no, x.chunk_no FROM copies c JOIN kprep.release_members m ON m.kb = :kb
    AND m.document_id = c.model_id AND m.to_release IS NULL
    JOIN kprep.chunks x ON x.kb = :kb AND x.chunk_id = md5(m.chunk_id || c.number) ORDER BY 2"""


def add(base: MadeBase, size: int, path_of: Callable[[int], str], document: Callable[[int], str]) -> None:
    """Copies until the live release has `size` documents; the first MODELS were made by a real run."""
    rows = []
    source = base.workspace.base.config.sources[0]
    stages = base.workspace.rules.stages("text/markdown", source.doc_type, source.name)
    for number in range(MODELS, size):
        base.write(path_of(number), document(number))
        uri = f"docs/{path_of(number)}"
        status = base.path(path_of(number)).stat()
        key, address = document_id(base.name, "docs", uri), content_hash(document(number).encode())
        fingerprint = content_fingerprint(address, stages)
        rows.append(
            {
                "number": number,
                "document_id": key,
                "uri": uri,
                "model": f"docs/{path_of(number % MODELS)}",
                "token": f"{status.st_size}-{status.st_mtime_ns}-{status.st_ino}",
                "hash": address,
                "fingerprint": fingerprint,
                "version_id": documents.version_id(key, fingerprint),
                "size": status.st_size,
            }
        )
    with base.connection() as connection:
        for statement in COPIES:
            connection.execute(text(statement), {"kb": base.name, "rows": jsonb(rows)})
        _index(base, connection)
        _count(base, connection, size)
    with base.workspace.database.connect() as connection:
        connection.execute(text("ANALYZE"))


def _index(base: MadeBase, connection: Connection) -> None:
    lexicon = base.workspace.release_configuration()["lexicon"]
    terms = _terms(connection, base.name, lexicon)
    pairs = connection.execute(text(PAIRS), {"kb": base.name}).all()
    for start in range(0, len(pairs), POSTINGS_BATCH):
        part = {new: terms[model] for model, new in pairs[start : start + POSTINGS_BATCH]}
        lexical.add(connection, base.name, lexicon, part)


def _terms(connection: Connection, kb: str, lexicon: str) -> Mapping[int, Counter[str]]:
    """Chunk number -> term -> frequency, read back from the postings."""
    out: dict[int, Counter[str]] = {}
    statement = text(
        "SELECT term, segment, offsets, frequencies FROM kprep.postings WHERE kb = :kb AND lexicon = :lexicon"
    )
    for term, segment, offsets, frequencies in connection.execute(statement, {"kb": kb, "lexicon": lexicon}):
        numbers = np.frombuffer(offsets, dtype="<u2").astype(int) + segment * lexical.SEGMENT
        for number, frequency in zip(numbers, np.frombuffer(frequencies, dtype="<u2"), strict=True):
            out.setdefault(int(number), Counter())[term] = int(frequency)
    return out


def _count(base: MadeBase, connection: Connection, size: int) -> None:
    """Let the release's figures say what it holds now."""
    from kprep.store import measures, releases

    live = base.live(connection)
    row = releases.get(connection, base.name, live)
    assert row is not None
    configuration: dict[str, Any] = row.configuration
    figures = measures.statistics(connection, base.name, (0, live), {}, configuration["lexicon"], "")
    assert figures["documents"] == size, figures
    releases.set_statistics(connection, base.name, live, figures)
