"""`kprep init`: a folder that runs as it is, and what it says of files that are there already."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from kprep.cli.setup import init_command
from kprep.config import load


@pytest.mark.parametrize(
    ("folder", "name"), [("Handbook 2", "handbook-2"), ("2026-policies", "policies"), ("42", "knowledge")]
)
def test_a_knowledge_base_is_named_after_its_folder(folder: str, name: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(init_command, [str(tmp_path / folder)], catch_exceptions=False)
    assert done.exit_code == 0
    assert load(tmp_path / folder).config.knowledge_base == name
    assert "not read yet" not in done.output


def test_documents_that_are_there_already_are_pointed_out(tmp_path: Path) -> None:
    for name in ("policies", "manuals", "site", "z.pdf"):
        (tmp_path / name).mkdir()
    done = CliRunner().invoke(init_command, [str(tmp_path), "--name", "base"], catch_exceptions=False)
    said = " ".join(done.output.split())
    assert "not read yet: manuals, policies, site and others: move documents into documents/" in said
