-- Written by `make schema` from the migrations. Do not edit.
CREATE SCHEMA kprep;

CREATE SCHEMA published;

CREATE FUNCTION kprep.add_partitions(wanted_kb text) RETURNS void
    LANGUAGE plpgsql
    AS $_$
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
END $_$;

CREATE FUNCTION kprep.citation(uri text, locator jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
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

CREATE FUNCTION kprep.count_blocks() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM kprep.count_edges(array_agg(CAST(ROW(d.kb, b.block, d.source, d.media_type, e.made_by, CAST(TG_ARGV[0] AS bigint))
        AS kprep.edge_counts)))
    FROM changed e JOIN kprep.documents d ON d.kb = e.kb AND d.content_hash = e.content_hash AND d.listed
    CROSS JOIN LATERAL unnest(e.blocks || CAST('' AS text)) AS b(block);
    RETURN NULL;
END $$;

CREATE FUNCTION kprep.count_documents() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM kprep.count_edges(array_agg(CAST(ROW(d.kb, b.block, d.source, d.media_type, e.made_by, CAST(TG_ARGV[0] AS bigint))
        AS kprep.edge_counts)))
    FROM changed d JOIN kprep.edge_blocks e ON e.kb = d.kb AND e.content_hash = d.content_hash
    CROSS JOIN LATERAL unnest(e.blocks || CAST('' AS text)) AS b(block) WHERE d.listed;
    RETURN NULL;
END $$;

CREATE TABLE kprep.edge_counts (
    kb text NOT NULL,
    block text NOT NULL,
    source text NOT NULL,
    media_type text NOT NULL,
    made_by text NOT NULL,
    documents bigint NOT NULL
);

CREATE FUNCTION kprep.count_edges(changes kprep.edge_counts[]) RETURNS void
    LANGUAGE sql
    AS $$
    INSERT INTO kprep.edge_counts AS c (kb, block, source, media_type, made_by, documents)
    SELECT kb, block, source, media_type, made_by, sum(documents) FROM unnest(changes)
    GROUP BY kb, block, source, media_type, made_by HAVING sum(documents) <> 0
    ORDER BY kb, block, source, media_type, made_by
    ON CONFLICT (kb, block, source, media_type, made_by) DO UPDATE SET documents = c.documents + excluded.documents;
    DELETE FROM kprep.edge_counts c USING unnest(changes) AS g
    WHERE (c.kb, c.block, c.source, c.media_type, c.made_by) = (g.kb, g.block, g.source, g.media_type, g.made_by)
        AND c.documents = 0;
$$;

CREATE FUNCTION kprep.expand_principals(wanted_tenant text, given text[]) RETURNS text[]
    LANGUAGE sql STABLE
    AS $$
    WITH RECURSIVE reached(principal) AS (
        SELECT unnest(given || ARRAY['public'])
        UNION
        SELECT unnest(p.member_of) FROM reached AS r
        JOIN kprep.principals AS p ON p.tenant = wanted_tenant AND p.principal = r.principal
    )
    SELECT array_agg(principal ORDER BY principal) FROM reached
$$;

CREATE FUNCTION kprep.forget(unwanted_kb text) RETURNS void
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION kprep.hand_over(published_view regclass) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF to_regrole('kprep_views') IS NULL OR to_regrole('kprep_reader') IS NULL THEN
        RETURN;
    END IF;
    IF pg_has_role('kprep_views', 'MEMBER') THEN
        EXECUTE format('ALTER VIEW %s OWNER TO kprep_views', published_view);
        EXECUTE format('GRANT SELECT ON %s TO kprep_reader', published_view);
    END IF;
END $$;

CREATE FUNCTION kprep.inherited(signals jsonb, metadata jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    AS $$
    SELECT coalesce(signals -> 'rule', '{}') || metadata || coalesce(signals -> 'entry', '{}')
$$;

CREATE FUNCTION kprep.repeated_blocks(wanted_kb text, identities jsonb, news jsonb, without text[], ended jsonb, least_documents integer, least_share double precision, ids text[]) RETURNS TABLE(document_id text, blocks text[])
    LANGUAGE sql STABLE
    AS $$
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

CREATE FUNCTION kprep.session_principals() RETURNS text[]
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog'
    AS $$
    SELECT CASE WHEN coalesce(current_setting('kprep.tenant', true), '') = ''
                  OR coalesce(current_setting('kprep.principals', true), '') = '' THEN ARRAY[]::text[]
        ELSE kprep.expand_principals(current_setting('kprep.tenant'), string_to_array(current_setting('kprep.principals'), ','))
    END
$$;

CREATE FUNCTION kprep.set_up_readers() RETURNS text
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION kprep.standing(wanted_kb text, wanted_release integer, principals text[], as_of date, stores text[], wanted_document text) RETURNS text
    LANGUAGE sql STABLE
    AS $$
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

CREATE FUNCTION kprep.target_of(wanted_kb text, wanted_release integer, documents text[], wanted_title text) RETURNS text
    LANGUAGE sql STABLE
    AS $$
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
    store text NOT NULL,
    language text NOT NULL,
    valid_from date,
    valid_until date,
    updated_at timestamp with time zone,
    CONSTRAINT release_members_check CHECK ((to_release > from_release)),
    CONSTRAINT release_members_store_check CHECK ((store = ANY (ARRAY['formal'::text, 'candidate'::text, 'rejected'::text])))
)
PARTITION BY LIST (kb);

CREATE FUNCTION kprep.visible_members(wanted_kb text, wanted_release integer, principals text[], as_of date, stores text[] DEFAULT ARRAY['formal'::text]) RETURNS SETOF kprep.release_members
    LANGUAGE sql STABLE
    AS $$
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

CREATE TABLE kprep.candidate_decisions (
    kb text NOT NULL,
    document_id text NOT NULL,
    content_hash text NOT NULL,
    decision text NOT NULL,
    made_by text NOT NULL,
    note text DEFAULT ''::text NOT NULL,
    made_at timestamp with time zone DEFAULT now() NOT NULL,
    after_release integer NOT NULL,
    CONSTRAINT candidate_decisions_decision_check CHECK ((decision = ANY (ARRAY['confirmed'::text, 'rejected'::text])))
);

CREATE TABLE kprep.channels (
    kb text NOT NULL,
    name text NOT NULL,
    release integer NOT NULL,
    moved_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE SEQUENCE kprep.chunk_numbers
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE TABLE kprep.chunks (
    kb text NOT NULL,
    chunk_id text NOT NULL,
    chunk_no bigint DEFAULT nextval('kprep.chunk_numbers'::regclass) NOT NULL,
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
    tokens integer NOT NULL
)
PARTITION BY LIST (kb);

CREATE TABLE kprep.decisions (
    decision_id bigint NOT NULL,
    kb text NOT NULL,
    kind text NOT NULL,
    release integer NOT NULL,
    document_id text NOT NULL,
    uri text NOT NULL,
    content text NOT NULL,
    reason text NOT NULL,
    made_by text NOT NULL,
    made_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT decisions_kind_check CHECK ((kind = ANY (ARRAY['approve'::text, 'reject'::text, 'retry'::text, 'exclude'::text, 'include'::text, 'accept'::text]))),
    CONSTRAINT decisions_reason_check CHECK ((reason <> ''::text))
);

ALTER TABLE kprep.decisions ALTER COLUMN decision_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kprep.decisions_decision_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

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
    after_release integer NOT NULL
)
PARTITION BY LIST (kb);

CREATE TABLE kprep.documents (
    kb text NOT NULL,
    document_id text NOT NULL,
    source text NOT NULL,
    uri text NOT NULL,
    version_token text NOT NULL,
    content_hash text NOT NULL,
    size bigint NOT NULL,
    media_type text NOT NULL,
    modified_at timestamp with time zone,
    listed boolean DEFAULT true NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    folder text GENERATED ALWAYS AS (regexp_replace(uri, '/[^/]*$'::text, ''::text)) STORED NOT NULL COLLATE pg_catalog."C"
);

CREATE TABLE kprep.edge_blocks (
    kb text NOT NULL,
    content_hash text NOT NULL,
    made_by text NOT NULL,
    blocks text[] NOT NULL
);

CREATE TABLE kprep.embeddings (
    space_id smallint NOT NULL,
    content_hash text NOT NULL,
    embedding public.vector NOT NULL
);

CREATE TABLE kprep.failures (
    kb text NOT NULL,
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
    failed_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE kprep.folders (
    kb text NOT NULL,
    source text NOT NULL,
    folder text NOT NULL COLLATE pg_catalog."C",
    digest text NOT NULL,
    documents integer NOT NULL,
    run_id text NOT NULL,
    settled boolean NOT NULL,
    listed boolean NOT NULL
);

CREATE TABLE kprep.gate_reports (
    kb text NOT NULL,
    release integer NOT NULL,
    status text NOT NULL,
    report jsonb NOT NULL,
    made_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE kprep.kept_stages (
    kb text NOT NULL,
    content_hash text NOT NULL,
    parse text NOT NULL,
    format text NOT NULL,
    stages jsonb NOT NULL,
    address text NOT NULL
);

CREATE TABLE kprep.knowledge_bases (
    kb text NOT NULL,
    kb_no integer NOT NULL,
    tenant text NOT NULL,
    settled_release integer DEFAULT 0 NOT NULL,
    settled_rules text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE kprep.knowledge_bases ALTER COLUMN kb_no ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kprep.knowledge_bases_kb_no_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE kprep.leases (
    kb text NOT NULL,
    fence bigint NOT NULL,
    holder text NOT NULL,
    taken_at timestamp with time zone NOT NULL
);

CREATE TABLE kprep.lexical_chunks (
    kb text NOT NULL,
    lexicon text NOT NULL,
    chunk_no bigint NOT NULL,
    length integer NOT NULL,
    retired boolean DEFAULT false NOT NULL
)
PARTITION BY LIST (kb);

CREATE TABLE kprep.narrowed_acls (
    kb text NOT NULL,
    document_id text NOT NULL,
    closed_by integer DEFAULT 0 NOT NULL,
    acl text[] NOT NULL,
    since timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE kprep.parents (
    kb text NOT NULL,
    parent_id text NOT NULL,
    document_id text NOT NULL,
    key text NOT NULL,
    heading_path text[] NOT NULL,
    text text NOT NULL,
    summary text NOT NULL
)
PARTITION BY LIST (kb);

CREATE TABLE kprep.postings (
    kb text NOT NULL,
    lexicon text NOT NULL,
    term text NOT NULL,
    segment integer NOT NULL,
    offsets bytea NOT NULL,
    frequencies bytea NOT NULL,
    lengths bytea NOT NULL
)
PARTITION BY LIST (kb);
ALTER TABLE ONLY kprep.postings ALTER COLUMN offsets SET STORAGE EXTERNAL;
ALTER TABLE ONLY kprep.postings ALTER COLUMN frequencies SET STORAGE EXTERNAL;
ALTER TABLE ONLY kprep.postings ALTER COLUMN lengths SET STORAGE EXTERNAL;

CREATE TABLE kprep.principals (
    tenant text NOT NULL,
    principal text NOT NULL,
    member_of text[] NOT NULL
);

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
    target_revision text
)
PARTITION BY LIST (kb);

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
    CONSTRAINT release_documents_check CHECK ((to_release > from_release))
)
PARTITION BY LIST (kb);

CREATE TABLE kprep.releases (
    kb text NOT NULL,
    release integer NOT NULL,
    base_release integer NOT NULL,
    status text NOT NULL,
    run_id text NOT NULL,
    configuration jsonb NOT NULL,
    statistics jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    published_at timestamp with time zone,
    CONSTRAINT releases_status_check CHECK ((status = ANY (ARRAY['candidate'::text, 'published'::text, 'blocked'::text, 'rejected'::text, 'abandoned'::text, 'retired'::text])))
);

CREATE TABLE kprep.renames (
    kb text NOT NULL,
    old_document text NOT NULL,
    new_document text NOT NULL
);

CREATE TABLE kprep.run_documents (
    run_id text NOT NULL,
    document_id text NOT NULL,
    batch integer NOT NULL,
    work jsonb NOT NULL,
    state text DEFAULT 'planned'::text NOT NULL,
    version_id text,
    CONSTRAINT run_documents_state_check CHECK ((state = ANY (ARRAY['planned'::text, 'ready'::text, 'failed'::text])))
);

CREATE TABLE kprep.runs (
    run_id text NOT NULL,
    number bigint NOT NULL,
    kb text NOT NULL,
    status text NOT NULL,
    stage text NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    heartbeat_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    summary jsonb DEFAULT '{}'::jsonb NOT NULL
);

ALTER TABLE kprep.runs ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kprep.runs_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE kprep.suppressions (
    suppression_id bigint NOT NULL,
    kb text NOT NULL,
    document_id text NOT NULL,
    chunk_id text,
    reason text NOT NULL,
    made_by text NOT NULL,
    note text DEFAULT ''::text NOT NULL,
    since timestamp with time zone DEFAULT now() NOT NULL,
    ended_at timestamp with time zone,
    ended_by text,
    CONSTRAINT suppressions_reason_check CHECK ((reason = ANY (ARRAY['source_deleted'::text, 'expired'::text, 'second_scan'::text, 'legal'::text, 'operator'::text])))
);

CREATE VIEW kprep.session_members WITH (security_barrier='true') AS
 SELECT m.kb,
    m.chunk_id,
    m.from_release,
    m.to_release,
    m.chunk_no,
    m.document_id,
    m.parent_id,
    m.ordinal,
    m.content_hash,
    m.locator,
    m.tenant,
    m.acl,
    m.section_acl,
    m.sensitivity,
    m.source,
    m.doc_type,
    m.store,
    m.language,
    m.valid_from,
    m.valid_until,
    m.updated_at,
    live.release AS live_release
   FROM (kprep.channels live
     JOIN kprep.release_members m ON (((m.kb = live.kb) AND (m.from_release <= live.release) AND ((m.to_release IS NULL) OR (m.to_release > live.release)))))
  WHERE ((live.name = 'live'::text) AND (m.tenant = current_setting('kprep.tenant'::text, true)) AND (m.acl && ( SELECT kprep.session_principals() AS session_principals)) AND ((m.section_acl IS NULL) OR (m.section_acl && ( SELECT kprep.session_principals() AS session_principals))) AND ((m.valid_from IS NULL) OR (m.valid_from <= CURRENT_DATE)) AND ((m.valid_until IS NULL) OR (m.valid_until > CURRENT_DATE)) AND (NOT (EXISTS ( SELECT
           FROM kprep.suppressions s
          WHERE ((s.kb = m.kb) AND (s.document_id = m.document_id) AND (s.ended_at IS NULL) AND ((s.since <= now()) OR (s.reason <> 'expired'::text)) AND ((s.chunk_id IS NULL) OR (s.chunk_id = m.chunk_id)))))) AND (NOT (EXISTS ( SELECT
           FROM kprep.narrowed_acls n
          WHERE ((n.kb = m.kb) AND (n.document_id = m.document_id) AND ((n.closed_by = 0) OR (m.to_release <= n.closed_by)) AND (NOT (n.acl && ( SELECT kprep.session_principals() AS session_principals))))))));

CREATE TABLE kprep.spaces (
    space_id smallint NOT NULL,
    space text NOT NULL
);

ALTER TABLE kprep.spaces ALTER COLUMN space_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kprep.spaces_space_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE kprep.suppressions ALTER COLUMN suppression_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kprep.suppressions_suppression_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE kprep.version_chunks (
    kb text NOT NULL,
    version_id text NOT NULL,
    ordinal integer NOT NULL,
    chunk_id text NOT NULL,
    parent_id text NOT NULL,
    locator jsonb NOT NULL,
    span int4range NOT NULL,
    links jsonb NOT NULL
)
PARTITION BY LIST (kb);

CREATE TABLE kprep.views (
    kb text NOT NULL,
    release integer NOT NULL,
    name text NOT NULL,
    definition jsonb NOT NULL
);

ALTER TABLE ONLY kprep.candidate_decisions
    ADD CONSTRAINT candidate_decisions_pkey PRIMARY KEY (kb, document_id);

ALTER TABLE ONLY kprep.channels
    ADD CONSTRAINT channels_pkey PRIMARY KEY (kb, name);

ALTER TABLE ONLY kprep.chunks
    ADD CONSTRAINT chunks_pkey PRIMARY KEY (kb, chunk_id);

ALTER TABLE ONLY kprep.decisions
    ADD CONSTRAINT decisions_pkey PRIMARY KEY (decision_id);

ALTER TABLE ONLY kprep.document_versions
    ADD CONSTRAINT document_versions_pkey PRIMARY KEY (kb, version_id);

ALTER TABLE ONLY kprep.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (kb, document_id);

ALTER TABLE ONLY kprep.edge_blocks
    ADD CONSTRAINT edge_blocks_pkey PRIMARY KEY (kb, content_hash, made_by);

ALTER TABLE ONLY kprep.edge_counts
    ADD CONSTRAINT edge_counts_pkey PRIMARY KEY (kb, block, source, media_type, made_by);

ALTER TABLE ONLY kprep.embeddings
    ADD CONSTRAINT embeddings_pkey PRIMARY KEY (space_id, content_hash);

ALTER TABLE ONLY kprep.failures
    ADD CONSTRAINT failures_pkey PRIMARY KEY (kb, document_id);

ALTER TABLE ONLY kprep.folders
    ADD CONSTRAINT folders_pkey PRIMARY KEY (kb, folder);

ALTER TABLE ONLY kprep.gate_reports
    ADD CONSTRAINT gate_reports_pkey PRIMARY KEY (kb, release);

ALTER TABLE ONLY kprep.kept_stages
    ADD CONSTRAINT kept_stages_pkey PRIMARY KEY (kb, content_hash, parse);

ALTER TABLE ONLY kprep.knowledge_bases
    ADD CONSTRAINT knowledge_bases_pkey PRIMARY KEY (kb);

ALTER TABLE ONLY kprep.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY (kb);

ALTER TABLE ONLY kprep.lexical_chunks
    ADD CONSTRAINT lexical_chunks_pkey PRIMARY KEY (kb, lexicon, chunk_no);

ALTER TABLE ONLY kprep.narrowed_acls
    ADD CONSTRAINT narrowed_acls_pkey PRIMARY KEY (kb, document_id, closed_by);

ALTER TABLE ONLY kprep.parents
    ADD CONSTRAINT parents_pkey PRIMARY KEY (kb, parent_id);

ALTER TABLE ONLY kprep.postings
    ADD CONSTRAINT postings_pkey PRIMARY KEY (kb, lexicon, term, segment);

ALTER TABLE ONLY kprep.principals
    ADD CONSTRAINT principals_pkey PRIMARY KEY (tenant, principal);

ALTER TABLE ONLY kprep.relations
    ADD CONSTRAINT relations_pkey PRIMARY KEY (kb, version_id, number);

ALTER TABLE ONLY kprep.release_documents
    ADD CONSTRAINT release_documents_pkey PRIMARY KEY (kb, document_id, from_release);

ALTER TABLE ONLY kprep.release_members
    ADD CONSTRAINT release_members_pkey PRIMARY KEY (kb, chunk_id, from_release);

ALTER TABLE ONLY kprep.releases
    ADD CONSTRAINT releases_pkey PRIMARY KEY (kb, release);

ALTER TABLE ONLY kprep.renames
    ADD CONSTRAINT renames_pkey PRIMARY KEY (kb, old_document, new_document);

ALTER TABLE ONLY kprep.run_documents
    ADD CONSTRAINT run_documents_pkey PRIMARY KEY (run_id, document_id);

ALTER TABLE ONLY kprep.runs
    ADD CONSTRAINT runs_pkey PRIMARY KEY (run_id);

ALTER TABLE ONLY kprep.spaces
    ADD CONSTRAINT spaces_pkey PRIMARY KEY (space_id);

ALTER TABLE ONLY kprep.spaces
    ADD CONSTRAINT spaces_space_key UNIQUE (space);

ALTER TABLE ONLY kprep.suppressions
    ADD CONSTRAINT suppressions_pkey PRIMARY KEY (suppression_id);

ALTER TABLE ONLY kprep.version_chunks
    ADD CONSTRAINT version_chunks_pkey PRIMARY KEY (kb, version_id, ordinal);

ALTER TABLE ONLY kprep.views
    ADD CONSTRAINT views_pkey PRIMARY KEY (kb, release, name);

CREATE INDEX chunks_content ON ONLY kprep.chunks USING btree (content_hash);

CREATE UNIQUE INDEX chunks_no ON ONLY kprep.chunks USING btree (kb, chunk_no);

CREATE INDEX chunks_text ON ONLY kprep.chunks USING hash (md5(text));

CREATE INDEX decisions_content ON kprep.decisions USING btree (kb, content) WHERE (content <> ''::text);

CREATE INDEX decisions_document ON kprep.decisions USING btree (kb, document_id, decision_id) WHERE (document_id <> ''::text);

CREATE INDEX document_versions_after ON ONLY kprep.document_versions USING btree (kb, after_release);

CREATE INDEX document_versions_boilerplate ON ONLY kprep.document_versions USING btree (kb) WHERE (boilerplate <> '{}'::text[]);

CREATE INDEX document_versions_content ON ONLY kprep.document_versions USING btree (content_hash);

CREATE INDEX document_versions_fingerprint ON ONLY kprep.document_versions USING btree (kb, content_fingerprint);

CREATE INDEX documents_content ON kprep.documents USING btree (kb, content_hash);

CREATE INDEX documents_folder ON kprep.documents USING btree (kb, folder);

CREATE INDEX documents_listed ON kprep.documents USING btree (kb) WHERE listed;

CREATE INDEX documents_modified ON kprep.documents USING btree (kb, source, modified_at);

CREATE INDEX edge_counts_documents ON kprep.edge_counts USING btree (kb, source, documents);

CREATE INDEX embeddings_content ON kprep.embeddings USING hash (content_hash);

CREATE INDEX folders_unsettled ON kprep.folders USING btree (kb) WHERE (NOT settled);

CREATE INDEX lexical_chunks_retired ON ONLY kprep.lexical_chunks USING btree (kb, lexicon) WHERE retired;

CREATE INDEX relations_documents ON ONLY kprep.relations USING gin (documents) WITH (fastupdate=off);

CREATE INDEX relations_title ON ONLY kprep.relations USING btree (kb, lower(title)) WHERE (title <> ''::text);

CREATE INDEX release_documents_casual ON ONLY kprep.release_documents USING btree (kb) WHERE (((metadata ->> 'store'::text) = ANY (ARRAY['candidate'::text, 'rejected'::text])) OR (metadata ? 'confirmed_by'::text) OR (metadata ? 'rule_confirms'::text));

CREATE INDEX release_documents_closed ON ONLY kprep.release_documents USING btree (kb, to_release) WHERE (to_release IS NOT NULL);

CREATE INDEX release_documents_narrowest ON ONLY kprep.release_documents USING btree (kb) WHERE (metadata ? 'narrowest'::text);

CREATE INDEX release_documents_open ON ONLY kprep.release_documents USING btree (kb, from_release) WHERE (to_release IS NULL);

CREATE INDEX release_documents_related ON ONLY kprep.release_documents USING btree (kb) WHERE ((metadata ? 'supersedes'::text) OR (metadata ? 'superseded_by'::text));

CREATE INDEX release_documents_title ON ONLY kprep.release_documents USING btree (kb, lower(title));

CREATE INDEX release_documents_uri ON ONLY kprep.release_documents USING btree (kb, uri);

CREATE INDEX release_documents_version ON ONLY kprep.release_documents USING btree (kb, version_id);

CREATE INDEX release_members_acl ON ONLY kprep.release_members USING gin (acl) WITH (fastupdate=off);

CREATE INDEX release_members_closed ON ONLY kprep.release_members USING btree (kb, to_release) WHERE (to_release IS NOT NULL);

CREATE INDEX release_members_content ON ONLY kprep.release_members USING btree (kb, content_hash);

CREATE INDEX release_members_document ON ONLY kprep.release_members USING btree (kb, document_id, from_release);

CREATE INDEX release_members_no ON ONLY kprep.release_members USING btree (kb, chunk_no);

CREATE INDEX release_members_opened ON ONLY kprep.release_members USING btree (kb, from_release);

CREATE INDEX release_members_until ON ONLY kprep.release_members USING btree (kb, valid_until) WHERE (valid_until IS NOT NULL);

CREATE INDEX renames_new ON kprep.renames USING btree (kb, new_document);

CREATE INDEX runs_kb ON kprep.runs USING btree (kb, number DESC);

CREATE UNIQUE INDEX suppressions_active ON kprep.suppressions USING btree (kb, document_id, reason, COALESCE(chunk_id, ''::text)) WHERE (ended_at IS NULL);

CREATE INDEX version_chunks_chunk ON ONLY kprep.version_chunks USING btree (kb, chunk_id);

CREATE INDEX version_chunks_parent ON ONLY kprep.version_chunks USING btree (kb, parent_id);

CREATE TRIGGER count_1_inserted AFTER INSERT ON kprep.documents REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kprep.count_documents('1');

CREATE TRIGGER count_1_inserted AFTER INSERT ON kprep.edge_blocks REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kprep.count_blocks('1');

CREATE TRIGGER count_2_new AFTER UPDATE ON kprep.documents REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kprep.count_documents('1');

CREATE TRIGGER count_2_new AFTER UPDATE ON kprep.edge_blocks REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kprep.count_blocks('1');

CREATE TRIGGER count_3_old AFTER UPDATE ON kprep.documents REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kprep.count_documents('-1');

CREATE TRIGGER count_3_old AFTER UPDATE ON kprep.edge_blocks REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kprep.count_blocks('-1');

CREATE TRIGGER count_4_deleted AFTER DELETE ON kprep.documents REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kprep.count_documents('-1');

CREATE TRIGGER count_4_deleted AFTER DELETE ON kprep.edge_blocks REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kprep.count_blocks('-1');

ALTER TABLE ONLY kprep.candidate_decisions
    ADD CONSTRAINT candidate_decisions_kb_fkey FOREIGN KEY (kb) REFERENCES kprep.knowledge_bases(kb);

ALTER TABLE ONLY kprep.channels
    ADD CONSTRAINT channels_kb_fkey FOREIGN KEY (kb) REFERENCES kprep.knowledge_bases(kb);

ALTER TABLE ONLY kprep.channels
    ADD CONSTRAINT channels_kb_release_fkey FOREIGN KEY (kb, release) REFERENCES kprep.releases(kb, release);

ALTER TABLE ONLY kprep.decisions
    ADD CONSTRAINT decisions_kb_fkey FOREIGN KEY (kb) REFERENCES kprep.knowledge_bases(kb);

ALTER TABLE ONLY kprep.documents
    ADD CONSTRAINT documents_kb_fkey FOREIGN KEY (kb) REFERENCES kprep.knowledge_bases(kb);

ALTER TABLE ONLY kprep.edge_blocks
    ADD CONSTRAINT edge_blocks_kb_fkey FOREIGN KEY (kb) REFERENCES kprep.knowledge_bases(kb);

ALTER TABLE ONLY kprep.edge_counts
    ADD CONSTRAINT edge_counts_kb_fkey FOREIGN KEY (kb) REFERENCES kprep.knowledge_bases(kb);

ALTER TABLE ONLY kprep.embeddings
    ADD CONSTRAINT embeddings_space_id_fkey FOREIGN KEY (space_id) REFERENCES kprep.spaces(space_id);

ALTER TABLE ONLY kprep.failures
    ADD CONSTRAINT failures_kb_fkey FOREIGN KEY (kb) REFERENCES kprep.knowledge_bases(kb);

ALTER TABLE ONLY kprep.folders
    ADD CONSTRAINT folders_kb_fkey FOREIGN KEY (kb) REFERENCES kprep.knowledge_bases(kb);

ALTER TABLE ONLY kprep.gate_reports
    ADD CONSTRAINT gate_reports_kb_release_fkey FOREIGN KEY (kb, release) REFERENCES kprep.releases(kb, release);

ALTER TABLE ONLY kprep.kept_stages
    ADD CONSTRAINT kept_stages_kb_fkey FOREIGN KEY (kb) REFERENCES kprep.knowledge_bases(kb);

ALTER TABLE ONLY kprep.leases
    ADD CONSTRAINT leases_kb_fkey FOREIGN KEY (kb) REFERENCES kprep.knowledge_bases(kb);

ALTER TABLE ONLY kprep.narrowed_acls
    ADD CONSTRAINT narrowed_acls_kb_fkey FOREIGN KEY (kb) REFERENCES kprep.knowledge_bases(kb);

ALTER TABLE ONLY kprep.releases
    ADD CONSTRAINT releases_kb_fkey FOREIGN KEY (kb) REFERENCES kprep.knowledge_bases(kb);

ALTER TABLE ONLY kprep.renames
    ADD CONSTRAINT renames_kb_fkey FOREIGN KEY (kb) REFERENCES kprep.knowledge_bases(kb);

ALTER TABLE ONLY kprep.run_documents
    ADD CONSTRAINT run_documents_run_id_fkey FOREIGN KEY (run_id) REFERENCES kprep.runs(run_id) ON DELETE CASCADE;

ALTER TABLE ONLY kprep.runs
    ADD CONSTRAINT runs_kb_fkey FOREIGN KEY (kb) REFERENCES kprep.knowledge_bases(kb);

ALTER TABLE ONLY kprep.suppressions
    ADD CONSTRAINT suppressions_kb_fkey FOREIGN KEY (kb) REFERENCES kprep.knowledge_bases(kb);

ALTER TABLE ONLY kprep.views
    ADD CONSTRAINT views_kb_release_fkey FOREIGN KEY (kb, release) REFERENCES kprep.releases(kb, release);

ALTER TABLE kprep.chunks ENABLE ROW LEVEL SECURITY;

CREATE POLICY readers ON kprep.chunks FOR SELECT USING ((EXISTS ( SELECT
   FROM kprep.release_members m
  WHERE ((m.kb = chunks.kb) AND (m.chunk_id = chunks.chunk_id)))));

CREATE POLICY readers ON kprep.release_documents FOR SELECT USING ((EXISTS ( SELECT
   FROM kprep.release_members m
  WHERE ((m.kb = release_documents.kb) AND (m.document_id = release_documents.document_id)))));

CREATE POLICY readers ON kprep.release_members FOR SELECT USING (((tenant = current_setting('kprep.tenant'::text, true)) AND (acl && ( SELECT kprep.session_principals() AS session_principals)) AND ((section_acl IS NULL) OR (section_acl && ( SELECT kprep.session_principals() AS session_principals))) AND (NOT (EXISTS ( SELECT
   FROM kprep.suppressions s
  WHERE ((s.kb = release_members.kb) AND (s.document_id = release_members.document_id) AND (s.ended_at IS NULL) AND ((s.since <= now()) OR (s.reason <> 'expired'::text)) AND ((s.chunk_id IS NULL) OR (s.chunk_id = release_members.chunk_id)))))) AND (NOT (EXISTS ( SELECT
   FROM kprep.narrowed_acls n
  WHERE ((n.kb = release_members.kb) AND (n.document_id = release_members.document_id) AND ((n.closed_by = 0) OR (release_members.to_release <= n.closed_by)) AND (NOT (n.acl && ( SELECT kprep.session_principals() AS session_principals)))))))));

ALTER TABLE kprep.release_documents ENABLE ROW LEVEL SECURITY;

ALTER TABLE kprep.release_members ENABLE ROW LEVEL SECURITY;
