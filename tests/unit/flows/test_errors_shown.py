"""Errors that nobody foresaw, as the command line tells them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kprep.cli.app import explain_error


def test_a_file_that_cannot_be_used_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    error = OSError(30, "Read-only file system", Path("/data/kept/0a"))
    assert explain_error(error, as_json=True) == 1
    printed = capsys.readouterr()
    assert printed.err.startswith("error: /data/kept/0a: Read-only file system. Give it space")
    assert json.loads(printed.out)["error"]["reason"] == "file_unusable"


def test_what_is_unexpected_says_where_and_nothing_of_its_words(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="anna") as caught:
        int("anna.roe@acme.io")
    assert explain_error(caught.value, as_json=False) == 1
    said = capsys.readouterr().err
    assert "unexpected ValueError in " in said
    assert "anna.roe" not in said
