"""Permissions beside the files: `<file>.acl.yaml` for one file, `.acl.yaml` for a folder and what is below it.

`acl: [principals]`, or the list alone. What cannot be read or understood lets nobody in.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kprep.bounded_yaml import YamlRefused, load

SUFFIX = ".acl.yaml"
SIZE_MAX = 1 << 20


@dataclass(frozen=True, slots=True)
class SidecarAcl:
    """Principals, or with a `problem` none."""

    acl: tuple[str, ...]
    problem: str = ""


def read(path: Path, shown: str) -> SidecarAcl:
    """What a sidecar file says; `shown` is how a problem names it."""
    try:
        with path.open("rb") as file:
            content = file.read(SIZE_MAX + 1)
    except OSError as error:
        return SidecarAcl((), f"{shown} cannot be read ({error.strerror}): nobody may see what it is for")
    return understand(content, shown)


def understand(content: bytes, shown: str) -> SidecarAcl:
    """What a sidecar's bytes say."""
    try:
        value = load(content.decode("utf-8"))
    except (YamlRefused, UnicodeDecodeError):
        return SidecarAcl((), f"{shown} is not valid YAML: nobody may see what it is for")
    if isinstance(value, dict) and set(value) == {"acl"}:
        value = value["acl"]
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) and name.strip() for name in names):
        return SidecarAcl((), f"{shown} is not `acl: [principals]`: nobody may see what it is for")
    return SidecarAcl(tuple(sorted({name.strip() for name in names})))
