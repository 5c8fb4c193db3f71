"""Faults that other systems had, which no other test shows: one test each, named by its number.

F1 is in test_faults, F4, F6 and F10 in test_run, F8 in test_killed, F12 in test_filtered_recall, F15 in test_relations,
F16 and F17 in test_releases, F19 in test_permission_sources, F20 and F21 in test_model_change, F22 in test_lexical.
"""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from sqlalchemy import text

from flows import run as steps
from kprep.core.errors import RetrievalError, StoreUnavailable
from kprep.core.ids import content_hash
from retrieval import MODES
from retrieval.fusion import reciprocal_rank
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.pages import FOUR, REFUNDS, TRAVEL, page


@pytest.mark.req("D10.4")
def test_f02_of_two_equal_documents_one_deleted_the_other_stays(make_base: MakeBase) -> None:
    base = make_base({**FOUR, "copy/travel.md": TRAVEL})
    base.run()
    base.delete("travel.md")
    base.run()
    assert "copy/travel.md" in base.uris()
    assert "travel.md" not in base.uris()
    hits = {hit["document_uri"] for hit in base.search("travel allowance in Norway")}
    assert "docs/copy/travel.md" in hits
    assert "docs/travel.md" not in hits


@pytest.mark.req("D10.1")
def test_f03_small_batches_embed_nothing_twice(make_base: MakeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "EMBED_BATCH", 1)
    monkeypatch.setattr(steps, "BATCH_DOCUMENTS", 1)
    base = make_base(FOUR)
    base.run()
    assert base.run()["work"]["embedded"] == 0
    base.touch("travel.md")
    assert base.run()["work"]["embedded"] == 0


def test_f05_document_made_while_the_source_is_listed_is_not_lost(
    make_base: MakeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = make_base(FOUR, embedding={"provider": "none"})
    base.run()
    base.write("deep/travel.md", TRAVEL.replace("forty-two", "fifty"))
    real = os.scandir

    def late(path: Any) -> Any:
        found = real(path)
        if str(path).endswith("deep"):
            base.write("refunds-two.md", REFUNDS.replace("fourteen", "thirty"))  # its folder was listed already
        return found

    with monkeypatch.context() as patched:
        patched.setattr(os, "scandir", late)
        assert base.run()["documents"]["retired"] == 0
    assert base.run()["documents"]["retired"] == 0
    assert {"deep/travel.md", "refunds-two.md", *FOUR} == set(base.uris())


@pytest.mark.req("D10.4", "D10.6", "D1.14")
def test_f07_what_a_document_no_longer_says_is_found_by_no_read(make_base: MakeBase) -> None:
    base = make_base({**FOUR, "gone.md": page("Gone", "The zebra crossing is repainted by Quagga in spring.")})
    base.run()
    base.write("travel.md", page("Travel", "Everybody pays for the journey, and nothing is paid back later."))
    base.delete("gone.md")
    base.run()
    for mode in MODES:
        for question in ("travel allowance forty-two euros Norway", "Quagga repaints the zebra crossing"):
            said = " ".join(hit["text"] for hit in base.search(question, mode))
            assert not {"forty-two", "Quagga"} & set(said.replace(".", " ").split()), mode
    assert "forty-two" not in str(base.chunks("travel.md"))
    with pytest.raises(RetrievalError):
        base.chunks("gone.md")


@pytest.mark.req("D10.2", "D10.3")
def test_f09_replaced_picture_with_the_same_text_is_taken_up(make_base: MakeBase) -> None:
    def notebook(picture: str) -> str:
        output = {"output_type": "display_data", "metadata": {}, "data": {"image/png": picture}}
        cells = [
            {"cell_type": "markdown", "metadata": {}, "source": ["# Plot\n", "\n", "The plot shows the yearly sales."]},
            {"cell_type": "code", "metadata": {}, "execution_count": 1, "source": ["plot()"], "outputs": [output]},
        ]
        return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})

    base = make_base({"plot.ipynb": notebook("aGVsbG8="), **FOUR})
    base.run()
    base.write("plot.ipynb", notebook("d29ybGQ="))
    summary = base.run()
    assert (summary["status"], summary["work"]["parsed"], summary["work"]["embedded"]) == ("published", 1, 0)
    assert base.workspace.objects.exists(content_hash(base.path("plot.ipynb").read_bytes()))


@pytest.mark.req("D11.3")
def test_f11_changed_rule_takes_up_every_document(make_base: MakeBase) -> None:
    base = make_base(FOUR, embedding={"provider": "none"})
    base.run()
    base.configure(chunking={"profiles": {"document": {"overlap_sentences": 1}}})
    summary = base.run()
    assert (summary["documents"]["changed"], summary["documents"]["unchanged"]) == (len(FOUR), 0)


@pytest.mark.req("D9.10")
def test_f13_large_filter_is_applied_and_a_lost_store_is_an_error(make_base: MakeBase) -> None:
    base = make_base(FOUR)
    base.run()
    many = [f"group-{number}" for number in range(50_000)]
    assert base.search("travel allowance", principals=many) == []
    assert base.search("travel allowance", principals=[*many, "staff"])
    with pytest.raises(StoreUnavailable):
        read_while_the_connection_is_ended(base)


def read_while_the_connection_is_ended(base: TestBase) -> None:
    with base.connection() as connection:
        reader = base.reader(connection)
        pid = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
        with base.workspace.database.connect() as other:
            other.execute(text("SELECT pg_terminate_backend(CAST(:pid AS integer))"), {"pid": pid})
        reader.chunks("docs/travel.md")


def test_f14_candidate_that_one_list_lacks_gets_nothing_from_it() -> None:
    scores = dict(reciprocal_rank([[("a", 9.0), ("b", 8.0)], [("a", 1.0)]]))
    assert scores == {"a": pytest.approx(2 / 61), "b": pytest.approx(1 / 62)}


@pytest.mark.req("D10.4", "D10.5")
def test_f18_document_of_two_sources_stays_with_the_permissions_of_the_one_left(make_base: MakeBase) -> None:
    source = {"kind": "filesystem", "path": "docs", "include": ["**/*"]}
    sources = [{"name": "docs", **source, "acl": ["staff"]}, {"name": "share", **source, "acl": ["board"]}]
    base = make_base({"travel.md": TRAVEL}, sources=sources, embedding={"provider": "none"})
    base.run()
    base.configure(sources=sources[1:])
    base.run(allow_deletes=True)
    question = "travel allowance in Norway"
    assert base.search(question, principals=["staff"]) == []
    assert {hit["document_uri"] for hit in base.search(question, principals=["board"])} == {"share/travel.md"}
