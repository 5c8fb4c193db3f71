"""What a document says of itself, when its passages are scored. Pure.

Each signal is a factor on a hit's score (1: no say). They multiply, so their order does not matter and each can be
shown. Metadata used: `truth_confidence`, `source_confidence` (0..1), `difficulty` (basic, intermediate, advanced, or
0..1), `style`, `avoid_with` (words or phrases); of the chunk its `fragment`; of the document what supersedes it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kprep.core.signals import LEVELS
from retrieval import tokens

SOURCE_WEIGHT = 0.3
"""A source of confidence 0 keeps 1 - 0.3 of its score: trust decides between equals and buries nothing."""
TRUTH_WEIGHT = 0.3
ASSERTIVE_WEIGHT = 0.8
"""What is doubtful is worth less to one who asks for a fact than to one who asks for an opinion."""
DEPTH_WEIGHT = 0.4
STYLE_FACTOR = 1.15
FRAGMENT_FACTOR = 1.3
DEFINES_FACTOR = 1.5
SUPERSEDED_FACTOR = 0.5

ASKS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), fragments)
    for pattern, fragments in (
        (
            r"^\s*(?:what (?:is|are)|define|meaning of|definition of|was (?:ist|sind)|qu'est-ce)\b|是什么|什么是",
            ("def", "term"),
        ),
        (
            r"\bexplain\b|\bsimpl[ey]\b|\bintuiti(?:on|vely)\b|in (?:simple|plain) words|erklär|anschaulich|简单|直观",
            ("int",),
        ),
        (r"\bexamples?\b|\bbeispiele?\b|\bexemples?\b|举例|例子", ("ex", "code")),
        (r"\bformulas?\b|\bequations?\b|\bderive\b|\bformel\b|公式", ("form",)),
        (
            r"^\s*how (?:do|can|to|should)\b|\bsteps?\b|^\s*wie (?:kann|mache|geht)\b|怎么|如何",
            ("step", "how", "app", "faq"),
        ),
        (r"\buse[ds]? for\b|\bapplications?\b|\banwendung", ("app",)),
        (r"\berrors?\b|\bfehler\b|错误", ("error",)),
    )
)
"""What a question asks for by its form -> fragment types that answer it."""
_SIMPLY = re.compile(r"\b(?:simply|in simple words|for beginners|explain like|einfach erkl)|简单", re.IGNORECASE)
_DEEPLY = re.compile(
    r"\b(?:derive|prove|proof|rigorous|in depth|in detail|formal(?:ly)?|herleit|beweis)|推导|证明", re.IGNORECASE
)
_OPINION = re.compile(r"\b(?:might|could|rumou?rs?|opinions?|speculat\w*|some say|maybe|possibly)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for beside its words. `depth` 0 (simple) .. 1 (deep), None: not said."""

    text: str
    fragments: frozenset[str]
    depth: float | None
    style: str
    assertive: bool
    identifiers: tuple[str, ...]


def asked(question: str, difficulty: str = "", style: str = "") -> Asked:
    """What the question's form asks for; `difficulty` and `style` given by the caller come first."""
    depth = level(difficulty)
    if depth is None:
        depth = 0.0 if _SIMPLY.search(question) else 1.0 if _DEEPLY.search(question) else None
    fragments = {name for pattern, names in ASKS if pattern.search(question) for name in names}
    found = tokens.identifiers(question)
    alone = found if found and " ".join(found) == " ".join(question.split()).casefold() else ()
    return Asked(
        text=" ".join(question.casefold().split()),
        fragments=frozenset(fragments),
        depth=depth,
        style=style.casefold(),
        assertive=not _OPINION.search(question),
        identifiers=alone,
    )


def level(value: Any) -> float | None:
    """Difficulty as 0 (basic) .. 1 (advanced); None where it is not said."""
    if isinstance(value, str):
        return LEVELS.get(value.strip().casefold())
    return min(1.0, max(0.0, float(value))) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def factors(row: Mapping[str, Any], question: Asked, present: frozenset[str], least_truth: float) -> dict[str, float]:
    """Name of each signal with a say -> its factor; 0 blocks the hit.

    `row`: a chunk with its document's metadata. `present`: URIs among the hits. `least_truth`: a gate on
    `truth_confidence`, 0 for none.
    """
    metadata = row["metadata"]
    out: dict[str, float] = {}
    if _avoided(metadata.get("avoid_with"), question):
        out["avoid_with"] = 0.0
    truth = _share(metadata.get("truth_confidence"))
    if truth is not None:
        weight = ASSERTIVE_WEIGHT if question.assertive else TRUTH_WEIGHT
        out["truth_confidence"] = 0.0 if truth < least_truth else 1 - weight * (1 - truth)
    source = _share(metadata.get("source_confidence"))
    if source is not None and source < 1:
        out["source_confidence"] = 1 - SOURCE_WEIGHT * (1 - source)
    depth = level(metadata.get("difficulty"))
    if question.depth is not None and depth is not None:
        out["difficulty"] = 1 + DEPTH_WEIGHT * (0.5 - abs(depth - question.depth))
    if question.style and str(metadata.get("style", "")).casefold() == question.style:
        out["style"] = STYLE_FACTOR
    if row["fragment"] and row["fragment"] in question.fragments:
        out["fragment"] = FRAGMENT_FACTOR
    if question.identifiers and defines(row, question.identifiers):
        out["defines"] = DEFINES_FACTOR
    if present & set(metadata.get("superseded_by", ())):
        out["superseded"] = SUPERSEDED_FACTOR
    return {name: round(factor, 4) for name, factor in out.items() if factor != 1}


def defines(row: Mapping[str, Any], identifiers: Sequence[str]) -> bool:
    """True when a line of the chunk, or its own heading, begins with an identifier and goes on to say what it is.

    A table row or list item that begins with a code explains it; a sentence with the code in it only mentions it.
    """
    heading = row["heading_path"][-1] if row["heading_path"] else ""
    lines = [re.sub(r"^[\s|>*#`-]+", "", line).casefold() for line in (heading, *row["text"].split("\n"))]
    return any(
        line.startswith(name) and not re.match(r"[\w.]", line[len(name) : len(name) + 1])
        for line in lines
        for name in identifiers
    )


def _avoided(said: Any, question: Asked) -> bool:
    """True when the question holds one of the words or phrases that must not bring this document up."""
    phrases = [said] if isinstance(said, str) else said if isinstance(said, list) else []
    return any(
        isinstance(phrase, str)
        and phrase.strip()
        and re.search(rf"(?<!\w){re.escape(' '.join(phrase.casefold().split()))}(?!\w)", question.text)
        for phrase in phrases
    )


def _share(value: Any) -> float | None:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return min(1.0, max(0.0, float(value))) if number else None
