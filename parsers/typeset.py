"""What a page says by how it is set, in signs: scripts above and below the line, formulas, readings of a word."""

from __future__ import annotations

import re

from parsers.mathml import Node, linear, tag_of

DELETION = "deletion"
_HIGH, _LOW = frozenset(("sup", "superscript")), frozenset(("sub", "subscript"))
DRAWN_APART = frozenset("del s strike kbd label input meter progress output".split())
"""What browsers draw apart from the words beside it, by a line through it or a box around it."""
_INLINE = frozenset(
    "a abbr b bdi bdo cite code em ext-link font i ins italic bold mark q small span strong u var xref".split()
)
_IN_LINE = _INLINE | _HIGH | _LOW | DRAWN_APART | {"math"}
_MARKS = frozenset("prooferr bookmarkstart bookmarkend commentrangestart commentrangeend".split())
_ORDINALS = frozenset("aoe\u00e8")
_LINKS = frozenset(("a", "xref"))
_BLOCK = re.compile(r"display:(?:block|flex|grid|table|list-item)")
_REFERENCES = frozenset(("doc-noteref", "noteref", "fn", "bibr", "table-fn"))
_NOTE = re.compile(r"[\w*\u2020\u2021]{1,4}(?:[,;\u2013-]\s*\w{1,4})*$")
_AFTER_A_SENTENCE = ".,;:!?\"'\u201d\u2019\u00bb"


def accept_deletions(root: Node) -> None:
    """Empty what was deleted from a page, as of tracked changes the accepted text is read; code apart, where it is half
    of a comparison."""
    for node in list(root.iter("del")):
        if not _is_code(node):
            _fill(node, "")


def spell_page(root: Node) -> None:
    """Put the signs into a page's tree, code apart. What is drawn apart from the words beside it, stands apart; a
    word's reading (ruby) stands behind it in brackets."""
    spell_marks(root)
    for node in root.iter():
        tag = tag_of(node)
        if tag == "rt" and next(node.getparent().iter("rp"), None) is None and "".join(node.itertext()).strip():
            _around(node, "(", ")")
        elif (tag in DRAWN_APART or (tag in _INLINE and _is_block(node))) and not _is_code(node):
            _part(node)


def spell_marks(root: Node) -> None:
    """Put signs for formulas and scripts into a tree of HTML or XML."""
    for node in list(root.iter()):
        tag = tag_of(node)
        if tag == "math" and not _is_code(node):
            _fill(node, linear(node))
            _part(node)
        elif (tag in _HIGH or tag in _LOW or (tag in _LINKS and _is_reference(node))) and not _is_code(node):
            before, after = _before(node), _after(node)
            said = "".join(node.itertext())
            is_note = tag not in _LOW and any(map(_is_reference, node.iter()))
            if tag not in _LINKS or not _in_script(node):
                _around(node, *script_signs(said, before, after, low=tag in _LOW, is_note=is_note))


def spell_runs(root: Node) -> None:
    """Put signs for raised and lowered runs into a tree of Office's XML; runs of one height in a row are one script."""
    for run in root.iter("{*}r"):
        height = _height(run)
        if not height or _height(_beside(run, -1)) == height:
            continue
        runs = [run]
        while _height(_beside(runs[-1], 1)) == height:
            runs.append(_beside(runs[-1], 1))
        texts = [text for one in runs for text in one if tag_of(text) == "t" and text.text]
        before, after = _run_text(_beside(run, -1))[-1:], _run_text(_beside(runs[-1], 1))[:1]
        sign, behind = script_signs("".join(text.text for text in texts), before, after, low=height < 0)
        if sign:
            texts[0].text = f"{sign}{texts[0].text}"
            texts[-1].text += behind


def _beside(run: Node, step: int) -> Node | None:
    """The run right before or behind, over marks that hold no words; None without one."""
    node = run
    while node is not None and (node is run or tag_of(node) in _MARKS):
        node = node.getnext() if step > 0 else node.getprevious()
    return node if node is not None and tag_of(node) == "r" else None


def _height(run: Node | None) -> int:
    """1 for a run above the line, -1 for one below it."""
    properties = next((inner for inner in run if tag_of(inner) == "rpr"), None) if run is not None else None
    if properties is None:
        return 0
    said = next((value for inner in properties if tag_of(inner) == "vertalign" for value in inner.attrib.values()), "")
    shift = properties.get("baseline") or "0"
    if said == "subscript" or shift.startswith("-"):
        return -1
    return int(said == "superscript" or shift.strip("0%") != "")


def _run_text(run: Node | None) -> str:
    return "".join(inner.text or "" for inner in run if tag_of(inner) == "t") if run is not None else ""


class Line:
    """Words of a paragraph as they come, each at its height: above the line (1), on it (0) or below it (-1)."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._scripts: list[tuple[int, int, int]] = []
        self._length = 0

    def say(self, text: str, height: int = 0) -> None:
        """Add words; those of one height in a row are one script."""
        start, self._length = self._length, self._length + len(text)
        self._pieces.append(text)
        if height and text:
            before = self._scripts[-1] if self._scripts else (0, -1, 0)
            joins = before[1:] == (start, height)
            self._scripts[len(self._scripts) - joins :] = [(before[0] if joins else start, self._length, height)]

    def __len__(self) -> int:
        return self._length

    @property
    def text(self) -> str:
        """The words without signs."""
        return "".join(self._pieces)

    def spelled(self) -> str:
        """The words, with signs for scripts."""
        text, at = self.text, 0
        pieces: list[str] = []
        for first, last, height in self._scripts:
            said = text[first:last].strip()
            start = first + len(text[first:last]) - len(text[first:last].lstrip())
            end = start + len(said)
            sign, behind = script_signs(said, text[max(start - 1, 0) : start], text[end : end + 1], low=height < 0)
            pieces += [text[at:start], sign, said, behind]
            at = end
        return "".join([*pieces, text[at:]])


def script_signs(said: str, before: str, after: str, *, low: bool, is_note: bool = False) -> tuple[str, str]:
    """What to put before and behind a script, so that it joins neither the sign before it nor the one after it.

    The mark of a note is in brackets, a power behind `^`, an index behind `_`; ordinals (`1st`) and numbers in formulas
    (`H2O`) stay as they are."""
    said = said.strip()
    if not said or not before.strip() or before in "[(":
        return "", ""
    if not low and _NOTE.match(said) and (is_note or (said.isdigit() and before in _AFTER_A_SENTENCE)):
        return "[", "]"
    if not (before.isalnum() or before in ")]}") or not (said[0].isalnum() or said[0] in "+\u2212\u2013-"):
        return "", ""
    if low:
        joins = said.isdigit() and before.isalpha() and not after.isdigit()
    else:
        joins = said.isalpha() and said.islower() and (len(said) > 1 or (before.isdigit() and said in _ORDINALS))
    if joins:
        return "", ""
    sign = "_" if low else "^"
    if re.fullmatch(r"[+\u2212\u2013-]?\w+", said):
        return sign, " " if after.isalnum() else ""
    return f"{sign}(", ")"


def _is_reference(node: Node) -> bool:
    """A link from the text to a note."""
    tag = tag_of(node)
    kinds = {node.get(name) for name in ("role", "epub:type", "{http://www.idpf.org/2007/ops}type", "ref-type")}
    if tag in _LINKS and kinds & _REFERENCES:
        return True
    return tag == "a" and (node.get("href") or "").startswith("#") and _in_script(node)


def _in_script(node: Node) -> bool:
    return any(tag_of(outer) in _HIGH for outer in node.iterancestors())


def _is_code(node: Node) -> bool:
    return any(tag_of(outer) == "pre" for outer in node.iterancestors())


def _is_block(node: Node) -> bool:
    return _BLOCK.search((node.get("style") or "").replace(" ", "")) is not None


def _before(node: Node) -> str:
    """The sign before a node in its block, "" without one."""
    while True:
        sibling, outer = node.getprevious(), node.getparent()
        if sibling is not None:
            return (sibling.tail or _line_text(sibling))[-1:]
        if outer is None or outer.text or tag_of(outer) not in _INLINE:
            return (outer.text or "")[-1:] if outer is not None else ""
        node = outer


def _after(node: Node) -> str:
    """The sign behind a node, "" without one."""
    following = node.getnext()
    return (node.tail or (_line_text(following) if following is not None else ""))[:1]


def _line_text(node: Node) -> str:
    """Words of a node that stands in a line, "" for any other."""
    return "".join(node.itertext()) if tag_of(node) in _IN_LINE else ""


def _fill(node: Node, text: str) -> None:
    for inner in list(node):
        node.remove(inner)
    node.text = text or None


def _around(node: Node, before: str, behind: str) -> None:
    node.text = f"{before}{node.text or ''}"
    if len(node):
        node[-1].tail = f"{node[-1].tail or ''}{behind}"
    else:
        node.text += behind


def _part(node: Node) -> None:
    """Blanks around a node where its words would join others."""
    said = "".join(node.itertext())
    if not said and tag_of(node) != "input":
        return
    if _before(node).isalnum() and (said[:1].isalnum() or not said):
        node.text = f" {node.text or ''}"
    if _after(node).isalnum() and (said[-1:].isalnum() or not said):
        node.tail = f" {node.tail or ''}"
