"""A real HTTP server on this machine with pages that a test writes, and that counts what it is asked."""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Served:
    """What stands at a path. `tag`: its ETag, of its bytes where none is given; "" sends none.

    `varies`: each answer ends in another number, as pages with a token in a form do.
    """

    body: bytes
    type: str = "text/html; charset=utf-8"
    tag: str | None = None
    modified: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    varies: bool = False

    @property
    def etag(self) -> str:
        return f'"{hashlib.sha256(self.body).hexdigest()[:16]}"' if self.tag is None else self.tag


class Site:
    """Pages by path. `answers`: path -> status (and headers) instead of the page. `asked`: (path, status) of each."""

    def __init__(self) -> None:
        self.pages: dict[str, Served] = {}
        self.answers: dict[str, tuple[int, dict[str, str]]] = {}
        self.asked: list[tuple[str, int]] = []
        self.headers: list[dict[str, str]] = []
        self.url = ""

    @property
    def statuses(self) -> Counter[int]:
        return Counter(status for _, status in self.asked)

    def forget(self) -> None:
        self.asked.clear()
        self.headers.clear()

    @contextmanager
    def serve(self) -> Iterator[Site]:
        server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join(10)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                site.headers.append({name.lower(): value for name, value in self.headers.items()})
                if self.path in site.answers or "*" in site.answers:
                    status, headers = site.answers.get(self.path) or site.answers["*"]
                    self._send(status, headers, b"")
                    return
                page = site.pages.get(self.path)
                if page is None:
                    self._send(404, {}, b"")
                    return
                headers = {"Content-Type": page.type, **page.headers}
                if page.etag:
                    headers["ETag"] = page.etag
                if page.modified:
                    headers["Last-Modified"] = page.modified
                known = self.headers.get("If-None-Match")
                since = self.headers.get("If-Modified-Since")
                if (known and known == page.etag) or (known is None and since and since == page.modified):
                    self._send(304, headers, b"")
                else:
                    number = f"<!-- {len(site.asked)} -->".encode() if page.varies else b""
                    self._send(200, headers, page.body + number)

            def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
                site.asked.append((self.path, status))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if status != 304:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if status != 304:
                    self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Nothing."""

        return Handler
