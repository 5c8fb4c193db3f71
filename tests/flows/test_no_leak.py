"""After a whole run over the handbook, no planted value is in any byte that was written outside the restricted zone."""

from __future__ import annotations

import json
import shutil
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from sqlalchemy import text

from flows.kept import Kept
from kprep.core.ids import content_hash
from kprep.store.database import Database
from tests.fakes.command_line import CommandLine, short_directory

ROOT = Path(__file__).parents[2]
PLANTED: dict[str, Any] = json.loads((ROOT / "tests" / "data" / "planted.json").read_text(encoding="utf-8"))
GROUPS = [part for group in ("all-employees", "people-team", "engineering", "finance") for part in ("--as", group)]

pytestmark = [pytest.mark.flow, pytest.mark.postgres, pytest.mark.xdist_group("handbook")]


def forms(value: str) -> set[bytes]:
    """Byte forms a value could be written in; UTF-16 is looked for by leaving out zero bytes of what is searched."""
    spellings = {value, quote(value, safe=""), json.dumps(value)[1:-1], value.replace(" ", "%20")}
    compact = value.replace(" ", "").replace("-", "")
    if len(compact) >= 10:
        spellings.add(compact)
    assert value.isascii()
    return {spelling.encode() for spelling in spellings}


@dataclass(frozen=True)
class Finished:
    """What the run left: its data directory, everything it and the searches printed, and its summary."""

    data_dir: Path
    handbook: Path
    said: str
    summary: dict[str, Any]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finished]:
    handbook = tmp_path_factory.mktemp("kb") / "handbook"
    shutil.copytree(ROOT / "examples" / "handbook", handbook, ignore=shutil.ignore_patterns(".kprep"))
    with short_directory() as data_dir:
        kprep = CommandLine(handbook, data_dir, {"PREFECT_LOGGING_LEVEL": "DEBUG", "KPREP_DEBUG": "1"})
        done = kprep("run", "--json")
        said = [done.stdout, done.stderr]
        assert done.returncode == 0, said
        summary = json.loads(done.stdout)
        for arguments in (
            ("status", "--json"),
            ("search", "Who signs the device certificates, and with which key?", *GROUPS, "--top-k", "50", "--json"),
            ("chunks", "engineering/relay-config-reference.md", *GROUPS, "--json"),
        ):
            done = kprep(*arguments)
            said += [done.stdout, done.stderr]
        yield Finished(data_dir, handbook, "\n".join(said), summary)


@pytest.fixture(scope="module")
def tables(finished: Finished) -> str:
    """Every row of every table as text: what compressed values would hide in the files."""
    database = Database.open(finished.data_dir, None)
    try:
        with database.begin() as connection:
            names = connection.execute(
                text("SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname = 'kprep'")
            )
            return "\n".join(
                row[0] for (name,) in names.all() for row in connection.execute(text(f"SELECT t::text FROM {name} t"))
            )
    finally:
        database.close()


def values(kind: str) -> list[str]:
    return [item["value"] for item in PLANTED[kind]]


@pytest.mark.req("D9.11")
def test_run_publishes_the_handbook(finished: Finished) -> None:
    assert finished.summary["status"] == "published"
    reasons = {item["uri"]: item["reason"] for item in finished.summary["failures"]}
    expected = {item["uri"]: item["reason"] for item in PLANTED["failing_documents"]}
    assert reasons == {**expected, **dict.fromkeys(PLANTED["refused_documents"], "secret_found")}


def test_no_value_in_any_file(finished: Finished) -> None:
    patterns = [(value, form) for kind in ("personal", "secrets") for value in values(kind) for form in forms(value)]
    patterns += [(item["text"], item["text"].encode()) for item in PLANTED["refused_sentences"]]
    searched = 0
    for path in sorted(finished.data_dir.rglob("*")):
        if path.is_file() and not path.is_relative_to(finished.data_dir / "restricted"):
            content = path.read_bytes().replace(b"\0", b"")
            searched += len(content)
            found = {value for value, form in patterns if form in content}
            assert not found, path.relative_to(finished.data_dir)
    assert searched > 2_000_000, "the database is in the data directory"


def test_no_value_in_any_table(tables: str) -> None:
    assert "<EMAIL_" in tables or "EMAIL" in tables
    for kind in ("personal", "secrets"):
        for value in values(kind):
            for spelling in {value, quote(value, safe=""), json.dumps(value)[1:-1]}:
                assert spelling not in tables
    for item in PLANTED["refused_sentences"]:
        assert item["text"] not in tables


def test_no_value_was_printed(finished: Finished) -> None:
    for kind in ("personal", "secrets"):
        assert [value for value in values(kind) if value in finished.said] == []
    assert [item for item in PLANTED["refused_sentences"] if item["text"] in finished.said] == []


def test_refused_documents_are_stored_nowhere(finished: Finished) -> None:
    stored = {path.name for path in (finished.data_dir / "restricted" / "originals").rglob("*") if path.is_file()}
    assert len(stored) > 10
    for document in PLANTED["refused_documents"]:
        content = (finished.handbook / document).read_bytes()
        assert content_hash(content) not in stored
    secrets = [form for value in values("secrets") for form in forms(value)]
    for path in (finished.data_dir / "restricted").rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            if "stages" in path.parts:
                kept = Kept.from_bytes(content)
                content = zlib.decompress(kept.parsed) + zlib.decompress(kept.redacted)
            assert not any(form in content.replace(b"\0", b"") for form in secrets), path.name
