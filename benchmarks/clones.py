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
    """INSERT INTO kprep.document_versions SELECT :kb, c.version_id, c.document_id, c.fingerprint, c.hash, v.media_type,
    v.parser, v.title, v.language, v.front_matter, v.anchors, v.units, v.removals, v.redactions, v.stages,
    v.removed_share, v.coverage, v.after_release
    FROM copies c JOIN kprep.document_versions v ON v.kb = :kb AND v.version_id = c.model_version""",
    """INSERT INTO kprep.chunks SELECT :kb, md5(x.chunk_id || c.number), nextval('kprep.chunk_numbers'), c.document_id,
    x.key, x.kind, x.text || c.number, x.index_text || c.number, x.heading_path, x.title, x.keywords, x.entities,
    x.fragment, x.language, md5(x.content_hash || c.number) || md5(c.number::text), x.tokens
    FROM copies c JOIN kprep.chunks x ON x.kb = :kb AND x.document_id = c.model_id ORDER BY c.number, x.chunk_no""",
    """INSERT INTO kprep.parents SELECT :kb, md5(p.parent_id || c.number), c.document_id, p.key, p.heading_path, p.text,
    p.summary FROM copies c JOIN kprep.parents p ON p.kb = :kb AND p.document_id = c.model_id""",
    """INSERT INTO kprep.version_chunks SELECT :kb, c.version_id, v.ordinal, md5(v.chunk_id || c.number),
    md5(v.parent_id || c.number), v.locator, v.span, v.links
    FROM copies c JOIN kprep.version_chunks v ON v.kb = :kb AND v.version_id = c.model_version""",
    """INSERT INTO kprep.release_documents SELECT :kb, c.document_id, d.from_release, NULL, c.version_id, d.source,
    c.uri, d.title, c.fingerprint, d.metadata_fingerprint, d.metadata FROM copies c
    JOIN kprep.release_documents d ON d.kb = :kb AND d.document_id = c.model_id AND d.to_release IS NULL""",
    """INSERT INTO kprep.release_members SELECT :kb, x.chunk_id, m.from_release, NULL, x.chunk_no, c.document_id,
    md5(m.parent_id || c.number), m.ordinal, x.content_hash, m.locator, m.tenant, m.acl, m.section_acl, m.sensitivity,
    m.source, m.doc_type, m.language, m.valid_from, m.valid_until, m.updated_at
    FROM copies c JOIN kprep.release_members m ON m.kb = :kb AND m.document_id = c.model_id AND m.to_release IS NULL
    JOIN kprep.chunks x ON x.kb = :kb AND x.chunk_id = md5(m.chunk_id || c.number)""",
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
