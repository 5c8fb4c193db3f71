"""Styles and numbering of a Word file: what a paragraph is, and the number Word prints before it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kprep.core.models import ElementKind
from parsers.docx_xml import Node, attribute, child, is_on, local, value, whole

_HEADING = re.compile(r"heading ?(\d)$|\u6807\u9898 ?(\d)$|\u00fcberschrift ?(\d)$|titre ?(\d)$")
_KINDS = (
    (re.compile(r"^(?:toc ?\d|toc heading|table of contents|table of figures)"), ElementKind.TABLE_OF_CONTENTS),
    (re.compile(r"^caption|^beschriftung|\u9898\u6ce8"), ElementKind.CAPTION),
    (re.compile(r"quote|^zitat"), ElementKind.QUOTE),
    (re.compile(r"^(?:source )?code|^html preformatted|^preformatted|^macro|^plain text|^verbatim"), ElementKind.CODE),
    (re.compile(r"^(?:footnote|endnote) text"), ElementKind.FOOTNOTE),
    (re.compile(r"^list (?:bullet|number|paragraph bullet)"), ElementKind.LIST_ITEM),
)
_BULLET = "-"


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    """What a style says: kind, heading level (0 = none), numbering (id, level), whether its text is hidden or bold."""

    kind: ElementKind | None
    level: int
    numbering: tuple[str, int] | None
    hidden: bool
    bold: bool


class Styles:
    """Paragraph and character styles by id, inheritance followed."""

    def __init__(self, root: Node | None) -> None:
        self._nodes = (
            {attribute(node, "styleId") or "": node for node in root if local(node) == "style"}
            if root is not None
            else {}
        )
        self._read: dict[str, ParagraphStyle] = {}

    def get(self, style_id: str | None) -> ParagraphStyle:
        """The style of an id; an unknown id says nothing."""
        key = style_id or ""
        if key not in self._read:
            self._read[key] = self._resolve(key)
        return self._read[key]

    def _resolve(self, style_id: str) -> ParagraphStyle:
        kind, level, numbering, hidden, bold = None, 0, None, False, False
        for node in self._chain(style_id):
            name = (value(node, "name") or "").lower()
            paragraph, run = child(node, "pPr"), child(node, "rPr")
            level = level or _level_of_name(name) or _outline_level(paragraph)
            kind = kind or next((found for pattern, found in _KINDS if pattern.search(name)), None)
            numbering = numbering or numbering_of(paragraph)
            hidden = hidden or is_on(run, "vanish")
            bold = bold or is_on(run, "b")
        return ParagraphStyle(ElementKind.HEADING if level and kind is None else kind, level, numbering, hidden, bold)

    def _chain(self, style_id: str) -> list[Node]:
        """The style, the one it is based on, and so on; a circle ends where it closes."""
        chain: list[Node] = []
        seen: set[str] = set()
        while style_id in self._nodes and style_id not in seen:
            seen.add(style_id)
            chain.append(self._nodes[style_id])
            style_id = value(self._nodes[style_id], "basedOn") or ""
        return chain


def _level_of_name(name: str) -> int:
    match = _HEADING.match(name)
    if match:
        return min(int(next(group for group in match.groups() if group)), 6) or 1
    return {"title": 1, "subtitle": 2}.get(name, 0)


def _outline_level(paragraph: Node | None) -> int:
    """1..6 for Word's outline levels 0..8; 9 is body text."""
    level = whole(value(paragraph, "outlineLvl"), 9)
    return min(level + 1, 6) if level < 9 else 0


def heading_level(paragraph: Node | None, style: ParagraphStyle) -> int:
    """Level of a paragraph with these properties, 0 for no heading. What the paragraph itself says comes first."""
    if value(paragraph, "outlineLvl") is not None:
        return _outline_level(paragraph)
    return style.level if style.kind is ElementKind.HEADING else 0


def numbering_of(paragraph: Node | None) -> tuple[str, int] | None:
    """(list id, level from 0) in paragraph properties; other producers leave the level out. "0" switches off."""
    numbering = child(paragraph, "numPr")
    number_id = value(numbering, "numId")
    if number_id is None:
        return None
    return number_id, whole(value(numbering, "ilvl"), 0)


@dataclass(frozen=True, slots=True)
class _Level:
    """One level of a list definition."""

    form: str
    text: str
    start: int


class Numbering:
    """Counts list items and numbered headings in document order, as Word does."""

    def __init__(self, root: Node | None) -> None:
        self._abstract: dict[str, dict[int, _Level]] = {}
        self._lists: dict[str, tuple[str, dict[int, _Level]]] = {}
        self._counts: dict[str, dict[int, int]] = {}
        for node in root if root is not None else ():
            if local(node) == "abstractNum":
                self._abstract[attribute(node, "abstractNumId") or ""] = _levels(node)
        for node in root if root is not None else ():
            if local(node) == "num":
                self._add_list(node)

    def _add_list(self, node: Node) -> None:
        name, abstract = attribute(node, "numId") or "", value(node, "abstractNumId") or ""
        levels = dict(self._abstract.get(abstract, {}))
        key = abstract
        for override in (inner for inner in node if local(inner) == "lvlOverride"):
            depth = whole(attribute(override, "ilvl"), 0)
            start = value(override, "startOverride")
            before = levels.get(depth, _Level("decimal", f"%{depth + 1}.", 1))
            levels[depth] = _Level(before.form, before.text, whole(start, 1)) if start else before
            levels.update(_levels(override))
            key = f"{abstract}/{name}"  # an override counts on its own
        self._lists[name] = (key, levels)

    def marker(self, numbering: tuple[str, int]) -> str:
        """Number or "-" of the next paragraph of a list; "" when the list prints nothing."""
        key, levels = self._lists.get(numbering[0], (numbering[0], {}))
        depth = numbering[1]
        level = levels.get(depth)
        if level is None or level.form == "bullet":
            return _BULLET
        counts = self._counts.setdefault(key, {})
        for outer in (other for other in levels if other < depth):
            counts.setdefault(outer, levels[outer].start)  # a level that was skipped counts as begun
        counts[depth] = counts.get(depth, level.start - 1) + 1
        for deeper in [other for other in counts if other > depth]:
            del counts[deeper]
        if level.form == "none":
            return ""

        def number(match: re.Match[str]) -> str:
            wanted = int(match.group(1)) - 1
            shown = levels.get(wanted, level)
            return written(counts.get(wanted, shown.start), shown.form)

        return re.sub(r"%(\d)", number, level.text).strip()


def _levels(node: Node) -> dict[int, _Level]:
    found: dict[int, _Level] = {}
    for level in (inner for inner in node if local(inner) == "lvl"):
        depth = whole(attribute(level, "ilvl"), 0)
        found[depth] = _Level(
            value(level, "numFmt") or "decimal",
            value(level, "lvlText") or "",
            whole(value(level, "start"), 1),
        )
    return found


def written(number: int, form: str) -> str:
    """A number in one of Word's number formats; decimal for those not known."""
    if form in {"lowerLetter", "upperLetter"} and number > 0:
        letter = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letter.upper() if form == "upperLetter" else letter
    if form in {"lowerRoman", "upperRoman"} and 0 < number < 4000:
        roman = _roman(number)
        return roman if form == "upperRoman" else roman.lower()
    return f"{number:02d}" if form == "decimalZero" else str(number)


def _roman(number: int) -> str:
    signs = ((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"))
    out = ""
    for worth, sign in (*signs, (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")):
        out += sign * (number // worth)
        number %= worth
    return out
