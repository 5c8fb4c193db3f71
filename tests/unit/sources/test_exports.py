"""Exports of Confluence, Notion and MediaWiki: hierarchy, labels, restrictions, links, what is left out."""

from __future__ import annotations

import bz2
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from kprep.core.errors import SourceError
from sources import SOURCES, Entry, Listing, SourceRequest
from sources.cache import drop_bodies


def request(kind: str, folder: Path, file: str, **keys: object) -> SourceRequest:
    options = SOURCES[kind].options.model_validate({"path": file, **keys})
    return SourceRequest("wiki", options, ("**/*",), (), folder, folder / "cache")


def pack(path: Path, files: Mapping[str, str | bytes]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)


def by_uri(listing: Listing) -> dict[str, Entry]:
    return {entry.uri: entry for entry in listing.entries}


def thing(kind: str, key: int, **properties: str) -> str:
    inner = "".join(f'<property name="{name}">{value}</property>' for name, value in properties.items())
    return f'<object class="{kind}"><id name="id">{key}</id>{inner}</object>'


def ref(key: int) -> str:
    return f'<id name="id">{key}</id>'


def body(page: int, text: str) -> str:
    escaped = text.replace("]]>", "]] >")
    return thing("BodyContent", page + 5000, content=ref(page), body=f"<![CDATA[{escaped}]]>")


STORAGE = """<p>Press the key &mdash; then see <ac:link ac:anchor="top"><ri:page ri:content-title="Child"/>
<ac:plain-text-link-body><![CDATA[the child]]></ac:plain-text-link-body></ac:link>.</p>
<ac:structured-macro ac:name="code"><ac:parameter ac:name="language">python</ac:parameter>
<ac:plain-text-body><![CDATA[if a < b:
    print("x")]]></ac:plain-text-body></ac:structured-macro>
<ac:structured-macro ac:name="warning"><ac:rich-text-body><p>Hot surface.</p></ac:rich-text-body></ac:structured-macro>
<ac:structured-macro ac:name="toc"/><p>Read <ac:link><ri:attachment ri:filename="plan a.pdf"/></ac:link> first.</p>"""
SPACE = "".join(
    (
        "<hibernate-generic>",
        thing("Page", 1, title="Home", contentStatus="current", lastModificationDate="2026-02-03 10:00:00.000"),
        body(1, STORAGE),
        thing("Page", 2, title="Child", parent=ref(1), contentStatus="current"),
        body(2, "<p>Only the board reads this.</p>"),
        thing("Page", 3, title="Grandchild", parent=ref(2), contentStatus="current"),
        body(3, "<p>Below a restricted page.</p>"),
        thing("Page", 4, title="Home", originalVersion=ref(1), contentStatus="current"),
        thing("Page", 5, title="Draft", contentStatus="draft"),
        thing("Page", 6, title="Trash", contentStatus="deleted"),
        thing("Page", 7, title="Unclear", contentStatus="current"),
        thing("Label", 20, name="press"),
        thing("Labelling", 21, label=ref(20), content=ref(1)),
        thing("ContentPermissionSet", 30, type="View", owningContent=ref(2)),
        thing("ContentPermission", 31, type="View", owningSet=ref(30), groupName="board"),
        thing("ContentPermission", 32, type="View", owningSet=ref(30), userSubject=ref(40)),
        thing("ContentPermissionSet", 33, type="Edit", owningContent=ref(1)),
        thing("ContentPermission", 34, type="Edit", owningSet=ref(33), groupName="editors"),
        thing("ContentPermissionSet", 35, type="View", owningContent=ref(3)),
        thing("ContentPermission", 36, type="View", owningSet=ref(35), groupName="board"),
        thing("ContentPermission", 37, type="View", owningSet=ref(35), groupName="staff"),
        thing("ContentPermissionSet", 38, type="View", owningContent=ref(7)),
        thing("ConfluenceUserImpl", 40, name="ada"),
        thing("Attachment", 50, title="plan a.pdf", containerContent=ref(1), version="2", contentStatus="current"),
        thing("Attachment", 51, title="lost.pdf", containerContent=ref(2), version="1", contentStatus="current"),
        "</hibernate-generic>",
    )
)


@pytest.mark.req("D2.22", "D2.23", "D2.24", "D2.25")
@pytest.mark.parametrize("unpacked", [False, True])
def test_a_confluence_space_in_xml(tmp_path: Path, unpacked: bool) -> None:
    pack(tmp_path / "space.zip", {"entities.xml": SPACE, "attachments/1/50/2": b"%PDF-1.4 plan"})
    if unpacked:
        zipfile.ZipFile(tmp_path / "space.zip").extractall(tmp_path / "space")
    asked = request("confluence", tmp_path, "space" if unpacked else "space.zip")
    confluence = SOURCES["confluence"]
    listing = confluence.list_entries(asked)
    found = by_uri(listing)
    assert list(found) == ["wiki/1.html", "wiki/1/plan a.pdf", "wiki/2.html", "wiki/3.html", "wiki/7.html"]
    assert [(problem.uri, problem.reason) for problem in listing.problems] == [("wiki/2/lost.pdf", "source_unreadable")]
    home, child, grandchild, unclear = (found[f"wiki/{key}.html"] for key in (1, 2, 3, 7))
    assert (home.about.title, home.about.parent, home.about.labels) == ("Home", "", ("press",))
    assert home.modified_at is not None
    assert home.modified_at.isoformat() == "2026-02-03T10:00:00+00:00"
    assert (home.acl, child.acl, child.about.parent) == (None, ("ada", "board"), "wiki/1.html")
    assert grandchild.acl == ("board",)  # of its own restriction, those whom the one above lets in
    assert unclear.acl == ()
    assert "does not say who" in unclear.acl_problem
    assert confluence.fetch(asked, found["wiki/1/plan a.pdf"]) == b"%PDF-1.4 plan"
    page = confluence.fetch(asked, home).decode()
    assert "<h1>Home</h1>" in page
    assert "Press the key — then see" in page
    assert '<a href="2.html#top">the child</a>' in page
    assert '<pre><code class="language-python">if a &lt; b:\n    print("x")</code></pre>' in page
    assert "<div><p><strong>Warning</strong></p><p>Hot surface.</p></div>" in page
    assert '<a href="1/plan%20a.pdf">plan a.pdf</a>' in page
    assert "toc" not in page
    drop_bodies(asked)
    assert confluence.fetch(asked, home).decode() == page


def test_restrictions_that_exclude_each_other_let_nobody_in(tmp_path: Path) -> None:
    space = SPACE.replace(">board<", ">council<", 1)  # of page 2 only
    pack(tmp_path / "space.zip", {"entities.xml": space})
    found = by_uri(SOURCES["confluence"].list_entries(request("confluence", tmp_path, "space.zip")))
    assert found["wiki/3.html"].acl == ()
    assert "no principal in common" in found["wiki/3.html"].acl_problem


@pytest.mark.req("D2.23", "D2.25")
def test_a_confluence_space_in_html(tmp_path: Path) -> None:
    page = (
        "<html><head><title>Works : Oven</title></head><body><ol id='breadcrumbs'>"
        "<li><a href='index.html'>Works</a></li><li><a href='Machines_12.html'>Machines</a></li></ol>"
        "<div class='page-metadata'>Created by <span>A</span>, last modified by <span>B</span> on Mar 05, 2026</div>"
        "<div id='labels-section'><a>hot</a> <a>metal</a></div></body></html>"
    )
    files = {
        "W/index.html": "<ul></ul>",
        "W/Oven_13.html": page,
        "W/Machines_12.html": "<p>x</p>",
        "W/styles/site.css": "a{}",
    }
    pack(tmp_path / "space.zip", {**files, "W/attachments/13/7.pdf": b"%PDF-1.4"})
    found = by_uri(SOURCES["confluence"].list_entries(request("confluence", tmp_path, "space.zip")))
    assert list(found) == ["wiki/W/Machines_12.html", "wiki/W/Oven_13.html", "wiki/W/attachments/13/7.pdf"]
    oven = found["wiki/W/Oven_13.html"]
    assert (oven.about.title, oven.about.parent) == ("Oven", "wiki/W/Machines_12.html")
    assert oven.about.labels == ("hot", "metal")
    assert oven.modified_at is not None
    assert oven.modified_at.isoformat() == "2026-03-05T00:00:00+00:00"


@pytest.mark.parametrize("xml", ["<hibernate-generic><object class='Page'>", "", "no xml"])
def test_a_damaged_confluence_export_says_so(tmp_path: Path, xml: str) -> None:
    pack(tmp_path / "space.zip", {"entities.xml": xml})
    with pytest.raises(SourceError, match=r"entities\.xml is damaged"):
        SOURCES["confluence"].list_entries(request("confluence", tmp_path, "space.zip"))


A, B, C = "a" * 32, "b" * 32, "c" * 32


@pytest.mark.req("D2.22", "D2.23")
def test_a_notion_export_with_parts_and_databases(tmp_path: Path) -> None:
    pack(
        tmp_path / "Export-Part-1.zip",
        {
            f"Works {A}.md": "# Works\n\nSee [oven](Works%20x/Oven.md).",
            f"Works {A}/Oven {B}.md": "# Oven\n\nHot.",
            f"Works {A}/Orders {C}.csv": "a,b\n1,2\n",
            f"Works {A}/Orders {C}_all.csv": "a,b\n1,2\n3,4\n",
        },
    )
    pack(tmp_path / "export.zip", {"Export-Part-1.zip": (tmp_path / "Export-Part-1.zip").read_bytes()})
    asked = request("notion", tmp_path, "export.zip")
    found = by_uri(SOURCES["notion"].list_entries(asked))
    assert list(found) == [f"wiki/Works {A}.md", f"wiki/Works {A}/Orders {C}_all.csv", f"wiki/Works {A}/Oven {B}.md"]
    oven = found[f"wiki/Works {A}/Oven {B}.md"]
    assert (oven.about.title, oven.about.parent) == ("Oven", f"wiki/Works {A}.md")
    assert found[f"wiki/Works {A}/Orders {C}_all.csv"].about.title == "Orders"
    assert SOURCES["notion"].fetch(asked, oven) == b"# Oven\n\nHot."


WIKI = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/"><siteinfo>
<base>https://wiki.example.com/wiki/Main_Page</base></siteinfo>
<page><title>Steam engine</title><ns>0</ns>
<revision><timestamp>2026-01-02T00:00:00Z</timestamp><model>wikitext</model><text>new [[boiler]] and [[Kettle|one]].
[[Category:Machines]]</text></revision>
<revision><timestamp>2025-01-02T00:00:00Z</timestamp><model>wikitext</model><text>old</text></revision></page>
<page><title>Kettle</title><ns>0</ns><redirect title="Boiler"/><revision><text>#REDIRECT</text></revision></page>
<page><title>Boiler</title><ns>0</ns><revision><timestamp>2026-01-03T00:00:00Z</timestamp><text>Boils.</text></revision></page>
<page><title>Boiler/Parts</title><ns>0</ns><revision><text>Of the [[boiler]].</text></revision></page>
<page><title>Talk:Boiler</title><ns>1</ns><revision><text>Really?</text></revision></page>
<page><title>Data</title><ns>0</ns><revision><model>json</model><text>{}</text></revision></page>
</mediawiki>"""


@pytest.mark.req("D2.22", "D2.24", "D2.25")
def test_a_mediawiki_export(tmp_path: Path) -> None:
    (tmp_path / "wiki.xml.bz2").write_bytes(bz2.compress(WIKI.encode()))
    asked = request("mediawiki", tmp_path, "wiki.xml.bz2")
    listing = SOURCES["mediawiki"].list_entries(asked)
    found = by_uri(listing)
    assert list(found) == ["wiki/Boiler.html", "wiki/Boiler/Parts.html", "wiki/Steam_engine.html"]
    assert [(problem.uri, problem.detail) for problem in listing.problems] == [
        ("wiki/Data.html", "is no wikitext but json")
    ]
    engine = found["wiki/Steam_engine.html"]
    assert (engine.about.url, engine.about.labels) == ("https://wiki.example.com/wiki/Steam_engine", ("Machines",))
    assert engine.modified_at is not None
    assert engine.modified_at.isoformat() == "2026-01-02T00:00:00+00:00"
    page = SOURCES["mediawiki"].fetch(asked, engine).decode()
    assert '<p>new <a href="Boiler.html">boiler</a> and <a href="Boiler.html">one</a>.</p>' in page
    assert (
        '<a href="../Boiler.html">boiler</a>'
        in SOURCES["mediawiki"].fetch(asked, found["wiki/Boiler/Parts.html"]).decode()
    )
    talk = by_uri(SOURCES["mediawiki"].list_entries(request("mediawiki", tmp_path, "wiki.xml.bz2", namespaces=[1])))
    assert list(talk) == ["wiki/Talk:Boiler.html"]


@pytest.mark.parametrize("xml", ["<mediawiki><page>", "<html></html>", "", "text"])
def test_what_is_no_mediawiki_export_says_so(tmp_path: Path, xml: str) -> None:
    (tmp_path / "wiki.xml").write_text(xml)
    with pytest.raises(SourceError, match=r"wiki\.xml is (no export|damaged)"):
        SOURCES["mediawiki"].list_entries(request("mediawiki", tmp_path, "wiki.xml"))


@pytest.mark.parametrize(("kind", "file"), [("mediawiki", "wiki.xml"), ("confluence", "space.zip")])
def test_an_export_that_is_as_it_was_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, file: str
) -> None:
    (tmp_path / "wiki.xml").write_text(WIKI)
    pack(tmp_path / "space.zip", {"entities.xml": SPACE, "attachments/1/50/2": b"%PDF-1.4 plan"})
    asked = request(kind, tmp_path, file)
    first = SOURCES[kind].list_entries(asked)
    with monkeypatch.context() as patched:
        patched.setattr("lxml.etree.iterparse", lambda *_, **__: pytest.fail("read again"))
        assert SOURCES[kind].list_entries(asked) == first
    other = request(kind, tmp_path, file)
    narrowed = SourceRequest("wiki", other.options, ("nothing",), (), tmp_path, other.cache)
    assert SOURCES[kind].list_entries(narrowed).entries == ()
    page = next(entry for entry in first.entries if entry.uri.endswith(".html"))
    assert b"<h1>" in SOURCES[kind].fetch(asked, page)
