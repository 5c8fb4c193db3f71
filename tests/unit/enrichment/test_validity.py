"""What the first lines of a document say of its own validity."""

from __future__ import annotations

from typing import Any

import pytest

from enrichment.validity import validity_of
from kprep.core.models import ChildChunk, ChunkedDocument, DocumentMetadata, Link, Locator


def document(*texts: str, links: tuple[Link, ...] = (), front_matter: dict[str, Any] | None = None) -> ChunkedDocument:
    children = tuple(
        ChildChunk(
            key=f"k{number}",
            parent_key="p",
            kind="text",
            heading_path=("Travel",),
            text=text,
            lead="",
            start=0,
            end=len(text),
            overlap=0,
            locator=Locator(),
            links=links,
        )
        for number, text in enumerate(texts)
    )
    return ChunkedDocument("docs/travel.md", DocumentMetadata(front_matter=front_matter or {}), "Travel", (), children)


def said(*texts: str, **more: Any) -> dict[str, Any]:
    found = validity_of(document(*texts, **more))
    found.pop("stated", None)
    return found


@pytest.mark.req("D7.13")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Effective from 1 March 2026.", {"valid_from": "2026-03-01"}),
        ("Effective date: March 1st, 2026", {"valid_from": "2026-03-01"}),
        ("This policy takes effect on 2026-03-01.", {"valid_from": "2026-03-01"}),
        ("Version 3 | Valid from 01.03.2026 | Owner: Finance", {"valid_from": "2026-03-01"}),
        ("Diese Richtlinie ist gültig ab dem 1. März 2026.", {"valid_from": "2026-03-01"}),
        ("Diese Richtlinie tritt am 1. März 2026 in Kraft.", {"valid_from": "2026-03-01"}),
        ("Cette directive est en vigueur depuis le 1er mars 2026.", {"valid_from": "2026-03-01"}),
        ("本办法自2026年3月1日起施行。", {"valid_from": "2026-03-01"}),
        ("生效日期：2026年3月1日", {"valid_from": "2026-03-01"}),
        ("This guideline is valid until 31 December 2026.", {"valid_until": "2027-01-01"}),
        ("Expires on 2026-12-31", {"valid_until": "2027-01-01"}),
        ("有效期至2026年12月31日。", {"valid_until": "2027-01-01"}),
        ("It replaces travel-2024.md.", {"supersedes": "travel-2024.md"}),
        (
            "In force since 1 March 2026; valid until 31 May 2026. This version supersedes old/travel.docx.",
            {"valid_from": "2026-03-01", "valid_until": "2026-06-01", "supersedes": "old/travel.docx"},
        ),
    ],
)
def test_a_statement_of_its_own_is_read(text: str, expected: dict[str, str]) -> None:
    assert said(f"Whoever travels reads this first.\n{text}") == expected


@pytest.mark.parametrize(
    "text",
    [
        "Effective from 1 March 2026 the daily allowance is 40 EUR.",
        "From 1 March 2026 trains are booked by the team itself.",
        "A voucher is valid until 31 December 2026.",
        "The old card was valid until 31 December 2026, the new one is not.",
        "Effective from 3/4/2026.",
        "Effective from 31 February 2026.",
        "Effective from 1 March 2026.\nEffective from 1 April 2026.",
        "This policy replaces the oral agreements of the past.",
        "This tool replaces notes.txt and list.txt.",
        "Last changed on 1 March 2026.",
        "The parser replaces config.txt while it runs.",
    ],
)
def test_what_speaks_of_something_else_is_not(text: str) -> None:
    assert said(text) == {}


def test_a_link_names_what_is_replaced() -> None:
    links = (Link("Travel 2024", "../2024/travel.md#top"), Link("house rules", "rules.md"))
    text = "This policy replaces Travel 2024. See the house rules too."
    assert said(text, links=links) == {"supersedes": "../2024/travel.md"}


def test_front_matter_stands_and_later_text_is_not_read() -> None:
    assert said("Effective from 1 March 2026.", front_matter={"effective_date": "2025-01-01"}) == {}
    assert said("words " * 300, "Effective from 1 March 2026.") == {}


def test_the_sentence_is_kept() -> None:
    found = validity_of(document("Read this. Effective from 1 March 2026."))
    assert found["stated"] == {"valid_from": "Effective from 1 March 2026."}
