"""Starting a run from an entry point: the environment first, then Prefect, whose noise stays off the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flows import environment
from flows.workspace import Workspace


def start(workspace: Workspace, *, allow_deletes: bool, only: Sequence[str] = ()) -> dict[str, Any]:
    """Summary of one run. Raises: PrepError; the run is recorded as failed."""
    environment.prepare(workspace.data_dir)
    from flows.ingest import ingest

    return ingest(workspace, allow_deletes=allow_deletes, only=only)
