"""Glyphs of a PDF page by PDFium, in the coordinates of the page as the reader sees it: points from the top left."""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

_BOLD = re.compile(r"bold|black|heavy|semibold|demi|-bd\b|cmbx|cmb\d|sfbx", re.IGNORECASE)
_MONOSPACED = re.compile(r"mono|courier|consol|menlo|typewriter|cmtt|fixed|code", re.IGNORECASE)
_INVISIBLE_MODE = 3
_WHITE = 245
_TINY_POINTS = 1.5
_BOLD_WEIGHT = 600
_LIGATURES = {
    "\ufb00": "ff",
    "\ufb01": "fi",
    "\ufb02": "fl",
    "\ufb03": "ffi",
    "\ufb04": "ffl",
    "\ufb05": "st",
    "\ufb06": "st",
}
_LAM, _ALEFS = "\u0644", "\u0622\u0623\u0625\u0627"
LINE_END_HYPHEN = "\ufffe"

Box = tuple[float, float, float, float]
"""x0, top, x1, bottom."""


@dataclass(slots=True)
class Glyph:
    """One character. `turn`: degrees its text is turned clockwise from upright: 0, 90, 180, 270. `made_up`: a space
    or line end PDFium inferred. `order`: place in the page's content."""

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
    made_up: bool
    order: int


@dataclass(frozen=True, slots=True)
class _Style:
    """What all characters of one text object share."""

    size: float
    bold: bool
    mono: bool
    invisible: bool
    white: bool
    angle: int


@dataclass(frozen=True, slots=True)
class Paint:
    """What lies on a page beside text: filled areas that are not white, images, and the number of drawn paths."""

    areas: tuple[Box, ...]
    images: tuple[Box, ...]
    paths: int


@dataclass(frozen=True, slots=True)
class PageGeometry:
    """Media box and rotation: maps points of the file to points as seen."""

    left: float
    bottom: float
    right: float
    top: float
    rotation: int

    @property
    def width(self) -> float:
        return self.right - self.left if self.rotation in {0, 180} else self.top - self.bottom

    @property
    def height(self) -> float:
        return self.top - self.bottom if self.rotation in {0, 180} else self.right - self.left

    def seen(self, x: float, y: float) -> tuple[float, float]:
        """A point of the file as (x, down) from the top left of the page as seen."""
        across, down = x - self.left, self.top - y
        width, height = self.right - self.left, self.top - self.bottom
        if self.rotation == 90:
            return height - down, across
        if self.rotation == 180:
            return width - across, height - down
        if self.rotation == 270:
            return down, width - across
        return across, down

    def seen_box(self, left: float, bottom: float, right: float, top: float) -> Box:
        """A box of the file as seen."""
        (a, b), (c, d) = self.seen(left, bottom), self.seen(right, top)
        return min(a, c), min(b, d), max(a, c), max(b, d)


def geometry(page: Any) -> PageGeometry:
    """Of a PDFium page, whose rotation is then set to 0: PDFium orders text of rotated pages wrongly."""
    rotation = page.get_rotation()
    left, bottom, right, top = page.get_mediabox()
    page.set_rotation(0)
    return PageGeometry(min(left, right), min(bottom, top), max(left, right), max(bottom, top), rotation)


def read_paint(page: Any, place: PageGeometry) -> Paint:
    """Areas, images and path count of a page."""
    import pypdfium2.raw as pdfium

    areas: list[Box] = []
    images: list[Box] = []
    paths = 0
    for item in page.get_objects(filter=(pdfium.FPDF_PAGEOBJ_PATH, pdfium.FPDF_PAGEOBJ_IMAGE), max_depth=3):
        if item.type == pdfium.FPDF_PAGEOBJ_IMAGE:
            images.append(place.seen_box(*item.get_bounds()))
            continue
        paths += 1
        if paths < 5000 and _is_dark(item):
            areas.append(place.seen_box(*item.get_bounds()))
    return Paint(tuple(areas), tuple(images), paths)


def _is_dark(path: Any) -> bool:
    import pypdfium2.raw as pdfium

    mode, stroke = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(path.raw, mode, stroke)
    channels = [ctypes.c_uint() for _ in range(4)]
    filled = mode.value and pdfium.FPDFPageObj_GetFillColor(path.raw, *channels)
    return bool(filled) and min(channel.value for channel in channels[:3]) < _WHITE


def read_glyphs(page: Any, place: PageGeometry, paint: Paint) -> list[Glyph]:
    """Characters in content order, ligatures spelled out, doubles of shadowed or fake-bold text gone."""
    import pypdfium2.raw as pdfium

    text_page = page.get_textpage()
    raw = text_page.raw
    styles: dict[int, _Style] = {}
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    x, y = ctypes.c_double(), ctypes.c_double()
    scan = _is_scan(paint, place)
    glyphs: list[Glyph] = []
    last: Glyph | None = None
    for index in range(pdfium.FPDFText_CountChars(raw)):
        text = chr(pdfium.FPDFText_GetUnicode(raw, index))
        if text in "\x02\ufffe" and pdfium.FPDFText_IsHyphen(raw, index) == 1:
            text = LINE_END_HYPHEN
        elif pdfium.FPDFText_IsGenerated(raw, index) == 1:
            if last is not None:
                glyphs.append(_made_up(text, last, index))
            continue
        style = _style_of(raw, index, styles)
        pdfium.FPDFText_GetCharBox(raw, index, left, right, bottom, top)
        pdfium.FPDFText_GetCharOrigin(raw, index, x, y)
        box = place.seen_box(left.value, bottom.value, right.value, top.value)
        origin = place.seen(x.value, y.value)
        turn = (style.angle + place.rotation) % 360
        hidden = (
            (style.invisible and not scan) or style.size < _TINY_POINTS or (style.white and not _on_dark(box, paint))
        )
        if (
            last is not None
            and text == _LAM
            and last.text in _ALEFS
            and abs(last.x0 - box[0]) + abs(last.x1 - box[2]) < 0.1
        ):
            last.text, text = text, last.text  # one glyph for both: PDFium spells it in the order seen
        last = Glyph(
            _LIGATURES.get(text, text),
            *box,
            _baseline(origin, turn),
            style.size,
            style.bold,
            style.mono,
            hidden,
            turn,
            False,
            index,
        )
        glyphs.append(last)
    text_page.close()
    return _without_doubles(glyphs)


def _made_up(text: str, last: Glyph, order: int) -> Glyph:
    """A space or line end PDFium inferred, placed at the end of the character before it."""
    return Glyph(
        text,
        last.x1,
        last.top,
        last.x1,
        last.bottom,
        last.baseline,
        last.size,
        last.bold,
        last.mono,
        last.hidden,
        last.turn,
        True,
        order,
    )


def _baseline(origin: tuple[float, float], turn: int) -> float:
    return origin[1] if turn in {0, 180} else origin[0]


def _is_scan(paint: Paint, place: PageGeometry) -> bool:
    """An image over most of the page: invisible text on it is what OCR read, not something kept from the reader."""
    page = place.width * place.height
    return any((x1 - x0) * (bottom - top) > 0.5 * page for x0, top, x1, bottom in paint.images)


def _on_dark(box: Box, paint: Paint) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return any(x0 <= x <= x1 and top <= y <= bottom for x0, top, x1, bottom in (*paint.areas, *paint.images))


def _style_of(raw: Any, index: int, styles: dict[int, _Style]) -> _Style:
    """Read once for each text object."""
    import pypdfium2.raw as pdfium

    item = pdfium.FPDFText_GetTextObject(raw, index)
    key = ctypes.cast(item, ctypes.c_void_p).value or -index - 1
    if key not in styles:
        styles[key] = _read_style(raw, index, item)
    return styles[key]


def _read_style(raw: Any, index: int, item: Any) -> _Style:
    import pypdfium2.raw as pdfium

    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFText_GetMatrix(raw, index, matrix)
    scale = math.hypot(matrix.c, matrix.d) or 1.0
    name_buffer, flags = ctypes.create_string_buffer(256), ctypes.c_int()
    pdfium.FPDFText_GetFontInfo(raw, index, name_buffer, 256, flags)
    name = name_buffer.value.decode("utf-8", "replace")
    channels = [ctypes.c_uint() for _ in range(4)]
    coloured = pdfium.FPDFText_GetFillColor(raw, index, *channels)
    mode = pdfium.FPDFTextObj_GetTextRenderMode(item) if item else 0
    angle = round(math.degrees(pdfium.FPDFText_GetCharAngle(raw, index)) / 90) * 90 % 360
    return _Style(
        size=round(pdfium.FPDFText_GetFontSize(raw, index) * scale, 1),
        bold=bool(_BOLD.search(name)) or pdfium.FPDFText_GetFontWeight(raw, index) >= _BOLD_WEIGHT or mode == 2,
        mono=bool(_MONOSPACED.search(name)) or bool(flags.value & 1),
        invisible=mode == _INVISIBLE_MODE,
        white=bool(coloured) and mode in {0, 2} and min(channel.value for channel in channels[:3]) >= _WHITE,
        angle=angle,
    )


def _without_doubles(glyphs: list[Glyph]) -> list[Glyph]:
    """The same character again within an eighth of its size is one character drawn twice."""
    seen: dict[tuple[str, int, int], list[Glyph]] = {}
    kept: list[Glyph] = []
    for glyph in glyphs:
        if glyph.made_up or glyph.text.isspace():
            kept.append(glyph)
            continue
        column, row = int(glyph.x0 // 4), int(glyph.top // 4)
        near = (
            other
            for dx in (-1, 0, 1)
            for dy in (-1, 0, 1)
            for other in seen.get((glyph.text, column + dx, row + dy), ())
        )
        limit = glyph.size * 0.12
        if any(
            abs(other.x0 - glyph.x0) < limit
            and abs(other.top - glyph.top) < limit
            and not _spelled_out(other, glyph)
            and not (other.order + 1 == glyph.order and _is_arabic(glyph.text))
            for other in near
        ):
            continue
        seen.setdefault((glyph.text, column, row), []).append(glyph)
        kept.append(glyph)
    return kept


def _is_arabic(text: str) -> bool:
    """A letter of the Arabic script, whose lines some fonts stretch with letters laid over one another."""
    return "\u0600" <= text[:1] <= "\u06ff"


def _spelled_out(first: Glyph, second: Glyph) -> bool:
    """Two letters of one ligature (ff, ffi, tt): PDFium gives both the ligature's own box."""
    return second.order == first.order + 1 and (first.x0, first.x1) == (second.x0, second.x1) and second.text in "ft"


def turned_upright(glyphs: list[Glyph], place: PageGeometry) -> list[tuple[int, list[Glyph], float, float]]:
    """Glyphs by turn, the commonest first, each group turned so that its text runs left to right: (turn, glyphs,
    width, height of the page so turned)."""
    counts = Counter(glyph.turn for glyph in glyphs if not glyph.text.isspace())
    groups = []
    for turn, _ in counts.most_common():
        group = [glyph for glyph in glyphs if glyph.turn == turn]
        for glyph in group:
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
