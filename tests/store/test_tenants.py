"""Many knowledge bases in one database: tables of their own, plans that touch no other, and forgetting one."""

from __future__ import annotations

import json
import re

import pytest
from sqlalchemy import text

from kprep.core.errors import ConfigError, RetrievalError
from kprep.store import documents
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.pages import FOUR, page

PARTITIONED = (
    "document_versions chunks parents version_chunks release_documents release_members postings lexical_chunks".split()
)


def part(base: TestBase) -> int:
    with base.connection() as connection:
        statement = text("SELECT kb_no FROM kprep.knowledge_bases WHERE kb = :kb")
        return int(connection.execute(statement, {"kb": base.name}).scalar_one())


def tables_of(plan: object) -> set[str]:
    """Partitions a plan reads."""
    return set(re.findall(r'"Relation Name": "(\w+_\d+)"', json.dumps(plan)))


@pytest.mark.req("D7.17", "D10.2")
def test_reads_touch_the_tables_of_one_knowledge_base(make_base: MakeBase) -> None:
    others = [make_base(FOUR) for _ in range(2)]
    for other in others:
        other.run()
    base = make_base(FOUR, views={"all": {"fields": ["text", "citation"]}})
    base.run()
    number = part(base)
    reads = {
        "visible": "SELECT m.chunk_id, c.text, d.uri "
        "FROM kprep.visible_members('{kb}', 1, ARRAY['staff'], current_date) m "
        "JOIN kprep.chunks c ON c.kb = m.kb AND c.chunk_id = m.chunk_id "
        "JOIN kprep.release_documents d ON d.kb = m.kb AND d.document_id = m.document_id "
        "JOIN kprep.version_chunks p ON p.kb = m.kb AND p.version_id = d.version_id AND p.ordinal = m.ordinal",
        "postings": "SELECT * FROM kprep.postings WHERE kb = '{kb}' AND term = 'refund'",
        "sql view": "SELECT * FROM published.{kb}__all",
    }
    with base.connection() as connection:
        for name, statement in reads.items():
            plan = connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {statement.format(kb=base.name)}").scalar_one()
            used = tables_of(plan)
            assert used, name
            if name != "sql view":  # its policies look into the other tables only where a row asks for it
                assert {table.rsplit("_", 1)[1] for table in used} == {str(number)}, name


def test_forgetting_leaves_nothing_and_harms_no_other(make_base: MakeBase) -> None:
    stays = make_base(FOUR, views={"all": {"fields": ["text"]}})
    goes = make_base({**FOUR, "more.md": page("More", "One more page.")}, views={"all": {"fields": ["text"]}})
    stays.run()
    goes.run()
    before, number = stays.content(), part(goes)
    with goes.connection() as connection:
        documents.forget(connection, goes.name)
    with stays.connection() as connection:
        columns = text(
            "SELECT table_schema || '.' || table_name FROM information_schema.columns "
            "WHERE table_schema = 'kprep' AND column_name = 'kb'"
        )
        for table in connection.execute(columns).scalars().all():
            count = text(f"SELECT count(*) FROM {table} WHERE kb = :kb")
            assert connection.execute(count, {"kb": goes.name}).scalar_one() == 0, table
        names = [f"kprep.{name}_{number}" for name in PARTITIONED] + [f"published.{goes.name}__all"]
        for name in names:
            assert connection.execute(text("SELECT to_regclass(:name)"), {"name": name}).scalar() is None
    assert stays.content() == before
    assert stays.search("refund", "hybrid")
    goes.close()
    with goes.connection() as connection, pytest.raises(RetrievalError, match="nothing is published"):
        goes.reader(connection)
    assert goes.run()["work"]["embedded"] in (0, 1, 2)


@pytest.mark.req("D7.17")
def test_the_name_of_another_tenant_is_refused(make_base: MakeBase) -> None:
    one = make_base(FOUR)
    one.run()
    other = make_base(FOUR, knowledge_base=one.name, tenant="other")
    with pytest.raises(ConfigError, match="belongs to another tenant"):
        other.run()
