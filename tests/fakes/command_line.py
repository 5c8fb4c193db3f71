"""`kprep` as a person runs it: in a process of its own, with its own embedded PostgreSQL and temporary Prefect."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PROGRAM = "import sys; from kprep.cli import main; sys.argv[0] = 'kprep'; main()"


@contextmanager
def short_directory() -> Iterator[Path]:
    """A data directory the database's own user can reach, with a short path for its socket."""
    path = Path(tempfile.mkdtemp(prefix="kpd-"))
    path.chmod(0o755)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


@dataclass(frozen=True)
class CommandLine:
    """A knowledge base folder with a data directory. `env`: variables added to a clean environment."""

    folder: Path
    data_dir: Path
    env: Mapping[str, str]
    prefix: tuple[str, ...] = ()
    timeout_s: float = 240

    def __call__(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            self.command(*arguments),
            env=self.environment(),
            cwd=ROOT,
            check=False,
            capture_output=True,
            text=True,
            timeout=self.timeout_s,
        )

    def json(self, *arguments: str) -> Any:
        """Output of a command that must succeed."""
        done = self(*arguments, "--json")
        assert done.returncode == 0, (done.returncode, done.stdout[-2000:], done.stderr[-2000:])
        return json.loads(done.stdout)

    def command(self, *arguments: str) -> list[str]:
        where = ["--kb", str(self.folder), "--data-dir", str(self.data_dir)]
        return [*self.prefix, sys.executable, "-c", PROGRAM, *arguments, *where]

    def environment(self) -> dict[str, str]:
        kept = ("PATH", "HOME", "LANG", "PYTHONPATH", "TMPDIR")
        clean = {name: value for name, value in os.environ.items() if name in kept}
        return {**clean, "KPREP_REDACTION_KEY": "key of the tests", **self.env}
