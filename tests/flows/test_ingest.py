"""The Prefect flow, for real: what it records, what it retries, and that it sees no text."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from kprep.core.errors import ConfigError, EmbedderUnavailable, EmbeddingError, RunLocked, StoreUnavailable
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase, local_embedder
from tests.fakes.pages import FOUR, TRAVEL


@pytest.fixture
def base(make_base: MakeBase, prefect_server: Path) -> TestBase:
    return make_base(FOUR)


def flow_runs() -> list[Any]:
    """All flow runs Prefect knows, latest first."""
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.sorting import FlowRunSort

    with get_client(sync_client=True) as client:
        return list(client.read_flow_runs(sort=FlowRunSort.EXPECTED_START_TIME_DESC))


def task_runs() -> list[Any]:
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as client:
        return list(client.read_task_runs(limit=200))


@pytest.mark.req("D10.1")
def test_run_publishes_and_the_next_wakes_nobody(base: TestBase) -> None:
    from flows.ingest import ingest

    summary = ingest(base.workspace)
    assert summary["status"] == "published"
    assert base.uris() == sorted(FOUR)
    assert {"scan", "prepare", "embed", "assemble", "gate", "total"} <= summary["seconds"].keys()
    before = len(flow_runs())
    assert ingest(base.workspace)["status"] == "unchanged"
    assert len(flow_runs()) == before
    base.write("travel.md", TRAVEL.replace("forty-two", "forty-three"))
    summary = ingest(base.workspace)
    assert (summary["status"], summary["work"]["parsed"]) == ("published", 1)


def test_prefect_is_told_ids_and_numbers_only(base: TestBase, prefect_server: Path) -> None:
    from flows.ingest import ingest

    base.write("walrus.md", "# Walrus\n\nThe walrus migration counter must read 8814 before a restore begins.\n")
    ingest(base.workspace)
    latest = flow_runs()[0]
    assert set(latest.parameters) == {"knowledge_base", "data_dir", "allow_deletes", "run_id", "only"}
    assert latest.parameters["only"] is None
    told = json.dumps([run.model_dump(mode="json") for run in (*flow_runs(), *task_runs())])
    for word in ("walrus", "8814", "allowance", "Utrecht"):
        assert word not in told
    home = Path(prefect_server)
    for path in home.rglob("*"):
        if path.is_file():
            assert b"walrus migration" not in path.read_bytes(), path


class Flaky:
    """The local embedder, failing at first."""

    def __init__(self, error: Exception, times: int) -> None:
        self.error, self.times, self.calls = error, times, 0
        self.asked: list[list[str]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(local_embedder(), name)

    def embed(self, texts: list[str]) -> Any:
        self.calls += 1
        self.asked.append(list(texts))
        if self.calls <= self.times:
            raise self.error
        return local_embedder().embed(texts)


@pytest.fixture
def quick_retries(prefect_server: Path) -> Iterator[None]:
    from flows import ingest

    delays = ingest.embed_task.retry_delay_seconds
    ingest.embed_task.retry_delay_seconds = [0.01, 0.01, 0.01]
    yield
    ingest.embed_task.retry_delay_seconds = delays


def test_what_may_help_is_tried_again(base: TestBase, quick_retries: None) -> None:
    from flows.ingest import ingest

    base.write("unique.md", "# Retry\n\nA sentence that nobody has embedded before, about retrying quietly.\n")
    embedder = Flaky(EmbedderUnavailable("the provider limits the rate"), 2)
    base.workspace.__dict__["embedder"] = embedder
    assert ingest(base.workspace)["status"] == "published"
    again = [texts for texts in embedder.asked if texts == embedder.asked[0]]
    assert len(again) >= 3


def test_what_cannot_help_is_not_tried_again(base: TestBase, quick_retries: None) -> None:
    from flows.ingest import ingest

    base.write("unique.md", "# Once\n\nA sentence that nobody has embedded before, about failing loudly.\n")
    embedder = Flaky(EmbeddingError("wrong key"), 1)
    base.workspace.__dict__["embedder"] = embedder
    with pytest.raises(EmbeddingError, match="wrong key"):
        ingest(base.workspace)
    assert embedder.calls == 1
    assert base.live() == 0
    from flows.planning import status

    last = status(base.workspace)["runs"][0]
    assert (last["status"], last["message"]) == ("failed", "wrong key")
    assert ingest(base.workspace)["status"] == "published"


def test_l11_a_run_holds_the_same_however_it_is_started(base: TestBase) -> None:
    from flows import run as steps
    from flows.ingest import ingest, ingest_documents
    from flows.planning import status

    def by_command() -> Any:
        return ingest(base.workspace)

    def by_deployment() -> Any:
        return ingest_documents(str(base.folder))

    for start in (by_command, by_deployment):
        with steps.only_run(base.workspace), pytest.raises(RunLocked):
            start()
    (base.folder / "questions.yaml").write_text("- {id: nothing-else}\n", encoding="utf-8")
    base.configure(quality={"questions": "questions.yaml"})
    for number, start in enumerate((by_command, by_deployment), 1):
        with pytest.raises(ConfigError, match="class is missing"):
            start()
        runs = status(base.workspace)["runs"]
        assert [run["status"] for run in runs] == ["failed"] * number, "none was begun while locked"
        assert "class is missing" in runs[0]["message"]


def test_deployed_flow_runs_by_folder(base: TestBase) -> None:
    """As a worker calls it: parameters only, nothing begun before."""
    from flows.ingest import ingest_documents

    summary = ingest_documents(str(base.folder))
    assert summary["status"] == "published"
    assert base.uris() == sorted(FOUR)
    assert ingest_documents(str(base.folder))["status"] == "unchanged"


def test_l09_tasks_grow_with_batches_and_not_with_documents(base: TestBase, capfd: pytest.CaptureFixture[str]) -> None:
    from flows.ingest import ingest

    for number in range(40):
        base.write(f"many/{number:02}.md", f"# Number {number}\n\nThe rule number {number} says to be on time.\n")
    summary = ingest(base.workspace)
    assert summary["work"]["parsed"] == 44
    assert len(base.uris()) == 44
    latest = flow_runs()[0]
    tasks = Counter(task.name.rsplit("-", 1)[0] for task in task_runs() if task.flow_run_id == latest.id)
    assert tasks.pop("prepare batch") == 3
    assert set(tasks.values()) == {1}
    assert "locked" not in "".join(capfd.readouterr()), "the server's database keeps up"


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("Timed out while attempting to connect to ephemeral Prefect API server."),
        httpx.ReadTimeout("timed out"),
    ],
)
def test_a_server_that_does_not_start_is_named_with_what_to_do(error: Exception) -> None:
    from flows.ingest import served

    with pytest.raises(StoreUnavailable, match="PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS"), served():
        raise error
    with pytest.raises(RuntimeError, match="of ours"), served():
        raise RuntimeError("a fault of ours")
