"""Knowledge entries: typed fragments, metadata inherited by each of them, found in their own ways."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from sqlalchemy import text

from kprep.core.ids import content_hash
from retrieval import Searcher, SearchRequest
from tests.fakes.knowledge_base import EVERYBODY, TestBase

MakeBase = Callable[..., TestBase]

NASH = {
    "name": "Nash equilibrium",
    "aliases": ["NE", "Cournot-Nash equilibrium"],
    "category": "game theory",
    "fragments": [
        {
            "type": "def",
            "text": "A Nash equilibrium is a profile of strategies in which no player can gain by changing only the "
            "own strategy while the others keep theirs.",
        },
        {
            "type": "int",
            "text": "Think of a truce that holds by itself: everybody looks around, sees what the rest do, and has no "
            "reason to move first.",
        },
        {
            "type": "ex",
            "text": "In the prisoner's dilemma both suspects confess: each is better off confessing whatever the "
            "other does, although both would be better off silent.",
        },
        {
            "type": "form",
            "text": "u_i(s_i*, s_-i*) >= u_i(s_i, s_-i*) for every player i and every strategy s_i in S_i.",
        },
        {
            "type": "app",
            "text": "Used to predict prices in oligopolies, bids in auctions and the routes of drivers in congested "
            "road networks.",
        },
    ],
    "metadata": {
        "truth_confidence": 0.98,
        "source_confidence": 0.95,
        "difficulty": "intermediate",
        "style": "technical",
        "avoid_with": ["John Nash biography"],
    },
}
DILEMMA = {
    "name": "Tit for tat",
    "aliases": ["reciprocity"],
    "fragments": [
        {
            "type": "def",
            "text": "Tit for tat is a strategy that begins kindly and then repeats what the other did last.",
        },
        {
            "type": "ex",
            "text": "In Axelrod's tournaments the shortest program sent in won by returning each move in kind.",
        },
    ],
    "metadata": {"truth_confidence": 0.6, "difficulty": 0.2, "related_to": ["Nash equilibrium"]},
}
TWIN = NASH | {
    "name": "Twin",
    "fragments": [{"type": "def", "text": "A twin study compares siblings born together."}],
}
NOTES = "# Notes\n\nThe word equilibrium also stands for a state of balance in chemistry, and players play.\n"
SIGNALS = ("truth_confidence", "source_confidence", "difficulty", "style", "avoid_with")


@pytest.fixture
def base(make_base: MakeBase) -> TestBase:
    files = {
        "nash.json": json.dumps(NASH),
        "two.json": json.dumps([TWIN, DILEMMA]),
        "notes.md": NOTES,
    }
    view = {"entries": {"fields": ["text", "fragment", *SIGNALS]}}
    made = make_base(files, views=view)
    assert made.run()["status"] == "published"
    return made


@pytest.mark.req("A1.1", "A1.2", "A1.3", "A1.4", "A1.5", "A1.6", "A1.7", "A1.12", "A4.1", "A4.2")
def test_an_entry_becomes_one_chunk_a_fragment_with_its_type(base: TestBase) -> None:
    chunks = base.chunks("nash.json")
    assert [(chunk["fragment"], chunk["fragment_confidence"]) for chunk in chunks] == [
        (kind, 1.0) for kind in ("def", "int", "ex", "form", "app")
    ]
    assert [chunk["text"] for chunk in chunks] == [fragment["text"] for fragment in NASH["fragments"]]  # type: ignore[index]


@pytest.mark.req("A3.1", "A3.2", "A3.3", "A3.4", "A3.5", "A3.15")
def test_metadata_of_an_entry_is_inherited_by_each_of_its_fragments(base: TestBase) -> None:
    stated = {
        "truth_confidence": 0.98, "source_confidence": 0.95, "difficulty": 0.5, "style": "technical",
        "avoid_with": ["John Nash biography"],
    }  # fmt: skip
    for chunk in base.chunks("nash.json"):
        assert {name: chunk[name] for name in SIGNALS} == stated
    by_entry = {chunk["heading_path"][0]: chunk for chunk in base.chunks("two.json")}
    assert {name: by_entry["Twin"][name] for name in SIGNALS} == stated
    other = by_entry["Tit for tat"]
    assert (other["truth_confidence"], other["difficulty"], other["source_confidence"]) == (0.6, 0.2, 1.0)
    hit = next(hit for hit in base.search("profile of strategies no player can gain") if hit["fragment"] == "def")
    assert {name: hit["metadata"][name] for name in SIGNALS} == stated


@pytest.mark.req("A3.5", "D7.15")
def test_signals_are_columns_of_views_and_a_source_states_them_without_embedding_anew(base: TestBase) -> None:
    base.source(truth_confidence=0.7, difficulty=0.9, avoid_with=["draft"], source_confidence=0.4)
    summary = base.run()
    assert summary["documents"]["repermissioned"] == 3
    assert summary["work"]["parsed"] == summary["work"]["embedded"] == 0
    notes = base.chunks("notes.md")[0]
    assert (notes["truth_confidence"], notes["source_confidence"], notes["difficulty"]) == (0.7, 0.4, 0.9)
    assert notes["avoid_with"] == ["draft"]
    assert base.chunks("nash.json")[0]["source_confidence"] == 0.95
    hit = base.search("no player can gain by changing", view="entries")[0]
    assert hit["truth_confidence"] == 0.98


@pytest.mark.req("D6.20", "D6.21", "D6.22", "D6.23", "D6.24", "D6.25", "D6.26", "D6.27", "D6.29")
def test_a_chunk_leaves_the_store_as_plain_data_with_all_its_fields(base: TestBase) -> None:
    chunk = base.chunks("nash.json")[0]
    assert json.loads(json.dumps(chunk)) == chunk
    assert {name: chunk[name] for name in ("text", "heading_path", "source_uri", "acl")} == {
        "text": NASH["fragments"][0]["text"],  # type: ignore[index]
        "heading_path": ["Nash equilibrium"],
        "source_uri": "docs/nash.json",
        "acl": ["staff"],
    }
    assert len({chunk["doc_id"], chunk["parent_id"], chunk["chunk_id"]}) == 3
    assert chunk["updated_at"] > "2000"


def test_a_confidence_that_cannot_be_read_fails_its_document_with_the_remedy(make_base: MakeBase) -> None:
    made = make_base({"a.md": "---\ntruth_confidence: high\n---\n# A\n\nSome words stand here.\n", "b.md": NOTES})
    failure = made.run()["failures"][0]
    assert failure["reason"] == "front_matter_invalid"
    assert "truth_confidence" in failure["detail"]
    assert "from 0 to 1" in failure["detail"]
    assert "difficulty" not in failure["detail"]


@pytest.mark.req("A1.9", "A1.13", "A4.2", "A5.5")
@pytest.mark.parametrize(
    ("question", "fragment"),
    [
        ("Nash equilibrium", ""),
        ("What is a Nash equilibrium? profile of strategies in which no player can gain", "def"),
        ("a truce that holds by itself because nobody has a reason to move first", "int"),
        ("suspects in the prisoner's dilemma confess", "ex"),
        ("inequality u_i(s_i*, s_-i*) for every player i and strategy", "form"),
        ("predict prices in oligopolies and bids in auctions", "app"),
        ("explain the Nash equilibrium simply", "int"),
        ("derive the formula of the Nash equilibrium", "form"),
        ("an example of a Nash equilibrium", "ex"),
        ("what is the Nash equilibrium used for?", "app"),
    ],
)
def test_the_nash_entry_is_found_in_its_own_ways(base: TestBase, question: str, fragment: str) -> None:
    hits = base.search(question, top_k=8)
    assert hits[0]["document_uri"] == "docs/nash.json"
    assert fragment in ("", hits[0]["fragment"])


@pytest.mark.req("A1.10")
def test_a_caller_bounds_how_many_fragments_come_back(base: TestBase) -> None:
    found = [base.search("Nash equilibrium", top_k=number) for number in (1, 2, 4)]
    assert [len(hits) for hits in found] == [1, 2, 4]
    assert [hit["chunk_id"] for hit in found[2]][:2] == [hit["chunk_id"] for hit in found[1]]


@pytest.mark.req("A1.10", "A1.11")
@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What is a Nash equilibrium?", ["def", "ex"]),
        ("Was ist ein Nash equilibrium?", ["def", "ex"]),
        ("How do I compute a Nash equilibrium?", ["app", "form"]),
    ],
)
def test_of_an_entry_those_fragments_come_that_the_question_wants(
    base: TestBase, question: str, wanted: list[str]
) -> None:
    with base.connection() as connection:
        searcher = Searcher(base.reader(connection, EVERYBODY), lambda: base.workspace.embedder)
        answer = searcher.search(SearchRequest(question, frag_count=2, explain=True))
    of_nash = [hit for hit in answer["hits"] if hit["heading_path"][0] == "Nash equilibrium"]
    assert sorted(hit["fragment"] for hit in of_nash) == wanted
    assert [hit["explain"]["of_section"] for hit in of_nash] == [1, 2]
    assert all(hit["explain"]["factors"]["fragment"] > 1 for hit in of_nash)
    assert answer["truncated"]


@pytest.mark.req("C7.8")
def test_an_answer_leads_to_the_version_of_its_source(base: TestBase) -> None:
    before = base.live()
    base.write("notes.md", NOTES.replace("chemistry", "physics"))
    base.run()
    statement = text("SELECT content_hash FROM kprep.document_versions WHERE kb = :kb AND version_id = :version")
    for release, said in ((before, NOTES), (None, NOTES.replace("chemistry", "physics"))):
        hit = next(hit for hit in base.search("state of balance", release=release) if "balance" in hit["text"])
        with base.connection() as connection:
            values = {"kb": base.name, "version": hit["metadata"]["version_id"]}
            assert connection.execute(statement, values).scalar_one() == content_hash(said.encode())


@pytest.mark.req("A2.1", "A2.2", "A2.4", "A2.11", "A2.12", "A5.4")
@pytest.mark.parametrize("question", ["What is a Cournot-Nash equilibrium?", "What is NE?", "Nash equilibrium"])
def test_a_name_or_alias_leads_to_its_entry_without_vectors(base: TestBase, question: str) -> None:
    base.write(
        "talk.md", "# Talk\n\nA Cournot Nash lecture on the equilibrium of ne and na, and what Nash said of it.\n"
    )
    base.run()
    hits = base.search(question, mode="lexical", top_k=3)
    assert {hit["document_uri"] for hit in hits[:2]} <= {"docs/nash.json", "docs/two.json"}
    assert hits[0]["fragment"] == "def" or question.startswith("Nash")
