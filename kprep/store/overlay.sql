-- name: suppress
INSERT INTO kprep.suppressions (kb, document_id, reason, made_by, note)
SELECT :kb, id, :reason, :made_by, :note FROM unnest(CAST(:ids AS text[])) AS id
ON CONFLICT DO NOTHING;

-- name: lift
UPDATE kprep.suppressions SET ended_at = now(), ended_by = :made_by
WHERE kb = :kb AND document_id = ANY(:ids) AND reason = :reason AND ended_at IS NULL;

-- name: hidden_by_a_person
SELECT DISTINCT document_id FROM kprep.suppressions
WHERE kb = :kb AND ended_at IS NULL AND reason IN ('legal', 'operator');

-- name: carry
-- A document that moved keeps what a person decided about it.
INSERT INTO kprep.suppressions (kb, document_id, reason, made_by, note, since)
SELECT s.kb, r.new_id, s.reason, s.made_by, s.note, s.since
FROM jsonb_to_recordset(:rows) AS r(old_id text, new_id text)
JOIN kprep.suppressions s ON s.kb = :kb AND s.document_id = r.old_id AND s.ended_at IS NULL AND s.chunk_id IS NULL
    AND s.reason IN ('legal', 'operator')
ON CONFLICT DO NOTHING;

-- name: entries
SELECT s.document_id, coalesce(d.uri, r.uri, s.document_id) AS uri, s.reason, s.made_by, s.note, s.since
FROM kprep.suppressions s
LEFT JOIN kprep.documents d ON d.kb = s.kb AND d.document_id = s.document_id
LEFT JOIN LATERAL (SELECT uri FROM kprep.release_documents r WHERE r.kb = s.kb AND r.document_id = s.document_id
    ORDER BY from_release DESC LIMIT 1) r ON true
WHERE s.kb = :kb AND s.ended_at IS NULL AND (s.since <= now() OR s.reason <> 'expired') AND s.chunk_id IS NULL ORDER BY uri, s.reason;

-- name: lift_returned
UPDATE kprep.suppressions SET ended_at = now()
WHERE kb = :kb AND reason = 'source_deleted' AND ended_at IS NULL AND document_id IN (
    SELECT document_id FROM kprep.release_documents WHERE kb = :kb AND from_release <= :release
        AND (to_release IS NULL OR to_release > :release))
    AND document_id IN (SELECT document_id FROM kprep.documents WHERE kb = :kb AND listed)
    AND document_id <> ALL(CAST(:changed AS text[]));

-- name: look_through
-- What moved is not deleted: its new document stands for it.
UPDATE kprep.suppressions s SET ended_at = now()
WHERE s.kb = :kb AND s.reason = 'source_deleted' AND s.ended_at IS NULL AND s.document_id IN (
    SELECT document_id FROM kprep.release_documents WHERE kb = :kb AND from_release <= :release
        AND (to_release IS NULL OR to_release > :release)
    EXCEPT SELECT document_id FROM kprep.release_documents WHERE kb = :kb AND from_release <= :other
        AND (to_release IS NULL OR to_release > :other)
    EXCEPT SELECT n.old_document FROM kprep.renames n
        JOIN kprep.release_documents d ON d.kb = n.kb AND d.document_id = n.new_document AND d.from_release <= :other
            AND (d.to_release IS NULL OR d.to_release > :other)
        WHERE n.kb = :kb);

-- name: narrow
INSERT INTO kprep.narrowed_acls (kb, document_id, acl)
SELECT :kb, r.document_id, r.acl FROM jsonb_to_recordset(:rows) AS r(document_id text, acl text[])
ON CONFLICT (kb, document_id, closed_by) DO UPDATE SET acl = excluded.acl, since = now()
    WHERE NOT (narrowed_acls.acl @> excluded.acl AND narrowed_acls.acl <@ excluded.acl);

-- name: widen_again
-- What was narrowed since the live release became that.
DELETE FROM kprep.narrowed_acls n USING kprep.channels c
WHERE n.kb = :kb AND n.closed_by = 0 AND c.kb = n.kb AND c.name = 'live' AND n.since > c.moved_at;

-- name: narrowed_since
SELECT d.uri, d.metadata -> 'acl' AS acl, n.acl AS narrowed
FROM kprep.narrowed_acls n
JOIN kprep.channels c ON c.kb = n.kb AND c.name = 'live' AND n.since > c.moved_at
JOIN kprep.release_documents d ON d.kb = n.kb AND d.document_id = n.document_id AND d.from_release <= c.release
    AND (d.to_release IS NULL OR d.to_release > c.release)
WHERE n.kb = :kb AND n.closed_by = 0
ORDER BY d.uri;

-- name: narrowed
SELECT document_id, acl FROM kprep.narrowed_acls WHERE kb = :kb AND closed_by = 0;

-- name: follow
UPDATE kprep.narrowed_acls n SET acl = ARRAY(SELECT jsonb_array_elements_text(d.metadata -> 'acl')), since = now()
FROM kprep.release_documents d
JOIN kprep.releases r ON r.kb = d.kb AND r.release = :release
LEFT JOIN kprep.release_documents b ON b.kb = d.kb AND b.document_id = d.document_id
    AND b.from_release <= r.base_release AND (b.to_release IS NULL OR b.to_release > r.base_release)
WHERE n.kb = :kb AND n.closed_by = 0 AND d.kb = n.kb AND d.document_id = n.document_id
    AND d.from_release <= :release AND (d.to_release IS NULL OR d.to_release > :release)
    AND (d.version_id IS DISTINCT FROM b.version_id OR d.metadata -> 'acl' IS DISTINCT FROM b.metadata -> 'acl'
        OR d.metadata -> 'sections' IS DISTINCT FROM b.metadata -> 'sections');

-- name: close_sections
-- Rows that ended with a release which narrowed sections of their document are as narrow as the narrowest of them.
INSERT INTO kprep.narrowed_acls (kb, document_id, closed_by, acl)
SELECT d.kb, d.document_id, :release, ARRAY(SELECT jsonb_array_elements_text(d.metadata -> 'narrowest'))
FROM kprep.release_documents d
JOIN kprep.releases r ON r.kb = d.kb AND r.release = :release
JOIN kprep.release_documents b ON b.kb = d.kb AND b.document_id = d.document_id
    AND b.from_release <= r.base_release AND (b.to_release IS NULL OR b.to_release > r.base_release)
WHERE d.kb = :kb AND d.from_release <= :release AND (d.to_release IS NULL OR d.to_release > :release)
    AND d.metadata ? 'narrowest' AND d.metadata -> 'sections' IS DISTINCT FROM b.metadata -> 'sections'
ON CONFLICT (kb, document_id, closed_by) DO UPDATE SET acl = excluded.acl, since = now();

-- name: suppressed
SELECT document_id, reason, since FROM kprep.suppressions WHERE kb = :kb AND ended_at IS NULL AND (since <= now() OR reason <> 'expired')
    AND chunk_id IS NULL
ORDER BY document_id, reason;

-- name: expiring
SELECT d.uri, s.since FROM kprep.suppressions s
JOIN kprep.release_documents d ON d.kb = s.kb AND d.document_id = s.document_id AND d.from_release <= :release
    AND (d.to_release IS NULL OR d.to_release > :release)
WHERE s.kb = :kb AND s.ended_at IS NULL AND s.reason = 'expired' AND s.since <= now() + make_interval(days => :days)
ORDER BY s.since, d.uri;

-- name: end_expiry
-- Of documents that have no limit any more.
UPDATE kprep.suppressions s SET ended_at = now(), ended_by = 'retention'
WHERE s.kb = :kb AND s.reason = 'expired' AND s.ended_at IS NULL AND NOT EXISTS (
    SELECT FROM kprep.release_documents d
    JOIN jsonb_to_recordset(:limits) AS l(source text, days integer) ON l.source = d.source
    WHERE d.kb = s.kb AND d.document_id = s.document_id);

-- name: schedule_expiry
-- What came with a mail (m) stays as long as it.
INSERT INTO kprep.suppressions AS s (kb, document_id, reason, made_by, since)
SELECT d.kb, d.document_id, 'expired', 'retention',
    coalesce(m.modified_at, k.modified_at) + make_interval(days => l.days)
FROM kprep.release_documents d
JOIN jsonb_to_recordset(:limits) AS l(source text, days integer) ON l.source = d.source
JOIN kprep.documents k ON k.kb = d.kb AND k.document_id = d.document_id
LEFT JOIN kprep.documents m ON m.kb = k.kb AND m.folder = k.folder AND m.uri = split_part(k.uri, '::', 1)
    AND starts_with(k.version_token, 'attached:')
WHERE d.kb = :kb AND d.from_release <= :release AND (d.to_release IS NULL OR d.to_release > :release)
    AND k.modified_at IS NOT NULL
ON CONFLICT (kb, document_id, reason, coalesce(chunk_id, '')) WHERE ended_at IS NULL
DO UPDATE SET since = excluded.since WHERE s.since <> excluded.since;
