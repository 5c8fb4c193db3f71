"""A MediaWiki XML export (Special:Export, dumpBackup.php), plain or compressed with gzip or bzip2.

Each page's last revision is a document, turned from wikitext into HTML. Redirects are followed by the links to them and
are no documents. A page's URI is its title.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

from pydantic import Field

from kprep.core.errors import SourceError, SourceUnavailable
from sources.cache import drop_bodies, keep_body, kept_body, save_listing, saved_listing, stamp_of
from sources.selection import Selection
from sources.spec import About, Entry, Listing, Options, Problem, SourceRequest, SourceSpec
from sources.web_sitemap import moment
from sources.wikitext import to_html

UNPACKED_MAX = 20 << 30
TEXT_MODELS = ("wikitext", "")


class MediaWikiOptions(Options):
    """An export."""

    path: Path = Field(description="the exported XML (also .gz, .bz2), relative to `kprep.yaml`")
    namespaces: tuple[int, ...] = Field(default=(0,), description="numbers of the namespaces whose pages are documents")


@dataclass(frozen=True, slots=True)
class WikiPage:
    """A page of the export in its last revision. `target`: of a redirect, else ""."""

    title: str
    namespace: int
    target: str
    changed: datetime | None
    model: str
    text: str


def list_entries(request: SourceRequest) -> Listing:
    """Pages of the chosen namespaces. Raises: SourceError (missing, damaged, no export)."""
    drop_bodies(request)
    path = _path(request)
    if not path.is_file():
        raise SourceError(f"source {request.name}: {path} does not exist, or is no file")
    stamp = stamp_of(request, path, SOURCE.version)
    listing = saved_listing(request, stamp)
    if listing is None:
        listing = _read(request)
        save_listing(request, stamp, listing)
    return listing


def _read(request: SourceRequest) -> Listing:
    """The listing of an export as it stands, with its pages kept for the run."""
    selection = Selection(request)
    base = ""
    redirects: dict[str, str] = {}
    titles: set[str] = set()
    for page in _pages(request):
        if isinstance(page, str):
            base = page
        elif page.target:
            redirects[_normal(page.title)] = _normal(page.target)
        elif page.namespace in _options(request).namespaces:
            titles.add(_normal(page.title))
    entries: dict[str, Entry] = {}
    problems = []
    for page in _pages(request):
        if isinstance(page, str) or page.target or page.namespace not in _options(request).namespaces:
            continue
        path = f"{_normal(page.title)}.html"
        if path == ".html":
            problems.append(
                Problem(request.name + "/untitled", "source_unreadable", "a page of the export has no title")
            )
            continue
        uri = f"{request.name}/{path}"
        if not selection.names(path):
            continue
        if page.model not in TEXT_MODELS:
            problems.append(Problem(uri, "source_unreadable", f"is no wikitext but {page.model}"))
            continue
        content, labels = to_html(page.title, page.text, _hrefs(_normal(page.title), titles, redirects))
        keep_body(request, uri, content)
        token = hashlib.sha256(content).hexdigest()
        about = About(title=page.title, url=_address(base, page.title), labels=labels)
        name = path.rpartition("/")[2]
        entries[uri] = Entry(uri, name, uri, token, len(content), page.changed, about=about)
    ordered = tuple(entry for _, entry in sorted(entries.items()))
    return Listing(ordered, tuple(problems), complete=True, passed_over=dict(selection.passed_over))


def fetch(request: SourceRequest, entry: Entry) -> bytes:
    """A page as HTML. Raises: SourceError, SourceUnavailable when the export no longer holds it."""
    content = kept_body(request, entry.location)
    if content is None:
        _read(request)
        content = kept_body(request, entry.location)
    if content is None:
        raise SourceUnavailable(f"{entry.uri} vanished from the export while the run read it")
    return content


def _hrefs(own: str, titles: set[str], redirects: dict[str, str]) -> Callable[[str], str]:
    """Where a link of the page `own` to another title leads: a relative path, over redirects; "" for no page."""
    up = "../" * own.count("/")

    def href(title: str) -> str:
        name = _normal(title)
        for _ in range(5):
            name = redirects.get(name, name)
        return quote(f"{up}{name}.html") if name in titles else ""

    return href


def _normal(title: str) -> str:
    """A title as MediaWiki addresses it: underscores, the first letter a capital."""
    name = "_".join(title.strip().replace("_", " ").split())
    name = "/".join(part for part in name.split("/") if part not in ("", ".", ".."))
    return name[:1].upper() + name[1:]


def _address(base: str, title: str) -> str:
    """Address of a page, by that of the main page which the export names."""
    return base.rpartition("/")[0] + "/" + quote(_normal(title)) if base.startswith(("http://", "https://")) else ""


def _pages(request: SourceRequest) -> Iterator[WikiPage | str]:
    """The address of the main page, where the export names it, then its pages, read piece by piece."""
    from lxml import etree

    path = _path(request)
    try:
        with _opened(path) as file:
            found = False
            for _, node in etree.iterparse(
                file, events=("end",), resolve_entities=False, no_network=True, huge_tree=True
            ):
                name = etree.QName(node).localname
                if name == "base":
                    yield (node.text or "").strip()
                elif name == "page":
                    yield _page(node)
                    node.clear()
                    while node.getprevious() is not None:
                        del node.getparent()[0]
                elif name == "mediawiki":
                    found = True
            if not found:
                raise SourceError(f"source {request.name}: {path} is no export of MediaWiki")
    except etree.XMLSyntaxError as error:
        raise SourceError(f"source {request.name}: {path} is damaged, or is no XML: {error.msg}") from error
    except (OSError, EOFError, zlib.error) as error:
        raise SourceError(f"source {request.name}: {path} cannot be read, or is damaged") from error


def _opened(path: Path) -> IO[bytes]:
    with path.open("rb") as file:
        head = file.read(3)
    if head[:2] == b"\x1f\x8b":
        return gzip.open(path)  # type: ignore[return-value]
    return bz2.open(path) if head == b"BZh" else path.open("rb")


def _page(node: Any) -> WikiPage:
    title, namespace, target = "", 0, ""
    last: tuple[str, str, str] = ("", "", "")
    for child in node:
        name = _local(child)
        if name == "title":
            title = child.text or ""
        elif name == "ns":
            namespace = int(child.text) if (child.text or "").strip().lstrip("-").isdecimal() else 0
        elif name == "redirect":
            target = child.get("title", "")
        elif name == "revision":
            values = {_local(item): item.text or "" for item in child}
            if values.get("timestamp", "") >= last[0]:
                last = (values.get("timestamp", ""), values.get("text", ""), values.get("model", ""))
    return WikiPage(title, namespace, target, moment(last[0]), last[2], last[1])


def _local(node: Any) -> str:
    return node.tag.rpartition("}")[2] if isinstance(node.tag, str) else ""


def _options(request: SourceRequest) -> MediaWikiOptions:
    assert isinstance(request.options, MediaWikiOptions)
    return request.options


def _path(request: SourceRequest) -> Path:
    return request.path(_options(request).path)


SOURCE = SourceSpec("mediawiki", 1, MediaWikiOptions, list_entries, fetch, lambda request: str(_path(request)))
