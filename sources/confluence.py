"""A Confluence space export, HTML or XML, as the zip or the folder it was unpacked to.

An HTML export gives its pages as they stand, with the page above each from its breadcrumbs. An XML export
(entities.xml) gives the current pages and attachments with labels and view restrictions; a page's body is turned from
storage format into HTML, and its URI is its id, so that it stays when the page is renamed or moved.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import Field

from kprep.core.errors import SourceError, SourceUnavailable
from sources.cache import (
    drop_bodies,
    keep_body,
    kept_body,
    load_state,
    save_listing,
    save_state,
    saved_listing,
    stamp_of,
)
from sources.confluence_space import Space, read_space
from sources.confluence_storage import to_html
from sources.folder_or_packed import leaves_at, open_at, read_at
from sources.selection import Selection
from sources.sidecar import SUFFIX
from sources.spec import About, Entry, Listing, Options, Problem, SourceRequest, SourceSpec
from sources.tree import Leaf, listing_of

ENTITIES = "entities.xml"
MODIFIED = re.compile(
    r"(?:last (?:modified|updated)[^,]*?(?:on|at)?|on)\s+([A-Z][a-z]{2} \d{1,2}, \d{4})", re.IGNORECASE
)


class ConfluenceOptions(Options):
    """An export of one space."""

    path: Path = Field(description="the exported zip, or the folder it was unpacked to, relative to `kprep.yaml`")


def list_entries(request: SourceRequest) -> Listing:
    """Current pages and attachments. Raises: SourceError (missing, damaged, no export, over a limit)."""
    drop_bodies(request)
    path = _path(request)
    if not path.is_file():
        return _read(request)
    stamp = stamp_of(request, path, SOURCE.version)
    listing = saved_listing(request, stamp)
    if listing is None:
        listing = _read(request)
        save_listing(request, stamp, listing)
    return listing


def _read(request: SourceRequest) -> Listing:
    """The listing of an export as it stands, with the pages of an XML export kept for the run."""
    leaves = list(leaves_at(request, _path(request)))
    entities = next((leaf for leaf in leaves if leaf.path.rsplit("/", 1)[-1] == ENTITIES), None)
    if entities is not None:
        return _of_xml(request, leaves, entities)
    if not any(leaf.path.endswith(".html") for leaf in leaves):
        raise SourceError(f"source {request.name}: {_path(request)} holds neither {ENTITIES} nor pages in HTML")
    return _of_html(request, leaves)


def fetch(request: SourceRequest, entry: Entry) -> bytes:
    """A page as HTML, or an attachment. Raises: SourceError, SourceUnavailable when it is no longer there."""
    if not entry.location.startswith("page:"):
        return read_at(request, _path(request), entry.location)
    content = kept_body(request, entry.location)
    if content is None:
        _read(request)
        content = kept_body(request, entry.location)
    if content is None:
        raise SourceUnavailable(f"{entry.uri} vanished from the export while the run read it")
    return content


def _of_xml(request: SourceRequest, leaves: list[Leaf], entities: Leaf) -> Listing:
    with open_at(request, _path(request), entities.location) as packed:
        space = read_space(request.name, packed)
    selection = Selection(request)
    root = entities.path.removesuffix(ENTITIES)
    files = {leaf.path.removeprefix(root): leaf for leaf in leaves}
    entries: list[Entry] = []
    problems: list[Problem] = []
    for page in space.pages.values():
        acl, problem = space.readers(page)
        about = _about(request, space, page.id)
        content = to_html(page.title, page.body, space.links(page))
        keep_body(request, f"page:{page.id}", content)
        token = hashlib.sha256(content).hexdigest()
        entries.append(
            Entry(f"{request.name}/{page.id}.html", f"{page.id}.html", f"page:{page.id}", token, len(content),
                  page.changed, acl, problem, about)
        )  # fmt: skip
        for file in page.attachments:
            uri = f"{request.name}/{page.id}/{file.name}"
            leaf = files.get(file.path)
            if leaf is None:
                problems.append(Problem(uri, "source_unreadable", "the export lacks the bytes of this attachment"))
                continue
            beside = About(parent=f"{request.name}/{page.id}.html", labels=file.labels)
            entries.append(
                Entry(uri, file.name, leaf.location, leaf.version_token, leaf.size, file.changed, acl, problem, beside)
            )
    entries = [entry for entry in entries if selection.names(entry.uri.removeprefix(f"{request.name}/"))]
    kept = [problem for problem in problems if selection.names(problem.uri.removeprefix(f"{request.name}/"))]
    ordered = tuple(sorted(entries, key=lambda entry: entry.uri))
    return Listing(ordered, tuple(kept), complete=True, passed_over=dict(selection.passed_over))


def _about(request: SourceRequest, space: Space, page: str) -> About:
    found = space.pages[page]
    parent = f"{request.name}/{found.parent}.html" if found.parent in space.pages else ""
    return About(title=found.title, parent=parent, labels=found.labels)


def _of_html(request: SourceRequest, leaves: list[Leaf]) -> Listing:
    """Pages as they stand; what a page says of itself is read once per version."""
    known = load_state(request, "pages").get("pages", {})
    said: dict[str, dict[str, str]] = {}
    kept = []
    for leaf in leaves:
        name = leaf.path.rsplit("/", 1)[-1]
        if name == "index.html":
            continue  # the list of pages
        if not name.endswith(".html"):
            if "/attachments/" in f"/{leaf.path}" or name.endswith(SUFFIX):
                kept.append(leaf)
            continue
        key = f"{leaf.location} {leaf.version_token}"
        try:
            said[key] = known.get(key) or _said(read_at(request, _path(request), leaf.location))
        except SourceError as error:
            kept.append(replace(leaf, problem=error.message))
            continue
        folder = leaf.path.removesuffix(name)
        parent = f"{request.name}/{folder}{said[key]['parent']}" if said[key]["parent"] else ""
        changed = leaf.modified_at
        with suppress(ValueError):  # of another language, or no day
            changed = datetime.strptime(said[key]["changed"], "%b %d, %Y").replace(tzinfo=UTC)
        about = About(
            title=said[key]["title"], parent=parent, labels=tuple(filter(None, said[key]["labels"].split("\n")))
        )
        kept.append(replace(leaf, about=about, modified_at=changed))
    save_state(request, "pages", {"pages": said})
    return listing_of(request, kept, lambda leaf: read_at(request, _path(request), leaf.location))


def _said(content: bytes) -> dict[str, str]:
    """Title, parent, labels and time of change as a page of the export shows them; "" for what it lacks."""
    from lxml import etree, html

    out = {"title": "", "parent": "", "labels": "", "changed": ""}
    try:
        root = html.document_fromstring(content, parser=html.HTMLParser(no_network=True))
    except (etree.LxmlError, ValueError):
        return out
    for node in root.iter("title"):
        out["title"] = out["title"] or _after_space(" ".join(node.text_content().split()))
    crumbs = [node.get("href", "") for node in root.xpath("//*[@id='breadcrumbs']//a")]
    out["parent"] = crumbs[-1] if crumbs and crumbs[-1] != "index.html" else ""
    out["labels"] = "\n".join(sorted({" ".join(node.text_content().split()) for node in _labels(root)}))
    for node in root.xpath("//*[contains(@class, 'page-metadata')]"):
        found = MODIFIED.findall(" ".join(node.text_content().split()))
        out["changed"] = out["changed"] or (found[-1] if found else "")
    return out


def _labels(root: Any) -> Iterator[Any]:
    yield from root.xpath("//*[@id='labels-section' or contains(@class, 'label-list')]//a")


def _after_space(title: str) -> str:
    """Exports write "Space : Title"."""
    return title.partition(" : ")[2] or title


def _path(request: SourceRequest) -> Path:
    assert isinstance(request.options, ConfluenceOptions)
    return request.path(request.options.path)


SOURCE = SourceSpec("confluence", 1, ConfluenceOptions, list_entries, fetch, lambda request: str(_path(request)))
