"""How much memory the embedded PostgreSQL is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from kprep.store import embedded


def test_a_container_gives_an_eighth_of_what_it_may_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(embedded, "CONTAINER_LIMITS", (limit, tmp_path / "none"))
    free = embedded._shared_buffers_mb()
    assert free >= 128
    limit.write_text("max\n", encoding="ascii")
    assert embedded._shared_buffers_mb() == free
    limit.write_text(f"{1536 * 1024**2}\n", encoding="ascii")
    assert embedded._shared_buffers_mb() == 192
    limit.write_text(f"{512 * 1024**2}\n", encoding="ascii")
    assert embedded._shared_buffers_mb() == 128, "the default of PostgreSQL at least"
