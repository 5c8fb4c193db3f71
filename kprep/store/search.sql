-- What a view and a request ask for, beside permissions.
-- part: filters
  AND (CAST(:sensitivity AS text[]) IS NULL OR v.sensitivity = ANY(:sensitivity))
  AND (CAST(:doc_type AS text[]) IS NULL OR v.doc_type = ANY(:doc_type))
  AND (CAST(:language AS text[]) IS NULL OR v.language = ANY(:language))
  AND (CAST(:source AS text[]) IS NULL OR v.source = ANY(:source))
  AND (CAST(:updated_from AS timestamptz) IS NULL OR v.updated_at >= CAST(:updated_from AS timestamptz))
  AND (CAST(:updated_until AS timestamptz) IS NULL OR v.updated_at < CAST(:updated_until AS timestamptz))

-- name: visible_among
SELECT v.chunk_no, v.chunk_id
FROM kprep.visible_members(:kb, :release, :principals, :as_of, :stores) v
WHERE v.chunk_no = ANY(:numbers)
-- with: filters;

-- name: visible_all
SELECT v.chunk_no, v.chunk_id
FROM kprep.visible_members(:kb, :release, :principals, :as_of, :stores) v
WHERE true
-- with: filters;

-- name: dense_few
-- The exact order of what is visible, when that is few; and in a first row how many are visible, counted up to a limit.
-- Here and below vectors are looked up by the hash of their text alone, three quarters of the time: `space_id + 0` keeps
-- the primary key out.
WITH seen AS MATERIALIZED (
    SELECT v.chunk_id, v.content_hash FROM kprep.visible_members(:kb, :release, :principals, :as_of, :stores) v
    WHERE true
-- with: filters
    LIMIT :most + 1
), few AS (
    SELECT s.chunk_id, e.embedding <=> CAST(:vector AS vector) AS distance
    FROM seen s JOIN kprep.embeddings e ON e.space_id + 0 = (SELECT space_id FROM kprep.spaces WHERE space = :space) AND e.content_hash = s.content_hash
    WHERE (SELECT count(*) FROM seen) <= :most
    ORDER BY distance, s.chunk_id LIMIT :top_k
)
SELECT '' AS chunk_id, CAST(count(*) AS double precision) AS cosine FROM seen
UNION ALL SELECT chunk_id, 1 - distance FROM (SELECT * FROM few ORDER BY distance, chunk_id) AS ordered;

-- name: dense_exact
SELECT v.chunk_id, 1 - (e.embedding <=> CAST(:vector AS vector)) AS cosine
FROM kprep.visible_members(:kb, :release, :principals, :as_of, :stores) v
JOIN kprep.embeddings e ON e.space_id + 0 = (SELECT space_id FROM kprep.spaces WHERE space = :space) AND e.content_hash = v.content_hash
WHERE true
-- with: filters
ORDER BY e.embedding <=> CAST(:vector AS vector), v.chunk_id
LIMIT :top_k;

-- name: background
-- By hash: in no order that has to do with what the texts say, and the same ones for each question.
SELECT coalesce(avg(1 - (e.embedding <=> CAST(:vector AS vector))), 0)
FROM (
    SELECT v.content_hash FROM kprep.visible_members(:kb, :release, :principals, :as_of, :stores) v
    WHERE v.chunk_id <> :best
  AND v.language = (SELECT c.language FROM kprep.chunks c WHERE c.kb = :kb AND c.chunk_id = :best)
-- with: filters
    ORDER BY v.content_hash LIMIT :most
) AS s JOIN kprep.embeddings e ON e.space_id + 0 = (SELECT space_id FROM kprep.spaces WHERE space = :space) AND e.content_hash = s.content_hash;

-- name: plan_anew
-- A plan kept for any values knows neither who asks nor how little they may see, and reads all that it might be.
SELECT set_config('plan_cache_mode', 'force_custom_plan', true);

-- name: set_near
SELECT set_config('hnsw.ef_search', :near, true);

-- name: dense_near
WITH near AS MATERIALIZED (
    SELECT content_hash, embedding
    FROM kprep.embeddings
    WHERE space_id = {space_id}
    ORDER BY embedding::halfvec({dimensions}) <=> CAST(:vector AS halfvec({dimensions}))
    LIMIT :near
)
SELECT v.chunk_id, 1 - (n.embedding <=> CAST(:vector AS vector)) AS cosine
FROM near n
JOIN kprep.visible_members(:kb, :release, :principals, :as_of, :stores) v ON v.content_hash = n.content_hash
WHERE true
-- with: filters
ORDER BY n.embedding <=> CAST(:vector AS vector), v.chunk_id;

-- name: chunks
SELECT v.chunk_id, v.parent_id, v.ordinal, v.locator, v.acl, v.store, v.sensitivity, v.source, v.doc_type, v.valid_from, v.valid_until,
    v.updated_at, c.kind, c.text, c.index_text, c.heading_path, c.title, c.keywords, c.entities, c.fragment, c.fragment_confidence, c.language,
    c.content_hash, c.tokens, d.uri AS document_uri, d.document_id, d.title AS document_title,
    kprep.inherited(c.signals, d.metadata) AS metadata, p.links, c.signals -> 'model' AS generated, d.version_id
FROM kprep.visible_members(:kb, :release, :principals, :as_of, :stores) v
JOIN kprep.chunks c ON c.kb = v.kb AND c.chunk_id = v.chunk_id
JOIN kprep.release_documents d ON d.kb = v.kb AND d.document_id = v.document_id AND d.from_release <= :release
    AND (d.to_release IS NULL OR d.to_release > :release)
JOIN kprep.version_chunks p ON p.kb = v.kb AND p.version_id = d.version_id AND p.ordinal = v.ordinal
WHERE (CAST(:chunk_ids AS text[]) IS NULL OR v.chunk_id = ANY(:chunk_ids))
  AND (CAST(:uri AS text) IS NULL OR v.document_id = ANY(
      SELECT document_id FROM kprep.release_documents WHERE kb = :kb AND uri = :uri))
-- with: filters
ORDER BY d.uri, v.ordinal;

-- name: parents
-- A parent of which the reader may not see every child is what the children it sees say.
WITH seen AS MATERIALIZED (
    SELECT * FROM kprep.visible_members(:kb, :release, :principals, :as_of, :stores) v WHERE v.parent_id = ANY(:parent_ids)
), told AS (
    SELECT s.parent_id, count(*) AS children, string_agg(c.text, E'\n\n' ORDER BY s.ordinal) AS text
    FROM seen s JOIN kprep.chunks c ON c.kb = s.kb AND c.chunk_id = s.chunk_id GROUP BY s.parent_id
), whole AS (
    SELECT m.parent_id, count(*) AS children FROM kprep.release_members m
    WHERE m.kb = :kb AND m.document_id IN (SELECT document_id FROM seen) AND m.parent_id = ANY(:parent_ids)
      AND m.from_release <= :release AND (m.to_release IS NULL OR m.to_release > :release)
    GROUP BY m.parent_id
)
SELECT DISTINCT ON (v.parent_id) v.parent_id, p.heading_path,
    CASE WHEN told.children = whole.children THEN p.text ELSE told.text END AS text,
    CASE WHEN told.children = whole.children THEN p.summary ELSE '' END AS summary, d.uri AS document_uri, d.title AS document_title,
    v.ordinal, v.locator
FROM seen v
JOIN told USING (parent_id) JOIN whole USING (parent_id)
JOIN kprep.parents p ON p.kb = v.kb AND p.parent_id = v.parent_id
JOIN kprep.release_documents d ON d.kb = v.kb AND d.document_id = v.document_id AND d.from_release <= :release
    AND (d.to_release IS NULL OR d.to_release > :release)
ORDER BY v.parent_id, v.ordinal;

-- name: documents_of_uris
SELECT DISTINCT d.uri, d.title
FROM kprep.visible_members(:kb, :release, :principals, :as_of, :stores) v
JOIN kprep.release_documents d ON d.kb = v.kb AND d.document_id = v.document_id AND d.from_release <= :release
    AND (d.to_release IS NULL OR d.to_release > :release)
WHERE d.uri = ANY(:uris);

-- name: view_size
SELECT count(*) FROM (
    SELECT FROM kprep.release_members v
WHERE v.kb = :kb AND v.from_release <= :release AND (v.to_release IS NULL OR v.to_release > :release)
  AND v.store = ANY(:stores)
-- with: filters
    LIMIT 1) AS shown;
