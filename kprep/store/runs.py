"""Runs: one at a time per knowledge base, held by a lock that ends with its connection; and their work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from kprep.core.errors import LeaseLost
from kprep.store.sql import jsonb, load

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run as recorded."""

    run_id: str
    status: str
    stage: str
    started_at: datetime
    finished_at: datetime | None
    summary: dict[str, Any]


def try_lock(connection: Connection, kb: str) -> bool:
    """True when this connection now is the only one to write the knowledge base, until it closes."""
    return bool(connection.execute(SQL["lock"], {"kb": kb}).scalar_one())


def unlock(connection: Connection, kb: str) -> None:
    """Give the lock back now; the end of a connection is noticed by the server only a little later."""
    connection.execute(SQL["unlock"], {"kb": kb})


def take_lease(connection: Connection, kb: str, holder: str) -> int:
    """Fence of a new lease. Whoever held an older one can no longer write, however long it sleeps."""
    return int(connection.execute(SQL["take_lease"], {"kb": kb, "holder": holder}).scalar_one())


def check_lease(connection: Connection, kb: str, fence: int) -> None:
    """Keep the lease from being taken until this transaction ends. Raises: LeaseLost when it has been already."""
    row = connection.execute(SQL["lease"], {"kb": kb}).one_or_none()
    if row is None or row[0] != fence:
        holder = "nobody" if row is None else row[1]
        raise LeaseLost(f"this run lost knowledge base {kb!r} to {holder} and writes nothing more: start it again")


def start(connection: Connection, kb: str, run_id: str) -> None:
    """Record a new run; whoever holds the lock knows that earlier running ones are dead."""
    connection.execute(SQL["drop_dead_work"], {"kb": kb, "run_id": run_id})
    connection.execute(SQL["end_dead"], {"kb": kb, "run_id": run_id})
    connection.execute(SQL["start"], {"kb": kb, "run_id": run_id})


def enter_stage(connection: Connection, run_id: str, stage: str) -> None:
    """Record where the run is."""
    connection.execute(SQL["stage"], {"run_id": run_id, "stage": stage})


def finish(connection: Connection, run_id: str, status: str, summary: dict[str, Any]) -> None:
    """Record how the run ended, and drop its work list."""
    connection.execute(SQL["finish"], {"run_id": run_id, "status": status, "summary": jsonb(summary)})
    connection.execute(SQL["drop_work"], {"run_id": run_id})


def recent(connection: Connection, kb: str, count: int) -> list[RunRow]:
    """Latest runs first."""
    return [RunRow(*row) for row in connection.execute(SQL["recent"], {"kb": kb, "count": count})]


@dataclass(frozen=True, slots=True)
class WorkRow:
    """One document of a run's work list. `state`: planned, ready (its version is prepared), failed."""

    document_id: str
    batch: int
    work: dict[str, Any]
    state: str
    version_id: str | None


def plan_work(connection: Connection, run_id: str, rows: Sequence[WorkRow]) -> None:
    """Store what a run has to do."""
    values = [asdict(row) for row in rows]
    connection.execute(SQL["plan_work"], {"run_id": run_id, "rows": jsonb(values)})


def replace_work(connection: Connection, run_id: str, rows: Sequence[WorkRow]) -> None:
    """Store what a run has to do of these documents, whatever it had to do before."""
    connection.execute(SQL["drop_work_of"], {"run_id": run_id, "ids": [row.document_id for row in rows]})
    plan_work(connection, run_id, rows)


def batch(connection: Connection, run_id: str, number: int) -> list[dict[str, Any]]:
    """Work of a batch that is not done yet, by URI."""
    return [dict(row[0]) for row in connection.execute(SQL["batch"], {"run_id": run_id, "batch": number})]


def done(connection: Connection, run_id: str, document_id: str, version_id: str | None, began: str) -> None:
    """Record a document as ready (with its version) or failed (None). `began`: the stage its work began at."""
    values = {"run_id": run_id, "document_id": document_id, "version_id": version_id, "began": began}
    connection.execute(SQL["done"], values)


def work(connection: Connection, run_id: str) -> list[WorkRow]:
    """The whole work list of a run, by URI."""
    return [WorkRow(*row) for row in connection.execute(SQL["work"], {"run_id": run_id})]


def note(connection: Connection, run_id: str, values: dict[str, Any]) -> None:
    """Add figures to a run's summary."""
    connection.execute(SQL["note"], {"run_id": run_id, "values": jsonb(values)})


def get(connection: Connection, run_id: str) -> RunRow:
    """One run. Raises: sqlalchemy.exc.NoResultFound for an unknown id."""
    return RunRow(*connection.execute(SQL["get"], {"run_id": run_id}).one())
