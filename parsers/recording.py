"""Audio and video: what is said in them, with its seconds. Voices are looked for first; only they are transcribed."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import asdict, replace
from functools import lru_cache

from kprep.core.errors import NeedsReview, NoSpeech
from kprep.core.models import (
    DocumentMetadata,
    JsonObject,
    Locator,
    ParsedDocument,
    ParserSpec,
    RawDocument,
    SourceUnit,
    SpeechSettings,
)
from parsers.audio import Sound, decode, slide_changes, stretches, within_budget
from parsers.speech_document import Cue, elements_of, gaps, text_at
from parsers.speech_model import Heard, model_folder, transcribe, without_repeats

NAME = "recording"
VERSION = 1
MEDIA_TYPES = (
    "audio/mpeg", "audio/wav", "audio/mp4", "audio/flac", "audio/ogg", "audio/aac", "audio/webm", "video/mp4",
    "video/x-matroska", "video/webm", "video/quicktime", "video/x-msvideo", "video/ogg",
)  # fmt: skip
SILENCE_S = 10.0
"""Stretches without a word of at least this length are units of their own."""
REVIEW_SHARE = 0.5
"""Share of segments that the model was unsure of from which a person must look at the whole recording."""

SETTINGS: ContextVar[SpeechSettings] = ContextVar("speech", default=SpeechSettings())  # noqa: B039 -- frozen
"""What the knowledge base says of speech; set by who walks a document through the rooms."""


def parse(raw: RawDocument) -> ParsedDocument:
    """Utterances below topics, with `time`; see `speech_document`.

    Units: "recording" (state "ok" or "truncated": its end could not be decoded), and by their first second "silence"
    ("no_speech"), "stretch" ("over_budget": speech that was not transcribed), "segment" ("made_up": repeated, or
    boilerplate that models invent; "needs_review": too uncertain to be used).
    Raises: NoSpeech, NeedsReview, CorruptDocument, SpeechModelMissing.
    """
    settings = SETTINGS.get()
    model_folder(settings)  # before anything is decoded
    sound = decode(raw.content, raw.uri)
    spans = stretches(sound)
    if not spans:
        raise NoSpeech(f"{raw.uri}: nobody speaks in its {sound.seconds:.0f} seconds", uri=raw.uri)
    changes = slide_changes(raw.content) if _is_over(spans, settings.budget_s) else []
    chosen = within_budget(spans, settings.budget_s, changes)
    heard = [transcribe(sound.between(*span), span[0], settings) for span in chosen]
    cues, repeated = without_repeats([cue for part in heard for cue in part.cues])
    dropped = sorted([*(item for part in heard for item in part.dropped), *repeated])
    _check(raw, sound, cues, dropped)
    elements = elements_of(cues)
    chars = sum(len(element.text) for element in elements)
    left_out = [span for span in spans if span not in chosen]
    units = (
        SourceUnit("recording", 1, "ok" if sound.complete else "truncated", chars),
        *(SourceUnit("silence", int(at), "no_speech", 0) for at, _ in gaps(_as_cues(spans), sound.seconds, SILENCE_S)),
        *(SourceUnit("stretch", int(at), "over_budget", 0) for at, _ in left_out),
        *(SourceUnit("segment", int(at), reason, 0) for at, reason in dropped),
    )
    metadata = DocumentMetadata(language=_language(heard))
    return ParsedDocument(raw.uri, raw.media_type, f"{NAME}@{VERSION}", tuple(elements), units, metadata)


def quote(content: bytes, locator: Locator) -> str:
    """What is said at the seconds of the locator, heard afresh, uncertain words too. Raises: as `parse`."""
    return _Listening.of(content, replace(SETTINGS.get(), accepted=True)).at(locator)


def _check(raw: RawDocument, sound: Sound, cues: Sequence[Cue], dropped: Sequence[tuple[float, str]]) -> None:
    unsure = sum(reason == "needs_review" for _, reason in dropped)
    if unsure and unsure >= REVIEW_SHARE * (unsure + len(cues)):
        stem = raw.uri.rpartition("/")[2].rpartition(".")[0]
        raise NeedsReview(
            f"{raw.uri}: {unsure} of {unsure + len(cues)} segments were recognised too uncertainly to be used unseen: "
            f"put a transcript that a person has corrected beside it ({stem}.vtt or .srt), give a better recording or "
            "a larger model (speech.model), or take it as it is (`kprep review accept`)",
            uri=raw.uri,
        )
    if not cues:
        raise NoSpeech(f"{raw.uri}: no word can be made out in its {sound.seconds:.0f} seconds", uri=raw.uri)


def _is_over(spans: Sequence[tuple[float, float]], budget_s: float) -> bool:
    return sum(end - start for start, end in spans) > budget_s


def _as_cues(spans: Sequence[tuple[float, float]]) -> list[Cue]:
    return [Cue(start, end, "") for start, end in spans]


def _language(heard: Sequence[Heard]) -> str:
    """The language most of the recording is in, by what the model was surest of; a stretch of music decides nothing."""
    weights: dict[str, float] = {}
    for part in heard:
        spoken = sum(cue.end - cue.start for cue in part.cues)
        weights[part.language] = weights.get(part.language, 0.0) + part.language_share * spoken
    return max(weights, key=lambda name: weights[name]) if weights else ""


class _Listening:
    """A recording that places are asked of: decoded once, each stretch transcribed when it is asked for."""

    def __init__(self, content: bytes, settings: SpeechSettings) -> None:
        self._settings = settings
        self._sound = decode(content, "the recording")
        self._spans = stretches(self._sound)
        self._said: dict[int, tuple[Cue, ...]] = {}

    @staticmethod
    @lru_cache(maxsize=1)
    def of(content: bytes, settings: SpeechSettings) -> _Listening:
        """The recording, kept until another one is asked for."""
        return _Listening(content, settings)

    def at(self, locator: Locator) -> str:
        """Words at a place; the whole recording without one."""
        start, end = locator.time or (0.0, self._sound.seconds)
        cues: list[Cue] = []
        for index, span in enumerate(self._spans):
            if span[0] < end + 0.5 and span[1] > start - 0.5:
                if index not in self._said:
                    heard = transcribe(self._sound.between(*span), span[0], self._settings)
                    self._said[index] = heard.cues
                cues += self._said[index]
        return text_at(cues, locator)


def options() -> JsonObject:
    """What of the configuration shapes the outcome."""
    return asdict(SETTINGS.get())


PARSER = ParserSpec(NAME, VERSION, MEDIA_TYPES, parse, quote, options)
