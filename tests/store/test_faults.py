"""What a run leans on fails in the middle: nothing is lost, the reason is shown, the next run converges."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import pytest
from sqlalchemy import text

from flows import run as steps
from flows.planning import status
from flows.verifying import verify
from kprep.core.errors import EmbedderUnavailable, EmbeddingError, PrepError, StoreUnavailable
from kprep.store import documents
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.made_embedder import MadeEmbedder
from tests.fakes.pages import FOUR, REFUNDS, TRAVEL
from tests.fakes.s3_server import credentials

DIMENSIONS = 64
Answer = tuple[int, dict[str, str]]


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Address of a server on this machine with this handler."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class Embeddings(BaseHTTPRequestHandler):
    """An embedding server that answers as the script says, then as it should. `asked`: texts it gave vectors for."""

    script: ClassVar[list[Answer]] = []
    asked: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        code, headers = self.script.pop(0) if self.script else (200, {})
        body = b"{}"
        if code == 200:
            self.asked.extend(texts)
            vectors = MadeEmbedder().embed(texts).tolist()
            rows = [{"index": at, "embedding": vector} for at, vector in enumerate(vectors)]
            body = json.dumps({"data": rows}).encode()
        self.send_response(code)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def with_server(make_base: MakeBase) -> Iterator[TestBase]:
    """A published knowledge base whose vectors come from the server, and then a change."""
    Embeddings.script, Embeddings.asked = [], []
    with serving(Embeddings) as address:
        embedding = {"provider": "openai", "base_url": address, "model": f"made-{time.time_ns()}", "revision": "1",
                     "dimensions": DIMENSIONS, "max_tokens": 256, "tokenizer": "bundled", "attempts": 2}  # fmt: skip
        base = make_base(FOUR, embedding=embedding)
        assert base.run()["status"] == "published"
        Embeddings.asked = []
        change(base)
        yield base


def change(base: TestBase) -> None:
    base.write("refunds.md", REFUNDS.replace("fourteen", "thirty").replace("telephone", "letter"))
    base.write("travel.md", TRAVEL.replace("forty-two", "sixty").replace("second", "first"))


def converges(base: TestBase, make_base: MakeBase) -> dict[str, Any]:
    """The next run's summary, after it published what a fresh build publishes."""
    summary = base.run()
    assert (summary["status"], summary["base_release"]) == ("published", 1)
    config = {name: value for name, value in base.config.items() if name != "knowledge_base"}
    fresh = make_base({path.name: path.read_bytes() for path in base.path("").iterdir()}, **config)
    fresh.run()
    assert base.content() == fresh.content()
    assert verify(base.workspace, heal=False)["ok"]
    return summary


def fails(base: TestBase, kind: type[PrepError], reason: str) -> None:
    """The run fails, says why, and readers notice nothing."""
    before = base.content()
    with pytest.raises(kind, match=reason) as caught:
        base.run()
    last = status(base.workspace)["runs"][0]
    assert (last["status"], last["message"]) == ("failed", caught.value.message)
    assert base.live() == 1
    assert base.content() == before


@pytest.mark.req("C7.3", "D9.12")
@pytest.mark.parametrize(
    ("script", "kind", "reason"),
    [
        ([(400, {})], EmbeddingError, "refused a request .status 400"),
        ([(503, {"Retry-After": "0"})] * 2, EmbedderUnavailable, "did not answer in 2 attempts .last: 503"),
        ([(429, {"Retry-After": "3600"})], EmbedderUnavailable, "asks to wait 3600 s .status 429"),
    ],
)
def test_f01_refusing_embedder_leaves_the_old_version_searchable(
    with_server: TestBase, make_base: MakeBase, script: list[Answer], kind: type[PrepError], reason: str
) -> None:
    Embeddings.script = list(script)
    fails(with_server, kind, reason)
    summary = converges(with_server, make_base)
    assert summary["work"]["parsed"] == 0, "what was prepared is not prepared again"


@pytest.mark.req("D9.12")
def test_embedder_that_asks_to_wait_is_waited_for(with_server: TestBase, make_base: MakeBase) -> None:
    Embeddings.script = [(429, {"Retry-After": "0"})]
    converges(with_server, make_base)


@pytest.mark.req("D9.12")
def test_half_a_batch_of_vectors_is_kept(
    with_server: TestBase, make_base: MakeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "EMBED_BATCH", 1)
    Embeddings.script = [(200, {}), (200, {}), (400, {})]
    fails(with_server, EmbeddingError, "refused")
    first = list(Embeddings.asked)
    assert len(first) == 2
    summary = converges(with_server, make_base)
    # After these the gate computes some vectors again, to compare them with the stored ones.
    embedded = Embeddings.asked[len(first) : len(first) + summary["work"]["embedded"]]
    assert embedded
    assert not set(embedded) & set(first)


class Bucket(BaseHTTPRequestHandler):
    """An S3 server in memory. `fault`: called before every answer; gives a status to answer with, or 0."""

    protocol_version = "HTTP/1.1"
    objects: ClassVar[dict[str, bytes]] = {}
    fault: ClassVar[Callable[[str], int]] = staticmethod(lambda _: 0)

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        code = type(self).fault(self.command) or self.act(body)
        content = self.objects.get(self.path, b"") if code == 200 and self.command in ("GET", "HEAD") else b""
        self.send_response(code)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def act(self, body: bytes) -> int:
        if self.command == "PUT":
            self.objects[self.path] = body
            return 200
        if self.command == "DELETE":
            self.objects.pop(self.path, None)
            return 204
        return 200 if self.path in self.objects else 404

    do_GET = do_PUT = do_HEAD = do_DELETE = answer  # noqa: N815

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def with_bucket(make_base: MakeBase, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestBase]:
    """A published knowledge base whose originals are in a bucket, and then a change."""
    credentials(monkeypatch, "tester", "only for tests")
    monkeypatch.setattr("botocore.retries.standard.ExponentialBackoff.delay_amount", lambda *_: 0.0)
    monkeypatch.setenv("KPREP_OBJECT_STORE", "s3://originals/kb")
    Bucket.objects, Bucket.fault = {}, staticmethod(lambda _: 0)
    with serving(Bucket) as address:
        monkeypatch.setenv("KPREP_S3_ENDPOINT", address)
        base = make_base(FOUR, embedding={"provider": "none"})
        assert base.run()["status"] == "published"
        change(base)
        yield base
        Bucket.fault = staticmethod(lambda _: 0)


@pytest.mark.req("D9.12")
@pytest.mark.parametrize("code", [500, 503])
def test_failing_object_store(with_bucket: TestBase, make_base: MakeBase, code: int) -> None:
    Bucket.fault = staticmethod(lambda command: code if command == "PUT" else 0)
    fails(with_bucket, StoreUnavailable, f"bucket originals refused: {code}")
    Bucket.fault = staticmethod(lambda _: 0)
    converges(with_bucket, make_base)


@pytest.mark.req("D9.12")
def test_object_store_that_fails_now_and_then_and_is_slow(with_bucket: TestBase, make_base: MakeBase) -> None:
    calls: list[str] = []

    def fault(command: str) -> int:
        calls.append(command)
        time.sleep(0.02)
        return 503 if len(calls) % 3 == 0 else 0

    Bucket.fault = staticmethod(fault)
    converges(with_bucket, make_base)
    assert len(calls) > 6


@pytest.mark.req("D9.12")
def test_database_that_drops_every_connection(
    make_base: MakeBase, monkeypatch: pytest.MonkeyPatch, database_url: str
) -> None:
    import psycopg

    base = make_base(FOUR, embedding={"provider": "none"})
    base.run()
    change(base)
    real: Any = documents.save_version

    def dropped(*arguments: Any) -> str:
        version = str(real(*arguments))
        address = database_url.replace("postgresql+psycopg://", "postgresql://")
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        return version

    with monkeypatch.context() as patched:
        patched.setattr(documents, "save_version", dropped)
        fails(base, StoreUnavailable, "PostgreSQL is out of reach")
    converges(base, make_base)


@pytest.mark.req("D10.2", "D10.3")
def test_clocks_that_jump_change_nothing(make_base: MakeBase) -> None:
    base = make_base(FOUR, embedding={"provider": "none"})
    base.run()
    for path, year in (("refunds.md", 1971), ("travel.md", 2100)):
        seconds = (year - 1970) * 365 * 86400
        os.utime(base.path(path), (seconds, seconds))
    summary = base.run()
    assert (summary["status"], summary["work"]["hashed"], summary["work"]["parsed"]) == ("unchanged", 2, 0)
    with base.connection() as connection:
        moved = text("UPDATE kprep.runs SET started_at = started_at + interval '10 years' WHERE kb = :kb")
        connection.execute(moved, {"kb": base.name})
        connection.execute(
            text("UPDATE kprep.leases SET taken_at = taken_at + interval '10 years' WHERE kb = :kb"), {"kb": base.name}
        )
    change(base)
    assert base.run()["status"] == "published"
