"""A real history replayed: `python -m benchmarks.history [--steps N]`.

Takes the documentation of dlt through 16 commits: `<sets>/history/dlt_docs`, `<sets>` being KPREP_SETS or
../shared/data. After each step the published set is compared with a fresh build of that step in another database, the
vectors computed with the ideal count (texts no earlier step had), and texts that are gone are looked for by every read
path. Ends with code 1 when any of it differs.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import text

from benchmarks.bases import scratch
from kprep.core.errors import RetrievalError
from tests.fakes.made_base import MadeBase

SETS = Path(os.environ.get("KPREP_SETS", Path(__file__).resolve().parents[2] / "shared" / "data"))
MODES = ("lexical", "dense", "hybrid", "hybrid+references")
SAMPLE = 12
"""Texts gone in a step that are looked for by search; addresses and SQL views are checked for all."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=16)
    arguments = parser.parse_args()
    history = SETS / "history" / "dlt_docs"
    steps = [json.loads(line) for line in (history / "steps.jsonl").read_text(encoding="utf-8").splitlines()]
    with scratch() as (_, make):
        views = {"all": {"fields": ["text", "document_uri", "chunk_id"]}}
        base = make({}, views=views)
        shutil.copytree(history / "base", base.path(""), dirs_exist_ok=True)
        failed = replay(base, make, steps[: arguments.steps + 1], history, views)
    print("every step equals its fresh build" if not failed else f"{failed} checks failed")
    sys.exit(1 if failed else 0)


def replay(base: MadeBase, make: Any, steps: Sequence[dict[str, Any]], history: Path, views: dict[str, Any]) -> int:
    print(f"{'step':>4} {'docs':>4} {'+':>3} {'~':>3} {'-':>3} {'=':>3} {'chunks':>6} {'new':>5} {'gone':>5} ", end="")
    print(f"{'embedded':>8} {'ideal':>5} {'parsed':>6} {'found':>5} {'equal':>5} {'s':>5}")
    known: set[str] = set()
    before: list[dict[str, Any]] = []
    fresh_url = ""
    failed = 0
    for step in steps:
        if step["step"]:
            apply(base, step, history)
        started = time.perf_counter()
        summary = base.run(allow_deletes=True)
        seconds = time.perf_counter() - started
        fresh = make({}, views=views, database=fresh_url)
        fresh_url = fresh.database_url
        shutil.copytree(base.path(""), fresh.path(""), dirs_exist_ok=True)
        fresh.run()
        published, expected = base.content(), fresh.content()
        hashes = {row["content_hash"] for row in expected}
        ideal = len(hashes - known)
        known |= hashes
        found = find_gone(base, before, published)
        changes = [len(step.get(name, ())) for name in ("added", "modified", "deleted")]
        work = summary["work"]
        equal = published == expected and summary["status"] == "published"
        good = equal and work["embedded"] == ideal and found == 0 and work["parsed"] == expected_parses(step)
        failed += not good
        print(
            f"{step['step']:>4} {step['documents']:>4} {changes[0]:>3} {changes[1]:>3} {changes[2]:>3} "
            f"{step.get('unchanged', 0):>3} {len(published):>6} {summary['chunks']['added']:>5} "
            f"{summary['chunks']['removed']:>5} {work['embedded']:>8} {ideal:>5} {work['parsed']:>6} {found:>5} "
            f"{'yes' if equal else 'NO':>5} {seconds:>5.1f}{'' if good else '  <- differs'}",
            flush=True,
        )
        again = base.run()
        if again["status"] != "unchanged" or again["work"]["hashed"]:
            failed += 1
            print(f"     a second run was {again['status']} and read {again['work']['hashed']} files")
        before = published
        fresh.close()
    return failed


def expected_parses(step: dict[str, Any]) -> int:
    """Documents whose bytes are new: nothing else is parsed."""
    return len(step["added"]) + len(step["modified"]) + len(step["renamed"]) if step["step"] else int(step["documents"])


def apply(base: MadeBase, step: dict[str, Any], history: Path) -> None:
    """Change the source as the commit did."""
    for path in step["deleted"]:
        base.delete(path)
    for old, _, _ in step["renamed"]:
        base.path(old).unlink(missing_ok=True)
    shutil.copytree(history / f"{step['step']:02}", base.path(""), dirs_exist_ok=True)


def find_gone(base: MadeBase, before: Sequence[dict[str, Any]], now: Sequence[dict[str, Any]]) -> int:
    """How often a text that is gone, or a document that is gone, still comes out of a read path."""
    texts = {row["text"] for row in now}
    gone = sorted({row["text"] for row in before} - texts)
    uris = {row["uri"] for row in before} - {row["uri"] for row in now}
    found = 0
    for question in gone[:: max(1, len(gone) // SAMPLE)]:
        for mode in MODES:
            found += sum(hit["text"] == question for hit in base.search(question[:2000], mode))
    with base.connection() as connection:
        reader = base.reader(connection)
        values = {"kb": base.name, "texts": gone}
        statement = text("SELECT chunk_id FROM kprep.chunks WHERE kb = :kb AND text = ANY(:texts)")
        for address in [*connection.execute(statement, values).scalars(), *uris]:
            for read in (reader.get, reader.chunks):
                try:
                    read(address)
                except RetrievalError:
                    continue
                found += 1
        session = text("SELECT set_config('kprep.principals', 'staff', true), set_config('kprep.tenant', 'acme', true)")
        connection.execute(session)
        rows = connection.execute(text(f'SELECT text, document_uri FROM published."{base.name}__all"')).all()
    if {row[0] for row in rows} != texts:
        found += 1
    return found + sum(row[0] in set(gone) or row[1] in uris for row in rows)


if __name__ == "__main__":
    main()
