"""Hostile and broken files end in a document or in a reason code, in time and within memory (faults A08, S01)."""

from __future__ import annotations

from tests.fakes.by_path import module_at

HOSTILE = module_at("unit/parsers/hostile_files.py")
SLOW = {"brackets.md", "unclosed.html", "noise.txt", "one-word.txt", "repeated.ods", "base64.html", "marks.adoc"}


def test_sixty_of_them() -> None:
    files = HOSTILE.hostile_files()
    assert len(files) == HOSTILE.COUNT
    chosen = [file for file in files if file[0] not in SLOW][::4][:59]
    chosen.append(next(file for file in files if file[0].startswith("a08")))
    wrong = [result for result in HOSTILE.run(chosen) if not HOSTILE.is_right(result)]
    assert wrong == []
