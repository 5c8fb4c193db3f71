"""How much differs from the live release, who gains access, and does the newer version come first?"""

from __future__ import annotations

from collections.abc import Sequence

from kprep.core.ids import digest
from quality.samples import first, place
from quality.spec import Candidate, CheckSpec, Expected, Finding, Level, Question

SEVERAL = 2
"""Documents of a kind: that the only one is gone says nothing."""
PUBLIC = "public"
PROBES = 50
"""Pairs of an old and a new document that are asked for."""
VECTORS = 12
"""New chunks whose vector is computed again."""


def mass_change(candidate: Candidate) -> Sequence[Finding]:
    """Share of the live documents that are changed or gone."""
    changed = sum(document.live is not None for document in candidate.documents) + candidate.retired
    share = changed / candidate.live_documents if candidate.live_documents else 0.0
    limit = candidate.thresholds.changed_share
    passed = share <= limit or changed <= candidate.thresholds.changed_documents
    message = f"{changed} of {candidate.live_documents} live documents are changed or gone"
    if not passed:
        message += ": expected after a change of rules or a restructuring; else look at the sources"
    return [Finding("mass_change", "warning", passed, share, limit, message)]


def permissions_widened(candidate: Candidate) -> Sequence[Finding]:
    """Documents that more principals may read than the live release allows; an error where `public` is a new one.

    Compared are the chunks the candidate holds, not what was prepared, with the permissions of the live version. The
    principals of a new document have nothing to be compared with, except that what is confidential is not public.
    A section's own principals gain nothing: they read it only as far as they may read the document. A section that was
    closed to some of them and no longer is counts as well.
    """
    live = {document.document_id: document for document in candidate.documents if document.live}
    known = {document.document_id: document for document in candidate.documents}
    gained: dict[str, set[str]] = {}
    for chunk in candidate.chunks:
        before = live.get(chunk.document_id)
        if before is not None and before.live is not None:
            more = set(chunk.acl) - set(before.live.acl) if PUBLIC not in before.live.acl else set()
            closed = before.live.sections.get(chunk.chunk_id)
            if closed is not None:
                more |= set(chunk.acl if chunk.section_acl is None else chunk.section_acl) - set(closed)
        else:
            document = known.get(chunk.document_id)
            own = set(document.prepared.acl) if document is not None else set(chunk.acl)
            secret = document is not None and document.sensitivity in ("confidential", "restricted", "secret")
            more = (set(chunk.acl) - own) | ({PUBLIC} & set(chunk.acl) if secret else set())
        if more:
            gained.setdefault(chunk.document_uri, set()).update(more)
    opened = [uri for uri, more in gained.items() if PUBLIC in more]
    level: Level = "error" if opened else "warning"
    message = f"{len(gained)} documents can be read by more principals than before, {len(opened)} of them by everybody"
    if gained:
        message += ": compare the sources' `acl`, sidecars and front matter with who should read them"
    samples = first({"document_uri": uri, "gained": sorted(more)} for uri, more in sorted(gained.items()))
    return [Finding("permissions_widened", level, not gained, float(len(gained)), 0.0, message, samples)]


def metadata_differs(candidate: Candidate) -> Sequence[Finding]:
    """Chunks with other readers, sensitivity or validity than their document: a filter would take them apart."""
    known = {document.document_id: document for document in candidate.documents}
    wrong = []
    for chunk in candidate.chunks:
        document = known.get(chunk.document_id)
        if document is None:
            continue
        now = document.prepared
        pairs = {
            "acl": (sorted(chunk.acl), sorted(now.acl)),
            "sensitivity": (chunk.sensitivity, document.sensitivity),
            "valid_from": (chunk.valid_from, now.valid_from),
            "valid_until": (chunk.valid_until, now.valid_until),
        }
        if fields := [name for name, (one, other) in pairs.items() if one != other]:
            wrong.append(place(chunk, fields=fields))
    message = f"{len(wrong)} of {len(candidate.chunks)} chunks differ from their document in who may read them and when"
    if wrong:
        message += ": run again; if it stays so, `kprep verify --heal`"
    return [Finding("metadata_differs", "error", not wrong, float(len(wrong)), 0.0, message, first(wrong))]


def validity_lost(candidate: Candidate) -> Sequence[Finding]:
    """Documents that ended on a day and no longer do, or that had ended and are valid again by a later day: an error
    where a newer document supersedes them."""
    found = []
    for document in candidate.documents:
        was = document.live.valid_until if document.live else None
        until = document.prepared.valid_until
        back = document.uri in candidate.live_expired and document.uri not in candidate.expired
        if was is not None and (until is None or (back and until > was)):
            ends = until.isoformat() if until else None
            found.append((document.uri, {"document_uri": document.uri, "ended": was.isoformat(), "ends": ends}))
    again = sum(row["ends"] is not None for _, row in found)
    replaced = sum(bool(candidate.replaced.get(uri)) for uri, _ in found)
    message = f"{len(found) - again} documents had an end of validity and have none now"
    message += f", {again} had ended and are valid again" if again else ""
    message += f"; {replaced} of them superseded" if replaced else ""
    if found:
        message += ": look at `valid_until` in their front matter or first lines; an old rule would be found again"
    level: Level = "error" if replaced else "warning"
    samples = first(row for _, row in found)
    return [Finding("validity_lost", level, not found, float(len(found)), 0.0, message, samples)]


def documents_exchanged(candidate: Candidate) -> Sequence[Finding]:
    """Pairs of documents each of which now has the bytes that the other one has in the live release."""
    was = {document.live.content: document for document in candidate.documents if document.live}
    pairs = set()
    for document in candidate.documents:
        if document.live is None or document.prepared.content in ("", document.live.content):
            continue
        other = was.get(document.prepared.content)
        if other is not None and other.prepared.content == document.live.content:
            pairs.add(tuple(sorted((document.uri, other.uri))))
    message = f"{len(pairs)} pairs of documents have changed places"
    if pairs:
        message += ": rename the files back, or confirm in review"
    samples = first({"document_uri": one, "other_uri": other} for one, other in sorted(pairs))
    return [Finding("documents_exchanged", "error", not pairs, float(len(pairs)), 0.0, message, samples)]


def formats_gone(candidate: Candidate) -> Sequence[Finding]:
    """Kinds of file of which the live release has several and the candidate none: an export or a parser that broke."""
    gone = {kind: count for kind, count in candidate.formats_gone.items() if count >= SEVERAL}
    message = f"all documents of {len(gone)} kinds of file are gone"
    if gone:
        message += ": look whether they were taken from the source on purpose"
    samples = first({"media_type": kind, "documents": count} for kind, count in sorted(gone.items()))
    return [Finding("formats_gone", "warning", not gone, float(len(gone)), 0.0, message, samples)]


def newer_first(candidate: Candidate) -> Sequence[Finding]:
    """No expired document among the hits, and none that is superseded above what supersedes it.

    Looked for in the answers to the fixed questions, and by asking for the title of each new document that supersedes
    another, as somebody who may read both.
    """
    wrong = []
    probes = _probes(candidate)
    asked = [question for question in candidate.questions if question.kind not in ("no_answer", "denied")] + probes
    measured = 0
    for question in asked:
        try:
            hits = candidate.ask(question, 10)
        except Exception as error:  # noqa: BLE001  `questions_measured` reports the fixed ones
            if question in probes:
                wrong.append({"question_id": question.id, "reason": f"not measured: {type(error).__name__}"})
            continue
        measured += 1
        order = list(dict.fromkeys(hit.document_uri for hit in hits))
        for place_, uri in enumerate(order):
            later = [newer for newer in candidate.replaced.get(uri, ()) if newer in order[place_ + 1 :]]
            if uri in candidate.expired:
                wrong.append({"question_id": question.id, "document_uri": uri, "reason": "it is expired"})
            elif later:
                wrong.append({"question_id": question.id, "document_uri": uri, "reason": f"above {later[0]}"})
    message = f"{len(wrong)} hits of {measured} questions are of expired or superseded documents before their successor"
    if wrong:
        message += ": check `valid_until` and `supersedes` of these documents"
    return [Finding("newer_first", "error", not wrong, float(len(wrong)), 0.0, message, first(wrong))]


def _probes(candidate: Candidate) -> list[Question]:
    """A question for each new document that supersedes another: its own title and first words."""
    newer = {uri: old for old, uris in candidate.replaced.items() for uri in uris}
    probes = {}
    for chunk in candidate.chunks:
        if chunk.document_uri in newer and chunk.document_uri not in probes and chunk.kind in ("text", "list"):
            words = " ".join((*chunk.heading_path[:1], *chunk.text.split()[:12]))
            span = Expected(newer[chunk.document_uri], words)
            readers = (*chunk.acl, *(chunk.section_acl or ()))
            probes[chunk.document_uri] = Question(f"newer:{chunk.document_uri}", words, "natural", readers, (span,))
    return list(probes.values())[:PROBES]


def vectors_wrong(candidate: Candidate) -> Sequence[Finding]:
    """Stored vectors that the model named by the release does not give: of another model, or of another text."""
    same = candidate.thresholds.vector_cosine  # of one text by one model; rounding costs less
    if not candidate.needs_vectors or candidate.vector_agreement is None:
        return [Finding("vectors_wrong", "info", True, None, same, "keyword-only mode: no vectors are compared")]
    new = sorted(
        (chunk for chunk in candidate.chunks if chunk.is_new and chunk.has_vector),
        key=lambda chunk: digest("vector", chunk.chunk_id),
    )[:VECTORS]
    cosines = [(chunk, candidate.vector_agreement(chunk)) for chunk in new]
    unknown = sum(cosine is None for _, cosine in cosines)
    wrong = [(chunk, cosine) for chunk, cosine in cosines if cosine is not None and cosine < same]
    if unknown:
        message = "inconclusive: the embedder cannot be asked, so no vector was computed again"
        return [Finding("vectors_wrong", "warning", False, None, same, message)]
    message = f"{len(wrong)} of {len(new)} vectors computed again differ from what is stored"
    if wrong:
        message += ": the model behind the name has changed; give it another revision in `embedding`, then run again"
    least = min((cosine for _, cosine in cosines if cosine is not None), default=None)
    samples = first(place(chunk, cosine=round(cosine, 3)) for chunk, cosine in wrong)
    return [Finding("vectors_wrong", "error", not wrong, least, same, message, samples)]


CHECKS = (
    CheckSpec("mass_change", mass_change),
    CheckSpec("permissions_widened", permissions_widened),
    CheckSpec("metadata_differs", metadata_differs),
    CheckSpec("validity_lost", validity_lost),
    CheckSpec("documents_exchanged", documents_exchanged),
    CheckSpec("formats_gone", formats_gone),
    CheckSpec("newer_first", newer_first),
    CheckSpec("vectors_wrong", vectors_wrong),
)
