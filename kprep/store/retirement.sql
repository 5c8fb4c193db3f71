-- name: kept_releases
-- The live release, the last published ones, and the newest that waits for review.
SELECT release FROM kprep.channels WHERE kb = :kb
UNION (SELECT release FROM kprep.releases WHERE kb = :kb AND status = 'published' AND release > 0
    ORDER BY release DESC LIMIT :keep)
UNION (SELECT release FROM kprep.releases WHERE kb = :kb AND status IN ('candidate', 'blocked')
    ORDER BY release DESC LIMIT 1);

-- name: droppable
SELECT release FROM kprep.releases
WHERE kb = :kb AND release > 0 AND status NOT IN ('retired', 'candidate') AND NOT release = ANY(:kept) ORDER BY release;

-- name: retire_releases
UPDATE kprep.releases SET status = 'retired' WHERE kb = :kb AND release = ANY(:releases);

-- name: drop_views
DELETE FROM kprep.views WHERE kb = :kb AND release = ANY(:releases);

-- name: drop_members
-- Rows that have ended and lie between two kept releases; open ones belong to the newest release, which is kept or ends them.
DELETE FROM kprep.release_members m WHERE m.kb = :kb AND m.to_release IS NOT NULL AND NOT EXISTS (
    SELECT FROM unnest(CAST(:kept AS integer[])) AS k(release)
    WHERE m.from_release <= k.release AND m.to_release > k.release)
RETURNING m.chunk_id, m.parent_id;

-- name: drop_documents
DELETE FROM kprep.release_documents d WHERE d.kb = :kb AND d.to_release IS NOT NULL AND NOT EXISTS (
    SELECT FROM unnest(CAST(:kept AS integer[])) AS k(release)
    WHERE d.from_release <= k.release AND d.to_release > k.release)
RETURNING d.version_id;

-- name: drop_spaces
-- Vectors of a model that only releases which are gone were made with, unless somebody may be building with it again.
DELETE FROM kprep.embeddings WHERE space_id IN (
    SELECT s.space_id FROM kprep.spaces s
    WHERE s.space IN (SELECT configuration ->> 'embedding_space' FROM kprep.releases WHERE kb = :kb AND status = 'retired')
      AND NOT EXISTS (SELECT FROM kprep.releases r WHERE r.status <> 'retired' AND r.configuration ->> 'embedding_space' = s.space)
      AND NOT EXISTS (  -- a run that died holds no lock any more, whatever its row says
          SELECT FROM kprep.runs r JOIN pg_locks l ON l.locktype = 'advisory' AND l.objsubid = 1
              AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
              AND (CAST(l.classid AS bigint) << 32 | CAST(l.objid AS bigint)) = hashtextextended('kprep run ' || r.kb, 0)
          WHERE r.kb <> :kb AND r.status = 'running'));

-- name: purge_members
-- What has expired is in no release any more but the live one, which a run makes without it.
DELETE FROM kprep.release_members m USING kprep.suppressions s, kprep.channels c
WHERE s.kb = :kb AND s.reason = 'expired' AND s.ended_at IS NULL AND s.since <= now()
    AND c.kb = :kb AND c.name = 'live' AND m.kb = :kb AND m.document_id = s.document_id
    AND (m.from_release > c.release OR m.to_release <= c.release)
RETURNING m.chunk_id, m.parent_id;

-- name: purge_documents
DELETE FROM kprep.release_documents d USING kprep.suppressions s, kprep.channels c
WHERE s.kb = :kb AND s.reason = 'expired' AND s.ended_at IS NULL AND s.since <= now()
    AND c.kb = :kb AND c.name = 'live' AND d.kb = :kb AND d.document_id = s.document_id
    AND (d.from_release > c.release OR d.to_release <= c.release)
RETURNING d.version_id;

-- name: unused_versions
-- The runs of this knowledge base are over, so a version in no kept release is in no use: one whose documents were dropped
-- now, or one prepared since the oldest release at hand was made that never came into any.
SELECT v.version_id FROM kprep.document_versions v WHERE v.kb = :kb
AND (v.version_id = ANY(:versions) OR v.after_release >= (SELECT min(r) FROM unnest(CAST(:at_hand AS integer[])) AS r WHERE r > 0))
AND NOT EXISTS (SELECT FROM kprep.release_documents d WHERE d.kb = v.kb AND d.version_id = v.version_id);

-- name: places
SELECT chunk_id, parent_id FROM kprep.version_chunks WHERE kb = :kb AND version_id = ANY(:versions);

-- name: drop_versions
-- Their places go with them.
DELETE FROM kprep.document_versions v WHERE v.kb = :kb AND v.version_id = ANY(:versions) RETURNING v.content_hash;

-- name: drop_chunks
DELETE FROM kprep.chunks c WHERE c.kb = :kb AND c.chunk_id = ANY(:chunks)
AND NOT EXISTS (SELECT FROM kprep.version_chunks p WHERE p.kb = c.kb AND p.chunk_id = c.chunk_id)
AND NOT EXISTS (SELECT FROM kprep.release_members m WHERE m.kb = c.kb AND m.chunk_id = c.chunk_id)
RETURNING c.chunk_no, c.content_hash;

-- name: drop_parents
DELETE FROM kprep.parents p WHERE p.kb = :kb AND p.parent_id = ANY(:parents)
AND NOT EXISTS (SELECT FROM kprep.version_chunks v WHERE v.kb = p.kb AND v.parent_id = p.parent_id);

-- name: drop_embeddings
DELETE FROM kprep.embeddings e WHERE e.content_hash = ANY(:hashes)
AND NOT EXISTS (SELECT FROM kprep.chunks c WHERE c.content_hash = e.content_hash);

-- name: retire_lexical
UPDATE kprep.lexical_chunks SET retired = true WHERE kb = :kb AND chunk_no = ANY(:numbers);

-- name: unused_originals
SELECT h FROM unnest(CAST(:hashes AS text[])) AS h
WHERE NOT EXISTS (SELECT FROM kprep.document_versions v WHERE v.content_hash = h);

-- name: lexicons
-- Retired chunks of each lexicon that has some, and all of it: counted only where many may be retired.
SELECT r.lexicon, CASE WHEN r.retired * 20 >= coalesce(l.chunks, 0)
    THEN (SELECT count(*) FROM kprep.lexical_chunks a WHERE a.kb = :kb AND a.lexicon = r.lexicon) ELSE l.chunks END AS chunks, r.retired
FROM (SELECT lexicon, count(*) AS retired FROM kprep.lexical_chunks WHERE kb = :kb AND retired GROUP BY lexicon) r
LEFT JOIN LATERAL (
    SELECT CAST(x.statistics ->> 'chunks' AS bigint) AS chunks FROM kprep.channels c
    JOIN kprep.releases x ON x.kb = c.kb AND x.release = c.release
    WHERE c.kb = :kb AND c.name = 'live' AND x.configuration ->> 'lexicon' = r.lexicon) l ON true;

-- name: retired_numbers
SELECT chunk_no FROM kprep.lexical_chunks WHERE kb = :kb AND lexicon = :lexicon AND retired ORDER BY chunk_no;

-- name: segment_terms
SELECT term, offsets, frequencies, lengths FROM kprep.postings
WHERE kb = :kb AND lexicon = :lexicon AND segment = :segment ORDER BY term;

-- name: rewrite
UPDATE kprep.postings SET offsets = :offsets, frequencies = :frequencies, lengths = :lengths
WHERE kb = :kb AND lexicon = :lexicon AND term = :term AND segment = :segment;

-- name: drop_term
DELETE FROM kprep.postings WHERE kb = :kb AND lexicon = :lexicon AND term = :term AND segment = :segment;

-- name: drop_retired
DELETE FROM kprep.lexical_chunks WHERE kb = :kb AND lexicon = :lexicon AND retired;
