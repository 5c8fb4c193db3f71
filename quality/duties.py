"""Do sentences forbid what the live version allows, or the other way round, and say nothing else otherwise?"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from quality.clauses import MODAL, MODAL_UNSPACED
from quality.samples import MAX_CHARS, first, place, vouched
from quality.spec import Candidate, CandidateChunk, CheckSpec, Finding
from quality.text import sentences

LEAST_WORDS = 2
"""Words beside those of duty and denial that a sentence must have to be told from others."""

_WORD = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+|\|")
_CONTRACTED = re.compile(r"\bcan(?:not|['’]t)\b|(?<=\w)n['’]t\b", re.IGNORECASE)
_UNSPACED = re.compile("|".join(sorted(MODAL_UNSPACED, key=len, reverse=True)))
_FRENCH = {
    "duty": "doit doivent obligatoire",
    "leave": "peut peuvent autorisé autorisée",
    "ban": "interdit interdite",
    "denial": "pas jamais aucun aucune sans",
    "always": "toujours",
}
_KINDS = MODAL | {word: kind for kind, line in _FRENCH.items() for word in line.split()}
_HELPING = frozenset("do does did ne n to ein eine einen un une".split())
"""What comes and goes with a denial: "does not close", "kein" for "ein", "ne ... pas"."""


@dataclass(frozen=True, slots=True)
class Duty:
    """A sentence. `frame`: its words but those of duty and denial. `kinds`: what these say together; `words`: each."""

    text: str
    frame: tuple[str, ...]
    kinds: tuple[str, ...]
    words: tuple[str, ...]


@lru_cache(maxsize=4096)
def duties(text: str) -> tuple[Duty, ...]:
    """Sentences of a text with enough words beside those of duty and denial."""
    found = (_duty(sentence) for sentence in sentences(text))
    return tuple(made for made in found if len(made.frame) >= LEAST_WORDS)


def _duty(sentence: str) -> Duty:
    plain = _CONTRACTED.sub(lambda match: "can not" if match[0][:1] in "cC" else " not", sentence)
    plain = _UNSPACED.sub(lambda match: f" {MODAL_UNSPACED[match[0]]}\0 ", plain).casefold()
    frame: list[str] = []
    kinds: list[str] = []
    said: list[str] = []
    for match in _WORD.finditer(plain):
        word = match[0]
        marked = plain[match.end() : match.end() + 1] == "\0"
        kind = word if marked else _KINDS.get(word, "")
        said += [kind] if kind else []
        if not kind and word not in _HELPING:
            frame.append(word[:-1] if len(word) > 3 and word.endswith("s") else word)
        elif kind == "denial" and kinds[-1:] in (["duty"], ["leave"]):
            kinds[-1] = "ban"
        elif kind and kind != "always":
            kinds.append(kind)
    return Duty(sentence, tuple(frame), tuple(kinds), tuple(said))


def turned(one: Duty, other: Duty) -> bool:
    """Whether two sentences with the same other words lay down different things: both lay down something, or only one
    denies. "can run" beside "runs" is no difference."""
    if one.kinds == other.kinds:
        return False
    denied = [tuple(kind for kind in said.kinds if kind in ("denial", "ban")) for said in (one, other)]
    return denied[0] != denied[1] or bool(one.kinds and other.kinds)


def duties_turned(candidate: Candidate) -> Sequence[Finding]:
    """Sentences and rows that are those of the live version but for a denial or a word of duty."""
    held = candidate.by_document()
    found: list[tuple[CandidateChunk, Duty, Duty]] = []
    for document in candidate.documents:
        own = [chunk for chunk in held.get(document.document_id, ()) if chunk.kind != "code"]
        if document.live and any(chunk.is_new for chunk in own):
            found += _turned(own, [text for _, text in candidate.live_text(document.document_id)])
    message = f"{len(found)} sentences forbid, allow or demand another thing than in their live version"
    if found:
        message += ": compare them with their source"
    samples = first(_row(candidate, *each) for each in found)
    return [Finding("duties_turned", "warning", not found, float(len(found)), 0.0, message, samples)]


def _turned(chunks: Sequence[CandidateChunk], live: Iterable[str]) -> list[tuple[CandidateChunk, Duty, Duty]]:
    """New sentences, each with the one of the live version that has the same other words and stands no longer."""
    now = [(chunk, said) for chunk in chunks for said in duties(chunk.text)]
    before = [said for text in live for said in duties(text)]
    if _words(said for _, said in now) == _words(before):
        return []  # lines wrapped elsewhere carry such a word from one to the next
    stays = {said.frame: set[tuple[str, ...]]() for said in before}
    for _, said in now:
        stays.setdefault(said.frame, set()).add(said.kinds)
    lost: dict[tuple[str, ...], list[Duty]] = defaultdict(list)
    for said in before:
        if said.kinds not in stays[said.frame]:
            lost[said.frame].append(said)
    known = {(said.frame, said.kinds) for said in before}
    found = []
    for chunk, said in now:
        if chunk.is_new and (said.frame, said.kinds) not in known and lost[said.frame]:
            was = lost[said.frame].pop(0)
            if turned(was, said):
                found.append((chunk, was, said))
    return found


def _words(said: Iterable[Duty]) -> Counter[str]:
    return Counter(word for each in said for word in each.words)


def _row(candidate: Candidate, chunk: CandidateChunk, before: Duty, after: Duty) -> dict[str, Any]:
    row = place(chunk, "forbids, allows or demands another thing")
    if not (vouched(candidate, before.text) and vouched(candidate, after.text)):
        return row
    return row | {"before": before.text[: 2 * MAX_CHARS], "after": after.text[: 2 * MAX_CHARS]}


CHECKS = (CheckSpec("duties_turned", duties_turned),)
