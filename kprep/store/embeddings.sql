-- name: add_space
INSERT INTO kprep.spaces (space) VALUES (:space) ON CONFLICT (space) DO NOTHING;

-- name: space_id
SELECT space_id FROM kprep.spaces WHERE space = :space;

-- name: missing
SELECT DISTINCT ON (c.content_hash) c.content_hash, c.index_text
FROM kprep.version_chunks v JOIN kprep.chunks c ON c.kb = v.kb AND c.chunk_id = v.chunk_id
WHERE v.kb = :kb AND v.version_id = ANY(:versions) AND NOT EXISTS (
    SELECT FROM kprep.embeddings e JOIN kprep.spaces USING (space_id)
    WHERE space = :space AND e.content_hash = c.content_hash
      AND vector_dims(e.embedding) = :dimensions AND abs(vector_norm(e.embedding) - 1) <= 0.001)
ORDER BY c.content_hash;

-- name: drop_unpublished
-- Vectors of a document's texts that no release shows which can be read or gone back to, in whatever knowledge base.
DELETE FROM kprep.embeddings e WHERE e.content_hash IN (
    SELECT c.content_hash FROM kprep.document_versions d
    JOIN kprep.version_chunks v ON v.kb = d.kb AND v.version_id = d.version_id
    JOIN kprep.chunks c ON c.kb = v.kb AND c.chunk_id = v.chunk_id
    WHERE d.kb = :kb AND d.document_id = ANY(:ids))
AND NOT EXISTS (
    SELECT FROM kprep.release_members m JOIN kprep.releases r ON r.kb = m.kb
    WHERE m.content_hash = e.content_hash AND r.published_at IS NOT NULL AND r.status <> 'retired'
      AND m.from_release <= r.release AND (m.to_release IS NULL OR m.to_release > r.release));

-- name: count_texts
SELECT count(DISTINCT c.content_hash)
FROM kprep.version_chunks v JOIN kprep.chunks c ON c.kb = v.kb AND c.chunk_id = v.chunk_id
WHERE v.kb = :kb AND v.version_id = ANY(:versions);

-- name: save
INSERT INTO kprep.embeddings (space_id, content_hash, embedding)
SELECT :space_id, r.content_hash, CAST(r.embedding AS vector)
FROM unnest(CAST(:hashes AS text[]), CAST(:vectors AS text[])) AS r(content_hash, embedding)
ON CONFLICT (space_id, content_hash) DO UPDATE SET embedding = excluded.embedding
WHERE vector_dims(embeddings.embedding) <> vector_dims(excluded.embedding)
   OR abs(vector_norm(embeddings.embedding) - 1) > 0.001;

-- name: near_index
-- The approximate index of a space, once it is built and usable.
SELECT s.space_id, CAST(substring(obj_description(i.indexrelid) FROM '\d+') AS integer) AS dimensions
FROM kprep.spaces s JOIN pg_index i ON i.indexrelid = to_regclass('kprep.embeddings_near_' || s.space_id)
WHERE s.space = :space AND i.indisvalid;

-- name: measure
SELECT count(*) AS vectors, max(vector_dims(embedding)) AS dimensions FROM (
    SELECT embedding FROM kprep.embeddings WHERE space_id = :space_id LIMIT :most) AS counted;
