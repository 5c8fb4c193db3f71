-- part: document_is_new
    AND NOT EXISTS (SELECT FROM kprep.release_documents o WHERE o.kb = d.kb AND o.document_id = d.document_id
        AND o.from_release <= (SELECT base_release FROM kprep.releases WHERE kb = :kb AND release = :release)
        AND (o.to_release IS NULL OR o.to_release > (SELECT base_release FROM kprep.releases WHERE kb = :kb AND release = :release))
        AND (o.version_id, o.uri, o.metadata - 'updated_at') = (d.version_id, d.uri, d.metadata - 'updated_at'))

-- part: member_is_new
    AND NOT EXISTS (SELECT FROM kprep.release_members o WHERE o.kb = m.kb AND o.chunk_id = m.chunk_id
        AND o.from_release <= (SELECT base_release FROM kprep.releases WHERE kb = :kb AND release = :release)
        AND (o.to_release IS NULL OR o.to_release > (SELECT base_release FROM kprep.releases WHERE kb = :kb AND release = :release))
        AND (o.parent_id, o.ordinal, o.locator, o.tenant, o.acl, o.sensitivity, o.source, o.doc_type, o.store)
          = (m.parent_id, m.ordinal, m.locator, m.tenant, m.acl, m.sensitivity, m.source, m.doc_type, m.store)
        AND (o.section_acl, o.valid_from, o.valid_until)
          IS NOT DISTINCT FROM (m.section_acl, m.valid_from, m.valid_until))

-- name: touched
-- Documents of which any chunk's membership differs between two releases, old < new.
SELECT DISTINCT document_id FROM (
    SELECT document_id FROM kprep.release_members WHERE kb = :kb AND from_release > :old AND from_release <= :new
    UNION ALL
    SELECT document_id FROM kprep.release_members WHERE kb = :kb AND to_release > :old AND to_release <= :new) AS changed;

-- name: counts_of
SELECT count(*) AS children, count(DISTINCT m.parent_id) AS parents, count(DISTINCT m.document_id) AS documents,
    count(l.chunk_no) AS chunks, coalesce(sum(l.length), 0) AS length
FROM kprep.release_members m
LEFT JOIN kprep.lexical_chunks l ON l.kb = m.kb AND l.lexicon = :lexicon AND l.chunk_no = m.chunk_no
WHERE m.kb = :kb AND m.document_id = ANY(:documents)
  AND m.from_release <= :release AND (m.to_release IS NULL OR m.to_release > :release);

-- name: counts_of_all
SELECT count(*) AS children, count(DISTINCT m.parent_id) AS parents, count(DISTINCT m.document_id) AS documents,
    count(l.chunk_no) AS chunks, coalesce(sum(l.length), 0) AS length
FROM kprep.release_members m
LEFT JOIN kprep.lexical_chunks l ON l.kb = m.kb AND l.lexicon = :lexicon AND l.chunk_no = m.chunk_no
WHERE m.kb = :kb AND m.from_release <= :release AND (m.to_release IS NULL OR m.to_release > :release);

-- name: vectors_missing
SELECT count(*) FROM kprep.release_members m
WHERE m.kb = :kb AND (m.from_release = :release OR :all)
  AND m.from_release <= :release AND (m.to_release IS NULL OR m.to_release > :release)
  AND NOT EXISTS (SELECT FROM kprep.embeddings e JOIN kprep.spaces USING (space_id)
      WHERE space = :space AND e.content_hash = m.content_hash);

-- name: added
SELECT count(*) FROM kprep.release_members m
WHERE m.kb = :kb AND m.from_release > :old AND m.from_release <= :new
  AND (m.to_release IS NULL OR m.to_release > :new)
  AND NOT EXISTS (SELECT FROM kprep.release_members o WHERE o.kb = m.kb AND o.chunk_id = m.chunk_id
      AND o.from_release <= :old AND (o.to_release IS NULL OR o.to_release > :old));

-- name: removed
SELECT count(*) FROM kprep.release_members o
WHERE o.kb = :kb AND o.to_release > :old AND o.to_release <= :new AND o.from_release <= :old
  AND NOT EXISTS (SELECT FROM kprep.release_members m WHERE m.kb = o.kb AND m.chunk_id = o.chunk_id
      AND m.from_release <= :new AND (m.to_release IS NULL OR m.to_release > :new));

-- name: readers_changed
-- Documents of a release whose permissions are others than in its base.
SELECT count(*) FROM kprep.release_documents d
JOIN kprep.release_documents o ON o.kb = d.kb AND o.document_id = d.document_id AND o.from_release <= :base
    AND (o.to_release IS NULL OR o.to_release > :base)
WHERE d.kb = :kb AND d.from_release > :base AND d.from_release <= :release AND (d.to_release IS NULL OR d.to_release > :release)
    AND (d.metadata -> 'acl', d.metadata -> 'sections') IS DISTINCT FROM (o.metadata -> 'acl', o.metadata -> 'sections');

-- name: gate_chunks
-- What is new in a candidate against its base, whichever candidate wrote it, and the documents that questions expect;
-- the rest passed an earlier gate as it is. Found by their indexes first: the conditions below alone would read all.
WITH looked AS (
    SELECT document_id FROM kprep.release_members WHERE kb = :kb AND from_release = :release
    UNION SELECT document_id FROM kprep.release_documents WHERE kb = :kb AND from_release = :release AND to_release IS NULL
    UNION SELECT document_id FROM kprep.release_documents WHERE kb = :kb AND uri = ANY(:uris)
), held AS (
    SELECT d.* FROM kprep.release_documents d
    WHERE d.kb = :kb AND d.from_release <= :release AND (d.to_release IS NULL OR d.to_release > :release)
        AND d.document_id = ANY(ARRAY(SELECT document_id FROM looked))
), new_documents AS (
    SELECT d.document_id FROM held d WHERE d.from_release = :release
-- with: document_is_new
), new_members AS (
    SELECT m.document_id, m.chunk_id FROM kprep.release_members m
    WHERE m.kb = :kb AND m.from_release = :release AND m.to_release IS NULL
-- with: member_is_new
)
SELECT m.chunk_id, m.document_id, d.uri AS document_uri, m.ordinal, m.locator, c.kind, c.text, c.index_text,
    c.heading_path, c.language, c.tokens, n.chunk_id IS NOT NULL AS is_new, v.content_hash AS original,
    v.media_type, v.parser, m.acl, m.section_acl, m.sensitivity, m.valid_from, m.valid_until, c.keywords,
    m.parent_id, lower(p.span) AS first, upper(p.span) AS last,
    EXISTS (SELECT FROM kprep.embeddings e JOIN kprep.spaces USING (space_id)
        WHERE space = :space AND e.content_hash = m.content_hash) AS has_vector
FROM held d
JOIN kprep.document_versions v ON v.kb = d.kb AND v.version_id = d.version_id
JOIN kprep.release_members m ON m.kb = d.kb AND m.document_id = d.document_id AND m.from_release <= :release
    AND (m.to_release IS NULL OR m.to_release > :release)
JOIN kprep.chunks c ON c.kb = m.kb AND c.chunk_id = m.chunk_id
LEFT JOIN new_members n ON n.document_id = m.document_id AND n.chunk_id = m.chunk_id
LEFT JOIN kprep.version_chunks p ON p.kb = d.kb AND p.version_id = d.version_id AND p.ordinal = m.ordinal
WHERE n.chunk_id IS NOT NULL OR d.uri = ANY(:uris) OR d.document_id IN (SELECT document_id FROM new_documents)
ORDER BY d.uri, m.ordinal;

-- name: gate_parents
SELECT parent_id, text FROM kprep.parents WHERE kb = :kb AND parent_id = ANY(:parents);

-- name: texts_of
-- What documents of a release say.
SELECT d.uri, c.text
FROM kprep.release_documents d
JOIN kprep.release_members m ON m.kb = d.kb AND m.document_id = d.document_id AND m.from_release <= :release
    AND (m.to_release IS NULL OR m.to_release > :release)
JOIN kprep.chunks c ON c.kb = m.kb AND c.chunk_id = m.chunk_id
WHERE d.kb = :kb AND d.from_release <= :release AND (d.to_release IS NULL OR d.to_release > :release)
  AND d.uri = ANY(:uris)
ORDER BY d.uri, m.ordinal;

-- name: gate_near
-- Chunks of a release by number, in other documents than one.
SELECT m.chunk_id, m.document_id, d.uri AS document_uri, m.ordinal, m.locator, c.kind, c.text, c.index_text,
    c.heading_path, c.language, c.tokens, m.from_release = :release AS is_new, '' AS original, '' AS media_type,
    '' AS parser, m.acl, m.section_acl, m.sensitivity, m.valid_from, m.valid_until, c.keywords, true AS in_parent,
    true AS has_vector
FROM kprep.release_members m
JOIN kprep.chunks c ON c.kb = m.kb AND c.chunk_id = m.chunk_id
JOIN kprep.release_documents d ON d.kb = m.kb AND d.document_id = m.document_id AND d.from_release <= :release
    AND (d.to_release IS NULL OR d.to_release > :release)
WHERE m.kb = :kb AND m.chunk_no = ANY(:numbers) AND m.document_id <> :document
  AND m.from_release <= :release AND (m.to_release IS NULL OR m.to_release > :release)
ORDER BY array_position(:numbers, m.chunk_no);

-- name: gate_withdrawn
-- Chunks of documents that the base has and a candidate has not.
SELECT m.chunk_id, m.document_id, d.uri AS document_uri, m.ordinal, m.locator, c.kind, c.text, c.index_text,
    c.heading_path, c.language, c.tokens, false AS is_new, '' AS original, '' AS media_type,
    '' AS parser, m.acl, m.section_acl, m.sensitivity, m.valid_from, m.valid_until, c.keywords, true AS in_parent,
    true AS has_vector
FROM kprep.release_documents d
JOIN kprep.release_members m ON m.kb = d.kb AND m.document_id = d.document_id AND m.from_release <= :base
    AND (m.to_release IS NULL OR m.to_release > :base)
JOIN kprep.chunks c ON c.kb = m.kb AND c.chunk_id = m.chunk_id
WHERE d.kb = :kb AND d.from_release <= :base AND d.to_release > :base AND d.to_release <= :release
  AND NOT EXISTS (SELECT FROM kprep.release_documents n WHERE n.kb = d.kb AND n.document_id = d.document_id
      AND n.from_release <= :release AND (n.to_release IS NULL OR n.to_release > :release))
ORDER BY d.uri, m.ordinal LIMIT :most;

-- name: gate_documents
-- Documents with anything new in a candidate: as prepared, and as the release it is based on has them.
SELECT d.document_id, d.uri, d.metadata, v.removed_share, v.language, o.metadata AS live_metadata,
    l.language AS live_language, v.content_hash AS content, l.content_hash AS live_content,
    (SELECT jsonb_object_agg(m.chunk_id, to_jsonb(m.section_acl)) FROM kprep.release_members m
        WHERE m.kb = d.kb AND m.document_id = d.document_id AND m.section_acl IS NOT NULL AND m.from_release <= :base
            AND (m.to_release IS NULL OR m.to_release > :base)) AS live_sections, now.chunks, now.chars, now.headings, before.chunks AS live_chunks,
    before.chars AS live_chars, before.headings AS live_headings,
    (SELECT coalesce(sum(CAST(unit ->> 'chars' AS bigint)), 0) FROM jsonb_array_elements(v.units) AS unit) AS parsed_chars
FROM kprep.release_documents d
JOIN kprep.document_versions v ON v.kb = d.kb AND v.version_id = d.version_id
JOIN LATERAL (SELECT count(*) AS chunks, coalesce(sum(length(c.text)), 0) AS chars,
        count(DISTINCT c.heading_path) AS headings
    FROM kprep.version_chunks p JOIN kprep.chunks c ON c.kb = p.kb AND c.chunk_id = p.chunk_id
    WHERE p.kb = d.kb AND p.version_id = d.version_id) AS now ON true
LEFT JOIN kprep.release_documents o ON o.kb = d.kb AND o.document_id = d.document_id AND o.from_release <= :base
    AND (o.to_release IS NULL OR o.to_release > :base)
LEFT JOIN kprep.document_versions l ON l.kb = o.kb AND l.version_id = o.version_id
LEFT JOIN LATERAL (SELECT count(*) AS chunks, coalesce(sum(length(c.text)), 0) AS chars,
        count(DISTINCT c.heading_path) AS headings
    FROM kprep.version_chunks p JOIN kprep.chunks c ON c.kb = p.kb AND c.chunk_id = p.chunk_id
    WHERE p.kb = o.kb AND p.version_id = o.version_id) AS before ON true
WHERE d.kb = :kb AND d.from_release = :release AND d.to_release IS NULL
-- with: document_is_new
ORDER BY d.uri;

-- name: formats_gone
SELECT v.media_type, count(*) FROM kprep.release_documents d
JOIN kprep.document_versions v ON v.kb = d.kb AND v.version_id = d.version_id
WHERE d.kb = :kb AND d.to_release = :release
  AND d.from_release <= (SELECT base_release FROM kprep.releases WHERE kb = :kb AND release = :release)
  AND NOT EXISTS (SELECT FROM kprep.release_documents n WHERE n.kb = d.kb AND n.document_id = d.document_id
      AND n.from_release = :release AND n.to_release IS NULL)
  AND NOT EXISTS (SELECT FROM kprep.release_documents o
      JOIN kprep.document_versions w ON w.kb = o.kb AND w.version_id = o.version_id AND w.media_type = v.media_type
      WHERE o.kb = d.kb AND o.from_release <= :release AND (o.to_release IS NULL OR o.to_release > :release))
GROUP BY 1 ORDER BY 1;

-- name: live_text
SELECT c.heading_path, c.text FROM kprep.release_documents d
JOIN kprep.version_chunks p ON p.kb = d.kb AND p.version_id = d.version_id
JOIN kprep.chunks c ON c.kb = p.kb AND c.chunk_id = p.chunk_id
WHERE d.kb = :kb AND d.document_id = :document AND d.from_release <= :base AND (d.to_release IS NULL OR d.to_release > :base)
ORDER BY p.ordinal;

-- name: expired
SELECT DISTINCT d.uri FROM kprep.release_members m
JOIN kprep.release_documents d ON d.kb = m.kb AND d.document_id = m.document_id AND d.from_release <= :release
    AND (d.to_release IS NULL OR d.to_release > :release)
WHERE m.kb = :kb AND m.valid_until <= :today
  AND m.from_release <= :release AND (m.to_release IS NULL OR m.to_release > :release);

-- name: vector_of
SELECT CAST(e.embedding AS text) FROM kprep.chunks c
JOIN kprep.spaces s ON s.space = :space
JOIN kprep.embeddings e ON e.space_id = s.space_id AND e.content_hash = c.content_hash
WHERE c.kb = :kb AND c.chunk_id = :chunk_id;

-- name: removed_shares
SELECT d.uri, v.removed_share FROM kprep.release_documents d
JOIN kprep.document_versions v ON v.kb = d.kb AND v.version_id = d.version_id
WHERE d.kb = :kb AND d.from_release = :release AND d.to_release IS NULL AND v.removed_share > :over
-- with: document_is_new
ORDER BY v.removed_share DESC, d.uri;

-- name: low_coverage
SELECT d.uri, v.coverage FROM kprep.release_documents d
JOIN kprep.document_versions v ON v.kb = d.kb AND v.version_id = d.version_id
WHERE d.kb = :kb AND d.from_release = :release AND d.to_release IS NULL AND v.coverage < :under
-- with: document_is_new
ORDER BY v.coverage, d.uri;

-- name: coverage
SELECT count(v.coverage) AS documents, avg(v.coverage) AS mean
FROM kprep.release_documents d JOIN kprep.document_versions v ON v.kb = d.kb AND v.version_id = d.version_id
WHERE d.kb = :kb AND d.from_release <= :release AND (d.to_release IS NULL OR d.to_release > :release);

-- name: left_out
SELECT unit ->> 'kind' AS kind, unit ->> 'state' AS state, count(*) AS units, count(DISTINCT d.uri) AS documents,
    min(d.uri) AS example
FROM kprep.release_documents d JOIN kprep.document_versions v ON v.kb = d.kb AND v.version_id = d.version_id
CROSS JOIN LATERAL jsonb_array_elements(v.units) AS unit
WHERE d.kb = :kb AND d.from_release <= :release AND (d.to_release IS NULL OR d.to_release > :release)
    AND unit ->> 'state' <> 'ok'
GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2;

-- name: broken_parts
SELECT d.uri, unit ->> 'name' AS problem
FROM kprep.release_documents d JOIN kprep.document_versions v ON v.kb = d.kb AND v.version_id = d.version_id
CROSS JOIN LATERAL jsonb_array_elements(v.units) WITH ORDINALITY AS part (unit, number)
WHERE d.kb = :kb AND d.from_release <= :release AND (d.to_release IS NULL OR d.to_release > :release)
    AND unit ->> 'state' = 'broken' AND (NOT :new OR d.from_release = :release
-- with: document_is_new
    )
ORDER BY d.uri, part.number;

-- name: lowest_coverage
SELECT d.uri, v.coverage
FROM kprep.release_documents d JOIN kprep.document_versions v ON v.kb = d.kb AND v.version_id = d.version_id
WHERE d.kb = :kb AND d.from_release <= :release AND (d.to_release IS NULL OR d.to_release > :release) AND v.coverage < 1
ORDER BY v.coverage, d.uri LIMIT :most;

-- name: copies
-- Chunks of other documents of the release that say the same as a new one.
SELECT n.chunk_id, d.uri AS document_uri, m.ordinal, m.acl, m.section_acl, m.sensitivity, md5(c.text) AS same
FROM (SELECT DISTINCT md5(c.text) AS same, m.chunk_id, m.document_id
      FROM kprep.release_members m JOIN kprep.chunks c ON c.kb = m.kb AND c.chunk_id = m.chunk_id
      WHERE m.kb = :kb AND m.from_release = :release AND m.to_release IS NULL
-- with: member_is_new
      ) AS n
JOIN kprep.chunks c ON c.kb = :kb AND md5(c.text) = n.same AND c.chunk_id <> n.chunk_id
JOIN kprep.release_members m ON m.kb = :kb AND m.chunk_id = c.chunk_id AND m.document_id <> n.document_id
    AND m.from_release <= :release AND (m.to_release IS NULL OR m.to_release > :release)
JOIN kprep.release_documents d ON d.kb = :kb AND d.document_id = m.document_id AND d.from_release <= :release
    AND (d.to_release IS NULL OR d.to_release > :release)
ORDER BY same, d.uri, m.ordinal, n.chunk_id
LIMIT :most;
