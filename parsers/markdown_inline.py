"""Markdown inside a block: plain words and links, markup gone."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING

from kprep.core.models import Element, ElementKind, Link
from parsers.typeset import DRAWN_APART, script_signs, spell_page

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

MAX_NESTING = 60
"""What is nested deeper is kept as plain lines; the reader is recursive."""

_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)
TAG = re.compile(r"<[^<>]*>")
_STRUCTURE = {
    ElementKind.HEADING,
    ElementKind.TABLE,
    ElementKind.LIST_ITEM,
    ElementKind.CODE,
    ElementKind.CAPTION,
}
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_SCRIPT = re.compile(r"<(/?)(sup|sub)\b", re.IGNORECASE)
_LINED = re.compile(rf"</?(?:{'|'.join(sorted(DRAWN_APART))})\b", re.IGNORECASE)
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
    """Words of an inline token with its line breaks, and its links; images give their alt text and, in brackets,
    their title."""
    parts: list[str] = []
    links: list[Link] = []
    open_links: list[tuple[int, str]] = []
    opened = 0
    children = token.children or []
    following = _signs_after(children)
    for at, (child, after) in enumerate(zip_longest(children, children[1:])):
        if child.type in {"text", "code_inline", "text_special"}:
            parts.extend(filter(None, (child.content,)))
        elif child.type in {"softbreak", "hardbreak"}:
            parts.append("\n")
        elif child.type == "image":
            said = _picture(child, token.content)  # never as one word with what the picture touches
            before = " " if said and parts and parts[-1][-1:].isalnum() else ""
            parts.append(f"{before}{said}{' ' if said and after and after.content[:1].isalnum() else ''}")
        elif child.type == "html_inline" and _BREAK.match(child.content):
            parts.append("\n")
        elif child.type == "html_inline" and (script := _SCRIPT.match(child.content)):
            if script.group(1):
                said, before, low = (
                    "".join(parts[opened:]),
                    parts[opened - 1] if opened else "",
                    script.group(2).lower() == "sub",
                )
                sign, behind = script_signs(said, before[-1:], following[at], low=low)
                parts[opened:] = filter(None, (sign, *parts[opened:], behind))
            opened = len(parts)
        elif child.type in {"s_open", "s_close"} or (child.type == "html_inline" and _LINED.match(child.content)):
            parts.extend([" "] if parts and parts[-1][-1:].isalnum() and following[at].isalnum() else [])
        elif child.type == "link_open":
            open_links.append((len(parts), str(child.attrGet("href") or "")))
        elif child.type == "link_close" and open_links:
            start, target = open_links.pop()
            links.append(Link("".join(parts[start:]).strip(), target))
    return "".join(parts), tuple(links)


def _picture(image: Token, written: str) -> str:
    """Words of a picture; a title that stands in the definition of a link, not in the block, is told there."""
    title = str(image.attrGet("title") or "")
    if not title.strip() or title == image.content.strip() or title not in written:
        return image.content
    return f"{image.content} ({title})" if image.content.strip() else title


def _signs_after(children: list[Token]) -> list[str]:
    """For each token the next sign said after it, "" for a line's end."""
    found, following = [], ""
    for child in reversed(children):
        found.append(following)
        following = child.content[:1] if child.type != "html_inline" and not child.nesting else following
    return found[::-1]


def html_elements(source: str) -> list[Element]:
    """What an HTML block says: headings, tables, lists and code as such, all else as paragraphs; their places are the
    block's. Comments and scripts are dropped."""
    from lxml import html

    from parsers.html_walk import Walk

    source = _DROPPED.sub("", _COMMENT.sub("", source)).replace("\0", " ")
    if not TAG.sub("", source).strip() and "alt" not in source:
        return []
    root = html.fragment_fromstring(source, create_parent="div")
    spell_page(root)
    found = Walk(root, 1).elements()
    return [e if e.kind in _STRUCTURE else replace(e, kind=ElementKind.PARAGRAPH, level=0, marker="") for e in found]
