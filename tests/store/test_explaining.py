"""What rules do to a document, and what other rules would do to all, without writing anything."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text

from flows.explaining import compare_rules, explain
from flows.planning import status
from kprep.core.errors import ConfigError, SecretFound, SourceError
from tests.conftest import MakeBase
from tests.fakes.pages import FOUR, page

NOTICE = "© 2025 Northwind Lamps. All rights reserved."


@pytest.mark.req("D4.4", "D4.15")
def test_explain_shows_what_each_rule_took(make_base: MakeBase) -> None:
    base = make_base({"a.md": page("Keys", "Ask jane.roe@northwind-lamps.net for a key.", NOTICE)})
    base.run()
    outcome = explain(base.workspace, "docs/a.md")
    taken = [text for step in outcome["steps"] for change in step["changes"] for text in change["before"]]
    assert any(NOTICE in text for text in taken)
    assert [item["kind"] for item in outcome["redactions"]] == ["EMAIL"]
    assert 0 < outcome["removed_share"] < 1
    (base.folder / "docs" / "b.md").write_text("# Keys\n\nThe password is\nWinter2023!xQ, keep it.\n", encoding="utf-8")
    with pytest.raises(SecretFound, match=r"\(PASSWORD\) in line 4 \(if it is none: release fingerprint [0-9a-f]{32}"):
        explain(base.workspace, "docs/b.md")
    with pytest.raises(SourceError, match="no source holds"):
        explain(base.workspace, "docs/none.md")


@pytest.mark.req("D4.16")
def test_other_rules_are_compared_without_writing(make_base: MakeBase) -> None:
    base = make_base({**FOUR, "a.md": page("Keys", "Ask jane.roe@northwind-lamps.net for a key.", NOTICE)})
    base.run()
    rules = base.folder / "other"
    rules.mkdir()
    with pytest.raises(ConfigError, match="no rules file"):
        compare_rules(base.workspace, rules)
    (rules / "redaction.yaml").write_text("kind: [PHONE]\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"other/redaction\.yaml: unknown key 'kind'"):
        compare_rules(base.workspace, rules)
    (rules / "redaction.yaml").write_text("kinds: [PHONE]\n", encoding="utf-8")
    with base.connection() as connection:
        before = connection.execute(text("SELECT count(*) FROM kprep.document_versions")).scalar_one()
    outcome = compare_rules(base.workspace, rules)
    assert outcome["altered"] == ["docs/a.md"]
    assert "<EMAIL_" in outcome["samples"][0]["before"][0]
    with base.connection() as connection:
        assert connection.execute(text("SELECT count(*) FROM kprep.document_versions")).scalar_one() == before


def test_coverage_is_kept_shown_and_warned_about(make_base: MakeBase) -> None:
    paged = (Path(__file__).parents[1] / "golden" / "parsers" / "pdf-a14_table_over_pages" / "input.pdf").read_bytes()
    base = make_base({**FOUR, "pages.pdf": paged})
    base.configure(quality={"thresholds": {**base.config["quality"]["thresholds"], "coverage": 0.999}})
    found = {check["code"]: check for check in base.run()["gate"]["checks"]}["coverage_low"]
    assert (found["passed"], found["level"]) == (False, "warning")
    assert [sample["document_uri"] for sample in found["samples"]] == ["docs/pages.pdf"]
    shown = status(base.workspace)["coverage"]
    assert shown["documents"] == len(FOUR) + 1
    assert [row["uri"] for row in shown["lowest"]] == ["docs/pages.pdf"]
    assert 0.9 < shown["lowest"][0]["coverage"] < shown["mean"] < 1
    assert explain(base.workspace, "docs/pages.pdf")["coverage"] == shown["lowest"][0]["coverage"]
