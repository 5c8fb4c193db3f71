"""Prints which requirement ids tests name and which none names yet; fails for an id that does not exist."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def main() -> None:
    known = (ROOT / "docs/reference/requirement-ids.txt").read_text(encoding="utf-8").split()
    named: set[str] = set()
    for path in (ROOT / "tests").rglob("*.py"):
        for mark in re.findall(r"mark\.req\(([^)]*)\)", path.read_text(encoding="utf-8")):
            named |= set(re.findall(r"[A-D]\d+\.\d+", mark))
    unknown = sorted(named - set(known))
    if unknown:
        sys.exit(f"tests name requirement ids that do not exist: {', '.join(unknown)}")
    missing = [name for name in known if name not in named]
    print(f"requirement ids: {len(known) - len(missing)} of {len(known)} named by a test")
    print(f"not named yet: {' '.join(missing)}")


if __name__ == "__main__":
    main()
