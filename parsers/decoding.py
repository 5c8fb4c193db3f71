"""Bytes to text: which encoding, and where lines begin."""

from __future__ import annotations

import bisect
import codecs
import re
from dataclasses import dataclass
from typing import NamedTuple

from kprep.core.errors import WrongEncoding
from parsers import encoding_guess, encoding_shifts

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark starts with UTF-16's
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LINE_END = re.compile(r"\r\n|\r|\n")
_SAMPLE = 4096
_JUDGED = 20_000
_LATIN = {"iso-8859-1", "iso8859-1", "iso_8859-1", "latin-1", "latin1", "us-ascii", "ascii"}
_XML = re.compile(rb"""\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([\w.:-]+)""")
_META = re.compile(rb"""<meta\s[^>]{0,300}?charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_CODING = re.compile(rb"(?m)^[ \t\f]*(?:#|//|;|%|/\*|--|\"|\.\.).{0,200}?coding[:=][ \t]*([-\w.]+)")
UNSURE = "unknown"
"""Name of the encoding of bytes that read like no language, or like two."""
_COMMON_CHINESE = frozenset(
    "的一是不了人我在有他这中大来上个国和也时到说们为子要就出会可以年生作地于后自之用发天然家学对小多么成方经"
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text of a file without its byte order mark, line ends unchanged, and the encoding it was read in."""

    text: str
    encoding: str


class Line(NamedTuple):
    """A line: number from 1, its characters [start, end) in the decoded text without the line end, and its text."""

    number: int
    start: int
    end: int
    text: str


class Lines:
    """Lines of a decoded text, cut at CR LF, CR and LF only."""

    def __init__(self, text: str) -> None:
        self.text = text
        spans = [match.span() for match in _LINE_END.finditer(text)]
        self._starts = [0, *(last for _, last in spans)]
        ends = [first for first, _ in spans]
        if self._starts[-1] < len(text) or not spans:
            ends.append(len(text))
        else:
            self._starts.pop()
        self._lines = [
            Line(number, start, end, text[start:end])
            for number, (start, end) in enumerate(zip(self._starts, ends, strict=True), 1)
        ]

    def __len__(self) -> int:
        return len(self._lines)

    def __iter__(self) -> object:
        return iter(self._lines)

    def all(self) -> list[Line]:
        """Every line, in order."""
        return self._lines

    def between(self, first: int, last: int) -> list[Line]:
        """Lines `first` to `last`, both included and counted from 1, cut to what exists."""
        return self._lines[max(first, 1) - 1 : last]

    def char_span(self, first: int, last: int) -> tuple[int, int]:
        """Characters [start, end) from the start of line `first` to the end of line `last`."""
        chosen = self.between(first, last)
        return (chosen[0].start, chosen[-1].end) if chosen else (len(self.text), len(self.text))

    def number_at(self, offset: int) -> int:
        """Number of the line that holds the character at `offset`."""
        return max(bisect.bisect_right(self._starts, offset), 1)


def decode(content: bytes, declared: str = "") -> Decoded:
    """Text of the bytes. Order: byte order mark, UTF-16 without mark, escapes of ISO-2022, HZ and UTF-7, UTF-8, the
    encoding that is declared (outside, else in the text itself), the one it reads best in. Bytes that no encoding reads
    become U+FFFD rather than fail.
    """
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            return Decoded(content[len(mark) :].decode(encoding, "replace"), encoding)
    wide = _utf16_without_mark(content)
    if wide:
        return Decoded(content.decode(wide, "replace"), wide)
    shifted = encoding_shifts.encoding_of(content)
    for encoding in (shifted, "utf-8", _usual(declared or _declared_in(content))):
        text = _strictly(content, encoding)
        if text is not None:
            return Decoded(text, encoding.lower())
    if _mostly_utf8(content):
        return Decoded(content.decode("utf-8", "replace"), "utf-8")
    guessed = encoding_guess.guess(content)
    return Decoded(content.decode(guessed or "cp1252", "replace"), guessed or UNSURE)


def decode_document(content: bytes, uri: str, declared: str = "") -> Decoded:
    """As `decode`, for a document's text. Raises: WrongEncoding when what comes out is no text, or when more than one
    encoding may be meant."""
    decoded = decode(content, declared)
    if not is_plausible(decoded):
        raise WrongEncoding(
            f"{uri}: the encoding of the text cannot be told with certainty; save the file as UTF-8",
            uri=uri,
            bytes=len(content),
        )
    return decoded


def is_plausible(decoded: Decoded) -> bool:
    """Text in an encoding that is certain, with hardly any control character or broken sequence."""
    text = decoded.text[:_JUDGED]
    bad = sum((letter < " " and letter not in "\t\n\r\f\x1b\x08") or letter == "\ufffd" for letter in text)
    return decoded.encoding != UNSURE and bad <= max(1, len(text) // 10)


def _strictly(content: bytes, encoding: str) -> str | None:
    if not encoding:
        return None
    try:
        return content.decode(encoding)
    except (UnicodeDecodeError, LookupError, UnicodeError):
        return None


def _declared_in(content: bytes) -> str:
    """The encoding a text says it is in: in the XML declaration, a `meta` tag, or a coding line at its beginning."""
    start = content[:_SAMPLE]
    found = _XML.match(start) or _META.search(start) or _CODING.search(b"\n".join(start.split(b"\n", 2)[:2]))
    return found[1].decode("ascii") if found else ""


def _usual(encoding: str) -> str:
    """The encoding that is meant by a name, as browsers take it."""
    return "cp1252" if encoding.lower() in _LATIN else encoding


def _utf16_without_mark(content: bytes) -> str:
    """Name of the UTF-16 variant, or "": every second byte of Latin text is zero; CJK text decodes to one script."""
    sample = content[: _SAMPLE - _SAMPLE % 2]
    if len(sample) < 4 or len(content) % 2:
        return ""
    half = len(sample) // 2
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if odd > half * 0.4 and even < half * 0.1:
        return "utf-16-le"
    if even > half * 0.4 and odd < half * 0.1:
        return "utf-16-be"
    if _strictly(sample.rstrip(b"\xff"), "utf-8") is not None and not even and not odd:
        return ""
    for encoding in ("utf-16-le", "utf-16-be"):
        text = _strictly(content, encoding)
        if text and _wide_text_is_plausible(text[:half]):
            return encoding
    return ""


def _wide_text_is_plausible(text: str) -> bool:
    """CJK text in UTF-16 holds line ends or spaces, and common ideographs; bytes read in the wrong width do not."""
    ideographs = sum("\u4e00" <= letter <= "\u9fff" for letter in text)
    common = sum(letter in _COMMON_CHINESE or "\u3040" <= letter <= "\u30ff" for letter in text)
    punctuation = sum(letter in " \n\r,.\u3002\uff0c\u3001\uff1a" for letter in text)
    return ideographs > len(text) * 0.3 and common > len(text) * 0.04 and punctuation > 0


def _mostly_utf8(content: bytes) -> bool:
    """UTF-8 with a few damaged bytes: many whole sequences, hardly any broken one."""
    text = content.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    whole = sum(ord(letter) > 0x7F for letter in text) - broken
    return whole > 10 * broken
