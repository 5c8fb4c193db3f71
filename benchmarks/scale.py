"""What a run costs at size: `python -m benchmarks.scale [--documents 1000 10000] [--vectors] [--copies]`.

Made corpora of small documents through the real steps, database and rules (documents are prepared in this process;
`--vectors` adds a made embedder, which costs next to nothing). Prints per size: seconds of the first run, of a run
without a change (and files it read), of one edit, of one edit that `--only` names, and of a mix of 1 % edits,
deletions, additions and renames with its embeddings beside the ideal count; milliseconds of the publishing
transaction for 1,000 changed chunks; and how one edit grows from the smallest to the largest size: the command as a
user runs it, its work alone, that beyond a run without a change (which is the listing), and named. Of repeated runs
the quickest counts, and beside seconds stands the CPU time of this process, of those it started, and of PostgreSQL:
others use the machine.
"""

from __future__ import annotations

import argparse
import contextlib
import cProfile
import json
import pstats
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
from sqlalchemy import text

from benchmarks import clones
from benchmarks.bases import scratch
from publish import publisher
from tests.fakes.made_base import MadeBase

WORDS = [f"word{number}" for number in range(4_000)]
FOLDER_SIZE = 500
TRIES = 5


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--vectors", action="store_true")
    parser.add_argument("--copies", action="store_true", help="documents after the first 1,000 are copied in by SQL")
    parser.add_argument("--profile", choices=("cold", "unchanged", "edit", "named"))
    arguments = parser.parse_args()
    edits: dict[int, Mapping[str, float]] = {}
    with scratch() as (folder, make):
        meter = Meter(folder)
        for size in arguments.documents:
            base = make({}, vectors=arguments.vectors)
            edits[size] = measure(base, size, arguments.profile, meter, copied=arguments.copies)
            base.close()
    least, most = min(edits), max(edits)
    if least != most:
        print(f"one edit in {most:,} documents against one in {least:,}, CPU time, at most 1.3 times wanted:")
        for name, seconds in edits[least].items():
            print(
                f"  {edits[most][name] / seconds:.2f} times: {name} ({edits[most][name]:.2f} s against {seconds:.2f} s)"
            )


class Meter:
    """CPU seconds used so far by this process, the processes below it (also those that ended), and PostgreSQL in this
    folder."""

    def __init__(self, folder: Path) -> None:
        number = int((folder / "postgres" / "postmaster.pid").read_text(encoding="ascii").split()[0])
        self._roots = (psutil.Process(), psutil.Process(number))

    def __call__(self) -> float:
        total = 0.0
        for root in self._roots:
            for process in (root, *root.children(recursive=True)):
                with contextlib.suppress(psutil.Error):
                    total += sum(process.cpu_times()[:4])
        return total


def measure(base: MadeBase, size: int, profiled: str | None, meter: Meter, *, copied: bool) -> Mapping[str, float]:
    """Print the figures of one size; CPU seconds of one edit by how they are counted."""
    rng = random.Random(size)
    made = min(size, clones.MODELS) if copied else size
    for number in range(made):
        base.write(path_of(number), document(number, 0))
    print(f"{size:,} documents, {'made vectors' if base.embedder else 'no vectors'}", flush=True)
    with clocked("first run", profiled == "cold") as lap:
        summary = base.run()
    assert summary["status"] == "published", summary["gate"]["status"]
    chunks = summary["chunks"]["children"]
    lap(f"{chunks:,} chunks, {made / lap.seconds:,.0f} documents/s, {steps_of(summary)}")
    if made < size:
        with clocked("copies", False) as lap:
            clones.add(base, size, path_of, lambda number: document(number, 0))
        lap(f"{size - made:,} documents")
    base.run()
    idle = quickest("no change", meter, lambda _: without_change(base))
    if profiled == "unchanged":
        with clocked("once more", True) as lap:
            base.run()
        lap("")
    edit = quickest("one edit", meter, lambda number: one_edit(base, rng.randrange(made), number))
    named = quickest("named edit", meter, lambda number: one_edit(base, rng.randrange(made), 50 + number, named=True))
    edits = {
        "its work without start-up and Prefect": edit,
        "that beyond a run without a change": edit - idle,
        "that named by --only": named,
    }
    if base.embedder is None:  # the command knows no made vectors
        asked = quickest("kprep run", meter, lambda number: edit_by_command(base, rng.randrange(made), 70 + number), 3)
        edits["the command `kprep run`"] = asked
    if profiled in ("edit", "named"):
        with clocked("edit again", True) as lap:
            one_edit(base, 1, 99, named=profiled == "named")
        lap("")
    if made == size:
        mixed(base, size, rng)
    published(base, size)
    return edits


def quickest(name: str, meter: Meter, measured: Callable[[int], float], tries: int = TRIES) -> float:
    """Least CPU seconds of some tries; prints the least seconds and the CPU times of all."""
    seconds, used = [], []
    for number in range(1, tries + 1):
        before = meter()
        seconds.append(measured(number))
        used.append(meter() - before)
    shown = ", ".join(f"{value:.2f}" for value in used)
    print(f"  {name:<12} {min(seconds):8.3f} s  CPU {min(used):.2f} s, least of {shown}", flush=True)
    return min(used)


def without_change(base: MadeBase) -> float:
    started = time.perf_counter()
    summary = base.run()
    seconds = time.perf_counter() - started
    assert (summary["status"], summary["work"]["hashed"]) == ("unchanged", 0), summary
    return seconds


def path_of(number: int) -> str:
    return f"{number // FOLDER_SIZE:04}/document-{number:06}.md"


def document(number: int, edition: int) -> str:
    """Some sixty words under two headings; every edition changes the first section only, and no figure in it: copies of
    a document (`--copies`) shall not contradict it."""
    rng = random.Random(number)
    letters = str(edition).translate(str.maketrans("0123456789", "abcdefghij"))
    first, second = (" ".join(rng.choice(WORDS) for _ in range(30)) for _ in range(2))
    return (
        f"# Document {number}\n\nEdition {letters} of {number}: {first}.\n\n## More of {number}\n\n{second} {number}.\n"
    )


def one_edit(base: MadeBase, number: int, edition: int, *, named: bool = False) -> float:
    base.write(path_of(number), document(number, edition))
    started = time.perf_counter()
    summary = base.run(only=[f"docs/{path_of(number)}"] if named else [])
    seconds = time.perf_counter() - started
    assert (summary["status"], summary["work"]["parsed"], summary["work"]["hashed"]) == ("published", 1, 1), summary
    return seconds


def edit_by_command(base: MadeBase, number: int, edition: int) -> float:
    """As a user runs it: start-up, Prefect and the children included."""
    base.write(path_of(number), document(number, edition))
    started = time.perf_counter()
    command = [sys.executable, "-c", "from kprep.cli import main; main()", "run", "--json", "--kb", str(base.folder)]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - started
    assert outcome.returncode == 0, outcome.stderr
    summary = json.loads(outcome.stdout)
    assert (summary["status"], summary["work"]["parsed"], summary["work"]["hashed"]) == ("published", 1, 1), summary
    return seconds


def mixed(base: MadeBase, size: int, rng: random.Random) -> None:
    """1 % of the documents edited, deleted, added and renamed; embeddings against texts that nobody had before."""
    share = max(1, size // 100)
    picked = rng.sample(range(size), 3 * share)
    known = texts(base)
    for number in picked[:share]:
        base.write(path_of(number), document(number, 1_000))
    for number in picked[share : 2 * share]:
        base.delete(path_of(number))
    for number in picked[2 * share :]:
        base.rename(path_of(number), f"moved/{number}.md")
    for number in range(size, size + share):
        base.write(path_of(number), document(number, 0))
    with clocked("mix of 4 x 1 %", False) as lap:
        summary = base.run()
    assert summary["status"] == "published", summary["gate"]["status"]
    counts, work = summary["documents"], summary["work"]
    done = " ".join(f"{counts[name]} {name}" for name in ("changed", "retired", "added", "renamed"))
    lap(f"{done}; parsed {work['parsed']}, read {work['hashed']}")
    if base.embedder is not None:
        ideal = len(texts(base) - known)
        print(f"  embeddings   {work['embedded']:>8}    ideal {ideal} ({work['embedded'] / ideal:.2f} times)")


def texts(base: MadeBase) -> set[str]:
    """Hashes of the texts that the live release indexes."""
    statement = text(
        "SELECT content_hash FROM kprep.release_members WHERE kb = :kb AND from_release <= :live "
        "AND (to_release IS NULL OR to_release > :live)"
    )
    with base.connection() as connection:
        values = {"kb": base.name, "live": base.live(connection)}
        return set(connection.execute(statement, values).scalars())


def published(base: MadeBase, size: int) -> None:
    """Milliseconds from the first statement to the commit of the publishing transaction, with 1,000 new chunks."""
    for number in range(min(1_000, size - 1)):
        path = base.path(path_of(number))
        if path.exists():
            path.write_text(document(number, 2_000), encoding="utf-8")
    taken: list[float] = []
    real: Any = publisher.publish

    def timed(*arguments: Any) -> None:
        started = time.perf_counter()
        real(*arguments)
        taken.append(time.perf_counter() - started)

    setattr(publisher, "publish", timed)  # noqa: B010
    try:
        summary = base.run()
    finally:
        setattr(publisher, "publish", real)  # noqa: B010
    assert summary["status"] == "published", summary["gate"]["status"]
    changed = summary["chunks"]["added"]
    print(f"  publish      {taken[0] * 1000:8.1f} ms for {changed:,} new chunks in {summary['chunks']['children']:,}")


def steps_of(summary: dict[str, Any]) -> str:
    return f"scan {summary['seconds'].get('scan', 0):.1f} s"


class Lap:
    """Prints a measured time with a note, once the clock has stopped."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.seconds = 0.0

    def __call__(self, note: str) -> None:
        print(f"  {self._name:<12} {self.seconds:8.3f} s  {note}", flush=True)


@contextmanager
def clocked(name: str, profiled: bool) -> Iterator[Lap]:
    lap = Lap(name)
    profile = cProfile.Profile()
    if profiled:
        profile.enable()
    started = time.perf_counter()
    yield lap
    lap.seconds = time.perf_counter() - started
    if profiled:
        profile.disable()
        pstats.Stats(profile).sort_stats("cumulative").print_stats(45)


if __name__ == "__main__":
    main()
