-- name: unindexed
SELECT DISTINCT c.chunk_no, c.heading_path, c.title, c.keywords, c.text, c.language, d.title AS document_title,
    c.signals -> 'names' AS names
FROM kprep.version_chunks v
JOIN kprep.chunks c ON c.kb = v.kb AND c.chunk_id = v.chunk_id
JOIN kprep.document_versions d ON d.kb = v.kb AND d.version_id = v.version_id
WHERE v.kb = :kb AND v.version_id = ANY(:versions) AND NOT EXISTS (
    SELECT FROM kprep.lexical_chunks l WHERE l.kb = c.kb AND l.lexicon = :lexicon AND l.chunk_no = c.chunk_no)
ORDER BY c.chunk_no;

-- name: add_postings
INSERT INTO kprep.postings AS p (kb, lexicon, term, segment, offsets, frequencies, lengths)
VALUES (:kb, :lexicon, :term, :segment, :offsets, :frequencies, :lengths)
ON CONFLICT (kb, lexicon, term, segment) DO UPDATE SET
    offsets = p.offsets || excluded.offsets,
    frequencies = p.frequencies || excluded.frequencies,
    lengths = p.lengths || excluded.lengths;

-- name: add_lengths
INSERT INTO kprep.lexical_chunks (kb, lexicon, chunk_no, length)
SELECT :kb, :lexicon, r.chunk_no, r.length
FROM unnest(CAST(:numbers AS bigint[]), CAST(:lengths AS integer[])) AS r(chunk_no, length);

-- name: postings
SELECT term, segment, offsets, frequencies, lengths FROM kprep.postings
WHERE kb = :kb AND lexicon = :lexicon AND term = ANY(:terms) ORDER BY term, segment;

-- name: absent
-- Indexed chunks that are not in the release: members of another one, or collected since. Costs what changed.
SELECT chunk_no FROM (
    SELECT chunk_no FROM kprep.release_members WHERE kb = :kb AND to_release <= :release
    UNION SELECT chunk_no FROM kprep.release_members WHERE kb = :kb AND from_release > :release
    UNION SELECT chunk_no FROM kprep.lexical_chunks WHERE kb = :kb AND lexicon = :lexicon AND retired) AS other
WHERE NOT EXISTS (
    SELECT FROM kprep.release_members m WHERE m.kb = :kb AND m.chunk_no = other.chunk_no
    AND m.from_release <= :release AND (m.to_release IS NULL OR m.to_release > :release))
ORDER BY chunk_no;
