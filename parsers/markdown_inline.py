"""Markdown inside a block: plain words and links, markup gone."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING

from kprep.core.models import Element, ElementKind, Link

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

MAX_NESTING = 60
"""What is nested deeper is kept as plain lines; the reader is recursive."""

_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")
_STRUCTURE = {
    ElementKind.HEADING,
    ElementKind.TABLE,
    ElementKind.LIST_ITEM,
    ElementKind.CODE,
    ElementKind.CAPTION,
}
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_DROPPED = re.compile(r"<(script|style|template)\b.*?(?:</\1\s*>|$)", re.IGNORECASE | re.DOTALL)


@lru_cache(maxsize=1)
def make_reader() -> MarkdownIt:
    """CommonMark with tables and strikethrough; `[^1]: note` is text, not the definition of a link."""
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import reference

    def without_footnotes(state: StateBlock, first: int, last: int, silent: bool) -> bool:
        position = state.bMarks[first] + state.tShift[first]
        return not state.src.startswith("[^", position) and reference(state, first, last, silent)

    class Reader(MarkdownIt):
        def normalizeLink(self, url: str) -> str:  # noqa: N802
            """Targets stay as written."""
            return url

    reader = Reader("commonmark", {"maxNesting": MAX_NESTING}).enable(["table", "strikethrough"])
    reader.block.ruler.at("reference", without_footnotes)
    return reader


def inline_text(token: Token) -> tuple[str, tuple[Link, ...]]:
    """Words of an inline token with its line breaks, and its links; images give their alt text."""
    parts: list[str] = []
    links: list[Link] = []
    open_links: list[tuple[int, str]] = []
    children = token.children or []
    for child, after in zip_longest(children, children[1:]):
        if child.type in {"text", "code_inline", "text_special"}:
            parts.append(child.content)
        elif child.type in {"softbreak", "hardbreak"}:
            parts.append("\n")
        elif child.type == "image":
            said = child.content  # never as one word with what the picture touches
            before = " " if said and parts and parts[-1][-1:].isalnum() else ""
            parts.append(f"{before}{said}{' ' if said and after and after.content[:1].isalnum() else ''}")
        elif child.type == "html_inline" and _BREAK.match(child.content):
            parts.append("\n")
        elif child.type == "link_open":
            open_links.append((len(parts), str(child.attrGet("href") or "")))
        elif child.type == "link_close" and open_links:
            start, target = open_links.pop()
            links.append(Link("".join(parts[start:]).strip(), target))
    return "".join(parts), tuple(links)


def html_elements(source: str) -> list[Element]:
    """What an HTML block says: headings, tables, lists and code as such, all else as paragraphs; their places are the
    block's. Comments and scripts are dropped."""
    from lxml import html

    from parsers.html_walk import Walk

    source = _DROPPED.sub("", _COMMENT.sub("", source)).replace("\0", "")
    if not _TAG.sub("", source).strip() and "alt" not in source:
        return []
    root = html.fragment_fromstring(source, create_parent="div")
    found = Walk(root, 1).elements()
    return [e if e.kind in _STRUCTURE else replace(e, kind=ElementKind.PARAGRAPH, level=0, marker="") for e in found]
