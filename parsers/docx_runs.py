"""The words of one Word paragraph: insertions accepted, deletions gone, hidden words apart, equations as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from kprep.core.models import Link
from parsers.docx_styles import Styles
from parsers.docx_xml import Node, attribute, child, is_on, local, value
from parsers.omml import latex

_THROUGH = frozenset(
    "ins moveTo smartTag sdt sdtContent fldSimple customXml dir bdo AlternateContent Choice object".split()
)
_TARGET = re.compile(r"\s*HYPERLINK\s+(?:\\l\s+)?\"?([^\"\s]+)")
_SIGNS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_TINY_HALF_POINTS = 4
_FONT_SIGNS: dict[str, dict[int, str]] = {
    "symbol": {
        **dict(enumerate("ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", ord("A"))),
        **dict(enumerate("αβχδεφγηιϕκλμνοπθρστυϖωξψζ", ord("a"))),
        **dict(enumerate("′≤⁄∞", 0xA2)),
        **dict(enumerate("↔←↑→↓°±″≥×∝∂•÷≠≡≈…", 0xAB)),
        **dict(enumerate("∏√⋅¬∧∨⇔⇐⇑⇒⇓", 0xD5)),
        0xE5: "∑",
        0xF2: "∫",
    },
    "wingdings": {0x6F: "☐", 0xA8: "☐", 0xE0: "→", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑"},
}
"""Font -> code below its private-use area -> the sign it draws there."""


@dataclass(slots=True)
class _Field:
    """An open field: what its code says so far, and where its result begins among the words."""

    start: int
    code: str = ""


@dataclass(slots=True)
class Words:
    """What a paragraph holds. `pages`: page breaks Word rendered inside; `leading`: those before its first word.
    `boxes`: text boxes anchored in it; `notes`: footnotes and endnotes referred to as (kind, id);
    `charts`, `diagrams`: relation ids of charts and SmartArt; `comments`: ids of comments about it; `fields`: those
    open at this word, the outermost first."""

    visible: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    boxes: list[Node] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    charts: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    diagrams: list[str] = field(default_factory=list)
    fields: list[_Field] = field(default_factory=list)
    pages: int = 0
    leading: int = 0
    bold: bool = True

    @property
    def text(self) -> str:
        return "".join(self.visible).strip()

    @property
    def hidden_text(self) -> str:
        return "".join(self.hidden).strip()


class RunReader:
    """Reads paragraphs; needs the styles (hidden ones), the targets of links and the marks of notes."""

    def __init__(
        self, styles: Styles, targets: dict[str, tuple[str, str]], marks: Mapping[tuple[str, str], str]
    ) -> None:
        self._styles = styles
        self._targets = targets
        self._marks = marks

    def read(self, paragraph: Node, *, in_table: bool = False) -> Words:
        """Words of a paragraph in order."""
        words = Words()
        style = self._styles.get(value(paragraph, "pPr", "pStyle"))
        self._children(paragraph, words, hide=style.hidden, white_shows=in_table or _shaded(paragraph))
        words.bold = words.bold and bool(words.text)
        return words

    def _children(self, node: Node, words: Words, *, hide: bool, white_shows: bool) -> None:
        for inner in node:
            name = local(inner)
            if name == "r":
                self._run(inner, words, hide=hide, white_shows=white_shows)
            elif name == "hyperlink":
                self._link(inner, words, hide=hide, white_shows=white_shows)
            elif name in {"oMath", "oMathPara"}:
                self._equation(inner, words)
            elif name == "sdt" and (box := child(inner, "sdtPr", "checkbox")) is not None:
                words.visible.append("[x]" if is_on(box, "checked") else "[ ]")
            elif name == "AlternateContent" and child(inner, "Choice") is None:
                self._children(child(inner, "Fallback") or [], words, hide=hide, white_shows=white_shows)
            elif name in _THROUGH:
                self._children(inner, words, hide=hide, white_shows=white_shows)

    def _equation(self, node: Node, words: Words) -> None:
        text = latex(node)
        around = "\n" if text.startswith("$$") else " "
        words.visible.append(f"{around}{text}{around}" if text else "")

    def _link(self, node: Node, words: Words, *, hide: bool, white_shows: bool) -> None:
        start = len(words.visible)
        self._children(node, words, hide=hide, white_shows=white_shows)
        anchor = attribute(node, "anchor")
        target = self._targets.get(attribute(node, "id") or "", ("", ""))[1]
        target = f"{target}#{anchor}" if anchor else target
        if target:
            words.links.append(Link("".join(words.visible[start:]).strip(), target))

    def _run(self, run: Node, words: Words, *, hide: bool, white_shows: bool) -> None:
        properties = child(run, "rPr")
        hidden = hide or self._is_hidden(properties, white_shows=white_shows)
        parts = words.hidden if hidden else words.visible
        before = len(parts)
        for inner in run:
            _follow_field(inner, words)
            self._run_part(inner, words, parts, white_shows=white_shows)
        if not hidden and any(part.strip() for part in parts[before:]):
            bold = child(properties, "b")
            words.bold = words.bold and bold is not None and is_on(properties, "b")

    def _run_part(self, node: Node, words: Words, parts: list[str], *, white_shows: bool) -> None:
        name = local(node)
        if name == "t":
            parts.append(node.text or "")
        elif name in _SIGNS:
            parts.append(_SIGNS[name])
        elif name == "sym":
            parts.append(_symbol(node))
        elif name == "lastRenderedPageBreak":
            words.pages += 1
            words.leading += 0 if "".join(words.visible).strip() else 1
        elif name in {"footnoteReference", "endnoteReference"}:
            note = name.removesuffix("Reference"), attribute(node, "id") or ""
            words.notes.append(note)
            parts.append(self._marks.get(note, ""))
        elif name == "commentReference":
            words.comments.append(attribute(node, "id") or "")
        elif name in {"drawing", "pict", "object"}:
            self._drawing(node, words)
        elif name == "AlternateContent":
            chosen = child(node, "Choice")
            for inner in chosen if chosen is not None else child(node, "Fallback") or ():
                self._run_part(inner, words, parts, white_shows=white_shows)
        elif name == "ruby":
            self._ruby(node, words, parts, white_shows=white_shows)
        elif name in _THROUGH:
            self._children(node, words, hide=parts is words.hidden, white_shows=white_shows)

    def _ruby(self, node: Node, words: Words, parts: list[str], *, white_shows: bool) -> None:
        """What is said above a word stands behind it in brackets."""
        for name, before, after in (("rubyBase", "", ""), ("rt", "(", ")")):
            start = len(parts)
            held = child(node, name)
            self._children(held if held is not None else (), words, hide=parts is words.hidden, white_shows=white_shows)
            if any(part.strip() for part in parts[start:]):
                parts[start:] = [before, *parts[start:], after]

    def _drawing(self, node: Node, words: Words) -> None:
        """Text boxes are read as blocks of their own; a picture gives its description."""
        inner = [found for found in node.iter() if local(found) == "txbxContent"]
        outermost = [box for box in inner if not any(local(parent) == "txbxContent" for parent in _between(box, node))]
        words.boxes.extend(outermost)
        words.charts.extend(attribute(part, "id") or "" for part in node.iter() if local(part) == "chart")
        words.diagrams.extend(attribute(part, "dm") or "" for part in node.iter() if local(part) == "relIds")
        if not inner:
            found = next((part for part in node.iter() if local(part) == "docPr"), None)
            said = attribute(found, "descr")
            words.visible.append(f" {said} " if said else "")

    def _is_hidden(self, properties: Node | None, *, white_shows: bool) -> bool:
        style = self._styles.get(value(properties, "rStyle"))
        if is_on(properties, "vanish") or (style.hidden and child(properties, "vanish") is None):
            return True
        size = value(properties, "sz") or ""
        white = (value(properties, "color") or "").upper() == "FFFFFF" and child(properties, "highlight") is None
        shaded = child(properties, "shd") is not None
        return (white and not white_shows and not shaded) or (size.isdigit() and int(size) <= _TINY_HALF_POINTS)


def _follow_field(node: Node, words: Words) -> None:
    """A field begins, says its code, or ends: one that leads somewhere is a link of the words of its result."""
    state = attribute(node, "fldCharType") if local(node) == "fldChar" else None
    if state == "begin":
        words.fields.append(_Field(len(words.visible)))
    elif local(node) == "instrText" and words.fields:
        words.fields[-1].code += node.text or ""
    elif state == "end" and words.fields:
        done = words.fields.pop()
        if found := _TARGET.match(done.code):
            target = ("#" if "\\l" in done.code else "") + found.group(1)
            words.links.append(Link("".join(words.visible[done.start :]).strip(), target))


def _between(node: Node, stop: Node) -> list[Node]:
    out = []
    for parent in node.iterancestors():
        if parent is stop:
            break
        out.append(parent)
    return out


def _shaded(paragraph: Node) -> bool:
    return child(paragraph, "pPr", "shd") is not None


def _symbol(node: Node) -> str:
    """A symbol font's character; of a private-use code what the font draws there, where that says something."""
    digits = attribute(node, "char") or ""
    code = int(digits, 16) if re.fullmatch(r"[0-9A-Fa-f]{1,4}", digits) else 0
    if code >= 0x20 and not 0xE000 <= code <= 0xF8FF:
        return chr(code)
    return _FONT_SIGNS.get((attribute(node, "font") or "").casefold(), {}).get(code & 0xFF, "")
