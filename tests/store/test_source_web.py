"""A web site on this machine, crawled: what is asked of the server, and what a run makes of the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from flows.doctor import examine
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.site import Served, Site

Make = Callable[..., TestBase]
SETTINGS = {
    "embedding": {"provider": "none"},
    "quality": {"thresholds": {"short_share": 1.0, "failed_share": 1.0, "duplicate_share": 1.0}},
}


@pytest.fixture
def site() -> Iterator[Site]:
    with Site().serve() as running:
        yield running


@pytest.fixture
def make(make_base: MakeBase, site: Site) -> Make:
    """A knowledge base over the site; keys of the source may be given."""

    def made(**keys: Any) -> TestBase:
        source = {"name": "docs", "kind": "web", "url": f"{site.url}/", "acl": ["staff"], "delay_s": 0, **keys}
        return make_base({}, sources=[source], **SETTINGS)

    return made


def page(words: str, *links: str, head: str = "") -> Served:
    anchors = "".join(f'<p><a href="{link}">Go to {link} for more.</a></p>' for link in links)
    return Served(f"<html><head>{head}</head><body><h1>Page</h1><p>{words}</p>{anchors}</body></html>".encode())


def text(number: int) -> str:
    return f"Machine number {number} stands in hall {number % 7} and is oiled every {number + 2} days."


def sitemap(site: Site, *paths: str) -> Served:
    rows = "".join(f"<url><loc>{site.url}{path}</loc></url>" for path in paths)
    body = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'
    return Served(body.encode(), "application/xml")


@pytest.mark.req("D2.20", "D10.1")
def test_300_pages_are_asked_again_without_a_body_and_what_is_gone_disappears(site: Site, make: Make) -> None:
    paths = [f"/m/{number}.html" for number in range(300)]
    for number, path in enumerate(paths):
        # Half stand in the sitemap; each of the others is linked by the page before it.
        site.pages[path] = page(text(number), *([f"{number + 1}.html"] if number % 2 == 0 else []))
    site.pages["/"] = page("Machines of the works.", "/m/0.html")
    site.pages["/sitemap.xml"] = sitemap(site, *paths[::2])
    base = make()
    assert base.run()["documents"]["added"] == 301
    site.forget()

    again = base.run()
    assert (again["status"], again["work"]["parsed"], again["work"]["hashed"]) == ("unchanged", 0, 0)
    fetched = [path for path, status in site.asked if status == 200]
    assert fetched == ["/sitemap.xml"]
    assert site.statuses[304] == 301

    del site.pages["/m/10.html"], site.pages["/m/12.html"]  # 404, though the sitemap still names them
    site.answers["/m/14.html"] = (410, {})
    site.pages["/sitemap.xml"] = sitemap(site, *[path for path in paths[::2] if path != "/m/20.html"])
    site.answers["/m/30.html"] = (503, {"Retry-After": "0"})
    summary = base.run()
    gone = {f"m/{number}.html" for number in (10, 11, 12, 13, 14, 15, 20, 21)}
    assert summary["documents"]["retired"] == len(gone)
    seen = set(base.uris())
    assert seen.isdisjoint(gone)
    assert {"m/30.html", "m/31.html"} <= seen
    assert len(seen) == 301 - len(gone)


def test_a_server_out_of_reach_deletes_nothing_and_stops_no_other_source(site: Site, make_base: MakeBase) -> None:
    web = {"name": "site", "kind": "web", "url": f"{site.url}/", "acl": ["staff"], "delay_s": 0}
    files = {"name": "docs", "kind": "filesystem", "path": "docs", "acl": ["staff"]}
    base = make_base({"a.md": "# Tax\n\nTaxes are paid in May."}, sources=[web, files], **SETTINGS)
    site.pages["/"] = page("The works are closed in August.")
    base.run()
    site.answers["*"] = (503, {"Retry-After": "0"})
    base.write("a.md", "# Tax\n\nTaxes are paid in June.")
    summary = base.run()
    assert (summary["status"], summary["documents"]["retired"]) == ("published", 0)
    assert [(item["uri"], item["reason"]) for item in summary["failures"]] == [("site", "source_unavailable")]
    assert base.search("taxes", mode="lexical")[0]["text"] == "Taxes are paid in June."
    assert base.search("closed in August", mode="lexical")
    findings = {item["check"]: item for item in examine(base.folder, None)}
    assert not findings["source site"]["ok"]
    assert "503" in findings["source site"]["found"]
    site.answers.clear()
    assert base.run()["failures"] == []


def test_robots_noindex_and_nofollow_are_respected(site: Site, make: Make) -> None:
    robots = "User-agent: kprep\nDisallow: /*.pdf$\nDisallow: /private/\n"
    site.pages["/robots.txt"] = Served(robots.encode(), "text/plain")
    site.pages["/"] = page("Start here.", "/private/a.html", "/list.html", "/x.pdf", "/logo.png", "/deaf.html")
    site.pages["/private/a.html"] = page("Nobody reads this.")
    site.pages["/x.pdf"] = Served(b"%PDF-1.4", "application/pdf")
    site.pages["/logo.png"] = Served(b"png", "image/png")
    site.pages["/list.html"] = page("A list.", "/far.html", head='<meta name="robots" content="noindex">')
    site.pages["/far.html"] = page("Far away.")
    site.pages["/deaf.html"] = page("Deaf.", "/unfollowed.html", head='<meta name="robots" content="nofollow">')
    site.pages["/unfollowed.html"] = page("Never seen.")
    base = make()
    base.run()
    assert base.uris() == ["deaf.html", "far.html", "index.html"]
    assert {path for path, _ in site.asked}.isdisjoint({"/private/a.html", "/x.pdf", "/logo.png", "/unfollowed.html"})
    assert {headers["user-agent"] for headers in site.headers} == {"kprep"}


def test_canonical_addresses_and_redirects_give_one_document(site: Site, make: Make) -> None:
    head = f'<link rel="canonical" href="{site.url}/guide/">'
    site.pages["/"] = page("Start.", "/guide/?from=home", "/old", "/guide/#top", "/loop/")
    site.pages["/guide/?from=home"] = page("The guide to the press.", head=head)
    site.pages["/guide/"] = page("The guide to the press.", head=head)
    site.answers["/old"] = (301, {"Location": "/guide/"})
    site.answers["/loop/"] = (302, {"Location": "/loop/"})
    base = make()
    summary = base.run()
    assert base.uris() == ["guide/index.html", "index.html"]
    assert [(item["uri"], item["detail"]) for item in summary["failures"]] == [
        ("docs/loop/index.html", "redirects in a circle")
    ]
    hit = base.search("press", mode="lexical")[0]
    assert hit["metadata"]["url"] == f"{site.url}/guide/"


def test_only_the_scope_is_asked_for(site: Site, make: Make) -> None:
    site.pages["/docs/"] = page("Start.", "/blog/a.html", "http://127.0.0.1:1/docs/x.html", "b.html", "mailto:a@b.c")
    site.pages["/docs/b.html"] = page("Within.")
    site.pages["/blog/a.html"] = page("Outside.")
    base = make(url=f"{site.url}/docs/", exclude=["docs/index.html"], include=["docs/**"])
    assert "it is excluded, or leads to none" in base.run()["message"]
    base.source(exclude=[])
    base.run()
    assert base.uris() == ["docs/b.html", "docs/index.html"]
    assert "/blog/a.html" not in {path for path, _ in site.asked}


def test_over_the_limit_of_pages_nothing_is_deleted_and_a_person_is_told(site: Site, make: Make) -> None:
    site.pages["/"] = page("Start.", *(f"/{number}.html" for number in range(9)))
    for number in range(9):
        site.pages[f"/{number}.html"] = page(text(number))
    base = make(max_pages=20)
    base.run()
    assert len(base.uris()) == 10
    base.source(max_pages=4)
    summary = base.run()
    assert [(item["uri"], item["reason"]) for item in summary["failures"]] == [("docs/*", "source_limit")]
    assert len(base.uris()) == 10


def test_a_page_that_differs_in_each_answer_is_published_as_listed(site: Site, make: Make) -> None:
    site.pages["/"] = page("The form to order a badge.")
    site.pages["/"].varies, site.pages["/"].tag = True, ""
    base = make()
    summary = base.run()
    assert (summary["status"], summary["failures"]) == ("published", [])
    assert base.search("badge", mode="lexical")
    assert not list((base.folder / ".kprep" / "restricted" / "sources").rglob("bodies"))


def test_without_an_etag_the_time_of_change_is_asked_with(site: Site, make: Make) -> None:
    site.pages["/"] = page("The oven is cleaned on Fridays.")
    site.pages["/"].tag, site.pages["/"].modified = "", "Mon, 02 Mar 2026 12:00:00 GMT"
    base = make()
    base.run()
    assert base.search("oven", mode="lexical")[0]["metadata"]["updated_at"] == "2026-03-02T12:00:00+00:00"
    site.forget()
    base.run()
    assert site.statuses[304] == 1
    site.pages["/"].tag = '"é"'  # no client may send such a one back
    site.pages["/"].modified = ""
    assert (base.run()["failures"], base.run()["status"]) == ([], "unchanged")


def test_a_page_that_now_leads_to_a_login_stays_and_a_forbidden_one_too(site: Site, make: Make) -> None:
    site.pages["/"] = page("Start.", "/a.html", "/b.html", "/never.html")
    site.pages["/a.html"] = page("Salaries are paid on the last day.")
    site.pages["/b.html"] = page("Bonuses are paid in spring.", "/c.html")
    site.pages["/c.html"] = page("Pensions are paid monthly.")
    site.answers["/never.html"] = (403, {})
    base = make()
    base.run()
    before = base.uris()
    assert before == ["a.html", "b.html", "c.html", "index.html"]
    site.answers["/a.html"] = (302, {"Location": "http://127.0.0.1:1/login"})
    site.answers["/b.html"] = (403, {})
    site.pages["/c.html"] = page("Pensions are paid quarterly.")
    summary = base.run()
    assert base.uris() == before
    assert {(item["uri"], item["reason"]) for item in summary["failures"]} == {
        (f"docs/{name}.html", "source_unreadable") for name in ("a", "b", "never")
    }
    assert base.search("pensions", mode="lexical")[0]["text"].startswith("Pensions are paid quarterly.")


def test_the_encoding_that_only_the_server_names_is_taken(site: Site, make: Make) -> None:
    body = "<html><body><h1>Grüße</h1><p>Die Öfen sind heiß.</p></body></html>".encode("iso-8859-1")
    site.pages["/"] = Served(body, "text/html; charset=ISO-8859-1")
    base = make()
    base.run()
    assert base.search("Öfen", mode="lexical")[0]["text"] == "Die Öfen sind heiß."


def test_a_token_comes_from_the_environment_and_is_kept_nowhere(
    site: Site, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.pages["/"] = page("The wiki of the works.")
    base = make(token_env="WIKI_TOKEN")
    monkeypatch.delenv("WIKI_TOKEN", raising=False)
    assert "WIKI_TOKEN is named in kprep.yaml, but not set" in base.run()["message"]
    monkeypatch.setenv("WIKI_TOKEN", "very-secret-word")
    base.run()
    assert {headers["authorization"] for headers in site.headers} == {"Bearer very-secret-word"}
    kept = [path for path in base.folder.rglob("*") if path.is_file() and b"very-secret-word" in path.read_bytes()]
    assert kept == []


def test_why_a_site_gives_no_page_is_said(site: Site, make: Make) -> None:
    base = make()
    site.answers["/robots.txt"] = (404, {})

    def said() -> str:
        summary = base.run()
        assert summary["status"] == "failed"
        return str(summary["message"])

    assert "is not there (HTTP status 404)" in said()
    site.answers["/"] = (301, {"Location": "https://elsewhere.example/"})
    assert "has moved to https://elsewhere.example/, out of the scope: name that in kprep.yaml" in said()
    site.answers["/"] = (302, {"Location": "/"})
    assert "redirects in a circle" in said()
    del site.answers["/robots.txt"]
    site.pages["/robots.txt"] = Served(b"User-agent: *\nDisallow: /\n", "text/plain")
    assert "robots.txt lets kprep read nothing" in said()


def test_a_page_that_now_leads_in_a_circle_stays(site: Site, make: Make) -> None:
    site.pages["/"] = page("Start.", "/oven.html")
    site.pages["/oven.html"] = page("The oven has a temperature of 900 degrees.")
    base = make()
    base.run()
    site.answers["/oven.html"] = (302, {"Location": "/login.html"})
    site.answers["/login.html"] = (302, {"Location": "/oven.html"})
    summary = base.run()
    assert summary["documents"]["retired"] == 0
    assert "oven.html" in base.uris()


@pytest.mark.parametrize("broken", [b"<html>no sitemap</html>", b"<urlset><url>", b"\x1f\x8b damaged"])
def test_a_sitemap_that_cannot_be_read_deletes_nothing(site: Site, make: Make, broken: bytes) -> None:
    site.pages["/"] = page("Start.")
    site.pages["/lonely.html"] = page("Only the sitemap leads here.")
    site.pages["/sitemap.xml"] = sitemap(site, "/lonely.html")
    base = make()
    base.run()
    site.pages["/sitemap.xml"] = Served(broken, "application/xml")
    summary = base.run()
    assert [item["uri"] for item in summary["failures"]] == ["docs/sitemap.xml"]
    assert base.uris() == ["index.html", "lonely.html"]
    del site.pages["/lonely.html"]  # the page itself says that it is gone
    base.run()
    assert base.uris() == ["index.html"]


@pytest.mark.req("D2.24")
def test_links_between_pages_become_relations_also_where_they_are_whole_addresses(site: Site, make: Make) -> None:
    links = ("guide/", "/guide/press.html#oil", f"{site.url}/guide/press.html", "https://example.com/far", "/nowhere")
    site.pages["/"] = page("The start of all.", *links)
    site.pages["/guide/"] = page("The guide to machines.")
    site.pages["/guide/press.html"] = page("The press is oiled daily.")
    base = make()
    base.run()
    with base.connection() as connection:
        rows = base.reader(connection, ("staff",)).relations("docs/index.html", incoming=False)
    assert {row["written"].split()[2]: (row["target_uri"], row["state"]) for row in rows} == {
        "guide/": ("docs/guide/index.html", "ok"),
        "/guide/press.html#oil": ("docs/guide/press.html", "ok"),
        f"{site.url}/guide/press.html": ("docs/guide/press.html", "ok"),
        "https://example.com/far": ("https://example.com/far", "external"),
        "/nowhere": ("docs/nowhere", "target_missing"),
    }


@pytest.mark.req("D2.25")
def test_an_address_with_personal_data_is_refused_without_being_stored(site: Site, make: Make) -> None:
    site.pages["/a.html?contact=jane.roe@weberei-roth.de"] = page("Who to ask about the oven.")
    site.pages["/"] = page("Start.", "/a.html?contact=jane.roe@weberei-roth.de")
    base = make()
    summary = base.run()
    assert [item["reason"] for item in summary["failures"]] == ["personal_name"]
    assert "jane.roe" not in str(summary)
    assert base.uris() == ["index.html"]
