"""Asking a web server politely: one request at a time, with pauses, limits, and another try when it is busy."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from kprep.core.errors import SourceUnavailable

BUSY = frozenset((429, 500, 502, 503, 504))
WAIT_MAX_S = 30.0


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers with lower-case names, and at most `size_max` bytes of the body; `cut` when there were more."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    cut: bool = False


class WebClient:
    """Requests to one server. `attempts`: how often one is tried that finds the server busy."""

    def __init__(self, agent: str, delay_s: float, timeout_s: float, size_max: int, token: str | None = None) -> None:
        import httpx

        headers = {"User-Agent": agent, "Accept-Encoding": "gzip, deflate"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self._client = httpx.Client(headers=headers, timeout=timeout_s, follow_redirects=False)
        self.delay_s, self._size_max = delay_s, size_max
        self._attempts, self._last = 3, 0.0

    def get(self, url: str, headers: Mapping[str, str] | None = None) -> Answer:
        """What the server answers, also when that is an error. Raises: SourceUnavailable when it does not answer."""
        import httpx

        answer = Answer(0)
        for attempt in range(self._attempts):
            self._pause()
            try:
                answer = self._once(url, headers or {})
            except httpx.InvalidURL as error:
                raise SourceUnavailable(f"{url} is no address") from error
            except httpx.HTTPError as error:
                if attempt + 1 == self._attempts:
                    raise SourceUnavailable(f"{url} does not answer ({type(error).__name__})") from error
                continue
            if answer.status not in BUSY or attempt + 1 == self._attempts:
                break
            time.sleep(_wait(answer, max(self.delay_s, 0.1) * 2**attempt))
        return answer

    def _once(self, url: str, headers: Mapping[str, str]) -> Answer:
        sound = {name: value for name, value in headers.items() if value.isascii()}  # an ETag may be anything
        with self._client.stream("GET", url, headers=sound) as response:
            parts: list[bytes] = []
            size = 0
            if response.status_code == 200:
                for part in response.iter_bytes():
                    size += len(part)
                    if size > self._size_max:
                        break
                    parts.append(part)
            found = {name.lower(): value for name, value in response.headers.items()}
            return Answer(response.status_code, found, b"".join(parts), size > self._size_max)

    def _pause(self) -> None:
        rest = self._last + self.delay_s - time.monotonic()
        if rest > 0:
            time.sleep(rest)
        self._last = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()


def _wait(answer: Answer, otherwise: float) -> float:
    """Seconds the server asks to wait, at most half a minute."""
    from email.utils import parsedate_to_datetime

    said: Any = answer.headers.get("retry-after", "")
    if said.isdigit():
        return min(float(said), WAIT_MAX_S)
    try:
        return min(max(parsedate_to_datetime(said).timestamp() - time.time(), 0.0), WAIT_MAX_S)
    except (TypeError, ValueError):
        return otherwise
