"""Ending a run from outside: Ctrl-C and SIGTERM end it at once, and what a killed one left running is ended too.

Every step of a run commits what it did, so the quickest end is a safe one. Prefect's own way of stopping waits for
tasks and writes its states to the terminal; it is not used.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from flows import run as steps
from flows.scan import end_scan
from flows.workspace import Workspace

SIGNALS = (signal.SIGINT, signal.SIGTERM)
EXIT_BASE = 128
WAIT_S = 3.0


@contextlib.contextmanager
def stoppable(workspace: Workspace, run_id: str) -> Iterator[None]:
    """While inside, SIGINT and SIGTERM record the run as stopped, end every process below this one, and exit with
    128 + signal. Only in the main thread; elsewhere (a worker) the process's own handling stays."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, _frame: Any) -> None:
        for other in SIGNALS:
            signal.signal(other, signal.SIG_IGN)
        sys.stderr.write("\nstopping: what is done stays done, the next run goes on from there\n")
        sys.stderr.flush()
        recorder = threading.Thread(target=_record, args=(workspace, run_id, number), daemon=True)
        recorder.start()
        recorder.join(WAIT_S)
        _end_descendants()
        with contextlib.suppress(Exception):
            end_scan(workspace)
        with contextlib.suppress(Exception):
            workspace.close()
        os._exit(EXIT_BASE + number)

    before = {number: signal.signal(number, stop) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _record(workspace: Workspace, run_id: str, number: int) -> None:
    with contextlib.suppress(Exception):
        steps.finish(workspace, run_id, "stopped", {"message": f"stopped by {signal.Signals(number).name}"})


def _end_descendants() -> None:
    """Kill Prefect's temporary server and the children that read documents. PostgreSQL is left to its own users."""
    import psutil

    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if process.name() != "postgres":
                process.kill()


def end_orphans(data_dir: Path) -> int:
    """Kill temporary Prefect servers that a killed run of this data directory left behind; how many."""
    import psutil

    home, ended = str(data_dir / "prefect"), 0
    for process in psutil.process_iter(["ppid", "cmdline"]):
        command = " ".join(process.info["cmdline"] or ())
        if process.info["ppid"] != 1 or "prefect.server" not in command:
            continue
        with contextlib.suppress(psutil.Error):
            if process.environ().get("PREFECT_HOME") == home:
                process.kill()
                ended += 1
    return ended
