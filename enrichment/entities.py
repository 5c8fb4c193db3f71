"""Named things that a pattern is sure of: (kind, value) pairs, in order of appearance, each once."""

from __future__ import annotations

import re

from kprep.core.models import ChildChunk

_METHOD = r"GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS"
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("api", re.compile(rf"\b(?:{_METHOD}) /[\w\-./{{}}:]*[\w}}]")),
    ("api_path", re.compile(r"(?<![\w./:])/(?:v\d+|api)(?:/[\w\-.]+|/\{\w+\}|/:\w+)+")),
    ("error_code", re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:ERR|ERROR|FAULT|FAILED|FAILURE)(?:_[A-Z0-9]+)*\b")),
    ("error_code", re.compile(r"\b(?:ERR|ERROR|FAULT)(?:_[A-Z0-9]+)+\b|\b(?:ORA|SQLSTATE|ERR|TS|CS|MSB)-?\d{4,6}\b")),
    ("policy", re.compile(r"\b(?:[A-Z][a-z]+(?:-[A-Z]?[a-z]+)? ){1,4}(?:Policy|Directive|Regulation)\b")),
    ("module", re.compile(r"\b[A-Z][A-Za-z]+(?: [A-Z][A-Za-z]+)? Module\b|\b[a-z]+(?:-[a-z]+)*-service\b")),
)
_CODE_NEAR_ERROR = re.compile(r"(?<![<\w])[A-Z]{1,6}[-_]?\d{3,6}\b")
_ERROR_WORD = re.compile(r"\berrors?\b|\bfehler|错误|\berreurs?\b", re.IGNORECASE)
_ARTICLES = frozenset(
    ("The", "This", "Our", "Your", "Each", "Any", "A", "An", "That", "See", "All", "No", "New", "Under")
)


def entities_of(child: ChildChunk) -> tuple[tuple[str, str], ...]:
    """Entities of the text, the repeated table header left out; empty when no pattern is sure."""
    text = child.text[len(child.lead) :]
    found: dict[tuple[str, str], int] = {}
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            value = _without_article(match.group()) if kind in ("policy", "module") else match.group().rstrip(".")
            if value:
                found.setdefault((kind, value), match.start())
    if _ERROR_WORD.search(" ".join((*child.heading_path, child.lead))):
        for match in _CODE_NEAR_ERROR.finditer(text):
            found.setdefault(("error_code", match.group()), match.start())
    operations = {value.split(" ", 1)[1] for kind, value in found if kind == "api"}
    sure = [entity for entity in found if not (entity[0] == "api_path" and entity[1] in operations)]
    return tuple(sorted(sure, key=lambda entity: (found[entity], entity)))


def _without_article(value: str) -> str:
    """The name without a leading article; "" when nothing but the kind of thing is left ("The Policy")."""
    words = value.split(" ")
    while words and words[0] in _ARTICLES:
        words = words[1:]
    return " ".join(words) if len(words) > 1 or "-" in value else ""
