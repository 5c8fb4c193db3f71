"""Runs: one at a time per knowledge base, held by a lock that ends with its connection; and their work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

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


def start(connection: Connection, kb: str, run_id: str) -> None:
    """Record a new run; whoever holds the lock knows that earlier running ones are dead."""
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


def plan_work(connection: Connection, run_id: str, batches: Sequence[Sequence[dict[str, Any]]]) -> None:
    """Store what each batch has to do; each item has a `document_id` and a `uri`."""
    rows = [
        {"document_id": item["document_id"], "batch": number, "work": item}
        for number, batch in enumerate(batches)
        for item in batch
    ]
    connection.execute(SQL["plan_work"], {"run_id": run_id, "rows": jsonb(rows)})


def batch(connection: Connection, run_id: str, number: int) -> list[dict[str, Any]]:
    """Work of a batch that is not done yet, by URI."""
    return [dict(row[1]) for row in connection.execute(SQL["batch"], {"run_id": run_id, "batch": number})]


def done(connection: Connection, run_id: str, document_id: str, version_id: str | None) -> None:
    """Record a document as prepared (with its version) or failed (None)."""
    state = "prepared" if version_id else "failed"
    values = {"run_id": run_id, "document_id": document_id, "state": state, "version_id": version_id}
    connection.execute(SQL["done"], values)


def prepared(connection: Connection, run_id: str) -> dict[str, str]:
    """Documents this run prepared: id -> version."""
    return {row[0]: row[1] for row in connection.execute(SQL["prepared"], {"run_id": run_id})}
