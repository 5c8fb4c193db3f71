-- name: lock
SELECT pg_try_advisory_lock(hashtextextended('kprep run ' || :kb, 0));

-- name: unlock
SELECT pg_advisory_unlock(hashtextextended('kprep run ' || :kb, 0));

-- name: take_lease
INSERT INTO kprep.leases AS l (kb, fence, holder, taken_at) VALUES (:kb, 1, :holder, now())
ON CONFLICT (kb) DO UPDATE SET fence = l.fence + 1, holder = excluded.holder, taken_at = excluded.taken_at
RETURNING fence;

-- name: lease
SELECT fence, holder FROM kprep.leases WHERE kb = :kb FOR SHARE;

-- name: start
INSERT INTO kprep.runs (run_id, kb, status, stage) VALUES (:run_id, :kb, 'running', 'scan');

-- name: drop_dead_work
DELETE FROM kprep.run_documents WHERE run_id IN (
    SELECT run_id FROM kprep.runs WHERE kb = :kb AND status = 'running' AND run_id <> :run_id);

-- name: end_dead
UPDATE kprep.runs SET status = 'crashed', finished_at = now() WHERE kb = :kb AND status = 'running' AND run_id <> :run_id;

-- name: stage
UPDATE kprep.runs SET stage = :stage, heartbeat_at = now() WHERE run_id = :run_id;

-- name: finish
UPDATE kprep.runs SET status = :status, summary = :summary, finished_at = now(), heartbeat_at = now() WHERE run_id = :run_id;

-- name: recent
-- A run that died holds no lock any more, whatever its row says until the next one ends it.
SELECT r.run_id, CASE WHEN r.status = 'running' AND NOT EXISTS (
        SELECT FROM pg_locks l WHERE l.locktype = 'advisory' AND l.objsubid = 1
            AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND (CAST(l.classid AS bigint) << 32 | CAST(l.objid AS bigint)) = hashtextextended('kprep run ' || r.kb, 0))
    THEN 'crashed' ELSE r.status END, r.stage, r.started_at, r.finished_at, r.summary
FROM kprep.runs r WHERE r.kb = :kb ORDER BY r.number DESC LIMIT :count;

-- name: plan_work
INSERT INTO kprep.run_documents (run_id, document_id, batch, work, state, version_id)
SELECT :run_id, r.document_id, r.batch, r.work, r.state, r.version_id
FROM jsonb_to_recordset(:rows) AS r(document_id text, batch integer, work jsonb, state text, version_id text);

-- name: drop_work_of
DELETE FROM kprep.run_documents WHERE run_id = :run_id AND document_id = ANY(:ids);

-- name: batch
SELECT work FROM kprep.run_documents
WHERE run_id = :run_id AND batch = :batch AND state = 'planned' ORDER BY work ->> 'uri';

-- name: done
UPDATE kprep.run_documents SET state = CASE WHEN CAST(:version_id AS text) IS NULL THEN 'failed' ELSE 'ready' END,
    version_id = :version_id, work = work || jsonb_build_object('began', CAST(:began AS text))
WHERE run_id = :run_id AND document_id = :document_id;

-- name: work
SELECT document_id, batch, work, state, version_id FROM kprep.run_documents WHERE run_id = :run_id ORDER BY work ->> 'uri';

-- name: drop_work
DELETE FROM kprep.run_documents WHERE run_id = :run_id;

-- name: note
UPDATE kprep.runs SET summary = summary || :values, heartbeat_at = now() WHERE run_id = :run_id;

-- name: get
SELECT run_id, status, stage, started_at, finished_at, summary FROM kprep.runs WHERE run_id = :run_id;
