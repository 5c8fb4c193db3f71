"""Bytes to text: which encoding, and where lines begin."""

from __future__ import annotations

import bisect
import codecs
import re
from dataclasses import dataclass
from typing import NamedTuple

from kprep.core.errors import WrongEncoding

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
_TOLD = {"utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "gb18030"}
_PUNCTUATION = frozenset(".,;:!?'\"()[]{}<>/\\|-_+=*&%$#@\u201c\u201d\u2018\u2019\u201e\u2013\u2014\u2026\u20ac\u00a7")
_EBCDIC_BLANKS = "@\x00"
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
    """Text of the bytes. Order: byte order mark, UTF-16 without mark, UTF-8, the declared encoding, GB18030 or
    Windows-1252, whichever reads better. Bytes that no encoding reads become U+FFFD rather than fail.
    """
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            return Decoded(content[len(mark) :].decode(encoding, "replace"), encoding)
    wide = _utf16_without_mark(content)
    if wide:
        return Decoded(content.decode(wide, "replace"), wide)
    for encoding in ("utf-8", declared):
        text = _strictly(content, encoding)
        if text is not None:
            return Decoded(text, encoding.lower())
    if _mostly_utf8(content):
        return Decoded(content.decode("utf-8", "replace"), "utf-8")
    if _reads_as_chinese(content):
        return Decoded(content.decode("gb18030", "replace"), "gb18030")
    guessed = _guess(content)
    text = _strictly(content, guessed)
    if text is not None:
        return Decoded(text, guessed)
    return Decoded(content.decode("cp1252", "replace"), "cp1252")


def decode_document(content: bytes, uri: str, declared: str = "") -> Decoded:
    """As `decode`, for a document's text. Raises: WrongEncoding when what comes out is no text."""
    decoded = decode(content, declared)
    if not is_plausible(decoded):
        raise WrongEncoding(
            f"{uri}: the bytes are no text in any encoding that is read here; convert the file to UTF-8",
            uri=uri,
            bytes=len(content),
        )
    return decoded


def is_plausible(decoded: Decoded) -> bool:
    """Text holds hardly any control character or broken sequence, and where the encoding had to be guessed, mostly
    letters, digits and blanks. EBCDIC read as Windows-1252 has its blanks as "@" and its digits as accented letters."""
    text = decoded.text[:_JUDGED]
    if not text:
        return True
    bad = sum((letter < " " and letter not in "\t\n\r\f\x1b\x08") or letter == "\ufffd" for letter in text)
    if bad > max(1, len(text) // 10):
        return False
    if decoded.encoding in _TOLD:
        return True
    known = sum(letter.isalnum() or letter.isspace() or letter in _PUNCTUATION for letter in text)
    if known < 0.6 * len(text):
        return False
    if decoded.encoding != "cp1252":
        return True
    plain = sum(letter.isascii() and letter not in _EBCDIC_BLANKS for letter in text)
    return plain >= 0.5 * len(text)


def _strictly(content: bytes, encoding: str) -> str | None:
    if not encoding:
        return None
    try:
        return content.decode(encoding)
    except (UnicodeDecodeError, LookupError, UnicodeError):
        return None


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


def _reads_as_chinese(content: bytes) -> bool:
    """Pairs of high bytes that decode to common ideographs. Western text has single high bytes between letters."""
    text = _strictly(content, "gb18030")
    if text is None:
        return False
    foreign = [letter for letter in text if ord(letter) > 0x7F]
    ideographs = [
        letter for letter in foreign if "\u4e00" <= letter <= "\u9fff" or letter in "，。、；：？！“”《》（）"
    ]
    basic = sum(letter in _COMMON_CHINESE for letter in foreign)
    return len(ideographs) > 0.7 * len(foreign) and (basic > 0.03 * len(foreign) or _in_gb2312(foreign))


def _in_gb2312(letters: list[str]) -> bool:
    """Nearly all letters belong to the older, smaller set of everyday characters, and they come in runs."""
    everyday = sum(_fits(letter, "gb2312") for letter in letters)
    return everyday > 0.95 * len(letters) and len(letters) >= 4


def _fits(letter: str, encoding: str) -> bool:
    try:
        letter.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _guess(content: bytes) -> str:
    """Encoding by charset-normalizer, for what the rules above leave open; only families it names reliably."""
    from charset_normalizer import from_bytes

    best = from_bytes(content[:65536]).best()
    trusted = {"shift_jis", "cp932", "euc_jp", "euc_kr", "cp949", "big5", "cp1251", "koi8_r"}
    return best.encoding if best is not None and best.encoding in trusted else ""
