"""When to run again: the files that the sources on this machine are made of, until they change and stand still.

Sources elsewhere (web sites, buckets, remote repositories) are looked at by each run, but start none: those want a
schedule.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from flows.workspace import Workspace
from kprep.config import FILE_NAME

GIT_REFS = ("HEAD", "packed-refs", "refs")


def changes(workspace: Workspace, every_s: float, sleep: Callable[[float], None] = time.sleep) -> Iterator[None]:
    """Once at the start, then each time that files changed and were the same in two looks; never ends by itself.

    What changes while the caller works on one change is the next.
    """
    taken = before = _standing(workspace)
    yield
    while True:
        sleep(every_s)
        now = _standing(workspace)
        if now == before and now != taken:
            taken = now
            yield
        before = now


def watched(workspace: Workspace) -> list[Path]:
    """Files and folders that are looked at: those of the sources, and those of the knowledge base itself."""
    base = workspace.base
    config = base.config
    found = [base.folder / FILE_NAME]
    found += [
        base.path(path) for path in (config.cleaning.ruleset, config.redaction.policy, config.quality.questions) if path
    ]
    for source in config.sources:
        options = {name: getattr(source, name) for name in type(source).model_fields}
        found += [base.path(value) for value in options.values() if isinstance(value, Path)]
        if source.kind == "git" and base.path(Path(options["url"])).is_dir():
            place = base.path(Path(options["url"]))
            git = place / ".git" if (place / ".git").is_dir() else place
            found += [git / name for name in GIT_REFS]
    return found


def _standing(workspace: Workspace) -> str:
    """Digest of names, sizes and times; a file that vanishes meanwhile is not there."""
    digest = hashlib.sha256()
    data = str(workspace.data_dir)
    for root in watched(workspace):
        for path, status in _files(root, data):
            digest.update(
                f"{path}\0{status.st_size}\0{status.st_mtime_ns}\0{status.st_ino}\n".encode("utf-8", "replace")
            )
    return digest.hexdigest()


def _files(root: Path, data: str) -> Iterator[tuple[str, os.stat_result]]:
    waiting = [str(root)]
    while waiting:
        path = waiting.pop()
        if path == data:
            continue
        try:
            if os.path.isdir(path):  # noqa: PTH112 -- many files, plain strings
                waiting += sorted((item.path for item in os.scandir(path)), reverse=True)
            else:
                yield path, os.stat(path)  # noqa: PTH116
        except OSError:
            continue
