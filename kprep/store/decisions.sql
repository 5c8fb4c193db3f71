-- name: record
INSERT INTO kprep.decisions (kb, kind, release, document_id, uri, content, reason, made_by)
VALUES (:kb, :kind, :release, :document_id, :uri, :content, :reason, :made_by);

-- name: recent
SELECT kind, release, uri, reason, made_by, made_at FROM kprep.decisions WHERE kb = :kb
ORDER BY decision_id DESC LIMIT :most;

-- name: of_content
-- The last word on a candidate that changes exactly this.
SELECT kind, release, uri, reason, made_by, made_at FROM kprep.decisions
WHERE kb = :kb AND content = :content AND kind IN ('approve', 'reject') ORDER BY decision_id DESC LIMIT 1;

-- name: rejected
SELECT content FROM kprep.decisions
WHERE kb = :kb AND kind = 'reject' AND release = :release ORDER BY decision_id DESC LIMIT 1;

-- name: accepted
SELECT DISTINCT content FROM kprep.decisions WHERE kb = :kb AND kind = 'accept';

-- name: retried
SELECT split_part(content, ' ', 1), split_part(content, ' ', 2), count(*) FROM kprep.decisions
WHERE kb = :kb AND kind = 'retry' AND content LIKE '% %' GROUP BY content ORDER BY content;

-- name: excluded
SELECT document_id, uri FROM (
    SELECT DISTINCT ON (document_id) document_id, uri, kind FROM kprep.decisions
    WHERE kb = :kb AND kind IN ('exclude', 'include') ORDER BY document_id, decision_id DESC) AS last
WHERE kind = 'exclude' ORDER BY uri;

-- name: content
-- What a candidate changes against its base, as one hash: documents with version and metadata, and those gone.
-- Only documents with a row that begins or ends after the base are looked at: a few of many.
WITH touched AS (
    SELECT document_id FROM kprep.release_documents WHERE kb = :kb AND from_release > :base AND to_release IS NULL
    UNION
    SELECT document_id FROM kprep.release_documents WHERE kb = :kb AND to_release > :base
), now AS (
    SELECT d.document_id, version_id, metadata FROM touched JOIN kprep.release_documents d USING (document_id)
    WHERE kb = :kb AND from_release <= :release AND (to_release IS NULL OR to_release > :release)
), before AS (
    SELECT d.document_id, version_id, metadata FROM touched JOIN kprep.release_documents d USING (document_id)
    WHERE kb = :kb AND from_release <= :base AND (to_release IS NULL OR to_release > :base)
)
SELECT md5(coalesce(string_agg(line, E'\n' ORDER BY line), '')) FROM (
    SELECT '+' || document_id || ' ' || version_id || ' ' || md5(CAST(metadata AS text)) AS line
    FROM (SELECT * FROM now EXCEPT SELECT * FROM before) AS new
    UNION ALL
    SELECT '-' || document_id FROM before WHERE document_id NOT IN (SELECT document_id FROM now)) AS changes;

-- name: list_anew
DELETE FROM kprep.folders WHERE kb = :kb;

-- name: texts
SELECT chunk_id, text FROM kprep.chunks WHERE kb = :kb AND chunk_id = ANY(:chunk_ids);
