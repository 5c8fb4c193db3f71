"""Complex fields of Word: of one only its result is shown, never its code, nor what fields inside the code gave."""

from __future__ import annotations

from parsers.mathml import Node, tag_of

_STORIES = frozenset("txbxcontent footnote endnote comment".split())
"""Texts of their own, in which fields begin and end by themselves."""
_GONE = frozenset(("del", "movefrom"))
_KEPT = frozenset("rpr fldchar instrtext lastrenderedpagebreak commentreference".split())
"""Parts of a run that say where a field leads, where a page begins or what a comment is about; not words."""


def drop_codes(root: Node) -> None:
    """Take from a part what stands between the begin of a field and its `separate`, or its end where it has no result.
    A field that nothing closes has no code, so that it cannot take what follows with it."""
    from lxml import etree

    if next(root.iter("{*}fldChar"), None) is None:
        return
    stories: list[list[list[Node] | None]] = [[]]
    """Of each open text its open fields: what their code holds so far; None once their result has begun."""
    codes: list[Node] = []
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, node in walk:
        name = tag_of(node)
        if name in _STORIES:
            stories.append([]) if event == "start" else stories.pop()
        elif event == "end":
            continue
        elif name in _GONE:
            walk.skip_subtree()
        elif name == "fldchar":
            codes += _turn(stories[-1], next(iter(node.xpath("@*[local-name()='fldCharType']")), ""))
        elif _says(node, name):
            for held in stories[-1]:
                if held is not None:
                    held.append(node)
    for node in codes:
        if node.getparent() is not None:
            node.getparent().remove(node)


def _turn(fields: list[list[Node] | None], state: str) -> list[Node]:
    """The code that is complete now that a field begins, comes to its result, or ends."""
    if state == "begin":
        fields.append([])
    elif state == "separate" and fields:
        done, fields[-1] = fields[-1], None
        return done or []
    elif state == "end" and fields:
        return fields.pop() or []
    return []


def _says(node: Node, name: str) -> bool:
    above = node.getparent()
    return name == "omath" or (above is not None and tag_of(above) == "r" and name not in _KEPT)
