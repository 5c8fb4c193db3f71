"""What kind of knowledge a chunk is, with how sure the rule is; nothing below `LEAST`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from enrichment.entities import counted
from enrichment.titles import question_of
from kprep.core.models import ChildChunk, Entity

LEAST = 0.6

_NUMBERED = re.compile(r"^\s*\d+[.)]\s", re.MULTILINE)
_ITEM = re.compile(r"^\s*(?:\d+[.)]|[-*+•])\s", re.MULTILINE)
_DEFINES = re.compile(r"what (?:is|are)\b|was (?:ist|sind)\b|definitions?\b|qu'est-ce que\b|什么是", re.IGNORECASE)
_IS_A = re.compile(
    r"(?:the |an? )?(?P<subject>[^.!?\n]{2,60}?)(?: \([^)]{1,40}\))? (?:is|are) (?:an?|the) \w", re.IGNORECASE
)
_ERROR_HEADING = re.compile(r"\berror|\bfehler|错误|\berreur|\bstatus codes?\b", re.IGNORECASE)
_HEADINGS = {
    "ex": re.compile(r"(?:worked )?examples?\b|beispiele?\b|exemples?\b|示例|例子", re.IGNORECASE),
    "form": re.compile(r"formulas?\b|formulae\b|equations?\b|derivation\b|formeln?\b|公式", re.IGNORECASE),
    "int": re.compile(r"intuitions?\b|the idea\b|in simple terms\b|anschaulich\b|直觉", re.IGNORECASE),
    "app": re.compile(r"applications?\b|use cases?\b|anwendung(?:en)?\b|应用", re.IGNORECASE),
}
_POLICY = re.compile(r"(?:[\w -]+ )?(?:policy|rules|obligations|requirements)|richtlinie|规定|政策", re.IGNORECASE)
_OPENINGS = {
    "ex": re.compile(
        r"(?:for example|for instance|e\.g\.|consider the following|zum beispiel|par exemple|例如)", re.IGNORECASE
    ),
    "int": re.compile(
        r"(?:intuitively|think of|imagine|in other words|put simply|in simple terms|anschaulich)", re.IGNORECASE
    ),
    "app": re.compile(r"(?:it |this )?(?:is |can be )?(?:used|applied) (?:to|for|in)\b", re.IGNORECASE),
}
_FORMULA = re.compile(
    r"(?:[\w)\]}]\s+[<>]?=\s+|(?<!\w)\w{1,2}(?:\([^()\s]*\))?[<>]?=|[\w)\]}]\s*[≤≥≈∝]\s*)[\w\\({\[∑∫√-]"
    r"|\\(?:frac|sum|int|sqrt)\b|[∑∫√∂∀∃]"
)
"""Names of three letters and more need spaces around "=": `amount=None` is an argument."""
_BINDS = re.compile(
    r"\b(?:must|shall|may not|is required to|are required to|is prohibited|muss|müssen|darf nicht)\b|必须|禁止",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"(?:q|question|frage|问)\s*[:：]\s*\S[^\n]*\n+\s*(?:a|answer|antwort|答)\s*[:：]", re.IGNORECASE
)


def fragment_of(child: ChildChunk, entities: Sequence[Entity]) -> tuple[str, float]:
    """(type, confidence 0..1): what the format itself says (1.0), else the first rule that applies; ("", 0.0) when
    none is at least `LEAST` sure."""
    if child.fragment:
        return child.fragment, 1.0
    found, confidence = _by_rule(child, entities)
    return (found, confidence) if confidence >= LEAST else ("", 0.0)


def _by_rule(child: ChildChunk, entities: Sequence[Entity]) -> tuple[str, float]:
    heading = child.heading_path[-1] if child.heading_path else ""
    errors, operations = counted(entities, "error_code"), counted(entities, "api")
    if child.kind != "code" and errors and _ERROR_HEADING.search(heading + child.lead):
        return "error", 0.9
    if child.kind != "code" and errors > 2:
        return "error", 0.8
    if child.kind in ("code", "table"):
        return child.kind, 1.0
    if child.kind == "list" and not question_of(child):
        numbered = len(_NUMBERED.findall(child.text)) / max(len(_ITEM.findall(child.text)), 1)
        return ("step", min(numbered, 0.95)) if numbered > 0.5 else ("", 0.0)
    return _by_words(child, heading, operations)


def _by_words(child: ChildChunk, heading: str, operations: int) -> tuple[str, float]:
    body = child.text[len(child.lead) :].lstrip()
    named = heading.strip(" .:0123456789")
    rules = (
        ("faq", 0.95, _QUESTION.match(body)),
        ("def", 0.9, _DEFINES.match(heading)),
        ("def", 0.8, _defines_heading(body, heading)),
        ("api", 0.9, operations and body.startswith(("GET ", "POST ", "PUT ", "PATCH ", "DELETE "))),
        *((fragment, 0.9, pattern.fullmatch(named)) for fragment, pattern in _HEADINGS.items()),
        ("policy", 0.9, _POLICY.fullmatch(named) and _BINDS.search(body)),
        ("faq", 0.8, question_of(child) or heading.rstrip().endswith(("?", "？"))),
        *((fragment, 0.7, pattern.match(body)) for fragment, pattern in _OPENINGS.items()),
        ("form", 0.7, len(_FORMULA.findall(body)) * 25 >= max(len(body.split()), 1)),
        ("policy", 0.7, len(_BINDS.findall(body)) > 1),
    )
    return next(((fragment, confidence) for fragment, confidence, holds in rules if holds), ("", 0.0))


def _defines_heading(text: str, heading: str) -> bool:
    """Whether the text begins "X is a ..." and X is what the heading names."""
    match = _IS_A.match(text)
    return bool(heading) and match is not None and match["subject"].casefold() == heading.casefold()
