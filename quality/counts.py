"""Checks that count: is anything there, is it long enough, does it fit, was it embedded, is it said twice?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from quality.samples import first, place, shown
from quality.spec import Candidate, CandidateChunk, CheckSpec, Finding, Level
from quality.text import word_count


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def release_empty(candidate: Candidate) -> Sequence[Finding]:
    """A release without a chunk would take everything away from its readers."""
    count = candidate.total
    message = (
        f"the candidate holds {count} chunks"
        if count
        else "the candidate holds no chunk: publishing it would empty every view. Look at `kprep status` for failed "
        "documents and at the sources' paths and `include` patterns"
    )
    return [Finding("release_empty", "error", count > 0, float(count), 1.0, message)]


def view_empty(candidate: Candidate) -> Sequence[Finding]:
    """A view that shows nothing usually has a filter that matches nothing: an error where the live release fills it
    and none of its documents has gone."""
    empty = sorted(name for name, count in candidate.views.items() if count == 0)
    if not empty:
        return [Finding("view_empty", "warning", True, 0.0, 0.0, f"all {len(candidate.views)} views show chunks")]
    return [
        Finding(
            "view_empty",
            "error" if candidate.live_views.get(name) and not candidate.retired else "warning",
            False,
            0.0,
            1.0,
            f"view {name!r} shows none of {candidate.total} chunks: compare its `where` with the values "
            "the sources set (doc_type, sensitivity, language)",
            ({"view": name},),
        )
        for name in empty
    ]


def documents_failed(candidate: Candidate) -> Sequence[Finding]:
    """Share of listed documents that did not come through: a warning over `failed_warning`, an error only over
    `failed_share` where that is set, because each failed document keeps its published version and harms no other."""
    share, limit = _share(candidate.failed, candidate.listed), candidate.thresholds.failed_share
    least = candidate.thresholds.failed_warning
    refused = limit is not None and share > limit
    warned = share > (least if limit is None else limit / 2)
    message = f"{candidate.failed} of {candidate.listed} documents failed"
    if refused or warned:
        message += ": `kprep status` names each with its reason; repair or exclude them, then run again"
    level: Level = "error" if refused or not warned else "warning"
    return [Finding("documents_failed", level, not (refused or warned), share, limit, message)]


def cleaning_removed(candidate: Candidate) -> Sequence[Finding]:
    """New documents of which cleaning took so much that a rule may take more than noise."""
    most = max(candidate.removed.values(), default=0.0)
    limit = candidate.thresholds.removed_share
    message = f"cleaning took more than {limit:.0%} of {len(candidate.removed)} new documents"
    if candidate.removed:
        message += ": `kprep explain URI` shows what each rule took"
    samples = first({"document_uri": uri, "removed_share": share} for uri, share in candidate.removed.items())
    return [Finding("cleaning_removed", "warning", not candidate.removed, most, limit, message, samples)]


def coverage_low(candidate: Candidate) -> Sequence[Finding]:
    """New documents of which the parser gave too little of what another reading of the source finds."""
    least = min(candidate.uncovered.values(), default=1.0)
    limit = candidate.thresholds.coverage
    message = (
        f"of {len(candidate.uncovered)} new documents less than {limit:.0%} of the source's text reached an element"
    )
    if candidate.uncovered:
        message += ": `kprep try FILE --stage parse` shows what came out and which units are excluded"
    samples = first({"document_uri": uri, "coverage": share} for uri, share in candidate.uncovered.items())
    return [Finding("coverage_low", "warning", not candidate.uncovered, least, limit, message, samples)]


def parts_broken(candidate: Candidate) -> Sequence[Finding]:
    """Parts of new documents that could not be read, while the rest of their document was: an entry, a line."""
    found = candidate.broken
    message = f"{len(found)} parts of {len({part['uri'] for part in found})} new documents could not be read"
    if found:
        message += f" and are left out; the first, of {found[0]['uri']}, {found[0]['problem']}: mend it in its source"
    samples = first({"document_uri": part["uri"], "problem": part["problem"]} for part in found)
    return [Finding("parts_broken", "warning", not found, float(len(found)), 0.0, message, samples)]


def chunks_empty(candidate: Candidate) -> Sequence[Finding]:
    """Chunks without a visible character in what is cited or in what is indexed."""
    empty = [chunk for chunk in candidate.chunks if not (_visible(chunk.text) and _visible(chunk.index_text))]
    message = f"{len(empty)} of {len(candidate.chunks)} chunks are empty"
    if empty:
        message += (
            ": their parser or a cleaning rule leaves blocks without text; `kprep try FILE --stage chunk` shows it"
        )
    share = _share(len(empty), len(candidate.chunks))
    return [Finding("chunks_empty", "error", not empty, share, 0.0, message, first(place(chunk) for chunk in empty))]


def _visible(text: str) -> bool:
    return any(character.isprintable() and not character.isspace() for character in text)


def chunks_short(candidate: Candidate) -> Sequence[Finding]:
    """Share of the release that new chunks with too few words to answer anything take."""
    least = candidate.thresholds.short_words  # of Chinese or Japanese twice as many characters
    short = [chunk for chunk in candidate.chunks if word_count(chunk.text) < least]
    share, limit = _share(len(short), candidate.total), candidate.thresholds.short_share
    message = f"{len(short)} of {len(candidate.chunks)} chunks looked at have under {least} words"
    if share > limit:
        message += ": raise `min_tokens` of the chunk profile, or let a cleaning rule take what is noise"
    samples = first(shown(candidate, chunk) for chunk in short)
    return [Finding("chunks_short", "warning", share <= limit, share, limit, message, samples)]


def chunks_duplicate(candidate: Candidate) -> Sequence[Finding]:
    """Share of the release's different texts, each counted once a document, that new chunks have in common with another
    document. What one document says twice harms no other: `chunks_repeated` warns of it."""
    groups = _by_text(candidate)
    repeated = [
        group
        for group in groups
        if len({chunk.document_id for chunk in group}) > 1 or any(_copies(candidate, chunk) for chunk in group)
    ]
    count = sum(len({chunk.document_id for chunk in group}) for group in repeated)
    texts = candidate.total - sum(map(len, map(_again, groups)))
    share, limit = _share(count, texts), candidate.thresholds.duplicate_share
    level: Level = "error" if texts >= candidate.thresholds.small_release else "warning"
    message = f"{count} of {texts} texts say the same as one of another document"
    if share > limit:
        message += ": exclude copies of documents, or let a cleaning rule take what repeats on every page"
    samples = first(
        shown(candidate, group[0], also_in=_elsewhere(candidate, group), times=len(group))
        for group in sorted(repeated, key=len, reverse=True)
    )
    return [Finding("chunks_duplicate", level, share <= limit, share, limit, message, samples)]


def chunks_repeated(candidate: Candidate) -> Sequence[Finding]:
    """Share of the release that new chunks take which say what an earlier one of their document says."""
    again = sorted(filter(None, map(_again, _by_text(candidate))), key=len, reverse=True)
    count = sum(map(len, again))
    share, limit = _share(count, candidate.total), candidate.thresholds.duplicate_share
    message = f"{count} of {candidate.total} chunks say again what their own document says"
    if share > limit:
        documents = Counter(chunk.document_uri for group in again for chunk in group)
        uri, most = documents.most_common(1)[0]
        message += f", {most} of them of {uri}: look at the original, or leave it out by `exclude`"
    samples = first(shown(candidate, group[0], times=len(group) + 1) for group in again)
    return [Finding("chunks_repeated", "warning", share <= limit, share, limit, message, samples)]


def _by_text(candidate: Candidate) -> list[list[CandidateChunk]]:
    """Chunks that say the same, white space apart; each of a release once."""
    groups: dict[str, dict[tuple[str, int], CandidateChunk]] = defaultdict(dict)
    for chunk in candidate.chunks:
        if key := " ".join(chunk.text.split()):
            groups[key].setdefault((chunk.document_id, chunk.ordinal), chunk)
    return [list(group.values()) for group in groups.values()]


def _again(group: Sequence[CandidateChunk]) -> list[CandidateChunk]:
    """Chunks of a group but the first of each document."""
    firsts = {chunk.document_id: chunk for chunk in reversed(group)}
    return [chunk for chunk in group if firsts[chunk.document_id] is not chunk]


def _copies(candidate: Candidate, chunk: CandidateChunk) -> list[str]:
    """URIs of other documents that say the same as a chunk."""
    copies = candidate.copies.get(chunk.chunk_id, ())
    return [copy.document_uri for copy in copies if copy.document_uri != chunk.document_uri]


def _elsewhere(candidate: Candidate, group: Sequence[CandidateChunk]) -> list[str]:
    """At most three other documents that say the same as the first chunk of a group."""
    own = group[0].document_uri
    others = [uri for chunk in group for uri in (chunk.document_uri, *_copies(candidate, chunk)) if uri != own]
    return list(dict.fromkeys(others))[:3]


def chunks_over_limit(candidate: Candidate) -> Sequence[Finding]:
    """Chunks the embedder would cut or refuse, and those whose tokens cannot have been counted."""
    over = [chunk for chunk in candidate.chunks if chunk.tokens > candidate.max_tokens]
    longest = max((chunk.tokens for chunk in candidate.chunks), default=0)
    message = f"{len(over)} of {len(candidate.chunks)} chunks are over the embedder's {candidate.max_tokens} tokens"
    if over:
        message += f" (the longest has {longest}): lower `max_tokens` of the chunk profile"
    # A model without a script may take a whole run of it for one token.
    miscounted = [chunk for chunk in candidate.chunks if 3 * chunk.tokens < len(chunk.text.split())]
    if miscounted:
        message += f"; {len(miscounted)} have more words than tokens can tell: run again to have them counted anew"
    wrong = over + miscounted
    samples = first(place(chunk, tokens=chunk.tokens) for chunk in wrong)
    limit = float(candidate.max_tokens)
    return [Finding("chunks_over_limit", "error", not wrong, float(longest), limit, message, samples)]


def vectors_missing(candidate: Candidate) -> Sequence[Finding]:
    """Chunks that dense search would never find."""
    if not candidate.needs_vectors:
        return [Finding("vectors_missing", "info", True, None, None, "keyword-only mode: no vectors are needed")]
    missing = [chunk for chunk in candidate.chunks if not chunk.has_vector]
    count = max(candidate.without_vector, len(missing))
    message = f"{count} of {candidate.total} chunks have no vector"
    if count:
        message += ": run again to embed them; if it stays so, `kprep doctor` checks the embedding provider"
    samples = first(place(chunk) for chunk in missing)
    return [Finding("vectors_missing", "error", not count, _share(count, candidate.total), 0.0, message, samples)]


CHECKS = (
    CheckSpec("release_empty", release_empty),
    CheckSpec("view_empty", view_empty),
    CheckSpec("documents_failed", documents_failed),
    CheckSpec("cleaning_removed", cleaning_removed),
    CheckSpec("coverage_low", coverage_low),
    CheckSpec("parts_broken", parts_broken),
    CheckSpec("chunks_empty", chunks_empty),
    CheckSpec("chunks_short", chunks_short),
    CheckSpec("chunks_duplicate", chunks_duplicate),
    CheckSpec("chunks_repeated", chunks_repeated),
    CheckSpec("chunks_over_limit", chunks_over_limit),
    CheckSpec("vectors_missing", vectors_missing),
)
