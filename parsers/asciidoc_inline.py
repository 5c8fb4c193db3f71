"""Inline markup of AsciiDoc: its words and its links."""

from __future__ import annotations

import re

from kprep.core.models import Link
from parsers.typeset import script_signs

_CODE = re.compile(r"(?<![\w`])`+(\S(?:.{0,400}?\S)?)`+(?![\w`])", re.DOTALL)
_PASSED = re.compile(r"\+{2,3}(.{1,400}?)\+{2,3}|pass:\w*\[(.{0,400}?)\]", re.DOTALL)
_LINK = re.compile(
    r"(?:link:|mailto:)([^\s\[\]]+)\[((?:[^\]\\]|\\.)*)\]|((?:https?|ftp)://[^\s\[\]<>]+)(?:\[([^\]]*)\])?"
)
_CROSS = re.compile(r"<<([^,<>]+?)(?:,\s*([^<>]+?))?>>|xref:([^\s\[\]]+)\[([^\]]*)\]")
_MENU = re.compile(r"menu:([^\s\[\]][^\[\]\n]*)\[([^\]]*)\]")
_MACRO = re.compile(
    r"(?:btn|kbd|footnote|footnoteref|stem|latexmath|asciimath|indexterm2|anchor|icon):[\w.:-]*\[([^\]]*)\]"
)
_IMAGE = re.compile(r"image:{1,2}[^\s\[\]]*\[([^\]]*)\]")
_NAMED = re.compile(r'\b(alt|title)="([^"]*)"')
_ANCHOR = re.compile(r"\[\[[\w:.-]+(?:,[^\]]*)?\]\]|\[#[\w-]+\]|\(\(\([^)]*\)\)\)")
_MARKED = tuple(
    re.compile(
        rf"(?<![\w\\{mark}]){mark}{{1,2}}(?=[^\s{mark}])(.{{1,400}}?)(?<=[^\s]){mark}{{1,2}}(?![\w{mark}])", re.DOTALL
    )
    for mark in (r"\*", "_", "#")
)
_SCRIPT = re.compile(r"(?<!\\)(?:\^(?!\^)(\S{1,80}?)\^|~(?!~)(\S{1,80}?)~)")
_ROLE = re.compile(r"\[[.#%]?[\w.-]+\](?=[#*_`])")


def inline(text: str) -> tuple[str, tuple[Link, ...]]:
    """Text without marks, and its links in order; code keeps its letters."""
    links: list[Link] = []
    pieces = _CODE.split(text)
    out = [piece.strip("+") if at % 2 else _spoken(piece, links) for at, piece in enumerate(pieces)]
    return "".join(out), tuple(links)


def image_text(text: str) -> str:
    """The title and the description of a picture macro, each on a line; "" for neither."""
    match = _IMAGE.search(text)
    if match is None:
        return ""
    named = dict(_NAMED.findall(match.group(1)))
    first = match.group(1).partition(",")[0].strip()
    said = (named.get("title", ""), named.get("alt", "" if "=" in first else first.strip('"')))
    return "\n".join(dict.fromkeys(part for part in said if part))


def _scripted(match: re.Match[str]) -> str:
    high, low = match.groups()
    before, after = match.string[match.start() - 1 : match.start()], match.string[match.end() : match.end() + 1]
    sign, behind = script_signs(high or low, before, after, low=high is None)
    return f"{sign}{high or low}{behind}"


def _spoken(text: str, links: list[Link]) -> str:
    def link(match: re.Match[str]) -> str:
        target = match.group(1) or match.group(3)
        said = (match.group(2) or match.group(4) or "").partition(",window=")[0].rstrip("^").strip('"')
        links.append(Link(said or target, target))
        return said or target

    def cross(match: re.Match[str]) -> str:
        target = match.group(1) or match.group(3)
        said = match.group(2) or match.group(4)
        links.append(Link(said or target, target if "." in target else f"#{target.lstrip('#')}"))
        return said or target

    text = _PASSED.sub(lambda match: match.group(1) or match.group(2) or "", text)
    text = _IMAGE.sub(lambda match: image_text(match.group()), text)
    text = _LINK.sub(link, text)
    text = _CROSS.sub(cross, text)
    text = _MENU.sub(lambda match: " > ".join(filter(None, match.groups())), text)
    text = _ROLE.sub("", _MACRO.sub(r"\1", text))
    text = _ANCHOR.sub("", text)
    for pattern in _MARKED:
        text = pattern.sub(r"\1", text)
    text = _SCRIPT.sub(_scripted, text)
    return re.sub(r"\\([*_`#{<\[])", r"\1", text)
