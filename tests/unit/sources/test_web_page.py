"""Addresses in one form, what a page says to a crawler, encodings, sitemaps."""

from __future__ import annotations

import gzip

import pytest

from sources.web_client import Answer
from sources.web_page import as_utf8, normal, read_page
from sources.web_sitemap import SitemapUnread, sitemap_pages


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("HTTP://Acme.com:80", "http://acme.com/"),
        ("https://acme.com:443/a/../b/./c?x=1&y=2#part", "https://acme.com/b/c?x=1&y=2"),
        ("https://acme.com/a%2fb/%7Eu/\u00fc", "https://acme.com/a%2Fb/~u/%C3%BC"),
        ("http://acme.com/a b?q=\u00e9", "http://acme.com/a%20b?q=%C3%A9"),
        ("http://acme.com:8080/x", "http://acme.com:8080/x"),
        ("http://b\u00fccher.de/", "http://xn--bcher-kva.de/"),
        ("mailto:a@b.c", ""),
        ("javascript:void(0)", ""),
        ("http://[broken/", ""),
        ("/relative", ""),
    ],
)
def test_one_address_for_one_page(url: str, expected: str) -> None:
    assert normal(url) == expected
    assert normal(expected) == expected


def test_what_a_page_says_to_a_crawler() -> None:
    html = b"""<head><base href="/docs/"><link rel="canonical" href="a"></head><body><a href="b.html#x">b</a>
    <a href="c" rel="nofollow">c</a><a href="b.html">again</a><a>none</a><area href="/d"></body>"""
    page = read_page("http://h/x", html, "")
    assert page.links == ("http://h/docs/b.html", "http://h/d")
    assert (page.canonical, page.listed) == ("http://h/docs/a", True)
    assert not read_page("http://h/x", html, "none").listed
    assert read_page("http://h/x", html, "nofollow").links == ()
    assert read_page("http://h/x", b"", "").links == ()
    assert read_page("http://h/x", b"\x00\xff<<<", "").listed


def test_the_encoding_of_the_header_is_written_into_the_page() -> None:
    assert as_utf8("\u00e4".encode("cp1252"), "text/html; charset=iso-8859-1") == b"\xef\xbb\xbf\xc3\xa4"
    assert as_utf8(b"\xc3\xa4", "text/html; charset=UTF-8") == b"\xc3\xa4"
    assert as_utf8(b"\xc3\xa4", "text/html") == b"\xc3\xa4"
    assert as_utf8(b"\xff", "text/html; charset=no-such-thing") == b"\xff"


URLSET = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'


def test_sitemaps_of_every_form() -> None:
    entry = "<url><loc>http://h/{0}</loc><lastmod>2026-03-0{0}</lastmod></url>"
    index = "<sitemapindex><sitemap><loc>http://h/one.xml</loc></sitemap><sitemap><loc>http://h/two.gz</loc></sitemap>"
    answers = {
        "http://h/s.xml": index + "<sitemap><loc>http://h/list.txt</loc></sitemap></sitemapindex>",
        "http://h/one.xml": URLSET.format(entry.format(1)),
        "http://h/list.txt": "http://h/3\nhttp://h/4\n",
    }
    bodies = {url: text.encode() for url, text in answers.items()}
    bodies["http://h/two.gz"] = gzip.compress(URLSET.format(entry.format(2)).encode())
    found = dict(sitemap_pages("http://h/s.xml", lambda url: Answer(200, {}, bodies[url])))
    assert list(found) == ["http://h/1", "http://h/2", "http://h/3", "http://h/4"]
    assert str(found["http://h/2"]) == "2026-03-02 00:00:00+00:00"
    assert list(sitemap_pages("http://h/none", lambda _: Answer(404))) == []


@pytest.mark.parametrize(
    "answer", [Answer(500), Answer(200, {}, b"<html/>"), Answer(200, {}, b"<urlset>"), Answer(200, {}, b"\x1f\x8b0")]
)
def test_a_sitemap_that_cannot_be_read_is_no_empty_one(answer: Answer) -> None:
    with pytest.raises(SitemapUnread):
        list(sitemap_pages("http://h/s.xml", lambda _: answer))


def test_a_sitemap_that_names_itself_ends() -> None:
    body = b"<sitemapindex><sitemap><loc>http://h/s.xml</loc></sitemap></sitemapindex>"
    assert list(sitemap_pages("http://h/s.xml", lambda _: Answer(200, {}, body))) == []
