"""`kill -9` at any moment: readers keep what they have, and the next run converges."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from sqlalchemy import text

from kprep.store import runs
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.pages import FOUR, REFUNDS, SAFETY, TRAVEL, page

MOMENTS = (
    "begun", "scan", "planned", "prepare", "saved", "index", "embed", "assemble", "assembled", "judged", "moved",
    "settled",
)  # fmt: skip


@pytest.mark.req("D9.12", "D10.1")
@pytest.mark.parametrize("moment", MOMENTS)
def test_f08_killed_run_harms_nothing(make_base: MakeBase, moment: str) -> None:
    base = make_base(FOUR)
    base.run()
    before = base.content()
    # Words of its own, since vectors are shared by all knowledge bases of the database.
    base.write("refunds.md", REFUNDS.replace("fourteen", moment).replace("telephone", moment))
    base.write("safety.md", SAFETY.replace("one day", "two days"))
    base.write("new.md", page("Keys", "Keys are handed out at the reception, against a signature."))
    base.rename("travel.md", "journeys.md")
    base.delete("holidays.md")
    command = [sys.executable, "-m", "tests.fakes.run_until", str(base.folder), base.name, moment]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "reached\n"
        process.kill()
    assert base.live() == 1
    assert base.content() == before
    visible = {"refunds.md", "safety.md", "travel.md"} | ({"holidays.md"} if moment in ("begun", "scan") else set())
    assert set(base.uris()) == visible
    summary = base.run()
    assert (summary["status"], summary["base_release"]) == ("published", 1)
    assert summary["work"]["parsed"] == {"prepare": 1, "saved": 2}.get(moment, 3 if moment in MOMENTS[:3] else 0)
    fresh = make_base({path.name: path.read_bytes() for path in base.path("").iterdir()})
    fresh.run()
    assert base.content() == fresh.content()
    with base.connection() as connection:
        statement = text("SELECT status, count(*) FROM kprep.runs WHERE kb = :kb GROUP BY status")
        counts = {row[0]: row[1] for row in connection.execute(statement, {"kb": base.name})}
        work = text("SELECT count(*) FROM kprep.run_documents d JOIN kprep.runs r USING (run_id) WHERE r.kb = :kb")
        assert connection.execute(work, {"kb": base.name}).scalar_one() == 0
    assert counts == {"published": 2, "crashed": 1}


def test_second_run_at_the_same_time_is_refused(make_base: MakeBase) -> None:
    from kprep.core.errors import RunLocked

    base = make_base(FOUR)
    base.run()
    base.write("travel.md", TRAVEL.replace("forty-two", "forty-three"))
    command = [sys.executable, "-m", "tests.fakes.run_until", str(base.folder), base.name, "planned"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "reached\n"
        with pytest.raises(RunLocked, match="is at work"):
            base.run()
        assert "forty-two" in base.chunks("travel.md")[0]["text"]
        assert _last_status(base) == "running"
        process.kill()
    ends = time.monotonic() + 10
    while (status := _last_status(base)) == "running" and time.monotonic() < ends:
        time.sleep(0.02)  # the server notices the end of a connection a little later
    assert status == "crashed"


def _last_status(base: TestBase) -> str:
    with base.connection() as connection:
        return runs.recent(connection, base.name, 1)[0].status
