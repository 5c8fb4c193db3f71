"""Environment of Prefect and the libraries, set before they are imported. Call `prepare` first in every entry point."""

from __future__ import annotations

import os
from pathlib import Path

from flows.workspace import prepare_data_dir
from kprep.offline import prepare_environment


def prepare(data_dir: Path) -> None:
    """No telemetry, no downloads, Prefect's own database in the data directory, its chatter off the terminal.

    What the user has set in the environment is left as it is.
    """
    prepare_environment()
    prepare_data_dir(data_dir)
    for name, value in {
        "PREFECT_HOME": str(data_dir / "prefect"),
        "PREFECT_LOGGING_LEVEL": "CRITICAL",
        # The temporary server is stopped amid its own work: what its database driver says of that is no error of ours.
        "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",
        "PREFECT_SERVER_LOGGING_LEVEL": "CRITICAL",
        "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
        "PREFECT_CLIENT_METRICS_ENABLED": "false",
    }.items():
        os.environ.setdefault(name, value)
