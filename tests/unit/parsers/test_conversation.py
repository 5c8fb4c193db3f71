"""Which messages are noise, and which take another one back."""

from __future__ import annotations

import json

import pytest

import parsers
from kprep.core.errors import CorruptDocument, OnlyChatter
from kprep.core.models import ElementKind, ParsedDocument, RawDocument
from parsers.chatter import kind_of
from parsers.contradiction import WITHIN_A_THREAD, contradicts
from parsers.media_type import detect


def parsed(*messages: dict[str, object]) -> ParsedDocument:
    lines = [{"kprep_conversation": 1}, *({"id": str(at), "author": "Ana", **one} for at, one in enumerate(messages))]
    content = "\n".join(json.dumps(line) for line in lines).encode()
    media_type = detect("t.jsonl", content)
    return parsers.parse(RawDocument("chat/t", "t.jsonl", content, media_type), parsers.parser_for(media_type))


@pytest.mark.req("D2.34")
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Good morning all!", ElementKind.GREETING),
        ("hi @Ben", ElementKind.GREETING),
        ("thanks a lot :+1:", ElementKind.CHATTER),
        ("👍🎉", ElementKind.CHATTER),
        ("ok sounds good", ElementKind.CHATTER),
        ("The limit is 5", ElementKind.PARAGRAPH),
        ("Hello, the server db7 is down again", ElementKind.PARAGRAPH),
        ("No refunds for vouchers", ElementKind.PARAGRAPH),
    ],
)
def test_greetings_and_chatter_are_told_from_what_says_something(text: str, kind: ElementKind) -> None:
    assert kind_of(text) is kind


@pytest.mark.req("D2.34")
@pytest.mark.parametrize(
    ("earlier", "later", "answer"),
    [
        ("The travel allowance is 40 euros per day.", "The daily travel allowance is 60 euros.", True),
        ("The travel allowance is 40 euros per day.", "The daily travel allowance is 40 euros.", False),
        ("A refund takes 10 days.", "A refund takes 14 days after the parcel came back.", True),
        ("A refund takes 10 days.", "A refund takes 14 minutes to enter.", False),
        ("The data export takes 10 days.", "The mail export takes 14 days.", False),
        ("Is the limit 10 units a region?", "The limit is 20 units a region.", False),
        ("Vouchers are paid out in cash.", "Vouchers are not paid out in cash.", True),
        ("Vouchers are paid out in cash.", "Vouchers expire in March.", False),
    ],
)
def test_statements_differ_by_figures_or_a_not(earlier: str, later: str, answer: bool) -> None:
    assert contradicts(earlier, later) is answer


def test_inside_a_thread_less_has_to_be_the_same() -> None:
    pair = ("The quota of the west region office is 40.", "The quota of all west region seats is 60.")
    assert not contradicts(*pair)
    assert contradicts(*pair, WITHIN_A_THREAD)


def test_a_later_message_takes_an_earlier_one_back() -> None:
    document = parsed(
        {"text": "We host the service in Frankfurt."},
        {"text": "Actually we no longer host the service in Frankfurt, it moved to Oslo.", "author": "Ben"},
    )
    marks = [element.fragment for element in document.elements if element.kind is ElementKind.PARAGRAPH]
    assert marks == ["outdated", ""]
    assert [unit.state for unit in document.units] == ["outdated", "ok"]


def test_only_chatter_and_damage_are_named() -> None:
    with pytest.raises(OnlyChatter) as refused:
        parsed({"text": "hi all"}, {"text": "thanks"})
    assert refused.value.reason == "only_chatter"
    spec = parsers.parser_for("application/vnd.kprep.conversation+jsonl")
    for content in (b'{"kprep_conversation": 1}\n{"text": ', b"[]", b'{"a": 1}'):
        with pytest.raises(CorruptDocument):
            spec.parse(RawDocument("chat/t", "t.jsonl", content, spec.media_types[0]))
