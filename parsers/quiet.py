"""Libraries that warn of every flaw of a damaged file are silent inside this room: the outcome says what was wrong."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

_LOUD = ("pypdf", "pdfminer", "pdfplumber", "openpyxl", "unstructured", "RapidOCR")


@contextmanager
def quiet() -> Iterator[None]:
    """Within it only critical messages of these libraries are logged."""
    loggers = [logging.getLogger(name) for name in _LOUD]
    levels = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL)
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
