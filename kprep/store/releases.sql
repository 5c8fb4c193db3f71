-- name: live
SELECT release FROM kprep.channels WHERE kb = :kb AND name = :channel;

-- name: live_documents
SELECT d.document_id, d.source, d.uri, d.version_id, v.content_hash, d.content_fingerprint, d.metadata_fingerprint,
    v.stages, d.metadata
FROM kprep.release_documents d JOIN kprep.document_versions v ON v.kb = d.kb AND v.version_id = d.version_id
WHERE d.kb = :kb AND d.from_release <= :release AND (d.to_release IS NULL OR d.to_release > :release)
ORDER BY d.uri;

-- name: outlines
SELECT d.document_id, d.source, d.uri, d.version_id, v.content_hash, d.content_fingerprint, d.metadata_fingerprint
FROM kprep.release_documents d JOIN kprep.document_versions v ON v.kb = d.kb AND v.version_id = d.version_id
WHERE d.kb = :kb AND d.from_release <= :release AND (d.to_release IS NULL OR d.to_release > :release)
ORDER BY d.uri;

-- name: outlines_of
SELECT d.document_id, d.source, d.uri, d.version_id, v.content_hash, d.content_fingerprint, d.metadata_fingerprint
FROM kprep.release_documents d JOIN kprep.document_versions v ON v.kb = d.kb AND v.version_id = d.version_id
WHERE d.kb = :kb AND d.from_release <= :release AND (d.to_release IS NULL OR d.to_release > :release)
    AND d.document_id = ANY(:ids)
ORDER BY d.uri;

-- name: counts_by_source
SELECT source, count(*) FROM kprep.release_documents
WHERE kb = :kb AND from_release <= :release AND (to_release IS NULL OR to_release > :release) GROUP BY source;

-- name: of_ids
SELECT d.document_id, d.source, d.uri, d.version_id, v.content_hash, d.content_fingerprint, d.metadata_fingerprint,
    v.stages, d.metadata
FROM kprep.release_documents d JOIN kprep.document_versions v ON v.kb = d.kb AND v.version_id = d.version_id
WHERE d.kb = :kb AND d.from_release <= :release AND (d.to_release IS NULL OR d.to_release > :release)
    AND d.document_id = ANY(:ids)
ORDER BY d.uri;

-- name: related
SELECT d.document_id, d.source, d.uri, d.version_id, v.content_hash, d.content_fingerprint, d.metadata_fingerprint,
    v.stages, d.metadata
FROM kprep.release_documents d JOIN kprep.document_versions v ON v.kb = d.kb AND v.version_id = d.version_id
WHERE d.kb = :kb AND d.from_release <= :release AND (d.to_release IS NULL OR d.to_release > :release)
    AND (d.metadata ? 'supersedes' OR d.metadata ? 'superseded_by')
ORDER BY d.uri;

-- name: of_uris
SELECT d.document_id, d.source, d.uri, d.version_id, v.content_hash, d.content_fingerprint, d.metadata_fingerprint,
    v.stages, d.metadata
FROM kprep.release_documents d JOIN kprep.document_versions v ON v.kb = d.kb AND v.version_id = d.version_id
WHERE d.kb = :kb AND d.from_release <= :release AND (d.to_release IS NULL OR d.to_release > :release)
    AND d.uri = ANY(:uris)
ORDER BY d.uri;

-- name: next_release
SELECT coalesce(max(release), 0) + 1 FROM kprep.releases WHERE kb = :kb;

-- name: abandon
UPDATE kprep.releases SET status = 'abandoned' WHERE kb = :kb AND status IN ('candidate', 'blocked');

-- name: create
INSERT INTO kprep.releases (kb, release, base_release, status, run_id, configuration)
VALUES (:kb, :release, :base, 'candidate', :run_id, :configuration);

-- name: close_after_base_documents
UPDATE kprep.release_documents SET to_release = :release WHERE kb = :kb AND to_release IS NULL AND from_release > :base;

-- name: close_after_base_members
UPDATE kprep.release_members SET to_release = :release WHERE kb = :kb AND to_release IS NULL AND from_release > :base;

-- name: reopen_base_documents
INSERT INTO kprep.release_documents (kb, document_id, from_release, version_id, source, uri, title, content_fingerprint,
    metadata_fingerprint, metadata)
SELECT kb, document_id, :release, version_id, source, uri, title, content_fingerprint, metadata_fingerprint, metadata
FROM kprep.release_documents WHERE kb = :kb AND from_release <= :base AND to_release > :base AND to_release < :release;

-- name: reopen_base_members
INSERT INTO kprep.release_members (kb, chunk_id, from_release, chunk_no, document_id, parent_id, ordinal, content_hash, locator, tenant,
    acl, section_acl, sensitivity, source, doc_type, store, language, valid_from, valid_until, updated_at)
SELECT kb, chunk_id, :release, chunk_no, document_id, parent_id, ordinal, content_hash, locator, tenant,
    acl, section_acl, sensitivity, source, doc_type, store, language, valid_from, valid_until, updated_at
FROM kprep.release_members WHERE kb = :kb AND from_release <= :base AND to_release > :base AND to_release < :release;

-- name: desired
CREATE TEMPORARY TABLE desired_documents ON COMMIT DROP AS
SELECT r.document_id, r.version_id, r.source, r.uri, v.title, v.content_fingerprint, r.metadata_fingerprint,
    r.metadata, r.acl, r.section_acls, r.tenant, r.sensitivity, r.doc_type, r.store, r.valid_from, r.valid_until, r.updated_at
FROM jsonb_to_recordset(:rows) AS r(document_id text, version_id text, source text, uri text, metadata_fingerprint text,
    metadata jsonb, acl text[], section_acls jsonb, tenant text, sensitivity text, doc_type text, store text, valid_from date, valid_until date,
    updated_at timestamptz)
JOIN kprep.document_versions v ON v.kb = :kb AND v.version_id = r.version_id;

-- name: desired_members
CREATE TEMPORARY TABLE desired_members ON COMMIT DROP AS
SELECT p.chunk_id, c.chunk_no, c.content_hash, d.document_id, p.parent_id, p.ordinal, p.locator, d.tenant, d.acl,
    CASE WHEN d.section_acls ? CAST(p.ordinal AS text)
        THEN ARRAY(SELECT jsonb_array_elements_text(d.section_acls -> CAST(p.ordinal AS text))) END AS section_acl,
    d.sensitivity, d.source, d.doc_type, d.store, c.language, d.valid_from, d.valid_until, d.updated_at
FROM desired_documents d
JOIN kprep.version_chunks p ON p.kb = :kb AND p.version_id = d.version_id
JOIN kprep.chunks c ON c.kb = :kb AND c.chunk_id = p.chunk_id;

-- name: analyze_desired
ANALYZE desired_documents, desired_members;

-- name: drop_changed_members
-- Rows that began in this candidate (reopened from the base) and are not wanted as they are.
DELETE FROM kprep.release_members m
WHERE m.kb = :kb AND m.from_release = :release AND m.to_release IS NULL AND m.document_id = ANY(:touched)
AND NOT EXISTS (SELECT FROM desired_members d WHERE d.document_id = m.document_id AND d.chunk_id = m.chunk_id
    AND (d.parent_id, d.ordinal, d.locator, d.tenant, d.acl, d.sensitivity, d.source, d.doc_type, d.store)
      = (m.parent_id, m.ordinal, m.locator, m.tenant, m.acl, m.sensitivity, m.source, m.doc_type, m.store)
    AND (d.section_acl, d.valid_from, d.valid_until, d.updated_at)
        IS NOT DISTINCT FROM (m.section_acl, m.valid_from, m.valid_until, m.updated_at));

-- name: close_changed_members
UPDATE kprep.release_members m SET to_release = :release
WHERE m.kb = :kb AND m.to_release IS NULL AND m.document_id = ANY(:touched)
AND NOT EXISTS (SELECT FROM desired_members d WHERE d.document_id = m.document_id AND d.chunk_id = m.chunk_id
    AND (d.parent_id, d.ordinal, d.locator, d.tenant, d.acl, d.sensitivity, d.source, d.doc_type, d.store)
      = (m.parent_id, m.ordinal, m.locator, m.tenant, m.acl, m.sensitivity, m.source, m.doc_type, m.store)
    AND (d.section_acl, d.valid_from, d.valid_until, d.updated_at)
        IS NOT DISTINCT FROM (m.section_acl, m.valid_from, m.valid_until, m.updated_at));

-- name: open_members
INSERT INTO kprep.release_members (kb, chunk_id, from_release, chunk_no, document_id, parent_id, ordinal, content_hash, locator, tenant,
    acl, section_acl, sensitivity, source, doc_type, store, language, valid_from, valid_until, updated_at)
SELECT :kb, d.chunk_id, :release, d.chunk_no, d.document_id, d.parent_id, d.ordinal, d.content_hash, d.locator, d.tenant,
    d.acl, d.section_acl, d.sensitivity, d.source, d.doc_type, d.store, d.language, d.valid_from, d.valid_until, d.updated_at
FROM desired_members d
WHERE NOT EXISTS (SELECT FROM kprep.release_members m
    WHERE m.kb = :kb AND m.chunk_id = d.chunk_id AND m.to_release IS NULL);

-- name: drop_changed_documents
DELETE FROM kprep.release_documents d
WHERE d.kb = :kb AND d.from_release = :release AND d.to_release IS NULL AND d.document_id = ANY(:touched);

-- name: close_changed_documents
UPDATE kprep.release_documents SET to_release = :release
WHERE kb = :kb AND to_release IS NULL AND document_id = ANY(:touched);

-- name: open_documents
INSERT INTO kprep.release_documents (kb, document_id, from_release, version_id, source, uri, title, content_fingerprint,
    metadata_fingerprint, metadata)
SELECT :kb, document_id, :release, version_id, source, uri, title, content_fingerprint, metadata_fingerprint, metadata
FROM desired_documents;

-- name: rows_known
-- Number of the knowledge base's own tables, and the rows the planner believes are in the one that counts.
SELECT b.kb_no, greatest(c.reltuples, 0) FROM kprep.knowledge_bases b
JOIN pg_class c ON c.oid = to_regclass('kprep.release_members_' || b.kb_no) WHERE b.kb = :kb;

-- name: analyze
ANALYZE kprep.documents, kprep.embeddings, kprep.chunks_{part}, kprep.parents_{part}, kprep.version_chunks_{part},
    kprep.document_versions_{part}, kprep.postings_{part}, kprep.lexical_chunks_{part}, kprep.release_members_{part},
    kprep.release_documents_{part};

-- name: add_view
INSERT INTO kprep.views (kb, release, name, definition) VALUES (:kb, :release, :name, :definition);

-- name: set_statistics
UPDATE kprep.releases SET statistics = :statistics WHERE kb = :kb AND release = :release;

-- name: set_status
UPDATE kprep.releases SET status = :status,
    published_at = CASE WHEN :status = 'published' THEN now() ELSE published_at END
WHERE kb = :kb AND release = :release;

-- name: move_channel
UPDATE kprep.channels SET release = :release, moved_at = now() WHERE kb = :kb AND name = :channel AND release = :base;

-- name: save_report
INSERT INTO kprep.gate_reports (kb, release, status, report) VALUES (:kb, :release, :status, :report)
ON CONFLICT (kb, release) DO UPDATE SET status = excluded.status, report = excluded.report, made_at = now();

-- name: get
SELECT r.release, r.base_release, r.status, r.run_id, r.configuration, r.statistics, r.created_at, r.published_at,
    EXISTS (SELECT FROM kprep.channels c WHERE c.kb = r.kb AND c.name = 'live' AND c.release = r.release) AS live,
    g.report
FROM kprep.releases r LEFT JOIN kprep.gate_reports g ON g.kb = r.kb AND g.release = r.release
WHERE r.kb = :kb AND r.release = :release;

-- name: list
SELECT r.release, r.base_release, r.status, r.run_id, r.configuration, r.statistics, r.created_at, r.published_at,
    EXISTS (SELECT FROM kprep.channels c WHERE c.kb = r.kb AND c.name = 'live' AND c.release = r.release) AS live,
    g.report
FROM kprep.releases r LEFT JOIN kprep.gate_reports g ON g.kb = r.kb AND g.release = r.release
WHERE r.kb = :kb ORDER BY r.release DESC;

-- name: views
SELECT name, definition FROM kprep.views WHERE kb = :kb AND release = :release ORDER BY name;

-- name: diff_documents
SELECT coalesce(n.uri, o.uri) AS uri,
    CASE WHEN o.uri IS NULL THEN 'added' WHEN n.uri IS NULL THEN 'removed'
         WHEN o.content_fingerprint <> n.content_fingerprint THEN 'changed' ELSE 'metadata' END AS change
FROM (SELECT * FROM kprep.release_documents WHERE kb = :kb AND from_release <= :old AND (to_release IS NULL OR to_release > :old)) o
FULL JOIN (SELECT * FROM kprep.release_documents WHERE kb = :kb AND from_release <= :new AND (to_release IS NULL OR to_release > :new)) n
    ON n.document_id = o.document_id
WHERE o.document_id IS NULL OR n.document_id IS NULL OR o.version_id <> n.version_id OR o.metadata <> n.metadata
ORDER BY 1;

-- name: diff_chunks
SELECT coalesce(n.chunk_id, o.chunk_id) AS chunk_id, d.uri, CASE WHEN o.chunk_id IS NULL THEN 'added' ELSE 'removed' END AS change,
    CASE WHEN h.document_id IS NULL THEN c.heading_path ELSE '{}' END AS heading_path,
    CASE WHEN h.document_id IS NULL THEN c.text END AS text
FROM (SELECT * FROM kprep.release_members WHERE kb = :kb AND from_release <= :old AND (to_release IS NULL OR to_release > :old)) o
FULL JOIN (SELECT * FROM kprep.release_members WHERE kb = :kb AND from_release <= :new AND (to_release IS NULL OR to_release > :new)) n
    ON n.chunk_id = o.chunk_id
JOIN kprep.chunks c ON c.kb = :kb AND c.chunk_id = coalesce(n.chunk_id, o.chunk_id)
JOIN LATERAL (SELECT uri FROM kprep.release_documents r WHERE r.kb = :kb AND r.document_id = c.document_id
    ORDER BY r.from_release DESC LIMIT 1) d ON true
LEFT JOIN LATERAL (SELECT s.document_id FROM kprep.suppressions s WHERE s.kb = :kb AND s.document_id = c.document_id
    AND s.ended_at IS NULL AND s.reason IN ('legal', 'operator', 'second_scan') LIMIT 1) h ON true
WHERE o.chunk_id IS NULL OR n.chunk_id IS NULL
ORDER BY d.uri, coalesce(n.ordinal, o.ordinal), change DESC;
