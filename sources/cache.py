"""What a source keeps in its folder of the restricted zone: state between runs, and bodies for the length of one.

All of it only saves work: any file may vanish, or be of another version, at any time.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import threading
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from sources.spec import About, Entry, Listing, Problem, SourceRequest

BODIES = "bodies"


def private(folder: Path) -> Path:
    """The folder, made with those above it that are missing, for kprep's user only."""
    for part in (*reversed(folder.parents), folder):
        if not part.exists():
            part.mkdir(exist_ok=True, mode=0o700)
    return folder


def load_state(request: SourceRequest, name: str) -> dict[str, Any]:
    """State as saved, {} when there is none that can be read."""
    try:
        found = json.loads((request.cache / f"{name}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def save_state(request: SourceRequest, name: str, state: dict[str, Any]) -> None:
    """Replace the state in one step."""
    private(request.cache)
    scratch = request.cache / f"{name}.new"
    scratch.write_text(json.dumps(state), encoding="utf-8")
    scratch.replace(request.cache / f"{name}.json")


def keep_body(request: SourceRequest, key: str, content: bytes) -> None:
    """Keep what was read with a listing until the run ends, so that the run prepares what it listed."""
    place = _place(request, key)
    private(place.parent)
    scratch = place.with_name(f"{place.name}.{threading.get_ident()}")
    scratch.write_bytes(content)
    scratch.replace(place)


def kept_body(request: SourceRequest, key: str) -> bytes | None:
    """A body kept with the listing, None when there is none."""
    try:
        return _place(request, key).read_bytes()
    except OSError:
        return None


def drop_bodies(request: SourceRequest) -> None:
    """Remove what was kept for the run."""
    shutil.rmtree(request.cache / BODIES, ignore_errors=True)


def _place(request: SourceRequest, key: str) -> Path:
    return request.cache / BODIES / hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def stamp_of(request: SourceRequest, path: Path, version: int) -> str:
    """What a listing of one file follows from: the file as it stands, the source's keys and patterns, its version."""
    status = path.stat()
    said = [version, request.options.model_dump(mode="json"), request.include, request.exclude, request.size_max]
    stood = [str(path), status.st_size, status.st_mtime_ns, status.st_ino]
    return hashlib.sha256(json.dumps([said, stood]).encode()).hexdigest()


def saved_listing(request: SourceRequest, stamp: str) -> Listing | None:
    """The listing of a file that is as it was, None when it must be read."""
    state = load_state(request, "listing")
    if state.get("stamp") != stamp:
        return None
    return Listing(
        tuple(_entry(values) for values in state["entries"]),
        tuple(Problem(**values) for values in state["problems"]),
        complete=bool(state["complete"]),
        passed_over=state.get("passed_over", {}),
    )


def save_listing(request: SourceRequest, stamp: str, listing: Listing) -> None:
    """Keep a listing for the next run."""
    entries = [asdict(entry) for entry in listing.entries]
    for values in entries:
        moment = values["modified_at"]
        values["modified_at"] = moment.isoformat() if moment is not None else None
    problems = [asdict(problem) for problem in listing.problems]
    said = {"problems": problems, "complete": listing.complete, "passed_over": dict(listing.passed_over)}
    save_state(request, "listing", {"stamp": stamp, "entries": entries, **said})


def _entry(values: dict[str, Any]) -> Entry:
    moment, acl, about = values["modified_at"], values["acl"], values["about"]
    return Entry(
        **{
            **values,
            "modified_at": datetime.fromisoformat(moment) if moment is not None else None,
            "acl": tuple(acl) if acl is not None else None,
            "about": About(**{**about, "labels": tuple(about["labels"])}),
        }
    )
