"""Is the text what the author wrote: decoded rightly, free of personal data, code in one piece?"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from functools import cache

from kprep.core.legible import doubtful, unreadable
from quality.garbled import garbled
from quality.samples import first, place, shown
from quality.spec import Candidate, CandidateChunk, CheckSpec, Finding
from quality.text import word_count

_SPACED_LETTERS = re.compile(r"(?<!\S)(?:[a-z\u00c0-\u04ff] ){5,}[a-z\u00c0-\u04ff](?!\S)", re.IGNORECASE)
_SPACED_UNSPACED = re.compile(r"(?<!\S)(?:[\u3400-\u9fff，。、；：] ){8,}[\u3400-\u9fff]")
"""Characters of a script without spaces, each apart: more than the days of a week."""
_ENTITY = re.compile(r"&(?:amp;)?(?:#\d{2,6}|#[xX][0-9a-fA-F]{2,5}|[a-zA-Z]{2,8}\d{0,2});")
_ON_ENTITIES = re.compile(r"\bentit|escap|html|xml|maskier|échapp|实体|转义", re.IGNORECASE)
_SHOWN_CODE = re.compile(r"`[^`]*`")
_SPACED_SCRIPT = re.compile(r"[A-Za-z\u00c0-\u04ff]{3,}")
_QUESTION_MARK = re.compile(r"(?<![^\s\"'(„“«‚-])[^\W\d_]*(?:\?+[^\W\d_]+)+(?=[\s.,;:!?\"')”“»-]|$)")
"""A word with question marks before its end: "Besch?ftigten", "?berstunden", "don?t"; no address, no code."""
_PATTERN = re.compile(r"regex|regular expression|pattern|wildcard|glob\b|regulär|muster|platzhalter", re.IGNORECASE)
MARKED = 2
MARKED_SHARE = 0.01
"""Such words in a document, and share of its words, from which letters must be lost; any more than the live version has
count where there is one."""
JOINED = 20
"""Letters a word has on average from which the spaces between words must be lost: names in chemistry have some 13."""


def text_encoding(candidate: Candidate) -> Sequence[Finding]:
    """Text that was decoded wrongly, and text that a rotated page gives letter by letter."""
    broken: list[tuple[CandidateChunk, str]] = []
    unsure: list[tuple[CandidateChunk, str]] = []
    for chunk in candidate.chunks:
        if reason := unreadable(chunk.text, chunk.kind):
            broken.append((chunk, reason))
        elif reason := doubtful(chunk.text, chunk.kind):
            unsure.append((chunk, reason))
        elif _SPACED_LETTERS.search(chunk.text):
            unsure.append((chunk, "letters stand apart: the page may be rotated"))
        elif chunk.kind != "code" and _SPACED_UNSPACED.search(chunk.text):
            unsure.append((chunk, "spaces stand between all characters"))
        elif chunk.kind != "code" and (entity := _entity(chunk.text)):
            unsure.append((chunk, f"{entity} stands for a character: it was escaped once too often"))
        elif chunk.kind in ("text", "list") and _joined(chunk.text):
            unsure.append((chunk, "words stand together: the spaces between them are lost"))
    told = {chunk.chunk_id for chunk, _ in broken + unsure}
    unsure += [pair for pair in _letters_lost(candidate) if pair[0].chunk_id not in told]
    told = {chunk.chunk_id for chunk, _ in broken + unsure}
    unsure += [pair for pair in garbled(candidate) if pair[0].chunk_id not in told]
    total = len(candidate.chunks)
    remedy = ": look at the originals; convert them to UTF-8 at the source or repair the page"
    return [
        Finding(
            "text_encoding",
            "error",
            not broken,
            len(broken) / total if total else 0.0,
            0.0,
            f"{len(broken)} of {total} chunks are wrongly decoded{remedy if broken else ''}",
            first(shown(candidate, chunk, reason) for chunk, reason in broken),
        ),
        Finding(
            "text_doubtful",
            "warning",
            not unsure,
            len(unsure) / total if total else 0.0,
            0.0,
            f"{len(unsure)} of {total} chunks may be wrongly read{remedy if unsure else ''}",
            first(shown(candidate, chunk, reason) for chunk, reason in unsure),
        ),
    ]


def _letters_lost(candidate: Candidate) -> list[tuple[CandidateChunk, str]]:
    """New chunks of documents in which question marks stand for letters: an export could not write them."""
    live = {document.document_id for document in candidate.documents if document.live}
    found = []
    for key, chunks in candidate.by_document().items():
        marked = {chunk.chunk_id: _marked(chunk.text) for chunk in chunks if chunk.kind != "code"}
        count = sum(marked.values())
        if count < MARKED:
            continue
        if key in live:
            least = sum(_marked(text) for _, text in candidate.live_text(key)) + 1.0
        else:
            least = MARKED_SHARE * sum(word_count(chunk.text) for chunk in chunks)
        if count >= least:
            found += [chunk for chunk in chunks if chunk.is_new and marked.get(chunk.chunk_id)]
    return [(chunk, f"{_marked(chunk.text)} words have a question mark for a letter") for chunk in found]


def _marked(text: str) -> int:
    """Words with a question mark in the place of a letter: none in "Why?Because", nor in a text about patterns."""
    if "?" not in text or _PATTERN.search(text):
        return 0
    found = _QUESTION_MARK.findall(text)
    return sum(word.isupper() or not word.lstrip("?").partition("?")[2].lstrip("?")[:1].isupper() for word in found)


def _entity(text: str) -> str:
    """The first entity of HTML that stands for itself, "" in a text that speaks of them."""
    if "&" not in text or _ON_ENTITIES.search(text):
        return ""
    found = _ENTITY.finditer(_SHOWN_CODE.sub(" ", text))
    return next((match[0] for match in found if html.unescape(html.unescape(match[0])) != match[0]), "")


def _joined(text: str) -> bool:
    found = _SPACED_SCRIPT.findall(text)
    return sum(map(len, found)) > JOINED * max(2, len(found))


def personal_data(candidate: Candidate) -> Sequence[Finding]:
    """Scans what new chunks cite and what they index; samples name kinds and places, never the words."""
    new = [chunk for chunk in candidate.chunks if chunk.is_new]
    found: list[tuple[CandidateChunk, str, list[str]]] = []
    scan = cache(lambda text: sorted(set(candidate.scan_text(text))))  # what is said twice is scanned once
    for chunk in new:
        for name, text in (("text", chunk.text), ("index_text", chunk.index_text)):
            if kinds := scan(text):
                found.append((chunk, name, kinds))
    chunks = {chunk.chunk_id for chunk, _, _ in found}
    message = f"{len(chunks)} of {len(new)} new chunks hold personal data or secrets"
    if chunks:
        kinds = sorted({kind for _, _, named in found for kind in named})
        message += f" ({', '.join(kinds)}): extend the redaction policy for these places, then run again"
    samples = first(place(chunk, found_in=name, kinds=kinds) for chunk, name, kinds in found)
    return [Finding("personal_data", "error", not chunks, float(len(chunks)), 0.0, message, samples)]


CHECKS = (
    CheckSpec("text_encoding", text_encoding),
    CheckSpec("personal_data", personal_data),
)
