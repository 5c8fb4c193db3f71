"""How long work says where it is: the command line sets a reporter, everything else runs silently."""

from __future__ import annotations

from collections.abc import Callable

Reporter = Callable[[str, int, int], None]
"""(stage, done, total); total 0 means unknown."""

_reporters: list[Reporter] = []


def report(stage: str, done: int, total: int) -> None:
    """Tell whoever listens in this process."""
    for reporter in _reporters:
        reporter(stage, done, total)


def listen(reporter: Reporter) -> Callable[[], None]:
    """Call `reporter` from now on; gives the function that ends it."""
    _reporters.append(reporter)
    return lambda: _reporters.remove(reporter)
