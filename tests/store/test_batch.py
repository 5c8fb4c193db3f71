"""`kprep search --batch`: a wrong line is told on its own line, and the others are answered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from kprep.cli import reading
from kprep.cli.app import cli
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase

FILES = {"refund.md": "# Refunds\n\nMoney comes back five working days after the parcel arrived.\n"}
WRONG = {
    r'{"id":"l","question":"refund","as":[1]}': "as must be a list of texts",
    r'{"id":"m","question":"refund","as":null}': "as must be a list of texts",
    r'{"id":"n","question":"\ud800 refund"}': "half of a surrogate pair",
    r'{"id":"n2","question":"a\u0000b"}': "NUL",
    r'{"id":"o","question":"refund","as":["a\u0000b"]}': "NUL",
    r'{"id":"o2","question":"refund","as":["\ud800"]}': "half of a surrogate pair",
    r'{"id":"p","question":"refund","view":7}': "view must be a text or null",
    r'{"id":"q","question":"refund","view":"\ud800"}': "half of a surrogate pair",
    r'{"id":"r","question":"refund","top_k":true}': "top_k must be a whole number",
    r'{"id":"s","question":"refund","top_k":1.5}': "top_k must be a whole number",
    r'{"id":"t","question":"refund","top_k":0}': "top_k must be between",
    r'{"id":"u","question":"refund","mode":"wizard"}': "unknown mode",
    r'{"id":"v","question":null}': "question must be a text",
    r'{"id":"w","question":"refund","\ud800":1}': "unknown key",
    r'{"id":"x","question":"refund","top_k":' + "9" * 5000 + "}": "number too long",
    r'{"id":"y"': "is not JSON",
    "a\0b": "NUL",
}
ANSWERED = (
    '{"id":"good","question":"when does money come back","as":["staff"]}',
    '{"id":"default","question":"when does money come back","as":["staff"],"mode":null,"top_k":null,"view":null}',
    r'{"id":"\ud800","question":"when does money come back","as":"staff"}',
)


@pytest.fixture
def base(make_base: MakeBase) -> TestBase:
    made = make_base(FILES)
    assert made.run()["status"] == "published"
    return made


def batch(base: TestBase, path: Path, lines: list[str]) -> tuple[int, list[dict[str, Any]]]:
    path.write_bytes("\n".join(lines).encode())
    done = CliRunner().invoke(cli, ["search", "--batch", str(path), "--json", "--kb", str(base.folder)])
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(told) == len(lines), (done.stdout, done.exception)
    return done.exit_code, told


def test_a_wrong_line_of_a_batch_is_told_on_its_own_and_the_others_are_answered(base: TestBase, tmp_path: Path) -> None:
    lines = [line for wrong in WRONG for line in (wrong, ANSWERED[0])]
    code, told = batch(base, tmp_path / "batch", lines)
    assert code == 1
    for (line, message), answer in zip(WRONG.items(), told[::2], strict=True):
        assert message in answer["error"]["message"], (line, answer)
        assert set(answer) == {"id", "error"}
    assert all(answer["hits"] for answer in told[1::2])
    code, told = batch(base, tmp_path / "batch", list(ANSWERED))
    assert code == 0
    assert all(answer["hits"] for answer in told)
    assert (told[1]["mode"], told[2]["id"]) == ("hybrid", "\ud800")


def test_a_line_whose_statement_fails_leaves_the_transactions_of_the_others_usable(
    base: TestBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = reading.ask

    def ask(opened: Any, connection: Any, item: dict[str, Any], how: Any) -> dict[str, Any]:
        if item["id"] == "sql":
            connection.exec_driver_sql("SELECT 1 / 0")
        if item["id"] == "code":
            raise KeyError(item["id"])
        return asked(opened, connection, item, how)

    monkeypatch.setattr(reading, "ask", ask)
    lines = ['{"id":"sql","question":"a"}', ANSWERED[0], '{"id":"code","question":"a"}', ANSWERED[0]]
    _, told = batch(base, tmp_path / "batch", lines)
    assert "division by zero" in told[0]["error"]["message"]
    assert told[2]["error"]["reason"] == "internal_error"
    assert told[1]["hits"] == told[3]["hits"] != []


@pytest.mark.parametrize(
    "arguments",
    [
        ["search", "\udcff refund"],
        ["search", "refund", "--as", "a\0b"],
        ["search", "refund", "--view", "\udcff"],
        ["get", "\udcff"],
        ["chunks", "docs/refund.md", "--as", "\udcff"],
        ["review", "exclude", "docs/\udcff.md", "--reason", "x"],
    ],
)
def test_an_option_or_argument_that_is_no_text_is_an_error_of_usage(base: TestBase, arguments: list[str]) -> None:
    done = CliRunner().invoke(cli, [*arguments, "--kb", str(base.folder)], standalone_mode=False)
    assert isinstance(done.exception, click.UsageError)
    assert "cannot be used: it holds" in done.exception.message
