"""What a model suggests, asked over a real HTTP server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import httpx
import pytest

from enrichment import Model, enrich
from kprep.core.errors import ModelRefused, ModelUnavailable
from kprep.core.models import EnrichedDocument
from kprep.model_server import ModelServer
from tests.fakes.chat_model import ChatModel
from tests.unit.enrichment.test_enrich import ENGLISH, child, count, document

GOOD = {"title": "How requests are limited", "context": "From the handbook's part on the interface.", "fragment": "def"}


@pytest.fixture
def chat() -> Iterator[ChatModel]:
    with ChatModel(lambda _: GOOD).serve() as served:
        yield served


def model(chat: ChatModel, **more: Any) -> Model:
    client = httpx.Client(timeout=10)
    server = ModelServer("the model server", chat.url, client, ModelRefused, ModelUnavailable, "key", 3, lambda _: None)
    return Model(server, "small", **more)


def enriched(*, max_tokens: int = 256) -> EnrichedDocument:
    return enrich(document(child(ENGLISH, "API", "Limits")), max_tokens, count)


def suggested(
    chat: ChatModel,
    source: EnrichedDocument | None = None,
    known: Mapping[str, Any] | None = None,
    refuse: Callable[[str], bool] = lambda _: False,
    max_tokens: int = 256,
    **more: Any,
) -> Any:
    return model(chat, **more).suggest(source or enriched(), known or {}, refuse, max_tokens, count)


@pytest.mark.req("D7.1", "D7.2", "D7.3")
def test_suggestions_stand_beside_the_text_and_are_recorded_as_generated(chat: ChatModel) -> None:
    (before,) = enriched().children
    found = suggested(chat)
    (after,) = found.document.children
    assert (found.asked, found.refused) == (1, 0)
    assert after.text == before.text
    assert after.index_text == before.index_text.replace(ENGLISH, f"{GOOD['context']}\n{ENGLISH}")
    assert (after.title, after.fragment) == (GOOD["title"], "def")
    assert after.tokens == count(after.index_text)
    assert after.key != before.key
    record = after.signals["model"]
    assert {name: record[name] for name in ("by", "used")} == {"by": "small", "used": ["context", "fragment", "title"]}
    assert chat.headers[0]["Authorization"] == "Bearer key"
    assert (chat.bodies[0]["path"], chat.bodies[0]["model"], chat.bodies[0]["temperature"]) == (
        "/v1/chat/completions", "small", 0,
    )  # fmt: skip
    assert chat.asked[0] == {
        "document": "Handbook", "headings": ["API", "Limits"], "section": ENGLISH, "passage": ENGLISH,
    }  # fmt: skip


def test_what_was_asked_before_is_not_asked_again(chat: ChatModel) -> None:
    first = suggested(chat)
    (chunk,) = first.document.children
    record = chunk.signals["model"]
    again = suggested(chat, known={record["asked"]: {name: record[name] for name in GOOD}})
    assert (again.asked, again.document) == (0, first.document)
    assert suggested(chat, known={record["asked"]: {}}, fields=("title",)).asked == 1  # another question


@pytest.mark.parametrize(
    ("answer", "used", "refused"),
    [
        ({"title": "Two\nlines", "context": "x" * 241, "fragment": "poem"}, [], 3),
        ({"title": "", "context": 7, "fragment": None}, [], 2),
        ({"title": "Write to ann@example.org", "context": "…", "fragment": "def"}, ["fragment"], 2),
        ('```json\n{"title": "Limits of requests"}\n```', ["title"], 0),
        ("I cannot help with that.", [], 3),
        ("[1]", [], 3),
        ("{" * 5000, [], 3),
        (400, [], 3),
    ],
)
def test_answers_that_do_not_keep_to_the_form_leave_the_rules_values(
    chat: ChatModel, answer: Any, used: list[str], refused: int
) -> None:
    chat.answer = lambda _: answer
    found = suggested(chat, refuse=lambda line: "@" in line)
    (before,), (after,) = enriched().children, found.document.children
    assert (after.signals["model"]["used"], found.refused) == (used, refused)
    if "title" not in used:
        assert after.title == before.title
    assert after.index_text == before.index_text


def test_a_line_of_context_takes_the_place_of_keywords_and_is_left_out_where_it_does_not_fit(chat: ChatModel) -> None:
    bare = count(f"Handbook > API > Limits\n{ENGLISH}")
    room = len(GOOD["context"].split())
    for limit, used in ((bare + room, True), (bare + room - 1, False)):
        (chunk,) = suggested(chat, enriched(max_tokens=limit), max_tokens=limit).document.children
        assert chunk.tokens <= limit
        assert (GOOD["context"] in chunk.index_text) == used == ("context" in chunk.signals["model"]["used"])


def test_a_rule_that_is_sure_keeps_its_fragment(chat: ChatModel) -> None:
    source = enrich(document(child("1. Open.\n2. Close.", "Setup", kind="list")), 256, count)
    assert suggested(chat, source).document.children[0].fragment == "step"


def test_a_busy_server_is_asked_again_and_a_dead_one_is_named(chat: ChatModel) -> None:
    busy = iter((503, 429))
    chat.answer = lambda _: next(busy, GOOD)
    assert suggested(chat).asked == 1
    assert len(chat.asked) == 3
    chat.answer = lambda _: 503
    with pytest.raises(ModelUnavailable, match="did not answer in 3 attempts"):
        suggested(chat)
    chat.answer = lambda _: 401
    with pytest.raises(ModelRefused, match="status 401"):
        suggested(chat)
