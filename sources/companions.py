"""A transcript beside a recording stands for it: the recording is the document, its words are the transcript's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kprep.core.ids import digest
from sources.spec import Entry

RECORDINGS = frozenset("mp3 wav m4a flac ogg oga opus aac wma mp4 m4v mov mkv webm avi mpg mpeg ogv".split())
TRANSCRIPTS = (".vtt", ".srt", ".transcript.json", ".json")
"""Endings of a transcript, the first counts; `talk.mp4` goes with `talk.vtt`, `talk.mp4.vtt` and `talk.en.vtt`."""


def paired(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Entries, each recording with a transcript beside it as one: the recording's URI, the transcript's bytes.

    Only those may read it who may read both. The recording itself is never fetched.
    """
    by_path = {entry.uri: entry for entry in entries}
    used: set[str] = set()
    pairs: dict[str, Entry] = {}
    for entry in entries:
        if entry.uri.rpartition(".")[2].lower() not in RECORDINGS:
            continue
        transcript = _beside(entry, by_path)
        if transcript is not None:
            used.add(transcript.uri)
            pairs[entry.uri] = _joined(entry, transcript)
    return tuple(pairs.get(entry.uri, entry) for entry in entries if entry.uri not in used)


def _beside(entry: Entry, by_path: dict[str, Entry]) -> Entry | None:
    stem = entry.uri.rpartition(".")[0]
    for ending in TRANSCRIPTS:
        for start in (stem, entry.uri):
            if start + ending in by_path:
                return by_path[start + ending]
    languages = sorted(uri for uri in by_path if uri.startswith(f"{stem}.") and uri.endswith((".vtt", ".srt")))
    return by_path[languages[0]] if languages else None


def _joined(recording: Entry, transcript: Entry) -> Entry:
    given = [entry.acl for entry in (recording, transcript) if entry.acl is not None]
    acl = tuple(sorted(set.intersection(*map(set, given)))) if given else None
    moments = [entry.modified_at for entry in (recording, transcript) if entry.modified_at is not None]
    return replace(
        recording,
        name=transcript.name,
        location=transcript.location,
        version_token=digest("transcript", transcript.version_token),
        size=transcript.size,
        modified_at=max(moments, default=None),
        acl=acl,
        acl_problem=recording.acl_problem or transcript.acl_problem,
    )
