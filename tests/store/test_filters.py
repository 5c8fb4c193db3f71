"""Every filter of a read: by the command line, within a view, and over SQL."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner

from kprep.cli.app import cli
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.sql_reader import sql_reader

RULES = "The pump is started by the shift leader after both valves were checked."
FILES = {
    "docs/now.md": f"---\nvalid_from: 2025-01-01\n---\n# Pump\n\n{RULES} It needs two people.\n",
    "docs/past.md": f"---\nvalid_until: 2024-12-31\n---\n# Pump\n\n{RULES} It needed one person.\n",
    "docs/old.md": f"# Pump\n\n{RULES} A crank helps when the power is cut.\n",
    "docs/de.md": "# Pumpe\n\nDie Pumpe wird vom Schichtleiter gestartet, wenn beide Ventile dicht sind (pump).\n",
    "docs/board.md": f"---\nacl: [board]\n---\n# Pump\n\n{RULES} The board pays for the spare one.\n",
    "memo/memo.md": f"# Pump\n\n{RULES} The memo adds that ear protection is worn.\n",
}
OLD = datetime(2020, 1, 1, tzinfo=UTC)
FIELDS = ["document_uri", "source", "doc_type", "sensitivity", "language", "updated_at", "valid_from", "valid_until"]
VIEWS = {
    "all": {"fields": FIELDS},
    "memos": {"where": {"doc_type": ["memo"], "sensitivity": ["restricted"]}, "fields": FIELDS},
    "german": {"where": {"language": ["de"], "source": ["docs"]}, "fields": FIELDS},
}
EVERYDAY = {"now", "old", "memo", "de"}


@pytest.fixture
def base(make_base: MakeBase) -> TestBase:
    made = make_base({}, views=VIEWS)
    for name, text in FILES.items():
        path = made.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    os.utime(made.folder / "docs/old.md", (OLD.timestamp(), OLD.timestamp()))
    same = {"kind": "filesystem", "include": ["**/*"], "acl": ["staff"]}
    made.configure(
        sources=[
            {**same, "name": "docs", "path": "docs", "doc_type": "manual", "sensitivity": "internal"},
            {**same, "name": "memo", "path": "memo", "doc_type": "memo", "sensitivity": "restricted"},
        ]
    )
    assert made.run()["status"] == "published"
    return made


def searched(base: TestBase, *options: str, principals: Sequence[str] = ("staff",)) -> set[str]:
    """Names of the documents that a search by the command line brings up."""
    who = [word for principal in principals for word in ("--as", principal)]
    asked = ["search", "how is the pump started", "--top-k", "50", "--mode", "lexical", *who, *options]
    done = CliRunner().invoke(cli, [*asked, "--kb", str(base.folder), "--json"], standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return {name(hit["citation"]) for hit in json.loads(done.stdout)["hits"]}


def name(place: str) -> str:
    """Name of a document by its URI or citation."""
    return place.split("/")[1].split(".", maxsplit=1)[0]


SEARCHES: tuple[tuple[str, set[str]], ...] = (
    ("", EVERYDAY),
    ("--where sensitivity=restricted", {"memo"}),
    ("--where sensitivity=restricted --where sensitivity=internal", EVERYDAY),
    ("--where doc_type=manual", {"now", "old", "de"}),
    ("--where source=memo", {"memo"}),
    ("--where language=de", {"de"}),
    ("--where language=en --where source=docs", {"now", "old"}),
    ("--updated-since 2021-01-01", {"now", "memo", "de"}),
    ("--updated-before 2021-01-01", {"old"}),
    ("--updated-since 2019-01-01 --updated-before 2021-01-01", {"old"}),
    ("--as-of 2024-06-01", {"past", "old", "memo", "de"}),
    ("--view memos", {"memo"}),
    ("--view german", {"de"}),
    ("--view memos --where doc_type=manual", set()),
    ("--view all --updated-before 2021-01-01", {"old"}),
    ("--as board", EVERYDAY | {"board"}),
)


@pytest.mark.req("D7.17", "D7.18", "D7.19", "D7.20", "D7.21", "D7.22", "D7.23", "D7.24")
def test_a_search_is_limited_by_each_field(base: TestBase) -> None:
    for options, found in SEARCHES:
        assert searched(base, *options.split()) == found, options
    assert searched(base, principals=()) == set()
    assert searched(base, principals=("board",)) == {"board"}


SELECTIONS: tuple[tuple[str, str, set[str]], ...] = (
    ("all", "true", EVERYDAY),
    ("memos", "true", {"memo"}),
    ("german", "true", {"de"}),
    ("all", "sensitivity = 'restricted'", {"memo"}),
    ("all", "doc_type = 'manual' AND language = 'en'", {"now", "old"}),
    ("all", "source = 'memo'", {"memo"}),
    ("all", "updated_at < '2021-01-01'", {"old"}),
    ("all", "valid_from <= current_date", {"now"}),
    ("all", "valid_until IS NULL", EVERYDAY),
)


@pytest.mark.req("D7.17", "D7.18", "D7.19", "D7.20", "D7.21", "D7.22", "D7.23", "D7.24")
def test_a_view_is_filtered_by_each_field_over_sql(base: TestBase, database_url: str) -> None:
    with sql_reader(database_url) as reader:
        for view, condition, found in SELECTIONS:
            statement = f"SELECT document_uri FROM published.{base.name}__{view} WHERE {condition}"
            assert {name(row[0]) for row in reader.read(statement, "acme", ["staff"])} == found, condition
            assert reader.read(statement, "other", ["staff"]) == []
