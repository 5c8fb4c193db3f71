"""A run in a process of its own that stops at a moment and waits to be killed: `python -m tests.fakes.run_until`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from flows import assemble, preparing, run
from kprep.store import documents, embeddings, overlay, releases
from tests.fakes.knowledge_base import TestBase


def after(module: Any, name: str, calls: int) -> None:
    """Let a function do its work, then report and wait for ever at its n-th call."""
    real: Callable[..., Any] = getattr(module, name)
    count = 0

    def wrapped(*arguments: Any, **options: Any) -> Any:
        nonlocal count
        outcome = real(*arguments, **options)
        count += 1
        if count == calls:
            sys.stdout.write("reached\n")
            sys.stdout.flush()
            time.sleep(600)
        return outcome

    setattr(module, name, wrapped)


MOMENTS: dict[str, Callable[[], None]] = {
    "begun": lambda: after(run, "begin", 1),
    "scan": lambda: after(documents, "observe", 1),
    "planned": lambda: after(run, "plan", 1),
    "prepare": lambda: after(preparing, "_prepare_one", 2),
    "saved": lambda: after(documents, "save_version", 2),
    "index": lambda: after(assemble, "index", 1),
    "embed": lambda: after(embeddings, "save", 2),
    "assemble": lambda: after(releases, "apply_changes", 1),
    "assembled": lambda: after(run, "assemble", 1),
    "judged": lambda: after(releases, "save_report", 1),
    "moved": lambda: after(releases, "move_channel", 1),
    "settled": lambda: after(overlay, "settle", 3),  # in the plan, for the gate, and where it is live
}

if __name__ == "__main__":
    folder, name, moment = sys.argv[1:]
    run.EMBED_BATCH = 1
    MOMENTS[moment]()
    base = TestBase(Path(folder), name)
    base.run()
    sys.stdout.write("finished\n")
