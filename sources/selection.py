"""Which paths the patterns of a source name, and how many it passes over."""

from __future__ import annotations

from collections import Counter

import pathspec

from sources.spec import SourceRequest

HIDDEN, NOT_INCLUDED, EXCLUDED = "hidden", "not_included", "excluded"
IGNORED_NAMES = frozenset(("Thumbs.db", "desktop.ini", "__MACOSX"))


class Selection:
    """The patterns of one listing. `passed_over`: reason -> number of paths left out so far."""

    def __init__(self, request: SourceRequest) -> None:
        self._include = pathspec.PathSpec.from_lines("gitignore", request.include)
        self._exclude = pathspec.PathSpec.from_lines("gitignore", request.exclude)
        self.passed_over: Counter[str] = Counter()

    def names(self, path: str) -> bool:
        """The patterns name the path, which is relative to the source; one they do not is counted."""
        if self._include.match_file(path) and not self._exclude.match_file(path):
            return True
        self.passed_over[EXCLUDED if self._include.match_file(path) else NOT_INCLUDED] += 1
        return False

    def hides(self, name: str) -> bool:
        """The name is that of a hidden file or folder, or of one that systems and
        open Office programs (`~$`) leave behind; such are counted."""
        if not name.startswith((".", "~$")) and name not in IGNORED_NAMES:
            return False
        self.passed_over[HIDDEN] += 1
        return True
