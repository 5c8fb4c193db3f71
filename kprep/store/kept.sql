-- name: of_contents
SELECT content_hash, parse, stages, address FROM kprep.kept_stages
WHERE kb = :kb AND content_hash = ANY(:contents) AND format = :format;

-- name: replaced
SELECT address FROM kprep.kept_stages
WHERE kb = :kb AND content_hash = :content_hash AND parse = :parse AND address <> :address;

-- name: save
INSERT INTO kprep.kept_stages (kb, content_hash, parse, format, stages, address)
VALUES (:kb, :content_hash, :parse, :format, :stages, :address)
ON CONFLICT (kb, content_hash, parse) DO UPDATE SET format = excluded.format, stages = excluded.stages,
    address = excluded.address;

-- name: note_stages
UPDATE kprep.kept_stages SET stages = :stages WHERE kb = :kb AND content_hash = :content_hash AND parse = :parse;

-- name: collect
-- One lives as long as a version that was made with it, which is as long as its original.
DELETE FROM kprep.kept_stages k WHERE k.kb = :kb AND k.content_hash = ANY(:contents)
AND NOT EXISTS (SELECT FROM kprep.document_versions v
    WHERE v.kb = k.kb AND v.content_hash = k.content_hash AND v.stages ->> 'parse' = k.parse)
RETURNING address;

-- name: drop_of_documents
DELETE FROM kprep.kept_stages k WHERE k.kb = :kb AND EXISTS (
    SELECT FROM kprep.document_versions v
    WHERE v.kb = k.kb AND v.content_hash = k.content_hash AND v.document_id = ANY(:ids))
RETURNING address;

-- name: own
SELECT address FROM kprep.kept_stages WHERE kb = :kb;
