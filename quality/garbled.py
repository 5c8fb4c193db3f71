"""Words that were recognised wrongly: signs within them, or other letters than in the live version."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from quality.spec import Candidate, CandidateChunk

LEAST = 5
"""Words that must be odd before a share of them says anything."""
LONG = 5
"""Letters from which a word that differs in few of them is the same word spelled otherwise."""
MOST_COMPARED = 1000
"""Words of a document that are compared with those of its live version."""

_WORD = re.compile(r"[^\W\d_]{2,}|\S*[^\W\d_]\S*")
_EDGE = ".,;:!?\"'()[]{}<>«»“”„‘’*_`…–—"
_SIGN_WITHIN = re.compile(r"[^\W\d_][0-9@!$|]+[^\W\d_]")
_ADDRESS = re.compile(r"://|[^\W_]@[\w-]+\.\w|[/\\=&#%_+.]|^[0-9a-f-]+$|^[a-z]+\d+[a-z]?$|^\d")
"""Addresses, paths, hashes and names with a number are written so."""


def garbled(candidate: Candidate) -> list[tuple[CandidateChunk, str]]:
    """New chunks of documents in which an abnormal share of the words is garbled, each with what is odd in it."""
    limit = candidate.thresholds.garbled_share
    live = {document.document_id for document in candidate.documents if document.live}
    found = []
    for key, held in candidate.by_document().items():
        chunks = [chunk for chunk in held if chunk.kind != "code"]
        if not any(chunk.is_new for chunk in chunks):
            continue
        said = [word for chunk in chunks for word in _words(chunk.text)]
        odd = {word for word in said if _odd(word)}
        respelled: set[str] = set()
        if key in live:
            before = [word for _, text in candidate.live_text(key) for word in _words(text)]
            odd -= set(before)
            respelled = _respelled(said, before)
        with_signs = sum(word in odd for word in said)
        times = sum(word in odd or word in respelled for word in said)
        least = max(LEAST, limit * len(said))
        # A text put quite otherwise has words as near to lost ones as well: up to 6 % of them in the handbook.
        if with_signs >= least or times >= 2 * least:
            odd |= respelled
            reason = f"{times} of {len(said)} words of the document look garbled, as by a bad recognition"
            found += [(chunk, reason) for chunk in chunks if chunk.is_new and odd & set(_words(chunk.text))]
    return found


def _words(text: str) -> list[str]:
    return [word for part in text.split() if len(word := part.strip(_EDGE)) >= 3 and _WORD.fullmatch(word)]


def _odd(word: str) -> bool:
    """A digit or sign between letters of a word that is no address, identifier or unit."""
    return bool(_SIGN_WITHIN.search(word)) and not _ADDRESS.search(word.casefold()) and word[1:] == word[1:].lower()


def _respelled(now: Iterable[str], before: Iterable[str]) -> set[str]:
    """Words that are new in a document and differ in few letters from words of the live version that it lost. None
    where it has no more different words than before: a text that was repaired loses spellings."""
    plain, known = {word.casefold() for word in now}, {word.casefold() for word in before}
    if len(plain) <= len(known):
        return set()
    lost: dict[int, list[str]] = defaultdict(list)
    for word in known - plain:
        if len(word) >= LONG and word.isalpha() and word.isascii():
            lost[len(word)].append(word)
    new = sorted(word for word in plain - known if len(word) >= LONG)[:MOST_COMPARED]
    alike = {word for word in new if any(_near(word, other) for other in lost[len(word)])}
    return {word for word in now if word.casefold() in alike}


def _near(one: str, other: str) -> bool:
    return sum(a != b for a, b in zip(one, other, strict=True)) <= len(one) // 3
