"""What single kinds of sources do beyond the conformance suite, on real servers, repositories and files."""

from __future__ import annotations

import io
import subprocess
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kprep.core.errors import SourceError, SourceUnavailable
from sources import SOURCES, Listing, SourceRequest
from tests.conftest import MakeBase
from tests.fakes.s3_server import credentials, running_server
from tests.fakes.site import Served, Site
from tests.fakes.worlds import GitWorld, S3World

pytestmark = pytest.mark.xdist_group("s3")
SETTINGS = {
    "embedding": {"provider": "none"},
    "quality": {"thresholds": {"short_share": 1.0, "failed_share": 1.0, "duplicate_share": 1.0}},
}


def request(kind: str, folder: Path, **keys: Any) -> SourceRequest:
    options = SOURCES[kind].options.model_validate(keys)
    return SourceRequest("docs", options, ("**/*",), (), folder, folder / "cache")


def listed(asked: SourceRequest, kind: str) -> Listing:
    return SOURCES[kind].list_entries(asked)


def uris(asked: SourceRequest, kind: str) -> list[str]:
    return [entry.uri.removeprefix("docs/") for entry in listed(asked, kind).entries]


@pytest.mark.req("D10.1")
def test_sources_that_cannot_be_listed_keep_their_documents_and_stop_no_other(
    make_base: MakeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    credentials(monkeypatch, "tester", "any word")
    base = make_base({"a.md": "# Tax\n\nTaxes are paid in May."})
    folder = base.folder / "more"
    folder.mkdir()
    (folder / "b.md").write_text("# Lift\n\nThe lift opens at eight.")
    with zipfile.ZipFile(base.folder / "c.zip", "w") as archive:
        archive.writestr("c.md", "# Gate\n\nThe gate opens at nine.")
    kinds = [{"kind": "filesystem", "path": "docs"}, {"kind": "filesystem", "path": "more"}]
    kinds += [{"kind": "archive", "path": "c.zip"}, {"kind": "git", "url": "../gone"}]
    kinds += [{"kind": "s3", "bucket": "gone", "endpoint": "http://127.0.0.1:9"}]
    kinds += [{"kind": "web", "url": "http://127.0.0.1:9/", "token_env": "NOT_SET_AT_ALL"}]
    names = ("docs", "more", "packed", "repository", "bucket", "site")
    sources = [{"name": name, "acl": ["staff"], **keys} for name, keys in zip(names, kinds, strict=True)]
    base.configure(sources=sources[:3], **SETTINGS)
    base.run()

    base.configure(sources=sources)
    folder.rename(base.folder / "elsewhere")
    (base.folder / "c.zip").write_bytes((base.folder / "c.zip").read_bytes()[:60])
    base.write("a.md", "# Tax\n\nTaxes are paid in June.")
    summary = base.run()
    assert (summary["status"], summary["documents"]["retired"], summary["documents"]["changed"]) == ("published", 0, 1)
    assert [item["uri"] for item in summary["failures"]] == sorted(names[1:])
    assert all(f"source {item['uri']}" in item["detail"] for item in summary["failures"])
    assert all(item["detail"] in summary["message"] for item in summary["failures"])
    assert base.uris() == ["a.md", "more/b.md", "packed/c.md"]
    assert base.search("taxes", mode="lexical")[0]["text"] == "Taxes are paid in June."


def test_what_an_operating_system_refuses_is_a_failure_of_its_source(
    make_base: MakeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = make_base({"a.md": "# Tax\n\nTaxes are paid in May."}, **SETTINGS)
    base.run()

    def refuse(_: Path) -> bool:
        raise PermissionError(13, "Permission denied", "/docs")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "is_dir", refuse)
        summary = base.run()
    assert (summary["status"], summary["message"]) == (
        "failed",
        "source docs: /docs cannot be read (Permission denied)",
    )
    assert base.uris() == ["a.md"]


# S3


@pytest.fixture(scope="module")
def s3_endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_server(tmp_path_factory.mktemp("weed"), S3World.bucket) as endpoint:
        yield endpoint


@pytest.fixture
def bucket(s3_endpoint: str, tmp_path: Path) -> Iterator[S3World]:
    folder = tmp_path / "world"
    folder.mkdir()
    world = S3World(folder, s3_endpoint)
    yield world
    world.close()


def s3(world: S3World, tmp_path: Path, **keys: Any) -> SourceRequest:
    return request("s3", tmp_path, **{**world.keys(), **keys})


@pytest.mark.req("D10.1")
def test_s3_all_pages_of_a_listing_are_read_and_a_failure_between_them_is_none(bucket: S3World, tmp_path: Path) -> None:
    for number in range(1010):
        bucket.client.put_object(Bucket=bucket.bucket, Key=f"{bucket.prefix}{number:04}.md", Body=b"# A")
    asked = s3(bucket, tmp_path, endpoint=bucket.proxy.url)
    assert uris(asked, "s3") == [f"{number:04}.md" for number in range(1010)]
    bucket.proxy.healthy = 1  # the first page of 1,000 comes, the second does not
    with pytest.raises(SourceUnavailable, match="does not answer"):
        listed(asked, "s3")


def test_s3_an_object_replaced_during_the_run_is_not_taken_for_the_listed_one(bucket: S3World, tmp_path: Path) -> None:
    bucket.write("a", "The first text.")
    asked = s3(bucket, tmp_path)
    entry = listed(asked, "s3").entries[0]
    bucket.write("a", "The second text.")
    with pytest.raises(SourceUnavailable, match="changed or vanished while the run read it"):
        SOURCES["s3"].fetch(asked, entry)


def test_s3_with_versions_the_listed_version_is_read(bucket: S3World, tmp_path: Path) -> None:
    bucket.client.create_bucket(Bucket="versioned")
    bucket.client.put_bucket_versioning(Bucket="versioned", VersioningConfiguration={"Status": "Enabled"})
    bucket.client.put_object(Bucket="versioned", Key="a.md", Body=b"one")
    bucket.client.put_object(Bucket="versioned", Key="b.md", Body=b"two")
    bucket.client.delete_object(Bucket="versioned", Key="b.md")
    asked = s3(bucket, tmp_path, bucket="versioned", prefix="", versions=True)
    entries = listed(asked, "s3").entries
    assert [entry.uri for entry in entries] == ["docs/a.md"]
    bucket.client.put_object(Bucket="versioned", Key="a.md", Body=b"three")
    assert SOURCES["s3"].fetch(asked, entries[0]) == b"one"


def test_s3_what_a_person_must_mend_is_said(bucket: S3World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SourceError, match="NoSuchBucket"):
        listed(s3(bucket, tmp_path, bucket="not-there-at-all"), "s3")
    with pytest.raises(SourceUnavailable, match="out of reach"):
        listed(s3(bucket, tmp_path, endpoint="http://127.0.0.1:9"), "s3")
    credentials(monkeypatch, "tester", "another word")
    with pytest.raises(SourceError, match="check credentials"):
        listed(s3(bucket, tmp_path), "s3")
    credentials(monkeypatch, None, None)
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(SourceError, match="no credentials: set AWS_ACCESS_KEY_ID"):
        listed(s3(bucket, tmp_path), "s3")


# git


@pytest.fixture
def repository(tmp_path: Path) -> GitWorld:
    folder = tmp_path / "world"
    folder.mkdir()
    world = GitWorld(folder)
    world.write("guide/a", "The guide to the press.")
    world.git("tag", "v1")
    world.write("guide/b", "The second page of the guide.")
    world.git("push", "--quiet", "--tags", str(world.bare))
    return world


def test_git_any_ref_and_any_folder(repository: GitWorld, tmp_path: Path) -> None:
    def at(**keys: str) -> list[str]:
        return uris(request("git", tmp_path, url="world/service.git", **keys), "git")

    first = repository.git("rev-parse", "v1").strip()
    assert at(ref="main") == at() == ["guide/a.md", "guide/b.md"]
    assert at(ref="v1") == at(ref=first) == at(ref=first[:12]) == at(ref="refs/tags/v1") == ["guide/a.md"]
    assert at(path="guide") == ["a.md", "b.md"]
    assert uris(request("git", tmp_path, url="world/tree", ref="HEAD"), "git") == ["guide/a.md", "guide/b.md"]


def test_git_a_repository_elsewhere_is_fetched_and_follows(repository: GitWorld, tmp_path: Path) -> None:
    asked = request("git", tmp_path, url=f"file://{repository.bare}", ref="main")
    first = listed(asked, "git")
    assert [entry.uri for entry in first.entries] == ["docs/guide/a.md", "docs/guide/b.md"]
    repository.rename("guide/b", "guide/c")
    repository.write("guide/a", "The guide, rewritten.")
    second = {entry.uri: entry for entry in listed(asked, "git").entries}
    assert second["docs/guide/c.md"].version_token == first.entries[1].version_token
    assert SOURCES["git"].fetch(asked, second["docs/guide/a.md"]).endswith(b"The guide, rewritten.\n")
    assert second["docs/guide/a.md"].modified_at == repository.clock
    # History written anew.
    repository.git("reset", "--quiet", "--hard", "v1")
    repository.git("push", "--quiet", "--force", str(repository.bare), "HEAD:main")
    assert uris(asked, "git") == ["guide/a.md"]


def test_git_a_renamed_folder_reads_no_blob(repository: GitWorld, make_base: MakeBase) -> None:
    source = {"name": "docs", "kind": "git", "url": str(repository.bare), "ref": "main", "acl": ["staff"]}
    base = make_base({}, sources=[source], **SETTINGS)
    base.run()
    for name in ("a", "b"):
        repository.rename(f"guide/{name}", f"manual/{name}")
    summary = base.run()
    assert (summary["documents"]["renamed"], summary["work"]["parsed"]) == (2, 0)
    assert base.uris() == ["manual/a.md", "manual/b.md"]


def test_git_links_submodules_and_large_files_are_named(repository: GitWorld, make_base: MakeBase) -> None:
    (repository.tree / "link.md").symlink_to("guide/a.md")
    (repository.tree / "big.bin").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
    commit = repository.git("rev-parse", "HEAD").strip()
    repository.git("add", "--all")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{commit},part")
    repository.git("commit", "--quiet", "-m", "more")
    repository.git("push", "--quiet", str(repository.bare), "HEAD:main")
    source = {"name": "docs", "kind": "git", "url": str(repository.bare), "ref": "main", "acl": ["staff"]}
    base = make_base({}, sources=[source], **SETTINGS)
    failures = {item["uri"]: item["detail"] for item in base.run()["failures"]}
    assert set(failures) == {"docs/big.bin", "docs/link.md", "docs/part"}
    assert "Git LFS" in failures["docs/big.bin"]
    assert "submodule" in failures["docs/part"]


def test_git_what_a_person_must_mend_is_said(
    repository: GitWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = [
        ({"url": "world/nowhere"}, "does not exist"),
        ({"url": "world"}, "not a git repository"),
        ({"url": "world/service.git", "ref": "never"}, "never"),
        ({"url": f"file://{tmp_path}/nowhere"}, "does not exist|not appear"),
        ({"url": f"file://{repository.bare}", "ref": "never"}, "couldn't find remote ref"),
        ({"url": "world/service.git", "token_env": "NO_SUCH_TOKEN"}, "NO_SUCH_TOKEN is named in kprep.yaml"),
    ]
    for keys, said in cases:
        with pytest.raises(SourceError, match=said) as caught:
            listed(request("git", tmp_path, **keys), "git")
        assert not caught.value.retryable
    with pytest.raises(SourceUnavailable):
        listed(request("git", tmp_path, url="http://127.0.0.1:9/x.git"), "git")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SourceError, match="`git` is not installed"):
        listed(request("git", tmp_path, url="world/service.git"), "git")


def test_git_the_token_stands_in_no_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []
    real = subprocess.run

    def run(command: list[str], **keys: Any) -> subprocess.CompletedProcess[bytes]:
        seen.append(command)
        return real(command, **keys)

    monkeypatch.setenv("TOKEN", "very-secret-word")
    with Site().serve() as site:
        monkeypatch.setattr(subprocess, "run", run)
        with pytest.raises(SourceError):
            listed(request("git", tmp_path, url=f"{site.url}/x.git", token_env="TOKEN"), "git")
        sent = {headers.get("authorization", "") for headers in site.headers}
    assert len(sent) == 1
    assert sent.pop().startswith("Basic ")
    assert seen
    assert "very-secret-word" not in str(seen)


# feed

RSS = """<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
 xmlns:fh="http://purl.org/syndication/history/1.0"><channel><title>News</title><link>https://acme.example/</link>{complete}
<item><title>Oven &amp; press</title><guid>https://acme.example/news/oven</guid>
<link>https://acme.example/news/oven</link>
<pubDate>Mon, 02 Mar 2026 12:00:00 GMT</pubDate><category>machines</category>
<content:encoded>&lt;p&gt;The oven is &lt;b&gt;hot&lt;/b&gt;.&lt;/p&gt;</content:encoded></item>
{more}</channel></rss>"""
SECOND = "<item><title>Second</title><guid>n2</guid><description>A second note.</description></item>"


@pytest.mark.req("D2.21", "D2.24", "D2.25")
def test_feed_rss_entries_are_documents_and_stay_when_the_feed_moves_on(make_base: MakeBase) -> None:
    with Site().serve() as site:
        site.pages["/rss"] = Served(RSS.format(complete="", more=SECOND).encode(), "application/rss+xml")
        source = {"name": "docs", "kind": "feed", "url": f"{site.url}/rss", "acl": ["staff"]}
        base = make_base({}, sources=[source], **SETTINGS)
        summary = base.run()
        assert (summary["message"], summary["failures"], summary["documents"]["added"]) == ("", [], 2)
        hit = base.search("oven", mode="lexical")[0]
        assert (hit["title"], hit["text"]) == ("Oven & press", "The oven is hot.")
        said = {name: hit["metadata"][name] for name in ("url", "labels", "updated_at")}
        assert said == {
            "url": "https://acme.example/news/oven",
            "labels": ["machines"],
            "updated_at": "2026-03-02T12:00:00+00:00",
        }
        site.forget()
        assert base.run()["status"] == "unchanged"
        assert site.asked == [("/rss", 304)]
        site.pages["/rss"] = Served(RSS.format(complete="", more="").encode(), "application/rss+xml")
        base.run()
        assert len(base.uris()) == 2
        site.pages["/rss"] = Served(RSS.format(complete="<fh:complete/>", more="").encode(), "application/rss+xml")
        assert base.run()["documents"]["retired"] == 1
        assert len(base.uris()) == 1


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Served(b"<html>no feed</html>"), "is no RSS or Atom feed"),
        (Served(b""), "is no RSS or Atom feed"),
        (None, "HTTP status 404"),
    ],
)
def test_feed_what_is_none_is_said(tmp_path: Path, answer: Served | None, said: str) -> None:
    with Site().serve() as site:
        if answer is not None:
            site.pages["/rss"] = answer
        with pytest.raises(SourceError, match=said):
            listed(request("feed", tmp_path, url=f"{site.url}/rss"), "feed")


@pytest.mark.req("D2.21")
def test_feed_no_entry_is_lost_for_want_of_an_id_and_the_latest_of_one_id_counts(tmp_path: Path) -> None:
    day = "<pubDate>Mon, 0{} Mar 2026 12:00:00 GMT</pubDate>"
    nameless = [f"<item><title>Update</title>{day.format(number)}<description>Part {number}.</description></item>"
                for number in (2, 3)]  # fmt: skip
    nameless += ["<item><description>Neither title nor time.</description></item>", "<item></item>"]
    same = [f"<item><guid>one</guid>{day.format(number)}<description>State {number}.</description></item>"
            for number in (4, 5, 3)]  # fmt: skip
    with Site().serve() as site:
        text = RSS.format(complete="", more="".join([*nameless, *same]))
        site.pages["/rss"] = Served(text.encode(), "application/rss+xml")
        asked = request("feed", tmp_path, url=f"{site.url}/rss", complete=True)
        listing = listed(asked, "feed")
        texts = b" ".join(SOURCES["feed"].fetch(asked, entry) for entry in listing.entries).decode()
        assert (len(listing.entries), listing.complete) == (6, True)
        assert all(words in texts for words in ("Part 2.", "Part 3.", "Neither title nor time.", "State 5."))
        assert "State 4." not in texts
        site.pages["/rss"] = Served(text[:-60].encode(), "application/rss+xml")
        with pytest.raises(SourceUnavailable, match="ends in its middle"):
            listed(asked, "feed")
        site.pages["/rss"] = Served(text.replace("Part 2.", "Part 2 & 3.").encode(), "application/rss+xml")
        listing = listed(asked, "feed")
        assert (len(listing.entries), listing.complete) == (6, False)
        assert "nothing is deleted" in listing.problems[0].detail


# archive


def test_archive_hostile_ones_are_bounded_and_named(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros.txt", b"0" * (30 << 20))
    with pytest.raises(SourceError, match="as a bomb does"):
        listed(request("archive", tmp_path, path="bomb.zip"), "archive")
    with tarfile.open(tmp_path / "links.tar", "w") as packed:
        for name, kind in (
            ("../out.md", tarfile.REGTYPE),
            ("device.md", tarfile.CHRTYPE),
            ("link.md", tarfile.SYMTYPE),
        ):
            item = tarfile.TarInfo(name)
            item.type, item.linkname = kind, "/etc/passwd"
            packed.addfile(item, io.BytesIO())
        item = tarfile.TarInfo("good.md")
        item.size = 4
        packed.addfile(item, io.BytesIO(b"good"))
    asked = request("archive", tmp_path, path="links.tar")
    listing = listed(asked, "archive")
    assert [entry.uri for entry in listing.entries] == ["docs/good.md"]
    assert SOURCES["archive"].fetch(asked, listing.entries[0]) == b"good"
    assert {problem.uri: problem.detail for problem in listing.problems} == {
        "docs/../out.md": "its path leads out of the archive",
        "docs/device.md": "is no file: a link or a device",
        "docs/link.md": "is no file: a link or a device",
    }


def test_archive_a_size_that_lies_is_noticed(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.md", b"x" * 5000)
    content = (tmp_path / "a.zip").read_bytes()
    (tmp_path / "a.zip").write_bytes(content.replace((5000).to_bytes(4, "little"), (10).to_bytes(4, "little")))
    asked = request("archive", tmp_path, path="a.zip")
    with pytest.raises(SourceError, match="damaged"):
        SOURCES["archive"].fetch(asked, listed(asked, "archive").entries[0])


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz"])
def test_archive_every_packing_of_tar(tmp_path: Path, suffix: str) -> None:
    mode: Any = f"w:{suffix.lstrip('.')}"
    with tarfile.open(tmp_path / f"a.tar{suffix}", mode) as packed:
        item = tarfile.TarInfo("./folder/a.md")
        item.size, item.mtime = 4, 10**17  # a time that is none
        packed.addfile(item, io.BytesIO(b"text"))
    asked = request("archive", tmp_path, path=f"a.tar{suffix}")
    entries = listed(asked, "archive").entries
    assert entries[0].modified_at is None
    assert [entry.uri for entry in entries] == ["docs/folder/a.md"]
    assert SOURCES["archive"].fetch(asked, entries[0]) == b"text"


def test_archive_a_permission_that_cannot_be_read_lets_nobody_in(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for name, text in (("a.md", "a"), ("b/c.md", "c"), ("b/.acl.yaml", "acl: [board]"), ("a.md.acl.yaml", "{")):
            archive.writestr(name, text)
    found = {entry.uri: entry for entry in listed(request("archive", tmp_path, path="a.zip"), "archive").entries}
    assert (found["docs/a.md"].acl, found["docs/b/c.md"].acl) == ((), ("board",))
    assert "nobody may see" in found["docs/a.md"].acl_problem


# beside the text


def test_titles_and_labels_are_redacted_before_they_are_stored(make_base: MakeBase, tmp_path: Path) -> None:
    page = (
        "<page><title>Oven</title><ns>0</ns><revision><text>Ask for the key. [[Category:jane.roe@weberei-roth.de]]"
        "</text></revision></page>"
    )
    (tmp_path / "wiki.xml").write_text(
        f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/">{page}</mediawiki>'
    )
    source = {"name": "docs", "kind": "mediawiki", "path": str(tmp_path / "wiki.xml"), "acl": ["staff"]}
    base = make_base({}, sources=[source], **SETTINGS)
    base.run()
    hit = base.search("key", mode="lexical")[0]
    assert hit["metadata"]["source_title"] == "Oven"
    assert hit["metadata"]["labels"] == ["<EMAIL>"]


def test_git_what_is_fetched_from_elsewhere_is_readable_by_nobody_else(repository: GitWorld, tmp_path: Path) -> None:
    cache = tmp_path / "data" / "restricted" / "sources" / "kb" / "docs"
    listed(replace(request("git", tmp_path, url=repository.bare.as_uri(), ref="main"), cache=cache), "git")
    assert (cache / "repository.git" / "HEAD").exists()
    assert [place.stat().st_mode & 0o077 for place in (cache, *list(cache.parents)[:3])] == [0, 0, 0, 0]
