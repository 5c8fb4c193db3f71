"""Comments people wrote beside an Office file's text, each an element at the place it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kprep.core.models import Element, ElementKind, Locator
from parsers.docx_xml import Node, Package, attribute, child, local

FRAGMENT = "comment"
_KINDS = frozenset(("comments", "threadedComment"))
_PEOPLE = re.compile(r"(?:^|/)(?:commentAuthors|authors|persons/[^/]+)\.xml$")
_THREADED = "[Threaded comment]"


def comments_beside(package: Package, part: str) -> Iterator[tuple[str, str]]:
    """(cell or id, text with who wrote it and when) of each comment on a part, in the order of the file."""
    people = _people(package)
    for kind, target in package.relations(part).values():
        root = package.xml(target) if kind in _KINDS else None
        if root is None:
            continue
        names = dict(enumerate(node.text or "" for node in root.iter() if local(node) == "author"))
        for node in root.iter():
            if local(node) in {"comment", "cm", "threadedComment", "reply"}:
                text = _text(node)
                if text and not text.startswith(_THREADED):  # Excel's copy for readers that know no threads
                    who = _author(node, people, names)
                    yield attribute(node, "ref") or attribute(node, "id") or "", _signed(node, who, text)


def comment_elements(package: Package, part: str, place: Locator) -> Iterator[Element]:
    """The comments on a slide or sheet."""
    for _, text in comments_beside(package, part):
        yield Element(ElementKind.FOOTNOTE, text, place, fragment=FRAGMENT)


def _people(package: Package) -> dict[str, str]:
    """Id -> name of who may have commented."""
    found: dict[str, str] = {}
    for name in package.names():
        root = package.xml(name) if _PEOPLE.search(name) else None
        for node in root if root is not None else ():
            said, initials = node.get("displayName") or node.get("name") or "", node.get("initials")
            found[attribute(node, "id") or ""] = f"{said} ({initials})" if initials else said
    return found


def _author(node: Node, people: dict[str, str], names: dict[int, str]) -> str:
    said = attribute(node, "author")
    if said:
        initials = attribute(node, "initials")
        return f"{said} ({initials})" if initials else said
    key = attribute(node, "authorId") or attribute(node, "personId") or ""
    return people.get(key) or names.get(int(key) if key.isdecimal() and len(key) < 7 else -1, "")


def annotation_text(node: Node, text: str) -> str:
    """The comment of OpenDocument whose words are `text`, with who wrote it and when."""
    said = {local(inner): (inner.text or "").strip() for inner in node if local(inner) in {"creator", "date"}}
    return signed(said.get("creator", ""), said.get("date", "").partition(".")[0], text)


def _text(node: Node) -> str:
    """Paragraphs, or the text itself; replies are comments of their own."""
    paragraphs = [inner for inner in node.iter() if local(inner) == "p" and not _in_reply(inner, node)]
    if paragraphs:
        texts = ("".join(t.text or "" for t in p.iter() if local(t) == "t") for p in paragraphs)
        return "\n".join(text for text in texts if text.strip()).strip()
    text = child(node, "text")
    if text is None:
        return ""
    return ((text.text or "") + "".join(t.text or "" for t in text.iter() if local(t) == "t")).strip()


def _in_reply(node: Node, stop: Node) -> bool:
    for parent in node.iterancestors():
        if parent is stop:
            return False
        if local(parent) == "reply":
            return True
    return False


def _signed(node: Node, who: str, text: str) -> str:
    when = next((said for name in ("date", "dt", "dT", "created") if (said := attribute(node, name))), "")
    return signed(who, when, text)


def signed(who: str, when: str, text: str) -> str:
    """The text of a comment with who wrote it and when, where that is known."""
    signature = ", ".join(part for part in (f"by {who}" if who else "", when) if part)
    return f"Comment {signature}: {text}" if signature else f"Comment: {text}"
