"""Another embedding model: built beside the one that serves, swapped by the gate, with nothing lost or brought back."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import ClassVar

import pytest
from sqlalchemy import text

from flows import run as steps
from flows.access import suppress
from flows.planning import preview
from kprep.core.errors import EmbeddingError
from retrieval import Searcher, SearchRequest
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.made_embedder import MadeEmbedder
from tests.fakes.pages import FOUR, TRAVEL
from tests.store.test_faults import serving

SIZES = {"old": 64, "new": 32}
QUESTION = "How much is the travel allowance in Norway?"


class Models(BaseHTTPRequestHandler):
    """An embedding server with two models. `asked`: (model, text); `during`: called before it answers for a model."""

    asked: ClassVar[list[tuple[str, str]]] = []
    during: ClassVar[Callable[[str], int]] = staticmethod(lambda _: 200)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        model = str(body["model"]).partition("-")[0]
        code = type(self).during(model)
        self.asked.extend((model, given) for given in body["input"])
        vectors = MadeEmbedder().embed(body["input"])[:, : SIZES[model]].tolist()
        rows = [{"index": at, "embedding": vector} for at, vector in enumerate(vectors)]
        answer = json.dumps({"data": rows} if code == 200 else {}).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass


class Change:
    """A published knowledge base and the two configurations of its embedder."""

    def __init__(self, base: TestBase, address: str) -> None:
        self.base, self.address, self.names = base, address, {name: f"{name}-{time.time_ns()}" for name in SIZES}

    def use(self, name: str) -> None:
        embedding = {"provider": "openai", "base_url": self.address, "model": self.names[name], "revision": "1",
                     "dimensions": SIZES[name], "max_tokens": 256, "tokenizer": "bundled", "attempts": 1}  # fmt: skip
        self.base.configure(embedding=embedding)

    def dense(self) -> list[str]:
        """Documents that the live release finds by meaning alone, with the model it was made with."""
        with self.base.connection() as connection:
            reader = self.base.reader(connection)
            searcher = Searcher(reader, lambda: self.base.workspace.embedder_of(reader.row.configuration))
            answer = searcher.search(SearchRequest(QUESTION, None, "dense", 20))
        assert answer["degraded"] == []
        return [hit["document_uri"].removeprefix("docs/") for hit in answer["hits"]]

    def vectors(self, name: str) -> int:
        statement = text(
            "SELECT count(*) FROM kprep.embeddings JOIN kprep.spaces USING (space_id) "
            "WHERE space LIKE '%' || :name || '%'"
        )
        with self.base.connection() as connection:
            return int(connection.execute(statement, {"name": self.names[name]}).scalar_one())


@pytest.fixture
def change(make_base: MakeBase) -> Iterator[Change]:
    Models.asked, Models.during = [], staticmethod(lambda _: 200)
    with serving(Models) as address:
        change = Change(make_base(FOUR, retention={"releases": 2}), address)
        change.use("old")
        assert change.base.run()["status"] == "published"
        change.use("new")
        yield change
        change.base.close()


@pytest.mark.req("D10.1", "D10.4", "D9.12")
@pytest.mark.req("D7.16")
def test_f20_f21_new_model_is_built_beside_the_old_and_brings_nothing_back(change: Change) -> None:
    base = change.base
    seen: list[list[str]] = []

    def during(model: str) -> int:
        if model == "new" and not seen:
            seen.append([])
            seen[0] = change.dense()  # the old model still answers
            suppress(base.workspace, "docs/travel.md", "legal", "a person", "", lift=False, dry_run=False)
            base.delete("safety.md")
        return 200

    Models.during = staticmethod(during)
    summary = base.run()
    assert set(seen[0]) == set(FOUR)
    assert (summary["status"], summary["work"]["parsed"]) == ("published", 0)
    assert summary["work"]["embedded"] == len({text for model, text in Models.asked if model == "new"})
    assert "travel.md" not in change.dense()
    assert base.run()["documents"]["retired"] == 1
    assert set(change.dense()) == {"refunds.md", "holidays.md"}
    assert base.uris() == ["holidays.md", "refunds.md"]


@pytest.mark.req("D9.11", "D9.12")
def test_blocked_new_model_leaves_the_old_one_serving_and_writing(change: Change) -> None:
    base = change.base
    assert preview(base.workspace, allow_deletes=False)["index_anew"]
    base.block()
    assert base.run()["status"] == "blocked"
    assert base.live() == 1
    assert "travel.md" in change.dense()
    assert change.vectors("new") > 0
    base.unblock()
    change.use("old")
    base.write("travel.md", TRAVEL.replace("forty-two", "fifty"))
    Models.asked = []
    summary = base.run()
    assert (summary["status"], summary["work"]["embedded"]) == ("published", 1), "only what was edited"
    assert {model for model, _ in Models.asked} == {"old"}
    assert "travel.md" in change.dense()


@pytest.mark.req("D9.12")
def test_build_that_stops_in_the_middle_goes_on_where_it_was(change: Change, monkeypatch: pytest.MonkeyPatch) -> None:
    base = change.base
    monkeypatch.setattr(steps, "EMBED_BATCH", 2)
    calls: list[str] = []

    def during(model: str) -> int:
        calls.append(model)
        return 400 if model == "new" and calls.count("new") == 3 else 200

    Models.during = staticmethod(during)
    with pytest.raises(EmbeddingError):
        base.run()
    assert (base.live(), change.vectors("new")) == (1, 4)
    assert "travel.md" in change.dense()
    Models.asked = []
    assert base.run()["status"] == "published"
    assert len([model for model, _ in Models.asked if model == "new"]) == change.vectors("new") - 4
    assert not preview(base.workspace, allow_deletes=False)["index_anew"]


@pytest.mark.req("D10.4", "D10.6")
def test_vectors_of_a_model_go_with_the_last_release_that_has_it(change: Change) -> None:
    base = change.base
    assert base.run()["status"] == "published"
    assert change.vectors("old") > 0, "release 1 is kept: a rollback searches it"
    steps.roll_back(base.workspace, 1, dry_run=False)
    assert "travel.md" in change.dense()
    steps.roll_back(base.workspace, 2, dry_run=False)
    base.write("travel.md", TRAVEL.replace("forty-two", "fifty"))
    assert base.run()["status"] == "published"
    assert change.vectors("old") == 0
    assert change.vectors("new") > 0
    assert "travel.md" in change.dense()
