"""What the gate sees: `python -m benchmarks.mutations`. Corruptions of the handbook, and harmless edits, by check.

With `--write`: docs/quality/gate.md.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from quality import run_gate
from quality.spec import Candidate
from tests.fakes.corruptions import CORRUPTIONS
from tests.fakes.edits import EDITS

TARGET = Path(__file__).parent.parent / "docs" / "quality" / "gate.md"
HEAD = """# The gate: figures

Written by `python -m benchmarks.mutations --write`: corruptions of a good candidate made of examples/handbook, each by
the check that must see it, and harmless edits, which must pass without a finding.
"""


def main() -> None:
    told = "\n".join(table())
    if "--write" in sys.argv:
        TARGET.write_text(f"{HEAD}\n{told}\n", encoding="utf-8")
    print(told)


def table() -> Iterator[str]:
    """Lines of Markdown: sums, one row a corruption, and the edits with a finding."""
    seen = {name: failed(make()) for name, (_, make) in CORRUPTIONS.items()}
    found = {key: failed(make()) for key, make in EDITS.items()}
    noticed = sum(code in seen[name] for name, (code, _) in CORRUPTIONS.items())
    blocked = sum("error" in codes.values() for codes in seen.values())
    yield f"- Corruptions: {noticed} of {len(seen)} seen by the check named; {blocked} block the release."
    passed = sum("error" not in codes.values() for codes in found.values())
    silent = sum(not codes for codes in found.values())
    yield f"- Harmless edits: {passed} of {len(found)} pass, {silent} without any finding."
    yield from (f"  - {name} {uri}: {', '.join(codes)}" for (name, uri), codes in found.items() if codes)
    yield "\n| corruption | check that must see it | release | others that see it |\n| --- | --- | --- | --- |"
    for name, (code, _) in CORRUPTIONS.items():
        others = ", ".join(f"`{other}`" for other in seen[name] if other != code)
        what = f"`{code}`" if code in seen[name] else f"NOT SEEN by `{code}`"
        outcome = "blocked" if "error" in seen[name].values() else "warned"
        yield f"| {name.replace('_', ' ')} | {what} | {outcome} | {others} |"


def failed(candidate: Candidate) -> dict[str, str]:
    """Code -> level of the findings that failed."""
    return {finding.code: finding.level for finding in run_gate(candidate).findings if not finding.passed}


if __name__ == "__main__":
    main()
