"""Sentences made whole again: wrapped lines, hyphenated words, paragraphs cut by a page break."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kprep.core.models import Element, ElementKind

PROSE = (ElementKind.PARAGRAPH, ElementKind.QUOTE, ElementKind.FOOTNOTE, ElementKind.CAPTION, ElementKind.LIST_ITEM)
"""Kinds whose lines may be wrapped sentences; each element is joined in itself, never with its neighbour."""

# Scripts written without spaces: Thai, Lao, Khmer, Han, Kana and their punctuation.
_NO_SPACE = re.compile(
    r"[\u0e00-\u0eff\u1780-\u17ff\u2e80-\u2fdf\u3000-\u312f\u31a0-\u9fff\uf900-\ufaff\uff00-\uff60"
    r"\U00020000-\U0003ffff]"
)
_HYPHEN_END = re.compile(r"([^\W\d_]+)[-\u2010]$")
_LETTERS_START = re.compile(r"[^\W\d_]+")
_SENTENCE_END = re.compile(r"""[.!?:;。!?:;…][\]"'”’»」』)]*$""")
_STARTS_NEW = re.compile(r"(?:[-*+•–—▪◦]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s|[|>#]")
# "Vor- und Nachteile", "pre- and post-war": the hyphen stands for the rest of a word that comes later.
_SUSPENDED = frozenset({"und", "oder", "bzw", "and", "or", "to", "nor", "y", "o", "e", "ou", "et", "en", "of"})
# First halves that stand before a hyphen far more often than inside a word, and endings that show a divided word.
_COMPOUND_FIRST = frozenset(
    re.findall(
        r"\w+",
        "long short high low well self real full half hard open cross third first second user built read write large "
        "small fine state all right left single double peut",
    )
)
_INSIDE = frozenset("the to of in on by and up as at for de la en sur sous à au aux am an im zu".split())
"""Words that a hyphen joins to both sides: state-of-the-art, end-to-end."""
_DIVIDED_ENDING = re.compile(
    r"(?:ness|ment|ance|ence|able|ible|tion|sion|ship|less|light|land|hood|fully|ening|ened|ener|ages?|ities|ity|ier|ly|er|est|ish)$"
)


_CUT = re.compile(r"[-\u2010][ \t]*(?:\n|\Z)|[ﬀ-ﬄ]")
# A word cut by a line end, by the end of its element, or by a lone ligature ("veri ﬁ cation").
_CUT_WORD = re.compile(
    r"(?<![^\W\d_])[^\W\d_]{1,60}[-\u2010][ \t]*(?:\n\s*[^\W\d_]+|\Z)|(?<!\w)\w{0,60} ?(?<!\w)[ﬀ-ﬄ] "
)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Lower-case words and hyphenated words of one document that are not cut by a line end."""

    words: frozenset[str]
    compounds: frozenset[str]

    @classmethod
    def of(cls, elements: Sequence[Element]) -> Vocabulary:
        """What the elements' lines hold, without words that are cut; empty where no word is cut, since nothing asks."""
        texts = [element.text for element in elements if element.kind is not ElementKind.CODE]
        if not any(_CUT.search(text) for text in texts):
            return cls(frozenset(), frozenset())
        words: set[str] = set()
        compounds: set[str] = set()
        for text in texts:
            whole = _CUT_WORD.sub(" ", text.lower())
            compounds.update(re.findall(r"(?<![^\W\d_])[^\W\d_]+-[^\W\d_]+", whole))
            words.update(re.findall(r"[^\W\d_]+", whole))
        return cls(frozenset(words), frozenset(compounds))


def join_lines(elements: Sequence[Element], vocabulary: Vocabulary, min_width: int, hyphens: bool) -> list[Element]:
    """The elements with wrapped lines of prose joined; everything else as it is, also units that the format names (an
    operation, a setting), whose lines are facts."""
    return [
        replace(element, text=_joined(element.text, vocabulary, min_width, hyphens))
        if element.kind in PROSE and "\n" in element.text and not element.fragment
        else element
        for element in elements
    ]


def join_pages(elements: Sequence[Element], vocabulary: Vocabulary) -> list[Element]:
    """The elements with each paragraph that a page break cut in two made one, at the place of its first half."""
    out: list[Element] = []
    open_index: int | None = None
    for element in elements:
        if open_index is not None and _continues(out[open_index], element):
            first = out[open_index]
            out[open_index] = replace(
                first,
                text=join_two(first.text.rstrip(), element.text.lstrip(), vocabulary, hyphens=True),
                locator=first.locator.through(element.locator),
                links=first.links + element.links,
                confidence=_lower(first.confidence, element.confidence),
            )
            continue
        out.append(element)
        if element.kind is ElementKind.PARAGRAPH:
            open_index = len(out) - 1
        elif element.kind is not ElementKind.FOOTNOTE:  # a footnote may stand between the two halves
            open_index = None
    return out


def join_two(first: str, second: str, vocabulary: Vocabulary, hyphens: bool) -> str:
    """Two pieces of one sentence as one, with a space, without one (CJK), or with the word between them made whole."""
    cut, glue = _seam(first[-80:], second[:80], vocabulary, hyphens)
    return first[: len(first) - cut] + glue + second


def _seam(first: str, second: str, vocabulary: Vocabulary, hyphens: bool) -> tuple[int, str]:
    """How two pieces join: characters the first loses at its end (a hyphen or none), and what comes between."""
    left, right = _HYPHEN_END.search(first), _LETTERS_START.match(second)
    if left and right and hyphens:
        inner = first[: left.start()].endswith("-") and left[1].lower() in _INSIDE
        return (0, "") if inner else _word_seam(left[1], right[0], vocabulary)
    if left and second[:1].isdigit():
        return 0, ""
    unspaced = _NO_SPACE.match(first[-1:]) and _NO_SPACE.match(second)
    return 0, "" if unspaced else " "


def _word_seam(left: str, right: str, vocabulary: Vocabulary) -> tuple[int, str]:
    """The seam inside a word: the hyphen stays where the document, or the words, show that it belongs there."""
    head, tail = left.lower(), right.lower()
    if tail in _SUSPENDED:
        return 0, " "
    if f"{head}-{tail}" in vocabulary.compounds or len(head) == 1:  # "e-mail", "X-ray": no word is divided so early
        return 0, ""
    if head + tail in vocabulary.words:
        return 1, ""
    both_are_words = head in vocabulary.words and tail in vocabulary.words
    compound = head in _COMPOUND_FIRST and len(tail) > 3 and not _DIVIDED_ENDING.search(tail)
    divided = left[-1].islower() and right[0].islower() and not both_are_words and not compound
    return int(divided), ""


def _joined(text: str, vocabulary: Vocabulary, min_width: int, hyphens: bool) -> str:
    lines = text.split("\n")
    filled = [line.strip() for line in lines if line.strip()]
    prose = len(filled) > 1 and not _is_verse(filled, min_width)
    width = max((_columns(line) for line in filled), default=0) if prose else 0
    parts = [lines[0].rstrip()]
    for line in lines[1:]:
        before, following = parts[-1].strip(), line.strip()
        if _wrapped(before, following, width, hyphens):
            cut, glue = _seam(before[-80:], following[:80], vocabulary, hyphens)
            parts[-1] = parts[-1][: len(parts[-1]) - cut]
            parts += [glue, following]
        else:
            parts += ["\n", line.rstrip()]
    return "".join(parts)


def _is_verse(lines: Sequence[str], min_width: int) -> bool:
    """Whether the line ends carry meaning: short lines, or lines of which nearly each starts like a sentence."""
    widest = max(_columns(line) for line in lines)
    if widest < min_width:
        return True
    starts = sum(1 for line in lines if line[0].isupper() or line[0].isdigit())
    return len(lines) > 2 and widest < 70 and starts * 4 >= len(lines) * 3


def _wrapped(line: str, following: str, width: int, hyphens: bool) -> bool:
    """Whether the line end between the two is only a wrap. `width`: widest line, 0 where line ends carry meaning."""
    if not line or not following or _STARTS_NEW.match(following):
        return False
    if hyphens and _HYPHEN_END.search(line[-80:]) and following[0].isalnum():
        return True
    if not width:
        return False
    unspaced = _NO_SPACE.match(following)
    next_word = following[0] if unspaced else following.split(maxsplit=1)[0]
    if _columns(line) + (0 if unspaced else 1) + _columns(next_word) > width:
        return True
    return (following[0].islower() or bool(unspaced)) and not _SENTENCE_END.search(line[-20:])


def _columns(line: str) -> int:
    if line.isascii():
        return len(line)
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in line)


def _continues(first: Element, second: Element) -> bool:
    """Whether `second` goes on, on the next page, with the sentence `first` leaves open."""
    last_page = first.locator.page_end or first.locator.page
    if second.kind is not ElementKind.PARAGRAPH or last_page is None or second.locator.page != last_page + 1:
        return False
    start, end = second.text.lstrip(), first.text.rstrip()
    if not start or not end or _SENTENCE_END.search(end[-20:]):
        return False
    return start[0].islower() or bool(_NO_SPACE.match(end[-1]) and _NO_SPACE.match(start))


def _lower(first: float | None, second: float | None) -> float | None:
    known = [value for value in (first, second) if value is not None]
    return min(known, default=None)
