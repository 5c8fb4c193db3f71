"""Does the citation open the source, and do the words stand there?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

from kprep.core.errors import PrepError
from kprep.core.ids import digest
from kprep.core.models import Locator
from quality.samples import first, place
from quality.spec import Candidate, CandidateChunk, CheckSpec, Finding, Level
from quality.text import altered, share_found


def locator_opens(candidate: Candidate) -> Sequence[Finding]:
    """Opens the original of a sample of new chunks, spread over documents, and looks for their words.

    An error under the threshold; a warning when single ones fail above it, so that one odd page stops no batch.
    """
    chunks = sample(candidate.chunks, candidate.thresholds.locator_sample)
    chunks.sort(key=lambda chunk: (chunk.document_uri, chunk.ordinal))  # a reader keeps the document it opened last
    leads = _repeated_headers(candidate.chunks)
    wrong = [(chunk, reason) for chunk in chunks if (reason := _fault(candidate, chunk, leads))]
    if not chunks:
        return [
            Finding(
                "locator_opens",
                "error",
                True,
                None,
                candidate.thresholds.locators_open,
                "no new chunk, so no citation was opened",
            )
        ]
    good = len(chunks) - len(wrong)
    new = sum(chunk.is_new for chunk in candidate.chunks)
    message = f"{good} of {len(chunks)} citations opened (sample of {new} new chunks) lead to their words"
    if wrong:
        message += ": the parser gives wrong places for these documents, or their originals cannot be read"
    samples = first(place(chunk, reason, media_type=chunk.media_type, parser=chunk.parser) for chunk, reason in wrong)
    share, least = good / len(chunks), candidate.thresholds.locators_open
    level: Level = "warning" if wrong and share >= least else "error"
    return [Finding("locator_opens", level, not wrong, share, least, message, samples)]


def sample(chunks: Sequence[CandidateChunk], size: int) -> list[CandidateChunk]:
    """At most `size` new chunks, from as many documents as possible; the same for the same chunks in any order."""
    by_document: dict[str, list[CandidateChunk]] = defaultdict(list)
    for chunk in sorted(chunks, key=lambda chunk: digest("sample", chunk.chunk_id)):
        if chunk.is_new:
            by_document[chunk.document_uri].append(chunk)
    rounds = zip_longest(*(by_document[uri] for uri in sorted(by_document, key=lambda uri: digest("sample", uri))))
    return [chunk for one_round in rounds for chunk in one_round if chunk is not None][:size]


OTHER_ORDER = ("graphql", "sql_ddl")
"""Parsers whose tables have a field before its description, which may stand above it in the file."""


def _fault(candidate: Candidate, chunk: CandidateChunk, leads: dict[str, int]) -> str:
    """Why the citation does not hold, or ""."""
    try:
        original = candidate.open_original(chunk)
    except PrepError as error:
        return f"cannot be opened: {type(error).__name__}: {error}"
    except Exception as error:  # noqa: BLE001  whatever it was, the reader of the citation would meet it too
        return f"cannot be opened: {type(error).__name__}"
    text = "\n".join(chunk.text.split("\n")[leads.get(chunk.chunk_id, 0) :])
    share = share_found(text, original)
    if share is None:
        return ""
    least = candidate.thresholds.locator_words  # markup and redaction cost some
    return (
        f"{share:.0%} of its words stand there, {least:.0%} are needed"
        if share < least
        else altered(text, original, in_order=chunk.parser.partition("@")[0] not in OTHER_ORDER)
    )


def _repeated_headers(chunks: Sequence[CandidateChunk]) -> dict[str, int]:
    """Chunk id -> first lines it shares with the table chunk before it: a header repeated from another place."""
    places = {(chunk.document_id, chunk.ordinal): chunk for chunk in chunks if chunk.kind == "table"}
    leads: dict[str, int] = {}
    for (document, ordinal), chunk in places.items():
        before = places.get((document, ordinal - 1))
        if before is None:
            continue
        lines, others = chunk.text.split("\n"), before.text.split("\n")
        same = next((n for n, pair in enumerate(zip(lines, others, strict=False)) if pair[0] != pair[1]), 0)
        leads[chunk.chunk_id] = same if same < len(lines) else 0
    return leads


def headings_wrong(candidate: Candidate) -> Sequence[Finding]:
    """New documents of which more than half of the headings stand nowhere in their original: those of another one.

    Looked at is a fixed sample. Transcripts and mails do not count: their headings are names and times.
    """
    documents: dict[str, list[CandidateChunk]] = defaultdict(list)
    small = {document.document_id for document in candidate.documents if document.parsed_chars <= MOST_CHARACTERS}
    for chunk in candidate.chunks:
        if chunk.is_new and chunk.document_id in small and chunk.parser.partition("@")[0] not in WITHOUT_HEADINGS:
            documents[chunk.document_uri].append(chunk)
    chosen = sorted(documents, key=lambda uri: digest("headings", uri))[:HEADED]
    wrong = [uri for uri in sorted(chosen) if _headed_wrongly(candidate, documents[uri])]
    message = f"{len(wrong)} of {len(chosen)} new documents looked at have headings that their original does not hold"
    if wrong:
        message += ": run again; if it stays so, report the document's kind"
    samples = first({"document_uri": uri, "heading": documents[uri][0].heading_path[-1:]} for uri in wrong)
    return [Finding("headings_wrong", "warning", not wrong, float(len(wrong)), 0.0, message, samples)]


def _headed_wrongly(candidate: Candidate, chunks: Sequence[CandidateChunk]) -> bool:
    headings = {chunk.heading_path[-1] for chunk in chunks if chunk.heading_path}
    try:
        original = candidate.open_original(replace(chunks[0], locator=EVERYTHING[chunks[0].locator.line is not None]))
    except Exception:  # noqa: BLE001  `locator_opens` reports originals that cannot be opened
        return False
    if not original:  # of such a format only parts can be opened
        return False
    shares = [share for heading in headings if (share := share_found(heading, original)) is not None]
    return sum(share < SHARE_OF_HEADING for share in shares) > len(shares) / 2


EVERYTHING = (Locator(), Locator(line=(1, 1_000_000)))
"""Where a whole document is: of those without lines, and of those with."""
HEADED = 20
"""Documents whose headings are looked for."""
SHARE_OF_HEADING = 0.5
MOST_CHARACTERS = 200_000
"""Longer documents are not read as a whole."""
WITHOUT_HEADINGS = ("transcript", "recording", "conversation", "eml", "mbox", "msg")

CHECKS = (CheckSpec("locator_opens", locator_opens), CheckSpec("headings_wrong", headings_wrong))
