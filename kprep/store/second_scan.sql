-- name: added
-- Chunks as readers see them that the base did not show, in order of their number.
SELECT m.chunk_no, m.document_id, m.chunk_id, c.text, c.title, c.heading_path, c.keywords, c.entities, m.locator, v.links
FROM kprep.release_members m
JOIN kprep.chunks c ON c.kb = m.kb AND c.chunk_id = m.chunk_id
JOIN kprep.release_documents d ON d.kb = m.kb AND d.document_id = m.document_id AND d.from_release <= :release
    AND (d.to_release IS NULL OR d.to_release > :release)
JOIN kprep.version_chunks v ON v.kb = m.kb AND v.version_id = d.version_id AND v.ordinal = m.ordinal
    AND v.chunk_id = m.chunk_id
WHERE m.kb = :kb AND m.from_release = :release AND m.chunk_no > :after
AND NOT EXISTS (SELECT FROM kprep.release_members b WHERE b.kb = m.kb AND b.chunk_id = m.chunk_id
    AND b.from_release <= :base AND (b.to_release IS NULL OR b.to_release > :base))
ORDER BY m.chunk_no LIMIT :count;

-- name: documents
SELECT document_id, uri, title, metadata FROM kprep.release_documents WHERE kb = :kb AND from_release = :release ORDER BY uri;

-- name: of_documents
SELECT m.chunk_no, m.document_id, m.chunk_id, c.text, c.title, c.heading_path, c.keywords, c.entities, m.locator, v.links
FROM kprep.release_members m
JOIN kprep.chunks c ON c.kb = m.kb AND c.chunk_id = m.chunk_id
JOIN kprep.release_documents d ON d.kb = m.kb AND d.document_id = m.document_id AND d.from_release <= :release
    AND (d.to_release IS NULL OR d.to_release > :release)
JOIN kprep.version_chunks v ON v.kb = m.kb AND v.version_id = d.version_id AND v.ordinal = m.ordinal
    AND v.chunk_id = m.chunk_id
WHERE m.kb = :kb AND m.document_id = ANY(:ids) AND m.from_release <= :release
    AND (m.to_release IS NULL OR m.to_release > :release)
ORDER BY m.chunk_no;

-- name: metadata_of
SELECT document_id, uri, title, metadata FROM kprep.release_documents
WHERE kb = :kb AND document_id = ANY(:ids) AND from_release <= :release AND (to_release IS NULL OR to_release > :release)
ORDER BY uri;

-- name: withdrawn
SELECT DISTINCT document_id FROM kprep.suppressions
WHERE kb = :kb AND reason = 'second_scan' AND chunk_id IS NULL AND ended_at IS NULL;

-- name: withdraw
-- The document until a release has it without findings; the chunks for good, since a rollback could show them again.
INSERT INTO kprep.suppressions (kb, document_id, chunk_id, reason, made_by, note)
SELECT DISTINCT :kb, r.document_id, c.chunk_id, 'second_scan', :made_by, r.note
FROM jsonb_to_recordset(:rows) AS r(document_id text, chunk_ids text[], note text)
CROSS JOIN LATERAL unnest(r.chunk_ids || ARRAY[CAST(NULL AS text)]) AS c(chunk_id)
ON CONFLICT DO NOTHING;

-- name: readmit
UPDATE kprep.suppressions SET ended_at = now(), ended_by = :made_by
WHERE kb = :kb AND document_id = ANY(:ids) AND reason = 'second_scan' AND chunk_id IS NULL AND ended_at IS NULL;
