"""What a crawl needs to know of a page: its links, its canonical address, and whether it wants to be listed."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from urllib.parse import quote, unquote, urljoin, urlsplit, urlunsplit

NOT_FETCHED = frozenset(
    "png jpg jpeg gif svg webp avif ico bmp tif tiff css js mjs map woff woff2 ttf otf eot mp3 mp4 m4a wav ogg webm "
    "mov avi mkv zip gz tgz bz2 xz tar rar 7z exe dmg iso apk deb rpm".split()
)
"""Endings of what a page links to that is no text: never asked for."""
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_SLASH = re.compile("%2F", re.IGNORECASE)
_UNSAFE = "%/:=&?~#+!$,;'@()*[]"


@dataclass(frozen=True, slots=True)
class Page:
    """`links` and `canonical` are absolute and normal; `listed` is False when the page asks not to be indexed."""

    links: tuple[str, ...] = ()
    canonical: str = ""
    listed: bool = True


def normal(url: str) -> str:
    """One address for one page: lower-case host, no default port, fragment or dot segments; "" for what is no page."""
    try:
        parts = urlsplit(url)
        whole = urlsplit(urljoin(url, parts.path or "/")).path  # without dot segments
        host = (parts.hostname or "").encode("idna").decode("ascii") if parts.hostname else ""
        port = parts.port
    except (ValueError, UnicodeError):
        return ""
    default = {"http": 80, "https": 443}.get(parts.scheme)
    place = host if port in (None, default) else f"{host}:{port}"
    path = "%2F".join(quote(unquote(piece), safe="/:=&~+!$,;'@()*") for piece in _SLASH.split(whole)) or "/"
    query = quote(parts.query, safe=_UNSAFE)
    return urlunsplit((parts.scheme, place, path, query, "")) if place and default else ""


def read_page(url: str, content: bytes, robots: str) -> Page:
    """Of an HTML page; `robots` is what the server's X-Robots-Tag says. Raises nothing: bad HTML has fewer links."""
    from lxml import etree, html

    if not content.strip():
        return Page(listed=not _says(robots, "noindex"))
    parser = html.HTMLParser(no_network=True, huge_tree=False)
    try:
        root = html.document_fromstring(content, parser=parser)
    except (etree.LxmlError, ValueError):
        return Page(listed=not _says(robots, "noindex"))
    base = next((urljoin(url, node.get("href")) for node in root.iter("base") if node.get("href")), url)
    canonical = ""
    for node in root.iter("link"):
        if "canonical" in (node.get("rel") or "").lower().split() and node.get("href"):
            canonical = canonical or normal(_joined(base, node.get("href")))
    for node in root.iter("meta"):
        if (node.get("name") or "").lower() in ("robots", "kprep"):
            robots += "," + (node.get("content") or "")
    links: dict[str, None] = {}
    if not _says(robots, "nofollow"):
        for node in root.iter("a", "area"):
            target = normal(_joined(base, node.get("href"))) if node.get("href") else ""
            if target and "nofollow" not in (node.get("rel") or "").lower().split():
                links[target] = None
    return Page(tuple(links), canonical, not _says(robots, "noindex"))


def as_utf8(content: bytes, content_type: str) -> bytes:
    """The bytes, rewritten in UTF-8 with a mark where the server alone knows that they are in another encoding."""
    found = _CHARSET.search(content_type)
    name = found.group(1).lower() if found else ""
    if name in ("", "utf-8", "utf8") or content.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content
    if name in ("iso-8859-1", "latin-1", "latin1", "us-ascii", "ascii"):
        name = "cp1252"  # what every browser reads it as
    try:
        return codecs.BOM_UTF8 + content.decode(name).encode("utf-8")
    except (LookupError, ValueError):
        return content  # the parser says what is wrong with it


def _says(robots: str, word: str) -> bool:
    said = {part.strip().lower() for part in robots.split(",")}
    return word in said or "none" in said


def _joined(base: str, target: str) -> str:
    try:
        return urljoin(base, target.strip())
    except ValueError:
        return ""
