"""Where a reference of a document may lead: URIs of the same knowledge base, or an address outside. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

ASSUMED = ("", ".md", "/index.md", "/README.md", ".html", "/index.html")
"""What a path without an extension may mean, in this order."""


def is_external(target: str) -> bool:
    """Whether the target is an address outside of every source, or cannot be read as a reference at all."""
    try:
        parts = urlsplit(target)
    except ValueError:
        return True
    return bool(parts.scheme or parts.netloc)


def resolve(document_uri: str, target: str) -> tuple[str, str]:
    """(URI, anchor) a relative reference of a document leads to; ("", "") out of its source.

    A path from the root ("/guide/a.md") begins at the source."""
    if is_external(target):
        return "", ""
    parts = urlsplit(target)
    path, anchor = unquote(parts.path), unquote(parts.fragment)
    if not path:
        return document_uri, anchor
    source = document_uri.partition("/")[0]
    folder = source if path.startswith("/") else posixpath.dirname(document_uri)
    joined = posixpath.normpath(posixpath.join(folder, path.lstrip("/")))
    inside = joined.startswith(f"{source}/")
    return (joined, anchor) if inside else ("", "")


def places(document_uri: str, kind: str, targets: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """(URIs the targets of one relation may mean, best first; anchor). External addresses are given as they stand.

    `import`: a path that does not begin with "." is looked for in the document's folder and in each one above it.
    `depends_on`, `related_to`, `supersedes`: a target may be a whole URI, too."""
    uris: list[str] = []
    anchor = ""
    for target in targets:
        if is_external(target):
            uris.append(target)
            continue
        if kind == "import" and not target.startswith("."):
            uris += _upwards(document_uri, target)
            continue
        uri, found = resolve(document_uri, target)
        anchor = anchor or found
        if kind in ("depends_on", "related_to", "supersedes") and "/" in target:
            uris.append(unquote(target.partition("#")[0]))
        if uri and kind != "import" and "." not in posixpath.basename(uri):
            uris += [uri + ending for ending in ASSUMED]
        elif uri:
            uris.append(uri)
    return tuple(dict.fromkeys(uris)), anchor


def _upwards(document_uri: str, path: str) -> list[str]:
    folder = posixpath.dirname(document_uri)
    out = []
    while folder:
        out.append(posixpath.normpath(posixpath.join(folder, path)))
        folder = posixpath.dirname(folder)
    return out
