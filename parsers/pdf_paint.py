"""What lies on a PDF page beside text, by PDFium, in the coordinates of the page as the reader sees it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from parsers.pdf_geometry import Box, PageGeometry

FEWEST_PATHS, MOST_PATHS = 3, 3000
"""Pages with fewer drawn paths have no ruled table; with more, they are drawings."""
_WHITE = 245
_MAX_DEPTH = 3
_STRAIGHT = 0.1
_MOST_SEGMENTS = 64

Matrix = tuple[float, float, float, float, float, float]
_SAME: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Paint:
    """Filled areas that are not white, images, the number of drawn paths, and straight rules (as boxes without width or
    height) where there are neither too few nor too many paths for a table."""

    areas: tuple[Box, ...]
    images: tuple[Box, ...]
    paths: int
    rules: tuple[Box, ...] = ()


def read_paint(page: Any, place: PageGeometry) -> Paint:
    """Areas, images, rules and path count of a page."""
    import pypdfium2.raw as pdfium

    areas: list[Box] = []
    images: list[Box] = []
    paths: list[tuple[Any, Matrix]] = []
    for item, kind, matrix in _objects(page.raw, _SAME, 0):
        if kind == pdfium.FPDF_PAGEOBJ_IMAGE:
            images.append(place.seen_box(*_bounds(item, matrix)))
        else:
            paths.append((item, matrix))
            if len(paths) < 5000 and _is_dark(item):
                areas.append(place.seen_box(*_bounds(item, matrix)))
    rules = _rules(paths, place) if FEWEST_PATHS <= len(paths) <= MOST_PATHS else ()
    return Paint(tuple(areas), tuple(images), len(paths), tuple(rules))


def _objects(container: Any, matrix: Matrix, depth: int) -> Iterator[tuple[Any, int, Matrix]]:
    """(object, kind, matrix of the form it stands in) of paths and images, those in forms included."""
    import pypdfium2.raw as pdfium

    count, get = (
        (pdfium.FPDFFormObj_CountObjects, pdfium.FPDFFormObj_GetObject)
        if depth
        else (pdfium.FPDFPage_CountObjects, pdfium.FPDFPage_GetObject)
    )
    kind_of = pdfium.FPDFPageObj_GetType
    for index in range(count(container)):
        item = get(container, index)
        kind = kind_of(item)
        if kind in {pdfium.FPDF_PAGEOBJ_PATH, pdfium.FPDF_PAGEOBJ_IMAGE}:
            yield item, kind, matrix
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _MAX_DEPTH - 1:
            yield from _objects(item, _product(_matrix(item), matrix), depth + 1)


def _matrix(item: Any) -> Matrix:
    import pypdfium2.raw as pdfium

    found = pdfium.FS_MATRIX()
    if not pdfium.FPDFPageObj_GetMatrix(item, found):
        return _SAME
    return found.a, found.b, found.c, found.d, found.e, found.f


def _product(inner: Matrix, outer: Matrix) -> Matrix:
    """The inner matrix first."""
    a, b, c, d, e, f = inner
    p, q, r, s, t, u = outer
    return a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u


def _moved(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def _bounds(item: Any, matrix: Matrix) -> Box:
    """Left, bottom, right, top in the file's coordinates."""
    import pypdfium2.raw as pdfium

    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    pdfium.FPDFPageObj_GetBounds(item, left, bottom, right, top)
    if matrix == _SAME:
        return left.value, bottom.value, right.value, top.value
    (a, b), (c, d) = _moved(matrix, left.value, bottom.value), _moved(matrix, right.value, top.value)
    return min(a, c), min(b, d), max(a, c), max(b, d)


def _is_dark(path: Any) -> bool:
    import pypdfium2.raw as pdfium

    mode, stroke = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(path, mode, stroke)
    channels = [ctypes.c_uint() for _ in range(4)]
    filled = mode.value and pdfium.FPDFPageObj_GetFillColor(path, *channels)
    return bool(filled) and min(channel.value for channel in channels[:3]) < _WHITE


def _rules(paths: list[tuple[Any, Matrix]], place: PageGeometry) -> Iterator[Box]:
    """Straight sides of the paths, level or upright as seen."""
    for path, form in paths:
        matrix = _product(_matrix(path), form)
        for (x0, y0), (x1, y1) in _sides(path):
            (a, b), (c, d) = place.seen(*_moved(matrix, x0, y0)), place.seen(*_moved(matrix, x1, y1))
            if abs(b - d) <= _STRAIGHT and abs(a - c) > _STRAIGHT:
                yield min(a, c), (b + d) / 2, max(a, c), (b + d) / 2
            elif abs(a - c) <= _STRAIGHT and abs(b - d) > _STRAIGHT:
                yield (a + c) / 2, min(b, d), (a + c) / 2, max(b, d)


def _sides(path: Any) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """Pairs of points that a path joins by a line; none of a path with more corners than boxes and rules have."""
    import pypdfium2.raw as pdfium

    count = pdfium.FPDFPath_CountSegments(path)
    if not 1 < count <= _MOST_SEGMENTS:
        return
    x, y = ctypes.c_float(), ctypes.c_float()
    start = last = (0.0, 0.0)
    for index in range(count):
        segment = pdfium.FPDFPath_GetPathSegment(path, index)
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        point, kind = (x.value, y.value), pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_MOVETO:
            start = point
        elif kind == pdfium.FPDF_SEGMENT_LINETO:
            yield last, point
        if pdfium.FPDFPathSegment_GetClose(segment) and point != start:
            yield point, start
        last = point
