"""Files inside a document (pictures, embedded sheets, attached files): not read, and never lost without a word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import count
from urllib.parse import unquote

from kprep.core.models import SourceUnit

ATTACHMENT, PICTURE, RECORDING = "attachment", "picture", "recording"
NOT_EXTRACTED = "not_extracted"
_EMBEDDED = re.compile(
    r"(?:^|/)(?:embeddings|media|activeX|Pictures|ObjectReplacements|Object \d+/content\.xml)(?:/.|$)|\.(?:bin|ole)$",
    re.IGNORECASE,
)
_PREVIEW = re.compile(r"(?:^|/)(?:Thumbnails|docProps)/", re.IGNORECASE)
_PICTURES = re.compile(r"\.(?:png|jpe?g|jfif|gif|bmp|tiff?|webp|svgz?|emf|wmf|ico|heic|avif)$", re.IGNORECASE)
_RECORDINGS = re.compile(r"\.(?:mp[34]|m4[av]|wav|ogg|aac|flac|webm|mov|avi|wm[av]|mkv)$", re.IGNORECASE)
_LONGEST_NAME = 100


def exclusions(kind: str, names: Iterable[str]) -> list[SourceUnit]:
    """A recorded exclusion for each file of a kind."""
    return by_kind((kind, name) for name in names)


def embedded_in(names: Iterable[str], further: Iterable[str] = ()) -> list[SourceUnit]:
    """A recorded exclusion for each member of an office archive that is a file of its own, previews are none; and for
    each of the `further` members."""
    found = [name for name in names if _EMBEDDED.search(name) and not _PREVIEW.search(name) and name[-1:] != "/"]
    return by_kind((kind_of(name), name) for name in dict.fromkeys([*found, *further]))


def by_kind(files: Iterable[tuple[str, str]]) -> list[SourceUnit]:
    """A recorded exclusion for each (kind, name), each kind numbered from 1, under the last part of its name."""
    numbers: dict[str, Iterator[int]] = {}
    return [
        SourceUnit(kind, next(numbers.setdefault(kind, count(1))), NOT_EXTRACTED, 0, _last(name))
        for kind, name in files
    ]


def kind_of(name: str) -> str:
    """What a file is by the end of its name."""
    if "ObjectReplacements/" in name or _PICTURES.search(name):
        return PICTURE
    return RECORDING if _RECORDINGS.search(name) else ATTACHMENT


def _last(name: str) -> str:
    """The last part of a path or URL, without its query; of a `data:` URL its media type."""
    if name.startswith("data:"):
        return re.split("[;,]", name, maxsplit=1)[0][:_LONGEST_NAME]
    return unquote(re.split("[?#]", name, maxsplit=1)[0].rstrip("/").rpartition("/")[2])[:_LONGEST_NAME]
