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
BESIDE_FACTOR = 1.15
"""For an example of what is asked about: it comes with the definition, not before it."""
DEFINES_FACTOR = 1.5
SUPERSEDED_FACTOR = 0.5


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


CONCEPT = _any(
    r"^\s*(?:what(?:['’]s| is| are)|define|meaning of|definition of)\b",
    r"^\s*(?:was (?:ist|sind|bedeutet|heißt)|definieren?)\b",
    r"^\s*(?:qu['’]est[- ]ce|que signifie|définir|définition)\b",
    r"^[\s¿]*(?:qué (?:es|son|significa)|definición)\b",
    r"是什么|什么是|何谓|的定义",
)
"""A question about a thing as such; what else it asks for ("what is the formula of ...") comes first."""
ASKS: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = (
    (
        ("int",),
        _any(
            r"\bexplain\b|\bsimpl[ey]\b|\bintuiti(?:on|vely)\b|in (?:simple|plain) words",
            r"\berklär|anschaulich|einfach gesagt",
            r"\bexpli(?:que|quez|quer|ca|car)\b|simplement|sencill",
            r"简单|直观|通俗",
        ),
    ),
    (
        ("ex", "code"),
        _any(
            r"\bexamples?\b|\bfor instance\b",
            r"\bbeispiele?\b",
            r"\bexemples?\b",
            r"\bejemplos?\b",
            "举例|例子|示例|实例",
        ),
    ),
    (
        ("form",),
        _any(
            r"\bformula[se]?\b|\bequations?\b|\bderiv(?:e|ation)\b",
            r"\bformeln?\b|\bgleichung(?:en)?\b|\bherleit",
            r"\bformules?\b|\béquations?\b",
            r"\bfórmulas?\b|\becuaci(?:ón|ones)\b",
            "公式|方程|推导",
        ),
    ),
    (
        ("step", "faq", "form", "app"),
        _any(
            r"^\s*how (?:do|does|can|to|should|would)\b|\bsteps?\b",
            r"^\s*wie (?:kann|mache|macht|geht|berechn|richte|muss)|\bschritte?\b",
            r"^\s*comment\b|\bétapes?\b",
            r"^[\s¿]*cómo\b|\bpasos\b",
            "怎么|怎样|如何|步骤",
        ),
    ),
    (
        ("app",),
        _any(
            r"\bused? for\b|\bapplications?\b|\bapplied\b",
            r"\banwendung|\bwofür\b|\bwozu\b",
            r"à quoi (?:sert|servent)",
            r"\bpara qué (?:sirve|se usa)|\baplicaci(?:ón|ones)\b",
            "用途|应用|用于",
        ),
    ),
    (("error",), _any(r"\berrors?\b", r"\bfehler\b", r"\berreurs?\b", r"\berrores\b", "错误|报错")),
)
"""Fragment types -> forms of a question that they answer, a pattern for each language. A how-to is answered by its
steps, or by a formula and what it is applied to."""
_SIMPLY = re.compile(r"\b(?:simply|in simple words|for beginners|explain like|einfach erkl)|简单", re.IGNORECASE)
_DEEPLY = re.compile(
    r"\b(?:derive|prove|proof|rigorous|in depth|in detail|formal(?:ly)?|herleit|beweis)|推导|证明", re.IGNORECASE
)
_SHARE = re.compile(r"0?\.[0-9]+|0|1(?:\.0+)?")
_OPINION = re.compile(r"\b(?:might|could|rumou?rs?|opinions?|speculat\w*|some say|maybe|possibly)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for beside its words. `fragments`: type -> factor. `depth` 0 (simple) .. 1 (deep), None: not
    said."""

    text: str
    fragments: Mapping[str, float]
    depth: float | None
    style: str
    assertive: bool
    identifiers: tuple[str, ...]


def asked(question: str, difficulty: str = "", style: str = "") -> Asked:
    """What the question's form asks for; `difficulty` and `style` given by the caller come first."""
    depth = level(difficulty)
    if depth is None:
        depth = 0.0 if _SIMPLY.search(question) else 1.0 if _DEEPLY.search(question) else None
    fragments = {name: FRAGMENT_FACTOR for names, pattern in ASKS if pattern.search(question) for name in names}
    if not fragments and CONCEPT.search(question):
        fragments |= {"def": FRAGMENT_FACTOR, "ex": BESIDE_FACTOR}
    return Asked(
        text=" ".join(question.casefold().split()),
        fragments=fragments,
        depth=depth,
        style=style.casefold(),
        assertive=not _OPINION.search(question),
        identifiers=identifiers_alone(question),
    )


def identifiers_alone(question: str) -> tuple[str, ...]:
    """Identifiers of a question that is nothing else but stop words ("ERR_1045 and F0002"), case folded; empty where
    other words stand in it."""
    found = tokens.identifiers(question)
    language = tokens.query_language(question)
    named = {part for name in found for part, _ in tokens.words(name, language)}
    return found if all(word in named for word, _ in tokens.words(question, language)) else ()


def level(value: Any) -> float | None:
    """Difficulty as 0 (basic) .. 1 (advanced), by a word or a number; None where it is not said."""
    if isinstance(value, str):
        written = value.strip().casefold()
        return float(written) if _SHARE.fullmatch(written) else LEVELS.get(written)
    return min(1.0, max(0.0, float(value))) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def factors(row: Mapping[str, Any], question: Asked, present: frozenset[str], least_truth: float) -> dict[str, float]:
    """Name of each signal with a say -> its factor; 0 blocks the hit.

    `row`: a chunk with its document's metadata. `present`: URIs among the hits. `least_truth`: a gate on
    `truth_confidence`, 0 for none.
    """
    metadata = row["metadata"]
    out: dict[str, float] = {}
    if _avoided(metadata.get("avoid_with"), question, row["language"]):
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
    if row["fragment"] in question.fragments:
        out["fragment"] = question.fragments[row["fragment"]]
    if question.identifiers and defines(row, question.identifiers):
        out["defines"] = DEFINES_FACTOR
    if present & set(metadata.get("superseded_by", ())):
        out["superseded"] = SUPERSEDED_FACTOR
    return {name: round(factor, 4) for name, factor in out.items() if factor != 1}


@dataclass(frozen=True, slots=True)
class Judge:
    """What documents, the view and the question's form say of a passage. `boost`: of the view, by fragment type."""

    question: Asked
    boost: Mapping[str, float]
    least_truth: float

    def blocks(self, row: Mapping[str, Any]) -> bool:
        """True for what must not come up for this question."""
        return 0 in factors(row, self.question, frozenset(), self.least_truth).values()

    def factors(self, row: Mapping[str, Any], present: frozenset[str]) -> dict[str, float]:
        """Name of each signal with a say -> its factor. `present`: URIs among the hits."""
        said = factors(row, self.question, present, self.least_truth)
        return said | ({"view": self.boost[row["fragment"]]} if row["fragment"] in self.boost else {})


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


def _avoided(said: Any, question: Asked, language: str) -> bool:
    """True when the question holds one of the words or phrases that must not bring this document up, in any form of the
    chunk's language (`steam engine`: "steam engines"); in scripts without spaces, anywhere."""
    phrases = [said] if isinstance(said, str) else said if isinstance(said, list) else []
    wanted = [" ".join(phrase.casefold().split()) for phrase in phrases if isinstance(phrase, str) and phrase.strip()]
    if not wanted:
        return False
    spoken = _stems(question.text, language)
    return any(
        phrase in question.text if tokens.is_unspaced(phrase) else _stems(phrase, language) in spoken
        for phrase in wanted
    )


def _stems(text: str, language: str) -> str:
    """Words as stems of a language, each between two spaces."""
    found = re.findall(r"\w+", text)
    return f" {' '.join(tokens.stemmed(word, language[:2]) for word in found)} " if found else f" {text} "


def _share(value: Any) -> float | None:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return min(1.0, max(0.0, float(value))) if number else None
