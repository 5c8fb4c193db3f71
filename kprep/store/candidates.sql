-- name: decisions
SELECT document_id, content_hash, decision FROM kprep.candidate_decisions WHERE kb = :kb;

-- name: decided_since
SELECT EXISTS (SELECT FROM kprep.candidate_decisions c WHERE c.kb = :kb AND c.after_release >= :release);

-- name: decide
INSERT INTO kprep.candidate_decisions (kb, document_id, content_hash, decision, made_by, note, after_release)
VALUES (:kb, :document_id, :content_hash, :decision, :made_by, :note, (SELECT coalesce(max(release), 0) FROM kprep.releases WHERE kb = :kb))
ON CONFLICT (kb, document_id) DO UPDATE SET content_hash = excluded.content_hash, decision = excluded.decision,
    made_by = excluded.made_by, note = excluded.note, made_at = now(), after_release = excluded.after_release;

-- name: waiting
SELECT d.document_id, d.uri, d.title, v.content_hash, d.metadata ->> 'store' AS store, d.metadata, c.decision, c.made_by,
    c.note
FROM kprep.release_documents d
JOIN kprep.document_versions v ON v.kb = d.kb AND v.version_id = d.version_id
LEFT JOIN kprep.candidate_decisions c ON c.kb = d.kb AND c.document_id = d.document_id
    AND c.content_hash = v.content_hash
WHERE d.kb = :kb AND d.from_release <= :release AND (d.to_release IS NULL OR d.to_release > :release)
  AND (d.metadata ->> 'store' IN ('candidate', 'rejected') OR d.metadata ? 'confirmed_by')
ORDER BY d.uri;

-- name: casual
SELECT d.document_id, d.uri, d.source, d.version_id, coalesce(d.metadata ->> 'updated_at', '') AS updated_at,
    coalesce((SELECT array_agg(value ORDER BY value) FROM jsonb_array_elements_text(d.metadata -> 'outdated_by')),
        ARRAY[]::text[]) AS outdated_by
FROM kprep.release_documents d
WHERE d.kb = :kb AND d.from_release <= :release AND (d.to_release IS NULL OR d.to_release > :release)
  AND d.document_id <> ALL(:without)
  AND (d.metadata ->> 'store' IN ('candidate', 'rejected') OR d.metadata ? 'confirmed_by' OR d.metadata ? 'rule_confirms')
ORDER BY d.uri;

-- name: texts
SELECT p.version_id, c.text FROM kprep.version_chunks p
JOIN kprep.chunks c ON c.kb = p.kb AND c.chunk_id = p.chunk_id
WHERE p.kb = :kb AND p.version_id = ANY(:versions) AND c.fragment <> 'outdated'
ORDER BY p.version_id, p.ordinal;

-- name: formal_texts
SELECT d.uri, c.text FROM kprep.release_documents d
JOIN kprep.version_chunks p ON p.kb = d.kb AND p.version_id = d.version_id
JOIN kprep.chunks c ON c.kb = p.kb AND c.chunk_id = p.chunk_id
WHERE d.kb = :kb AND d.from_release <= :release AND (d.to_release IS NULL OR d.to_release > :release)
  AND d.document_id <> ALL(:without)
  AND d.metadata ->> 'store' = 'formal' AND NOT d.metadata ? 'confirmed_by' AND c.text ~* '[0-9]|\mnot\M|\mno\M|never'
ORDER BY d.uri, p.ordinal;
