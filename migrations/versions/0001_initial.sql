CREATE SCHEMA IF NOT EXISTS kprep;
CREATE SCHEMA IF NOT EXISTS published;
CREATE EXTENSION IF NOT EXISTS vector;

CREATE TABLE kprep.knowledge_bases (
    kb text PRIMARY KEY,
    kb_no integer GENERATED ALWAYS AS IDENTITY,
    tenant text NOT NULL,
    -- The release that holds what the settled folders list, under these rules.
    settled_release integer NOT NULL DEFAULT 0,
    settled_rules text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now()
);

-- Folders of the sources as a run last saw them. `digest`: of what is listed there, '' where that says nothing; `documents`:
-- how many. `settled`: the settled release holds just that, so that with the same digest nothing is to be compared.
CREATE TABLE kprep.folders (
    kb text NOT NULL REFERENCES kprep.knowledge_bases,
    source text NOT NULL,
    folder text COLLATE "C" NOT NULL,
    digest text NOT NULL,
    documents integer NOT NULL,
    run_id text NOT NULL,
    settled boolean NOT NULL,
    listed boolean NOT NULL,
    PRIMARY KEY (kb, folder)
);
CREATE INDEX folders_unsettled ON kprep.folders (kb) WHERE NOT settled;

-- What the sources last listed: one row per document they hold.
CREATE TABLE kprep.documents (
    kb text NOT NULL REFERENCES kprep.knowledge_bases,
    document_id text NOT NULL,
    source text NOT NULL,
    uri text NOT NULL,
    version_token text NOT NULL,
    content_hash text NOT NULL,
    size bigint NOT NULL,
    media_type text NOT NULL,
    modified_at timestamptz,
    listed boolean NOT NULL DEFAULT true,
    seen_at timestamptz NOT NULL,
    folder text COLLATE "C" NOT NULL GENERATED ALWAYS AS (regexp_replace(uri, '/[^/]*$', '')) STORED,
    PRIMARY KEY (kb, document_id)
);
CREATE INDEX documents_folder ON kprep.documents (kb, folder);
CREATE INDEX documents_listed ON kprep.documents (kb) WHERE listed;
CREATE INDEX documents_content ON kprep.documents (kb, content_hash);
CREATE INDEX documents_modified ON kprep.documents (kb, source, modified_at);

-- The large tables from here on are partitioned by knowledge base: `kprep.add_partitions` makes a knowledge base's own
-- tables when it is registered, with foreign keys among them, and forgetting it drops them.

-- What preparation made of one content under one set of rules. `after_release`: the newest release there was then.
CREATE TABLE kprep.document_versions (
    kb text NOT NULL,
    version_id text NOT NULL,
    document_id text NOT NULL,
    content_fingerprint text NOT NULL,
    content_hash text NOT NULL,
    media_type text NOT NULL,
    parser text NOT NULL,
    title text NOT NULL,
    language text NOT NULL,
    front_matter jsonb NOT NULL,
    anchors text[] NOT NULL,
    units jsonb NOT NULL,
    removals jsonb NOT NULL,
    redactions jsonb NOT NULL,
    stages jsonb NOT NULL,
    boilerplate text[] NOT NULL,
    removed_share real NOT NULL,
    coverage real,
    after_release integer NOT NULL,
    PRIMARY KEY (kb, version_id)
) PARTITION BY LIST (kb);
CREATE INDEX document_versions_after ON kprep.document_versions (kb, after_release);
CREATE INDEX document_versions_boilerplate ON kprep.document_versions (kb) WHERE boilerplate <> '{}';
CREATE INDEX document_versions_content ON kprep.document_versions (content_hash);
CREATE INDEX document_versions_fingerprint ON kprep.document_versions (kb, content_fingerprint);

-- Immutable: what is cited, and what is embedded and indexed. Ids are content-addressed within the document.
CREATE SEQUENCE kprep.chunk_numbers;
CREATE TABLE kprep.chunks (
    kb text NOT NULL,
    chunk_id text NOT NULL,
    chunk_no bigint NOT NULL DEFAULT nextval('kprep.chunk_numbers'),
    document_id text NOT NULL,
    key text NOT NULL,
    kind text NOT NULL,
    text text NOT NULL,
    index_text text NOT NULL,
    heading_path text[] NOT NULL,
    title text NOT NULL,
    keywords text[] NOT NULL,
    entities jsonb NOT NULL,
    fragment text NOT NULL,
    fragment_confidence real NOT NULL,
    signals jsonb NOT NULL,
    language text NOT NULL,
    content_hash text NOT NULL,
    tokens integer NOT NULL,
    PRIMARY KEY (kb, chunk_id)
) PARTITION BY LIST (kb);
CREATE UNIQUE INDEX chunks_no ON kprep.chunks (kb, chunk_no);
CREATE INDEX chunks_content ON kprep.chunks (content_hash);
CREATE INDEX chunks_text ON kprep.chunks USING hash (md5(text));

CREATE TABLE kprep.parents (
    kb text NOT NULL,
    parent_id text NOT NULL,
    document_id text NOT NULL,
    key text NOT NULL,
    heading_path text[] NOT NULL,
    text text NOT NULL,
    summary text NOT NULL,
    PRIMARY KEY (kb, parent_id)
) PARTITION BY LIST (kb);

-- Where the chunks of a document version stand, in reading order.
CREATE TABLE kprep.version_chunks (
    kb text NOT NULL,
    version_id text NOT NULL,
    ordinal integer NOT NULL,
    chunk_id text NOT NULL,
    parent_id text NOT NULL,
    locator jsonb NOT NULL,
    span int4range NOT NULL,
    links jsonb NOT NULL,
    PRIMARY KEY (kb, version_id, ordinal)
) PARTITION BY LIST (kb);
CREATE INDEX version_chunks_chunk ON kprep.version_chunks (kb, chunk_id);
CREATE INDEX version_chunks_parent ON kprep.version_chunks (kb, parent_id);

-- Where the restricted zone keeps what earlier stages made of one content, and with which rules (room -> fingerprint).
-- Hashes only. `parse`: what shaped the parsing; `format`: of the kept object.
CREATE TABLE kprep.kept_stages (
    kb text NOT NULL REFERENCES kprep.knowledge_bases,
    content_hash text NOT NULL,
    parse text NOT NULL,
    format text NOT NULL,
    stages jsonb NOT NULL,
    address text NOT NULL,
    PRIMARY KEY (kb, content_hash, parse)
);

-- Keyed hashes of the blocks at the edges of one content that are boilerplate if its source repeats them. `made_by`: what
-- shapes them, parsing among it.
CREATE TABLE kprep.edge_blocks (
    kb text NOT NULL REFERENCES kprep.knowledge_bases,
    content_hash text NOT NULL,
    made_by text NOT NULL,
    blocks text[] NOT NULL,
    PRIMARY KEY (kb, content_hash, made_by)
);

-- How many listed documents of a source and media type hold each edge block, and ('') how many have edge blocks recorded,
-- none among it. Kept by triggers, so that a run pays for the documents it changes and not for those there are.
CREATE TABLE kprep.edge_counts (
    kb text NOT NULL REFERENCES kprep.knowledge_bases,
    block text NOT NULL,
    source text NOT NULL,
    media_type text NOT NULL,
    made_by text NOT NULL,
    documents bigint NOT NULL,
    PRIMARY KEY (kb, block, source, media_type, made_by)
);
CREATE INDEX edge_counts_documents ON kprep.edge_counts (kb, source, documents);

-- What a document version refers to. `ordinal`: of the chunk that says so, NULL for the document as a whole. `targets`: as
-- extracted; `uris`: what they mean seen from the document, best first, and `documents` the ids of those; `title`: of a
-- document that is named by its title. `target_revision`: content hash of the target when it was first found; where the
-- target is now, and in which state, is looked up in the release that is read.
CREATE TABLE kprep.relations (
    kb text NOT NULL,
    version_id text NOT NULL,
    number integer NOT NULL,
    ordinal integer,
    kind text NOT NULL,
    written text NOT NULL,
    targets text[] NOT NULL,
    title text NOT NULL,
    uris text[] NOT NULL,
    anchor text NOT NULL,
    documents text[] NOT NULL,
    target_revision text,
    PRIMARY KEY (kb, version_id, number)
) PARTITION BY LIST (kb);
CREATE INDEX relations_documents ON kprep.relations USING gin (documents) WITH (fastupdate = off);
CREATE INDEX relations_title ON kprep.relations (kb, lower(title)) WHERE title <> '';

-- Every id a renamed document had, with each one it has had since, so that what names an old one leads there in one hop.
CREATE TABLE kprep.renames (
    kb text NOT NULL REFERENCES kprep.knowledge_bases,
    old_document text NOT NULL,
    new_document text NOT NULL,
    PRIMARY KEY (kb, old_document, new_document)
);
CREATE INDEX renames_new ON kprep.renames (kb, new_document);

-- The current failure of a document; gone when it succeeds or leaves the source.
CREATE TABLE kprep.failures (
    kb text NOT NULL REFERENCES kprep.knowledge_bases,
    document_id text NOT NULL,
    source text NOT NULL,
    uri text NOT NULL,
    stage text NOT NULL,
    reason text NOT NULL,
    detail text NOT NULL,
    context jsonb NOT NULL,
    retryable boolean NOT NULL,
    content_fingerprint text NOT NULL,
    run_id text NOT NULL,
    failed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (kb, document_id)
);

CREATE TABLE kprep.releases (
    kb text NOT NULL REFERENCES kprep.knowledge_bases,
    release integer NOT NULL,
    base_release integer NOT NULL,
    status text NOT NULL CHECK (status IN ('candidate', 'published', 'blocked', 'rejected', 'abandoned', 'retired')),
    run_id text NOT NULL,
    configuration jsonb NOT NULL,
    statistics jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    published_at timestamptz,
    PRIMARY KEY (kb, release)
);

CREATE TABLE kprep.channels (
    kb text NOT NULL REFERENCES kprep.knowledge_bases,
    name text NOT NULL,
    release integer NOT NULL,
    moved_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (kb, name),
    FOREIGN KEY (kb, release) REFERENCES kprep.releases
);

-- In which releases a document is, with which version and metadata: from_release <= r < to_release.
CREATE TABLE kprep.release_documents (
    kb text NOT NULL,
    document_id text NOT NULL,
    from_release integer NOT NULL,
    to_release integer,
    version_id text NOT NULL,
    source text NOT NULL,
    uri text NOT NULL,
    title text NOT NULL,
    content_fingerprint text NOT NULL,
    metadata_fingerprint text NOT NULL,
    metadata jsonb NOT NULL,
    PRIMARY KEY (kb, document_id, from_release),
    CHECK (to_release > from_release)
) PARTITION BY LIST (kb);
CREATE INDEX release_documents_uri ON kprep.release_documents (kb, uri);
CREATE INDEX release_documents_version ON kprep.release_documents (kb, version_id);
CREATE INDEX release_documents_title ON kprep.release_documents (kb, lower(title));
CREATE INDEX release_documents_related ON kprep.release_documents (kb)
    WHERE metadata ? 'supersedes' OR metadata ? 'superseded_by';
CREATE INDEX release_documents_casual ON kprep.release_documents (kb)
    WHERE metadata ->> 'store' IN ('candidate', 'rejected') OR metadata ? 'confirmed_by' OR metadata ? 'rule_confirms';
CREATE INDEX release_documents_narrowest ON kprep.release_documents (kb) WHERE metadata ? 'narrowest';
CREATE INDEX release_documents_open ON kprep.release_documents (kb, from_release) WHERE to_release IS NULL;
CREATE INDEX release_documents_closed ON kprep.release_documents (kb, to_release) WHERE to_release IS NOT NULL;

-- In which releases a chunk is visible, where it stands, and what reads filter by. A section's own permissions come
-- on top of the document's.
CREATE TABLE kprep.release_members (
    kb text NOT NULL,
    chunk_id text NOT NULL,
    from_release integer NOT NULL,
    to_release integer,
    chunk_no bigint NOT NULL,
    document_id text NOT NULL,
    parent_id text NOT NULL,
    ordinal integer NOT NULL,
    content_hash text NOT NULL,
    locator jsonb NOT NULL,
    tenant text NOT NULL,
    acl text[] NOT NULL,
    section_acl text[],
    sensitivity text NOT NULL,
    source text NOT NULL,
    doc_type text NOT NULL,
    store text NOT NULL CHECK (store IN ('formal', 'candidate', 'rejected')),
    language text NOT NULL,
    valid_from date,
    valid_until date,
    updated_at timestamptz,
    PRIMARY KEY (kb, chunk_id, from_release),
    CHECK (to_release > from_release)
) PARTITION BY LIST (kb);
CREATE INDEX release_members_no ON kprep.release_members (kb, chunk_no);
CREATE INDEX release_members_document ON kprep.release_members (kb, document_id, from_release);
CREATE INDEX release_members_closed ON kprep.release_members (kb, to_release) WHERE to_release IS NOT NULL;
CREATE INDEX release_members_until ON kprep.release_members (kb, valid_until) WHERE valid_until IS NOT NULL;
CREATE INDEX release_members_opened ON kprep.release_members (kb, from_release);
CREATE INDEX release_members_content ON kprep.release_members (kb, content_hash);
-- Without a pending list: every query would read through it until the next vacuum.
CREATE INDEX release_members_acl ON kprep.release_members USING gin (acl) WITH (fastupdate = off);

-- What a person said of a document of the candidate store; holds for this content only. Without a row it waits.
CREATE TABLE kprep.candidate_decisions (
    kb text NOT NULL REFERENCES kprep.knowledge_bases,
    document_id text NOT NULL,
    content_hash text NOT NULL,
    decision text NOT NULL CHECK (decision IN ('confirmed', 'rejected')),
    made_by text NOT NULL,
    note text NOT NULL DEFAULT '',
    made_at timestamptz NOT NULL DEFAULT now(),
    after_release integer NOT NULL,
    PRIMARY KEY (kb, document_id)
);

CREATE TABLE kprep.views (
    kb text NOT NULL,
    release integer NOT NULL,
    name text NOT NULL,
    definition jsonb NOT NULL,
    PRIMARY KEY (kb, release, name),
    FOREIGN KEY (kb, release) REFERENCES kprep.releases
);

CREATE TABLE kprep.gate_reports (
    kb text NOT NULL,
    release integer NOT NULL,
    status text NOT NULL,
    report jsonb NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (kb, release),
    FOREIGN KEY (kb, release) REFERENCES kprep.releases
);

-- What operators decided; rows are only ever added. `content`: hash of what a candidate changes against its base.
CREATE TABLE kprep.decisions (
    decision_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kb text NOT NULL REFERENCES kprep.knowledge_bases,
    kind text NOT NULL CHECK (kind IN ('approve', 'reject', 'retry', 'exclude', 'include', 'accept')),
    release integer NOT NULL,
    document_id text NOT NULL,
    uri text NOT NULL,
    content text NOT NULL,
    reason text NOT NULL CHECK (reason <> ''),
    made_by text NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX decisions_content ON kprep.decisions (kb, content) WHERE content <> '';
CREATE INDEX decisions_document ON kprep.decisions (kb, document_id, decision_id) WHERE document_id <> '';

-- The overlay: what no read may show, whatever the release says. An `expired` one acts by itself from `since` on;
-- the others act at once, whatever the clock says later.
CREATE TABLE kprep.suppressions (
    suppression_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kb text NOT NULL REFERENCES kprep.knowledge_bases,
    document_id text NOT NULL,
    chunk_id text,
    reason text NOT NULL CHECK (reason IN ('source_deleted', 'expired', 'second_scan', 'legal', 'operator')),
    made_by text NOT NULL,
    note text NOT NULL DEFAULT '',
    since timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    ended_by text
);
CREATE UNIQUE INDEX suppressions_active ON kprep.suppressions (kb, document_id, reason, coalesce(chunk_id, ''))
    WHERE ended_at IS NULL;

-- The overlay's other half: permissions narrowed at the source since the live release. `closed_by` 0: of the document in
-- every release; else of those rows of it only that had ended with that release (its sections were narrowed in it).
CREATE TABLE kprep.narrowed_acls (
    kb text NOT NULL REFERENCES kprep.knowledge_bases,
    document_id text NOT NULL,
    closed_by integer NOT NULL DEFAULT 0,
    acl text[] NOT NULL,
    since timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (kb, document_id, closed_by)
);

-- Groups: what a principal is a member of, resolved when somebody reads.
CREATE TABLE kprep.principals (
    tenant text NOT NULL,
    principal text NOT NULL,
    member_of text[] NOT NULL,
    PRIMARY KEY (tenant, principal)
);

-- A space names all that shapes a vector: model, revision, dimensions, prefix, normalisation.
CREATE TABLE kprep.spaces (
    space_id smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    space text NOT NULL UNIQUE
);

-- Vectors by space and hash of the exact text: one text has one vector, whatever chunk, document or release it is in.
CREATE TABLE kprep.embeddings (
    space_id smallint NOT NULL REFERENCES kprep.spaces,
    content_hash text NOT NULL,
    embedding vector NOT NULL,
    PRIMARY KEY (space_id, content_hash)
);
-- For the exact search, which looks up each visible chunk's vector: a fifth less work than by the primary key.
CREATE INDEX embeddings_content ON kprep.embeddings USING hash (content_hash);

-- Lexical index: per term and segment of 65,536 chunk numbers, three parallel arrays of unsigned 16-bit integers in
-- little-endian bytes: chunk number within the segment, weighted frequency, chunk length.
CREATE TABLE kprep.postings (
    kb text NOT NULL,
    lexicon text NOT NULL,
    term text NOT NULL,
    segment integer NOT NULL,
    offsets bytea STORAGE EXTERNAL NOT NULL,
    frequencies bytea STORAGE EXTERNAL NOT NULL,
    lengths bytea STORAGE EXTERNAL NOT NULL,
    PRIMARY KEY (kb, lexicon, term, segment)
) PARTITION BY LIST (kb);
CREATE TABLE kprep.lexical_chunks (
    kb text NOT NULL,
    lexicon text NOT NULL,
    chunk_no bigint NOT NULL,
    length integer NOT NULL,
    retired boolean NOT NULL DEFAULT false,
    PRIMARY KEY (kb, lexicon, chunk_no)
) PARTITION BY LIST (kb);
CREATE INDEX lexical_chunks_retired ON kprep.lexical_chunks (kb, lexicon) WHERE retired;

CREATE TABLE kprep.runs (
    run_id text PRIMARY KEY,
    number bigint GENERATED ALWAYS AS IDENTITY,
    kb text NOT NULL REFERENCES kprep.knowledge_bases,
    status text NOT NULL,
    stage text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    heartbeat_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    summary jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX runs_kb ON kprep.runs (kb, number DESC);

-- Who may write a knowledge base. Each taking raises the fence; a writer whose fence is not the current one is refused.
CREATE TABLE kprep.leases (
    kb text PRIMARY KEY REFERENCES kprep.knowledge_bases,
    fence bigint NOT NULL,
    holder text NOT NULL,
    taken_at timestamptz NOT NULL
);

-- What one run has to do; batches of it are tasks. Ids and addresses only, never text.
CREATE TABLE kprep.run_documents (
    run_id text NOT NULL REFERENCES kprep.runs ON DELETE CASCADE,
    document_id text NOT NULL,
    batch integer NOT NULL,
    work jsonb NOT NULL,
    state text NOT NULL DEFAULT 'planned' CHECK (state IN ('planned', 'ready', 'failed')),
    version_id text,
    PRIMARY KEY (run_id, document_id)
);

-- The principals with all groups they are in, directly or through other groups, and `public`. Cycles end by themselves.
CREATE FUNCTION kprep.expand_principals(wanted_tenant text, given text[]) RETURNS text[] LANGUAGE sql STABLE AS $$
    WITH RECURSIVE reached(principal) AS (
        SELECT unnest(given || ARRAY['public'])
        UNION
        SELECT unnest(p.member_of) FROM reached AS r
        JOIN kprep.principals AS p ON p.tenant = wanted_tenant AND p.principal = r.principal
    )
    SELECT array_agg(principal ORDER BY principal) FROM reached
$$;

-- Every read of the application goes through here: release, permissions, validity, overlay and store in one place.
-- `principals` are expanded already (`kprep.expand_principals`); forgetting that shows less, never more. What is not
-- confirmed is in store `candidate` and shown only to who asks for it.
CREATE FUNCTION kprep.visible_members(
    wanted_kb text, wanted_release integer, principals text[], as_of date, stores text[] DEFAULT ARRAY['formal']
) RETURNS SETOF kprep.release_members LANGUAGE sql STABLE AS $$
    SELECT m.*
    FROM kprep.release_members AS m
    WHERE m.kb = wanted_kb
      AND m.from_release <= wanted_release
      AND (m.to_release IS NULL OR m.to_release > wanted_release)
      AND m.store = ANY(stores)
      AND m.acl && (principals || ARRAY['public'])
      AND (m.section_acl IS NULL OR m.section_acl && (principals || ARRAY['public']))
      AND (m.valid_from IS NULL OR m.valid_from <= as_of)
      AND (m.valid_until IS NULL OR m.valid_until > as_of)
      AND NOT EXISTS (
          SELECT FROM kprep.suppressions AS s
          WHERE s.kb = m.kb AND s.document_id = m.document_id AND s.ended_at IS NULL AND (s.since <= now() OR s.reason <> 'expired')
            AND (s.chunk_id IS NULL OR s.chunk_id = m.chunk_id))
      AND NOT EXISTS (
          SELECT FROM kprep.narrowed_acls AS n
          WHERE n.kb = m.kb AND n.document_id = m.document_id
            AND (n.closed_by = 0 OR m.to_release <= n.closed_by)
            AND NOT n.acl && (principals || ARRAY['public']))
$$;

-- The document of a release that a relation leads to, NULL when there is none: the first of the documents that the
-- release has under this id or one it was renamed to, else the one with the title.
CREATE FUNCTION kprep.target_of(wanted_kb text, wanted_release integer, documents text[], wanted_title text)
RETURNS text LANGUAGE sql STABLE AS $$
    SELECT coalesce(
        (SELECT d.document_id
         FROM unnest(documents) WITH ORDINALITY AS w(id, at)
         CROSS JOIN LATERAL (
             SELECT w.id AS id, 0 AS hops
             UNION ALL SELECT n.new_document, 1 FROM kprep.renames AS n WHERE n.kb = wanted_kb AND n.old_document = w.id) AS c
         JOIN kprep.release_documents AS d ON d.kb = wanted_kb AND d.document_id = c.id
             AND d.from_release <= wanted_release AND (d.to_release IS NULL OR d.to_release > wanted_release)
         ORDER BY w.at, c.hops, d.uri LIMIT 1),
        (SELECT d.document_id FROM kprep.release_documents AS d
         WHERE wanted_title <> '' AND d.kb = wanted_kb AND lower(d.title) = lower(wanted_title)
             AND d.from_release <= wanted_release AND (d.to_release IS NULL OR d.to_release > wanted_release)
         ORDER BY d.uri LIMIT 1))
$$;

-- How a reader stands to a document: 'visible'; 'revoked' when permitted, but withdrawn or out of validity; else ''.
CREATE FUNCTION kprep.standing(
    wanted_kb text, wanted_release integer, principals text[], as_of date, stores text[], wanted_document text
) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN wanted_document IS NULL THEN ''
        WHEN EXISTS (SELECT FROM kprep.visible_members(wanted_kb, wanted_release, principals, as_of, stores) AS v
            WHERE v.document_id = wanted_document) THEN 'visible'
        WHEN EXISTS (SELECT FROM kprep.release_members AS m
            WHERE m.kb = wanted_kb AND m.document_id = wanted_document
              AND m.from_release <= wanted_release AND (m.to_release IS NULL OR m.to_release > wanted_release)
              AND m.store = ANY(stores)
              AND m.acl && (principals || ARRAY['public'])
              AND (m.section_acl IS NULL OR m.section_acl && (principals || ARRAY['public']))
              AND NOT EXISTS (
                  SELECT FROM kprep.narrowed_acls AS n
                  WHERE n.kb = m.kb AND n.document_id = m.document_id
                    AND (n.closed_by = 0 OR m.to_release <= n.closed_by)
                    AND NOT n.acl && (principals || ARRAY['public']))) THEN 'revoked'
        ELSE '' END
$$;

-- A document's metadata as one of its chunks has it: what a rule estimates gives way to what the source or the document
-- states, and that to what the chunk's own entry states.
CREATE FUNCTION kprep.inherited(signals jsonb, metadata jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(signals -> 'rule', '{}') || metadata || coalesce(signals -> 'entry', '{}')
$$;

-- A citation a person can follow, as `retrieval.reader.citation` writes it.
CREATE FUNCTION kprep.citation(uri text, locator jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN locator ? 'time' THEN uri || ', ' || to_char(make_interval(secs => floor((locator -> 'time' ->> 0)::numeric)), 'FMHH24:MI:SS')
            || '-' || to_char(make_interval(secs => floor((locator -> 'time' ->> 1)::numeric)), 'FMHH24:MI:SS')
        WHEN locator ? 'message_end' THEN uri || ', messages ' || (locator ->> 'message') || '-' || (locator ->> 'message_end')
        WHEN locator ? 'message' THEN uri || ', message ' || (locator ->> 'message')
        WHEN locator ? 'page_end' THEN uri || ', pages ' || (locator ->> 'page') || '-' || (locator ->> 'page_end')
        WHEN locator ? 'page' THEN uri || ', page ' || (locator ->> 'page')
        WHEN locator ? 'anchor' THEN uri || '#' || (locator ->> 'anchor')
        WHEN locator ? 'line' AND locator -> 'line' -> 0 = locator -> 'line' -> 1 THEN uri || ', line ' || (locator -> 'line' ->> 0)
        WHEN locator ? 'line' THEN uri || ', lines ' || (locator -> 'line' ->> 0) || '-' || (locator -> 'line' ->> 1)
        ELSE uri
    END
$$;

-- Readers over SQL. They select from schema `published` only; its views belong to `kprep_views`, for whom row-level
-- security holds. The session says who reads, per transaction: `kprep.tenant`, and `kprep.principals` (comma-separated).
-- Without either nothing is shown.
CREATE FUNCTION kprep.session_principals() RETURNS text[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog
AS $$
    SELECT CASE WHEN coalesce(current_setting('kprep.tenant', true), '') = ''
                  OR coalesce(current_setting('kprep.principals', true), '') = '' THEN ARRAY[]::text[]
        ELSE kprep.expand_principals(current_setting('kprep.tenant'), string_to_array(current_setting('kprep.principals'), ','))
    END
$$;

-- First wall: what published views read. The live release as the session's principals, valid today, without what the
-- overlay hides; the conditions of `kprep.visible_members`.
CREATE VIEW kprep.session_members WITH (security_barrier) AS
    SELECT m.*, live.release AS live_release
    FROM kprep.channels AS live
    JOIN kprep.release_members AS m ON m.kb = live.kb AND m.from_release <= live.release
        AND (m.to_release IS NULL OR m.to_release > live.release)
    WHERE live.name = 'live'
      AND m.tenant = current_setting('kprep.tenant', true)
      AND m.acl && (SELECT kprep.session_principals())
      AND (m.section_acl IS NULL OR m.section_acl && (SELECT kprep.session_principals()))
      AND (m.valid_from IS NULL OR m.valid_from <= current_date)
      AND (m.valid_until IS NULL OR m.valid_until > current_date)
      AND NOT EXISTS (
          SELECT FROM kprep.suppressions AS s
          WHERE s.kb = m.kb AND s.document_id = m.document_id AND s.ended_at IS NULL AND (s.since <= now() OR s.reason <> 'expired')
            AND (s.chunk_id IS NULL OR s.chunk_id = m.chunk_id))
      AND NOT EXISTS (
          SELECT FROM kprep.narrowed_acls AS n
          WHERE n.kb = m.kb AND n.document_id = m.document_id
            AND (n.closed_by = 0 OR m.to_release <= n.closed_by)
            AND NOT n.acl && (SELECT kprep.session_principals()));

-- Second wall: whatever a view selects, these rows are all there is. The application connects as the tables' owner, for
-- whom policies do not hold, and goes through `kprep.visible_members`.
ALTER TABLE kprep.release_members ENABLE ROW LEVEL SECURITY;
CREATE POLICY readers ON kprep.release_members FOR SELECT USING (
    tenant = current_setting('kprep.tenant', true)
    AND acl && (SELECT kprep.session_principals())
    AND (section_acl IS NULL OR section_acl && (SELECT kprep.session_principals()))
    AND NOT EXISTS (
        SELECT FROM kprep.suppressions AS s
        WHERE s.kb = release_members.kb AND s.document_id = release_members.document_id AND s.ended_at IS NULL AND (s.since <= now() OR s.reason <> 'expired')
          AND (s.chunk_id IS NULL OR s.chunk_id = release_members.chunk_id))
    AND NOT EXISTS (
        SELECT FROM kprep.narrowed_acls AS n
        WHERE n.kb = release_members.kb AND n.document_id = release_members.document_id
          AND (n.closed_by = 0 OR release_members.to_release <= n.closed_by)
          AND NOT n.acl && (SELECT kprep.session_principals())));
ALTER TABLE kprep.chunks ENABLE ROW LEVEL SECURITY;
CREATE POLICY readers ON kprep.chunks FOR SELECT USING (EXISTS (
    SELECT FROM kprep.release_members AS m WHERE m.kb = chunks.kb AND m.chunk_id = chunks.chunk_id));
ALTER TABLE kprep.release_documents ENABLE ROW LEVEL SECURITY;
CREATE POLICY readers ON kprep.release_documents FOR SELECT USING (EXISTS (
    SELECT FROM kprep.release_members AS m
    WHERE m.kb = release_documents.kb AND m.document_id = release_documents.document_id));

-- Let a published view be read by readers, as `kprep_views`. Does nothing while the roles are not there.
CREATE FUNCTION kprep.hand_over(published_view regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regrole('kprep_views') IS NULL OR to_regrole('kprep_reader') IS NULL THEN
        RETURN;
    END IF;
    IF pg_has_role('kprep_views', 'MEMBER') THEN
        EXECUTE format('ALTER VIEW %s OWNER TO kprep_views', published_view);
        EXECUTE format('GRANT SELECT ON %s TO kprep_reader', published_view);
    END IF;
END $$;

-- Make the roles of readers and their rights; what is missing, or ''. May be called again, after an administrator helped.
CREATE FUNCTION kprep.set_up_readers() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    role text;
    published_view regclass;
BEGIN
    FOREACH role IN ARRAY ARRAY['kprep_views', 'kprep_reader'] LOOP
        IF to_regrole(role) IS NULL THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', role);
            EXCEPTION
                WHEN duplicate_object OR unique_violation THEN NULL;  -- another database of this server was faster
                WHEN insufficient_privilege THEN
                    RETURN format('role %s does not exist, and %s may not create it', role, current_user);
            END;
        END IF;
    END LOOP;
    IF NOT pg_has_role('kprep_views', 'MEMBER') THEN
        BEGIN
            EXECUTE format('GRANT kprep_views TO %I', current_user);
        EXCEPTION WHEN insufficient_privilege THEN
            RETURN format('%s is not a member of role kprep_views', current_user);
        END;
    END IF;
    GRANT SELECT ON kprep.channels, kprep.release_members, kprep.chunks, kprep.release_documents, kprep.suppressions,
        kprep.narrowed_acls TO kprep_views;
    GRANT USAGE ON SCHEMA published TO kprep_reader;
    GRANT CREATE ON SCHEMA published, kprep TO kprep_views;
    ALTER VIEW kprep.session_members OWNER TO kprep_views;
    FOR published_view IN SELECT oid::regclass FROM pg_class WHERE relnamespace = 'published'::regnamespace AND relkind = 'v'
    LOOP
        PERFORM kprep.hand_over(published_view);
    END LOOP;
    REVOKE CREATE ON SCHEMA kprep FROM kprep_views;
    RETURN '';
END $$;

DO $$
DECLARE
    missing text := kprep.set_up_readers();
BEGIN
    IF missing <> '' THEN
        RAISE NOTICE 'no reading over SQL yet: %', missing;
    END IF;
END $$;

-- A knowledge base's own tables. Attached, not created in place: that locks out no reader or writer of the others.
CREATE FUNCTION kprep.add_partitions(wanted_kb text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    part text := (SELECT kb_no FROM kprep.knowledge_bases WHERE kb = wanted_kb);
    names text[] := ARRAY['document_versions', 'chunks', 'parents', 'version_chunks', 'release_documents', 'release_members',
        'postings', 'lexical_chunks', 'relations'];
    name text;
BEGIN
    FOREACH name IN ARRAY names LOOP
        EXECUTE format('CREATE TABLE kprep.%1$s_%2$s (LIKE kprep.%1$s INCLUDING ALL)', name, part);
    END LOOP;
    EXECUTE format('ALTER TABLE kprep.version_chunks_%1$s
        ADD FOREIGN KEY (kb, version_id) REFERENCES kprep.document_versions_%1$s ON DELETE CASCADE,
        ADD FOREIGN KEY (kb, chunk_id) REFERENCES kprep.chunks_%1$s,
        ADD FOREIGN KEY (kb, parent_id) REFERENCES kprep.parents_%1$s', part);
    EXECUTE format('ALTER TABLE kprep.relations_%1$s
        ADD FOREIGN KEY (kb, version_id) REFERENCES kprep.document_versions_%1$s ON DELETE CASCADE', part);
    EXECUTE format('ALTER TABLE kprep.release_documents_%1$s
        ADD FOREIGN KEY (kb, version_id) REFERENCES kprep.document_versions_%1$s', part);
    EXECUTE format('ALTER TABLE kprep.release_members_%1$s
        ADD FOREIGN KEY (kb, chunk_id) REFERENCES kprep.chunks_%1$s', part);
    FOREACH name IN ARRAY names LOOP
        EXECUTE format('ALTER TABLE kprep.%1$s ATTACH PARTITION kprep.%1$s_%2$s FOR VALUES IN (%3$L)', name, part, wanted_kb);
    END LOOP;
END $$;

-- Add to the numbers of documents by edge block. In order: several threads do so.
CREATE FUNCTION kprep.count_edges(changes kprep.edge_counts[]) RETURNS void LANGUAGE sql AS $$
    INSERT INTO kprep.edge_counts AS c (kb, block, source, media_type, made_by, documents)
    SELECT kb, block, source, media_type, made_by, sum(documents) FROM unnest(changes)
    GROUP BY kb, block, source, media_type, made_by HAVING sum(documents) <> 0
    ORDER BY kb, block, source, media_type, made_by
    ON CONFLICT (kb, block, source, media_type, made_by) DO UPDATE SET documents = c.documents + excluded.documents;
    DELETE FROM kprep.edge_counts c USING unnest(changes) AS g
    WHERE (c.kb, c.block, c.source, c.media_type, c.made_by) = (g.kb, g.block, g.source, g.media_type, g.made_by)
        AND c.documents = 0;
$$;

-- By statement, as one may change every document, and all of them are counted in one row.
CREATE FUNCTION kprep.count_documents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM kprep.count_edges(array_agg(CAST(ROW(d.kb, b.block, d.source, d.media_type, e.made_by, CAST(TG_ARGV[0] AS bigint))
        AS kprep.edge_counts)))
    FROM changed d JOIN kprep.edge_blocks e ON e.kb = d.kb AND e.content_hash = d.content_hash
    CROSS JOIN LATERAL unnest(e.blocks || CAST('' AS text)) AS b(block) WHERE d.listed;
    RETURN NULL;
END $$;
CREATE TRIGGER count_1_inserted AFTER INSERT ON kprep.documents REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kprep.count_documents('1');
CREATE TRIGGER count_2_new AFTER UPDATE ON kprep.documents REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kprep.count_documents('1');
CREATE TRIGGER count_3_old AFTER UPDATE ON kprep.documents REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kprep.count_documents('-1');
CREATE TRIGGER count_4_deleted AFTER DELETE ON kprep.documents REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kprep.count_documents('-1');

CREATE FUNCTION kprep.count_blocks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM kprep.count_edges(array_agg(CAST(ROW(d.kb, b.block, d.source, d.media_type, e.made_by, CAST(TG_ARGV[0] AS bigint))
        AS kprep.edge_counts)))
    FROM changed e JOIN kprep.documents d ON d.kb = e.kb AND d.content_hash = e.content_hash AND d.listed
    CROSS JOIN LATERAL unnest(e.blocks || CAST('' AS text)) AS b(block);
    RETURN NULL;
END $$;
CREATE TRIGGER count_1_inserted AFTER INSERT ON kprep.edge_blocks REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kprep.count_blocks('1');
CREATE TRIGGER count_2_new AFTER UPDATE ON kprep.edge_blocks REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kprep.count_blocks('1');
CREATE TRIGGER count_3_old AFTER UPDATE ON kprep.edge_blocks REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kprep.count_blocks('-1');
CREATE TRIGGER count_4_deleted AFTER DELETE ON kprep.edge_blocks REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION kprep.count_blocks('-1');

-- Of each document that holds some (of `ids`, NULL: of all), the edge blocks that its source repeats: those that stand in at
-- least `least_documents` and in `least_share` of the source's documents that came through. `identities`: media type ->
-- `made_by`; `news`: documents as they are to be listed; `without`: ids of listed ones that do not count, those in `news`
-- among them; `ended`: source -> time of change up to which a document is over.
-- Costs what `news`, `without` and `ended` hold, and reads documents only of sources that repeat something.
CREATE FUNCTION kprep.repeated_blocks(
    wanted_kb text, identities jsonb, news jsonb, without text[], ended jsonb, least_documents integer, least_share float8,
    ids text[]
) RETURNS TABLE (document_id text, blocks text[]) LANGUAGE sql STABLE AS $$
    WITH added AS MATERIALIZED (
        SELECT n.document_id, n.source, n.content_hash, n.media_type FROM jsonb_to_recordset(news)
            AS n(document_id text, source text, content_hash text, media_type text, modified_at timestamptz)
        WHERE coalesce(n.modified_at > CAST(ended ->> n.source AS timestamptz), true)
    ), moved AS MATERIALIZED (  -- what counts otherwise than it was counted
        SELECT a.source, a.content_hash, a.media_type, 1 AS sign FROM added a
        UNION ALL
        SELECT d.source, d.content_hash, d.media_type, -1 FROM kprep.documents d
        WHERE d.kb = wanted_kb AND d.listed AND d.document_id = ANY(without)
        UNION ALL
        SELECT d.source, d.content_hash, d.media_type, -1 FROM jsonb_each_text(ended) AS l(source, until)
        CROSS JOIN LATERAL (SELECT * FROM kprep.documents o WHERE o.kb = wanted_kb AND o.listed AND o.source = l.source
            AND o.modified_at <= CAST(l.until AS timestamptz) OFFSET 0) AS d
        WHERE NOT EXISTS (SELECT FROM unnest(without) AS w WHERE w = d.document_id)
    ), moved_blocks AS MATERIALIZED (
        SELECT m.source, b.block, sum(m.sign) AS documents, count(*) FILTER (WHERE m.sign > 0) AS more FROM moved m
        CROSS JOIN LATERAL (SELECT o.blocks FROM kprep.edge_blocks o WHERE o.kb = wanted_kb
            AND o.content_hash = m.content_hash AND o.made_by = identities ->> m.media_type OFFSET 0) AS e
        CROSS JOIN LATERAL unnest(e.blocks || CAST('' AS text)) AS b(block)
        GROUP BY m.source, b.block
    ), sources AS MATERIALIZED (
        SELECT source, sum(kinds) AS kinds, sum(more) AS more,
            greatest(least_documents, least_share * sum(documents)) AS least
        FROM (SELECT c.source, count(*) AS kinds, sum(c.documents) AS documents, 0 AS more FROM kprep.edge_counts c
            WHERE c.kb = wanted_kb AND c.block = '' AND c.made_by = identities ->> c.media_type GROUP BY c.source
            UNION ALL SELECT source, 0, documents, more FROM moved_blocks WHERE block = '') AS counted
        GROUP BY source
    ), candidates AS MATERIALIZED (  -- what is held often enough by all kinds is held by one in proportion, or is new
        SELECT s.source, c.block FROM sources s
        CROSS JOIN LATERAL (SELECT o.block FROM kprep.edge_counts o WHERE o.kb = wanted_kb AND o.source = s.source
            AND o.documents >= CAST(ceil((s.least - s.more) / nullif(s.kinds, 0)) AS bigint) OFFSET 0) AS c
        UNION SELECT source, block FROM moved_blocks WHERE more > 0
    ), learnt AS MATERIALIZED (
        SELECT a.source, a.block FROM candidates a JOIN sources s ON s.source = a.source
        LEFT JOIN moved_blocks m ON m.source = a.source AND m.block = a.block
        CROSS JOIN LATERAL (SELECT coalesce(sum(c.documents), 0) AS documents FROM kprep.edge_counts c
            WHERE c.kb = wanted_kb AND c.block = a.block AND c.source = a.source AND c.made_by = identities ->> c.media_type) AS c
        WHERE a.block <> '' AND c.documents + coalesce(m.documents, 0) >= s.least
    ), standing AS (
        SELECT d.document_id, d.source, d.content_hash, d.media_type FROM (SELECT DISTINCT source FROM learnt) AS l
        CROSS JOIN LATERAL (SELECT * FROM kprep.documents o WHERE ids IS NULL AND o.kb = wanted_kb AND o.source = l.source
            UNION ALL SELECT * FROM kprep.documents o
            WHERE o.kb = wanted_kb AND o.document_id = ANY(ids) AND o.source = l.source OFFSET 0) AS d
        WHERE d.listed AND coalesce(d.modified_at > CAST(ended ->> d.source AS timestamptz), true)
            AND NOT EXISTS (SELECT FROM unnest(without) AS w WHERE w = d.document_id)
        UNION ALL
        SELECT a.document_id, a.source, a.content_hash, a.media_type FROM added a
        WHERE ids IS NULL OR a.document_id = ANY(ids)
    )
    SELECT s.document_id, array_agg(l.block ORDER BY l.block COLLATE "C") FROM standing s
    CROSS JOIN LATERAL (SELECT o.blocks FROM kprep.edge_blocks o WHERE o.kb = wanted_kb
        AND o.content_hash = s.content_hash AND o.made_by = identities ->> s.media_type OFFSET 0) AS e
    CROSS JOIN LATERAL unnest(e.blocks) AS b(block)
    JOIN learnt l ON l.source = s.source AND l.block = b.block
    GROUP BY s.document_id
$$;

-- Remove a knowledge base with all it holds. What other knowledge bases share (vectors, originals) is not touched here.
CREATE FUNCTION kprep.forget(unwanted_kb text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    part text := (SELECT kb_no FROM kprep.knowledge_bases WHERE kb = unwanted_kb);
    name text;
BEGIN
    DELETE FROM kprep.run_documents WHERE run_id IN (SELECT run_id FROM kprep.runs WHERE kb = unwanted_kb);
    FOREACH name IN ARRAY ARRAY['views', 'gate_reports', 'channels', 'releases', 'suppressions', 'narrowed_acls', 'failures',
        'kept_stages', 'edge_blocks', 'candidate_decisions', 'decisions', 'documents', 'edge_counts', 'folders', 'leases', 'runs', 'renames'] LOOP
        EXECUTE format('DELETE FROM kprep.%I WHERE kb = %L', name, unwanted_kb);
    END LOOP;
    FOREACH name IN ARRAY ARRAY['release_members', 'release_documents', 'version_chunks', 'relations', 'document_versions', 'chunks',
        'parents', 'postings', 'lexical_chunks'] LOOP
        EXECUTE format('DROP TABLE kprep.%s_%s', name, part);
    END LOOP;
    DELETE FROM kprep.knowledge_bases WHERE kb = unwanted_kb;
END $$;
