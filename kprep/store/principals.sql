-- name: expand
SELECT kprep.expand_principals((SELECT tenant FROM kprep.knowledge_bases WHERE kb = :kb), :given);

-- name: members
SELECT principal, member_of FROM kprep.principals WHERE tenant = :tenant ORDER BY principal;

-- name: serialise
SELECT pg_advisory_xact_lock(hashtextextended('kprep principals ' || :tenant, 0));

-- name: clear
DELETE FROM kprep.principals WHERE tenant = :tenant;

-- name: add
INSERT INTO kprep.principals (tenant, principal, member_of)
SELECT :tenant, r.principal, r.member_of FROM jsonb_to_recordset(:rows) AS r(principal text, member_of text[]);

-- name: reached
SELECT unnest(kprep.expand_principals(:tenant, :given)) ORDER BY 1;
