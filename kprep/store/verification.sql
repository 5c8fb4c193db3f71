-- name: members_missing
-- Places of the versions of a release's documents that no row of membership covers.
SELECT CAST(:release AS integer) AS release, d.document_id, d.uri, p.chunk_id, p.ordinal FROM kprep.release_documents d
JOIN kprep.version_chunks p ON p.kb = d.kb AND p.version_id = d.version_id
WHERE d.kb = :kb AND d.from_release <= :release AND (d.to_release IS NULL OR d.to_release > :release)
  AND NOT EXISTS (SELECT FROM kprep.release_members m WHERE m.kb = d.kb AND m.chunk_id = p.chunk_id
      AND m.document_id = d.document_id AND m.ordinal = p.ordinal AND m.parent_id = p.parent_id
      AND m.from_release <= :release AND (m.to_release IS NULL OR m.to_release > :release))
ORDER BY d.uri, p.ordinal;

-- name: members_extra
-- Rows of membership in the live release that are no place of a live document's version, or repeat a later row.
SELECT m.document_id, m.chunk_id, m.from_release, m.ordinal FROM kprep.release_members m
WHERE m.kb = :kb AND m.from_release <= :release AND (m.to_release IS NULL OR m.to_release > :release)
  AND (NOT EXISTS (SELECT FROM kprep.release_documents d
      JOIN kprep.version_chunks p ON p.kb = d.kb AND p.version_id = d.version_id
      WHERE d.kb = m.kb AND d.document_id = m.document_id AND p.chunk_id = m.chunk_id AND p.ordinal = m.ordinal
      AND p.parent_id = m.parent_id AND d.from_release <= :release AND (d.to_release IS NULL OR d.to_release > :release))
    OR EXISTS (SELECT FROM kprep.release_members n WHERE n.kb = m.kb AND n.chunk_id = m.chunk_id
      AND n.from_release > m.from_release AND n.from_release <= :release
      AND (n.to_release IS NULL OR n.to_release > :release)))
ORDER BY m.document_id, m.ordinal;

-- name: versions_incomplete
-- Live documents whose version has no places, or not all from the first to the last.
SELECT d.document_id, d.uri FROM kprep.release_documents d
LEFT JOIN kprep.version_chunks p ON p.kb = d.kb AND p.version_id = d.version_id
WHERE d.kb = :kb AND d.from_release <= :release AND (d.to_release IS NULL OR d.to_release > :release)
GROUP BY d.document_id, d.uri HAVING count(p.chunk_id) = 0 OR count(p.chunk_id) <> max(p.ordinal) + 1
ORDER BY d.uri;

-- name: vectors_missing
SELECT DISTINCT m.content_hash, c.index_text, m.chunk_id FROM kprep.release_members m
JOIN kprep.chunks c ON c.kb = m.kb AND c.chunk_id = m.chunk_id
WHERE m.kb = :kb AND m.from_release <= :release AND (m.to_release IS NULL OR m.to_release > :release)
  AND NOT EXISTS (SELECT FROM kprep.embeddings e JOIN kprep.spaces USING (space_id)
      WHERE space = :space AND e.content_hash = m.content_hash)
ORDER BY m.content_hash, m.chunk_id;

-- name: vectors_damaged
SELECT e.content_hash FROM (
    SELECT DISTINCT content_hash FROM kprep.release_members
    WHERE kb = :kb AND from_release <= :release AND (to_release IS NULL OR to_release > :release) LIMIT :most) AS m
JOIN kprep.embeddings e ON e.content_hash = m.content_hash
JOIN kprep.spaces USING (space_id)
WHERE space = :space AND (vector_dims(e.embedding) <> :dimensions OR abs(vector_norm(e.embedding) - 1) > 0.001)
ORDER BY e.content_hash;

-- name: drop_vectors
DELETE FROM kprep.embeddings USING kprep.spaces
WHERE embeddings.space_id = spaces.space_id AND space = :space AND content_hash = ANY(:hashes);

-- name: unindexed
SELECT m.chunk_no, m.chunk_id FROM kprep.release_members m
WHERE m.kb = :kb AND m.from_release <= :release AND (m.to_release IS NULL OR m.to_release > :release)
  AND NOT EXISTS (SELECT FROM kprep.lexical_chunks l WHERE l.kb = m.kb AND l.lexicon = :lexicon
      AND l.chunk_no = m.chunk_no AND NOT l.retired)
ORDER BY m.chunk_no;

-- name: lengths
SELECT chunk_no, length FROM kprep.lexical_chunks WHERE kb = :kb AND lexicon = :lexicon;

-- name: postings
SELECT segment, offsets, frequencies FROM kprep.postings WHERE kb = :kb AND lexicon = :lexicon;

-- name: drop_postings
DELETE FROM kprep.postings WHERE kb = :kb AND lexicon = :lexicon;

-- name: drop_lengths
DELETE FROM kprep.lexical_chunks WHERE kb = :kb AND lexicon = :lexicon;

-- name: released_versions
SELECT DISTINCT version_id FROM kprep.release_documents WHERE kb = :kb ORDER BY version_id;

-- name: originals
SELECT v.content_hash, min(d.document_id) AS document_id, min(d.uri) AS uri FROM kprep.release_documents d
JOIN kprep.document_versions v ON v.kb = d.kb AND v.version_id = d.version_id
WHERE d.kb = :kb AND d.from_release <= :release AND (d.to_release IS NULL OR d.to_release > :release)
GROUP BY v.content_hash ORDER BY 3;

-- name: sql_views
SELECT c.relname, array_agg(a.attname::text ORDER BY a.attnum) FROM pg_class c
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
WHERE c.relnamespace = 'published'::regnamespace AND c.relkind = 'v' AND c.relname = ANY(:names) GROUP BY c.relname;

-- name: view_names
SELECT DISTINCT name FROM kprep.views WHERE kb = :kb ORDER BY name;

-- name: close_members
-- Earlier releases keep what they show.
UPDATE kprep.release_members m SET to_release = :release
FROM jsonb_to_recordset(:rows) AS r(chunk_id text, from_release integer)
WHERE m.kb = :kb AND m.chunk_id = r.chunk_id AND m.from_release = r.from_release AND m.from_release < :release;

-- name: drop_members
DELETE FROM kprep.release_members m USING jsonb_to_recordset(:rows) AS r(chunk_id text, from_release integer)
WHERE m.kb = :kb AND m.chunk_id = r.chunk_id AND m.from_release = r.from_release AND m.from_release = :release;

-- name: restore_members
-- Rows begin with the row of their document, which has the same version and metadata in every release it spans.
INSERT INTO kprep.release_members (kb, chunk_id, from_release, to_release, chunk_no, document_id, parent_id, ordinal,
    content_hash, locator, tenant, acl, section_acl, sensitivity, source, doc_type, store, language, valid_from, valid_until,
    updated_at)
SELECT :kb, w.chunk_id, d.from_release, d.to_release, w.chunk_no, w.document_id, w.parent_id, w.ordinal, w.content_hash,
    w.locator, w.tenant, w.acl, w.section_acl, w.sensitivity, w.source, w.doc_type, w.store, w.language, w.valid_from,
    w.valid_until, w.updated_at
FROM desired_members w
JOIN kprep.release_documents d ON d.kb = :kb AND d.document_id = w.document_id AND d.from_release <= :release
    AND (d.to_release IS NULL OR d.to_release > :release)
WHERE NOT EXISTS (SELECT FROM kprep.release_members m WHERE m.kb = :kb AND m.chunk_id = w.chunk_id
    AND m.from_release <= :release AND (m.to_release IS NULL OR m.to_release > :release))
ON CONFLICT (kb, chunk_id, from_release) DO UPDATE SET to_release = excluded.to_release;
