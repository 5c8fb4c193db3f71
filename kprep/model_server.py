"""A server with the OpenAI interface, asked until it answers: shared by the rooms that may use one."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Protocol

from kprep.core.errors import PrepError

RETRY_STATUS = (408, 425, 429, 500, 502, 503, 504)
LONGEST_WAIT_S = 60.0


class Response(Protocol):
    """What is read of an HTTP response (`httpx.Response`)."""

    @property
    def status_code(self) -> int: ...
    @property
    def headers(self) -> Any: ...
    def json(self) -> Any: ...


class Client(Protocol):
    """What is used of an HTTP client (`httpx.Client`)."""

    def post(self, url: str, *, json: Any, headers: Mapping[str, str]) -> Response: ...


@dataclass(frozen=True, slots=True)
class ModelServer:
    """`base_url` usually ends in `/v1`. `name` begins its error messages; `refused`, `unavailable`: errors raised."""

    name: str
    base_url: str
    client: Client
    refused: type[PrepError]
    unavailable: type[PrepError]
    api_key: str = ""
    attempts: int = 5
    sleep: Callable[[float], None] = time.sleep

    def post(self, path: str, body: Mapping[str, Any]) -> Response:
        """The answer with status 200. A request that fails for the moment is sent again, after the time the server asks
        for. Raises: `unavailable` (after all attempts), `refused` (any other status, which is its context)."""
        import httpx

        url = f"{self.base_url.rstrip('/')}/{path}"
        headers = {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        status: int | str = ""
        for attempt in range(1, self.attempts + 1):
            wait_s = min(2.0 ** (attempt - 1), LONGEST_WAIT_S)
            try:
                response = self.client.post(url, json=body, headers=headers)
            except httpx.TransportError as error:
                status = type(error).__name__
            else:
                status = response.status_code
                if status == 200:
                    return response
                if status not in RETRY_STATUS:
                    raise self.refused(f"{self.name} refused a request (status {status})", status=status)
                wait_s = _asked_wait_s(response, wait_s)
            if attempt < self.attempts:
                if wait_s > LONGEST_WAIT_S:
                    raise self.unavailable(
                        f"{self.name} asks to wait {wait_s:.0f} s (status {status})",
                        status=status, attempts=attempt, retry_after_s=wait_s,
                    )  # fmt: skip
                self.sleep(wait_s)
        raise self.unavailable(
            f"{self.name} did not answer in {self.attempts} attempts (last: {status})",
            status=status,
            attempts=self.attempts,
        )


def _asked_wait_s(response: Response, default: float) -> float:
    """Seconds of the Retry-After header (a number or a date), else the default."""
    asked = str(response.headers.get("Retry-After", "")).strip()
    if not asked:
        return default
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?", asked):
        return float(asked)
    try:
        moment = parsedate_to_datetime(asked)
    except ValueError:
        return default
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max((moment - datetime.now(UTC)).total_seconds(), 0.0)
