"""Which paths the patterns of a source name, and how many it passes over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import pathspec
from pathspec.pattern import RegexPattern

from sources.spec import SourceRequest

HIDDEN, NOT_INCLUDED, EXCLUDED = "hidden", "not_included", "excluded"
IGNORED_NAMES = frozenset(("Thumbs.db", "desktop.ini", "__MACOSX"))


class Selection:
    """The patterns of one listing. `passed_over`: reason -> number of paths left out so far."""

    def __init__(self, request: SourceRequest) -> None:
        self._included, self._excluded = _matcher(request.include), _matcher(request.exclude)
        self.passed_over: Counter[str] = Counter()

    def names(self, path: str) -> bool:
        """The patterns name the path, which is relative to the source; one they do not is counted."""
        if not self._included(path):
            self.passed_over[NOT_INCLUDED] += 1
            return False
        if self._excluded(path):
            self.passed_over[EXCLUDED] += 1
            return False
        return True

    def hides(self, name: str) -> bool:
        """The name is that of a hidden file or folder, or of one that systems and
        open Office programs (`~$`) leave behind; such are counted."""
        if not name.startswith((".", "~$")) and name not in IGNORED_NAMES:
            return False
        self.passed_over[HIDDEN] += 1
        return True


def _matcher(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Whether patterns name a relative path with "/" between its parts: the last that matches decides, as in
    .gitignore. A listing asks it of every file, so the expressions are called without the library's clean-up of
    paths."""
    rules = [
        (pattern.include, pattern.regex.search)
        for pattern in reversed(list(pathspec.PathSpec.from_lines("gitignore", patterns).patterns))
        if isinstance(pattern, RegexPattern) and pattern.include is not None and pattern.regex is not None
    ]

    def matches(path: str) -> bool:
        for names, search in rules:
            if search(path):
                return names
        return False

    return matches
