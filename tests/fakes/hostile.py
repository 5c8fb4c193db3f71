"""Rules that misbehave in a child process, as hostile documents make parsers do; harmless in the parent."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from dataclasses import fields
from pathlib import Path

from flows.rules import RuleSet
from kprep.core.models import ChunkProfile


class HostileRules(RuleSet):
    """Hangs, eats memory, dies, prints or overflows the stack while a document of that type is cut."""

    def profile(self, doc_type: str) -> ChunkProfile:
        if multiprocessing.parent_process() is not None:
            misbehave(doc_type)
        return RuleSet.profile(self, doc_type)


def misbehave(how: str) -> None:
    if how == "hang":
        if "HOSTILE_MARKER" in os.environ:
            Path(os.environ["HOSTILE_MARKER"]).touch()
        time.sleep(1000)
    elif how == "eat":
        eaten = [bytearray(64 * 1024 * 1024) for _ in range(1000)]
        raise AssertionError(len(eaten))
    elif how == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    elif how == "exit":
        os._exit(0)
    elif how == "abort":
        os.abort()
    elif how == "recurse":
        misbehave_deeper(0)
    elif how == "print":
        print("The walrus counts to 8814")  # noqa: T201
        sys.stderr.write("The walrus counts to 8814")
        os.write(1, b"The walrus counts to 8814")
        raise ValueError("The walrus counts to 8814")


def misbehave_deeper(depth: int) -> None:
    misbehave_deeper(depth + 1)


def hostile(rules: RuleSet) -> HostileRules:
    """The same rules, hostile."""
    return HostileRules(**{item.name: getattr(rules, item.name) for item in fields(RuleSet)})
