"""What a changed rule costs beside preparing everything anew: `python -m benchmarks.rebuilding [--documents N]`.

Takes documents of the open parse set (`<sets>/parse`, `<sets>` being KPREP_SETS or ../shared/data), as PDF and as
HTML, prepares them from their bytes, then again after a change of the cleaning, redaction and chunk rules, all in one
process, without vectors. Prints user CPU seconds of the preparing step and their ratio to the first time.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.bases import scratch
from flows import run as steps
from flows.preparing import prepare_batch
from tests.fakes.knowledge_base import InProcess
from tests.fakes.made_base import MadeBase

SETS = Path(os.environ.get("KPREP_SETS", Path(__file__).resolve().parents[2] / "shared" / "data"))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=40)
    count = parser.parse_args().documents
    print(f"{'documents':<22} {'change':<10} {'parsed':>6} {'begun':<18} {'CPU s':>7} {'of fresh':>8}")
    for suffix in (".pdf", ".html"):
        files = sorted(path for path in (SETS / "parse").rglob(f"*{suffix}"))[:count]
        if files:
            with scratch() as (_, make):
                prepared(make({f"warm{suffix}": files[0].read_bytes()}))  # loads what every later run finds loaded
                base = make({f"{number:04}{suffix}": path.read_bytes() for number, path in enumerate(files)})
                measure(base, f"{len(files)} {suffix}")


def measure(base: MadeBase, name: str) -> None:
    def cleaning(rule: str) -> None:
        (base.folder / "cleaning.yaml").write_text(f'drop_lines: ["{rule}"]\n')
        base.configure(cleaning={"ruleset": "cleaning.yaml"})

    def redaction() -> None:
        (base.folder / "redaction.yaml").write_text('patterns: {NOTHING: "zqzqzq-\\\\d+"}\n')
        base.configure(redaction={"policy": "redaction.yaml"})

    changes: list[tuple[str, Callable[[], None]]] = [
        ("fresh", lambda: None),
        ("cleaning", lambda: cleaning("zqzqzq")),
        ("redaction", redaction),
        ("chunking", lambda: base.configure(chunking={"profiles": {"document": {"target_tokens": 120}}})),
    ]
    fresh = 0.0
    for change, make_it in changes:
        make_it()
        seconds, summary = prepared(base)
        fresh = fresh or seconds
        begun = ", ".join(f"{stage} {count}" for stage, count in summary.items())
        print(
            f"{name:<22} {change:<10} {summary.get('parse', 0):>6} {begun:<18} {seconds:>7.2f} {seconds / fresh:>8.1%}",
            flush=True,
        )


def prepared(base: MadeBase) -> tuple[float, dict[str, int]]:
    """User CPU seconds of the preparing step of one run, and where the documents' work began."""
    workspace = base.workspace
    with steps.only_run(workspace):
        run_id = steps.begin(workspace)
        plan = steps.plan(workspace, run_id, allow_deletes=True)
        children = InProcess()
        started = time.process_time()
        for number in range(plan["batches"]):
            prepare_batch(workspace, run_id, number, children)
        for number in steps.settle(workspace, run_id, plan["base_release"])["batches"]:
            prepare_batch(workspace, run_id, number, children)
        seconds = time.process_time() - started
        steps.embed(workspace, run_id)
        release = steps.assemble(workspace, run_id, plan["base_release"])
        steps.judge_and_publish(workspace, release)
        summary = steps.finish(workspace, run_id, "published", {"release": release})
    return seconds, summary["work"]["begun"]


if __name__ == "__main__":
    main()
