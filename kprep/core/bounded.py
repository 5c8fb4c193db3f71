"""Limits on what a knowledge base's own rules may take: a regular expression can take for ever on some text."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from kprep.core.errors import RuleTooSlow

RULE_SECONDS = 20.0
"""Seconds of computing that one rule may take on one text."""


@contextmanager
def bounded(rule: str) -> Iterator[None]:
    """A block of code that applies `rule`, ended after RULE_SECONDS of computing. Raises: RuleTooSlow naming the rule.

    By a signal, which only the main thread gets (commands, and children that prepare documents); elsewhere no limit.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: object) -> None:
        detail = f"{rule} takes over {RULE_SECONDS:g} s on one text: repeat nothing inside a repetition, as (a+)+ does"
        raise RuleTooSlow(detail, rule=rule)

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, RULE_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
