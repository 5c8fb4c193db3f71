"""Lines that run to the left, as they are read, whatever order the file draws them in.

PDFium turns lines of Hebrew and Arabic round, which is right where they are drawn as they are seen, and then only for
their letters. The places of the characters tell the order in which they are seen; from it the order in which they are
read follows by the Unicode Bidirectional Algorithm, backwards. Characters of one word keep their order in the text as
long as they stand in it from right to left: those of Arabic lie over one another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from unicodedata import bidirectional, category

from parsers.pdf_glyphs import Glyph

_RIGHT_TO_LEFT = frozenset({"R", "AL"})
_PAIRS = {"(": ")", "[": "]", "{": "}", "\u00ab": "\u00bb"}
_OPENING = {sign: opening for opening, closing in _PAIRS.items() for sign in (opening, closing)}
_LEAST_GAP, _GAP = 0.15, 0.3
"""Sizes of the letters that lie between two words: with a space of the file there, and without."""

Spell = Callable[[list[Glyph]], str]


@dataclass(slots=True)
class _Sign:
    """A word of letters that run to the left, or one other character. `kind`: its class in the Unicode Bidirectional
    Algorithm. `first`, `last`: its place in the text; `space`: what follows it there. `to_right`: it is read to the
    right, with those beside it that are."""

    text: str
    x0: float
    x1: float
    size: float
    kind: str
    first: int
    last: int
    space: str
    to_right: bool = False


def has_left_letters(glyphs: Sequence[Glyph]) -> bool:
    """Some letter is a Hebrew or Arabic one."""
    return any(not glyph.text.isascii() and any(map(_is_left_letter, glyph.text)) for glyph in glyphs)


def with_words_turned(run: Sequence[Glyph]) -> list[Glyph]:
    """The glyphs, each word of Hebrew or Arabic as it is read."""
    return [glyph for word in _words(_with_marks_behind(run)) for glyph in _word_as_read(word)]


def _with_marks_behind(run: Sequence[Glyph]) -> list[Glyph]:
    """The glyphs, marks that are drawn after a space and before their letters behind these; a space where no gap is was
    only for the mark."""
    out = list(run)
    for at in range(1, len(out) - 1):
        before, mark, letter = out[at - 1 : at + 2]
        if before.space and _is_mark(mark.text) and not mark.space and _is_left_letter(letter.text):
            out[at] = replace(letter, space="", blank=mark.blank)
            out[at + 1] = replace(mark, space=letter.space, blank=letter.blank)
            if before.x0 - letter.x1 < _LEAST_GAP * letter.size:
                out[at - 1] = replace(before, space="")
    return out


def text_to_the_left(run: Sequence[Glyph], spell: Spell) -> str:
    """Text of a line that runs to the left as a whole. `spell`: gives the text of the glyphs of one of its words."""
    blanks = [blank for glyph in run for blank in _blanks(glyph)]
    signs = _with_spaces(sorted(_signs(run, spell), key=lambda sign: sign.x0 + sign.x1), blanks)
    _set_directions(signs)
    read: list[_Sign] = []
    for to_right, group in groupby(reversed(signs), key=lambda sign: sign.to_right):
        run_of_signs = list(group)
        read += reversed(run_of_signs) if to_right else run_of_signs
    return "".join(_facing([sign.text for sign in read])).strip()


def _words(run: Sequence[Glyph]) -> Iterator[list[Glyph]]:
    """Glyphs of letters that run to the left up to the next space, with the marks on them; any other glyph alone."""
    word: list[Glyph] = []
    for glyph in run:
        of_word = _is_left_letter(glyph.text) or (bool(word) and _is_mark(glyph.text))
        if word and (word[-1].space or not of_word):
            yield word
            word = []
        if of_word:
            word.append(glyph)
        else:
            yield [glyph]
    if word:
        yield word


def _word_as_read(word: list[Glyph]) -> list[Glyph]:
    """The glyphs of a word from right to left, where most of them stand the other way round; marks stay behind their
    letters, and what one glyph stands for keeps its order."""
    letters = [glyph for glyph in word if _is_left_letter(glyph.text)]
    steps = [second.x0 + second.x1 - first.x0 - first.x1 for first, second in pairwise(letters)]
    if sum(step > 0 for step in steps) <= sum(step < 0 for step in steps):
        return word
    clusters = [list(cluster) for _, cluster in groupby(word, key=lambda glyph: (glyph.x0, glyph.x1))]
    out = [replace(glyph, space="") for cluster in reversed(clusters) for glyph in cluster]
    return [*out[:-1], replace(out[-1], space=word[-1].space)]


def _signs(run: Sequence[Glyph], spell: Spell) -> Iterator[_Sign]:
    at = 0
    for word in _words(run):
        if _is_left_letter(word[0].text):
            x0, x1 = min(glyph.x0 for glyph in word), max(glyph.x1 for glyph in word)
            text, space = spell(word), word[-1].space
            yield _Sign(text, x0, x1, word[0].size, bidirectional(word[0].text[0]), at, at + len(word) - 1, space)
            at += len(word)
            continue
        (glyph,) = word
        for sign, (x0, x1), space in _characters(glyph):
            kind = bidirectional(sign)
            yield _Sign(sign, x0, x1, glyph.size, kind, at, at, space)
            at += 1


def _characters(glyph: Glyph) -> Iterator[tuple[str, tuple[float, float], str]]:
    """Each character of a glyph, where it stands, and what space follows it."""
    if len(glyph.places) != len(glyph.text):
        yield glyph.text, (glyph.x0, glyph.x1), glyph.space
        return
    for at, (sign, place) in enumerate(zip(glyph.text, glyph.places, strict=True)):
        last = at + 1 == len(glyph.text)
        if sign != " ":
            yield sign, place, glyph.space if last else " " if glyph.text[at + 1] == " " else ""


def _blanks(glyph: Glyph) -> Iterator[float]:
    """Where the file has spaces in a glyph and behind it."""
    for sign, (left, right) in zip(glyph.text, glyph.places, strict=False):  # places may lack
        if sign == " ":
            yield (left + right) / 2
    yield glyph.blank


def _with_spaces(signs: Sequence[_Sign], blanks: Sequence[float]) -> list[_Sign]:
    """Signs as they are seen from left to right, with one for each space between two words."""
    out = list(signs[:1])
    for left, right in pairwise(signs):
        if _are_apart(left, right, blanks):
            out.append(_Sign(" ", left.x1, right.x0, left.size, "WS", -1, -1, ""))
        out.append(right)
    return out


def _are_apart(left: _Sign, right: _Sign, blanks: Sequence[float]) -> bool:
    """The file has a space between them, or they are words of two scripts; else by the gap, for which words of one
    script that follow one another in the text have what PDFium says."""
    gap = (right.x0 - left.x1) / max(left.size, right.size)
    if gap > _LEAST_GAP and any(left.x1 <= blank <= right.x0 for blank in blanks):
        return True
    runs_left = [sign.kind in _RIGHT_TO_LEFT for sign in (left, right)]
    if all(runs_left) and right.last + 1 == left.first:
        return bool(right.space)
    if any(runs_left) and "L" in {left.kind, right.kind}:
        return True
    return gap > _GAP


def _set_directions(signs: Sequence[_Sign]) -> None:
    """Which signs are read to the right: Latin ones with what lies between them, and numbers with their signs."""
    kinds = [sign.kind for sign in signs]
    is_arabic = "AL" in kinds
    for at in range(1, len(kinds) - 1):
        if kinds[at] in {"ES", "CS"} and kinds[at - 1] == kinds[at + 1] and kinds[at + 1] in {"EN", "AN"}:
            kinds[at] = kinds[at + 1]
    for at in range(1, len(kinds)):
        if kinds[at] == "ET" and kinds[at - 1] == "EN":
            kinds[at] = "EN"
    for at in range(len(kinds) - 2, -1, -1):
        if kinds[at] == "ET" and kinds[at + 1] == "EN" and not is_arabic:
            kinds[at] = "EN"
    latin = -1  # the last sign of a Latin run, as far as nothing runs to the left since
    for at, kind in enumerate(kinds):
        if kind in _RIGHT_TO_LEFT or kind == "AN":
            latin = -1
        elif kind == "L" or (kind == "EN" and latin >= 0):
            kinds[latin + 1 if latin >= 0 else at : at + 1] = ["L"] * (at - latin if latin >= 0 else 1)
            latin = at
    for sign, kind in zip(signs, kinds, strict=True):
        sign.to_right = kind in {"L", "EN", "AN"}
    _take_in_brackets(signs)


def _take_in_brackets(signs: Sequence[_Sign]) -> None:
    """A bracket beside a Latin run belongs to it where its other half stands in it and opens, or closes, towards it."""
    for to_right, group in groupby(list(range(len(signs))), key=lambda at: signs[at].to_right):
        run = list(group)
        halves = [at for at in run if to_right and signs[at].text in _OPENING and run[0] < at < run[-1]]
        if len(halves) != 1:
            continue
        half = halves[0]
        opens = signs[half - 1].text == " "
        at = run[-1] + 1 if opens else run[0] - 1
        beside = 0 <= at < len(signs) and _OPENING.get(signs[at].text) == _OPENING[signs[half].text]
        if beside and opens != (signs[half + 1].text == " "):
            signs[at].to_right = True


def _facing(signs: list[str]) -> list[str]:
    """Brackets turned to what they hold: PDFium mirrors some. One between two words opens and closes in turn."""
    is_open = False
    for at, sign in enumerate(signs):
        opening = _OPENING.get(sign)
        if opening is None:
            continue
        before = signs[at - 1][-1] if at else " "
        after = signs[at + 1][0] if at + 1 < len(signs) else " "
        is_open = after.isalnum() if before.isalnum() != after.isalnum() else not is_open
        signs[at] = opening if is_open else _PAIRS[opening]
    return signs


def _is_mark(text: str) -> bool:
    """The text is a mark over or under a letter."""
    return bool(text) and category(text[0]) == "Mn"


def _is_left_letter(text: str) -> bool:
    """The text begins with a Hebrew or Arabic letter."""
    return bool(text) and bidirectional(text[0]) in _RIGHT_TO_LEFT
