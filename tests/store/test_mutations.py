"""Corruptions of a candidate in PostgreSQL itself, between its assembly and its gate: the gate refuses to publish."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from flows import gate
from flows import run as steps
from flows.preparing import prepare_batch
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import InProcess, TestBase

CLAUSE = "A lost access badge has to be reported to the reception within {} working days."
FILES = {
    "badge.md": f"# Badges\n\n{CLAUSE.format('two')}\n\n## Visitors\n\nVisitors get a badge for one day at the gate.\n",
    "tour.md": "# Tour\n\nThe tour of the museum begins beside the old steam engine in the yard.\n",
}
DAMAGE = {
    "chunks_missing": "DELETE FROM kprep.release_members WHERE kb = :kb AND ordinal = 1 AND from_release = 2",
    "permissions_widened": "UPDATE kprep.release_members SET acl = ARRAY['public'] WHERE kb = :kb AND from_release = 2",
    "metadata_differs": "UPDATE kprep.release_members SET valid_until = '2099-01-01' WHERE kb = :kb",
    "parents_wrong": "UPDATE kprep.parents SET text = 'Of something else altogether, and longer.' WHERE kb = :kb",
    "index_text": "UPDATE kprep.chunks SET index_text = 'something else altogether' WHERE kb = :kb",
    "locator_opens": "UPDATE kprep.release_members SET locator = '{\"line\": [1, 1]}' WHERE kb = :kb",
    "vectors_missing": "DELETE FROM kprep.embeddings WHERE content_hash IN "
    "(SELECT content_hash FROM kprep.release_members WHERE kb = :kb AND from_release = 2)",
    "vectors_wrong": "UPDATE kprep.embeddings SET embedding = -1 * embedding::vector(384) WHERE content_hash IN "
    "(SELECT content_hash FROM kprep.release_members WHERE kb = :kb AND from_release = 2)",
}


def candidate(base: TestBase) -> int:
    """Number of a candidate that waits for its gate, as a run leaves it."""
    workspace = base.workspace
    run_id = steps.begin(workspace)
    plan = steps.plan(workspace, run_id, allow_deletes=False)
    for number in range(plan["batches"]):
        prepare_batch(workspace, run_id, number, InProcess())
    steps.embed(workspace, run_id)
    return steps.assemble(workspace, run_id, plan["base_release"])


@pytest.mark.req("D9.11")
def test_damage_in_the_tables_is_seen(make_base: MakeBase) -> None:
    base = make_base(FILES)
    assert base.run()["status"] == "published"
    base.write(
        "badge.md", FILES["badge.md"] + "\n## Guests\n\nGuests of the board are met at the door by its office.\n"
    )
    base.write("rule.md", f"# Badges\n\n{CLAUSE.format('five')}\n\nThe reception keeps a list of them.\n")
    with steps.only_run(base.workspace):
        release = candidate(base)
        seen = {}
        for code, statement in DAMAGE.items():
            with base.connection() as connection:
                before = connection.begin_nested()
                connection.execute(text(statement.replace("-1 * embedding::vector(384)", NEGATED)), {"kb": base.name})
                report = gate.judge(base.workspace, connection, release)
                seen[code] = {finding.code for finding in report.findings if not finding.passed}
                before.rollback()
        with base.connection() as connection:
            untouched = gate.judge(base.workspace, connection, release)
    assert {code for code, found in seen.items() if code in found} == set(DAMAGE), seen
    codes = {finding.code for finding in untouched.findings if not finding.passed}
    assert "clauses_conflict" in codes, "two valid documents name another number of days"
    assert untouched.passed


@pytest.mark.req("D9.2")
def test_a_section_cut_from_a_live_document_is_named(make_base: MakeBase) -> None:
    base = make_base(FILES)
    assert base.run()["status"] == "published"
    base.write("badge.md", f"# Badges\n\n{CLAUSE.format('two')}\n")
    with steps.only_run(base.workspace):
        release = candidate(base)
        with base.connection() as connection:
            report = gate.judge(base.workspace, connection, release)
    (finding,) = [finding for finding in report.findings if finding.code == "sections_gone"]
    assert not finding.passed
    assert [(sample["document_uri"], sample["heading"]) for sample in finding.samples] == [
        ("docs/badge.md", "Visitors")
    ]


@pytest.mark.req("D9.11")
def test_a_copy_of_a_live_document_is_named_with_it(make_base: MakeBase) -> None:
    base = make_base(FILES)
    assert base.run()["status"] == "published"
    base.write("badge-copy.md", FILES["badge.md"])
    base.write(
        "tour-again.md", FILES["tour.md"].replace("steam engine", "steam motor") + "\nIt takes some two hours.\n"
    )
    with steps.only_run(base.workspace):
        release = candidate(base)
        with base.connection() as connection:
            report = gate.judge(base.workspace, connection, release)
    (finding,) = [finding for finding in report.findings if finding.code == "documents_repeated"]
    copy = {"document_uri": "docs/badge-copy.md", "other_uri": "docs/badge.md", "share": 1.0}
    assert finding.samples == (copy,)
    assert report.passed


NEGATED = "(SELECT ('[' || string_agg(CAST(-x AS text), ',') || ']')::vector FROM unnest(embedding::real[]) AS x)"
