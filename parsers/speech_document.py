"""Cues of speech as a document: utterances with their seconds, below headings that are stretches of one topic."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from kprep.core.models import Element, ElementKind, Locator

SECTION_MAX_S = 300.0
SECTION_MIN_S = 60.0
"""A topic is not left open longer, nor ended sooner (but where the speaker says that the topic ends)."""
UTTERANCE_MAX_S = 40.0
UTTERANCE_MAX_CHARS = 500
PAUSE_S = 2.0
"""Silence that ends an utterance."""
TOPIC_PAUSE_S = 6.0
LONG_PAUSE_S = 12.0
"""Silence over which no section reaches, however short it is: a citation must not play it."""
COHESION_WINDOW = 5
COHESION_SHARE = 0.5
"""The topic is taken to change where the cosine of the words of the five utterances before and after a place is lowest
and under this share of its mean over the recording."""

_SENTENCE_END = re.compile(r"[.!?…。！？]['\"”’)]*$")
_NEXT_TOPIC = re.compile(
    r"(?i)^\W*(?:(?:ok(?:ay)?|so|right|alright|now|good|great|thanks|thank you)[\s,.]+){0,2}(?:let(?:'s|’s| us) "
    r"(?:move|go) on|moving on|"
    r"(?:the |our )?(?:next|second|third|last|final) (?:topic|item|point|agenda|question|section|chapter|part)\b|"
    r"let(?:'s|’s| us) (?:talk|turn|switch)|kommen wir (?:nun )?zu|nächster punkt|passons à|siguiente punto|"
    r"接下来|下一个)"
)
_SOUND = re.compile(r"^\W*(?:[\[(（【♪♫#*][^\])）】]*[\])）】♪♫#*]?|♪.*|♫.*)\W*$")
_WORD = re.compile(r"[^\W\d_]{3,}")
_STOP = frozenset(
    "the and that this with for you are was were have has had not but they will would can could our your from what "
    "there their about which when just like know think going okay yeah right well then than them also into some been "
    "very here now really because should und der die das ist nicht ein eine wir sie ich mit auf für von den dem".split()
)


@dataclass(frozen=True, slots=True)
class Cue:
    """What is said in the seconds [start, end). `confidence` 0..1 where a model gave it."""

    start: float
    end: float
    text: str
    speaker: str = ""
    confidence: float | None = None


def is_sound(text: str) -> bool:
    """True for what names a sound and says nothing: "[Music]", "(applause)", "♪ ... ♪"."""
    return _SOUND.match(text.strip()) is not None


def spoken(cues: Sequence[Cue]) -> list[Cue]:
    """Cues in order of time, without sounds and without what rolling captions repeat of the cue before."""
    out: list[Cue] = []
    for cue in sorted(cues, key=lambda cue: (cue.start, cue.end)):
        text = " ".join(cue.text.split())
        if not text or is_sound(text):
            continue
        if out and cue.start <= out[-1].end + 0.5:
            text = _without_overlap(out[-1].text, text)
            if not text:
                out[-1] = replace(out[-1], end=max(out[-1].end, cue.end))
                continue
        out.append(replace(cue, text=text, end=max(cue.end, cue.start)))
    return out


def _without_overlap(before: str, text: str) -> str:
    """Text without the words at its start that are the last ones of the cue before: two at least, or all of it."""
    old, new = before.split(), text.split()
    for size in range(min(len(old), len(new)), 0, -1):
        if [word.casefold() for word in old[-size:]] == [word.casefold() for word in new[:size]]:
            return " ".join(new[size:]) if size > 1 or size == len(new) == len(old) else text
    return text


def utterances(cues: Sequence[Cue]) -> list[Cue]:
    """Cues of one speaker joined to sentences, up to a pause, `UTTERANCE_MAX_S` seconds or `UTTERANCE_MAX_CHARS`."""
    out: list[Cue] = []
    for cue in cues:
        last = out[-1] if out else None
        if last is not None and _continues(last, cue):
            known = [value for value in (last.confidence, cue.confidence) if value is not None]
            text = f"{last.text} {cue.text}"
            out[-1] = replace(last, end=cue.end, text=text, confidence=min(known) if known else None)
        else:
            out.append(cue)
    return out


def _continues(last: Cue, cue: Cue) -> bool:
    long = cue.end - last.start > UTTERANCE_MAX_S or len(last.text) + len(cue.text) > UTTERANCE_MAX_CHARS
    ended = _SENTENCE_END.search(last.text) is not None and len(last.text) > 120
    other = bool(cue.speaker) and cue.speaker != last.speaker
    return not (long or ended or other or cue.start - last.end > PAUSE_S or _NEXT_TOPIC.match(cue.text))


def elements_of(cues: Sequence[Cue]) -> list[Element]:
    """A heading ("00:00 - 04:12") a topic and a paragraph an utterance, with `time` in seconds.

    A paragraph begins with its speaker where the speaker changes or a topic begins.
    """
    elements: list[Element] = []
    for topic in topics(utterances(spoken(cues))):
        whole = Locator(time=(topic[0].start, topic[-1].end))
        elements.append(
            Element(ElementKind.HEADING, f"{clock(topic[0].start)} - {clock(topic[-1].end)}", whole, level=1)
        )
        speaker = ""
        for cue in topic:
            text = f"{cue.speaker}: {cue.text}" if cue.speaker and cue.speaker != speaker else cue.text
            speaker = cue.speaker
            place = Locator(time=(round(cue.start, 3), round(cue.end, 3)))
            elements.append(Element(ElementKind.PARAGRAPH, text, place, confidence=cue.confidence))
    return elements


def topics(said: Sequence[Cue]) -> Iterator[list[Cue]]:
    """Runs of utterances: ended by a long pause, a speaker who says so, a change of words, or `SECTION_MAX_S`."""
    changes = _changes(_bags(said))
    run: list[Cue] = []
    for index, cue in enumerate(said):
        if run and _begins(said, changes, index, run[0].start):
            yield run
            run = []
        run.append(cue)
    if run:
        yield run


def _begins(said: Sequence[Cue], changes: frozenset[int], index: int, start: float) -> bool:
    cue, length = said[index], said[index - 1].end - start
    pause = cue.start - said[index - 1].end
    if cue.end - start > SECTION_MAX_S or pause >= LONG_PAUSE_S or _NEXT_TOPIC.match(cue.text):
        return True
    return length >= SECTION_MIN_S and (pause >= TOPIC_PAUSE_S or index in changes)


def _changes(bags: Sequence[Counter[str]]) -> frozenset[int]:
    """Utterances at which the words change."""
    places = range(COHESION_WINDOW, len(bags) - COHESION_WINDOW + 1)
    cohesion = {index: _cohesion(bags, index) for index in places}
    limit = COHESION_SHARE * sum(cohesion.values()) / len(cohesion) if cohesion else 0.0
    return frozenset(
        index
        for index, value in cohesion.items()
        if value < limit and value <= min(cohesion.get(index - 1, 1.0), cohesion.get(index + 1, 1.0))
    )


def _cohesion(bags: Sequence[Counter[str]], index: int) -> float:
    before: Counter[str] = sum(bags[max(0, index - COHESION_WINDOW) : index], Counter())
    after: Counter[str] = sum(bags[index : index + COHESION_WINDOW], Counter())
    product = sum(count * after[word] for word, count in before.items())
    norm = math.sqrt(sum(n * n for n in before.values()) * sum(n * n for n in after.values()))
    return product / norm if norm else 1.0


def _bags(said: Sequence[Cue]) -> list[Counter[str]]:
    """Words of each utterance that tell one from another: none that two thirds of them use."""
    bags = [Counter(word for word in _WORD.findall(cue.text.casefold()) if word not in _STOP) for cue in said]
    used = Counter(word for bag in bags for word in bag)
    common = {word for word, count in used.items() if count * 3 > 2 * len(said) >= 4 * COHESION_WINDOW}
    return [Counter({word: count for word, count in bag.items() if word not in common}) for bag in bags]


def text_at(cues: Sequence[Cue], locator: Locator) -> str:
    """What is said at a place, each speaker named once for what they say in a row; everything without one."""
    if locator.time is None:
        return "\n".join(f"{cue.speaker}: {cue.text}" if cue.speaker else cue.text for cue in cues)
    start, end = locator.time
    inside = [cue for cue in cues if cue.start < end + 0.01 and cue.end > start - 0.01]
    return "\n".join(
        f"{cue.speaker}: {cue.text}" if cue.speaker and (at == 0 or inside[at - 1].speaker != cue.speaker) else cue.text
        for at, cue in enumerate(inside)
    )


def clock(seconds: float) -> str:
    """Seconds as minutes and seconds, with hours from one hour on: "04:12", "1:04:12"."""
    whole = int(seconds)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60:02d}:{rest % 60:02d}"


def gaps(cues: Sequence[Cue], duration: float, least: float) -> list[tuple[float, float]]:
    """Stretches of at least `least` seconds in which nothing is said, in order."""
    ordered = sorted((cue.start, cue.end) for cue in cues)
    edges = [(0.0, 0.0), *ordered, (duration, duration)]
    reached = 0.0
    out = []
    for (_, end), (start, _) in pairwise(edges):
        reached = max(reached, end)
        if start - reached >= least:
            out.append((reached, start))
    return out
