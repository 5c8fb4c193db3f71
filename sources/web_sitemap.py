"""Addresses in sitemaps (sitemaps.org 0.9): XML, gzip, indexes of sitemaps, and plain text."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from sources.web_client import Answer
from sources.web_page import normal

SITEMAPS_MAX = 500
UNPACKED_MAX = 100 << 20


class SitemapUnread(Exception):
    """A sitemap that is there but cannot be read, so that the list of pages is not whole."""


def sitemap_pages(start: str, get: Callable[[str], Answer]) -> Iterator[tuple[str, datetime | None]]:
    """(address, time of the last change) of each page; nothing when there is no sitemap. Raises: SitemapUnread."""
    waiting, seen = [start], {start}
    while waiting:
        url = waiting.pop()
        answer = get(url)
        if answer.status in (404, 410) and url == start:
            return
        if answer.status != 200 or answer.cut:
            raise SitemapUnread(f"{url} cannot be read (HTTP status {answer.status})")
        kind, found = _read(url, answer.body)
        if kind == "index":
            new = [inner for inner, _ in found if inner not in seen]
            seen.update(new)
            waiting.extend(reversed(new))
            if len(seen) > SITEMAPS_MAX:
                raise SitemapUnread(f"{start} leads to more than {SITEMAPS_MAX} sitemaps")
        else:
            yield from found


def _read(url: str, body: bytes) -> tuple[str, list[tuple[str, datetime | None]]]:
    from lxml import etree

    if body[:2] == b"\x1f\x8b":
        try:
            body = gzip.GzipFile(fileobj=io.BytesIO(body)).read(UNPACKED_MAX + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise SitemapUnread(f"{url} is damaged") from error
        if len(body) > UNPACKED_MAX:
            raise SitemapUnread(f"{url} unpacks to more than {UNPACKED_MAX >> 20} MB")
    if not body.lstrip().startswith(b"<"):
        lines = body.decode("utf-8", "replace").split()
        return "pages", [(normal(line), None) for line in lines if normal(line)]
    try:
        root = etree.fromstring(body, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    except etree.XMLSyntaxError as error:
        raise SitemapUnread(f"{url} is no XML") from error
    name = etree.QName(root).localname
    if name not in ("urlset", "sitemapindex"):
        raise SitemapUnread(f"{url} is no sitemap but <{name}>")
    found = []
    for item in root:
        values = {etree.QName(node).localname: (node.text or "").strip() for node in item if isinstance(node.tag, str)}
        if normal(values.get("loc", "")):
            found.append((normal(values["loc"]), moment(values.get("lastmod", ""))))
    return ("index" if name == "sitemapindex" else "pages"), found


def moment(text: str) -> datetime | None:
    """A time in W3C form; a date alone is its midnight in UTC."""
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
