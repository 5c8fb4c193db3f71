"""Where things lie on a PDF page as the reader sees it: points from the top left, rotation applied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Box = tuple[float, float, float, float]
"""x0, top, x1, bottom."""


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
