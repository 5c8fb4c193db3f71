"""Files sent with mails: what of them is a document of its own, and under which name."""

from __future__ import annotations

import mimetypes
import re
import unicodedata
from collections.abc import Container, Sequence
from itertools import count

from parsers.mail_text import Attachment, Mail
from parsers.media_type import UNKNOWN, media_type_of_name

_PARTS = re.compile(rb"multipart/|attachment|name\*?[0-9*]*=|message/rfc822", re.IGNORECASE)
_TYPES = mimetypes.MimeTypes()
_NAME_MAX = 120
_SUFFIX_MAX = 20
_NO_NAME = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]|[/\\]|:(?=:)")
"""Signs that no name of an attached file has: it is one part of a path, and stands after "::"."""


def attached_to(mails: Sequence[Mail]) -> list[tuple[str, bytes]]:
    """Files sent with these mails, in their order: (name, bytes). The same bytes again are the same file; another file
    of the same name has a number. Nothing of an encrypted mail."""
    out: dict[str, bytes] = {}
    numbers: dict[str, count[int]] = {}
    seen: set[bytes] = set()
    files = [item for mail in mails if not mail.encrypted for item in mail.attachments]
    for at, item in enumerate(files, 1):
        if item.own and item.content not in seen:
            seen.add(item.content)
            name = _name(item, at)
            out[_unused(name, out, numbers.setdefault(name, count(2)))] = item.content
    return list(out.items())


def may_have_attached(content: bytes) -> bool:
    """False for a mail in whose bytes nothing speaks of a further part; cheap."""
    return b"\0" in content or _PARTS.search(content) is not None


def _name(item: Attachment, at: int) -> str:
    """Name of an attached file as one part of a path, with the suffix that its media type wants where it has none."""
    name = _NO_NAME.sub("_", unicodedata.normalize("NFC", item.name)).strip(" :") or f"attachment-{at}"
    if len(name) > _NAME_MAX:
        stem, dot, suffix = name.rpartition(".")
        suffix = dot + suffix if dot and len(suffix) <= _SUFFIX_MAX else ""
        name = (stem or name)[: _NAME_MAX - len(suffix)] + suffix
    if media_type_of_name(name) == UNKNOWN:
        guessed = ".eml" if item.media_type == "message/rfc822" else _TYPES.guess_extension(item.media_type) or ""
        name += guessed if media_type_of_name(guessed) != UNKNOWN else ""
    return name


def _unused(name: str, used: Container[str], numbers: count[int]) -> str:
    """The name, with the first number that makes it one of its own where it is used."""
    stem, dot, suffix = name.rpartition(".")
    while name in used:
        number = next(numbers)
        name = f"{stem} ({number}).{suffix}" if dot else f"{suffix} ({number})"
    return name
