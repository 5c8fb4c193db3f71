"""Named things in a chunk: what a pattern is sure of, and what the document itself names by a heading, an operation or
a symbol, wherever else it stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from kprep.core.models import ChildChunk, ChunkedDocument, Entity

MOST_NAMES = 2_000
"""Names of one document that are looked for."""
_METHOD = r"GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS"
_OPERATION = re.compile(rf"(?:{_METHOD}) /[\w\-./{{}}:]*[\w}}]|(?:{_METHOD}) /")
_PATTERNS: tuple[tuple[str, float, re.Pattern[str]], ...] = (
    ("api", 0.95, re.compile(rf"\b(?:{_METHOD}) /[\w\-./{{}}:]*[\w}}]")),
    ("api_path", 0.8, re.compile(r"(?<![\w./:])/(?:v\d+|api)(?:/[\w\-.]+|/\{\w+\}|/:\w+)+")),
    (
        "error_code",
        0.95,
        re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:ERR|ERROR|FAULT|FAILED|FAILURE)(?:_[A-Z0-9]+)*\b"),
    ),
    (
        "error_code",
        0.95,
        re.compile(r"\b(?:ERR|ERROR|FAULT)(?:_[A-Z0-9]+)+\b|\b(?:ORA|SQLSTATE|ERR|TS|CS|MSB)-?\d{4,6}\b"),
    ),
    ("policy", 0.8, re.compile(r"\b(?:[A-Z][a-z]+(?:-[A-Z]?[a-z]+)? ){1,4}(?:Policy|Directive|Regulation)\b")),
    ("policy", 0.9, re.compile(r"(?<=《)[^《》\n]{2,40}(?=》)")),
    ("module", 0.8, re.compile(r"\b[A-Z][A-Za-z]+(?: [A-Z][A-Za-z]+)? Module\b")),
    ("module", 0.7, re.compile(r"\b[a-z]+(?:-[a-z]+)*-service\b")),
)
_CODE_NEAR_ERROR = re.compile(r"(?<![<\w])[A-Z]{1,6}[-_]?\d{3,6}\b")
_ERROR_WORD = re.compile(r"\berrors?\b|\bfehler|错误|\berreurs?\b", re.IGNORECASE)
_ARTICLES = frozenset(
    ("The", "This", "Our", "Your", "Each", "Any", "A", "An", "That", "See", "All", "No", "New", "Under")
)
_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*[.)]?|[A-Z]\.|§\s*\d+)\s+|\s+(?:v?\d+(?:\.\d+)*|\(?(?:19|20)\d\d\)?)$")
_POLICY_NAME = re.compile(
    r"(?:\S+ ){1,6}(?:policy|directive|regulations?)|[\w-]+(?:richtlinie|ordnung|verordnung)|"
    r"\S{2,20}(?:制度|办法|条例|政策)",
    re.IGNORECASE,
)
_MODULE_NAME = re.compile(
    r"(?:the )?(?P<before>(?:[\w-]+ ){1,3})module|module:? (?P<after>[\w-]+(?: [\w-]+)?)|(?P<zh>\S{2,12})模块",
    re.IGNORECASE,
)
_TELLING = re.compile(r"[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|[A-Za-z]\d|[A-Z]{2}")
"""In a symbol that is no plain word: two humps, an underscore, a digit."""

_WORD = re.compile(r"\b[A-Za-z_]\w*", re.ASCII)
Names = Mapping[str, tuple[str, str, float]]
"""Name -> (kind, origin, confidence)."""


def names_of(document: ChunkedDocument) -> Names:
    """What the document names itself: policies and modules by title or heading, operations and schemas of an interface
    description, symbols of code. A name that may be a plain word ("Order") is left out."""
    found: dict[str, tuple[str, str, float]] = {}
    headings = dict.fromkeys(part for parent in document.parents for part in parent.heading_path)
    for heading in [document.title, *headings]:
        name = _NUMBER.sub("", heading.strip())
        module = _MODULE_NAME.fullmatch(name)
        if _POLICY_NAME.fullmatch(name):
            found.setdefault(name, ("policy", "heading", 0.9))
        elif module:
            called = (module["before"] or module["after"] or module["zh"]).strip()
            telling = " " in called or not called.isascii() or _TELLING.search(called)
            if called.split(" ")[0].title() not in _ARTICLES:
                found.setdefault(called if telling else name, ("module", "heading", 0.8))
    for child in document.children:
        heading = child.heading_path[-1] if child.heading_path else ""
        operation = _OPERATION.match(heading)
        if operation:
            found.setdefault(operation.group(), ("api", "operation", 1.0))
        elif child.fragment == "schema" and _TELLING.search(heading) and " " not in heading:
            found.setdefault(heading, ("api", "schema", 0.9))
        elif child.kind == "code" and _TELLING.search(heading.strip("_")) and heading.isidentifier():
            found.setdefault(heading, ("symbol", "code", 0.8))
    return {name: found[name] for name in list(found)[:MOST_NAMES]}


def entity_finder(names: Names) -> Callable[[ChildChunk], tuple[Entity, ...]]:
    """What finds the entities of a chunk's text, the repeated table header left out, in order of appearance, each once;
    none where no rule is sure. An operation or policy that the chunk stands below counts, too."""
    ordered = sorted((name for name in names if not _WORD.fullmatch(name)), key=len, reverse=True)
    known = re.compile("|".join([*map(_whole, ordered), _WORD.pattern]))

    def find(child: ChildChunk) -> tuple[Entity, ...]:
        text = child.text[len(child.lead) :]
        found: dict[tuple[str, str], tuple[int, Entity]] = {}
        for match in known.finditer(text) if names else ():
            if match.group() in names:
                kind, origin, confidence = names[match.group()]
                found.setdefault(
                    (kind, match.group()), (match.start(), Entity(kind, match.group(), origin, confidence))
                )
        for heading in child.heading_path:
            operation = _OPERATION.match(heading)
            name = operation.group() if operation else _NUMBER.sub("", heading.strip())
            if name in names and names[name][0] in ("api", "policy"):
                found.setdefault((names[name][0], name), (-1, Entity(names[name][0], name, *names[name][1:])))
        _by_pattern(child, text, found)
        operations = {value.split(" ", 1)[1] for kind, value in found if kind == "api" and " " in value}
        sure = [kept for (kind, value), kept in found.items() if not (kind == "api_path" and value in operations)]
        return tuple(entity for _, entity in sorted(sure, key=lambda kept: (kept[0], kept[1].kind, kept[1].value)))

    return find


def entities_of(child: ChildChunk) -> tuple[Entity, ...]:
    """Entities of a chunk by patterns alone."""
    return entity_finder({})(child)


def _by_pattern(child: ChildChunk, text: str, found: dict[tuple[str, str], tuple[int, Entity]]) -> None:
    for kind, confidence, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            value = _without_article(match.group()) if kind in ("policy", "module") else match.group().rstrip(".")
            if value:
                found.setdefault((kind, value), (match.start(), Entity(kind, value, "pattern", confidence)))
    if _ERROR_WORD.search(" ".join((*child.heading_path, child.lead))):
        for match in _CODE_NEAR_ERROR.finditer(text):
            value = match.group()
            found.setdefault(("error_code", value), (match.start(), Entity("error_code", value, "pattern", 0.7)))


def _whole(name: str) -> str:
    """The name as a whole word, where it begins and ends with a character of one that is not Chinese."""
    first, last = (r"\b" if re.match(r"[A-Za-z0-9_]", char) else "" for char in (name[0], name[-1]))
    return f"{first}{re.escape(name)}{last}"


def _without_article(value: str) -> str:
    """The name without a leading article; "" when nothing but the kind of thing is left ("The Policy")."""
    words = value.split(" ")
    while words and words[0] in _ARTICLES:
        words = words[1:]
    return " ".join(words) if len(words) > 1 or "-" in value or not value.isascii() else ""


def counted(entities: Sequence[Entity], kind: str) -> int:
    """How many entities are of a kind."""
    return sum(entity.kind == kind for entity in entities)
