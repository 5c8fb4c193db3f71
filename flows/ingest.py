"""The Prefect flow: scan and plan, prepare in batches, embed, assemble, judge and publish.

Works with no Prefect server (a temporary one is started) and with one (`PREFECT_API_URL`). Task parameters and results
are ids and numbers. A task is tried again only for errors that say they are retryable.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prefect import flow, task
from prefect.task_runners import ThreadPoolTaskRunner

from flows import run as steps
from flows.preparing import Prepared, prepare_batch
from flows.progress import report
from flows.stopping import end_orphans, stoppable
from flows.workspace import Workspace, opened
from kprep.core.errors import PrepError, StoreUnavailable

RETRIES = 3
RETRY_DELAYS_S = [2, 10, 30]
_NOT_SERVED = re.compile("Prefect API server|available port")


def is_retryable(_task: Any, _task_run: Any, state: Any) -> bool:
    """True when the error says that trying again may help."""
    try:
        state.result()
    except PrepError as error:
        return error.retryable
    except Exception:  # noqa: BLE001 -- an unknown error is not retried
        return False
    return False


OPTIONS: dict[str, Any] = {
    "retries": RETRIES,
    "retry_delay_seconds": RETRY_DELAYS_S,
    "retry_condition_fn": is_retryable,
    "persist_result": False,
    "cache_policy": None,
}


@dataclass(slots=True)
class Context:
    """What the tasks of one run share in this process; Prefect never sees it."""

    workspace: Workspace
    only: Sequence[str] = ()
    children: Prepared = field(default_factory=Prepared)


_contexts: dict[str, Context] = {}
"""Run id -> context. Tasks are called with the run id alone, so that their parameters are ids and numbers."""


@contextmanager
def running(workspace: Workspace, run_id: str, only: Sequence[str] = ()) -> Iterator[None]:
    """Let the tasks of a run find its workspace; at the end its child processes are gone."""
    context = _contexts[run_id] = Context(workspace, only)
    try:
        yield
    finally:
        context.children.close()
        del _contexts[run_id]


@task(name="scan and plan", **OPTIONS)
def plan_task(run_id: str, allow_deletes: bool) -> dict[str, Any]:
    """What `flows.run.plan` gives."""
    context = _contexts[run_id]
    return steps.plan(context.workspace, run_id, allow_deletes=allow_deletes, only=context.only)


@task(name="prepare batch", **OPTIONS)
def prepare_task(run_id: str, batch: int) -> int:
    """Number of documents prepared."""
    context = _contexts[run_id]
    return prepare_batch(context.workspace, run_id, batch, context.children)


@task(name="settle what is repeated", **OPTIONS)
def settle_task(run_id: str, base_release: int) -> dict[str, Any]:
    """What `flows.run.settle` gives."""
    return steps.settle(_contexts[run_id].workspace, run_id, base_release)


@task(name="index and embed", **OPTIONS)
def embed_task(run_id: str) -> dict[str, int]:
    """{embedded, cache_hits}."""
    return steps.embed(_contexts[run_id].workspace, run_id)


@task(name="assemble candidate", **OPTIONS)
def assemble_task(run_id: str, base_release: int) -> int:
    """Number of the candidate."""
    return steps.assemble(_contexts[run_id].workspace, run_id, base_release)


@task(name="gate and publish", **OPTIONS)
def publish_task(run_id: str, release: int) -> str:
    """Fate of the candidate: published or blocked."""
    return steps.judge_and_publish(_contexts[run_id].workspace, release)


@task(name="scan published text", **OPTIONS)
def scan_task(run_id: str) -> int:
    """Number of findings."""
    return len(steps.scan_published(_contexts[run_id].workspace)["findings"])


@task(name="retire", **OPTIONS)
def retire_task(run_id: str) -> dict[str, int]:
    """What was collected: {releases, chunks, originals}."""
    return steps.retire(_contexts[run_id].workspace)


@flow(name="ingest", persist_result=False)
def ingest_documents(
    knowledge_base: str,
    data_dir: str | None = None,
    allow_deletes: bool = False,
    run_id: str | None = None,
    only: list[str] | None = None,
) -> dict[str, Any]:
    """One run over a knowledge base folder; its summary (design section 7).

    `only`: what a source says it changed, as URIs; nothing else is looked at. `run_id`: a run this process has begun
    and planned already. Raises: PrepError; the run is recorded as failed.
    """
    if run_id is not None:
        workspace = _contexts[run_id].workspace
        with stoppable(workspace, run_id):  # anew: Prefect has put its own handling of SIGTERM in place
            return _carry_out(workspace, run_id, None)
    with opened(Path(knowledge_base), Path(data_dir) if data_dir else None) as workspace, steps.only_run(workspace):
        begun = steps.begin(workspace)
        with steps.recorded(workspace, begun), running(workspace, begun, only or ()):
            return _carry_out(workspace, begun, plan_task(begun, allow_deletes))


def _carry_out(workspace: Workspace, run_id: str, planned: dict[str, Any] | None) -> dict[str, Any]:
    """Everything after the plan. `planned` None: read it from the run's record."""
    plan = planned or steps.planned(workspace, run_id)
    _contexts[run_id].children.total = plan["documents"]
    clock = steps.Clock()
    _prepare(run_id, range(plan["batches"]))
    clock.lap("prepare")
    if plan["status"] != "work":
        return steps.stop(workspace, run_id, plan)
    again = settle_task(run_id, plan["base_release"])
    _contexts[run_id].children.total += again["documents"]
    _prepare(run_id, again["batches"])
    clock.lap("settle")
    if not steps.has_changes(workspace, run_id):
        return steps.finish(workspace, run_id, "unchanged", {"seconds": clock.seconds, **_suggested(run_id)})
    embedded = embed_task(run_id)
    clock.lap("embed")
    release = assemble_task(run_id, plan["base_release"])
    clock.lap("assemble")
    status = publish_task(run_id, release)
    clock.lap("gate")
    if status == "published":
        scan_task(run_id)
        clock.lap("second_scan")
    retired = retire_task(run_id)
    clock.lap("retire")
    outcome = {**embedded, "release": release, "retired": retired, "seconds": clock.seconds, **_suggested(run_id)}
    return steps.finish(workspace, run_id, status, outcome)


def _suggested(run_id: str) -> dict[str, Any]:
    """What became of asking a model in this run."""
    suggestions = _contexts[run_id].children.suggestions
    return {"model": suggestions.figures()} if suggestions is not None else {}


def _prepare(run_id: str, batches: Sequence[int]) -> None:
    futures = [prepare_task.submit(run_id, batch) for batch in batches]
    for future in futures:
        future.result()


def check_server() -> None:
    """Raises: StoreUnavailable when PREFECT_API_URL names a server that does not answer."""
    import httpx

    url = os.environ.get("PREFECT_API_URL")
    if not url:
        return
    try:
        httpx.get(f"{url.rstrip('/')}/health", timeout=10).raise_for_status()
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise StoreUnavailable(
            f"the Prefect server at PREFECT_API_URL={url} does not answer ({type(error).__name__}): start it, or unset "
            "PREFECT_API_URL to run without one"
        ) from error


@contextmanager
def served() -> Iterator[None]:
    """Prefect's temporary server, or the lasting one, answers meanwhile.

    Raises: StoreUnavailable when it does not start or answer."""
    import httpx

    try:
        yield
    except (httpx.HTTPError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and not _NOT_SERVED.search(str(error)):
            raise
        raise StoreUnavailable(
            f"Prefect's server does not start or answer ({type(error).__name__}), as on a busy machine: run again, "
            "give it longer by PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS (120), or start a lasting server "
            "and name it in PREFECT_API_URL"
        ) from error


def ingest(workspace: Workspace, *, allow_deletes: bool = False, only: Sequence[str] = ()) -> dict[str, Any]:
    """One run from the command line; its summary. Raises: PrepError; the run is recorded as failed.

    The plan is made before Prefect is woken: when nothing changed, nothing is started.
    """
    with steps.only_run(workspace):
        run_id = steps.begin(workspace)
        with stoppable(workspace, run_id), steps.recorded(workspace, run_id):
            plan = steps.plan(workspace, run_id, allow_deletes=allow_deletes, only=only)
            if plan["status"] != "work" and not plan["batches"]:
                return steps.stop(workspace, run_id, plan)
            workers = workspace.settings.workers or os.cpu_count() or 1
            report("start", 0, 0)
            check_server()
            end_orphans(workspace.data_dir)
            with running(workspace, run_id), served():
                runner: Any = ThreadPoolTaskRunner(max_workers=workers)
                configured = ingest_documents.with_options(task_runner=runner)
                return configured(str(workspace.base.folder), str(workspace.data_dir), allow_deletes, run_id)
