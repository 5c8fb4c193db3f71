-- name: save_parents
INSERT INTO kprep.parents (kb, parent_id, document_id, key, heading_path, text, summary)
SELECT :kb, r.parent_id, :document_id, r.key, r.heading_path, r.text, r.summary
FROM jsonb_to_recordset(:rows) AS r(parent_id text, key text, heading_path text[], text text, summary text)
ON CONFLICT (kb, parent_id) DO NOTHING;

-- name: save_chunks
INSERT INTO kprep.chunks (kb, chunk_id, document_id, key, kind, text, index_text, heading_path, title, keywords, entities,
    fragment, fragment_confidence, signals, language, content_hash, tokens)
SELECT :kb, r.chunk_id, :document_id, r.key, r.kind, r.text, r.index_text, r.heading_path, r.title, r.keywords, r.entities,
    r.fragment, r.fragment_confidence, r.signals, r.language, r.content_hash, r.tokens
FROM jsonb_to_recordset(:rows) AS r(chunk_id text, key text, kind text, text text, index_text text, heading_path text[], title text,
    keywords text[], entities jsonb, fragment text, fragment_confidence real, signals jsonb, language text, content_hash text, tokens integer)
ON CONFLICT (kb, chunk_id) DO NOTHING;

-- name: place_chunks
INSERT INTO kprep.version_chunks (kb, version_id, ordinal, chunk_id, parent_id, locator, span, links)
SELECT :kb, :version_id, r.ordinal, r.chunk_id, r.parent_id, r.locator, int4range(r.first, r.last), r.links
FROM jsonb_to_recordset(:rows) AS r(ordinal integer, chunk_id text, parent_id text, locator jsonb, first integer,
    last integer, links jsonb);

-- name: rows_of_version
SELECT v.ordinal, v.chunk_id, v.parent_id, v.locator, lower(v.span) AS first, upper(v.span) AS last, v.links,
    c.key, p.key AS parent_key, c.kind, c.text, c.index_text, c.heading_path, c.title, c.keywords, c.entities, c.fragment, c.fragment_confidence, c.signals, c.language, c.content_hash,
    c.tokens, p.heading_path AS parent_path, p.text AS parent_text, p.summary
FROM kprep.version_chunks v
JOIN kprep.chunks c ON c.kb = v.kb AND c.chunk_id = v.chunk_id
JOIN kprep.parents p ON p.kb = v.kb AND p.parent_id = v.parent_id
WHERE v.kb = :kb AND v.version_id = :version_id ORDER BY v.ordinal;

-- name: places
SELECT v.ordinal, v.locator ->> 'anchor', c.heading_path
FROM kprep.version_chunks v JOIN kprep.chunks c ON c.kb = v.kb AND c.chunk_id = v.chunk_id
WHERE v.kb = :kb AND v.version_id = :version_id ORDER BY v.ordinal;

-- name: suggested
SELECT c.signals -> 'model' FROM kprep.version_chunks v JOIN kprep.chunks c ON c.kb = v.kb AND c.chunk_id = v.chunk_id
WHERE v.kb = :kb AND v.version_id = :version_id AND c.signals ? 'model';
