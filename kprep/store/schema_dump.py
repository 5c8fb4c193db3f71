"""The schema as `pg_dump` writes it: what `migrations/schema.sql` shows to people and the tests compare."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

from sqlalchemy.engine import make_url

from kprep.core.errors import StoreError
from kprep.store import embedded
from kprep.store.database import Database

HEADER = "-- Written by `make schema` from the migrations. Do not edit.\n"
_VARYING = re.compile(r"^(--.*|SET .*|SELECT pg_catalog\.set_config.*|\\(un)?restrict .*)$", re.MULTILINE)


def dump(url: str) -> str:
    """Schema of a migrated database, without comments, session settings and what varies between versions.

    Uses the embedded wheel's pg_dump. Raises: StoreError.
    """
    parts = make_url(url)
    target = parts.set(drivername="postgresql").render_as_string(hide_password=False)
    arguments = [
        "--schema-only",
        "--no-comments",
        "--no-owner",
        "--no-privileges",
        "--schema=kprep",
        "--schema=published",
    ]
    done = subprocess.run(
        [str(embedded.binaries_dir() / "pg_dump"), *arguments, f"--dbname={target}"],
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise StoreError(f"pg_dump failed: {done.stderr.strip()}")
    text = _VARYING.sub("", done.stdout)
    return HEADER + re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def dump_new() -> str:
    """Schema of a database made from the migrations in a temporary embedded server. Raises: StoreError."""
    with tempfile.TemporaryDirectory(prefix="kps-") as folder:
        directory = Path(folder)
        directory.chmod(0o755)
        database = Database.open(directory, None)
        try:
            return dump(database.url)
        finally:
            database.close()
