"""Pages of a PDF that hold pictures of text: read by rapidocr where the extra `ocr` is installed, offline.

English and Chinese (PP-OCRv6, whose weights are inside the wheel). Nothing is downloaded: without the package a scan
stays a scan.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.util import find_spec
from statistics import median_low
from typing import Any

from parsers.pdf_lines import Line
from parsers.quiet import quiet

DOTS_PER_INCH = 150
_MOST_PIXELS = 4000
"""Of a side: a larger page is read at a lower resolution."""
NEEDED_CONFIDENCE = 0.8
"""Mean confidence of a page's words, weighed by their letters, below which a person must look at it."""
ENABLED = True
"""Off in tests of what happens without the extra."""
REMEDY = "install kprep's extra `ocr` to read scans, or give a version with text"


@dataclass(frozen=True, slots=True)
class Recognised:
    """Lines of a page, from the top left in points, and the mean confidence of their words, 0..1."""

    lines: tuple[Line, ...]
    confidence: float

    @property
    def is_certain(self) -> bool:
        """Good enough to be used unseen."""
        return self.confidence >= NEEDED_CONFIDENCE


def is_available() -> bool:
    """Whether the extra is installed."""
    return ENABLED and find_spec("rapidocr") is not None


def recognise(page: Any, width: float, height: float) -> Recognised | None:
    """What a page of PDFium shows, None when it shows no letter. `width`, `height`: of the page as seen, in points."""
    scale = min(DOTS_PER_INCH / 72, _MOST_PIXELS / max(width, height, 1))
    with quiet():
        found = _engine()(page.render(scale=scale).to_numpy(), return_word_box=True)
    lines: list[Line] = []
    letters = weighed = 0.0
    for at, (text, score, box) in enumerate(zip(found.txts or (), found.scores or (), _boxes(found), strict=True)):
        if not any(map(str.isalnum, text)):
            continue
        xs, ys = [point[0] / scale for point in box], [point[1] / scale for point in box]
        lines.append(_line(text, min(xs), min(ys), max(xs), max(ys)))
        for word, confidence in _words(found, at) or ((text, float(score)),):
            letters += len(word)
            weighed += len(word) * confidence
    return Recognised(tuple(_evened(lines)), weighed / letters) if letters else None


def _evened(lines: list[Line]) -> list[Line]:
    """Boxes of one type size differ by their letters: those near the commonest size have it."""
    usual = median_low(line.size for line in lines)
    return [replace(line, size=usual) if abs(line.size - usual) < 0.2 * usual else line for line in lines]


def _boxes(found: Any) -> Any:
    return found.boxes if found.boxes is not None else ()


def _words(found: Any, at: int) -> list[tuple[str, float]]:
    """(word, confidence) of a line."""
    listed = found.word_results or ()
    return [(word[0], float(word[1])) for word in listed[at]] if at < len(listed) else []


def _line(text: str, x0: float, top: float, x1: float, bottom: float) -> Line:
    """A box around a line is about a third taller than its letters."""
    size = max((bottom - top) * 0.75, 4.0)
    baseline = bottom - (bottom - top) * 0.25
    return Line(text, x0=x0, top=top, x1=x1, bottom=bottom, baseline=baseline, size=size)


@lru_cache(maxsize=1)
def _engine() -> Any:
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # onnxruntime's wheel would report home
    from rapidocr import RapidOCR

    threads = {f"EngineConfig.onnxruntime.{name}_op_num_threads": 1 for name in ("intra", "inter")}
    return RapidOCR(params={"Global.log_level": "critical", **threads})
