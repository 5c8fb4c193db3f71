"""Blocks of AsciiDoc by their lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from kprep.core.models import Element, ElementKind, Locator, table_text
from parsers.anchors import Slugger
from parsers.asciidoc_inline import image_text, inline
from parsers.asciidoc_table import table_rows
from parsers.decoding import Line

_SECTION = re.compile(r"(={1,6}|#{1,6})\s+(\S.*?)(?:\s+\1)?\s*$")
_ATTRIBUTE = re.compile(r":!?([\w-]+)!?:(?:\s+(.*))?$")
_FENCE = re.compile(r"(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|--|```[\w+#.-]*|[|,:!]={3,})\s*$")
_BRACKET = re.compile(r"\[([^\[\]]*(?:\"[^\"]*\"[^\[\]]*)*)\]\s*$")
_ANCHOR = re.compile(r"\[\[([\w:.-]+)(?:,[^\]]*)?\]\]\s*$|\[(?:id=[\"']?|#)([\w{}:.-]+)")
_TITLE = re.compile(r"\.(?![.\s])(\S.*)$")
_ITEM = re.compile(r"(\s*)(\*{1,5}|-|\.{1,5}|\d{1,3}\.|[a-zA-Z]\.|<(?:\d{1,3}|\.)>)\s+(?=\S)")
_TERM = re.compile(r"(\s*)(\S.*?)(:{2,4}|;;)(?:\s+(.*))?$")
_PICTURE = re.compile(r"(?:image|video|audio)::\S*\[.*\]\s*$")
_DIRECTIVE = re.compile(r"(?:toc|leveloffset)::?\S*\[.*\]\s*$")
_AUTHOR = re.compile(r"[^\W\d_][\w.'-]*(?: [\w.'-]+){1,3}(?: <\S+@\S+>)?$")
_BREAK = re.compile(r"(?:'{3,}|<{3,}|-{3}|\*{3}|\+)\s*$")
_ADMONITION = re.compile(r"\[(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\b")
_SAID_BY = re.compile(r"\[(?:quote|verse)\b[^,\]]*,\s*(.*?)\s*\]$")
_LISTING = {"-", ".", "`", "+"}
MAX_DEPTH = 30


class AsciidocReader:
    """Reads blocks; then `attributes` holds what the document's header says."""

    def __init__(self) -> None:
        self.attributes: dict[str, str] = {}
        self._slugger = Slugger()
        self._anchor: str | None = None
        self._named: str | None = None
        self._bracket = ""
        self._said_by: Line | None = None
        self._above: Line | None = None
        self._stack: list[tuple[int, str]] = []

    def blocks(self, lines: Sequence[Line], kind: ElementKind | None = None, depth: int = 0) -> Iterator[Element]:
        """Elements of the lines. `kind`: what a paragraph in them is, where its holder says so."""
        at = 0
        while at < len(lines):
            text = lines[at].text
            if not text.strip() or self._is_silent(lines[at]):
                self._above = lines[at] if _ADMONITION.match(text) else self._above
                at += 1
                continue
            fence = _FENCE.match(text)
            said_by, self._said_by = self._said_by, None
            if said_by is not None:
                yield self._attribution(said_by)
            if fence and (end := _closing(lines, at, fence.group(1))) is not None:
                yield from self._delimited(lines[at : end + 1], fence.group(1), kind, depth)
                at = end + 1
                self._bracket = ""
            else:
                used, found = self._block(lines, at, ElementKind.QUOTE if said_by else kind)
                yield from found
                at += max(used, 1)

    def _is_silent(self, line: Line) -> bool:
        """A line that says something about what follows, or nothing; remembered."""
        text = line.text
        attribute = _ATTRIBUTE.match(text)
        if attribute:
            self.attributes.setdefault(attribute.group(1), attribute.group(2) or "")
            return True
        if text.startswith("//") and not text.startswith("////"):
            return True
        anchor = _ANCHOR.match(text)
        if anchor:
            self._named = anchor.group(1) or anchor.group(2)
        if _BRACKET.match(text) or _SAID_BY.match(text) or (anchor and text.rstrip().endswith("]]")):
            self._bracket = text.strip() if not anchor or "," in text else self._bracket
            self._said_by = line if _SAID_BY.match(text) else self._said_by
            return True
        return bool(_BREAK.match(text) or _DIRECTIVE.match(text))

    def _delimited(self, lines: Sequence[Line], fence: str, kind: ElementKind | None, depth: int) -> Iterator[Element]:
        inner = lines[1:-1]
        sign = fence[0]
        if fence.endswith("===") and sign in "|,:!":
            yield from self._table(lines, [line.text for line in inner], sign)
            return
        if sign == "/" or not inner:
            return
        if (sign in _LISTING and fence != "--") or (fence == "--" and "source" in self._bracket):
            language = (fence.strip("`") if sign == "`" else "") or _language(self._bracket)
            text = "\n".join(line.text for line in inner)
            yield replace(self._element(ElementKind.CODE, inner, text), language=language)
        elif depth < MAX_DEPTH:
            self._stack = []
            label, self._bracket = _ADMONITION.match(self._bracket), ""
            found = self.blocks(inner, ElementKind.QUOTE if sign == "_" else kind, depth + 1)
            yield from self._labelled(label.group(1), found) if label else found
        else:
            yield self._element(ElementKind.PARAGRAPH, inner, "\n".join(line.text for line in inner))

    def _labelled(self, label: str, found: Iterator[Element]) -> Iterator[Element]:
        """The elements of an admonition, the first with its label, as the short form `NOTE: ...` has it."""
        above = self._above
        first = next(found, None)
        if above is not None and first is not None and first.kind is ElementKind.PARAGRAPH:
            _, end = first.locator.line or (0, above.number)
            _, last = first.locator.char or (0, above.end)
            place = replace(first.locator, line=(above.number, end), char=(above.start, last))
            yield replace(first, text=f"{label}: {first.text}", locator=place)
        elif above is not None:
            yield self._element(ElementKind.PARAGRAPH, [above], f"{label}:")
            yield from () if first is None else (first,)
        yield from found

    def _attribution(self, line: Line) -> Element:
        """Who said what a quotation says, and where."""
        match = _SAID_BY.match(line.text)
        assert match is not None
        words, links = inline(match.group(1))
        return replace(self._element(ElementKind.PARAGRAPH, [line], words), links=links)

    def _block(self, lines: Sequence[Line], at: int, kind: ElementKind | None) -> tuple[int, Iterator[Element]]:
        line = lines[at]
        section = _SECTION.match(line.text)
        if section:
            return self._section(lines, at, section)
        title = _TITLE.match(line.text)
        if title:
            words, links = inline(title.group(1))
            return 1, iter([replace(self._element(ElementKind.CAPTION, [line], words), links=links)])
        if _PICTURE.match(line.text):
            said = image_text(line.text)
            return 1, iter([self._element(ElementKind.CAPTION, [line], said)] if said else [])
        if line.text.lstrip().startswith("|") and "|" in line.text.strip()[1:]:
            end = _run(lines, at, lambda text: text.lstrip().startswith("|"))
            return end - at, self._table(lines[at:end], [one.text.rstrip().rstrip("|") for one in lines[at:end]])
        item = _ITEM.match(line.text)
        if item:
            return self._item(lines, at, item)
        term = _TERM.match(line.text)
        if term and not line.text.lstrip().startswith("http"):
            return self._term(lines, at, term)
        return self._paragraph(lines, at, kind)

    def _section(self, lines: Sequence[Line], at: int, match: re.Match[str]) -> tuple[int, Iterator[Element]]:
        words, links = inline(match.group(2))
        self._anchor = self._named or self._slugger.take(words)
        self._named, self._stack, self._bracket = None, [], ""
        level = len(match.group(1))
        heading = replace(self._element(ElementKind.HEADING, [lines[at]], words), level=level, links=links)
        author = lines[at + 1].text.strip() if level == 1 and at + 1 < len(lines) else ""
        if _AUTHOR.match(author):
            self.attributes.setdefault("author", author.partition("<")[0].strip())
        return 1, iter([heading])

    def _item(self, lines: Sequence[Line], at: int, match: re.Match[str]) -> tuple[int, Iterator[Element]]:
        """One item: the level is how many kinds of marks, or indents, are open."""
        mark = match.group(2) if match.group(2)[0] in "*-." else ("1" if match.group(2)[0] != "<" else "<")
        key = (len(match.group(1)), mark)
        while key in self._stack and self._stack[-1] != key:
            self._stack.pop()
        if not self._stack or self._stack[-1] != key:
            self._stack = [held for held in self._stack if held[0] <= key[0]]
            self._stack.append(key)
        end = _run(lines, at + 1, _goes_on)
        text = "\n".join([lines[at].text[match.end() :], *(line.text.strip() for line in lines[at + 1 : end])])
        words, links = inline(text.strip())
        counts = match.group(2)[0] == "." or match.group(2)[-1] in ".>"
        marker = ("1." if match.group(2)[0] == "." else match.group(2).strip("<>")) if counts else "-"
        element = self._element(ElementKind.LIST_ITEM, lines[at:end], words)
        return end - at, iter([replace(element, level=len(self._stack), marker=marker, links=links)])

    def _term(self, lines: Sequence[Line], at: int, match: re.Match[str]) -> tuple[int, Iterator[Element]]:
        end = _run(lines, at + 1, _goes_on)
        said = [f"{match.group(2)}:", match.group(4) or "", *(line.text.strip() for line in lines[at + 1 : end])]
        words, links = inline(" ".join(part for part in said if part))
        return end - at, iter([replace(self._element(ElementKind.PARAGRAPH, lines[at:end], words), links=links)])

    def _paragraph(self, lines: Sequence[Line], at: int, kind: ElementKind | None) -> tuple[int, Iterator[Element]]:
        end = _run(lines, at + 1, _goes_on)
        text = "\n".join(line.text.strip() for line in lines[at:end])
        literal = lines[at].text[:1] == " " or "source" in self._bracket or "listing" in self._bracket
        if literal:
            code = "\n".join(line.text.rstrip() for line in lines[at:end])
            element = self._element(ElementKind.CODE, lines[at:end], code)
            language, self._bracket = _language(self._bracket), ""
            return end - at, iter([replace(element, language=language)])
        label, self._bracket = _ADMONITION.match(self._bracket), ""
        words, links = inline(re.sub(r" \+$", "", text, flags=re.MULTILINE))
        element = replace(self._element(kind or ElementKind.PARAGRAPH, lines[at:end], words), links=links)
        return end - at, self._labelled(label.group(1), iter([element])) if label else iter([element])

    def _table(self, lines: Sequence[Line], texts: Sequence[str], sign: str = "|") -> Iterator[Element]:
        rows, header_rows = table_rows(texts, self._bracket, sign)
        self._bracket = ""
        if rows:
            element = self._element(ElementKind.TABLE, lines, table_text(rows))
            yield replace(element, rows=rows, header_rows=header_rows)

    def _element(self, kind: ElementKind, lines: Sequence[Line], text: str) -> Element:
        first, last = lines[0], lines[-1]
        place = Locator(line=(first.number, last.number), char=(first.start, last.end), anchor=self._anchor)
        return Element(kind, text, place)


def _closing(lines: Sequence[Line], at: int, fence: str) -> int | None:
    """Index of the line that ends a block; None for a block that is never closed."""
    wanted = "```" if fence.startswith("```") else fence
    return next((end for end in range(at + 1, len(lines)) if lines[end].text.rstrip() == wanted), None)


def _run(lines: Sequence[Line], at: int, goes_on: Callable[[str], bool]) -> int:
    while at < len(lines) and goes_on(lines[at].text):
        at += 1
    return at


def _goes_on(text: str) -> bool:
    """A line that belongs to the paragraph or item above it."""
    ends = (_ITEM, _FENCE, _SECTION, _PICTURE, _BREAK, _DIRECTIVE, _BRACKET, _ATTRIBUTE)
    return bool(text.strip()) and not any(pattern.match(text) for pattern in ends) and not text.startswith("//")


def _language(bracket: str) -> str:
    """The language of `[source,python]` and `[source,language=python]`."""
    parts = [part.strip().strip('"') for part in bracket.strip("[]").split(",")]
    if parts[0].partition("%")[0] not in {"source", ""}:
        return ""
    named = next((part for part in parts if part.startswith("language=")), parts[1] if len(parts) > 1 else "=")
    said = named.removeprefix("language=").strip("\"'")
    return "" if "=" in said else said
