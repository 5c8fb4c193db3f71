"""What a source keeps in its folder of the restricted zone: state between runs, and bodies for the length of one.

All of it only saves work: any file may vanish, or be of another version, at any time.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

from sources.spec import SourceRequest

BODIES = "bodies"


def load_state(request: SourceRequest, name: str) -> dict[str, Any]:
    """State as saved, {} when there is none that can be read."""
    try:
        found = json.loads((request.cache / f"{name}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def save_state(request: SourceRequest, name: str, state: dict[str, Any]) -> None:
    """Replace the state in one step."""
    request.cache.mkdir(parents=True, exist_ok=True, mode=0o700)
    scratch = request.cache / f"{name}.new"
    scratch.write_text(json.dumps(state), encoding="utf-8")
    scratch.replace(request.cache / f"{name}.json")


def keep_body(request: SourceRequest, key: str, content: bytes) -> None:
    """Keep what was read with a listing until the run ends, so that the run prepares what it listed."""
    place = _place(request, key)
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    place.write_bytes(content)


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
