"""Preparing in a child process: one hostile document costs one document."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from flows.child import Limits, PrepareChild
from flows.preparing import Prepared
from flows.rooms import Job
from kprep.core import errors
from kprep.core.models import Failure, PreparedDocument, RawDocument
from tests.conftest import MakeBase
from tests.fakes.hostile import hostile
from tests.fakes.pages import REFUNDS, SAFETY

OWN = "---\nacl: [board]\n---\n\n"
GOOD = RawDocument("docs/good.md", "good.md", (OWN + SAFETY).encode(), "text/markdown")
JOB = Job(GOOD, "document")
KINDS = ("hang", "eat", "die", "exit", "abort", "recurse", "print")
REASONS = {
    "hang": "parse_timeout",
    "eat": "out_of_memory",
    "die": "parser_crashed",
    "exit": "parser_crashed",
    "abort": "parser_crashed",
    "recurse": "internal_error",
    "print": "internal_error",
}


@pytest.fixture(scope="module")
def child(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrepareChild]:
    """A child with little time and memory."""
    from flows.rules import load_rules
    from kprep.config import load

    folder = tmp_path_factory.mktemp("rules")
    source = "{name: docs, kind: filesystem, path: docs}"
    (folder / "kprep.yaml").write_text(f"knowledge_base: child\ntenant: acme\nsources: [{source}]\n")
    rules = load_rules(load(folder), b"a key of the tests")
    made = PrepareChild(hostile(rules), Limits(timeout_s=5, memory_mb=1024))
    assert isinstance(made.prepare(JOB).result, PreparedDocument)
    yield made
    made.close()


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_document_fails_alone(child: PrepareChild, kind: str, capfd: pytest.CaptureFixture[str]) -> None:
    started = time.monotonic()
    made = child.prepare(Job(GOOD, kind))
    outcome = made.result
    assert isinstance(outcome, Failure)
    assert made.own_permissions == {"acl": ["board"]}, "known since it was parsed, so that it can narrow"
    assert (outcome.stage, outcome.reason) == ("chunk", REASONS[kind])
    assert "walrus" not in str(outcome)
    assert isinstance(child.prepare(JOB).result, PreparedDocument)
    assert time.monotonic() - started < 12
    assert "walrus" not in "".join(capfd.readouterr())


def test_child_that_hangs_ends_with_a_killed_run(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.fakes.hanging_run", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "hangs\n"
        below = psutil.Process(run.pid).children(recursive=True)
        run.kill()
    assert len(below) >= 2, "the server that children are forked from, and the child"
    gone, alive = psutil.wait_procs(below, timeout=20)
    for process in alive:
        process.kill()
    assert (len(gone), alive) == (len(below), [])


def test_child_killed_between_documents_is_replaced(child: PrepareChild) -> None:
    assert isinstance(child.prepare(JOB).result, PreparedDocument)
    child._process.kill()
    child._process.join()
    assert isinstance(child.prepare(JOB).result, PreparedDocument)


def test_child_dying_unseen_between_documents_costs_none(child: PrepareChild) -> None:
    assert isinstance(child.prepare(JOB).result, PreparedDocument)
    child._process.kill()
    assert isinstance(child.prepare(JOB).result, PreparedDocument)


def test_children_are_replaced_after_a_while(child: PrepareChild, monkeypatch: pytest.MonkeyPatch) -> None:
    from flows import child as module

    monkeypatch.setattr(module, "RECYCLE_AFTER", 2)
    numbers = set()
    for _ in range(4):
        assert isinstance(child.prepare(JOB).result, PreparedDocument)
        numbers.add(child._process.pid)
    assert len(numbers) >= 2


def test_same_result_in_a_child_and_here(child: PrepareChild) -> None:
    from flows.rooms import prepare

    there = child.prepare(JOB).result
    here = prepare(JOB, child._rules).result
    assert isinstance(there, PreparedDocument)
    assert isinstance(here, PreparedDocument)
    assert there.document == here.document


@pytest.mark.postgres
def test_run_with_hostile_documents_publishes_the_others(make_base: MakeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KPREP_DOCUMENT_TIMEOUT_S", "5")
    monkeypatch.setenv("KPREP_DOCUMENT_MEMORY_MB", "1024")
    kinds = ("docs", *KINDS)
    sources = [
        {"name": kind, "kind": "filesystem", "path": kind, "include": ["*"], "acl": ["staff"], "doc_type": kind}
        for kind in kinds
    ]
    base = make_base({"good.md": REFUNDS}, sources=sources)
    for kind in kinds:
        (base.folder / kind).mkdir(exist_ok=True)
        (base.folder / kind / "a.md").write_text(f"# {kind}\n\n{SAFETY}")
    base.workspace.__dict__["rules"] = hostile(base.workspace.rules)
    children = Prepared()
    try:
        summary = base.run(children=children)
    finally:
        children.close()
    assert summary["status"] == "published"
    assert {item["uri"].split("/")[0]: item["reason"] for item in summary["failures"]} == REASONS
    assert base.uris() == ["a.md", "good.md"]


def errors_of_the_package() -> list[type[errors.PrepError]]:
    found = [kind for _, kind in inspect.getmembers(errors, inspect.isclass)]
    return [kind for kind in found if issubclass(kind, errors.PrepError)]


@pytest.mark.parametrize("kind", errors_of_the_package())
def test_errors_survive_pickling(kind: type[errors.PrepError]) -> None:
    error = kind("what went wrong", uri="docs/a.md", page=3)
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), copy.message, copy.context, str(copy)) == (kind, error.message, error.context, str(error))
    assert (copy.reason, copy.retryable) == (kind.reason, kind.retryable)


def test_size_limit_is_kept_before_reading(
    make_base: MakeBase, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KPREP_DOCUMENT_SIZE_MB", "1")
    base = make_base({"good.md": REFUNDS, "big.md": "x" * (1 << 20) + "y"})
    summary = base.run()
    assert [(item["uri"], item["reason"]) for item in summary["failures"]] == [("docs/big.md", "too_large")]
    assert base.uris() == ["good.md"]
