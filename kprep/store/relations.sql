-- name: save
INSERT INTO kprep.relations (kb, version_id, number, ordinal, kind, written, targets, title, uris, anchor, documents)
SELECT :kb, :version_id, r.number, r.ordinal, r.kind, r.written, r.targets, r.title, r.uris, r.anchor, r.documents
FROM jsonb_to_recordset(:rows) AS r(number integer, ordinal integer, kind text, written text, targets text[], title text,
    uris text[], anchor text, documents text[]);

-- name: of_version
SELECT kind, written, targets, ordinal, title FROM kprep.relations WHERE kb = :kb AND version_id = :version_id ORDER BY number;

-- name: rename
INSERT INTO kprep.renames (kb, old_document, new_document)
SELECT :kb, r.old_id, r.new_id FROM jsonb_to_recordset(:rows) AS r(old_id text, new_id text)
UNION
SELECT :kb, n.old_document, r.new_id FROM jsonb_to_recordset(:rows) AS r(old_id text, new_id text)
JOIN kprep.renames n ON n.kb = :kb AND n.new_document = r.old_id AND n.old_document <> r.new_id
ON CONFLICT DO NOTHING;

-- name: pin
-- Relations of these versions, and those that lead to these documents: the revision their target has in the release.
UPDATE kprep.relations r SET target_revision = v.content_hash
FROM (
    SELECT o.version_id, o.number, kprep.target_of(:kb, :release, o.documents, o.title) AS target
    FROM kprep.relations o
    WHERE o.kb = :kb AND o.target_revision IS NULL
      AND (o.version_id = ANY(:versions) OR o.documents && CAST(:targets AS text[])
           OR (o.title <> '' AND lower(o.title) = ANY(:titles)))
) AS found
JOIN kprep.release_documents d ON d.kb = :kb AND d.document_id = found.target AND d.from_release <= :release
    AND (d.to_release IS NULL OR d.to_release > :release)
JOIN kprep.document_versions v ON v.kb = :kb AND v.version_id = d.version_id
WHERE r.kb = :kb AND r.version_id = found.version_id AND r.number = found.number;

-- name: titles
SELECT DISTINCT lower(title) FROM kprep.document_versions WHERE kb = :kb AND version_id = ANY(:versions) AND title <> '';

-- name: of_source
-- What the chunks and documents a reader sees refer to. A target the reader may not see is as if there were none.
WITH seen AS MATERIALIZED (
    SELECT v.document_id, v.chunk_id, v.ordinal
    FROM kprep.visible_members(:kb, :release, :principals, :as_of, :stores) v
    WHERE (CAST(:chunk_ids AS text[]) IS NULL OR v.chunk_id = ANY(:chunk_ids))
      AND (CAST(:uri AS text) IS NULL OR v.document_id = ANY(
          SELECT document_id FROM kprep.release_documents WHERE kb = :kb AND uri = :uri))
), told AS MATERIALIZED (
    SELECT d.uri AS document_uri, seen.chunk_id, seen.ordinal, r.number, r.kind, r.written, r.uris, r.title, r.anchor,
        r.target_revision, kprep.target_of(:kb, :release, r.documents, r.title) AS target
    FROM kprep.release_documents d
    JOIN kprep.relations r ON r.kb = d.kb AND r.version_id = d.version_id
    LEFT JOIN seen ON seen.document_id = d.document_id AND seen.ordinal = r.ordinal
    WHERE d.kb = :kb AND d.document_id IN (SELECT document_id FROM seen) AND d.from_release <= :release
      AND (d.to_release IS NULL OR d.to_release > :release) AND (r.ordinal IS NULL OR seen.chunk_id IS NOT NULL)
)
SELECT t.document_uri, t.chunk_id, t.kind, t.written, t.uris, t.title, t.anchor, t.target_revision, s.standing,
    CASE WHEN s.standing <> '' THEN d.uri END AS target_uri, CASE WHEN s.standing <> '' THEN d.title END AS target_title,
    CASE WHEN s.standing = 'visible' THEN v.content_hash END AS revision,
    s.standing = 'visible' AND t.anchor = ANY(v.anchors) AS anchor_found
FROM told t
CROSS JOIN LATERAL (SELECT kprep.standing(:kb, :release, :principals, :as_of, :stores, t.target) AS standing) s
LEFT JOIN kprep.release_documents d ON d.kb = :kb AND d.document_id = t.target AND d.from_release <= :release
    AND (d.to_release IS NULL OR d.to_release > :release)
LEFT JOIN kprep.document_versions v ON v.kb = :kb AND v.version_id = d.version_id
ORDER BY t.document_uri, t.ordinal NULLS FIRST, t.number;

-- name: of_target
-- What a reader sees of the references to one document that the reader may see.
WITH wanted AS MATERIALIZED (
    SELECT d.document_id, d.uri, d.title, v.content_hash, v.anchors FROM kprep.release_documents d
    JOIN kprep.document_versions v ON v.kb = d.kb AND v.version_id = d.version_id
    WHERE d.kb = :kb AND d.uri = :uri AND d.from_release <= :release AND (d.to_release IS NULL OR d.to_release > :release)
      AND kprep.standing(:kb, :release, :principals, :as_of, :stores, d.document_id) = 'visible'
), known AS MATERIALIZED (
    SELECT r.*, w.document_id AS target, w.uri AS target_uri, w.title AS target_title, w.content_hash AS revision, w.anchors
    FROM wanted w
    JOIN kprep.relations r ON r.kb = :kb AND (r.documents && (ARRAY[w.document_id] || ARRAY(
        SELECT n.old_document FROM kprep.renames n WHERE n.kb = :kb AND n.new_document = w.document_id))
        OR (r.title <> '' AND lower(r.title) = lower(w.title)))
)
SELECT d.uri AS document_uri, v.chunk_id, k.kind, k.written, k.uris, k.title, k.anchor, k.target_revision,
    'visible' AS standing, k.target_uri, k.target_title, k.revision, k.anchor = ANY(k.anchors) AS anchor_found
FROM known k
JOIN kprep.release_documents d ON d.kb = :kb AND d.version_id = k.version_id AND d.from_release <= :release
    AND (d.to_release IS NULL OR d.to_release > :release)
CROSS JOIN LATERAL (
    SELECT CASE WHEN k.ordinal IS NOT NULL THEN m.chunk_id END AS chunk_id
    FROM kprep.visible_members(:kb, :release, :principals, :as_of, :stores) m
    WHERE m.document_id = d.document_id AND (k.ordinal IS NULL OR m.ordinal = k.ordinal)
    LIMIT 1) v
WHERE kprep.target_of(:kb, :release, k.documents, k.title) = k.target
ORDER BY d.uri, k.ordinal NULLS FIRST, k.number;

-- name: touching
-- Relations whose document, or whose target in one of the two releases, changed between them; where each leads in both,
-- and whether its anchor is there. Written anew: the version of its document in the base has none to the same target.
WITH touched AS (
    SELECT d.uri AS document_uri, r.*, b.version_id AS base_version,
        kprep.target_of(:kb, :base, r.documents, r.title) AS base_target,
        kprep.target_of(:kb, :release, r.documents, r.title) AS target
    FROM kprep.relations r
    JOIN kprep.release_documents d ON d.kb = r.kb AND d.version_id = r.version_id AND d.from_release <= :release
        AND (d.to_release IS NULL OR d.to_release > :release)
    LEFT JOIN kprep.release_documents b ON b.kb = d.kb AND b.document_id = d.document_id AND b.from_release <= :base
        AND (b.to_release IS NULL OR b.to_release > :base)
    WHERE r.kb = :kb AND (r.documents <> '{}' OR r.title <> '')
      AND (d.document_id = ANY(:documents) OR r.documents && CAST(:documents AS text[])
           OR (r.title <> '' AND lower(r.title) IN (
               SELECT lower(o.title) FROM kprep.release_documents o WHERE o.kb = :kb AND o.document_id = ANY(:documents))))
)
SELECT t.document_uri, t.kind, t.written, t.uris, t.title, t.anchor, t.target_revision IS NOT NULL AS was_known,
    t.base_target IS NOT NULL AS held, t.target IS NOT NULL AS holds,
    t.base_version IS NOT NULL AND NOT EXISTS (SELECT FROM kprep.relations o
        WHERE o.kb = t.kb AND o.version_id = t.base_version AND o.documents = t.documents AND o.title = t.title) AS is_new,
    t.base_version IS NOT NULL AND NOT EXISTS (SELECT FROM kprep.relations o
        WHERE o.kb = t.kb AND o.version_id = t.base_version AND o.documents = t.documents AND o.title = t.title
          AND o.anchor = t.anchor) AS anchor_is_new,
    t.anchor = ANY(before.anchors) AS anchor_held, t.anchor = ANY(now.anchors) AS anchor_holds,
    CASE WHEN t.anchor <> '' AND t.anchor <> ALL(now.anchors) THEN now.anchors END AS anchors
FROM touched t
LEFT JOIN LATERAL (SELECT v.anchors FROM kprep.release_documents d
    JOIN kprep.document_versions v ON v.kb = d.kb AND v.version_id = d.version_id
    WHERE d.kb = t.kb AND d.document_id = t.base_target AND d.from_release <= :base
      AND (d.to_release IS NULL OR d.to_release > :base)) AS before ON true
LEFT JOIN LATERAL (SELECT v.anchors FROM kprep.release_documents d
    JOIN kprep.document_versions v ON v.kb = d.kb AND v.version_id = d.version_id
    WHERE d.kb = t.kb AND d.document_id = t.target AND d.from_release <= :release
      AND (d.to_release IS NULL OR d.to_release > :release)) AS now ON true
ORDER BY t.document_uri, t.number;
