"""A view filters, projects and boosts when it is searched; it is no second copy of the text."""

from __future__ import annotations

import os
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from kprep.core.errors import RetrievalError
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase

MANUAL = """# Export

Readings are exported with the command line tool, which writes one file a day and keeps the old ones
until somebody deletes them. How readings are exported by hand stands in the manual of the command line tool.

## Command

```sh
export-readings --from 2025-01-01 --to 2025-01-31 --format csv
```
"""
VIEWS = {
    "plain": {"fields": ["text", "citation"]},
    "coding": {"fields": ["text", "fragment"], "boost": {"fragment": {"code": 50.0}}},
    "cited": {"fields": ["text", "locator"]},
    "empty": {"where": {"doc_type": ["api"]}, "fields": ["text"]},
}


@pytest.mark.req("D8.2", "D8.3", "D8.4")
def test_a_view_chooses_fields_filters_and_lifts_fragments(make_base: MakeBase) -> None:
    base = make_base({"manual.md": MANUAL}, views=VIEWS)
    base.run()
    question = "How are readings exported with the command line tool?"
    plain = base.search(question, "lexical", view="plain")
    coding = base.search(question, "lexical", view="coding")
    assert set(plain[0]) == {"rank", "score", "chunk_id", "citation", "text"}
    cited = base.search(question, "lexical", view="cited")[0]
    assert cited["passage"]["text"] in cited["text"], "only where both the text and its place are shown"
    assert {hit["chunk_id"] for hit in plain} == {hit["chunk_id"] for hit in coding}
    assert coding[0]["fragment"] == "code"
    assert plain[0]["chunk_id"] != coding[0]["chunk_id"]
    assert base.search(question, "lexical", view="empty") == []
    with pytest.raises(RetrievalError, match="it has: cited, coding, empty, plain"):
        base.search(question, "lexical", view="none")


@pytest.mark.req("D7.22", "D8.3")
def test_a_view_filters_by_time_of_update_in_search_and_in_sql(make_base: MakeBase) -> None:
    """Both ends of the filter, the same in a search within the view and in its SQL view; a request only narrows it."""
    new_year = datetime(2021, 1, 1, tzinfo=UTC)
    views = {
        "recent": {"updated_since": "2021-01-01", "fields": ["text", "document_uri"]},
        "archive": {"updated_before": "2021-01-01", "fields": ["text", "document_uri"]},
        "none": {"updated_since": "2020-06-01", "updated_before": "2021-01-01", "fields": ["text"]},
    }
    base = make_base({"manual.md": MANUAL, "old.md": MANUAL.replace("Export", "Old export")}, views=views)
    for name, moment in (("manual.md", new_year), ("old.md", datetime(2020, 1, 1, tzinfo=UTC))):
        os.utime(base.path(name), (moment.timestamp(), moment.timestamp()))
    summary = base.run()
    found = {view: {hit["document_uri"] for hit in base.search("export", "lexical", view=view)} for view in views}
    assert found == {"recent": {"docs/manual.md"}, "archive": {"docs/old.md"}, "none": set()}
    assert sql_uris(base, "recent") == found["recent"]
    assert sql_uris(base, "archive") == found["archive"]
    assert base.search("export", "lexical", view="archive", updated_from=new_year) == []
    empty = next(check for check in summary["gate"]["checks"] if check["code"] == "view_empty")
    assert "none" in empty["message"]


def sql_uris(base: TestBase, view: str) -> set[str]:
    name = f"{base.name}__{view}".replace("-", "_")
    with base.connection() as connection:
        connection.execute(text("SET LOCAL ROLE kprep_reader"))
        connection.execute(text("SELECT set_config('kprep.tenant', 'acme', true)"))
        connection.execute(text("SELECT set_config('kprep.principals', 'staff', true)"))
        return {row[0] for row in connection.execute(text(f"SELECT document_uri FROM published.{name}"))}
