"""Transcripts and subtitles: WebVTT, SubRip, and the JSON that transcription services write."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any

from kprep.core.errors import CorruptDocument, NoSpeech
from kprep.core.models import DocumentMetadata, Locator, ParsedDocument, ParserSpec, RawDocument, SourceUnit
from parsers.decoding import decode, decode_document
from parsers.speech_document import Cue, elements_of, is_sound, text_at

NAME = "transcript"
VERSION = 2
VTT, SRT, JSON = "text/vtt", "application/x-subrip", "application/vnd.kprep.transcript+json"

_TIMING = re.compile(
    r"^\s*(?:(\d+):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})\s*-->\s*(?:(\d+):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})"
)
_CLOCK = re.compile(r"(?:(\d+):)?(\d{1,2}):(\d{1,2}(?:[.,]\d+)?)")
_VOICE = re.compile(r"<v(?:\.[\w.-]+)?\s+([^<>]{1,80})>")
_TAG = re.compile(r"</?[^<>]{0,80}>|\{\\[^{}]{0,40}\}")
_SPEAKER = re.compile(r"^\s*(?:-\s+|>>\s*)?([^\W\d_][\w .'’()-]{0,40}?):\s+(?=\S)")
_LANGUAGE = re.compile(r"(?im)^language:\s*([a-z]{2,3})\b")
_START = tuple("start start_time startTime start_s from begin tStartMs offset start_ms timestamp".split())
_END = ("end", "end_time", "endTime", "end_s", "to", "end_ms")
_LENGTH = ("duration", "dDurationMs", "duration_ms", "dur")
_TEXT = ("text", "transcript", "content", "body", "utterance", "sentence")
_WHO = ("speaker", "speaker_name", "speaker_label", "speakerName", "name", "speaker_id")
_LISTS = tuple("segments cues utterances monologues entries events transcript results audio_segments captions".split())


def parse(raw: RawDocument) -> ParsedDocument:
    """Utterances below topics, with `time`; see `speech_document`. Units: "recording", and "cue" in state "no_speech".

    Raises: CorruptDocument (no cue in it), NoSpeech (only sounds), WrongEncoding.
    """
    text = decode_document(raw.content, raw.uri).text
    cues = read_cues(text)
    if not cues:
        raise CorruptDocument(f"{raw.uri}: no transcript: it has no text with times", uri=raw.uri)
    elements = elements_of(cues)
    if not elements:
        raise NoSpeech(f"{raw.uri}: none of its {len(cues)} cues says a word", uri=raw.uri, cues=len(cues))
    chars = sum(len(element.text) for element in elements)
    silent = [SourceUnit("cue", at, "no_speech", 0) for at, cue in enumerate(cues, 1) if is_sound(cue.text)]
    language = _LANGUAGE.search(text[:500]) if text.lstrip("\ufeff").startswith("WEBVTT") else None
    metadata = DocumentMetadata(language=language.group(1).lower() if language else "")
    units = (SourceUnit("recording", 1, "ok", chars), *silent)
    return ParsedDocument(raw.uri, raw.media_type, f"{NAME}@{VERSION}", tuple(elements), units, metadata)


def quote(content: bytes, locator: Locator) -> str:
    """What is said at the seconds of the locator, read afresh from the file."""
    return text_at(read_cues(decode(content).text), locator)


def read_cues(text: str) -> list[Cue]:
    """Cues of a transcript in one of the formats, as they stand. [] for a text without any."""
    text = text.lstrip("\ufeff \t\r\n")
    if text[:1] in ("{", "["):
        try:
            return list(_json_cues(json.loads(text)))
        except (json.JSONDecodeError, RecursionError):
            return []
    return list(_timed_blocks(text.replace("\r\n", "\n").replace("\r", "\n")))


def _timed_blocks(text: str) -> Iterator[Cue]:
    for block in re.split(r"\n[ \t]*\n", text):
        lines = block.split("\n")
        at = next((index for index, line in enumerate(lines[:3]) if _TIMING.match(line)), None)
        if at is None:
            continue
        match = _TIMING.match(lines[at])
        assert match is not None
        start, end = _seconds(*match.groups()[:4]), _seconds(*match.groups()[4:])
        for voice, said in _voices("\n".join(lines[at + 1 :])):
            yield Cue(start, end, said, voice)


def _voices(payload: str) -> Iterator[tuple[str, str]]:
    """(speaker, text) of a cue's payload, markup taken out."""
    parts = _VOICE.split(payload)
    if len(parts) == 1:
        said = _plain(payload)
        match = _SPEAKER.match(said)
        yield (match.group(1).strip(), said[match.end() :]) if match else ("", said)
        return
    if _plain(parts[0]):
        yield "", _plain(parts[0])
    for voice, said in zip(parts[1::2], parts[2::2], strict=True):
        yield html.unescape(" ".join(voice.split())), _plain(said)


def _plain(payload: str) -> str:
    return " ".join(html.unescape(_TAG.sub("", payload)).split())


def _seconds(hours: str | None, minutes: str, seconds: str, fraction: str) -> float:
    return int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds) + int(fraction.ljust(3, "0")) / 1000


def _json_cues(value: Any, depth: int = 0) -> Iterator[Cue]:
    if isinstance(value, dict):
        for key in _LISTS:
            found = value.get(key)
            if isinstance(found, (list, dict)) and depth < 4:
                cues = list(_json_cues(found, depth + 1))
                if cues:
                    yield from cues
                    return
        return
    for item in value if isinstance(value, list) else ():
        cue = _json_cue(item) if isinstance(item, dict) else None
        if cue is not None:
            yield cue


def _json_cue(item: dict[str, Any]) -> Cue | None:
    key, start = _first(item, _START)
    if isinstance(item.get("offsets"), dict):  # whisper.cpp, in milliseconds
        key, start = "start_ms", item["offsets"].get("from")
        item = {**item, "end_ms": item["offsets"].get("to")}
    begin = _moment(start, key)
    if begin is None:
        return None
    key, end = _first(item, _END)
    finish = _moment(end, key)
    if finish is None:
        key, length = _first(item, _LENGTH)
        span = _moment(length, key)
        finish = begin + (span if span is not None else 0.0)
    said = _first(item, _TEXT)[1]
    if not isinstance(said, str) and isinstance(item.get("segs"), list):
        said = "".join(str(part.get("utf8", "")) for part in item["segs"] if isinstance(part, dict))
    if not isinstance(said, str):
        return None
    who = _first(item, _WHO)[1]
    speaker = who if isinstance(who, str) else f"Speaker {who}" if isinstance(who, int) else ""
    return Cue(begin, max(finish, begin), _plain(said), " ".join(speaker.split()))


def _first(item: dict[str, Any], keys: tuple[str, ...]) -> tuple[str, Any]:
    return next(((key, item[key]) for key in keys if item.get(key) is not None), ("", None))


def _moment(value: Any, key: str) -> float | None:
    """Seconds of a number, of "12.5", "12.5s" or "00:01:02,5"; keys that say so are in milliseconds."""
    if isinstance(value, str):
        match = _CLOCK.fullmatch(value.strip())
        if match:
            return int(match[1] or 0) * 3600 + int(match[2]) * 60 + float(match[3].replace(",", "."))
        try:
            value = float(value.strip().removesuffix("s"))
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0:
        return None
    return float(value) / 1000 if key.lower().endswith("ms") else float(value)


PARSER = ParserSpec(NAME, VERSION, (VTT, SRT, JSON), parse, quote)
