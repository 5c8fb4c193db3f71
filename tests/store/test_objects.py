"""Object stores: the directory and a real S3 server through the same tests."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from kprep.core.errors import ConfigError, StoreError, StoreUnavailable
from kprep.core.ids import content_hash
from kprep.store.objects import DirectoryStore, ObjectStore, S3Store, open_store
from tests.conftest import MakeBase
from tests.fakes.pages import FOUR
from tests.fakes.s3_server import credentials, free_ports, running_server

pytestmark = pytest.mark.xdist_group("s3")
BUCKET = "originals"


@pytest.fixture(scope="module")
def s3_endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a SeaweedFS server with one bucket."""
    with running_server(tmp_path_factory.mktemp("weed"), BUCKET) as endpoint:
        yield endpoint


@pytest.fixture(params=["directory", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ObjectStore:
    if request.param == "directory":
        return open_store(None, tmp_path, None)
    endpoint = request.getfixturevalue("s3_endpoint")
    return open_store(f"s3://{BUCKET}/{tmp_path.name}", tmp_path, endpoint)


@pytest.mark.req("D7.14")
@pytest.mark.parametrize("content", [b"", b"one", b"\x00\xff" * 1000, b"x" * 6_000_000])
def test_what_is_put_comes_back(store: ObjectStore, content: bytes) -> None:
    address = store.put(content)
    assert address == content_hash(content) == store.put(content)
    assert store.exists(address)
    assert store.get(address) == content


def test_missing_object_is_an_error(store: ObjectStore) -> None:
    address = content_hash(b"never stored")
    assert not store.exists(address)
    with pytest.raises(StoreError, match=f"original {address} is missing"):
        store.get(address)


def test_deleted_object_is_gone(store: ObjectStore) -> None:
    address = store.put(b"to be deleted")
    store.delete(address)
    assert not store.exists(address)
    store.delete(address)


def test_same_content_from_many_threads(store: ObjectStore) -> None:
    with ThreadPoolExecutor(8) as pool:
        addresses = set(pool.map(store.put, [b"the same"] * 32))
    assert len(addresses) == 1
    assert store.get(addresses.pop()) == b"the same"


def test_damaged_object_is_noticed(store: ObjectStore) -> None:
    address = store.put(b"whole")
    if isinstance(store, DirectoryStore):
        store._path(address).write_bytes(b"damaged")
    else:
        assert isinstance(store, S3Store)
        store._client.put_object(Bucket=BUCKET, Key=store._key(address), Body=b"damaged")
    with pytest.raises(StoreError, match="is damaged"):
        store.get(address)


def test_directory_is_for_its_owner_only(tmp_path: Path) -> None:
    store = open_store(None, tmp_path, None)
    address = store.put(b"private")
    found = list((tmp_path / "restricted").rglob("*"))
    assert any(path.name == address for path in found)
    modes = {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in (tmp_path / "restricted", *found)}
    assert modes == {0}


def test_full_disk_leaves_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_store(None, tmp_path, None)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(StoreUnavailable, match="No space left on device"):
            store.put(b"too much")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert store.get(store.put(b"too much")) == b"too much"


class NoSuchBucket(BaseHTTPRequestHandler):
    """Answers like an S3 server that does not know the bucket (SeaweedFS would make it)."""

    def answer(self) -> None:
        body = b"<Error><Code>NoSuchBucket</Code><Message>The specified bucket does not exist</Message></Error>"
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_PUT = do_HEAD = do_DELETE = answer  # noqa: N815

    def log_message(self, *_: object) -> None:
        pass


def test_wrong_bucket_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    credentials(monkeypatch, "tester", "only for tests")
    with HTTPServer(("127.0.0.1", 0), NoSuchBucket) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        store = open_store("s3://another-bucket/x", tmp_path, f"http://127.0.0.1:{server.server_port}")
        for action in (lambda: store.put(b"x"), lambda: store.get(content_hash(b"x"))):
            with pytest.raises(StoreError, match="bucket another-bucket refused: NoSuchBucket") as caught:
                action()
            assert not caught.value.retryable
        server.shutdown()
        thread.join()


def test_wrong_key_says_so(s3_endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    credentials(monkeypatch, "tester", "another word")
    store = open_store(f"s3://{BUCKET}/x", tmp_path, s3_endpoint)
    with pytest.raises(StoreError, match=f"bucket {BUCKET} refused") as caught:
        store.put(b"x")
    assert "another word" not in caught.value.message


def test_server_out_of_reach_may_be_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    credentials(monkeypatch, "tester", "only for tests")
    store = open_store(f"s3://{BUCKET}/x", tmp_path, f"http://127.0.0.1:{free_ports(1)[0]}")
    for action in (lambda: store.put(b"x"), lambda: store.get(content_hash(b"x")), lambda: store.delete("ab")):
        with pytest.raises(StoreUnavailable, match="out of reach") as caught:
            action()
        assert caught.value.retryable


def test_without_credentials_says_so(s3_endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    credentials(monkeypatch, None, None)
    monkeypatch.setenv("HOME", str(tmp_path))
    store = open_store(f"s3://{BUCKET}/x", tmp_path, s3_endpoint)
    with pytest.raises(StoreError, match="credentials"):
        store.put(b"x")


@pytest.mark.parametrize("location", ["s3://", "s3:///", "/a/folder", "gs://bucket/x", "s3://UPPER_case"])
def test_location_must_be_a_bucket(location: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="KPREP_OBJECT_STORE"):
        open_store(location, tmp_path, None)


@pytest.mark.req("C6.4", "D7.14")
def test_run_with_originals_in_a_bucket(make_base: MakeBase, s3_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KPREP_OBJECT_STORE", f"s3://{BUCKET}/run")
    monkeypatch.setenv("KPREP_S3_ENDPOINT", s3_endpoint)
    base = make_base(FOUR)
    summary = base.run()
    assert summary["status"] == "published"
    located = [check for check in summary["gate"]["checks"] if check["code"] == "locator_opens"]
    assert [check["passed"] for check in located] == [True]
    assert not (base.folder / ".kprep" / "restricted" / "originals").exists()
    for content in FOUR.values():
        assert base.workspace.objects.get(content_hash(content.encode())) == content.encode()
