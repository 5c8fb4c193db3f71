"""An RSS or Atom feed: each entry is a document, made of its title and its own text.

A feed shows its newest entries, so an entry that it no longer shows is not deleted: it is when the feed says so
(RFC 6721), or says that it is complete (RFC 5005), or with `complete: true`. It is asked for conditionally.
"""

from __future__ import annotations

import hashlib
import html
import re
from calendar import timegm
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin, urlsplit
from xml.sax import SAXException

from pydantic import Field

from kprep.core.errors import SourceError, SourceUnavailable
from sources.cache import drop_bodies, keep_body, kept_body, load_state, save_state
from sources.selection import Selection
from sources.spec import About, Entry, Listing, Options, Problem, SourceRequest, SourceSpec
from sources.web_client import Answer, WebClient
from sources.web_page import normal

TOMBSTONE = "{http://purl.org/atompub/tombstones/1.0}deleted-entry"
REDIRECTS_MAX = 5
STATE = 2
"""Form of what is kept between listings."""
_END = re.compile(rb"</(?:[\w.-]+:)?(?:rss|feed|rdf)\s*>\s*(?:<!--.*?-->\s*)*$", re.IGNORECASE | re.DOTALL)


class FeedOptions(Options):
    """The address of a feed."""

    url: str = Field(pattern=r"^https?://[^/\s@]+(/\S*)?$", description="address of the feed")
    complete: bool = Field(default=False, description="the feed shows all entries: one that it lacks is deleted")
    timeout_s: float = Field(default=20, gt=0, le=300, description="seconds to wait for an answer")
    token_env: str | None = Field(default=None, description="environment variable with a bearer token")


def list_entries(request: SourceRequest) -> Listing:
    """Entries of the feed. Raises: SourceError (not there, no feed), SourceUnavailable (out of reach)."""
    drop_bodies(request)
    feed = load_state(request, f"feed-{STATE}")
    asked = {"If-None-Match": feed.get("etag", ""), "If-Modified-Since": feed.get("modified", "")}
    answer = _ask(request, {name: value for name, value in asked.items() if value})
    if answer.status != 304 or not feed:
        feed = _parse(request, answer)
        save_state(request, f"feed-{STATE}", feed)
    selection = Selection(request)
    entries: dict[str, Entry] = {}
    for item in feed["entries"]:
        path = item["path"]
        if selection.names(path):
            uri, name = f"{request.name}/{path}", f"{path.rpartition('/')[2]}.html"
            moment = datetime.fromtimestamp(item["time"], tz=UTC) if item["time"] is not None else None
            about = About(url=item["url"], labels=tuple(item["labels"]))
            entry = Entry(uri, name, item["id"], item["digest"], item["size"], moment, about=about)
            entries.setdefault(uri, entry)
    gone = frozenset(f"{request.name}/{path}" for path in feed["gone"]) - entries.keys()
    ordered = tuple(entry for _, entry in sorted(entries.items()))
    complete, problems = bool(feed["complete"] or _options(request).complete), tuple[Problem, ...]()
    if complete and feed["ill_formed"]:
        detail = "the feed is no well-formed XML, so that entries may be missing: nothing is deleted"
        complete, problems = False, (Problem(request.name, SourceError.reason, detail),)
    return Listing(ordered, problems, complete=complete, gone=gone, passed_over=dict(selection.passed_over))


def fetch(request: SourceRequest, entry: Entry) -> bytes:
    """The entry as an HTML page: title, link, text. Raises: SourceUnavailable when the feed no longer shows it."""
    kept = kept_body(request, entry.location)
    if kept is None:
        _parse(request, _ask(request, {}))
        kept = kept_body(request, entry.location)
    if kept is None:
        raise SourceUnavailable(f"{entry.uri} vanished from the feed while the run read it")
    return kept


def _ask(request: SourceRequest, headers: Mapping[str, str]) -> Answer:
    """The feed, or 304. Redirects on the same server are followed."""
    options = _options(request)
    url = options.url
    with WebClient("kprep", 0, options.timeout_s, request.size_max, request.secret(options.token_env)) as client:
        answer = client.get(url, headers)
        for _ in range(REDIRECTS_MAX):
            if answer.status not in (301, 302, 303, 307, 308):
                break
            url = _target(url, answer)
            answer = client.get(url, headers)
    if answer.status >= 500 or answer.status == 429:
        raise SourceUnavailable(f"source {request.name}: {options.url} answers with HTTP status {answer.status}")
    if answer.status not in (200, 304) or answer.cut:
        said = "is too large" if answer.cut else f"answers with HTTP status {answer.status}"
        raise SourceError(f"source {request.name}: {options.url} {said}")
    return answer


def _target(url: str, answer: Answer) -> str:
    found = urljoin(url, answer.headers.get("location", ""))
    if urlsplit(found).netloc != urlsplit(url).netloc:
        raise SourceError(f"{url} has moved to another server, {found}: name that in kprep.yaml")
    return found


def _parse(request: SourceRequest, answer: Answer) -> dict[str, Any]:
    import feedparser

    parsed = feedparser.parse(answer.body, response_headers=dict(answer.headers), sanitize_html=False)
    if not parsed.get("version"):  # the library gives none at all for an empty answer
        raise SourceError(f"source {request.name}: {_options(request).url} is no RSS or Atom feed")
    ill_formed = parsed.bozo and isinstance(parsed.bozo_exception, SAXException)
    if (parsed.bozo and not parsed.entries) or (ill_formed and not _END.search(answer.body)):
        raise SourceUnavailable(f"source {request.name}: {_options(request).url} is damaged, or ends in its middle")
    entries: dict[str, dict[str, Any]] = {}
    for item in parsed.entries:
        entry, page = _entry(item)
        before = entries.get(entry["id"])
        if before is None or (entry["time"] or 0) > (before["time"] or 0):  # of one entry the latest state (RFC 4287)
            entries[entry["id"]] = entry
            keep_body(request, entry["id"], page)
    return {
        "etag": answer.headers.get("etag", ""),
        "modified": answer.headers.get("last-modified", ""),
        "complete": "fh_complete" in parsed.feed and not parsed.bozo,
        "ill_formed": ill_formed,
        "entries": list(entries.values()),
        "gone": [_path(key) for key in _tombstones(answer.body)],
    }


def _entry(item: Any) -> tuple[dict[str, Any], bytes]:
    """What is kept of an entry, and its page. One that gives neither id nor link is known by its title and time, or
    else by its text."""
    times = [item[name] for name in ("updated_parsed", "published_parsed") if name in item]
    time = next(filter(None, times), None)
    texts = [part.get("value", "") for part in item.get("content", ())] or [item.get("summary", "")]
    url = normal(item["link"]) if item.get("link") else ""
    page = _page(item, url, "\n".join(texts))
    digest = hashlib.sha256(page).hexdigest()
    own = " ".join(filter(None, (item.get("title"), item.get("published") or item.get("updated"))))
    key = str(item.get("id") or item.get("link") or own or digest)
    entry = {
        "id": key,
        "path": _path(key),
        "url": url,
        "labels": sorted({tag.get("term") or "" for tag in item.get("tags", ())} - {""}),
        "time": timegm(time) if time else None,
        "digest": digest,
        "size": len(page),
    }
    return entry, page


def _tombstones(body: bytes) -> Iterator[str]:
    from lxml import etree

    try:
        root = etree.fromstring(body, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError:
        return
    for node in root.iter(TOMBSTONE):
        if node.get("ref"):
            yield node.get("ref")


def _path(key: str) -> str:
    """A readable path that follows from the entry's id alone, so that it stays when title or address change."""
    words = re.sub(r"[^\w.-]+", "-", urlsplit(key).path if re.match(r"https?://", key) else key).strip("-.")[-60:]
    mark = hashlib.sha256(key.encode()).hexdigest()[:8]
    return f"{words}-{mark}" if words else mark


def _page(item: Any, url: str, text: str) -> bytes:
    title = html.escape(html.unescape(item.get("title", "")))
    head = f'<meta charset="utf-8"><title>{title}</title>'
    if url:
        head += f'<link rel="canonical" href="{html.escape(url)}">'
    if item.get("author"):
        head += f'<meta name="author" content="{html.escape(item["author"])}">'
    return f"<!doctype html><html><head>{head}</head>\n<body><h1>{title}</h1>\n{text}\n</body></html>\n".encode()


def _options(request: SourceRequest) -> FeedOptions:
    assert isinstance(request.options, FeedOptions)
    return request.options


SOURCE = SourceSpec("feed", 1, FeedOptions, list_entries, fetch, lambda request: _options(request).url)
