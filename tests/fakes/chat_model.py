"""A real HTTP server on this machine that answers as a chat model does, by a function of the test."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[Mapping[str, Any]], Any]
"""What was asked about -> content of the answer (as JSON, where it is no string), or a status."""


class ChatModel:
    """`answer` may be changed between requests; `asked`: what each request was about; `headers`: of each request."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.bodies: list[dict[str, Any]] = []
        self.url = ""

    @contextmanager
    def serve(self) -> Iterator[ChatModel]:
        server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                asked = json.loads(body["messages"][-1]["content"])
                model.bodies.append({**body, "path": self.path})
                model.asked.append(asked)
                model.headers.append(dict(self.headers))
                answer = model.answer(asked)
                status = answer if isinstance(answer, int) else 200
                content = answer if isinstance(answer, str) else json.dumps(answer)
                said = json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}).encode()
                self.send_response(status)
                self.send_header("Retry-After", "0")
                self.send_header("Content-Length", str(len(said)))
                self.end_headers()
                self.wfile.write(said)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- as inherited
                """Nothing."""

        return Handler
