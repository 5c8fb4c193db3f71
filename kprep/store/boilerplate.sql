-- name: save
INSERT INTO kprep.edge_blocks (kb, content_hash, made_by, blocks) VALUES (:kb, :content_hash, :made_by, :blocks)
ON CONFLICT (kb, content_hash, made_by) DO UPDATE SET blocks = excluded.blocks;

-- name: of_documents
SELECT document_id, blocks FROM kprep.repeated_blocks(:kb, :identities, :news, CAST(:without AS text[]), :ended,
    :least_documents, :least_share, CAST(:ids AS text[]));

-- name: differs
-- Compared by grouping: a join over the rows of a function can become a loop over all pairs. Only documents that were
-- cleaned of something or hold something that is repeated can differ; of many they are few.
WITH wanted AS MATERIALIZED (
    SELECT document_id, blocks FROM kprep.repeated_blocks(:kb, :identities, :news, CAST(:without AS text[]), :ended,
        :least_documents, :least_share, NULL)
), concerned AS MATERIALIZED (
    SELECT document_id FROM kprep.document_versions WHERE kb = :kb AND boilerplate <> '{}'
    UNION SELECT document_id FROM wanted
), used AS (
    SELECT r.document_id, r.version_id FROM concerned JOIN kprep.run_documents r USING (document_id)
    WHERE r.run_id = :run_id AND r.version_id IS NOT NULL
    UNION ALL
    SELECT d.document_id, d.version_id FROM concerned JOIN kprep.release_documents d USING (document_id)
    WHERE d.kb = :kb AND d.from_release <= :release AND (d.to_release IS NULL OR d.to_release > :release)
        AND NOT EXISTS (SELECT FROM kprep.run_documents r WHERE r.run_id = :run_id AND r.document_id = d.document_id)
), compared AS (
    SELECT u.document_id, v.boilerplate AS used, CAST(NULL AS text[]) AS wanted FROM used u
    JOIN kprep.document_versions v ON v.kb = :kb AND v.version_id = u.version_id
    JOIN kprep.documents d ON d.kb = :kb AND d.document_id = u.document_id AND d.listed AND d.content_hash = v.content_hash
    WHERE NOT u.document_id = ANY(CAST(:without AS text[]))
    UNION ALL
    SELECT document_id, NULL, blocks FROM wanted
)
SELECT EXISTS (SELECT FROM compared GROUP BY document_id
    HAVING count(used) > 0 AND max(used) IS DISTINCT FROM coalesce(max(wanted), '{}'));

-- name: collect
DELETE FROM kprep.edge_blocks e WHERE e.kb = :kb AND e.content_hash = ANY(:contents)
AND NOT EXISTS (SELECT FROM kprep.document_versions v WHERE v.kb = e.kb AND v.content_hash = e.content_hash);
