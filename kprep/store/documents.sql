-- name: register
INSERT INTO kprep.knowledge_bases (kb, tenant) VALUES (:kb, :tenant) ON CONFLICT (kb) DO NOTHING;

-- name: add_partitions
SELECT kprep.add_partitions(:kb);

-- name: size
SELECT (SELECT count(DISTINCT document_id) FROM kprep.release_documents WHERE kb = :kb) AS documents,
    (SELECT count(*) FROM kprep.chunks WHERE kb = :kb) AS chunks;

-- name: ids_of_uri
SELECT document_id FROM kprep.documents WHERE kb = :kb AND uri = :uri
UNION SELECT document_id FROM kprep.release_documents WHERE kb = :kb AND uri = :uri;

-- name: own_texts
SELECT DISTINCT content_hash FROM kprep.chunks WHERE kb = :kb;

-- name: own_originals
SELECT DISTINCT content_hash FROM kprep.document_versions WHERE kb = :kb;

-- name: own_views
SELECT DISTINCT name FROM kprep.views WHERE kb = :kb;

-- name: forget
SELECT kprep.forget(:kb);

-- name: drop_vectors
DELETE FROM kprep.embeddings e WHERE e.content_hash = ANY(:hashes)
AND NOT EXISTS (SELECT FROM kprep.chunks c WHERE c.content_hash = e.content_hash);

-- name: unused_originals
SELECT h FROM unnest(CAST(:hashes AS text[])) AS h
WHERE NOT EXISTS (SELECT FROM kprep.document_versions v WHERE v.content_hash = h);

-- name: tenant
SELECT tenant FROM kprep.knowledge_bases WHERE kb = :kb;

-- name: same_view_names
SELECT kb FROM kprep.knowledge_bases WHERE kb <> :kb AND replace(kb, '-', '_') = replace(:kb, '-', '_') LIMIT 1;

-- name: first_release
INSERT INTO kprep.releases (kb, release, base_release, status, run_id, configuration, published_at)
VALUES (:kb, 0, 0, 'published', '', '{}', now()) ON CONFLICT DO NOTHING;

-- name: first_channel
INSERT INTO kprep.channels (kb, name, release) VALUES (:kb, 'live', 0) ON CONFLICT DO NOTHING;

-- name: observed
SELECT document_id, source, uri, version_token, content_hash, size, media_type, modified_at
FROM kprep.documents WHERE kb = :kb AND listed ORDER BY uri;

-- name: observed_in
SELECT document_id, source, uri, version_token, content_hash, size, media_type, modified_at, listed
FROM kprep.documents WHERE kb = :kb AND (folder = ANY(:folders) OR document_id = ANY(:ids)) ORDER BY uri;

-- name: folders_below
SELECT DISTINCT folder FROM kprep.documents
WHERE kb = :kb AND (folder = :folder OR (folder > :folder || '/' AND folder < :folder || '0')) ORDER BY folder;

-- name: attached_to
SELECT document_id FROM kprep.documents
WHERE kb = :kb AND folder = regexp_replace(:uri, '/[^/]*$', '') AND starts_with(uri, :uri || '::');

-- name: total_bytes
SELECT coalesce(sum(size), 0) FROM kprep.documents WHERE kb = :kb AND listed;

-- name: count_observed
SELECT (SELECT count(*) FROM kprep.documents WHERE kb = :kb AND listed)
    + (SELECT count(*) FROM kprep.failures f WHERE f.kb = :kb AND NOT EXISTS (
        SELECT FROM kprep.documents d WHERE d.kb = f.kb AND d.document_id = f.document_id AND d.listed));

-- name: observed_of
SELECT document_id, source, uri, version_token, content_hash, size, media_type, modified_at
FROM kprep.documents WHERE kb = :kb AND listed AND document_id = ANY(:ids);

-- name: observe
INSERT INTO kprep.documents AS d
    (kb, document_id, source, uri, version_token, content_hash, size, media_type, modified_at, listed, seen_at)
SELECT :kb, r.document_id, r.source, r.uri, r.version_token, r.content_hash, r.size, r.media_type,
    coalesce(r.modified_at, now()), true, now()
FROM jsonb_to_recordset(:rows) AS r(document_id text, source text, uri text, version_token text, content_hash text,
    size bigint, media_type text, modified_at timestamptz)
ON CONFLICT (kb, document_id) DO UPDATE SET
    version_token = excluded.version_token, content_hash = excluded.content_hash, size = excluded.size,
    media_type = excluded.media_type, listed = true, seen_at = excluded.seen_at,
    modified_at = CASE WHEN d.content_hash = excluded.content_hash THEN d.modified_at ELSE excluded.modified_at END;

-- name: unlist
UPDATE kprep.documents SET listed = false WHERE kb = :kb AND document_id = ANY(:ids);

-- name: drop
DELETE FROM kprep.documents WHERE kb = :kb AND document_id = ANY(:ids);

-- name: save_version
INSERT INTO kprep.document_versions
    (kb, version_id, document_id, content_fingerprint, content_hash, media_type, parser, title, language, front_matter,
     anchors, units, removals, redactions, stages, boilerplate, removed_share, coverage, after_release)
VALUES (:kb, :version_id, :document_id, :content_fingerprint, :content_hash, :media_type, :parser, :title, :language,
    :front_matter, :anchors, :units, :removals, :redactions, :stages, :boilerplate, :removed_share, :coverage, (SELECT coalesce(max(release), 0) FROM kprep.releases WHERE kb = :kb))
ON CONFLICT (kb, version_id) DO NOTHING RETURNING version_id;

-- name: copy_version
INSERT INTO kprep.document_versions
    (kb, version_id, document_id, content_fingerprint, content_hash, media_type, parser, title, language, front_matter,
     anchors, units, removals, redactions, stages, boilerplate, removed_share, coverage, after_release)
SELECT kb, :version_id, :document_id, content_fingerprint, content_hash, media_type, parser, title, language, front_matter,
     anchors, units, removals, redactions, stages, boilerplate, removed_share, coverage, (SELECT coalesce(max(release), 0) FROM kprep.releases WHERE kb = :kb)
FROM kprep.document_versions WHERE kb = :kb AND version_id = :from_version
ON CONFLICT (kb, version_id) DO NOTHING RETURNING version_id;

-- name: prepared
SELECT DISTINCT ON (content_fingerprint) content_fingerprint, version_id
FROM kprep.document_versions WHERE kb = :kb AND content_fingerprint = ANY(:fingerprints)
ORDER BY content_fingerprint, version_id;

-- name: fail
INSERT INTO kprep.failures (kb, document_id, source, uri, stage, reason, detail, context, retryable, content_fingerprint, run_id)
VALUES (:kb, :document_id, :source, :uri, :stage, :reason, :detail, :context, :retryable, :content_fingerprint, :run_id)
ON CONFLICT (kb, document_id) DO UPDATE SET stage = excluded.stage, reason = excluded.reason, detail = excluded.detail,
    context = excluded.context, retryable = excluded.retryable, content_fingerprint = excluded.content_fingerprint,
    run_id = excluded.run_id, failed_at = now(), source = excluded.source, uri = excluded.uri;

-- name: failures
SELECT document_id, source, uri, stage, reason, detail, context, retryable, content_fingerprint, run_id, failed_at
FROM kprep.failures WHERE kb = :kb ORDER BY uri;

-- name: clear_failures
DELETE FROM kprep.failures WHERE kb = :kb AND document_id = ANY(:ids);

-- name: uri_of
SELECT uri FROM kprep.documents WHERE kb = :kb AND document_id = :document_id;

-- name: front_matter
SELECT version_id, front_matter FROM kprep.document_versions WHERE kb = :kb AND version_id = ANY(:versions);
