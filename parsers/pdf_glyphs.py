"""Glyphs of a PDF page by PDFium, in the coordinates of the page as the reader sees it: points from the top left."""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from ctypes import c_double, c_float, c_int, c_uint, c_void_p
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from types import SimpleNamespace
from typing import Any

from parsers.pdf_bare_codes import UNMAPPED, BareCodes
from parsers.pdf_doubles import without_doubles
from parsers.pdf_geometry import Box, PageGeometry
from parsers.pdf_paint import Paint

_BOLD = re.compile(r"bold|black|heavy|semibold|demi|-bd\b|cmbx|cmb\d|sfbx", re.IGNORECASE)
_MONOSPACED = re.compile(r"mono|courier|consol|menlo|typewriter|cmtt|fixed|code", re.IGNORECASE)
_INVISIBLE_MODE = 3
_WHITE = 245
_TINY_POINTS = 1.5
_BOLD_WEIGHT = 600
_MOST_ASKEW = 10.0
"""Degrees that a scanned page may lie askew."""
_LIGHT = 110.0
"""Of 255: how dark light letters are at most on white paper."""
_LIGATURES = str.maketrans(
    {
        "\ufb00": "ff",
        "\ufb01": "fi",
        "\ufb02": "fl",
        "\ufb03": "ffi",
        "\ufb04": "ffl",
        "\ufb05": "st",
        "\ufb06": "st",
    }
)
_HYPHENS = "\x02\ufffe"
_WORD = r"[^\s\x02\ufffe\u0590-\u08ff\ufb1d-\ufefe]+"
_PIECE = re.compile(f"{_WORD}(?: {_WORD})*|.", re.DOTALL)
"""Words with one space between; other spaces, hyphens at a line's end and letters of scripts that run to the left each
for itself."""
LONE_LIGATURES = {"ff", "fi", "fl", "ffi", "ffl"}
"""Words that some files draw apart from the rest of theirs."""
WIDE_GAP = 1.3
"""Sizes of the letters by which two words lie so far apart that they belong to different columns."""
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufefe]")
_LAM, _ALEFS = "\u0644", "\u0622\u0623\u0625\u0627"
LINE_END_HYPHEN = "\ufffe"
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
INFERRED = "\u2423"
"""Stands for a space PDFium inferred."""


@dataclass(slots=True)
class Glyph:
    """Characters of one style drawn side by side: a word or a part of one, or words of one line as far as nothing on
    the page could part them (no wide gap, no rule of a table beside them); letters that run to the left each for
    itself. `turn`: degrees its text is turned clockwise from upright: 0, 90, 180, 270.
    `space`: what follows it, "" nothing, " " a space the file holds, INFERRED one PDFium inferred, "\\n" the end of a
    line the file holds. `order`: place in the page's content. `letters`: number of characters
    but for spaces. `slant`: degrees as seen where they are far from any right angle, else 0. `light`: hardly darker
    than the page. `places`: on a page with lines that run to the left, where each character begins and ends;
    `blank`: there, the middle of the space the file has behind it."""

    text: str
    x0: float
    top: float
    x1: float
    bottom: float
    baseline: float
    size: float
    bold: bool
    mono: bool
    hidden: bool
    turn: int
    space: str
    order: int
    letters: int = 1
    slant: int = 0
    light: bool = False
    places: tuple[tuple[float, float], ...] = ()
    blank: float = -math.inf


@dataclass(frozen=True, slots=True)
class _Style:
    """What all characters of one text object share. `turn`, `slant`, `light`: as those of its glyphs; `baseline`: of
    its first one; `font`: its address, 0 for none."""

    size: float
    bold: bool
    mono: bool
    unseen: bool
    white: bool
    turn: int
    baseline: float
    font: int
    slant: int
    light: bool


def read_glyphs(page: Any, place: PageGeometry, paint: Paint) -> list[Glyph]:
    """Characters in content order, ligatures spelled out, doubles of shadowed or fake-bold text gone."""
    text_page = page.get_textpage()
    try:
        return without_doubles(_GlyphReader(text_page.raw, place, paint).glyphs())
    finally:
        text_page.close()


def characters(text_page: Any) -> str:
    """A character for each index of PDFium's raw text page, UNMAPPED where the font has no map for a glyph and PDFium
    gives its bare code: all at once where PDFium's text has as many, else one by one."""
    import pypdfium2.raw as pdfium

    count = pdfium.FPDFText_CountChars(text_page)
    buffer = (ctypes.c_ushort * (count + 1))()
    written = pdfium.FPDFText_GetText(text_page, 0, count, buffer) - 1
    text = bytes(buffer)[: 2 * count].decode("utf-16-le", "surrogatepass") if written == count else ""
    if len(text) != count:
        address = ctypes.cast(text_page, c_void_p).value
        text = "".join(map(chr, map(_functions().FPDFText_GetUnicode, repeat(address), range(count))))
    return _CONTROL.sub(
        lambda at: UNMAPPED if pdfium.FPDFText_HasUnicodeMapError(text_page, at.start()) == 1 else at.group(), text
    )


class _GlyphReader:
    """Reads one text page: characters of one text object up to the next space or wide gap are one `Glyph`, so that
    PDFium is asked for two boxes a word and not for one a letter."""

    def __init__(self, raw: Any, place: PageGeometry, paint: Paint) -> None:
        import pypdfium2.raw as pdfium

        self._raw, self._place, self._paint = raw, place, paint
        self._level = place.rotation == 0
        self._is_scan = _is_scan(paint, place)
        self._ruled = _band(paint)
        self._styles: dict[int, _Style] = {}
        self._found: list[Glyph] = []
        self._doubles = [c_double() for _ in range(4)]
        self._name, self._flags = ctypes.create_string_buffer(256), c_int()
        self._channels = [c_uint() for _ in range(4)]
        self._channel_addresses = [ctypes.addressof(value) for value in self._channels]
        self._addresses = [ctypes.addressof(value) for value in self._doubles]
        self._address = ctypes.cast(raw, c_void_p).value
        self._matrix = pdfium.FS_MATRIX()
        self._matrix_address = ctypes.addressof(self._matrix)
        self._looks: dict[int, tuple[bool, bool]] = {}
        self._unmapped = BareCodes(self._has_no_map)
        self._runs_left = False
        self._pdfium = _functions()
        self._owner_of = self._pdfium.FPDFText_GetTextObject
        self._box_of = self._pdfium.FPDFText_GetCharBox
        self._is_generated = self._pdfium.FPDFText_IsGenerated

    def glyphs(self) -> list[Glyph]:
        """All of the page, in content order."""
        import pypdfium2.raw as pdfium

        text = characters(self._raw)
        self._runs_left = _RIGHT_TO_LEFT.search(text) is not None
        for found in _PIECE.finditer(text):
            start, piece = found.start(), found.group()
            if piece.isspace():
                self._space(start, piece)
            elif piece in _HYPHENS and pdfium.FPDFText_IsHyphen(self._raw, start) == 1:
                self._run(start, [LINE_END_HYPHEN], self._owner_of(self._address, start) or 0)
            else:
                self._words(start, piece.split(" "))
        self._unmapped.blank()
        return self._found

    def _has_no_map(self, index: int) -> bool:
        return bool(self._pdfium.FPDFText_HasUnicodeMapError(self._address, index) == 1)

    def _words(self, start: int, words: list[str]) -> None:
        """Words with one space between, from the index on: halved until all are of one text object."""
        owner_of, address = self._owner_of, self._address
        owner, end = owner_of(address, start) or 0, start + sum(map(len, words)) + len(words) - 2
        if owner and (end == start or owner_of(address, end) == owner):
            self._run(start, words, owner)
        elif len(words) == 1:
            self._pieces(start, words[0])
        else:
            half = len(words) // 2
            space = start + sum(map(len, words[:half])) + half - 1
            self._words(start, words[:half])
            self._space(space, " ")
            self._words(space + 1, words[half:])

    def _run(self, start: int, words: list[str], owner: int) -> None:
        """Words of one text object, from the index on, as one glyph up to each wide gap where they may be taken
        together, else as one each."""
        style = self._style(start, owner)
        joins = len(words) > 1 and self._may_join(style) and LONE_LIGATURES.isdisjoint(words)
        widest = WIDE_GAP * style.size if joins else -math.inf
        begun, at = 0, start
        x0, low, x1, high = self._box(start, len(words[0]))
        for number in range(1, len(words)):
            at += len(words[number - 1]) + 1
            left, bottom, right, top = self._box(at, len(words[number]))
            if -style.size <= left - x1 <= widest:
                x1 = right
                low = min(low, bottom)
                high = max(high, top)
                continue
            self._add(start, words[begun:number], style, (x0, low, x1, high))
            self._space(at - 1, " ")
            begun, start = number, at
            x0, low, x1, high = left, bottom, right, top
        self._add(start, words[begun:], style, (x0, low, x1, high))

    def _may_join(self, style: _Style) -> bool:
        """Words of the style are whole lines to all that looks at them: level, dark, beside no rule."""
        if not self._level or style.turn or style.white:
            return False
        return not self._ruled[0] - style.size < style.baseline < self._ruled[1] + style.size

    def _box(self, start: int, letters: int) -> Box:
        """(left, bottom, right, top) of the first and last of so many characters, in the file's coordinates."""
        left, right, bottom, top = self._doubles
        self._box_of(self._address, start, *self._addresses)
        if letters == 1:
            return left.value, bottom.value, right.value, top.value
        x0, x1, low, high = left.value, right.value, bottom.value, top.value
        self._box_of(self._address, start + letters - 1, *self._addresses)
        return min(x0, left.value), min(low, bottom.value), max(x1, right.value), max(high, top.value)

    def _style(self, index: int, owner: int) -> _Style:
        key = owner or -index - 1
        style = self._styles.get(key)
        if style is None:
            style = self._styles[key] = self._read_style(index, owner)
        return style

    def _pieces(self, start: int, text: str) -> None:
        """A word, in as many parts as there are text objects in it."""
        owner_of, address, last = self._owner_of, self._address, len(text) - 1
        owners = [owner_of(address, start + index) or -index - 1 for index in range(last + 1)]
        at = 0
        for end in range(1, len(text) + 1):
            if end > last or owners[end] != owners[at]:
                self._run(start + at, [text[at:end]], max(owners[at], 0))
                at = end

    def _add(self, start: int, words: list[str], style: _Style, bounds: Box) -> None:
        """One glyph of words of one text object; `bounds` as `_box` gives them."""
        text = " ".join(words)
        x0, low, x1, high = bounds
        if self._level:
            box = (x0 - self._place.left, self._place.top - high, x1 - self._place.left, self._place.top - low)
        else:
            box = self._place.seen_box(x0, low, x1, high)
        baseline = style.baseline
        if style.turn in {90, 270}:  # words of one object may stand beside one another
            baseline = self._baseline(start, style.turn)
        found = self._found
        last = found[-1] if text == _LAM and found else None
        if last is not None and last.text in _ALEFS and abs(last.x0 - box[0]) + abs(last.x1 - box[2]) < 0.1:
            last.text, text = text, last.text  # one glyph for both: PDFium spells it in the order seen
        places = self._places(start, len(text)) if self._runs_left and self._level and not style.turn else ()
        if places:
            inked = [place for sign, place in zip(text, places, strict=True) if sign != " "]
            box = (min(place[0] for place in inked), box[1], max(place[1] for place in inked), box[3])
        glyph = Glyph(
            text if text.isascii() else text.translate(_LIGATURES),
            *box,
            baseline,
            style.size,
            style.bold,
            style.mono,
            style.unseen or (style.white and not _on_dark(box, self._paint)),
            style.turn,
            "",
            start,
            len(text) - len(words) + 1,
            style.slant,
            style.light,
            places,
        )
        found.append(glyph)
        self._unmapped.look(glyph, text, style.font)

    def _places(self, start: int, count: int) -> tuple[tuple[float, float], ...]:
        """Where each of so many characters begins and ends."""
        boxes = (self._box(at, 1) for at in range(start, start + count))
        return tuple((box[0] - self._place.left, box[2] - self._place.left) for box in boxes)

    def _read_style(self, index: int, owner: int) -> _Style:
        """Of the text object a character belongs to, 0 for none."""
        address, matrix = self._address, self._matrix
        self._pdfium.FPDFText_GetMatrix(address, index, self._matrix_address)
        scale = math.hypot(matrix.c, matrix.d) or 1.0
        bold, mono = self._look(index, owner)
        coloured = self._pdfium.FPDFText_GetFillColor(address, index, *self._channel_addresses)
        mode = self._pdfium.FPDFTextObj_GetTextRenderMode(owner) if owner else 0
        radians = self._pdfium.FPDFText_GetCharAngle(address, index)
        degrees = math.degrees(radians)
        turn = (round(degrees / 90) * 90 + self._place.rotation) % 360
        slanted = abs(degrees - round(degrees / 90) * 90) > _MOST_ASKEW
        colour = [channel.value for channel in self._channels]
        size = round(self._pdfium.FPDFText_GetFontSize(address, index) * scale, 1)
        return _Style(
            size=size,
            bold=bold or mode == 2,
            mono=mono,
            unseen=(mode == _INVISIBLE_MODE and not self._is_scan) or size < _TINY_POINTS,
            white=bool(coloured) and mode in {0, 2} and min(colour[:3]) >= _WHITE,
            turn=turn,
            baseline=self._baseline(index, turn),
            slant=round(degrees + self._place.rotation) % 360 if slanted else 0,
            light=bool(coloured) and _darkness(*colour) <= _LIGHT,
            font=(self._pdfium.FPDFTextObj_GetFont(owner) or 0) if owner else 0,
        )

    def _look(self, index: int, owner: int) -> tuple[bool, bool]:
        """Whether the font of a character's text object is bold, monospaced."""
        import pypdfium2.raw as pdfium

        font = self._pdfium.FPDFTextObj_GetFont(owner) if owner else None
        look = self._looks.get(font) if font else None
        if look is None:
            pdfium.FPDFText_GetFontInfo(self._raw, index, self._name, 256, self._flags)
            bold, mono = _look_of(self._name.value)
            bold = bold or pdfium.FPDFText_GetFontWeight(self._raw, index) >= _BOLD_WEIGHT
            look = bold, mono or bool(self._flags.value & 1)
            if font:
                self._looks[font] = look
        return look

    def _baseline(self, index: int, turn: int) -> float:
        x, y, *_ = self._doubles
        self._pdfium.FPDFText_GetCharOrigin(self._address, index, *self._addresses[:2])
        across, down = self._place.seen(x.value, y.value)
        return down if turn in {0, 180} else across

    def _space(self, index: int, text: str) -> None:
        """Note what follows the last glyph; a space of the file outweighs an inferred one, a line end both."""
        last = self._found[-1] if self._found else None
        if last is None:
            return
        inferred = self._is_generated(self._address, index) == 1
        if text in "\r\n":
            last.space = last.space if inferred else "\n"
        elif last.space in {"", INFERRED}:
            last.space = INFERRED if inferred else " "
        if self._runs_left and not inferred:
            ((left, right),) = self._places(index, 1)
            last.blank = (left + right) / 2


_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "FPDFText_GetTextObject": (c_void_p, c_void_p, c_int),
    "FPDFText_GetCharBox": (c_int, c_void_p, c_int, *[c_void_p] * 4),
    "FPDFText_IsGenerated": (c_int, c_void_p, c_int),
    "FPDFText_GetUnicode": (c_uint, c_void_p, c_int),
    "FPDFText_HasUnicodeMapError": (c_int, c_void_p, c_int),
    "FPDFText_GetMatrix": (c_int, c_void_p, c_int, c_void_p),
    "FPDFText_GetFillColor": (c_int, c_void_p, c_int, *[c_void_p] * 4),
    "FPDFText_GetCharAngle": (c_float, c_void_p, c_int),
    "FPDFText_GetFontSize": (c_double, c_void_p, c_int),
    "FPDFText_GetCharOrigin": (c_int, c_void_p, c_int, c_void_p, c_void_p),
    "FPDFTextObj_GetTextRenderMode": (c_int, c_void_p),
    "FPDFTextObj_GetFont": (c_void_p, c_void_p),
}
"""What each gives, then what it takes."""


@lru_cache(maxsize=1)
def _functions() -> Any:
    """Functions of PDFium over plain addresses: quicker than those that take pointer objects."""
    import pypdfium2.raw as pdfium

    found = {
        name: ctypes.CFUNCTYPE(*signature)(ctypes.cast(getattr(pdfium, name), c_void_p).value or 0)
        for name, signature in _SIGNATURES.items()
    }
    return SimpleNamespace(**found)


def _darkness(red: int, green: int, blue: int, alpha: int) -> float:
    """0..255, of a colour on white paper."""
    return (255 - (0.3 * red + 0.59 * green + 0.11 * blue)) * alpha / 255


@lru_cache(maxsize=256)
def _look_of(font: bytes) -> tuple[bool, bool]:
    """Whether the name of a font says bold, monospaced."""
    name = font.decode("utf-8", "replace")
    return bool(_BOLD.search(name)), bool(_MONOSPACED.search(name))


def _is_scan(paint: Paint, place: PageGeometry) -> bool:
    """An image over most of the page: invisible text on it is what OCR read, not something kept from the reader."""
    page = place.width * place.height
    return any((x1 - x0) * (bottom - top) > 0.5 * page for x0, top, x1, bottom in paint.images)


def _band(paint: Paint) -> tuple[float, float]:
    """(top, bottom) of what lies level with rules, where tables may be."""
    if not paint.rules:
        return math.inf, -math.inf
    return min(rule[1] for rule in paint.rules), max(rule[3] for rule in paint.rules)


def _on_dark(box: Box, paint: Paint) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return any(x0 <= x <= x1 and top <= y <= bottom for x0, top, x1, bottom in (*paint.areas, *paint.images))


def turned_upright(glyphs: list[Glyph], place: PageGeometry) -> list[tuple[int, list[Glyph], float, float]]:
    """Glyphs by turn, the commonest first, each group turned so that its text runs left to right: (turn, glyphs,
    width, height of the page so turned)."""
    counts = Counter(glyph.turn for glyph in glyphs)
    groups = []
    for turn, _ in counts.most_common():
        group = [glyph for glyph in glyphs if glyph.turn == turn]
        for glyph in group if turn else ():
            _turn(glyph, turn, place)
        turned = turn in {90, 270}
        groups.append((turn, group, place.height if turned else place.width, place.width if turned else place.height))
    return groups


def _turn(glyph: Glyph, turn: int, place: PageGeometry) -> None:
    """Change the glyph's place to that on the page turned back by `turn`."""
    x0, top, x1, bottom = glyph.x0, glyph.top, glyph.x1, glyph.bottom
    if turn == 270:  # runs upwards as seen
        glyph.x0, glyph.top, glyph.x1, glyph.bottom = place.height - bottom, x0, place.height - top, x1
    elif turn == 90:  # runs downwards
        glyph.x0, glyph.top, glyph.x1, glyph.bottom = top, place.width - x1, bottom, place.width - x0
        glyph.baseline = place.width - glyph.baseline
    elif turn == 180:
        glyph.x0, glyph.top, glyph.x1, glyph.bottom = (
            place.width - x1,
            place.height - bottom,
            place.width - x0,
            place.height - top,
        )
        glyph.baseline = place.height - glyph.baseline
