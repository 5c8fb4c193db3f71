"""What the gate sees: `python -m benchmarks.mutations`. Corruptions of the handbook, and harmless edits, by check."""

from __future__ import annotations

from quality import run_gate
from quality.spec import Candidate
from tests.fakes.corruptions import CORRUPTIONS
from tests.fakes.edits import EDITS


def main() -> None:
    seen = blocked = 0
    for name, (expected, make) in CORRUPTIONS.items():
        codes = failed(make())
        seen += expected in codes
        blocked += "error" in codes.values()
        print(f"{name:<48} {', '.join(f'{code} ({level})' for code, level in codes.items()) or 'NOT SEEN'}")
    silent = passed = 0
    for (name, uri), make in EDITS.items():
        codes = failed(make())
        silent += not codes
        passed += "error" not in codes.values()
        if codes:
            print(f"{name:<48} {uri}: {codes}")
    print(f"corruptions: {seen} of {len(CORRUPTIONS)} seen by the check named, {blocked} block the release")
    print(f"harmless edits: {passed} of {len(EDITS)} pass, {silent} without any finding")


def failed(candidate: Candidate) -> dict[str, str]:
    """Code -> level of the findings that failed."""
    return {finding.code: finding.level for finding in run_gate(candidate).findings if not finding.passed}


if __name__ == "__main__":
    main()
