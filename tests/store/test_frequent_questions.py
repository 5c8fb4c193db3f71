"""Questions of a help desk that share their words: each finds its own answer, by words and by meaning."""

from __future__ import annotations

from typing import Any

import pytest

from retrieval import Searcher, SearchRequest
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import EVERYBODY, TestBase

ANSWERS = {
    "How do I get a refund?": "A refund is paid to the card within five days after the parcel came back.",
    "How do I get a refund for shipping?": "Shipping is refunded only when we sent the wrong article.",
    "How do I change my shipping address?": "Open the order, choose the address and save it before dispatch.",
    "How do I change my password?": "Choose security in the settings and enter the new password twice.",
    "How do I change my email address?": "Enter the new email in the settings and confirm the link we send to it.",
    "I forgot my password and lost my email": "Call the desk: an agent checks who you are and opens the account.",
}
"""Heading of the section -> its only sentence."""
SAME_WORDS = {
    "refund shipping": "How do I get a refund for shipping?",
    "refund card days": "How do I get a refund?",
    "change shipping address": "How do I change my shipping address?",
    "change password settings": "How do I change my password?",
    "change email address": "How do I change my email address?",
    "forgot password lost email": "I forgot my password and lost my email",
}
OTHER_WORDS = {
    "I want my money back": "How do I get a refund?",
}
STEPS = "Unplug the press.\n\nOpen the lid and take the old belt out.\n\nLay the new belt over both wheels.\n"


@pytest.fixture
def base(make_base: MakeBase) -> TestBase:
    faq = "# Questions\n\n" + "\n".join(f"## {heading}\n\n{answer}\n" for heading, answer in ANSWERS.items())
    all_files = {"name": "docs", "kind": "filesystem", "path": "docs", "include": ["**/*"], "acl": ["staff"]}
    made = make_base(
        {"faq.md": faq, "belt.md": f"# Belt\n\n{STEPS}", "plan.md": "# Plan\n\nThe refund desk moves in May.\n"},
        sources=[
            all_files | {"exclude": ["plan.md"]},
            all_files | {"name": "board", "include": ["plan.md"], "sensitivity": "confidential"},
        ],
    )
    assert made.run()["status"] == "published"
    return made


def search(base: TestBase, question: str, mode: str = "hybrid", **request: Any) -> list[dict[str, Any]]:
    with base.connection() as connection:
        searcher = Searcher(base.reader(connection, EVERYBODY), lambda: base.workspace.embedder)
        hits: list[dict[str, Any]] = searcher.search(SearchRequest(question, mode=mode, **request))["hits"]
        return hits


@pytest.mark.req("A5.3", "B4.6", "B4.7")
def test_each_question_finds_its_own_answer_by_words_or_by_meaning(base: TestBase) -> None:
    for question, heading in SAME_WORDS.items():
        assert search(base, question, "lexical")[0]["heading_path"][-1] == heading
    for question, heading in OTHER_WORDS.items():
        assert search(base, question, "dense")[0]["heading_path"][-1] == heading


@pytest.mark.req("D7.18")
def test_sensitivity_narrows_a_search(base: TestBase) -> None:
    def found(wanted: str) -> set[str]:
        hits = search(base, "how do I get a refund from the desk", where={"sensitivity": [wanted]}, top_k=20)
        return {hit["document_uri"] for hit in hits}

    assert found("confidential") == {"board/plan.md"}
    assert "docs/faq.md" in found("internal")
    assert "board/plan.md" not in found("internal")


@pytest.mark.req("C5.3", "D6.6", "D6.7")
def test_a_hit_leads_to_its_section_which_is_not_sent_along(base: TestBase) -> None:
    hit = search(base, "lay the new belt over the wheels")[0]
    assert hit["document_uri"] == "docs/belt.md"
    assert hit["text"] == STEPS.strip()
    with base.connection() as connection:
        whole = base.reader(connection, EVERYBODY).get(hit["chunk_id"])
    assert whole["parent"]["text"].endswith(STEPS.strip())
    assert "parent" not in hit
