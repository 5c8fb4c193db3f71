CREATE SCHEMA IF NOT EXISTS kprep;
CREATE SCHEMA IF NOT EXISTS published;
CREATE EXTENSION IF NOT EXISTS vector;

CREATE TABLE kprep.knowledge_bases (
    kb text PRIMARY KEY,
    tenant text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

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
    PRIMARY KEY (kb, document_id)
);

-- What preparation made of one content under one set of rules.
CREATE TABLE kprep.document_versions (
    kb text NOT NULL REFERENCES kprep.knowledge_bases,
    version_id text NOT NULL,
    document_id text NOT NULL,
    content_fingerprint text NOT NULL,
    content_hash text NOT NULL,
    media_type text NOT NULL,
    parser text NOT NULL,
    title text NOT NULL,
    language text NOT NULL,
    front_matter jsonb NOT NULL,
    units jsonb NOT NULL,
    removals jsonb NOT NULL,
    redactions jsonb NOT NULL,
    stages jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (kb, version_id)
);
CREATE INDEX document_versions_fingerprint ON kprep.document_versions (kb, content_fingerprint);

-- Immutable: what is cited, and what is embedded and indexed. Ids are content-addressed within the document.
CREATE TABLE kprep.chunks (
    kb text NOT NULL REFERENCES kprep.knowledge_bases,
    chunk_id text NOT NULL,
    chunk_no bigint GENERATED ALWAYS AS IDENTITY,
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
    language text NOT NULL,
    content_hash text NOT NULL,
    tokens integer NOT NULL,
    PRIMARY KEY (kb, chunk_id)
);
CREATE UNIQUE INDEX chunks_no ON kprep.chunks (kb, chunk_no);
CREATE INDEX chunks_content ON kprep.chunks (content_hash);

CREATE TABLE kprep.parents (
    kb text NOT NULL REFERENCES kprep.knowledge_bases,
    parent_id text NOT NULL,
    document_id text NOT NULL,
    key text NOT NULL,
    heading_path text[] NOT NULL,
    text text NOT NULL,
    summary text NOT NULL,
    PRIMARY KEY (kb, parent_id)
);

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
    PRIMARY KEY (kb, version_id, ordinal),
    FOREIGN KEY (kb, version_id) REFERENCES kprep.document_versions ON DELETE CASCADE,
    FOREIGN KEY (kb, chunk_id) REFERENCES kprep.chunks,
    FOREIGN KEY (kb, parent_id) REFERENCES kprep.parents
);
CREATE INDEX version_chunks_chunk ON kprep.version_chunks (kb, chunk_id);
CREATE INDEX version_chunks_parent ON kprep.version_chunks (kb, parent_id);

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
    FOREIGN KEY (kb, version_id) REFERENCES kprep.document_versions,
    CHECK (to_release > from_release)
);
CREATE INDEX release_documents_uri ON kprep.release_documents (kb, uri);
CREATE INDEX release_documents_open ON kprep.release_documents (kb) WHERE to_release IS NULL;

-- In which releases a chunk is visible, where it stands, and what reads filter by.
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
    sensitivity text NOT NULL,
    source text NOT NULL,
    doc_type text NOT NULL,
    language text NOT NULL,
    valid_from date,
    valid_until date,
    updated_at timestamptz,
    PRIMARY KEY (kb, chunk_id, from_release),
    FOREIGN KEY (kb, chunk_id) REFERENCES kprep.chunks,
    CHECK (to_release > from_release)
);
CREATE INDEX release_members_no ON kprep.release_members (kb, chunk_no);
CREATE INDEX release_members_document ON kprep.release_members (kb, document_id, from_release);
CREATE INDEX release_members_closed ON kprep.release_members (kb, to_release) WHERE to_release IS NOT NULL;
CREATE INDEX release_members_opened ON kprep.release_members (kb, from_release);
CREATE INDEX release_members_content ON kprep.release_members (kb, content_hash);
CREATE INDEX release_members_acl ON kprep.release_members USING gin (acl);

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

-- The overlay: what no read may show, whatever the release says.
CREATE TABLE kprep.suppressions (
    suppression_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kb text NOT NULL REFERENCES kprep.knowledge_bases,
    document_id text NOT NULL,
    chunk_id text,
    reason text NOT NULL CHECK (reason IN ('source_deleted', 'legal', 'operator')),
    made_by text NOT NULL,
    since timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz
);
CREATE UNIQUE INDEX suppressions_active ON kprep.suppressions (kb, document_id, reason, coalesce(chunk_id, ''))
    WHERE ended_at IS NULL;

-- The overlay's other half: permissions narrowed at the source since the live release.
CREATE TABLE kprep.narrowed_acls (
    kb text NOT NULL REFERENCES kprep.knowledge_bases,
    document_id text NOT NULL,
    acl text[] NOT NULL,
    since timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (kb, document_id)
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
);
CREATE TABLE kprep.lexical_chunks (
    kb text NOT NULL,
    lexicon text NOT NULL,
    chunk_no bigint NOT NULL,
    length integer NOT NULL,
    retired boolean NOT NULL DEFAULT false,
    PRIMARY KEY (kb, lexicon, chunk_no)
);
CREATE INDEX lexical_chunks_retired ON kprep.lexical_chunks (kb, lexicon) WHERE retired;

CREATE TABLE kprep.runs (
    run_id text PRIMARY KEY,
    kb text NOT NULL REFERENCES kprep.knowledge_bases,
    status text NOT NULL,
    stage text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    heartbeat_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    summary jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX runs_kb ON kprep.runs (kb, started_at DESC);

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

-- Every read goes through here: release, tenant, permissions, validity and overlay in one place.
CREATE FUNCTION kprep.visible_members(
    wanted_kb text, wanted_release integer, principals text[], as_of date
) RETURNS SETOF kprep.release_members LANGUAGE sql STABLE AS $$
    SELECT m.*
    FROM kprep.release_members AS m
    WHERE m.kb = wanted_kb
      AND m.from_release <= wanted_release
      AND (m.to_release IS NULL OR m.to_release > wanted_release)
      AND m.acl && (principals || ARRAY['public'])
      AND (m.valid_from IS NULL OR m.valid_from <= as_of)
      AND (m.valid_until IS NULL OR m.valid_until > as_of)
      AND NOT EXISTS (
          SELECT FROM kprep.suppressions AS s
          WHERE s.kb = m.kb AND s.document_id = m.document_id AND s.ended_at IS NULL
            AND (s.chunk_id IS NULL OR s.chunk_id = m.chunk_id))
      AND NOT EXISTS (
          SELECT FROM kprep.narrowed_acls AS n
          WHERE n.kb = m.kb AND n.document_id = m.document_id
            AND NOT n.acl && (principals || ARRAY['public']))
$$;

-- A citation a person can follow, as `retrieval.reader.citation` writes it.
CREATE FUNCTION kprep.citation(uri text, locator jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN locator ? 'page_end' THEN uri || ', pages ' || (locator ->> 'page') || '-' || (locator ->> 'page_end')
        WHEN locator ? 'page' THEN uri || ', page ' || (locator ->> 'page')
        WHEN locator ? 'anchor' THEN uri || '#' || (locator ->> 'anchor')
        WHEN locator ? 'line' AND locator -> 'line' -> 0 = locator -> 'line' -> 1 THEN uri || ', line ' || (locator -> 'line' ->> 0)
        WHEN locator ? 'line' THEN uri || ', lines ' || (locator -> 'line' ->> 0) || '-' || (locator -> 'line' ->> 1)
        ELSE uri
    END
$$;
