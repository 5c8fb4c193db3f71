"""Preparing documents in a child process with limits, so that one hostile file costs one document.

The child holds at most one document. It is killed when a document takes too long, limited in memory by the kernel, and
replaced after `RECYCLE_AFTER` documents, since parsers leak.
"""

from __future__ import annotations

import fcntl
import gc
import multiprocessing
import os
import resource
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext
from typing import Any

from flows.rooms import Job, Outcome
from flows.rules import RuleSet
from flows.walked import failed, nothing, walked
from kprep.core.errors import ParseError, PrepError
from kprep.core.models import Failure, Locator

RECYCLE_AFTER = 200
START_TIMEOUT_S = 60.0
START_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may take."""

    timeout_s: float = 120.0
    memory_mb: int = 4096


class PrepareChild:
    """A child process that reads one document at a time. Not for use by two threads at once.

    Raises: PrepError when a child cannot be started at all, which is no document's fault.
    """

    def __init__(self, rules: RuleSet, limits: Limits) -> None:
        self._rules, self._limits = rules, limits
        self._process: Any = None
        self._pipe: Any = None
        self._served = 0
        self._own: Mapping[str, Any] = {}

    def prepare(self, job: Job) -> Outcome:
        """What a document became, or why it failed: parse_timeout, out_of_memory and parser_crashed included. What its
        front matter says of who may read it survives the child."""
        outcome: Outcome | Failure = self._do(("prepare", job))
        return Outcome(outcome, own_permissions=self._own) if isinstance(outcome, Failure) else outcome

    def walked(self, job: Job, last: str) -> dict[str, Any]:
        """What the rooms up to `last` make of a file, in the shape of `kprep try --json`; nothing of it is stored."""
        outcome: dict[str, Any] | Failure = self._do(("walked", job, last))
        return nothing(job.raw.media_type) | failed(outcome) if isinstance(outcome, Failure) else outcome

    def quote(self, media_type: str, content: bytes, locator: Locator) -> str:
        """Text of an original at a locator, read by the format's own reader. Raises: PrepError when it cannot be."""
        outcome: str | Failure = self._do(("quote", media_type, content, locator))
        if isinstance(outcome, Failure):
            raise ParseError(f"{outcome.reason}: {outcome.detail}")
        return outcome

    def attached(self, media_type: str, content: bytes) -> list[tuple[str, bytes]] | Failure:
        """Files sent with a document, (name, bytes) each, or why they cannot be read."""
        outcome: list[tuple[str, bytes]] | Failure = self._do(("attached", media_type, content))
        return outcome

    def _do(self, job: tuple[Any, ...]) -> Any:
        """What the child makes of a job, or a Failure."""
        for _ in range(START_ATTEMPTS):
            if self._process is None or not self._process.is_alive() or self._served >= RECYCLE_AFTER:
                self.close()
                self._start()
            self._served += 1
            outcome = self._ask(job)
            if outcome is not None:
                return outcome
        detail = "the process reading it ended before it began, several times"
        return Failure("parse", "parser_crashed", detail, retryable=False)

    def _ask(self, job: tuple[Any, ...]) -> Any:
        """What the child answers; None when it died before it began, which is not the document's fault."""
        stage, self._own = "", {}
        try:
            self._pipe.send(job)
            while self._pipe.poll(self._timeout(job)):
                kind, value = self._pipe.recv()
                if kind == "done":
                    return value
                stage, self._own = value
        except (EOFError, OSError):
            if stage:
                return self._crashed(stage)
            self.close()
            return None
        self.close()
        seconds = self._timeout(job)
        detail = f"took longer than {seconds:g} s in one stage and was stopped (KPREP_DOCUMENT_TIMEOUT_S)"
        return Failure(stage or "parse", "parse_timeout", detail, retryable=False)

    def _timeout(self, job: tuple[Any, ...]) -> float:
        """Seconds for one stage: a recording may take as long as the speech in it that is transcribed."""
        media_type = job[1].raw.media_type if isinstance(job[1], Job) else job[1]
        spoken = media_type.startswith(("audio/", "video/"))
        return max(self._limits.timeout_s, self._rules.speech.budget_s if spoken else 0.0)

    def close(self) -> None:
        """End the child, whatever it is doing."""
        if self._process is not None:
            self._pipe.close()
            self._process.kill()
            self._process.join()
            self._process = None

    def _start(self) -> None:
        context = _context()
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, self._rules, self._limits), daemon=True)
        self._process.start()
        other.close()
        self._served = 0
        try:
            if self._pipe.poll(START_TIMEOUT_S):
                self._pipe.recv()
                return
        except (EOFError, OSError):
            pass
        self.close()
        raise PrepError("the process that prepares documents does not start: run `kprep doctor`")

    def _crashed(self, stage: str) -> Failure:
        self._process.join(5)
        code = self._process.exitcode
        self.close()
        return Failure(
            stage, "parser_crashed", f"the process reading it ended without an answer (code {code})", retryable=False
        )


def _context() -> ForkServerContext:
    """Children are forked from a clean server that has loaded the rooms once: quick to replace, safe with threads."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["flows.child_imports", "flows.rooms"])
    return context


def _serve(pipe: Connection, rules: RuleSet, limits: Limits) -> None:
    from flows.rooms import attached, instruct_parsers, prepare, quote

    _end_with_run()
    _quiet()
    _limit(limits)
    collect_seldom()
    instruct_parsers(rules)
    pipe.send(("stage", ("parse", {})))
    while True:
        try:
            kind, *values = pipe.recv()
        except MemoryError:
            detail = "needs more memory than one document may take"
            pipe.send(("done", Failure("parse", "out_of_memory", detail, retryable=False)))
            continue
        except (EOFError, OSError):
            return
        if kind == "quote":
            pipe.send(("stage", ("quote", {})))
            outcome: Any = quote(*values)
        elif kind == "attached":
            pipe.send(("stage", ("parse", {})))
            outcome = attached(*values)
        elif kind == "walked":
            job, last = values
            outcome = walked(job, last, rules, lambda stage: pipe.send(("stage", (stage, {}))))
        else:
            [job] = values
            outcome = prepare(job, rules, lambda stage, own: pipe.send(("stage", (stage, own))))
        try:
            pipe.send(("done", outcome))
        except MemoryError:
            detail = "needs more memory than one document may take"
            pipe.send(("done", Failure("enrich", "out_of_memory", detail, retryable=False)))


def _end_with_run() -> None:
    """Let the kernel end this process when the run that started it ends, however it does.

    A child that waits for work sees its pipe close. One that hangs in a parser sees nothing, and nobody is left who
    could stop it. The pipe that only the run holds open is asked to signal its end: SIGIO, unhandled, ends a process.
    """
    run = multiprocessing.parent_process()
    assert run is not None
    fcntl.fcntl(run.sentinel, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(run.sentinel, fcntl.F_SETFL, fcntl.fcntl(run.sentinel, fcntl.F_GETFL) | os.O_ASYNC)
    if wait([run.sentinel], 0):
        os._exit(1)  # it ended before


def _quiet() -> None:
    """Nothing a parser prints may reach a terminal or a log: it may quote the document."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)


def collect_seldom() -> None:
    """Look for unreachable cycles less often: the trees of a large document are gone through whole each time, which is
    half the time that a large GraphQL schema takes. What no cycle holds is freed at once as ever."""
    gc.freeze()
    gc.set_threshold(200_000, 20, 100)


def _limit(limits: Limits) -> None:
    size = limits.memory_mb * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
