"""A text in JSON or YAML to its tree."""

from __future__ import annotations

from kprep.core.errors import CorruptDocument
from parsers import json_tree, yaml_tree
from parsers.broken import Broken
from parsers.tree import MAX_NODES, Node, NotJson, no_json, too_many


def load(text: str, where: str) -> Node:
    """The tree of a JSON or YAML text that is one document.

    Raises: as `load_all`; CorruptDocument for several documents, of which only one would be read."""
    found = load_all(text, where)
    if len(found) > 1:
        raise CorruptDocument(f"{where}: {len(found)} YAML documents in one file: split it", documents=len(found))
    return found[0] if found else Node("scalar", 0, 0)


def load_all(text: str, where: str) -> list[Node]:
    """The trees of a JSON or YAML text, told apart by the first character; empty documents are left out.

    Raises: CorruptDocument (no JSON or YAML, nested deeper than 200), TooLarge (more than 2 million values, aliases
    counted in full)."""
    if is_json(text):
        try:
            return [json_tree.load(text, where)]
        except NotJson as error:
            try:
                return _said(yaml_tree.load_all(text, where))
            except CorruptDocument:
                raise no_json(where, text, str(error), error.at) from None
    return _said(yaml_tree.load_all(text, where))


def load_parts(text: str, where: str) -> tuple[list[Node], Broken]:
    """The trees of the YAML documents in a text that can be read, and the others, each a unit "document".

    Raises: as `load_all`, where the text is one document or JSON, or no document can be read."""
    try:
        return load_all(text, where), Broken()
    except CorruptDocument:
        spans = [] if is_json(text) else yaml_tree.pieces(text)
        if len(spans) < 2:
            raise
        found: list[Node] = []
        left_out = Broken()
        for number, (start, end) in enumerate(spans, 1):
            before = text.count("\n", 0, start)
            try:
                found += yaml_tree.load_all(
                    text[start:end], f"document {number} from line {before + 1}", (start, before)
                )
            except CorruptDocument as error:
                left_out.add("document", number, error, (start, end))
        if not found:
            raise
        if sum(node.size for node in found) > MAX_NODES:
            raise too_many(where) from None
        return _said(found), left_out


def _said(found: list[Node]) -> list[Node]:
    return [node for node in found if node.kind != "scalar" or node.text]


def is_json(text: str) -> bool:
    """Whether a text that is JSON or YAML begins as JSON does, after comments."""
    return json_tree.first_sign(text) in {"{", "["}
