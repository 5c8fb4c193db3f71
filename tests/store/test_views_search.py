"""A view filters, projects and boosts when it is searched; it is no second copy of the text."""

from __future__ import annotations

import pytest

from kprep.core.errors import RetrievalError
from tests.conftest import MakeBase

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
