"""Searches with filters, explanations, surroundings, a reranker, and without an embedding server."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from kprep.core.errors import EmbedderUnavailable, RetrievalError
from kprep.store import search as store
from retrieval import Searcher, SearchRequest
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import EVERYBODY, TestBase

LONG = " ".join(
    f"Step {number} checks the seal of valve {number} before the pump is started again." for number in range(60)
)
FILES = {
    "pump.md": f"# Pump\n\n## Start\n\n{LONG}\n",
    "old.md": "# Pump\n\nThe old pump was started by hand with a crank in the cellar of the mill.\n",
    "zh.md": "# 水泵\n\n启动水泵之前必须检查每一个阀门的密封情况，并且通知值班人员到场。\n",
}
OLD = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture
def base(make_base: MakeBase) -> TestBase:
    made = make_base(FILES)
    os.utime(made.path("old.md"), (OLD.timestamp(), OLD.timestamp()))
    assert made.run()["status"] == "published"
    return made


def answer(base: TestBase, reranker: Any = None, embedder: Any = None, **request: Any) -> dict[str, Any]:
    with base.connection() as connection:
        made = embedder or (lambda: base.workspace.embedder)
        searcher = Searcher(base.reader(connection, EVERYBODY), made, reranker)
        return searcher.search(SearchRequest(**{"question": "how is the pump started", **request}))


@pytest.mark.req("D7.20", "D7.21", "D7.22")
def test_filters_of_a_request_hold(base: TestBase) -> None:
    uris = {hit["document_uri"] for hit in answer(base, top_k=20)["hits"]}
    assert uris >= {"docs/pump.md", "docs/old.md"}
    since = answer(base, updated_from=datetime(2021, 1, 1, tzinfo=UTC), top_k=20)["hits"]
    assert {hit["document_uri"] for hit in since} == uris - {"docs/old.md"}
    before = answer(base, updated_until=datetime(2021, 1, 1, tzinfo=UTC), top_k=20)["hits"]
    assert {hit["document_uri"] for hit in before} == {"docs/old.md"}
    chinese = answer(base, question="启动水泵之前检查什么", where={"language": ["zh"]})["hits"]
    assert {hit["document_uri"] for hit in chinese} == {"docs/zh.md"}
    assert answer(base, where={"doc_type": ["other"]})["hits"] == []


def test_an_explanation_multiplies_to_the_score(base: TestBase) -> None:
    (best, *_) = answer(base, explain=True)["hits"]
    said = best["explain"]
    product = said["fused"]
    for factor in said["factors"].values():
        product *= factor
    assert best["score"] == pytest.approx(product, abs=1e-5)
    assert 0 < said["lexical"] <= 1
    assert 0 < said["dense"] <= 1
    assert said["fused"] == pytest.approx(said["from_lexical"] + said["from_dense"], abs=1e-5)
    assert "explain" not in answer(base)["hits"][0]


@pytest.mark.parametrize("kind", ["rrf", "weighted"])
def test_an_explanation_adds_up_in_every_fusion(base: TestBase, kind: str) -> None:
    base.configure(retrieval={"fusion": kind})
    base.run()
    for hit in answer(base, explain=True)["hits"]:
        said = hit["explain"]
        assert said["fused"] == pytest.approx(said["from_lexical"] + said["from_dense"], abs=1e-5)


BLOCKED = """---
avoid_with: [steam engine]
---
# Governor

The governor of the diesel generator is serviced every spring by the crew of the workshop.
"""


@pytest.mark.req("A3.13")
def test_what_must_not_come_up_is_no_evidence_and_is_not_followed(make_base: MakeBase) -> None:
    files = {
        "governor.md": BLOCKED,
        "spring.md": "# Spring\n\nWork of the crew in spring: see [governors](governor.md) of diesel generators.\n",
        "menu.md": "# Canteen\n\nOn Fridays there is fish with potatoes, and on Mondays soup with bread.\n",
    }
    base = make_base(files)
    base.run()
    plain, blocked = "servicing a governor", "servicing a governor of steam engines"
    assert answer(base, question=plain)["hits"][0]["document_uri"] == "docs/governor.md"
    for mode in ("hybrid", "hybrid+references", "lexical", "dense"):
        found = answer(base, question=f"{blocked}, spring crew", mode=mode, top_k=20)["hits"]
        assert "docs/governor.md" not in {hit["document_uri"] for hit in found}
    followed = answer(base, question="spring crew diesel governors", mode="hybrid+references", explain=True)["hits"]
    assert any(hit["document_uri"] == "docs/governor.md" and hit["explain"]["fused"] > 0 for hit in followed)
    base.delete("spring.md")
    base.run()
    assert answer(base, question=plain)["hits"]
    assert answer(base, question=blocked)["hits"] == [], "what is left says nothing of it"


def test_signs_alone_are_answered_by_nothing(base: TestBase) -> None:
    for mode in ("hybrid", "dense", "lexical"):
        found = answer(base, question="\U0001f600 ?!", mode=mode)
        assert (found["hits"], found["message"]) == ([], "I cannot confirm from the knowledge base.")


@pytest.mark.req("D9.4")
@pytest.mark.parametrize("newer", ["a.md", "b.md"])
def test_newer_comes_before_older_where_both_say_nearly_the_same(make_base: MakeBase, newer: str) -> None:
    said = "# Returns\n\nGoods may be returned within {} days of delivery, in their box, with the receipt.\n"
    base = make_base({"a.md": said.format(14), "b.md": said.format(10)})
    for name in ("a.md", "b.md"):
        moment = datetime(2025, 1, 1, tzinfo=UTC) if name == newer else OLD
        os.utime(base.path(name), (moment.timestamp(), moment.timestamp()))
    base.run()
    first, second = answer(base, question="within how many days may goods be returned", explain=True)["hits"]
    assert first["document_uri"] == f"docs/{newer}"
    assert first["score"] > second["score"]


def test_a_section_is_opened_by_its_anchor_however_short(make_base: MakeBase) -> None:
    manual = (
        "# Drive\n\n## Reset\n\nHold the button.\n\n## Fault codes\n\nF0085: no phase.\n\n## Parts\n\n### Seals\n\n"
    )
    base = make_base(
        {"drive.md": manual + "The seals of the drive are changed by the crew every second year in spring.\n"}
    )
    base.run()
    with base.connection() as connection:
        reader = base.reader(connection, EVERYBODY)
        assert "F0085" in reader.get("docs/drive.md#fault-codes")["sections"][0]["text"]
        (below,) = reader.get("docs/drive.md#parts")["sections"]
        assert below["heading_path"] == ["Drive", "Parts", "Seals"]
        with pytest.raises(RetrievalError, match="nothing at"):
            reader.get("docs/drive.md#nothing")


def test_the_only_passage_of_a_section_brings_along_those_beside_it(make_base: MakeBase) -> None:
    text = "valve is closed by hand before the pump is stopped for the night by the crew of the mill"
    parts = [f"## Part {word}\n\nThe {word} {text}.\n" for word in ("first", "second", "third")]
    base = make_base({"valves.md": "# Valves\n\n" + "\n".join(parts)})
    base.run()
    (hit,) = answer(base, question="second valve", top_k=1, budget=300)["hits"]
    assert "second" in hit["text"]
    assert hit["context"]["summary"] == "", "it is the passage itself"
    around = [part["text"] for name in ("before", "after") for part in hit["context"][name]]
    assert ["first" in text or "third" in text for text in around] == [True, True]


@pytest.mark.req("D6.15")
def test_surroundings_stay_within_the_budget_and_repeat_nothing(base: TestBase) -> None:
    found = answer(base, budget=600, top_k=3)["hits"]
    given = [part["chunk_id"] for hit in found for name in ("before", "after") for part in hit["context"][name]]
    assert given
    assert len(set(given)) == len(given)
    assert not set(given) & {hit["chunk_id"] for hit in found}
    none = answer(base, budget=1, top_k=3)["hits"]
    assert [hit["context"] for hit in none] == [{"summary": "", "before": [], "after": []}] * len(none)


def test_a_reranker_orders_the_best_hits(base: TestBase) -> None:
    class Crank:
        def rerank(self, question: str, texts: Sequence[str]) -> Sequence[float]:
            return [float("crank" in text) for text in texts]

    assert answer(base, Crank())["hits"][0]["document_uri"] == "docs/old.md"


@pytest.mark.req("C7.1", "C7.2")
def test_without_its_embedding_server_search_is_lexical_and_says_so(base: TestBase) -> None:
    class Gone:
        space = base.workspace.release_configuration()["embedding_space"]
        languages = ("en",)
        relative = False

        def embed_query(self, text: str) -> Any:
            raise EmbedderUnavailable(f"the server is gone, {len(text)} characters were not sent")

    found = answer(base, embedder=Gone)
    assert found["degraded"] == ["embedding_unavailable"]
    assert found["hits"]


@pytest.mark.req("D7.15")
def test_few_visible_chunks_are_compared_exactly_in_one_statement(base: TestBase) -> None:
    with base.connection() as connection:
        reader = base.reader(connection, EVERYBODY)
        space = reader.row.configuration["embedding_space"]
        embedder = base.workspace.embedder
        assert embedder is not None
        vector = [float(value) for value in embedder.embed_query("how is the pump started")]
        exact = store.dense_exact(connection, reader.scope, space, vector, 5)
        few = store.dense_few(connection, reader.scope, space, vector, 5, 1000)
        assert few is not None
        assert [key for key, _ in few] == [key for key, _ in exact]
        assert [cosine for _, cosine in few] == pytest.approx([cosine for _, cosine in exact])
        assert store.dense_few(connection, reader.scope, space, vector, 5, 2) is None
        assert store.dense_few(connection, replace(reader.scope, principals=()), space, vector, 5, 2) == []
        assert store.dense_few(connection, replace(reader.scope, stores=("candidate",)), space, vector, 5, 2) == []


def test_the_background_is_the_mean_cosine_to_other_passages_of_the_language(base: TestBase) -> None:
    with base.connection() as connection:
        scope = base.reader(connection, EVERYBODY).scope
        embedder = base.workspace.embedder
        assert embedder is not None
        space, vector = embedder.space, embedder.embed_query("how is the pump started").tolist()
        ranked = store.dense_exact(connection, scope, space, vector, 100)
        rows = {row["chunk_id"]: row for row in store.chunks(connection, scope, chunk_ids=[key for key, _ in ranked])}
        (best, _), *others = [(key, cosine) for key, cosine in ranked if rows[key]["language"] == "en"]
        assert len(others) >= 3
        expected = sum(cosine for _, cosine in others) / len(others)
        assert store.background(connection, scope, space, vector, best, 256) == pytest.approx(expected)
        nobody = replace(scope, principals=("nobody",))
        assert store.background(connection, nobody, space, vector, best, 256) == 0, "of what the reader may see"


def test_a_model_whose_cosines_say_little_alone_is_asked_in_comparison(base: TestBase) -> None:
    class Narrow:
        """The real model, its cosines taken in comparison."""

        relative = True

        def __getattr__(self, name: str) -> Any:
            return getattr(base.workspace.embedder, name)

    found = answer(base, question="starting of pumps", embedder=Narrow)
    assert found["hits"][0]["document_uri"] == "docs/pump.md"
    assert answer(base, question="kosher recipes of Bratislava", embedder=Narrow)["hits"] == []
