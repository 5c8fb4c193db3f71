"""Fails when a lock file misses a dependency, a hash or the version pyproject.toml asks for, or names an index."""

import re
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parent.parent


def pinned(path: Path) -> dict[str, list[Version]]:
    """Name -> pinned versions (one per environment)."""
    text = path.read_text(encoding="utf-8")
    if re.search(r"https?://|--(extra-)?index-url|--find-links", text):
        sys.exit(f"{path.name} names an index address: run `make lock`")
    found: dict[str, list[Version]] = {}
    for block in re.split(r"\n(?=\S)", text):
        match = re.match(r"([A-Za-z0-9._-]+)==([^\s;\\]+)", block)
        if match is None:
            continue
        if "--hash=sha256:" not in block:
            sys.exit(f"{path.name}: {match[1]} has no hash: run `make lock`")
        found.setdefault(canonicalize_name(match[1]), []).append(Version(match[2]))
    return found


def main() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {
        "base.txt": project["dependencies"],
        "dev.txt": project["dependencies"] + project["optional-dependencies"]["dev"],
    }
    for name, requirements in wanted.items():
        locked = pinned(ROOT / "requirements" / name)
        for text in requirements:
            requirement = Requirement(text)
            versions = locked.get(canonicalize_name(requirement.name), [])
            if not any(requirement.specifier.contains(version, prereleases=True) for version in versions):
                sys.exit(f"requirements/{name} does not fit {text}: run `make lock`")
    for name in ("build", "speech", "ocr", "multilingual"):
        pinned(ROOT / "requirements" / f"{name}.txt")
    print("lock files: every dependency pinned with hashes, no index named")


if __name__ == "__main__":
    main()
