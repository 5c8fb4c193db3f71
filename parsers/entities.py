"""Entities that a page or an XML file declares itself (`<!ENTITY product "Widget">`), put in as text.

Only what the file says in its own declarations, as words without tags; nothing is fetched. What leads elsewhere, is
nested too deep or too long stays as it is written.
"""

from __future__ import annotations

import html
import re

ENTITY = "entity"
"""Kind of the recorded exclusion of one that is not put in."""
MAX_CHARS = 2_000
"""Characters of one entity."""
MAX_DEPTH = 8
"""Entities inside one another."""
MAX_PUT_IN = 1_000_000
"""Characters put into one file."""

_HEAD = 100_000
"""Characters in which a document type is looked for."""
_SUBSET = re.compile(r"(?<=<!DOCTYPE)(\s[^\[<>]*)\[(.*?)\]\s*(?=>)", re.DOTALL | re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_DECLARATION = re.compile(r"""<!ENTITY\s+([\w.:-]+)\s+(?:"([^"]*)"|'([^']*)'|(SYSTEM|PUBLIC)\b)""")
_REFERENCE = re.compile(r"<!\[CDATA\[.*?\]\]>|<!--.*?-->|&([\w.:-]+);", re.DOTALL)
_INNER = re.compile(r"&([\w.:-]+);")
_NUMBER = re.compile(r"&#(?:\d{1,7}|x[0-9A-Fa-f]{1,6});")
_TAG = re.compile(r"<[^<>]*>")
_OF_XML = frozenset("lt gt amp quot apos".split())


def put_in(text: str) -> tuple[str, list[str]]:
    """The text with the words of its entities in place of their names, on the same lines; names of those that were left
    out, which stand in it as they were written."""
    subset = _SUBSET.search(text, 0, _HEAD)
    declared = _declared(subset[2]) if subset else {}
    if not subset or not declared:
        return text, []
    left: dict[str, None] = {}
    put = 0

    def said(found: re.Match[str]) -> str:
        nonlocal put
        name = found[1]
        if name not in declared:
            return found[0]
        value = declared[name]
        if value is None or put + len(value) > MAX_PUT_IN:
            left[name] = None
            return f"&amp;{name};"
        put += len(value)
        return value

    return text[: subset.end()] + _REFERENCE.sub(said, text[subset.end() :]), list(left)


def without_declarations(text: str) -> str:
    """The text without what its document type declares, on the same lines."""
    subset = _SUBSET.search(text, 0, _HEAD)
    return text if subset is None else text[: subset.start()] + "\n" * subset[0].count("\n") + text[subset.end() :]


def _declared(subset: str) -> dict[str, str | None]:
    """Name -> its words, escaped; None for what is elsewhere or too much. The first declaration holds."""
    written: dict[str, str | None] = {}
    for name, double, single, elsewhere in _DECLARATION.findall(_COMMENT.sub(" ", subset)):
        written.setdefault(name, None if elsewhere else double or single)
    expanded: dict[str, str | None] = {}
    for name in written:
        _expand(name, written, expanded, 1)
    return {name: _words(value) for name, value in expanded.items() if name not in _OF_XML}


def _words(value: str | None) -> str | None:
    return None if value is None else html.escape(re.sub(r"\s+", " ", html.unescape(_TAG.sub("", value))))


def _expand(name: str, written: dict[str, str | None], expanded: dict[str, str | None], depth: int) -> str | None:
    """The value with what it refers to in place; each is expanded once, one inside itself is too much."""
    if name in expanded:
        return expanded[name]
    expanded[name] = None
    value = written[name]
    if value is None or depth > MAX_DEPTH:
        return None
    pieces, end, length = [], 0, len(value)
    for found in _INNER.finditer(value):
        inner = _expand(found[1], written, expanded, depth + 1) if found[1] in written else found[0]
        length += len(inner or "")
        if inner is None or length > MAX_CHARS:
            return None
        pieces += [value[end : found.start()], inner]
        end = found.end()
    if length <= MAX_CHARS:
        whole = "".join([*pieces, value[end:]])
        expanded[name] = _NUMBER.sub(lambda number: html.unescape(number[0]), whole)
    return expanded[name]
