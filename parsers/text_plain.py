"""Plain text: paragraphs between blank lines; headings, lists and drawn tables only where the text leaves no doubt."""

from __future__ import annotations

import re

from kprep.core.models import (
    DocumentMetadata,
    Element,
    ElementKind,
    Locator,
    ParsedDocument,
    ParserSpec,
    RawDocument,
    SourceUnit,
)
from parsers.decoding import Line, Lines, decode, decode_document

NAME = "text_plain"
VERSION = 3

_UNDERLINE = re.compile(r"\s*(=|-|~){3,}\s*$")
_BULLET = re.compile(r"(\s*)([-*\u2022\u25aa\u2013])\s+(?=\S)")
_NUMBERED = re.compile(r"(\s*)(\d{1,3}[.)])\s+(?=\S)")
_NUMBERED_TITLE = re.compile(r"(\d{1,2}(?:\.\d{1,2})*)\.?\s+[^\W\d_][^\n]{0,78}$")
_DRAWN = re.compile(r"\s*[+|\u2500-\u257f].*[+|\u2500-\u257f]\s*$")
_LEVELS = {"=": 1, "-": 2, "~": 3}


def parse(raw: RawDocument) -> ParsedDocument:
    """Elements in file order, line breaks kept inside them, each with `line` and `char`. Raises: WrongEncoding."""
    decoded = decode_document(raw.content, raw.uri)
    blocks = _blocks(Lines(decoded.text).all())
    elements: list[Element] = []
    for index, block in enumerate(blocks):
        elements.extend(_read_block(block, followed=index + 1 < len(blocks)))
    return ParsedDocument(
        uri=raw.uri,
        media_type=raw.media_type,
        parser=f"{NAME}@{VERSION}",
        elements=tuple(elements),
        units=(SourceUnit("file", 1, "ok" if elements else "no_text", sum(len(e.text) for e in elements)),),
        metadata=DocumentMetadata(),
    )


def quote(content: bytes, locator: Locator) -> str:
    """The characters, else the lines, of the file at the locator; "" for a place it does not have."""
    text = decode(content).text
    if locator.char:
        return text[locator.char[0] : locator.char[1]]
    if locator.line:
        return "\n".join(line.text for line in Lines(text).between(*locator.line))
    return ""


def _blocks(lines: list[Line]) -> list[list[Line]]:
    """Runs of lines between blank ones; a form feed ends a run."""
    blocks: list[list[Line]] = [[]]
    for line in lines:
        if not line.text.strip():
            blocks.append([])
        else:
            if line.text.startswith("\f"):
                blocks.append([])
            blocks[-1].append(line)
    return [block for block in blocks if block]


def _read_block(block: list[Line], *, followed: bool) -> list[Element]:
    underline = _UNDERLINE.match(block[1].text) if len(block) > 1 else None
    if underline and _underlines(block[0].text, block[1].text):
        heading = _element(ElementKind.HEADING, block[:2], block[0].text.strip(), level=_LEVELS[underline.group(1)])
        return [heading, *(_read_block(block[2:], followed=followed) if block[2:] else [])]
    if len(block) > 1 and all(_DRAWN.match(line.text) for line in block):
        return [_element(ElementKind.CODE, block, "\n".join(line.text for line in block))]
    title = _NUMBERED_TITLE.match(block[0].text.rstrip())
    if title and len(block) == 1 and followed and block[0].text.rstrip()[-1] not in ".,;:!?":
        return [_element(ElementKind.HEADING, block, block[0].text.strip(), level=title.group(1).count(".") + 1)]
    return _paragraph_and_list(block)


def _underlines(title: str, underline: str) -> bool:
    """A rule as long as the words above it, give or take two characters."""
    return abs(len(title.strip()) - len(underline.strip())) <= 2 and any(map(str.isalnum, title))


def _paragraph_and_list(block: list[Line]) -> list[Element]:
    """Items start at list marks, if the block holds two or more; lines before the first are a paragraph."""
    starts = [index for index, line in enumerate(block) if _BULLET.match(line.text) or _NUMBERED.match(line.text)]
    alone_is_certain = starts == [0] and _BULLET.match(block[0].text) is not None
    if len(starts) < 2 and not alone_is_certain:
        return [_element(ElementKind.PARAGRAPH, block, _joined(block))]
    elements = []
    if starts[0] > 0:
        elements.append(_element(ElementKind.PARAGRAPH, block[: starts[0]], _joined(block[: starts[0]])))
    indents = sorted({_indent(block[start]) for start in starts})
    for start, end in zip(starts, [*starts[1:], len(block)], strict=True):
        lines = block[start:end]
        mark = _BULLET.match(lines[0].text) or _NUMBERED.match(lines[0].text)
        assert mark is not None
        text = "\n".join([lines[0].text[mark.end() :].rstrip(), *(line.text.strip() for line in lines[1:])])
        level = indents.index(_indent(lines[0])) + 1
        elements.append(_element(ElementKind.LIST_ITEM, lines, text, level=level, marker=mark.group(2)))
    return elements


def _indent(line: Line) -> int:
    return len(line.text.expandtabs(4)) - len(line.text.expandtabs(4).lstrip())


def _joined(lines: list[Line]) -> str:
    return "\n".join(line.text.rstrip() for line in lines)


def _element(kind: ElementKind, lines: list[Line], text: str, level: int = 0, marker: str = "") -> Element:
    locator = Locator(line=(lines[0].number, lines[-1].number), char=(lines[0].start, lines[-1].end))
    return Element(kind, text, locator, level=level, marker=marker)


PARSER = ParserSpec(NAME, VERSION, ("text/plain",), parse, quote)
