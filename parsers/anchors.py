"""Anchors as code hosts make them from headings."""

from __future__ import annotations

import re

_NOT_IN_SLUG = re.compile(r"[^\w\- ]")


def slug(heading: str) -> str:
    """GitHub's anchor of a heading: lower case, punctuation dropped, spaces to hyphens. May be ""."""
    return _NOT_IN_SLUG.sub("", heading.strip().lower()).replace(" ", "-")


class Slugger:
    """Anchors of one document's headings; the second of a name gets `-1`, the third `-2`."""

    def __init__(self) -> None:
        self._next: dict[str, int] = {}

    def take(self, heading: str) -> str:
        """The anchor of the next heading, distinct from all before."""
        base = slug(" ".join(heading.split())) or "section"
        anchor, count = base, self._next.get(base, 0)
        while anchor in self._next and count:
            anchor = f"{base}-{count}"
            count += 1
        self._next[base] = max(count, 1)
        self._next.setdefault(anchor, 1)
        return anchor

    def reserve(self, anchor: str) -> None:
        """Keep a name the document itself uses."""
        self._next.setdefault(anchor, 1)


class Distinct:
    """Names as they are, each given out once: the second `Order` is `Order~2`."""

    def __init__(self) -> None:
        self._count: dict[str, int] = {}

    def take(self, name: str) -> str:
        """The name, or it with the next number that makes it new."""
        found = name
        while found in self._count:
            self._count[name] += 1
            found = f"{name}~{self._count[name]}"
        self._count[found] = 1
        return found
