"""Scans stay scans in these tests, whether the extra `ocr` is installed or not."""

from __future__ import annotations

import pytest

from parsers import pdf_ocr


@pytest.fixture(autouse=True)
def _without_ocr(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_ocr, "ENABLED", False)
