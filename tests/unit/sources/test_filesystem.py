"""Listing a folder: complete or not, and never silently short."""

from __future__ import annotations

import os
import time
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest

from kprep.core.errors import SourceError, SourceUnavailable
from sources import SOURCES, Listing, SourceRequest, sidecar
from sources.filesystem import FilesystemOptions
from tests.fakes.yaml_bombs import BOMBS

FILESYSTEM = SOURCES["filesystem"]


def request(root: Path, include: tuple[str, ...] = ("**/*",), exclude: tuple[str, ...] = ()) -> SourceRequest:
    return SourceRequest("docs", FilesystemOptions(path=root), include, exclude, root, root)


def listing(root: Path, include: tuple[str, ...] = ("**/*",), exclude: tuple[str, ...] = ()) -> Listing:
    return FILESYSTEM.list_entries(request(root, include, exclude))


def write(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)


def uris(found: Listing) -> list[str]:
    return [entry.uri for entry in found.entries]


def test_files_in_order_with_their_uris(tmp_path: Path) -> None:
    write(tmp_path, "b.md", "a/c.md", "a/d.pdf", ".hidden/x.md", "a/.y.md", "Thumbs.db", "__MACOSX/z.md")
    found = listing(tmp_path)
    assert uris(found) == ["docs/a/c.md", "docs/a/d.pdf", "docs/b.md"]
    assert (found.complete, found.problems) == (True, ())
    assert FILESYSTEM.fetch(request(tmp_path), found.entries[0]) == b"a/c.md"


@pytest.mark.parametrize(
    ("include", "exclude", "expected"),
    [
        (("**/*.md",), (), ["docs/a/c.md", "docs/a/old/e.md", "docs/b.md"]),
        (("*.md",), (), ["docs/a/c.md", "docs/a/old/e.md", "docs/b.md"]),
        (("/*.md",), (), ["docs/b.md"]),
        (("**/*",), ("old/",), ["docs/a/c.md", "docs/a/d.pdf", "docs/b.md"]),
        (("a/",), ("*.pdf",), ["docs/a/c.md", "docs/a/old/e.md"]),
    ],
)
def test_patterns_are_those_of_gitignore(
    tmp_path: Path, include: tuple[str, ...], exclude: tuple[str, ...], expected: list[str]
) -> None:
    write(tmp_path, "b.md", "a/c.md", "a/d.pdf", "a/old/e.md")
    found = listing(tmp_path, include, exclude)
    assert uris(found) == expected
    assert sum(found.passed_over.values()) == 4 - len(expected)


def test_what_is_passed_over_is_counted_also_where_nothing_changed(tmp_path: Path) -> None:
    write(tmp_path, "b.md", "a/c.md", "a/d.pdf", "a/old/e.md", ".git/x.md", "a/~$y.md", "Thumbs.db")
    asked = request(tmp_path, ("*.md",), ("old/",))
    found = FILESYSTEM.list_entries(asked)
    assert found.passed_over == {"hidden": 3, "not_included": 1, "excluded": 1}
    again = FILESYSTEM.list_entries(replace(asked, known=found.folders))
    assert (again.entries, again.passed_over) == ((), found.passed_over)


@pytest.mark.req("D10.2")
def test_token_changes_with_time_size_and_file(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    path = tmp_path / "a.md"

    def token() -> str:
        return listing(tmp_path).entries[0].version_token

    first = token()
    assert token() == first
    os.utime(path, ns=(0, 1))
    second = token()
    path.write_text("longer than before")
    os.utime(path, ns=(0, 1))
    third = token()
    (tmp_path / "b").write_text("longer than before")
    os.utime(tmp_path / "b", ns=(0, 1))
    (tmp_path / "b").replace(path)
    assert len({first, second, third, token()}) == 4


@pytest.mark.parametrize("missing", ["nowhere", "file.txt"])
def test_missing_folder_is_an_error(tmp_path: Path, missing: str) -> None:
    write(tmp_path, "file.txt")
    with pytest.raises(SourceError, match=r"does not exist|is a file"):
        listing(tmp_path / missing)


def test_folder_that_cannot_be_entered_makes_the_listing_incomplete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "a.md", "closed/b.md")
    real = os.scandir

    def refuse(path: str | Path) -> object:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = listing(tmp_path)
    assert (found.complete, uris(found)) == (False, ["docs/a.md"])
    assert [(problem.uri, problem.reason) for problem in found.problems] == [("docs/closed", "source_unreadable")]


def test_links_are_followed_only_inside(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, "a.md", "folder/b.md")
    write(tmp_path, "outside.md")
    (root / "inside.md").symlink_to(root / "a.md")
    (root / "outside.md").symlink_to(tmp_path / "outside.md")
    (root / "again").symlink_to(root / "folder")
    (root / "loop").symlink_to(root)
    (root / "dangling.md").symlink_to(root / "nothing")
    found = listing(root)
    assert uris(found) == ["docs/a.md", "docs/folder/b.md", "docs/inside.md"]
    assert [problem.uri for problem in found.problems] == ["docs/dangling.md", "docs/outside.md"]


def test_names_are_normalised_and_odd_ones_reported(tmp_path: Path) -> None:
    composed, decomposed = unicodedata.normalize("NFC", "caf\u00e9.md"), unicodedata.normalize("NFD", "caf\u00e9.md")
    write(tmp_path, composed, decomposed)
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad-\xff.md"))).write_text("x")
    found = listing(tmp_path)
    assert uris(found) == [f"docs/{composed}"]
    assert sorted(problem.reason for problem in found.problems) == ["source_unreadable"] * 2
    assert all(problem.uri.encode() for problem in found.problems)


def test_file_that_vanished_may_be_tried_again(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    entry = listing(tmp_path).entries[0]
    (tmp_path / "a.md").unlink()
    with pytest.raises(SourceUnavailable, match="vanished"):
        FILESYSTEM.fetch(request(tmp_path), entry)


def test_special_files_are_not_read(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    os.mkfifo(tmp_path / "pipe.md")
    found = listing(tmp_path)
    assert uris(found) == ["docs/a.md"]
    assert [problem.uri for problem in found.problems] == ["docs/pipe.md"]


@pytest.mark.parametrize("text", [*("\n".join(lines) for lines in BOMBS.values()), "acl: [board]\nacl: [public]\n"])
def test_a_sidecar_that_repeats_itself_lets_nobody_in(text: str) -> None:
    started = time.process_time()
    found = sidecar.understand(text.encode(), "a.md.acl.yaml")
    assert (found.acl, found.problem) == ((), "a.md.acl.yaml is not valid YAML: nobody may see what it is for")
    assert time.process_time() - started < 5
