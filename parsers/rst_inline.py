"""Inline markup of reStructuredText: its words and its links."""

from __future__ import annotations

import re

from kprep.core.models import Link
from parsers.typeset import script_signs

_LITERAL = re.compile(r"``(.{1,400}?)``", re.DOTALL)
_ROLE = re.compile(r":[\w:.+-]+:`([^`]+)`|`([^`]+)`:[\w:.+-]+:")
_SCRIPT = re.compile(r":(sup|sub)(?:erscript|script)?:")
_REFERENCE = re.compile(r"`([^`<]*?)\s*<([^`<>]+)>`__?")
_NAMED = re.compile(r"`([^`]+)`__?")
_PLAIN = re.compile(r"(?<![`\w])`([^`]+)`(?![\w`])")
_STRONG = re.compile(r"(?<![\w*])\*\*(?=\S)(.{1,400}?)(?<=\S)\*\*(?![\w*])", re.DOTALL)
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=[^\s*])(.{1,400}?)(?<=\S)\*(?![\w*])", re.DOTALL)
_NOTE = re.compile(r"\[(#?[\w.-]+|\*|#)\]_(?!\w)")
_TITLED = re.compile(r"(.{0,400}?)\s*<([^<>]+)>$", re.DOTALL)
_WORD = re.compile(r"(?<![\w`])([A-Za-z][\w-]*[A-Za-z0-9])__?(?![\w`])")
_SUBSTITUTION = re.compile(r"(?<!\\)\|(\S(?:[^|\n]*\S)?)\|_{0,2}")
_URL = re.compile(r"(?<![\w<])https?://[^\s<>`\"']+[\w/]")


def inline(text: str, targets: dict[str, str]) -> tuple[str, tuple[Link, ...]]:
    """Text without marks, and its links in order. `targets`: folded name -> where it leads, `|name|` -> its words."""
    links: list[Link] = []
    pieces = _LITERAL.split(text)
    out = [piece if at % 2 else _spoken(piece, targets, links) for at, piece in enumerate(pieces)]
    return "".join(out), tuple(links)


def substituted(text: str, targets: dict[str, str]) -> str:
    """The text with the words of each `|name|` that the file defines."""
    return _SUBSTITUTION.sub(lambda m: targets.get(f"|{m.group(1).lower()}|", m.group()), text)


def _spoken(text: str, targets: dict[str, str], links: list[Link]) -> str:
    def reference(match: re.Match[str]) -> str:
        words, target = match.group(1).strip(), match.group(2).strip()
        links.append(Link(words or target, target))
        return words or target

    def named(match: re.Match[str]) -> str:
        words = " ".join(match.group(1).split())
        if words.lower() in targets:
            links.append(Link(words, targets[words.lower()]))
        return match.group(1)

    def word(match: re.Match[str]) -> str:
        return named(match) if match.group(1).lower() in targets else match.group()

    def role(match: re.Match[str]) -> str:
        said = match.group(1) or match.group(2)
        if script := _SCRIPT.search(match.group()):
            before, after = match.string[: match.start()].removesuffix("\\ "), match.string[match.end() :]
            low = script.group(1) == "sub"
            sign, behind = script_signs(said, before[-1:], after.removeprefix("\\ ")[:1], low=low)
            return f"{sign}{said}{behind}"
        titled = _TITLED.match(said)
        return (titled.group(1) or titled.group(2)) if titled else said.lstrip("~!")

    text = _ROLE.sub(role, substituted(text, targets))
    text = _REFERENCE.sub(reference, text)
    text = _NAMED.sub(named, text)
    text = _PLAIN.sub(r"\1", text)
    text = _STRONG.sub(r"\1", text)
    text = _EMPHASIS.sub(r"\1", text)
    text = _NOTE.sub(r"[\1]", text)
    text = _WORD.sub(word, text)
    known = {link.target for link in links}
    links.extend(Link(m.group(), m.group()) for m in _URL.finditer(text) if m.group() not in known)
    return re.sub(r"\\(\S)", r"\1", text).replace("\\ ", "")
