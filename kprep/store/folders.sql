-- name: settled
-- The release that holds what the settled folders list, the rules it was made by, and which release is live.
SELECT b.settled_release, b.settled_rules, c.release FROM kprep.knowledge_bases b
JOIN kprep.channels c ON c.kb = b.kb AND c.name = 'live' WHERE b.kb = :kb;

-- name: known
SELECT f.folder, f.source, f.digest, f.documents, f.settled AND f.digest <> '' AND NOT EXISTS (
    SELECT FROM kprep.failures x WHERE x.kb = f.kb AND regexp_replace(x.uri, '/[^/]*$', '') = f.folder) AS settled
FROM kprep.folders f WHERE f.kb = :kb ORDER BY f.folder;

-- name: see
INSERT INTO kprep.folders AS f (kb, source, folder, digest, documents, run_id, settled, listed)
SELECT :kb, r.source, r.folder, r.digest, r.documents, :run_id, false, r.listed
FROM jsonb_to_recordset(:rows) AS r(source text, folder text, digest text, documents integer, listed boolean)
ON CONFLICT (kb, folder) DO UPDATE SET source = excluded.source, digest = excluded.digest, documents = excluded.documents,
    run_id = excluded.run_id, settled = false, listed = excluded.listed;

-- name: forget_gone
DELETE FROM kprep.folders WHERE kb = :kb AND run_id = :run_id AND NOT settled AND NOT listed;

-- name: settle
UPDATE kprep.folders SET settled = true WHERE kb = :kb AND run_id = :run_id AND NOT settled;

-- name: settle_base
UPDATE kprep.knowledge_bases SET settled_release = :release, settled_rules = :rules WHERE kb = :kb;

-- name: look_again
UPDATE kprep.folders SET digest = '' WHERE kb = :kb AND folder = :folder;
