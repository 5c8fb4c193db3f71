"""Sound of a recording, and where in it somebody speaks. PyAV reads the container, Silero finds the voices."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kprep.core.errors import CorruptDocument, NoSpeech, SpeechModelMissing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.int16]

RATE = 16_000
MAX_SECONDS = 6 * 3600
STRETCH_S = 28.0
"""A stretch of speech is filled up to this length, so that it fits one window of the model (30 s)."""
JOIN_S = 1.0
"""Silence between voices that does not end a stretch."""
SLIDE_CHANGE = 12.0
"""Mean difference of two key frames (0..255) from which the picture is another one."""
REMEDY = "install kprep's extra `speech`, or put a transcript (.vtt, .srt, .json) of the same name beside the recording"


@dataclass(frozen=True, slots=True)
class Sound:
    """Samples at `RATE`, one channel. `complete` is False where the end could not be decoded or is over the limit."""

    samples: Samples
    complete: bool

    @property
    def seconds(self) -> float:
        """Length in seconds."""
        return len(self.samples) / RATE

    def between(self, start: float, end: float) -> Any:
        """Samples of some seconds as floats -1..1."""
        import numpy as np

        return self.samples[int(start * RATE) : int(end * RATE)].astype(np.float32) / 32768.0


def decode(content: bytes, uri: str) -> Sound:
    """The sound of an audio or video file; what comes before damage is kept.

    Raises: CorruptDocument (nothing can be decoded), NoSpeech (no sound track), SpeechModelMissing (no extra).
    """
    try:
        import av
        import numpy as np
    except ImportError as error:
        raise SpeechModelMissing(f"{uri}: a recording cannot be read: {REMEDY}", uri=uri) from error
    parts: list[Any] = []
    length, complete = 0, True
    try:
        with av.open(io.BytesIO(content), metadata_errors="ignore") as container:
            if not container.streams.audio:
                raise NoSpeech(f"{uri}: the recording has no sound track", uri=uri)
            resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
            for frame in container.decode(container.streams.audio[0]):
                for piece in resampler.resample(frame):
                    parts.append(piece.to_ndarray().reshape(-1))
                    length += len(parts[-1])
                if length >= MAX_SECONDS * RATE:
                    complete = False
                    break
            declared = (container.duration or 0) / 1_000_000
            complete = complete and length / RATE >= declared - 2.0 and _ends(content)
    except av.error.FFmpegError as error:
        if not parts:
            raise CorruptDocument(f"{uri}: the recording cannot be decoded", uri=uri) from error
        complete = False
    if not parts:
        raise CorruptDocument(f"{uri}: the recording holds no sound that can be decoded", uri=uri)
    return Sound(np.concatenate(parts)[: MAX_SECONDS * RATE], complete)


def _ends(content: bytes) -> bool:
    """False where the container itself says that its end is missing: an Ogg stream not closed, a short RIFF file."""
    if content.startswith(b"OggS"):
        last = content.rfind(b"OggS")
        return len(content) > last + 5 and bool(content[last + 5] & 4)
    if content.startswith(b"RIFF"):
        return int.from_bytes(content[4:8], "little") <= len(content)
    return True


def stretches(sound: Sound) -> list[tuple[float, float]]:
    """Seconds in which somebody speaks, in order, put together up to `STRETCH_S`."""
    from faster_whisper.vad import VadOptions, get_speech_timestamps

    options = VadOptions(min_silence_duration_ms=400, speech_pad_ms=150, max_speech_duration_s=STRETCH_S)
    found: list[tuple[float, float]] = []
    block = 600.0
    for start in range(0, max(int(sound.seconds), 1), int(block)):
        part = sound.between(start, start + block)
        spans = get_speech_timestamps(part, options)
        found += [(start + span["start"] / RATE, start + span["end"] / RATE) for span in spans]
    out: list[tuple[float, float]] = []
    for begin, end in found:
        if out and begin - out[-1][1] <= JOIN_S and end - out[-1][0] <= STRETCH_S:
            out[-1] = (out[-1][0], end)
        else:
            out.append((begin, end))
    return out


def slide_changes(content: bytes) -> list[float]:
    """Seconds at which the picture of a video becomes another one, by its key frames; [] for sound alone."""
    import av
    import numpy as np

    changes: list[float] = []
    before: Any = None
    try:
        with av.open(io.BytesIO(content), metadata_errors="ignore") as container:
            if not container.streams.video:
                return []
            stream = container.streams.video[0]
            stream.codec_context.skip_frame = "NONKEY"
            for frame in container.decode(stream):
                small = frame.reformat(width=32, height=18, format="gray").to_ndarray().astype(np.int16)
                if before is None or float(np.abs(small - before).mean()) >= SLIDE_CHANGE:
                    changes.append(float(frame.time or 0.0))
                before = small
    except av.error.FFmpegError:
        pass  # what was seen until then counts
    return changes


def within_budget(
    spans: Sequence[tuple[float, float]], budget_s: float, changes: Sequence[float]
) -> list[tuple[float, float]]:
    """The stretches to transcribe, in order: all where they fit, else those that say most of the recording.

    First the one at the beginning and those right after a change of the picture, then by turns from all over the
    recording, as long as the budget lasts.
    """
    if sum(end - start for start, end in spans) <= budget_s:
        return list(spans)
    first = [0] if spans else []
    for change in changes:
        first += [at for at, (start, end) in enumerate(spans) if end > change][:1]
    order = list(dict.fromkeys(first)) + _spread(len(spans))
    chosen: list[int] = []
    left = budget_s
    for at in dict.fromkeys(order):
        length = spans[at][1] - spans[at][0]
        if length <= left:
            chosen.append(at)
            left -= length
    return [spans[at] for at in sorted(chosen)]


def _spread(count: int) -> list[int]:
    """0..count-1 so that each is far from those before it."""
    out: list[int] = []
    queue = [(0, count)]
    while queue:
        low, high = queue.pop(0)
        if low >= high:
            continue
        middle = (low + high) // 2
        out.append(middle)
        queue += [(low, middle), (middle + 1, high)]
    return out
