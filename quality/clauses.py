"""Do two valid documents say different things of the same subject?

Two sentences are about the same when they agree in their words once numbers, dates and words of obligation and denial
are left out. They contradict each other when those differ. Nothing is decided between them: a person does that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from kprep.core.ids import digest
from quality.numerals import in_digits
from quality.samples import MAX_CHARS, first, place
from quality.spec import Candidate, CandidateChunk, CheckSpec, Finding
from quality.text import sentences, words

MOST_CHUNKS = 200
"""New chunks with a sentence that are compared, those that fix something first: at some 10 ms each."""
LEAST_WORDS = 5
"""Words a sentence must have beside its values; characters of a script without spaces count half."""
COMPOUND = 10
"""Letters from which a word counts twice: German says in one word what English says in two."""

_IDENTIFIER = re.compile(r"(?<!\w)(?=[\w./:-]*[^\W\d_])(?=[\w./:-]*\d)[^\W_]+(?:[_./:-][^\W_]+)+|(?<!\w)[^\W\d_]+\d\w*")
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_THOUSANDS = re.compile(r"(?<=\d)[,.](?=\d{3}(?!\d))")
_NAMED = (
    "zero one two three four five six seven eight nine ten eleven twelve",
    "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "zéro un deux trois quatre cinq six sept huit neuf dix onze douze",
)
NUMBER_WORDS = {
    word: str(value)
    for line in _NAMED
    for value, word in enumerate(line.split())
    if word not in ("null", "ein", "one", "un")
}
_MONTHS = (
    "january february march april june july august september october november december",
    "januar februar märz mai juni juli oktober dezember",
)
_MAY = re.compile(
    r"(\d(?:st|nd|rd|th)?\s|\b(?:in|by|of|from|until|till|since|before|after|early|late)\s)May\b|\bMay(?=\s\d)"
)
"""The month, not the verb: after a day or a word of time, or before a number."""
MONTHS = frozenset(" ".join(_MONTHS).split())
_MODAL_WORDS = {
    "duty": "must shall should required mandatory obligatory muss müssen soll sollen sollte verpflichtend",
    "leave": "may can allowed permitted optional might darf dürfen kann können erlaubt freiwillig",
    "ban": "forbidden prohibited banned verboten untersagt",
    "denial": "not never no cannot without nicht nie niemals kein keine keinen ohne",
    "always": "always every all immer jeder jede",
}
MODAL = {word: kind for kind, line in _MODAL_WORDS.items() for word in line.split()}
MODAL_UNSPACED = {
    "必须": "duty", "应当": "duty", "不得": "ban", "禁止": "ban", "不可以": "ban", "可以": "leave", "允许": "leave",
    "没有": "denial", "不": "denial",
}  # fmt: skip
_FILLING = frozenset(
    "a an the of to in on for is are be do does did and or it by with der die das ein eine und oder von zu".split()
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A sentence. `frame`: its words without its values and endings in -s, as a multiset."""

    sentence: str
    frame: Counter[str]
    numbers: tuple[str, ...]
    dates: tuple[str, ...]
    modality: tuple[str, ...]

    @property
    def plain(self) -> bool:
        """Whether it fixes nothing by itself; only its denial contradicts it."""
        return not (self.numbers or self.dates or self.modality)


@lru_cache(maxsize=4096)
def clauses(text: str) -> tuple[Clause, ...]:
    """Sentences of a text with enough words beside their numbers, dates and words of obligation."""
    found = (_clause(sentence) for sentence in sentences(text))
    return tuple(clause for clause in found if clause is not None)


def _clause(sentence: str) -> Clause | None:
    modality = []
    # A code such as TL-40 names the subject, it is no value: its parts are glued into one word.
    plain = _IDENTIFIER.sub(lambda match: re.sub(r"\W|_", "", match[0]) + "x", _MAY.sub(r"\1Mai", in_digits(sentence)))
    for word, kind in MODAL_UNSPACED.items():
        if word in plain:
            modality.append(kind)
            plain = plain.replace(word, " ")
    plain = _THOUSANDS.sub("", plain)
    numbers = [number.replace(",", ".") for number in _NUMBER.findall(plain) if _stands_alone(plain, number)]
    plain = re.sub(r"(?<![^\W\d_])\d+(?:[.,:/-]\d+)*(?![^\W\d_])", " ", plain)
    said = [word.removesuffix("n't") for word in words(plain)]
    dates = [word for word in said if word in MONTHS]
    numbers += [NUMBER_WORDS[word] for word in said if word in NUMBER_WORDS]
    modality += [MODAL[word] for word in said if word in MODAL]
    left = [word for word in said if word not in MONTHS and word not in NUMBER_WORDS and word not in MODAL]
    frame = Counter(_bare(word) for word in left if word not in _FILLING)
    if sum(_weight(word) for word in frame.elements()) < LEAST_WORDS:
        return None
    return Clause(sentence, frame, tuple(sorted(numbers)), tuple(sorted(dates)), tuple(sorted(set(modality))))


def _bare(word: str) -> str:
    """A word without an ending in -s: "replaces" is the same beside "does not replace"."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _weight(word: str) -> float:
    if len(word) == 1 and not word.isascii():
        return 0.5
    return 2.0 if len(word) >= COMPOUND else 1.0


def _stands_alone(text: str, number: str) -> bool:
    """True when the number is no part of a word such as TL40."""
    return re.search(rf"(?<![^\W_]){re.escape(number)}(?![^\W_])", text) is not None or not text.isascii()


def contradiction(one: Clause, other: Clause, likeness: float) -> str:
    """What two clauses say differently: "number", "date", "modality", or "" when they do not, or speak of another
    subject: with less than `likeness` of their other words (as multisets) in common."""
    if one.plain and other.plain:
        return ""
    common, either = (one.frame & other.frame).total(), (one.frame | other.frame).total()
    if common < likeness * either:
        return ""
    if one.dates != other.dates and len(one.dates) == len(other.dates):
        return "date"
    if one.numbers != other.numbers and len(one.numbers) == len(other.numbers):
        return "number"
    return "modality" if one.modality != other.modality and one.modality and other.modality else _denied(one, other)


def _denied(one: Clause, other: Clause) -> str:
    """A sentence and its denial contradict each other, though only one of them has such a word."""
    values = set(one.modality) ^ set(other.modality)
    same_values = one.numbers == other.numbers and one.dates == other.dates
    return "modality" if values & {"denial", "ban"} and same_values else ""


def clauses_conflict(candidate: Candidate) -> Sequence[Finding]:
    """Clauses of new chunks that contradict one of another document valid at the same time."""
    level = candidate.thresholds.conflicts
    if candidate.near is None:
        return [Finding("clauses_conflict", "info", True, None, 0.0, "inconclusive: no index to compare clauses by")]
    own = {chunk.chunk_id: found for chunk in candidate.chunks if chunk.is_new and (found := _of(chunk))}
    new = sorted(
        (chunk for chunk in candidate.chunks if chunk.chunk_id in own),
        key=lambda chunk: (all(clause.plain for clause in own[chunk.chunk_id]), digest("clause", chunk.chunk_id)),
    )[:MOST_CHUNKS]
    samples = []
    told: set[frozenset[str]] = set()
    for chunk in new:
        for other in candidate.near(chunk):
            pair = frozenset((chunk.chunk_id, other.chunk_id))
            if pair in told or not _comparable(candidate, chunk, other):
                continue
            told.add(pair)
            samples += [
                place(chunk, f"another {kind} than in {other.document_uri}", other_chunk_id=other.chunk_id)
                | _quoted(candidate, one, two)
                for one in own[chunk.chunk_id]
                for two in _of(other)
                if (kind := contradiction(one, two, candidate.thresholds.conflict_likeness))
            ]
    samples.sort(key=lambda sample: (sample["document_uri"], sample["ordinal"], sample["other_chunk_id"]))
    message = f"{len(samples)} clauses of {len(new)} new chunks contradict one of another valid document"
    if len(own) > len(new):
        message += f" ({len(own)} chunks have clauses, {MOST_CHUNKS} were compared)"
    if samples:
        message += ": correct one, or let the newer document supersede the older (`supersedes`, `valid_until`)"
    return [Finding("clauses_conflict", level, not samples, float(len(samples)), 0.0, message, first(samples))]


def _of(chunk: CandidateChunk) -> list[Clause]:
    return list(clauses(chunk.text)) if chunk.kind in ("text", "list") else []


def _quoted(candidate: Candidate, one: Clause, other: Clause) -> dict[str, str]:
    """Both sentences, unless the scan finds personal data in one."""
    if candidate.scan_text(one.sentence) or candidate.scan_text(other.sentence):
        return {}
    return {"text": one.sentence.strip()[: 2 * MAX_CHARS], "other_text": other.sentence.strip()[: 2 * MAX_CHARS]}


def _comparable(candidate: Candidate, one: CandidateChunk, other: CandidateChunk) -> bool:
    """True for chunks of different documents valid at the same time, under headings that name no different things, and
    neither of them ended."""
    if one.document_id == other.document_id or one.language != other.language:
        return False
    if candidate.expired & {one.document_uri, other.document_uri}:
        return False
    replaced = set(candidate.replaced.get(one.document_uri, ())) | set(candidate.replaced.get(other.document_uri, ()))
    if replaced & {one.document_uri, other.document_uri}:
        return False
    start = max(one.valid_from or date.min, other.valid_from or date.min)
    end = min(one.valid_until or date.max, other.valid_until or date.max)
    return start < end and not _different_subjects(one.heading_path, other.heading_path)


def _different_subjects(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """True when each heading has a name or number the other lacks: "Leave in Spain" is not "Leave in Norway"."""
    left, right = _names(one), _names(other)
    return bool(left - right) and bool(right - left)


def _names(path: tuple[str, ...]) -> set[str]:
    found = set()
    for heading in path[-1:]:
        parts = re.findall(r"[\w.-]+", heading)
        found |= {
            part.casefold()
            for number, part in enumerate(parts)
            if any(map(str.isdigit, part)) or (number and part[:1].isupper())
        }
    return found


CHECKS = (CheckSpec("clauses_conflict", clauses_conflict),)
