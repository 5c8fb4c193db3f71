"""A web site: the pages of its sitemap, and those its pages link to, within a scope.

A page known from the crawl before is asked for with its ETag and Last-Modified; unchanged, its body is not sent and its
links are those of then. robots.txt, `noindex`, `nofollow` and canonical addresses are respected.
Sources: RFC 9309 (robots), RFC 9110 section 13 (conditional requests), RFC 6596 (canonical).
"""

from __future__ import annotations

import hashlib
from collections import deque
from dataclasses import asdict, dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from mimetypes import guess_extension
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import pathspec
from pydantic import Field

from kprep.core.errors import SourceError, SourceUnavailable
from sources.cache import drop_bodies, keep_body, kept_body, load_state, save_state
from sources.spec import About, Entry, Listing, Options, Problem, SourceRequest, SourceSpec
from sources.web_client import Answer, WebClient
from sources.web_page import NOT_FETCHED, Page, as_utf8, normal, read_page
from sources.web_sitemap import SitemapUnread, moment, sitemap_pages

HTML = ("text/html", "application/xhtml+xml")
NO_TEXT = ("image/", "audio/", "video/", "font/", "text/css", "text/javascript", "application/javascript")


class WebOptions(Options):
    """Where a crawl starts and how far it goes."""

    url: str = Field(pattern=r"^https?://[^/\s@]+(/\S*)?$", description="page to start at; its folder is the scope")
    scope: str | None = Field(default=None, pattern="^/", description="paths that belong to it begin so")
    sitemap: str = Field(default="auto", description="`auto` (robots.txt, /sitemap.xml), an address, or `none`")
    crawl: bool = Field(default=True, description="follow links; `false`: only the pages of the sitemap")
    max_pages: int = Field(default=10_000, ge=1, description="over this the rest is left for want of an operator")
    delay_s: float = Field(
        default=0.2, ge=0, le=60, description="seconds between two requests; robots.txt may ask for more"
    )
    timeout_s: float = Field(default=20, gt=0, le=300, description="seconds to wait for an answer")
    agent: str = Field(
        default="kprep", pattern=r"^[\w./+;:() -]+$", description="how it introduces itself; robots.txt names it so"
    )
    token_env: str | None = Field(default=None, description="environment variable with a bearer token")


@dataclass(slots=True)
class Known:
    """A page as last read. `digest`: SHA-256 of its bytes."""

    etag: str = ""
    modified: str = ""
    digest: str = ""
    size: int = 0
    type: str = ""
    links: tuple[str, ...] = ()
    canonical: str = ""
    listed: bool = True


def list_entries(request: SourceRequest) -> Listing:
    """Pages within the scope.

    Raises: SourceError (the start page is not there), SourceUnavailable (the server or its robots.txt is out of reach).
    """
    drop_bodies(request)
    crawl = _Crawl(request)
    with _client(request) as client:
        crawl.walk(client)
    crawl.save()
    return crawl.listing()


def probe(request: SourceRequest) -> str:
    """That the start page answers. Raises: SourceError, SourceUnavailable with its status."""
    url = normal(_options(request).url)
    with _client(request) as client:
        status = client.get(url).status
    if status >= 500 or status == 429:
        raise SourceUnavailable(f"source {request.name}: {url} answers with HTTP status {status}")
    if status >= 400:
        raise SourceError(f"source {request.name}: {url} answers with HTTP status {status}")
    return f"{url} answers"


def fetch(request: SourceRequest, entry: Entry) -> bytes:
    """Bytes of a page in UTF-8 or with their encoding in them: those the crawl read, or read now."""
    kept = kept_body(request, entry.location)
    if kept is not None:
        return kept
    with _client(request) as client:
        answer = client.get(entry.location)
    if answer.status != 200 or answer.cut:
        raise SourceUnavailable(f"{entry.uri} was listed, but now answers with HTTP status {answer.status}")
    return as_utf8(answer.body, answer.headers.get("content-type", ""))


class _Crawl:
    """One pass over a site."""

    def __init__(self, request: SourceRequest) -> None:
        self._request, self._options = request, _options(request)
        self._start = normal(self._options.url)
        parts = urlsplit(self._start)
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._scope = self._options.scope or parts.path[: parts.path.rindex("/") + 1]
        self._include = pathspec.PathSpec.from_lines("gitignore", request.include)
        self._exclude = pathspec.PathSpec.from_lines("gitignore", request.exclude)
        self._known = _load(request)
        self._pages: dict[str, Known] = {}
        self._problems: dict[str, Problem] = {}
        self._gone: set[str] = set()
        self._moved: dict[str, str] = {}
        self._times: dict[str, datetime | None] = {}
        self._complete = True
        self._waiting: deque[str] = deque()
        self._seen: set[str] = set()

    def walk(self, client: WebClient) -> None:
        """Visit every page once."""
        from protego import Protego

        answer = client.get(f"{self._origin}/robots.txt")
        if answer.status >= 500 or answer.status == 429:
            raise SourceUnavailable(f"source {self._request.name}: {self._origin}/robots.txt answers {answer.status}")
        text = answer.body.decode("utf-8", "replace") if answer.status == 200 else ""
        robots = Protego.parse(text)
        client.delay_s = max(client.delay_s, min(float(robots.crawl_delay(self._options.agent) or 0), 60.0))
        self._add(self._start)
        self._read_sitemaps(client, list(robots.sitemaps))
        self._visit_all(client, robots)
        if not self._complete:  # what was not found may still be there: it is asked itself
            for url in self._known:
                self._add(url)
            self._visit_all(client, robots)
        self._look_at_moved()
        if not self._pages and not self._problems:
            raise SourceError(f"source {self._request.name}: {self._why_nothing(robots)}")
        if self._waiting:
            self._complete = False
            detail = f"more than {self._options.max_pages} pages: narrow `scope`, or raise `max_pages`"
            whole = f"{self._request.name}/*"  # no page's own
            self._problems[whole] = Problem(whole, "source_limit", detail)

    def _look_at_moved(self) -> None:
        """Pages that lead in a circle are there, but cannot be read."""
        for url in self._moved:
            seen, at = set[str](), url
            while at in self._moved and at not in seen:
                seen.add(at)
                at = self._moved[at]
            if at in seen:
                self._failed(url, self._known.get(url), "source_unreadable", "redirects in a circle")

    def _why_nothing(self, robots: Any) -> str:
        """What is to be mended where no page was found."""
        if not robots.can_fetch(self._start, self._options.agent):
            return f"robots.txt lets {self._options.agent} read nothing at {self._start}"
        if self._start in self._moved:
            return f"{self._start} has moved to {self._moved[self._start]}, out of the scope: name that in kprep.yaml"
        return f"{self._start} has no page: it is excluded, or leads to none"

    def _read_sitemaps(self, client: WebClient, named: list[str]) -> None:
        chosen = self._options.sitemap
        if chosen == "none":
            return
        found = (named or ["/sitemap.xml"]) if chosen == "auto" else [chosen]
        addresses = [urljoin(self._start, address) for address in found]
        for address in addresses:
            try:
                for url, changed in sitemap_pages(address, client.get):
                    self._times[url] = changed
                    self._add(url)
            except (SitemapUnread, SourceUnavailable) as error:
                self._complete = False
                self._problem(address, "source_unavailable", str(error))

    def _add(self, url: str) -> None:
        if url in self._seen or not self._in_scope(url):
            return
        path = urlsplit(url).path
        if path.rpartition(".")[2].lower() in NOT_FETCHED or self._exclude.match_file(_relative(url)):
            return
        self._seen.add(url)
        self._waiting.append(url)

    def _in_scope(self, url: str) -> bool:
        return url.startswith(f"{self._origin}/") and urlsplit(url).path.startswith(self._scope)

    def _visit_all(self, client: WebClient, robots: Any) -> None:
        while self._waiting and len(self._seen) - len(self._waiting) < self._options.max_pages:
            url = self._waiting.popleft()
            self._request.progress(len(self._seen) - len(self._waiting), len(self._seen))
            if not robots.can_fetch(url, self._options.agent):
                continue
            known = self._known.get(url)
            headers = {}
            if known is not None and known.etag:
                headers["If-None-Match"] = known.etag
            if known is not None and known.modified:
                headers["If-Modified-Since"] = known.modified
            try:
                answer = client.get(url, headers)
            except SourceUnavailable as error:
                self._failed(url, known, "source_unavailable", error.message)
                continue
            self._take(url, known, answer)

    def _take(self, url: str, known: Known | None, answer: Answer) -> None:
        if answer.status == 304 and known is not None:
            self._keep(url, known)
        elif answer.status == 200:
            self._keep(url, self._read(url, answer))
        elif answer.status in (301, 302, 303, 307, 308):
            target = normal(urljoin(url, answer.headers.get("location", "")))
            self._moved[url] = target
            if self._in_scope(target):
                self._add(target)
            elif answer.status in (302, 303, 307) and known is not None:
                self._failed(url, known, "source_unreadable", "now leads out of the scope, as to a login page")
        elif answer.status in (404, 410):
            self._gone.add(url)
            if url == self._start:
                raise SourceError(f"source {self._request.name}: {url} is not there (HTTP status {answer.status})")
        elif answer.status >= 500 or answer.status == 429:
            self._failed(url, known, "source_unavailable", f"the server answers with HTTP status {answer.status}")
        else:
            self._failed(url, known, "source_unreadable", f"the server answers with HTTP status {answer.status}")

    def _read(self, url: str, answer: Answer) -> Known:
        kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
        robots = answer.headers.get("x-robots-tag", "")
        content = as_utf8(answer.body, answer.headers.get("content-type", ""))
        page = read_page(url, content, robots) if kind in HTML else Page(listed="noindex" not in robots.lower())
        size = self._request.size_max + 1 if answer.cut else len(content)
        digest = "cut" if answer.cut else hashlib.sha256(content).hexdigest()
        etag, modified = answer.headers.get("etag", ""), answer.headers.get("last-modified", "")
        found = Known(etag, modified, digest, size, kind, page.links, page.canonical, page.listed)
        if found.listed and not kind.startswith(NO_TEXT) and not answer.cut:
            keep_body(self._request, url, content)
        return found

    def _keep(self, url: str, page: Known) -> None:
        self._pages[url] = page
        if page.canonical:
            self._add(page.canonical)
        if self._options.crawl:
            for link in page.links:
                self._add(link)

    def _failed(self, url: str, known: Known | None, reason: str, detail: str) -> None:
        """A page that is there, but not to be read now: it stays as it was, and so do the pages it led to."""
        if url == self._start and known is None:
            raise SourceUnavailable(f"source {self._request.name}: {url}: {detail}")
        self._problem(url, reason, detail)
        if known is None:
            self._complete = self._complete and bool(self._known)
            return
        for link in known.links if self._options.crawl else ():
            self._add(link)

    def _problem(self, url: str, reason: str, detail: str) -> None:
        uri = self._uri(url)
        self._problems[uri] = Problem(uri, reason, detail)

    def _uri(self, url: str) -> str:
        return f"{self._request.name}/{_relative(url)}"

    def listing(self) -> Listing:
        """Pages under their canonical address, each once."""
        entries: dict[str, Entry] = {}
        for url, page in sorted(self._pages.items()):
            master = self._pages.get(page.canonical)
            if master is not None and page.canonical != url and master.canonical in ("", page.canonical):
                continue
            uri = self._uri(url)
            if not page.listed or page.type.startswith(NO_TEXT) or not self._include.match_file(_relative(url)):
                continue
            if uri in entries or uri in self._problems:
                continue
            changed = _date(page.modified) or self._times.get(url)
            about = About(url=url)
            entries[uri] = Entry(uri, _name(url, page.type), url, page.digest, page.size, changed, about=about)
        gone = frozenset(self._uri(url) for url in self._gone) - entries.keys() - self._problems.keys()
        problems = tuple(problem for _, problem in sorted(self._problems.items()))
        return Listing(tuple(entry for _, entry in sorted(entries.items())), problems, self._complete, gone)

    def save(self) -> None:
        """Keep what the next crawl asks with; of pages that could not be read, what was known."""
        failed = {
            url: page for url, page in self._known.items() if self._uri(url) in self._problems or not self._complete
        }
        pages = {**{url: page for url, page in failed.items() if url not in self._gone}, **self._pages}
        state = {"version": SOURCE.version, "pages": {url: asdict(page) for url, page in pages.items()}}
        save_state(self._request, "crawl", state)


def _load(request: SourceRequest) -> dict[str, Known]:
    saved = load_state(request, "crawl")
    if saved.get("version") != SOURCE.version:
        return {}
    return {url: Known(**{**page, "links": tuple(page["links"])}) for url, page in saved["pages"].items()}


def _relative(url: str) -> str:
    """Path of an address below its server, readable; a folder is its index page."""
    parts = urlsplit(url)
    path = unquote(parts.path).lstrip("/")
    if not path.isprintable() or "\ufffd" in path:
        path = parts.path.lstrip("/")
    if path == "" or path.endswith("/"):
        path += "index.html"
    return f"{path}?{parts.query}" if parts.query else path


def _name(url: str, kind: str) -> str:
    """A file name that says what the server says the page is."""
    name = _relative(url).partition("?")[0].rsplit("/", 1)[-1]
    wanted = ".html" if kind in HTML else (guess_extension(kind) or "")
    if kind in HTML:
        return name if name.lower().endswith((".html", ".htm", ".xhtml")) else f"{name}.html"
    return name if "." in name or not wanted else f"{name}{wanted}"


def _date(text: str) -> datetime | None:
    try:
        return parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return moment(text)


def _client(request: SourceRequest) -> WebClient:
    options = _options(request)
    token = request.secret(options.token_env)
    return WebClient(options.agent, options.delay_s, options.timeout_s, request.size_max, token)


def _options(request: SourceRequest) -> WebOptions:
    assert isinstance(request.options, WebOptions)
    return request.options


SOURCE = SourceSpec(
    name="web",
    version=1,
    options=WebOptions,
    list_entries=list_entries,
    fetch=fetch,
    describe=lambda request: _options(request).url,
    by_address=True,
    probe=probe,
)
