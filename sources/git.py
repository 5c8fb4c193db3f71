"""A git repository at a branch, tag or commit, by the `git` command.

A file's version is its blob, so a rename or a new commit reads nothing that was read before. A repository on this
machine is read where it stands, bare or not; of another one the history of the ref is fetched into the source's cache.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from pydantic import Field, field_validator

from kprep.core.errors import SourceError, SourceUnavailable
from sources.cache import load_state, private, save_state
from sources.spec import Entry, Listing, Options, SourceRequest, SourceSpec
from sources.tree import Leaf, listing_of

REMOTE = re.compile(r"(?:https?|ssh|git|file)://|[\w.-]+@[\w.-]+:")
LARGE_FILE = b"version https://git-lfs.github.com/spec/"
FETCHED = "refs/kprep/wanted"
TIMEOUT_S = 600
REFUSALS = ("not found", "does not exist", "couldn't find remote ref", "authentication", "permission denied",
            "could not read username", "does not appear to be a git repository", "access denied")  # fmt: skip


class GitOptions(Options):
    """A repository and what of it."""

    url: str = Field(min_length=1, description="folder of a repository, or its address (https, ssh, git, file)")
    ref: str = Field(default="HEAD", pattern=r"^[^-\s][^\s:]*$", description="branch, tag, full ref or commit")
    path: str = Field(default="", description="only this folder of the repository; it is no part of the URI")
    token_env: str | None = Field(default=None, description="environment variable with an access token (https)")

    @field_validator("url")
    @classmethod
    def _no_password(cls, value: str) -> str:
        if re.match(r"\w+://[^/@]*:[^/@]*@", value):
            raise ValueError("holds a password: put it into the environment and name the variable with `token_env`")
        if "://" in value and not REMOTE.match(value):
            raise ValueError("is no address git can fetch from: use https, ssh, git or file")
        return value


def list_entries(request: SourceRequest) -> Listing:
    """Files of the commit that the ref names now.

    Raises: SourceError (no git, no repository, no such ref, not allowed), SourceUnavailable (server out of reach).
    """
    repository, commit = _commit(request)
    folder = _options(request).path.strip("/")
    changed = _times(request, repository, commit)
    leaves = list(_leaves(request, repository, commit, folder, changed))
    return listing_of(request, leaves, lambda leaf: _blob(request, repository, leaf.location, leaf.path))


def fetch(request: SourceRequest, entry: Entry) -> bytes:
    """Bytes of a listed blob. Raises: SourceError, SourceUnavailable."""
    return _blob(request, _repository(request), entry.location, entry.uri)


def _leaves(
    request: SourceRequest, repository: Path, commit: str, folder: str, changed: dict[str, float]
) -> Iterator[Leaf]:
    tree = f"{commit}:{folder}" if folder else commit
    lines = _git(request, repository, "ls-tree", "-r", "-z", "-l", "--full-tree", tree)
    for line in lines.split(b"\0"):
        if not line:
            continue
        about, _, raw = line.partition(b"\t")
        mode, _, blob, size = about.decode("ascii").split()
        path = raw.decode("utf-8", "surrogateescape")
        problem = ""
        if mode == "160000":
            problem = "is a submodule: make it a source of its own"
        elif mode == "120000":
            problem = "is a link: name what it leads to"
        elif size == "BAD":
            problem = "its bytes are missing from the repository: run `git fsck` there"
        seconds = changed.get(f"{folder}/{path}" if folder else path)
        moment = datetime.fromtimestamp(seconds, tz=UTC) if seconds is not None else None
        yield Leaf(path, blob, blob, int(size) if size.isdigit() else 0, moment, problem)


def _blob(request: SourceRequest, repository: Path, blob: str, shown: str) -> bytes:
    content = _git(request, repository, "cat-file", "blob", blob)
    if content.startswith(LARGE_FILE) and len(content) < 1024:
        raise SourceError(f"{shown} is a pointer of Git LFS: the repository does not hold its bytes")
    return content


def _times(request: SourceRequest, repository: Path, commit: str) -> dict[str, float]:
    """Path -> seconds since 1970 of the last commit that changed it; only commits not seen before are looked at."""
    saved = load_state(request, "times")
    since, known = str(saved.get("commit", "")), dict(saved.get("times", {}))
    if since == commit:
        return known
    if since and not _is_ancestor(request, repository, since, commit):
        since, known = "", {}  # rebased, or another branch
    span = f"{since}..{commit}" if since else commit
    # -m --first-parent: a merge counts as one change of what it brought.
    arguments = ("log", "-z", "--format=%x01%ct", "--name-only", "--no-renames", "-m", "--first-parent", span, "--")
    seconds, found = 0.0, dict[str, float]()
    for item in _git(request, repository, *arguments).split(b"\0"):
        text = item.lstrip(b"\n")
        if text.startswith(b"\x01"):
            head, _, text = text[1:].partition(b"\n")
            seconds = float(head)
            text = text.lstrip(b"\n")
        if text:
            found.setdefault(text.decode("utf-8", "surrogateescape"), seconds)
    known |= found
    save_state(request, "times", {"commit": commit, "times": known})
    return known


def _is_ancestor(request: SourceRequest, repository: Path, old: str, new: str) -> bool:
    try:
        _git(request, repository, "merge-base", "--is-ancestor", old, new)
    except SourceError:
        return False
    return True


def _repository(request: SourceRequest) -> Path:
    """Where the objects are: the repository itself when it is a folder here, else the cache."""
    url = _options(request).url
    return request.cache / "repository.git" if REMOTE.match(url) else request.path(Path(url))


def _commit(request: SourceRequest) -> tuple[Path, str]:
    """The repository and the commit that the ref names, fetched when it stands elsewhere."""
    options, repository = _options(request), _repository(request)
    ref = options.ref
    if REMOTE.match(options.url):
        if not (repository / "HEAD").exists():
            private(repository.parent)
            _git(request, repository.parent, "init", "--quiet", "--bare", str(repository))
        arguments = ("fetch", "--quiet", "--no-tags", "--force", "--", options.url, f"+{ref}:{FETCHED}")
        _git(request, repository, *arguments)
        ref = FETCHED
    elif not repository.is_dir():
        raise SourceError(f"source {request.name}: {repository} does not exist, or is no folder")
    try:
        found = _git(request, repository, "rev-parse", "--verify", "--end-of-options", f"{ref}^{{commit}}")
    except SourceError as error:
        raise SourceError(f"{error.message} (looking for {options.ref!r} in {options.url})") from error
    return repository, found.decode("ascii").strip()


def _git(request: SourceRequest, folder: Path, *arguments: str) -> bytes:
    """What git prints. Raises: SourceError with what git says, SourceUnavailable when the server is out of reach."""
    program = shutil.which("git")
    if program is None:
        raise SourceError(f"source {request.name}: the command `git` is not installed: install it")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": "https:http:ssh:git:file",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_CEILING_DIRECTORIES": str(folder.parent),
        "LC_ALL": "C",
        **_authorised(request),
    }
    try:
        done = subprocess.run(
            [program, "-C", str(folder), *arguments],
            capture_output=True, check=False, timeout=TIMEOUT_S, env=environment, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise SourceUnavailable(f"source {request.name}: git did not answer in {TIMEOUT_S} s") from error
    except OSError as error:
        raise SourceError(f"source {request.name}: git cannot be run in {folder} ({error.strerror})") from error
    if done.returncode == 0:
        return done.stdout
    said = " ".join(done.stderr.decode("utf-8", "replace").split())[:300] or f"exit {done.returncode}"
    refused = arguments[0] != "fetch" or any(words in said.lower() for words in REFUSALS)
    raise (SourceError if refused else SourceUnavailable)(f"source {request.name}: git {arguments[0]}: {said}")


def _authorised(request: SourceRequest) -> dict[str, str]:
    """The access token as a header, in the environment of git, where no list of processes shows it."""
    from base64 import b64encode

    token = request.secret(_options(request).token_env)
    if token is None:
        return {}
    value = b64encode(f"x-access-token:{token}".encode()).decode()
    return {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "http.extraHeader",
        "GIT_CONFIG_VALUE_0": f"Authorization: Basic {value}",
    }


def _options(request: SourceRequest) -> GitOptions:
    assert isinstance(request.options, GitOptions)
    return request.options


def _describe(request: SourceRequest) -> str:
    options = _options(request)
    folder = f", folder {options.path}" if options.path else ""
    return f"{options.url} at {options.ref}{folder}"


SOURCE = SourceSpec("git", 1, GitOptions, list_entries, fetch, _describe)
