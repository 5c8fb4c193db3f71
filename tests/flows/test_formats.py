"""One file of every format, and hostile files among good ones, through a whole run."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from kprep.core.models import Locator
from kprep.store import documents
from parsers import PARSERS, parser_for
from tests.conftest import MakeBase
from tests.fakes.by_path import module_at
from tests.fakes.command_line import CommandLine, short_directory
from tests.fakes.knowledge_base import TestBase
from tests.fakes.pages import FOUR

pytestmark = [pytest.mark.flow, pytest.mark.postgres, pytest.mark.xdist_group("processes")]

TESTS = Path(__file__).parents[1]
GOLDEN = TESTS / "golden" / "parsers"
REASONS = frozenset(
    "corrupt unsupported_format needs_password too_large no_text wrong_encoding unreadable_text needs_review "
    "front_matter_invalid secret_found parse_timeout out_of_memory no_speech personal_name file_name "
    "too_many_names zip_bomb recursive".split()
)
NEED_AN_EXTRA = frozenset(("recording",))
"""Parsers that read nothing without a model of an extra."""
HOSTILE_SAMPLE = int(os.environ.get("HOSTILE_SAMPLE", "11"))
"""Every eleventh of the 300 files; `make hostile` takes all of them."""


def samples() -> Iterator[tuple[str, Path]]:
    """(parser, a golden file it reads) for each parser in the registry."""
    for name in PARSERS.keys() - NEED_AN_EXTRA:
        cases = sorted(GOLDEN.glob(f"{name}-*/input*"))
        read = [path for path in cases if "error" not in json.loads((path.parent / "expected.json").read_text())]
        assert read, f"no golden case of {name} comes through"
        yield name, read[0]


def run(base: TestBase, **env: str) -> dict[str, Any]:
    """What `kprep run --json` says of this knowledge base, in a process of its own on the tests' database."""
    with short_directory() as data_dir:
        url = os.environ["KPREP_DATABASE_URL"]
        kprep = CommandLine(base.folder, data_dir, {"KPREP_DATABASE_URL": url, **env}, timeout_s=3000)
        return dict(kprep.json("run"))


def errors(summary: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """(code, samples) of the gate's checks that block."""
    checks = summary["gate"]["checks"]
    return [(check["code"], check["samples"]) for check in checks if not check["passed"] and check["level"] == "error"]


def words(text: str) -> str:
    return "".join(re.findall(r"[^\W_]+", text)).casefold()


@pytest.mark.req("D3.1", "D3.4", "D3.7", "D3.12", "D9.3")
def test_one_file_of_every_format_is_published_and_opens_where_it_is_cited(make_base: MakeBase) -> None:
    files = {f"{name}{path.suffix}": path.read_bytes() for name, path in samples()}
    base = make_base(files)
    base.configure(quality={"thresholds": {**base.config["quality"]["thresholds"], "locators_open": 0.9}})
    summary = run(base)
    assert errors(summary) == []
    assert (summary["status"], summary["failures"]) == ("published", [])
    published = base.content()
    assert {row["uri"].removeprefix("docs/") for row in published} == set(files)
    assert all(row["acl"] == ["staff"] for row in published)
    with base.connection() as connection:
        kinds = {row.uri: row.media_type for row in documents.observed(connection, base.name)}
    used = set()
    for row in published:
        spec = parser_for(kinds[row["uri"]])
        used.add(spec.name)
        quoted = words(spec.quote(files[row["uri"].removeprefix("docs/")], Locator.from_json(row["locator"])))
        said = [words(word) for word in row["text"].split() if any(map(str.isalpha, word))]
        found = sum(word in quoted for word in said)
        assert found >= 0.8 * len(said), (row["uri"], row["locator"])
    assert used == set(PARSERS) - NEED_AN_EXTRA


@pytest.mark.timeout(1800)
def test_hostile_files_cost_themselves_alone(make_base: MakeBase) -> None:
    always = {"bomb.pdf", "deep.html", "invalid-utf8.md"}
    hostile = {
        f"hostile/{number:03d}-{name}": content
        for number, (name, content) in enumerate(module_at("unit/parsers/hostile_files.py").hostile_files())
        if re.fullmatch(r"[\w. -]{1,60}", name) and (number % HOSTILE_SAMPLE == 0 or name in always)
    }
    hostile["hostile/mojibake.txt"] = (
        "Die Größe der Fläche steht im Handbuch für Geräte.".encode().decode("cp1252").encode()
    )
    assert len(hostile) > 20
    base = make_base({**FOUR, **hostile})
    base.configure(quality={"thresholds": {**base.config["quality"]["thresholds"], "locators_open": 0.0}})
    summary = run(base, KPREP_DOCUMENT_TIMEOUT_S="20", KPREP_DOCUMENT_MEMORY_MB="2048")
    assert (summary["status"], errors(summary)) == ("published", [])
    with base.connection() as connection:
        failed = {row.uri.removeprefix("docs/"): row.reason for row in documents.failures(connection, base.name)}
        found = connection.execute(text("SELECT uri FROM kprep.release_documents WHERE kb = :kb"), {"kb": base.name})
        published = {str(uri).removeprefix("docs/") for (uri,) in found}  # alone: some have sections of megabytes
    for name in sorted({*FOUR, *hostile}):
        print(f"{name:60} {failed.get(name) or ('published' if name in published else 'LOST')}")  # noqa: T201
    assert set(FOUR) <= published
    assert {*published, *failed} == {*FOUR, *hostile}
    assert {name: reason for name, reason in failed.items() if reason not in REASONS} == {}
    reasons = {name.rpartition("/")[2].rpartition("-")[2]: reason for name, reason in failed.items()}
    assert (reasons["bomb.pdf"], reasons["mojibake.txt"]) == ("zip_bomb", "unreadable_text")
    assert any(name.endswith("deep.html") for name in published)
