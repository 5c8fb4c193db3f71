"""The client of OpenAI-compatible servers, against a real HTTP stack with a scripted server."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import numpy as np
import pytest

from embedding.openai_compatible import OpenAICompatibleEmbedder, Server
from embedding.tokenizer import load_tokenizer
from kprep.core.errors import EmbedderUnavailable, EmbeddingError, TextTooLong

SERVER = Server("http://embed.test/v1/", "e5", "r1", dimensions=3, max_tokens=64, batch_size=2, attempts=3,
                document_prefix="passage: ", query_prefix="query: ")  # fmt: skip
Handler = Callable[[httpx.Request], httpx.Response]


def answer(request: httpx.Request) -> httpx.Response:
    """Vectors that tell the texts apart, listed backwards."""
    texts = json.loads(request.content)["input"]
    rows = [{"index": at, "embedding": [len(text), 1.0, 0.0]} for at, text in enumerate(texts)]
    return httpx.Response(200, json={"data": rows[::-1]})


class Scripted:
    """Gives the responses in turn, then real answers; remembers what was asked."""

    def __init__(self, *responses: httpx.Response | Exception) -> None:
        self.responses = list(responses)
        self.asked: list[list[str]] = []
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        self.asked.append(json.loads(request.content)["input"])
        response = self.responses.pop(0) if self.responses else answer(request)
        if isinstance(response, Exception):
            raise response
        return response


def embedder(handler: Handler, waits: list[float] | None = None) -> OpenAICompatibleEmbedder:
    client = httpx.Client(transport=httpx.MockTransport(handler))
    sleep = (waits if waits is not None else []).append
    return OpenAICompatibleEmbedder(SERVER, load_tokenizer(), client, "key", sleep)


def test_batches_go_in_order_with_the_prefix_and_come_back_in_order() -> None:
    server = Scripted()
    vectors = embedder(server).embed(["a", "bb", "ccc"])
    assert server.asked == [["passage: a", "passage: bb"], ["passage: ccc"]]
    assert vectors.shape == (3, 3)
    assert vectors.dtype == np.float32
    assert np.allclose(vectors[:, 0] / vectors[:, 1], [10, 11, 12])
    assert str(server.requests[0].url) == "http://embed.test/v1/embeddings"
    assert server.requests[0].headers["Authorization"] == "Bearer key"
    assert embedder(server).embed([]).shape == (0, 3)


def test_a_question_has_its_own_prefix() -> None:
    server = Scripted()
    assert embedder(server).embed_query("a").shape == (3,)
    assert server.asked == [["query: a"]]


def test_retry_after_is_honoured_and_only_the_failed_batch_is_sent_again() -> None:
    moment = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    server = Scripted(
        answer(httpx.Request("POST", "http://x", json={"input": ["passage: a", "passage: b"]})),
        httpx.Response(429, headers={"Retry-After": "7"}),
        httpx.Response(503, headers={"Retry-After": moment}),
    )
    waits: list[float] = []
    embedder(server, waits).embed(["a", "b", "c", "d"])
    assert server.asked == [["passage: a", "passage: b"], *[["passage: c", "passage: d"]] * 3]
    assert waits[0] == 7
    assert 15 < waits[1] <= 20


def test_a_server_out_of_reach_is_retryable_and_names_the_attempts() -> None:
    waits: list[float] = []
    with pytest.raises(EmbedderUnavailable) as caught:
        embedder(Scripted(*[httpx.ConnectError("no")] * 3), waits).embed(["secret text"])
    assert caught.value.retryable
    assert caught.value.context == {"status": "ConnectError", "attempts": 3}
    assert waits == [1, 2]
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("asked", ["", "soon", "nan", "-5", "²"])
def test_a_wait_that_cannot_be_read_means_the_usual_one(asked: str) -> None:
    waits: list[float] = []
    embedder(Scripted(httpx.Response(503, headers=[(b"Retry-After", asked.encode())])), waits).embed(["a"])
    assert waits == [1]


def test_a_long_wait_is_handed_back_to_the_flow() -> None:
    with pytest.raises(EmbedderUnavailable) as caught:
        embedder(Scripted(httpx.Response(429, headers={"Retry-After": "3600"}))).embed(["a"])
    assert caught.value.context["retry_after_s"] == 3600


@pytest.mark.parametrize("status", [400, 401, 404, 413, 422])
def test_a_refusal_is_not_retried(status: int) -> None:
    server = Scripted(httpx.Response(status, text="your text was: secret"))
    with pytest.raises(EmbeddingError) as caught:
        embedder(server).embed(["secret"])
    assert not caught.value.retryable
    assert len(server.asked) == 1
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        {"data": [{"index": 0, "embedding": [1.0, 2.0]}]},
        {"data": []},
        {"data": [{"index": 1, "embedding": [1.0, 2.0, 3.0]}]},
        {"data": [{"index": 0, "embedding": [0.0, 0.0, 0.0]}]},
        {"data": [{"index": 0, "embedding": ["x", 2.0, 3.0]}]},
        {"error": "no"},
    ],
)
def test_an_answer_of_another_shape_is_refused(body: object) -> None:
    with pytest.raises(EmbeddingError):
        embedder(Scripted(httpx.Response(200, json=body))).embed(["a"])


def test_a_long_text_is_refused_before_it_is_sent() -> None:
    server = Scripted()
    with pytest.raises(TextTooLong):
        embedder(server).embed(["fine", "word " * 61])
    assert server.asked == []


def test_the_space_changes_with_everything_that_shapes_a_vector() -> None:
    client = httpx.Client(transport=httpx.MockTransport(answer))
    variants = [
        SERVER,
        Server("http://embed.test", "e5", "r2", 3, 64, document_prefix="passage: "),
        Server("http://embed.test", "e5", "r1", 4, 64, document_prefix="passage: "),
        Server("http://embed.test", "e5", "r1", 3, 64),
        Server("http://embed.test", "e6", "r1", 3, 64, document_prefix="passage: "),
    ]
    spaces = [OpenAICompatibleEmbedder(server, load_tokenizer(), client).space for server in variants]
    assert len(set(spaces)) == len(spaces)
