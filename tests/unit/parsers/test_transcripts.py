"""Transcripts and subtitles: seconds, speakers, topics; never one chunk for a whole track."""

from __future__ import annotations

import json

import pytest

import parsers
from kprep.core.errors import CorruptDocument, NoSpeech
from kprep.core.models import ElementKind, Locator, ParsedDocument, RawDocument
from parsers.media_type import detect
from parsers.speech_document import SECTION_MAX_S, Cue, clock, elements_of, gaps
from parsers.transcript import read_cues


def parsed(text: str, name: str) -> ParsedDocument:
    content = text.encode()
    media_type = detect(name, content)
    return parsers.parse(RawDocument(f"talks/{name}", name, content, media_type), parsers.parser_for(media_type))


def srt(seconds: int) -> str:
    """A subtitle track of sentences of four seconds, two topics of words in turn every four minutes."""
    words = (("invoice", "payment", "reminder", "ledger"), ("server", "backup", "restore", "cluster"))
    out = []
    for number, start in enumerate(range(0, seconds, 4), 1):
        topic = words[start // 240 % 2]
        times = (f"{t // 3600:02d}:{t // 60 % 60:02d}:{t % 60:02d},000" for t in (start, start + 4))
        out.append(f"{number}\n{' --> '.join(times)}\nStep {number} moves the {topic[number % 4]} to the {topic[0]}.\n")
    return "\n".join(out)


@pytest.mark.req("D2.28", "D6.20")
def test_a_long_track_is_cut_into_topics_and_utterances() -> None:
    document = parsed(srt(7200), "long.srt")
    headings = [element for element in document.elements if element.kind is ElementKind.HEADING]
    paragraphs = [element for element in document.elements if element.kind is ElementKind.PARAGRAPH]
    assert len(headings) >= 7200 / SECTION_MAX_S
    lengths = [element.locator.time[1] - element.locator.time[0] for element in headings if element.locator.time]
    assert max(lengths) <= SECTION_MAX_S
    assert max(len(element.text) for element in paragraphs) <= 600
    said = " ".join(element.text for element in paragraphs)
    assert all(f"Step {number} moves" in said for number in range(1, 1801))
    changes = [element.locator.time[0] for element in headings if element.locator.time]
    assert sum(min(abs(start - at) for start in changes) <= 24 for at in range(240, 7200, 240)) >= 25


@pytest.mark.req("D2.28", "D3.10")
def test_a_place_opens_what_is_said_there() -> None:
    text = srt(400)
    document = parsed(text, "talk.srt")
    spec = parsers.parser_for("application/x-subrip")
    for element in document.elements:
        if element.kind is ElementKind.PARAGRAPH:
            assert set(element.text.split()) <= set(spec.quote(text.encode(), element.locator).split())
    assert spec.quote(text.encode(), Locator(time=(8.5, 9.0))) == "Step 3 moves the ledger to the invoice."


@pytest.mark.parametrize(
    "value",
    [
        {"segments": [{"start": 1.5, "end": 2.0, "text": "Hello there."}]},
        [{"start_time": "1.5", "end_time": "2.0", "transcript": "Hello there."}],
        {"events": [{"tStartMs": 1500, "dDurationMs": 500, "segs": [{"utf8": "Hello "}, {"utf8": "there."}]}]},
        {"results": {"audio_segments": [{"start_time": "1.5", "end_time": "2", "transcript": "Hello there."}]}},
        {"transcript": [{"start": 1.5, "duration": 0.5, "text": "Hello there."}]},
        {"entries": [{"startTime": "00:00:01.500", "endTime": "00:00:02", "text": "Hello there."}]},
    ],
)
def test_services_write_transcripts_in_many_ways(value: object) -> None:
    document = parsed(json.dumps(value), "t.json")
    assert [(e.text, e.locator.time) for e in document.elements[1:]] == [("Hello there.", (1.5, 2.0))]


def test_only_sounds_are_no_speech() -> None:
    with pytest.raises(NoSpeech) as refused:
        parsed("WEBVTT\n\n00:00.000 --> 00:02.000\n[Music]\n\n00:02.000 --> 00:03.000\n♪ la la ♪\n", "s.vtt")
    assert refused.value.reason == "no_speech"
    with pytest.raises(CorruptDocument):
        parsed("WEBVTT\n\nno times here", "s.vtt")


def test_one_speaker_is_named_where_it_changes() -> None:
    cues = [Cue(0, 2, "We ship on Friday.", "Ana"), Cue(5, 7, "Then we test.", "Ana"), Cue(7, 8, "Fine.", "Ben")]
    assert [element.text for element in elements_of(cues)[1:]] == [
        "Ana: We ship on Friday.",
        "Then we test.",
        "Ben: Fine.",
    ]


def test_times_read_like_a_clock() -> None:
    assert (clock(7), clock(252.9), clock(3852)) == ("00:07", "04:12", "1:04:12")
    assert gaps([Cue(2, 4, "a"), Cue(3, 9, "b")], 20, 5) == [(9, 20)]
    assert read_cues("nothing") == []


def test_rolling_captions_count_as_covered() -> None:
    first, second = "00:00:00,000 --> 00:00:02,000", "00:00:02,000 --> 00:00:04,000"
    text = f"1\n{first}\nwe restore the\n\n2\n{second}\nwe restore the\nlast backup\n"
    content = text.encode()
    raw = RawDocument("talks/r.srt", "r.srt", content, "application/x-subrip")
    document = parsed(text, "r.srt")
    assert document.elements[-1].text == "we restore the last backup"
    assert parsers.coverage(raw, document) == 1.0
